"""Structured dtypes: comparison and casts, field by field."""

import cuprum

from . import _layout
from ._array import NonNumericArray, empty, layout_in, operand, unsupported
from ._layout import word_width, words


def _numbers(a):
    """Returns an array whose elements kernels can load: a copy if they are not aligned."""
    return a.copy() if isinstance(a, NonNumericArray) and _layout.is_numeric(a.dtype) else a


def _equal(a, b):
    if a.dtype.names is None:
        if isinstance(a, NonNumericArray) and a.dtype.kind not in 'Mm' and not _layout.is_numeric(a.dtype):
            if a.dtype != b.dtype:
                raise TypeError(f'equal: {a.dtype} and {b.dtype} cannot be compared: use astype')
            return cuprum.all(words(a, a._layout, 1) == words(b, b._layout, 1), axis=-1)
        return _numbers(a) == _numbers(b)
    result = None
    ndim = max(a.ndim, b.ndim)
    for name in a.dtype.names:
        same = _equal(a[name], b[name])
        if same.ndim > ndim:
            # An array field is equal if all its elements are.
            same = cuprum.all(same, axis=tuple(range(ndim, same.ndim)))
        result = same if result is None else result & same
    if result is None:
        raise unsupported('equal', a.dtype)
    return result


def _comparison(name):
    def function(x1, x2, /, out=None, **options):
        for option, value in options.items():
            raise TypeError(f'{name}: the option {option}={value!r} is not supported for structured dtypes: compare the fields')
        dtype = next(x.dtype for x in (x1, x2) if isinstance(x, NonNumericArray))
        arrays = [x if isinstance(x, NonNumericArray) else operand(x, dtype, name) for x in (x1, x2)]
        if arrays[0].dtype.names != arrays[1].dtype.names:
            raise TypeError(f'{name}: {arrays[0].dtype} and {arrays[1].dtype} have other fields: compare fields, or use astype')
        result = _equal(*arrays)
        result = result if name == 'equal' else cuprum.logical_not(result)
        if out is None:
            return result
        out = out[0] if isinstance(out, tuple) else out
        out[...] = result
        return out

    return function


def astype(a, dtype):
    """Casts structures to another structured dtype with as many fields, by position as in NumPy."""
    if len(a.dtype.names) != len(dtype.names):
        raise TypeError(f'astype: {a.dtype} has {len(a.dtype.names)} fields and {dtype} has {len(dtype.names)}: they must be as many')
    new = empty(a.shape, dtype, 'K', a._layout)
    for source, target in zip(a.dtype.names, dtype.names):
        part, to = a[source], new[target]
        if part.dtype != to.dtype:
            part = _numbers(part).astype(to.dtype)
        if isinstance(to, NonNumericArray):
            _copy_bytes(part, to)
        else:
            to[...] = _numbers(part)
    return new


def _copy_bytes(source, target):
    source_layout, layout = layout_in(source), target._layout
    width = min(word_width(source_layout), word_width(layout))
    words(target, layout, width)[...] = words(source, source_layout, width)


FUNCTIONS = {name: _comparison(name) for name in ('equal', 'not_equal')}
