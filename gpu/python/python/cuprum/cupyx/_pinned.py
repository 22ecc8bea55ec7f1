"""NumPy arrays in pinned memory, which a device copies from and to directly."""

import numpy as np

import cuprum

__all__ = ['empty_like_pinned', 'empty_pinned', 'zeros_like_pinned', 'zeros_pinned']


def empty_pinned(shape, dtype=float, order='C'):
    """Returns an uninitialised NumPy array in pinned memory."""
    shape = (shape,) if np.isscalar(shape) else tuple(int(n) for n in shape)
    axes = range(len(shape))
    return _empty(shape, np.dtype(dtype), axes[::-1] if order in ('F', 'f') else axes)


def _empty(shape, dtype, axes):
    """Returns an array with its axes stored in this order, the largest stride first. Its base is the pinned memory."""
    strides, step = [0] * len(shape), dtype.itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(shape[axis], 1)
    memory = cuprum.cuda.alloc_pinned_memory(max(step, 1))
    return np.ndarray(shape, dtype, buffer=memory, strides=strides)


def empty_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """Returns an uninitialised NumPy array in pinned memory with the shape, dtype and order of `a`."""
    if subok is not None:
        raise TypeError('empty_like_pinned() makes no subclasses: leave subok away')
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    shape = a.shape if shape is None else (shape,) if np.isscalar(shape) else tuple(shape)
    if order in ('A', 'a', 'K', 'k', None):
        if order in ('K', 'k', None) and len(shape) == a.ndim and not (a.flags.c_contiguous or a.flags.f_contiguous):
            # The axes in descending order of their strides.
            axes = sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))
            return _empty(shape, dtype, axes)
        order = 'F' if a.flags.f_contiguous and not a.flags.c_contiguous else 'C'
    return empty_pinned(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order='C'):
    """Returns a NumPy array of zeros in pinned memory."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def zeros_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """Returns a NumPy array of zeros in pinned memory with the shape, dtype and order of `a`."""
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made
