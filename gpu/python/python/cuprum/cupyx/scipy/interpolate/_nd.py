"""Functions of several variables: piecewise polynomials and splines."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, reals, values
from ._piecewise import PPoly


def points_of(xi, ndim):
    """Returns points with their coordinates along the last axis, from an array or one array for each coordinate."""
    if isinstance(xi, tuple):
        parts = cuprum.broadcast_arrays(*[reals(part, 'xi') for part in xi])
        xi = cuprum.stack(list(parts), -1)
    else:
        xi = reals(xi, 'xi')
        if xi.ndim == 1:
            xi = xi.reshape(1, -1) if ndim != 1 or xi.shape[0] == 1 else xi.reshape(-1, 1)
    return xi


class NdPPoly:
    """Piecewise polynomial of several variables; the coefficients have an axis of powers for each, then one of intervals for each."""

    def __init__(self, c, x, extrapolate=None):
        self.x = tuple(cuprum.ascontiguousarray(reals(v)) for v in x)
        self.c = values(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(v.ndim != 1 for v in self.x):
            raise ValueError('x arrays must all be 1-dimensional')
        if any(v.size < 2 for v in self.x):
            raise ValueError('x arrays must all contain at least 2 points')
        if self.c.ndim < 2 * ndim:
            raise ValueError(f'c must have at least 2*len(x) = {2 * ndim} dimensions, not {self.c.ndim}')
        if not all(all_true(*[cuprum.diff(v) >= 0 for v in self.x])):
            raise ValueError('x-coordinates are not in increasing order')
        if any(a != b.size - 1 for a, b in zip(self.c.shape[ndim : 2 * ndim], self.x)):
            raise ValueError('x and c do not agree on the number of intervals')

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None):
        """Creates a polynomial without checks, of arrays of the device."""
        self = object.__new__(cls)
        self.c, self.x, self.extrapolate = values(c), tuple(x), True if extrapolate is None else extrapolate
        return self

    def __call__(self, x, nu=None, extrapolate=None):
        """Values, or derivatives of an order for each variable, at points."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if isinstance(x, tuple):
            x = cuprum.stack(list(cuprum.broadcast_arrays(*[reals(part) for part in x])), -1)
        x = reals(x)
        if ndim == 1 and x.ndim == 1:
            x = x[:, None]
        if nu is None:
            nu = [0] * ndim
        else:
            nu = [operator.index(n) for n in nu]
            if len(nu) != ndim:
                raise ValueError(f'invalid number of derivative orders nu: {len(nu)} for {ndim} variables')
            if any(n < 0 for n in nu):
                raise ValueError('order of derivative cannot be negative')
        return _cuprum.interpolate_nd(list(self.x), self.c, None, x, nu, bool(extrapolate))

    def _along(self, axis, function):
        """Returns a polynomial whose coefficients along an axis are those of a function of a polynomial in one variable."""
        ndim = len(self.x)
        axis = axis % ndim
        c = cuprum.moveaxis(self.c, [axis, ndim + axis], [0, 1])
        c = function(PPoly.construct_fast(cuprum.ascontiguousarray(c), self.x[axis])).c
        return cuprum.moveaxis(c, [0, 1], [axis, ndim + axis])

    def _each(self, nu, name):
        c, new = self.c, self.construct_fast(self.c.copy(), self.x, self.extrapolate)
        if len(nu) != len(self.x):
            raise ValueError(f'{name}: {len(nu)} orders for {len(self.x)} variables')
        for axis, n in enumerate(nu):
            c = new._along(axis, lambda p, n=n: getattr(p, name)(n))
            new = self.construct_fast(c, self.x, self.extrapolate)
        return new

    def derivative(self, nu):
        """Derivative of an order for each variable, as a piecewise polynomial."""
        return self._each(nu, 'derivative')

    def antiderivative(self, nu):
        """Antiderivative of an order for each variable, as a piecewise polynomial."""
        return self._each(nu, 'antiderivative')

    def integrate_1d(self, a, b, axis, extrapolate=None):
        """Integral over one variable: an array, or a polynomial of the other variables."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = operator.index(axis) % ndim
        c = cuprum.ascontiguousarray(cuprum.moveaxis(self.c, [axis, ndim + axis], [0, 1]))
        out = PPoly.construct_fast(c, self.x[axis], extrapolate).integrate(a, b, extrapolate)
        if ndim == 1:
            return out
        return self.construct_fast(out, self.x[:axis] + self.x[axis + 1 :], extrapolate)

    def integrate(self, ranges, extrapolate=None):
        """Integral over all variables, of a pair of limits for each."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        if not hasattr(ranges, '__len__') or len(ranges) != len(self.x):
            raise ValueError('Range not a sequence of correct length')
        p = self
        for a, b in ranges:
            p = p.integrate_1d(a, b, 0, extrapolate)
        return p


