"""Statistics with arguments that the call table has no kind for: samples as a list of coordinates, and weights
in two positions."""

import numpy as np

import cuprum
from cuprum._cuprum.routines import cov as _cov
from cuprum._cuprum.routines import histogram2d as _histogram2d
from cuprum._cuprum.routines import histogramdd as _histogramdd
from cuprum._decorators import renamed, set_module

__all__ = ['cov', 'histogram2d', 'histogramdd']


def _points(own, sample, bins, range, density, weights):
    """Computes a histogram of points; either the fourth or the fifth argument may be the weights, in NumPy's order
    or in CuPy's."""
    if isinstance(density, (list, tuple, cuprum.ndarray)):
        density, weights = weights, density
    given = {'range': range, 'density': density, 'weights': weights}
    return own(*sample, 10 if bins is None else bins, **{name: value for name, value in given.items() if value is not None})


def _bins_of_axes(name, bins, axes):
    """Returns the bins for all axes, or a list with those of each axis."""
    if isinstance(bins, (cuprum.ndarray, np.ndarray)) and bins.ndim > 0:
        bins = list(bins)
    if isinstance(bins, (list, tuple)) and len(bins) != axes:
        raise ValueError(f'{name}: there are bins for {len(bins)} axes, and coordinates along {axes}')
    return bins


@set_module('cuprum')
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Returns the number of points in each bin of a grid, and the edges along each axis."""
    if isinstance(sample, (list, tuple)):
        # The coordinates along each axis.
        sample = cuprum.atleast_2d(cuprum.asarray(sample)).T
    shape = np.shape(sample)
    bins = _bins_of_axes('histogramdd', bins, shape[1] if len(shape) > 1 else 1)
    return _points(_histogramdd, (sample,), bins, range, density, weights)


@set_module('cuprum')
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Returns the number of points in each bin of a grid, and the edges along both axes."""
    if isinstance(bins, (list, tuple, cuprum.ndarray, np.ndarray)) and getattr(bins, 'ndim', 1) > 0 and len(bins) > 2:
        # Edges for both axes.
        bins = [bins, bins]
    bins = _bins_of_axes('histogram2d', bins, 2)
    return _points(_histogram2d, (x, y), bins, range, density, weights)


@renamed(a='m')
@set_module('cuprum')
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Returns the covariance of variables, whose observations are in rows."""
    for name, weights in (('fweights', fweights), ('aweights', aweights)):
        if weights is None:
            continue
        shape, of = np.shape(weights), np.shape(m)
        if len(shape) > 1:
            raise RuntimeError(f'cov: {name} has the shape {shape}: it has more than one axis')
        observations = of[-1 if rowvar or len(of) == 1 else 0] if of else 1
        if len(shape) == 1 and shape[0] != observations:
            raise RuntimeError(f'cov: {name} has {shape[0]} elements, and there are {observations} observations')
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f'cov: ddof is {ddof}: it must be an integer')
    ddof = None if ddof is None else int(ddof)
    return _cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
