"""NumPy's functions called with device arrays: `numpy.add(a, b)`, `numpy.sum(a)`.

NumPy dispatches such a call; the package's function of the same name executes it, with the same arguments that it
accepts when it is called directly.
"""

import numpy as _numpy

import cuprum as _cuprum
from cuprum._cuprum import ndarray as _ndarray

# Scalar types.
_NUMBERS = (bool, int, float, complex, _numpy.generic)


def _handed_over(value):
    """Returns whether a call with this operand is dispatched to the package."""
    if value is None or isinstance(value, (_ndarray, *_NUMBERS)):
        return True
    return hasattr(value, "__cuda_array_interface__") or hasattr(value, "__cupy_get_ndarray__")


def array_ufunc(function, method, inputs, keywords):
    """Implements `numpy.ndarray.__array_ufunc__` for device arrays."""
    out = keywords.get("out", ())
    if not isinstance(out, tuple):
        out = (out,)
    # NumPy arrays without axes are scalars.
    inputs = tuple(x[()] if type(x) is _numpy.ndarray and x.ndim == 0 else x for x in inputs)
    for value in (*inputs, *out):
        if isinstance(value, _numpy.ndarray):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>: its elements are on the host, make an array of it with cuprum.asarray")
        if not _handed_over(value) and not isinstance(value, (list, tuple)):
            # Another array class may handle the call.
            return NotImplemented
    ours = getattr(_cuprum, function.__name__, None)
    if ours is None:
        ours = getattr(_cuprum.scipy.special, function.__name__, None)
    if ours is None:
        return NotImplemented
    if method == "__call__":
        call = ours
    else:
        call = getattr(ours, method, None)
        if call is None:
            return NotImplemented
    if "out" in keywords:
        keywords = dict(keywords)
        if len(out) == 1:
            keywords["out"] = out[0]
            if out[0] is None:
                del keywords["out"]
        elif all(one is None for one in out):
            del keywords["out"]
    return call(*inputs, **keywords)


def _ours(function):
    """Returns the package's function with the name of a NumPy function; None if there is none."""
    module = function.__module__ or ""
    where = _cuprum
    for part in module.split(".")[1:]:
        where = getattr(where, part, None)
        if where is None:
            return None
    found = getattr(where, function.__name__, None)
    return None if found is function else found


def array_function(function, types, args, keywords):
    """Implements `numpy.ndarray.__array_function__` for device arrays."""
    for kind in types:
        # The function itself decides whether it accepts NumPy arrays.
        if issubclass(kind, _ndarray) or kind is _numpy.ndarray or hasattr(kind, "__cuda_array_interface__"):
            continue
        return NotImplemented
    ours = _ours(function)
    if ours is None:
        return NotImplemented
    return ours(*args, **keywords)
