"""Splines as sums of B-splines: evaluation, derivatives and integrals."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, host, reals, to_axis, to_front, values
from ._piecewise import integrate_periodic, outside_number


def _first(message, condition):
    """Raises unless all elements are true."""
    if not all_true(condition)[0]:
        raise ValueError(message)


class BSpline:
    """Sum of B-splines of degree k with knots t and coefficients c."""

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        k = operator.index(k)
        t, c = cuprum.ascontiguousarray(reals(t, 't')), values(c)
        self.extrapolate = extrapolate if isinstance(extrapolate, str) and extrapolate == 'periodic' else bool(extrapolate)
        n = t.shape[0] - k - 1 if t.ndim == 1 else 0
        c, self.axis = to_front(c, axis)
        if k < 0:
            raise ValueError('Spline order cannot be negative.')
        if t.ndim != 1:
            raise ValueError(f'Knot vector must be one-dimensional, not of shape {t.shape}')
        if n < k + 1:
            raise ValueError(f'Need at least {2 * k + 2} knots for degree {k}, not {t.shape[0]}')
        if c.ndim < 1:
            raise ValueError('Coefficients must be at least 1-dimensional.')
        if c.shape[0] < n:
            raise ValueError('Knots, coefficients and degree are inconsistent.')
        increasing, finite, distinct, known = all_true(cuprum.diff(t) >= 0, cuprum.isfinite(t), t[k] < t[n], cuprum.isfinite(c))
        if not finite:
            raise ValueError('Knots should not have nans or infs.')
        if not increasing:
            raise ValueError('Knots must be in a non-decreasing order.')
        if not distinct:
            raise ValueError('Need at least two internal knots.')
        self.t, self.c, self.k = t, cuprum.ascontiguousarray(c), k

    @classmethod
    def construct_fast(cls, t, c, k, extrapolate=True, axis=0):
        """Creates a spline without checks, of arrays of the device."""
        self = object.__new__(cls)
        self.t, self.c, self.k, self.extrapolate, self.axis = t, c, k, extrapolate, axis
        return self

    @property
    def tck(self):
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @classmethod
    def basis_element(cls, t, extrapolate=True):
        """B-spline with the knots t."""
        t = reals(t, 't')
        k = t.shape[0] - 2
        if k < 0:
            raise ValueError(f'a B-spline has at least 2 knots, not {t.shape[0]}')
        t = cuprum.concatenate([cuprum.repeat(t[:1] - 1, k), t, cuprum.repeat(t[-1:] + 1, k)])
        c = cuprum.zeros(t.shape[0])
        c[k] = 1.0
        return cls.construct_fast(t, c, k, extrapolate)

    @classmethod
    def design_matrix(cls, x, t, k, extrapolate=False):
        """Values of all B-splines at points, as a sparse array with a row for each point."""
        from ..sparse import csr_array

        x, t, k = reals(x), reals(t, 't'), operator.index(k)
        outside = extrapolate if isinstance(extrapolate, str) and extrapolate == 'periodic' else bool(extrapolate)
        if k < 0:
            raise ValueError('Spline order cannot be negative.')
        if t.ndim != 1 or t.shape[0] < 2 * k + 2:
            raise ValueError(f'Length t is not enough for k={k}.')
        _first('Expect t to be a 1-D sorted array_like.', cuprum.diff(t) >= 0)
        n = t.shape[0] - k - 1
        _first('Array must not contain infs or nans.', cuprum.isfinite(x))
        if not outside and x.size:
            _first(f'Out of bounds w/ x = {x}.', (x >= t[k]) & (x <= t[n]))
        entries, begins = _cuprum.interpolate_basis(t, k, x, 0, outside == 'periodic')
        columns = begins[:, None] + cuprum.arange(k + 1)
        pointers = cuprum.arange(0, (x.size + 1) * (k + 1), k + 1)
        return csr_array((entries.ravel(), columns.ravel(), pointers), shape=(x.size, n))

    def __call__(self, x, nu=0, extrapolate=None):
        """Values, or derivatives of order `nu`, at points."""
        if nu < 0:
            raise NotImplementedError(f'Cannot do derivative order nu= {nu}')
        x = reals(x)
        outside = outside_number(self.extrapolate if extrapolate is None else extrapolate)
        return to_axis(_cuprum.interpolate_bspline((self.t, self.c, self.k), x, int(nu), outside), x.ndim, self.axis)

    def _padded(self):
        missing = self.t.shape[0] - self.c.shape[0]
        if missing <= 0:
            return self.t, self.c, self.k
        zeros = cuprum.zeros((missing, *self.c.shape[1:]), self.c.dtype)
        return self.t, cuprum.concatenate([self.c, zeros]), self.k

    def derivative(self, nu=1):
        """Derivative of order `nu`, as a spline."""
        return self.construct_fast(*splder(self._padded(), nu), extrapolate=self.extrapolate, axis=self.axis)

    def antiderivative(self, nu=1):
        """Antiderivative of order `nu`, as a spline."""
        extrapolate = False if self.extrapolate == 'periodic' else self.extrapolate
        return self.construct_fast(*splantider(self._padded(), nu), extrapolate=extrapolate, axis=self.axis)

    def integrate(self, a, b, extrapolate=None):
        """Definite integral from a to b, which are read on the host."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = float(a), float(b)
        n = self.t.shape[0] - self.k - 1
        begin, end = host(self.t[cuprum.asarray([self.k, n])])
        integral = self.construct_fast(*splantider(self._padded(), 1))

        def part(a, b):
            both = _cuprum.interpolate_bspline(integral.tck, cuprum.asarray([a, b]), 0, 1)
            return both[1] - both[0]

        if extrapolate == 'periodic':
            return integrate_periodic(a, b, begin, end, part)
        sign = 1
        if b < a:
            a, b, sign = b, a, -1
        if not extrapolate:
            a, b = max(a, begin), min(b, end)
        return part(a, b) * sign

    @classmethod
    def from_power_basis(cls, pp, bc_type='not-a-knot'):
        """Creates the spline of a `CubicSpline`, constructed with this condition."""
        from ._construction import make_interp_spline
        from ._cubic import CubicSpline

        if not isinstance(pp, CubicSpline):
            raise NotImplementedError(f'Only CubicSpline objects are accepted for now. Got {type(pp)} instead.')
        y = cuprum.concatenate([pp.c[-1], pp._at_ends(0.0, pp.x[-1])[1:]])
        if bc_type not in ('not-a-knot', 'clamped', 'natural', 'periodic'):
            raise TypeError(f'Unknown boundary condition: {bc_type}')
        if bc_type == 'periodic':
            y[-1] = y[0]
        spline = make_interp_spline(pp.x, y, 3, bc_type=bc_type)
        spline.extrapolate, spline.axis = pp.extrapolate, pp.axis
        return spline

    def insert_knot(self, x, m=1):
        """Spline of the same values with a knot added m times (W. Boehm, 1980). The knot is read on the host."""
        x, k = float(x), self.k
        t, c = self.t, self.c
        n = t.shape[0] - k - 1
        c = c[:n]
        begin, end = host(t[cuprum.asarray([k, n])])
        if not begin <= x <= end:
            raise ValueError(f'Cannot insert a knot at {x}, outside of the domain from {begin} to {end}.')
        if m <= 0:
            raise ValueError(f'm must be positive, not {m}')
        for _ in range(m):
            n = c.shape[0]
            known = host(t)
            i = int(numpy.clip(numpy.searchsorted(known, x, 'right') - 1, k, n - 1))
            j = numpy.arange(n + 1)
            width = known[numpy.minimum(j + k, n + k)] - known[j]
            inner = (j > i - k) & (j <= i)
            part = numpy.where(j <= i - k, 1.0, numpy.where(inner, (x - known[j]) / numpy.where(width == 0, 1, width), 0.0))
            alpha = cuprum.asarray(part).reshape(-1, *[1] * (c.ndim - 1))
            now, before = cuprum.concatenate([c, c[-1:]]), cuprum.concatenate([c[:1], c])
            c = alpha * now + (1 - alpha) * before
            t = cuprum.concatenate([t[: i + 1], cuprum.asarray([x]), t[i + 1 :]])
        return self.construct_fast(t, c, k, self.extrapolate, self.axis)


