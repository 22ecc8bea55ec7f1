"""Interpolation on rectilinear grids."""

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, reals
from ._construction import make_interp_spline
from ._cubic import monotone_slopes
from ._nd import NdBSpline, points_of

_DEGREES = {'slinear': 1, 'cubic': 3, 'quintic': 5, 'pchip': 3}
_METHODS = ['linear', 'nearest', *_DEGREES]
# Numbers of a block of intermediate results of monotone interpolation.
_BLOCK = 1 << 24


def _check_grid(points, values):
    """Returns axes that increase, the values in their order, and the axes that decreased."""
    grid, tests, reversed_axes = [], [], []
    for d, p in enumerate(points):
        p = cuprum.ascontiguousarray(reals(p, 'points'))
        if p.ndim != 1:
            raise ValueError(f'The points in dimension {d} must be 1-dimensional')
        steps = cuprum.diff(p)
        tests += [steps > 0, steps < 0]
        grid.append(p)
    passed = all_true(*tests) if tests else []
    for d in range(len(grid)):
        if not passed[2 * d]:
            if not passed[2 * d + 1]:
                raise ValueError(f'The points in dimension {d} must be strictly ascending or descending')
            grid[d] = cuprum.ascontiguousarray(grid[d][::-1])
            reversed_axes.append(d)
    if reversed_axes:
        values = cuprum.flip(values, reversed_axes)
    return tuple(grid), values


def _values(values):
    values = cuprum.asarray(values)
    if values.dtype.kind not in 'fc':
        values = values.astype(float)
    return values


def _check_fill(fill_value, values):
    if fill_value is None:
        return
    dtype = fill_value.dtype if hasattr(fill_value, 'dtype') else numpy.asarray(fill_value).dtype
    if not numpy.can_cast(dtype, numpy.dtype(str(values.dtype)), casting='same_kind'):
        raise ValueError("fill_value must be either 'None' or of a type compatible with values")


