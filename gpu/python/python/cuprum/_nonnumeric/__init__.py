"""Structured dtypes, datetime64 and timedelta64.

Kernels support numeric dtypes only. Elements of other dtypes are stored on the device as bytes: creation, views,
fields, indexing, copies and moves work for all of them, comparison of structures field by field, and arithmetic of
dates in int64. A function of the package that is called with such a dtype raises a TypeError in Rust, and is then
looked up here; an operation that is not defined here raises a TypeError that names the function, the dtype and an
alternative.
"""

import sys

import numpy as np

import cuprum

from . import _creation, _dates, _fields, _moves
from ._array import NonNumericArray, _complete, layout_in, unsupported, wrap
from ._layout import is_nonnumeric, is_numeric

__all__ = ['NonNumericArray', 'astype', 'instead', 'isnat', 'view']

_complete()


def _dtype_of(value, depth=0):
    """Returns the non-numeric dtype of an argument or of its items; `None` if there is none."""
    if isinstance(value, NonNumericArray):
        return value.dtype
    if isinstance(value, cuprum.ndarray):
        return None
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype if is_nonnumeric(value.dtype) else None
    if isinstance(value, np.dtype):
        return value if is_nonnumeric(value) else None
    if isinstance(value, (list, tuple)) and depth < 32:
        return next((found for item in value if (found := _dtype_of(item, depth + 1)) is not None), None)
    interface = None if isinstance(value, type) else getattr(value, '__cuda_array_interface__', None)
    return _dtype_named(interface['typestr']) if interface else None


def _dtype_named(value):
    """Returns the non-numeric dtype that a value of the parameter `dtype` describes."""
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError):
        return None
    return dtype if value is not None and is_nonnumeric(dtype) else None


def _concerned(name, args, kwargs):
    for value in (*args, *kwargs.values()):
        if (dtype := _dtype_of(value)) is not None:
            return dtype
    if name in _creation.CREATION:
        for value in (*args[1:], *([kwargs['dtype']] if 'dtype' in kwargs else [])):
            if (dtype := _dtype_named(value)) is not None:
                return dtype
    return None


def instead(path, args, kwargs):
    """Computes a call whose arguments the call table rejected; returns `NotImplemented` if no argument has such a
    dtype, is sparse or is distributed over devices."""
    name = path.removeprefix('numpy.')
    if (sparse := sys.modules.get('cuprum.cupyx.scipy.sparse')) is not None and any(map(sparse.issparse, args)):
        return sparse._call_function(name, args, kwargs)
    if (arrays := sys.modules.get('cuprum.cupyx.distributed.array')) is not None and arrays.is_concerned(args):
        return arrays.call_function(name, args, kwargs)
    dtype = _concerned(name, args, kwargs)
    if dtype is None:
        return NotImplemented
    for table in (_creation.CREATION, _creation.QUESTIONS, _moves.FUNCTIONS):
        if name in table:
            return table[name](*args, **kwargs)
    kinds = {array.dtype.kind for value in (*args, *kwargs.values()) for array in _arrays_in(value)}
    table = _dates.FUNCTIONS if kinds <= {'M', 'm'} and dtype.kind in 'Mm' else _fields.FUNCTIONS
    if name not in table:
        raise unsupported(name, dtype)
    return table[name](*args, **kwargs)


def _arrays_in(value):
    if isinstance(value, NonNumericArray):
        return [value]
    return [array for item in value for array in _arrays_in(item)] if isinstance(value, (list, tuple)) else []


def view(a, dtype):
    """Returns the bytes of a numeric array as elements of a dtype that is not: `ndarray.view`."""
    dtype = _dtype_named(dtype)
    return NotImplemented if dtype is None else wrap(layout_in(a).view(dtype), a)


def astype(a, dtype):
    """Casts numbers to dates: `ndarray.astype`."""
    dtype = _dtype_named(dtype)
    if dtype is None:
        return NotImplemented
    if dtype.kind not in 'Mm' or a.dtype.kind == 'c':
        raise unsupported(f'astype of {a.dtype}', dtype)
    return (_dates._of_floats(a) if a.dtype.kind == 'f' else a.astype('i8')).view(dtype)


def isnat(x, /, out=None, **options):
    """Tests whether each date is NaT, not a time."""
    if not isinstance(x, NonNumericArray) or x.dtype.kind not in 'Mm':
        raise TypeError(f'isnat: an array of datetime64 or timedelta64 is needed, not {getattr(x, "dtype", type(x).__name__)}')
    return _dates.isnat(x, out, **options)
