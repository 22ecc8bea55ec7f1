"""Arguments of interpolators: arrays of float64 or complex128, axes, and values outside of the knots."""

import numpy

import cuprum

from .._axes import normalize_axis

OUTSIDE = {False: 0, True: 1, 'periodic': 2}


def values(a):
    """Returns a device array of float64, or of complex128 if it is complex."""
    a = cuprum.asarray(a)
    return a.astype(complex if a.dtype.kind == 'c' else float, copy=False)


def reals(a, name='x'):
    """Returns a device array of float64."""
    a = cuprum.asarray(a)
    if a.dtype.kind == 'c':
        raise ValueError(f'`{name}` must contain real values, not {a.dtype}')
    return a.astype(float, copy=False)


def rows(y):
    """Returns an array of two axes, the first one that of `y`; a complex number becomes two columns."""
    y = cuprum.ascontiguousarray(values(y).reshape(y.shape[0], -1))
    return y.view(float) if y.dtype.kind == 'c' else y


def from_rows(c, like):
    """Returns rows as `rows` has returned them in the trailing shape and dtype of an array."""
    if like.dtype.kind == 'c':
        c = cuprum.ascontiguousarray(c).view(complex)
    return c.reshape(c.shape[0], *like.shape[1:])


def all_true(*conditions):
    """Returns a list with whether all elements of each array are true. It synchronises once."""
    return cuprum.asnumpy(cuprum.stack([c.all() for c in conditions])).tolist()


def host(a, dtype=float):
    """Returns an array of the host."""
    return numpy.asarray(cuprum.asnumpy(a) if isinstance(a, cuprum.ndarray) else a, dtype)


def to_front(y, axis):
    """Returns an array with an axis moved to the front, and the non-negative axis."""
    axis = normalize_axis(axis, y.ndim)
    return cuprum.moveaxis(y, axis, 0), axis


def to_axis(y, points, axis):
    """Returns results, whose first `points` axes are those of the points, with these axes at the axis of interpolation."""
    if axis == 0:
        return y
    order = list(range(y.ndim))
    return y.transpose(order[points : points + axis] + order[:points] + order[points + axis :])


def rising_factorial(start, count):
    """Returns start (start + 1) ... of a number of factors, of an array of the host."""
    product = numpy.ones_like(start, dtype=float)
    for step in range(count):
        product = product * (start + step)
    return product


def column(factors, ndim):
    """Returns a list of the host as a device array along the first of a number of axes."""
    return cuprum.asarray(numpy.asarray(factors, float).reshape(-1, *[1] * (ndim - 1)))
