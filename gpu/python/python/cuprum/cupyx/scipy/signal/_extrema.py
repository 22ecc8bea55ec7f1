"""Relative extrema along an axis of `scipy.signal`."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array

__all__ = ['argrelextrema', 'argrelmax', 'argrelmin']

# The comparisons that the library knows.
_RELATIONS = {
    function: number
    for number, functions in enumerate(
        (
            (numpy.less, cuprum.less, operator.lt),
            (numpy.greater, cuprum.greater, operator.gt),
            (numpy.less_equal, cuprum.less_equal, operator.le),
            (numpy.greater_equal, cuprum.greater_equal, operator.ge),
        )
    )
    for function in functions
}


def _compared(x, comparator, axis, order, mode):
    """Applies any comparison to an array and to itself moved by each number of positions."""
    positions, result = cuprum.arange(x.shape[axis]), cuprum.ones(x.shape, bool)
    for shift in range(1, order + 1):
        for moved in (positions + shift, positions - shift):
            result &= comparator(x, cuprum.take(x, moved, axis=axis, mode=mode))
    return result


def argrelextrema(data, comparator, axis=0, order=1, mode='clip'):
    """Indices, one array for each axis, of elements for which a comparison with each of the `order` elements on both sides holds.

    Beyond the ends of the axis is its last element (`clip`), or its other end (`wrap`). It synchronises: the size of the result depends on the
    elements.
    """
    data = _array(data, 'data')
    axis = normalize_axis(axis, data.ndim)
    if int(order) != order or order < 1:
        raise ValueError(f'Order must be an int >= 1, not {order}')
    if mode not in ('clip', 'wrap'):
        raise ValueError(f"argrelextrema: mode must be 'clip' or 'wrap', not {mode!r}")
    n, order = data.shape[axis], int(order)
    # Beyond n positions the same elements are compared again.
    order = min(order, n)
    relation = _RELATIONS.get(comparator)
    if relation is None or data.dtype.kind not in 'biuf' or data.size == 0:
        return cuprum.nonzero(_compared(data, comparator, axis, order, mode))
    return tuple(_cuprum.peaks_extrema(data, relation, axis, order, mode == 'wrap'))


def argrelmin(data, axis=0, order=1, mode='clip'):
    """Indices of elements that are less than each of the `order` elements on both sides along an axis."""
    return argrelextrema(data, cuprum.less, axis, order, mode)


def argrelmax(data, axis=0, order=1, mode='clip'):
    """Indices of elements that are greater than each of the `order` elements on both sides along an axis."""
    return argrelextrema(data, cuprum.greater, axis, order, mode)
