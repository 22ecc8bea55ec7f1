"""Host arrays in memory that a device reads and writes without a detour."""

import numpy as np

import cuprum

__all__ = ['empty_like_pinned', 'empty_pinned', 'zeros_like_pinned', 'zeros_pinned']


def empty_pinned(shape, dtype=float, order='C'):
    """A NumPy array in pinned memory, with whatever is there."""
    dtype = np.dtype(dtype)
    shape = (shape,) if np.isscalar(shape) else tuple(int(n) for n in shape)
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.empty(shape, dtype, order)
    memory = cuprum.cuda.alloc_pinned_memory(count * dtype.itemsize)
    return np.frombuffer(memory, dtype, count).reshape(shape, order='F' if order in ('F', 'f') else 'C')


def empty_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """A NumPy array in pinned memory of the shape, dtype and order of `a`, with whatever is there."""
    if subok is not None:
        raise TypeError('empty_like_pinned() makes no subclasses: leave subok away')
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    shape = a.shape if shape is None else (shape,) if np.isscalar(shape) else tuple(shape)
    if order in ('A', 'a', 'K', 'k', None):
        if order in ('K', 'k', None) and len(shape) == a.ndim and not (a.flags.c_contiguous or a.flags.f_contiguous):
            # The axes in the order of their strides, the longest first.
            axes = sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))
            made = empty_pinned([shape[axis] for axis in axes], dtype)
            return made.transpose(np.argsort(axes))
        order = 'F' if a.flags.f_contiguous and not a.flags.c_contiguous else 'C'
    return empty_pinned(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order='C'):
    """A NumPy array of zeros in pinned memory."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def zeros_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    """A NumPy array of zeros in pinned memory, of the shape, dtype and order of `a`."""
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made