def _tck(tck):
    t, c, k = tck
    return reals(t, 't'), values(c), operator.index(k)


def splder(tck, n=1):
    """Knots, coefficients and degree of the derivative of order `n` of a spline."""
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    if n < 0:
        return splantider(tck, -n)
    t, c, k = _tck(tck)
    if n > k:
        raise ValueError(f'Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})')
    for _ in range(n):
        width = t[k + 1 : -1] - t[1 : -k - 1]
        steps = cuprum.diff(c[: t.shape[0] - k - 1], axis=0)
        _first(f'The spline has internal repeated knots and is not differentiable {n} times', width > 0)
        c = steps * k / width.reshape(-1, *[1] * (c.ndim - 1))
        c = cuprum.concatenate([c, cuprum.zeros((k, *c.shape[1:]), c.dtype)])
        t, k = t[1:-1], k - 1
    return t, c, k


def splantider(tck, n=1):
    """Knots, coefficients and degree of the antiderivative of order `n` of a spline."""
    if isinstance(tck, BSpline):
        return tck.antiderivative(n)
    if n < 0:
        return splder(tck, -n)
    t, c, k = _tck(tck)
    for _ in range(n):
        width = (t[k + 1 :] - t[: -k - 1]).reshape(-1, *[1] * (c.ndim - 1))
        c = cuprum.cumsum(c[: t.shape[0] - k - 1] * width, axis=0) / (k + 1)
        c = cuprum.concatenate([cuprum.zeros_like(c[:1]), c, cuprum.repeat(c[-1:], k + 2, axis=0)])
        t = cuprum.concatenate([t[:1], t, t[-1:]])
        k += 1
    return t, c, k


def splev(x, tck, der=0, ext=0):
    """Values, or derivatives, of a spline."""
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError('Calling splev() with BSpline objects with c.ndim > 1 is not allowed. Use BSpline.__call__(x) instead.')
        if ext not in (0, 1):
            raise ValueError(f'Extrapolate mode {ext} is not supported by BSpline.')
        return tck(x, der, extrapolate=ext == 0)
    t, c, k = tck
    if isinstance(c, (list, tuple)) and c and cuprum.asarray(c[0]).ndim > 0:
        return [splev(x, (t, part, k), der, ext) for part in c]
    if not 0 <= der <= k:
        raise ValueError(f'0<=der={der}<=k={k} must hold')
    if ext not in (0, 1, 2, 3):
        raise ValueError(f'ext = {ext} not in (0, 1, 2, 3)')
    x, (t, c, k) = reals(x), _tck(tck)
    n = t.shape[0] - k - 1
    if ext == 2 and x.size:
        _first('x is outside of the knots, and ext is 2', (x >= t[k]) & (x <= t[n]))
    # Derivatives are continued as with ext=0, as FITPACK does.
    points = cuprum.clip(x, t[k], t[n]) if ext == 3 and der == 0 else x
    y = _cuprum.interpolate_bspline((t, c, k), points, int(der), 1)
    return cuprum.where((x < t[k]) | (x > t[n]), 0.0, y) if ext == 1 else y
