"""Strided views: `sliding_window_view`."""

import numpy as np

import cuprum

__all__ = ['sliding_window_view']


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Returns a view of all windows of a shape in an array: the windows' own axes come last.

    With `axis` the windows have lengths along these axes only, and extend over all of the others.
    """
    if subok:
        raise NotImplementedError('sliding_window_view: subok=True is not in Cuprum; there are no subclasses to keep')
    if writeable:
        raise NotImplementedError('sliding_window_view: writeable=True is not in Cuprum; windows share elements, and a kernel writes in no order')
    lengths = tuple(window_shape) if np.iterable(window_shape) else (window_shape,)
    if any(n < 0 for n in lengths):
        raise ValueError(f'sliding_window_view: window_shape has no negative lengths, and it is {lengths}')
    x = x if isinstance(x, cuprum.ndarray) else cuprum.asarray(x)
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(lengths) != len(axes):
            raise ValueError(f'sliding_window_view: without axis, window_shape has a length for each of the {x.ndim} axes, and there are {len(lengths)}')
    else:
        axes = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(lengths) != len(axes):
            raise ValueError(f'sliding_window_view: window_shape has {len(lengths)} lengths and axis {len(axes)} axes: there is one length for each')
    shape = list(x.shape)
    for axis, length in zip(axes, lengths):
        if shape[axis] < length:
            raise ValueError(f'sliding_window_view: a window of {length} does not fit into axis {axis}, whose length is {x.shape[axis]}')
        shape[axis] -= length - 1
    strides = x.strides + tuple(x.strides[axis] for axis in axes)
    return cuprum.lib.stride_tricks.as_strided(x, (*shape, *lengths), strides)
