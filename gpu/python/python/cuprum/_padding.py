"""Padding of arrays."""

import numpy as np

import cuprum
from cuprum._cuprum.routines import pad as _pad
from cuprum._decorators import set_module

__all__ = ['pad']

# The options of each mode of `pad`.
_OPTIONS = {
    'constant': ('constant_values',),
    'edge': (),
    'empty': (),
    'linear_ramp': ('end_values',),
    'maximum': ('stat_length',),
    'mean': ('stat_length',),
    'median': ('stat_length',),
    'minimum': ('stat_length',),
    'reflect': ('reflect_type',),
    'symmetric': ('reflect_type',),
    'wrap': (),
}


@set_module('cuprum')
def pad(array, pad_width, mode='constant', **kwargs):
    """Pads the array: `pad_width` elements before and after along each axis."""
    array = array if isinstance(array, (cuprum.ndarray, np.ndarray)) else cuprum.asarray(array)
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * array.ndim
        for axis, width in pad_width.items():
            widths[axis] = (width, width) if isinstance(width, (int, np.integer)) else tuple(width)
        pad_width = widths
    widths = np.asarray(pad_width.get() if isinstance(pad_width, cuprum.ndarray) else pad_width)
    if widths.dtype.kind not in 'iu':
        raise TypeError(f'pad: pad_width is of {widths.dtype}: it must be of integers')
    if array.ndim:
        widths = np.broadcast_to(widths, (array.ndim, 2))
    widths = widths.tolist()
    if callable(mode):
        # Writes the ends of each 1-D slice, along one axis after the other.
        made = _pad(array, widths)
        for axis, width in enumerate(widths):
            lines = cuprum.moveaxis(made, axis, -1)
            for at in np.ndindex(*lines.shape[:-1]):
                mode(lines[at], tuple(width), axis, kwargs)
        return made
    if not isinstance(mode, str) or mode not in _OPTIONS:
        raise ValueError(f'pad: mode is {mode!r}: it is a function or one of {", ".join(_OPTIONS)}')
    if other := [name for name in kwargs if name not in _OPTIONS[mode]]:
        raise ValueError(f'pad: the mode {mode!r} has no parameter {other[0]!r}')
    return _pad(array, widths, mode, **kwargs)
