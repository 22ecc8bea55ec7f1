"""Functions of Python functions and of iterators."""

import numpy as np

import cuprum
from cuprum._decorators import set_module

__all__ = ['apply_along_axis', 'apply_over_axes', 'fromfunction', 'fromiter', 'piecewise']


@set_module('cuprum')
def fromiter(*args, **kwargs):
    """Creates an array from an iterator."""
    return cuprum.asarray(np.fromiter(*args, **kwargs))


@set_module('cuprum')
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """Creates an array from a function of the coordinates of its elements, which are arrays."""
    if like is not None:
        raise NotImplementedError("fromfunction: the parameter `like` is not supported")
    return function(*cuprum.indices(shape, dtype=float if dtype is None else dtype), **kwargs)


@set_module('cuprum')
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Applies a function to each 1-D slice along an axis, and stacks the results."""
    arr = cuprum.asarray(arr)
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    lines = cuprum.moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [cuprum.asarray(func1d(lines[at], *args, **kwargs)) for at in np.ndindex(*outer)]
    made = cuprum.stack(results).reshape(outer + results[0].shape)
    # The axes of the function's result replace the axis.
    inner = range(len(outer), made.ndim)
    return cuprum.moveaxis(made, tuple(inner), tuple(axis + i for i in range(len(inner))))


@set_module('cuprum')
def apply_over_axes(func, a, axes):
    """Calls a function with the array and each axis in turn; axes that it removes are inserted again."""
    value = cuprum.asarray(a)
    for axis in np.atleast_1d(axes):
        axis = np.lib.array_utils.normalize_axis_index(int(axis), value.ndim)
        result = func(value, axis)
        value = result if result.ndim == value.ndim else cuprum.expand_dims(result, axis)
        if value.ndim != cuprum.asarray(a).ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


@set_module('cuprum')
def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluates a piecewise function: for each element the value, or the function's result, of the last condition
    that is true."""
    x = cuprum.asarray(x)
    one = isinstance(condlist, cuprum.ndarray) and condlist.ndim == x.ndim
    one = one or isinstance(condlist, (bool, np.bool_)) or getattr(condlist, "ndim", None) == 0
    # Booleans in a list are one condition, unless `x` has no axes.
    if one or isinstance(condlist, (list, tuple)) and condlist and x.ndim and np.ndim(condlist[0]) == 0:
        condlist = [condlist]
    conditions = [cuprum.broadcast_to(cuprum.asarray(c, dtype=bool), x.shape) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        anywhere = cuprum.zeros(x.shape, dtype=bool)
        for condition in conditions:
            anywhere |= condition
        conditions.append(~anywhere)
    elif len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    out = cuprum.zeros_like(x)
    for condition, piece in zip(conditions, funclist):
        out[condition] = piece(x[condition], *args, **kw) if callable(piece) else piece
    return out
