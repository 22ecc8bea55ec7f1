"""Interpolation in one variable of several kinds."""

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, to_axis, to_front
from ._construction import check_increasing, make_interp_spline

_ORDERS = {'zero': 0, 'slinear': 1, 'quadratic': 2, 'cubic': 3}


class interp1d:  # noqa: N801
    """Interpolant in one variable."""

    def __init__(self, x, y, kind='linear', axis=-1, copy=True, bounds_error=None, fill_value=numpy.nan, assume_sorted=False):
        x, y = cuprum.array(x, copy=copy or None), cuprum.array(y, copy=copy or None)
        if kind in _ORDERS:
            order, kind = _ORDERS[kind], 'spline'
        elif isinstance(kind, (int, numpy.integer)):
            order, kind = int(kind), 'spline'
        elif kind not in ('linear', 'nearest', 'nearest-up', 'previous', 'next'):
            raise NotImplementedError(f'{kind} is unsupported: Use fitpack routines for other types.')
        if x.ndim != 1:
            raise ValueError('the x array must have exactly one dimension.')
        if y.ndim == 0:
            raise ValueError('the y array must have at least one dimension.')
        if y.dtype.kind not in 'fc':
            y = y.astype(float)
        # Lines through points of float32 are evaluated at points of float32 in their dtype.
        self._narrow = numpy.result_type(x.dtype, y.dtype) if kind == 'linear' else None
        x = x.astype(float)
        y, self._axis = to_front(y, axis)
        if x.shape[0] != y.shape[0]:
            raise ValueError(f'x and y arrays must be equal in length along interpolation axis: {x.shape[0]} and {y.shape[0]}.')
        if not assume_sorted:
            order_of = cuprum.argsort(x, kind='stable')
            x, y = x[order_of], y[order_of]
        self.x, self._y, self._kind, self.dtype = x, cuprum.ascontiguousarray(y), kind, y.dtype
        least, self._zero = 1, False
        if kind == 'spline':
            least = order + 1
            if order == 0:
                check_increasing(x)
                self._kind, self._zero = 'previous', True
            else:
                self._spline = None if x.size < least else self._spline_of(order)
        if x.size < least:
            raise ValueError(f'x and y arrays must have at least {least} entries')
        if kind == 'linear':
            steps = cuprum.diff(x).reshape(-1, *[1] * (y.ndim - 1))
            wide = self._y.astype(complex if y.dtype.kind == 'c' else float)
            self._lines = cuprum.stack([cuprum.diff(wide, axis=0) / steps, wide[:-1]]) if x.size > 1 else None
        self._extrapolates = isinstance(fill_value, str) and fill_value == 'extrapolate'
        if self._extrapolates:
            if bounds_error:
                raise ValueError('Cannot extrapolate and raise at the same time.')
            self.bounds_error = False
            self._below = self._above = None
        else:
            if isinstance(fill_value, tuple) and len(fill_value) == 2:
                below, above = fill_value
            else:
                below = above = fill_value
            self.bounds_error = True if bounds_error is None else bounds_error
            self._below, self._above = (self._filling(value) for value in (below, above))
        self._fill_value = fill_value

    def _spline_of(self, order):
        if order > 1 and not all(all_true(~cuprum.isnan(self.x), ~cuprum.isnan(self._y))):
            # The solution of the system of all points would have NaN everywhere, or none by its check.
            y, dtype = self._y, complex if self.dtype.kind == 'c' else float
            return lambda points: cuprum.full((points.size, *y.shape[1:]), numpy.nan, dtype)
        return make_interp_spline(self.x, self._y, k=order, check_finite=False)

    def _filling(self, value):
        value = cuprum.asarray(value)
        shape = self._y.shape[1:]
        try:
            return cuprum.broadcast_to(value, shape)
        except ValueError:
            raise ValueError(f'fill_value argument must be broadcastable to {shape}, not of shape {value.shape}') from None

    @property
    def fill_value(self):
        """Value outside of the points."""
        return self._fill_value

    @property
    def y(self):
        """Values at the points, with the axis of interpolation where it was passed."""
        return cuprum.moveaxis(self._y, 0, self._axis)

    def __call__(self, x):
        """Values at points."""
        x = cuprum.asarray(x)
        points = x.astype(float).ravel()
        below, above = points < self.x[0], points > self.x[-1]
        if self.bounds_error:
            inside_below, inside_above = all_true(~below, ~above)
            if not inside_below:
                raise ValueError('A value in x_new is below the interpolation range.')
            if not inside_above:
                raise ValueError('A value in x_new is above the interpolation range.')
        y = self._values(points)
        if not self._extrapolates:
            shape = (-1, *[1] * (self._y.ndim - 1))
            for outside, value in ((below, self._below), (above, self._above)):
                if value.dtype.kind == 'c' and y.dtype.kind != 'c':
                    y = y.astype(complex)
                y = cuprum.where(outside.reshape(shape), value.astype(y.dtype), y)
        if self._narrow is not None:
            dtype = numpy.result_type(self._narrow, x.dtype)
            y = y.astype(dtype, copy=False) if dtype.kind == y.dtype.kind else y
        return to_axis(y.reshape((*x.shape, *self._y.shape[1:])), x.ndim, self._axis)

    def _values(self, points):
        last = self.x.size - 1
        if self._kind == 'spline':
            return self._spline(points)
        if self._kind == 'linear':
            if self._lines is None:
                return cuprum.repeat(self._y, points.size, axis=0)
            return _cuprum.interpolate_piecewise(False, (self._lines, self.x), points, 0, 1, False)
        if self._kind in ('nearest', 'nearest-up'):
            middles = (self.x[1:] + self.x[:-1]) / 2
            i = cuprum.searchsorted(middles, points, side='left' if self._kind == 'nearest' else 'right')
        elif self._kind == 'previous':
            i = cuprum.searchsorted(self.x, points, side='right') - 1
        else:
            i = cuprum.searchsorted(self.x, points, side='left')
        y = self._y[cuprum.clip(i, 0, last)]
        shape = (-1, *[1] * (self._y.ndim - 1))
        unknown = cuprum.isnan(points) if self._zero else cuprum.zeros(points.shape, bool)
        if self._extrapolates and self._kind in ('previous', 'next') and not self._zero:
            unknown = ((i < 0) | (i > last)) & ~cuprum.isnan(points)
        dtype = numpy.result_type(self.dtype, float) if self._zero else self.dtype
        return cuprum.where(unknown.reshape(shape), numpy.nan, y).astype(dtype, copy=False)
