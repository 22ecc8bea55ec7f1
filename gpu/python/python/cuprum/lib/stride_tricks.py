"""Strided views: `numpy.lib.stride_tricks`."""

import cuprum as _cuprum
from cuprum._cuprum.routines.lib.stride_tricks import as_strided as _as_strided
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.lib.stride_tricks import sliding_window_view
# End of the routines.
# fmt: on


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """Returns a view with any shape and strides; by default the array's own."""
    x = _cuprum.asarray(x)
    return _as_strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides, subok=subok, writeable=writeable)


__getattr__ = _lacking(__name__)