class NdBSpline:
    """Sum of products of B-splines of several variables."""

    def __init__(self, t, c, k, *, extrapolate=None):
        if not isinstance(t, tuple):
            raise ValueError(f'Expect `t` to be a tuple of array-likes. Got {t} instead.')
        ndim = len(t)
        self.t = tuple(cuprum.ascontiguousarray(reals(v, 't')) for v in t)
        self.k = (operator.index(k),) * ndim if numpy.ndim(k) == 0 else tuple(operator.index(n) for n in k)
        if len(self.k) != ndim:
            raise ValueError(f'len(t) = {ndim} != len(k) = {len(self.k)}.')
        self.c = values(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        if self.c.ndim < ndim:
            raise ValueError(f'Coefficients must be at least {ndim}-dimensional.')
        tests = []
        for d, (knots, k) in enumerate(zip(self.t, self.k)):
            if k < 0:
                raise ValueError(f'Spline degree in dimension {d} cannot be negative.')
            if knots.ndim != 1:
                raise ValueError(f'Knot vector in dimension {d} must be one-dimensional.')
            n = knots.shape[0] - k - 1
            if n < k + 1:
                raise ValueError(f'Need at least {2 * k + 2} knots for degree {k} in dimension {d}.')
            if self.c.shape[d] != n:
                raise ValueError(f'Knots, coefficients and degree in dimension {d} are inconsistent: got {self.c.shape[d]} coefficients, need {n}.')
            tests += [cuprum.diff(knots) >= 0, knots[k] < knots[n], cuprum.isfinite(knots)]
        passed = all_true(*tests, cuprum.isfinite(self.c))
        for d in range(ndim):
            if not passed[3 * d]:
                raise ValueError(f'Knots in dimension {d} must be in a non-decreasing order.')
            if not passed[3 * d + 1]:
                raise ValueError(f'Need at least two internal knots in dimension {d}.')
            if not passed[3 * d + 2]:
                raise ValueError(f'Knots in dimension {d} should not have nans or infs.')
        if not passed[-1]:
            raise ValueError('Coefficients should not have nans or infs.')

    def __call__(self, xi, *, nu=None, extrapolate=None):
        """Values, or derivatives of an order for each variable, at points."""
        ndim = len(self.t)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        nu = [0] * ndim if nu is None else [operator.index(n) for n in cuprum.asnumpy(nu)] if isinstance(nu, cuprum.ndarray) else list(map(operator.index, nu))
        if len(nu) != ndim:
            raise ValueError(f'invalid number of derivative orders nu = {nu} for ndim = {ndim}')
        if any(n < 0 for n in nu):
            raise ValueError(f'derivatives must be positive, got nu = {nu}')
        xi = reals(xi, 'xi')
        if xi.ndim == 0 or xi.shape[-1] != ndim:
            raise ValueError(f'Shapes: xi.shape={xi.shape} and ndim={ndim}')
        return _cuprum.interpolate_nd(list(self.t), self.c, list(self.k), xi, nu, extrapolate)

    def derivative(self, nu):
        """Derivative of an order for each variable, as a spline."""
        from ._bsplines import splder

        nu = [operator.index(n) for n in nu]
        if len(nu) != len(self.t):
            raise ValueError(f'invalid number of derivative orders nu = {nu} for ndim = {len(self.t)}')
        if any(n < 0 for n in nu):
            raise ValueError(f'derivatives must be positive, got nu = {nu}')
        c, t, k = self.c, list(self.t), list(self.k)
        for axis, n in enumerate(nu):
            if n > k[axis]:
                c = cuprum.moveaxis(c, axis, 0)[:1] * 0
                low, high = t[axis][k[axis]], t[axis][-k[axis] - 1]
                t[axis], k[axis] = cuprum.stack([low, high]), 0
                c = cuprum.moveaxis(c, 0, axis)
            elif n > 0:
                t[axis], along, degree = splder((t[axis], cuprum.ascontiguousarray(cuprum.moveaxis(c, axis, 0)), k[axis]), n)
                c = cuprum.moveaxis(along[: t[axis].shape[0] - degree - 1], 0, axis)
                k[axis] = degree
        return NdBSpline(tuple(t), cuprum.ascontiguousarray(c), k, extrapolate=self.extrapolate)

    @classmethod
    def design_matrix(cls, xvals, t, k, extrapolate=True):
        """Values of all products of B-splines at points, as a sparse array with a row for each point."""
        from ..sparse import csr_array

        xvals = reals(xvals, 'xvals')
        ndim = xvals.shape[-1]
        if len(t) != ndim:
            raise ValueError(f'Data and knots are inconsistent: len(t) = {len(t)} for ndim = {ndim}.')
        k = [operator.index(k)] * ndim if numpy.ndim(k) == 0 else list(map(operator.index, k))
        x = xvals.reshape(-1, ndim)
        entries, columns, total = cuprum.ones((x.shape[0], 1)), cuprum.zeros((x.shape[0], 1), int), 1
        for d in range(ndim):
            knots = reals(t[d], 't')
            n = knots.shape[0] - k[d] - 1
            if not extrapolate and not all_true((x[:, d] >= knots[k[d]]) & (x[:, d] <= knots[n]))[0]:
                raise ValueError(f'Out of bounds in dimension {d}.')
            found, begins = _cuprum.interpolate_basis(knots, k[d], x[:, d], 0, False)
            own = begins[:, None] + cuprum.arange(k[d] + 1)
            entries = (entries[:, :, None] * found[:, None, :]).reshape(x.shape[0], -1)
            columns = (columns[:, :, None] * n + own[:, None, :]).reshape(x.shape[0], -1)
            total *= n
        width = entries.shape[1]
        pointers = cuprum.arange(0, (x.shape[0] + 1) * width, width)
        return csr_array((entries.ravel(), columns.ravel(), pointers), shape=(x.shape[0], total))