class RegularGridInterpolator:
    """Interpolant of values on a rectilinear grid of any number of axes."""

    def __init__(self, points, values, method='linear', bounds_error=True, fill_value=numpy.nan, *, solver=None, solver_args=None):
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        values = _values(values)
        if len(points) > values.ndim:
            raise ValueError(f'There are {len(points)} point arrays, but values has {values.ndim} dimensions')
        for d, p in enumerate(points):
            size = len(p)
            if values.shape[d] != size:
                raise ValueError(f'There are {size} points and {values.shape[d]} values on dimension {d}')
        _check_fill(fill_value, values)
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        self.grid, self.values = _check_grid(points, values)
        self._splines = {}
        if method in _DEGREES:
            self._check_lengths(method)
            if method != 'pchip':
                self._spline(method)

    def _check_lengths(self, method):
        k = _DEGREES[method]
        for d, p in enumerate(self.grid):
            if p.shape[0] <= k:
                raise ValueError(f'There are {p.shape[0]} points in dimension {d}, but method {method} requires at least  {k + 1} points per dimension.')

    def _spline(self, method):
        """Returns the tensor product of splines through the values: systems along one axis after the other."""
        if method not in self._splines:
            c, t, k = self.values, [], _DEGREES[method]
            for axis, p in enumerate(self.grid):
                spline = make_interp_spline(p, c, k, axis=axis)
                t.append(spline.t)
                c = cuprum.moveaxis(spline.c, 0, axis)
            self._splines[method] = NdBSpline(tuple(t), cuprum.ascontiguousarray(c), k)
        return self._splines[method]

    def __call__(self, xi, method=None, *, nu=None):
        """Values at points."""
        method = self.method if method is None else method
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if nu is not None and method not in ('slinear', 'cubic', 'quintic'):
            raise ValueError(f"Can only compute derivatives for methods slinear, cubic and quintic, got method = {method!r}.")
        ndim = len(self.grid)
        xi = points_of(xi, ndim)
        if xi.shape[-1] != ndim:
            raise ValueError(f'The requested sample points xi have dimension {xi.shape[-1]} but this RegularGridInterpolator has dimension {ndim}')
        if self.bounds_error and xi.size:
            flat = xi.reshape(-1, ndim)
            ends = [cuprum.stack([p[end] for p in self.grid]) for end in (0, -1)]
            # A coordinate that is NaN is outside, as its extremes are NaN.
            inside = cuprum.asnumpy((flat.min(0) >= ends[0]) & (flat.max(0) <= ends[1]))
            if not inside.all():
                raise ValueError(f'One of the requested xi is out of bounds in dimension {int(inside.argmin())}')
        fills = not self.bounds_error and self.fill_value is not None
        if method in ('linear', 'nearest'):
            fill = None
            if fills:
                fill = complex(self.fill_value)
                fill = fill.real, fill.imag
            result = _cuprum.interpolate_grid(list(self.grid), self.values, xi, method == 'nearest', fill)
            return result.astype(self.values.dtype, copy=False) if method == 'nearest' else result
        self._check_lengths(method)
        if method == 'pchip':
            result = self._monotone(xi)
        else:
            result = self._spline(method)(xi, nu=nu)
        unknown = cuprum.isnan(xi).any(-1)
        if fills:
            outside = cuprum.zeros(xi.shape[:-1], bool)
            for d, p in enumerate(self.grid):
                outside |= (xi[..., d] < p[0]) | (xi[..., d] > p[-1])
            result = self._replaced(result, outside, self.fill_value)
        return self._replaced(result, unknown, numpy.nan)

    @staticmethod
    def _replaced(result, mask, value):
        return cuprum.where(mask.reshape((*mask.shape, *[1] * (result.ndim - mask.ndim))), value, result)

    def _monotone(self, xi):
        """Returns values of cubic polynomials that preserve monotonicity along the last axis, of those along the one before, and so on."""
        if self.values.dtype.kind == 'c':
            raise ValueError('`PchipInterpolator` only works with real values for `y`.')
        ndim = len(self.grid)
        points, trailing = xi.reshape(-1, ndim), self.values.shape[ndim:]
        # The trailing axes come first: those of the grid are reduced from the last one on.
        v = cuprum.moveaxis(self.values.astype(float), list(range(ndim)), list(range(-ndim, 0)))
        block = max(1, _BLOCK // max(1, v.size))
        parts = [self._monotone_block(points[i : i + block], v) for i in range(0, points.shape[0], block)]
        result = cuprum.concatenate(parts) if parts else cuprum.empty((0, *trailing))
        return result.reshape((*xi.shape[:-1], *trailing))

    def _monotone_block(self, points, v):
        m, axis = points.shape[0], len(self.grid) - 1
        v = cuprum.broadcast_to(v, (m, *v.shape))
        for axis in range(len(self.grid) - 1, -1, -1):
            grid, x = self.grid[axis], points[:, axis]
            i = cuprum.clip(cuprum.searchsorted(grid, x, side='right') - 1, 0, grid.size - 2)
            shape = (m, *[1] * (v.ndim - 1))
            if axis == len(self.grid) - 1:
                # The last axis belongs to all points: its derivatives are computed once.
                y = cuprum.moveaxis(v[0], -1, 0)
                slopes = monotone_slopes(cuprum.diff(grid), y)
                y0, y1, d0, d1 = y[i], y[i + 1], slopes[i], slopes[i + 1]
                shape = (m, *[1] * (y.ndim - 1))
            else:
                y = cuprum.moveaxis(v, -1, 0)
                slopes = monotone_slopes(cuprum.diff(grid), y)
                at = cuprum.arange(m)
                y0, y1, d0, d1 = y[i, at], y[i + 1, at], slopes[i, at], slopes[i + 1, at]
                shape = (m, *[1] * (y.ndim - 2))
            h = (grid[i + 1] - grid[i]).reshape(shape)
            s = (x - grid[i]).reshape(shape)
            slope = (y1 - y0) / h
            t = (d0 + d1 - 2 * slope) / h
            v = ((t / h * s + ((slope - d0) / h - t)) * s + d0) * s + y0
        return v


def interpn(points, values, xi, method='linear', bounds_error=True, fill_value=numpy.nan):
    """Values at points, interpolated on a rectilinear grid."""
    if method not in ('linear', 'nearest', 'cubic', 'quintic', 'pchip', 'splinef2d', 'slinear'):
        raise ValueError(
            f"interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip', and 'splinef2d'. You provided {method}."
        )
    values = _values(values)
    ndim = len(points)
    if values.ndim > 2 and method == 'splinef2d':
        raise ValueError('The method splinef2d can only be used for 2-dimensional input data')
    if not bounds_error and fill_value is None and method == 'splinef2d':
        raise ValueError('The method splinef2d does not support extrapolation.')
    if ndim > values.ndim:
        raise ValueError(f'There are {ndim} point arrays, but values has {values.ndim} dimensions')
    if ndim != values.ndim and method == 'splinef2d':
        raise ValueError('The method splinef2d can only be used for scalar data with one point per coordinate')
    xi = points_of(xi, ndim)
    if xi.shape[-1] != ndim:
        raise ValueError(f'The requested sample points xi have dimension {xi.shape[-1]}, but this RegularGridInterpolator has dimension {ndim}')
    if method == 'splinef2d':
        method = 'cubic'
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
