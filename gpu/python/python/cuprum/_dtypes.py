"""Functions of dtypes."""

import functools

import numpy as np

import cuprum
from cuprum._cuprum import routines as _routines
from cuprum._decorators import set_module

__all__ = [
    'can_cast',
    'common_type',
    'find_common_type',
    'isdtype',
    'issctype',
    'issubclass_',
    'issubsctype',
    'mintypecode',
    'obj2sctype',
    'promote_types',
    'result_type',
    'sctype2char',
]


@set_module('cuprum')
def common_type(*arrays):
    """Returns the class of floating-point scalars to which the elements of all arrays can be cast."""
    return _routines.common_type(*arrays).type if arrays else np.float16


@set_module('cuprum')
def mintypecode(typechars, typeset='GDFgdf', default='d'):
    """Returns the character of the smallest dtype in the set to which those of characters, and of arrays, are
    cast."""

    def code(one):
        return one if isinstance(one, str) else (one if hasattr(one, 'dtype') else np.asarray(one)).dtype.char

    # The characters of the set are single ones.
    return _routines.mintypecode(''.join(c for c in map(code, typechars) if len(c) == 1), typeset, default)


def _of_dtypes(own):
    """Wraps a function of dtypes; for dtypes that no array here has, NumPy's function is called."""

    @functools.wraps(own)
    def function(*args, **kwargs):
        try:
            return own(*args, **kwargs)
        except cuprum.exceptions.UnsupportedDType:
            if any(isinstance(one, cuprum.ndarray) for one in args):
                raise
        return getattr(np, own.__name__)(*args, **kwargs)

    return function


can_cast = _of_dtypes(_routines.can_cast)
promote_types = _of_dtypes(_routines.promote_types)
result_type = _of_dtypes(_routines.result_type)


@set_module('cuprum')
def isdtype(dtype, kind):
    """Returns whether a dtype is of a kind, or of one of several."""
    return np.isdtype(dtype, kind)


@set_module('cuprum')
def find_common_type(array_types, scalar_types):
    """Returns the common dtype of arrays and scalars of these dtypes."""
    return np.result_type(*array_types, *scalar_types)


@set_module('cuprum')
def issctype(rep):
    """Returns whether it names a dtype's type."""
    try:
        return rep is not None and not isinstance(rep, bool) and issubclass(np.dtype(rep).type, np.generic)
    except TypeError:
        return False


@set_module('cuprum')
def issubclass_(arg1, arg2):
    """Returns `issubclass`, and False for an object that is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


@set_module('cuprum')
def issubsctype(arg1, arg2):
    """Returns whether a dtype is of a kind."""
    return issubclass(np.dtype(arg1).type, arg2 if isinstance(arg2, type) else np.dtype(arg2).type)


@set_module('cuprum')
def obj2sctype(rep, default=None):
    """Returns the scalar type of an object that describes a dtype."""
    try:
        return rep.dtype.type if isinstance(rep, cuprum.ndarray) else np.dtype(rep).type
    except TypeError:
        return default


@set_module('cuprum')
def sctype2char(sctype):
    """Returns the character of a dtype."""
    return np.dtype(sctype).char
