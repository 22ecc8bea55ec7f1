"""Interpolation of scattered points by one call."""

import numpy

import cuprum

from ._arguments import reals
from ._interp1d import interp1d
from ._nd import points_of
from ._radial import NearestNDInterpolator
from ._triangles import CloughTocher2DInterpolator, LinearNDInterpolator


def griddata(points, values, xi, method='linear', fill_value=numpy.nan, rescale=False):
    """Values at `xi` of the interpolant of scattered points: 'nearest', 'linear' on simplices, or 'cubic' for points of one or two coordinates.

    `points` is an array of the shape (n, ndim) or (n,), or one array for each coordinate; `xi` likewise. Points of several coordinates are triangulated on the host, which synchronises. 'nearest' is not
    affected by `fill_value`.
    """
    points = points_of(points, len(points)) if isinstance(points, tuple) else reals(points, 'points')
    ndim = points.ndim if points.ndim < 2 else points.shape[-1]
    if ndim == 1 and method in ('nearest', 'linear', 'cubic'):
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError('invalid number of dimensions in xi')
            (xi,) = xi
        points, values = points.ravel(), cuprum.asarray(values)
        order = cuprum.argsort(points, kind='stable')
        if method == 'nearest':
            fill_value = 'extrapolate'
        return interp1d(points[order], values[order], kind=method, axis=0, bounds_error=False, fill_value=fill_value)(xi)
    if method == 'nearest':
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == 'linear':
        return LinearNDInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    if method == 'cubic' and ndim == 2:
        return CloughTocher2DInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    raise ValueError(f'Unknown interpolation method {method!r} for {ndim} dimensional data')
