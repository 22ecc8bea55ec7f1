"""Axes of arrays, for functions of several modules."""

import operator

import numpy


def normalize_axis(axis, ndim):
    """Returns a non-negative axis."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise numpy.exceptions.AxisError(axis, ndim)
    return axis % ndim
