"""Functions of Python functions and of iterators."""

import numpy as np

import cuprum
from cuprum._decorators import set_module

__all__ = ['fromfunction', 'fromiter']


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
