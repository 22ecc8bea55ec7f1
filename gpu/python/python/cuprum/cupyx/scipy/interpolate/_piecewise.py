"""Piecewise polynomials in powers and in Bernstein polynomials."""

from math import comb

import numpy

import cuprum
from cuprum import _cuprum

from . import _roots
from ._arguments import OUTSIDE, all_true, column, host, reals, rising_factorial, to_axis, values


def outside_number(extrapolate):
    """Returns the number of a value of `extrapolate`."""
    return OUTSIDE['periodic' if isinstance(extrapolate, str) and extrapolate == 'periodic' else bool(extrapolate)]


def integrate_periodic(a, b, begin, end, part):
    """Returns the integral of a periodic function from a to b, from a function that integrates within one period. The numbers are those of the host."""
    sign = 1 if a <= b else -1
    a, b = min(a, b), max(a, b)
    period = end - begin
    whole, left = divmod(b - a, period)
    a = begin + (a - begin) % period
    b = a + left
    result = part(begin, end) * whole if whole > 0 else 0.0
    if b <= end:
        result = result + part(a, b)
    else:
        result = result + part(a, end) + part(begin, begin + left + a - end)
    return result * sign


class _Polynomial:
    """Piecewise polynomial of coefficients along the first axis, intervals along the second."""

    _bernstein = False

    def __init__(self, c, x, extrapolate=None, axis=0):
        c, x = values(c), cuprum.ascontiguousarray(reals(x))
        if extrapolate is None:
            extrapolate = True
        elif extrapolate != 'periodic':
            extrapolate = bool(extrapolate)
        if c.ndim < 2:
            raise ValueError(f'coefficients array must be at least 2-dimensional, not of shape {c.shape}')
        if not 0 <= axis < c.ndim - 1:
            raise ValueError(f'axis={axis} must be between 0 and {c.ndim - 2}')
        if axis != 0:
            c = cuprum.moveaxis(cuprum.moveaxis(c, axis + 1, 0), axis + 1, 0)
        if x.ndim != 1:
            raise ValueError(f'x must be 1-dimensional, not of shape {x.shape}')
        if x.size < 2:
            raise ValueError(f'at least 2 breakpoints are needed, not {x.size}')
        if c.shape[0] == 0:
            raise ValueError('polynomial must be at least of order 0')
        if c.shape[1] != x.size - 1:
            raise ValueError(f'number of coefficients != len(x)-1: {c.shape[1]} for {x.size} breakpoints')
        steps = cuprum.diff(x)
        rising, falling = all_true(steps >= 0, steps <= 0)
        if not (rising or falling):
            raise ValueError('`x` must be strictly increasing or decreasing.')
        self._set(cuprum.ascontiguousarray(c), x, extrapolate, axis, not rising)

    def _set(self, c, x, extrapolate, axis, descending):
        self.c, self.x, self.extrapolate, self.axis, self._falling = c, x, extrapolate, axis, descending
        return self

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None, axis=0):
        """Creates a piecewise polynomial without checks, of arrays of the device and increasing breakpoints."""
        self = object.__new__(cls)
        return self._set(values(c), x, True if extrapolate is None else extrapolate, axis, False)

    def _like(self, c, cls=None, extrapolate=None):
        new = object.__new__(cls or self._plain)
        return new._set(c, self.x, self.extrapolate if extrapolate is None else extrapolate, self.axis, self._falling)

    @property
    def _plain(self):
        return type(self)

    def __call__(self, x, nu=0, extrapolate=None):
        """Values, or derivatives of order `nu`, at points."""
        if nu < 0:
            raise ValueError(f'order of derivative must be non-negative, not {nu}')
        x = cuprum.asarray(x)
        if x.dtype.kind == 'c':
            raise TypeError(f'`x` is {x.dtype}: evaluation takes real points')
        outside = outside_number(self.extrapolate if extrapolate is None else extrapolate)
        y = _cuprum.interpolate_piecewise(self._bernstein, (self.c, self.x), x, int(nu), outside, self._falling)
        return to_axis(y, x.ndim, self.axis)

    def extend(self, c, x):
        """Adds breakpoints and coefficients at one end; the order is raised where needed."""
        c, x = values(c), reals(x)
        if c.ndim < 2:
            raise ValueError(f'invalid dimensions for c: {c.ndim}')
        if x.ndim != 1:
            raise ValueError(f'invalid dimensions for x: {x.ndim}')
        if x.shape[0] != c.shape[1]:
            raise ValueError(f'Shapes of x {x.shape} and c {c.shape} are incompatible')
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f'Shapes of c {c.shape} and self.c {self.c.shape} are incompatible')
        if c.size == 0:
            return
        new, old = host(x), host(self.x)
        steps = numpy.diff(new)
        if not (numpy.all(steps >= 0) or numpy.all(steps <= 0)):
            raise ValueError('`x` is not sorted.')
        falling = old[-1] < old[0]
        if new[-1] != new[0] and (new[-1] < new[0]) != falling:
            raise ValueError(f'`x` and `self.x` are not both in {"de" if falling else "a"}scending order.')
        sign = -1 if falling else 1
        if sign * (new[0] - old[-1]) >= 0:
            after = True
        elif sign * (new[-1] - old[0]) <= 0:
            after = False
        else:
            raise ValueError('`x` is neither on the left or on the right from `self.x`.')
        dtype = numpy.result_type(self.c.dtype, c.dtype)
        order = max(c.shape[0], self.c.shape[0])
        parts = [self._raised(self.c.astype(dtype), order), self._raised(c.astype(dtype), order)]
        knots = [self.x, x]
        if not after:
            parts.reverse()
            knots.reverse()
        self.c, self.x = cuprum.ascontiguousarray(cuprum.concatenate(parts, 1)), cuprum.concatenate(knots)

    def integrate(self, a, b, extrapolate=None):
        """Definite integral from a to b, which are read on the host."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        integral = self._like(self.c, extrapolate=True).antiderivative()
        a, b = float(a), float(b)
        begin, end = host(self.x[cuprum.asarray([0, -1])])

        def part(a, b):
            both = integral._at_ends(a, b)
            return both[1] - both[0]

        if extrapolate == 'periodic':
            result = integrate_periodic(a, b, begin, end, part)
        elif not extrapolate and not (min(begin, end) <= min(a, b) and max(a, b) <= max(begin, end)):
            result = cuprum.full(self.c.shape[2:], numpy.nan, self.c.dtype)
        else:
            result = part(a, b)
        return result.reshape(self.c.shape[2:])

    def _at_ends(self, a, b):
        return _cuprum.interpolate_piecewise(self._bernstein, (self.c, self.x), cuprum.asarray([a, b]), 0, 1, self._falling)


class PPoly(_Polynomial):
    """Piecewise polynomial in powers of the distance from the left breakpoint of an interval, highest power first."""

    @property
    def _plain(self):
        return PPoly

    @staticmethod
    def _raised(c, order):
        return cuprum.concatenate([cuprum.zeros((order - c.shape[0], *c.shape[1:]), c.dtype), c])

    def derivative(self, nu=1):
        """Derivative of order `nu`, as a piecewise polynomial."""
        if nu < 0:
            return self.antiderivative(-nu)
        k = self.c.shape[0]
        if nu >= k:
            return self._like(cuprum.zeros((1, *self.c.shape[1:]), self.c.dtype))
        if nu == 0:
            return self._like(self.c.copy())
        factors = rising_factorial(numpy.arange(k - nu, 0, -1), nu)
        return self._like(self.c[:-nu] * column(factors, self.c.ndim))

    def antiderivative(self, nu=1):
        """Antiderivative of order `nu`, which is 0 at the first breakpoint and continuous."""
        if nu <= 0:
            return self.derivative(-nu)
        new = self
        for _ in range(nu):
            k = new.c.shape[0]
            c = new.c / column(numpy.arange(k, 0, -1), new.c.ndim)
            new = new._like(cuprum.concatenate([c, cuprum.zeros((1, *c.shape[1:]), c.dtype)]))
            width = cuprum.diff(new.x).reshape(-1, *[1] * (c.ndim - 2))
            step = c[0]
            for order in range(1, k):
                step = step * width + c[order]
            new.c[-1, 1:] = cuprum.cumsum((step * width)[:-1], axis=0)
        new.extrapolate = False if self.extrapolate == 'periodic' else self.extrapolate
        return new

    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        """Points where the polynomial has the value y. They are computed on the host, interval by interval."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        return _roots.solve(self, y, discontinuity, extrapolate)

    def roots(self, discontinuity=True, extrapolate=None):
        """Points where the polynomial is 0. They are computed on the host, interval by interval."""
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(cls, tck, extrapolate=None):
        """Creates the piecewise polynomial of a spline."""
        from ._bsplines import BSpline

        if isinstance(tck, BSpline):
            t, c, k = tck.tck
            if extrapolate is None:
                extrapolate = tck.extrapolate
        else:
            t, c, k = tck
            t, c = reals(t, 't'), values(c)
        spline = BSpline.construct_fast(t, c, k)
        parts, factor = [], 1.0
        for order in range(k + 1):
            parts.append(spline(t[:-1], order) / factor)
            factor *= order + 1
        return cls.construct_fast(cuprum.stack(parts[::-1]), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """Creates the same polynomial in powers from one in Bernstein polynomials."""
        if not isinstance(bp, BPoly):
            raise TypeError(f'.from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.')
        k = bp.c.shape[0] - 1
        matrix = numpy.zeros((k + 1, k + 1))
        for a in range(k + 1):
            for s in range(a, k + 1):
                matrix[k - s, a] = comb(k, a) * comb(k - a, s - a) * (-1) ** (s - a)
        c = _changed(bp, matrix) / _powers_of_width(bp, k)
        return bp._like(c, cls, extrapolate)


class BPoly(_Polynomial):
    """Piecewise polynomial in the Bernstein polynomials of each interval."""

    _bernstein = True

    @property
    def _plain(self):
        return BPoly

    def derivative(self, nu=1):
        """Derivative of order `nu`, as a piecewise polynomial."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c.copy()
        for _ in range(nu):
            k = c.shape[0] - 1
            if k == 0:
                c = cuprum.zeros_like(c)
                break
            c = k * cuprum.diff(c, axis=0) / self._width(c)
        return self._like(c)

    def antiderivative(self, nu=1):
        """Antiderivative of order `nu`, which is 0 at the first breakpoint and continuous."""
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            k = c.shape[0]
            sums = cuprum.cumsum(c, axis=0) * (self._width(c) / k)
            c = cuprum.concatenate([cuprum.zeros((1, *c.shape[1:]), c.dtype), sums])
            c[:, 1:] += cuprum.cumsum(sums[-1], axis=0)[:-1]
        return self._like(c, extrapolate=False if self.extrapolate == 'periodic' else self.extrapolate)

    def _width(self, c):
        return cuprum.diff(self.x).reshape(1, -1, *[1] * (c.ndim - 2))

    @staticmethod
    def _raised(c, order):
        """Returns the coefficients of the same polynomials of a higher degree."""
        k, d = c.shape[0] - 1, order - c.shape[0]
        if d == 0:
            return c
        matrix = numpy.zeros((k + d + 1, k + 1))
        for a in range(k + 1):
            for j in range(d + 1):
                matrix[a + j, a] = comb(k, a) * comb(d, j) / comb(k + d, a + j)
        return cuprum.tensordot(cuprum.asarray(matrix), c, 1)

    @classmethod
    def from_power_basis(cls, pp, extrapolate=None):
        """Creates the same polynomial in Bernstein polynomials from one in powers."""
        if not isinstance(pp, PPoly):
            raise TypeError(f'.from_power_basis only accepts PPoly instances. Got {type(pp)} instead.')
        k = pp.c.shape[0] - 1
        matrix = numpy.zeros((k + 1, k + 1))
        for s in range(k + 1):
            for j in range(s, k + 1):
                matrix[j, k - s] = comb(j, s) / comb(k, s)
        return pp._like(_changed(pp, matrix, _powers_of_width(pp, k)), cls, extrapolate)

    @classmethod
    def from_derivatives(cls, xi, yi, orders=None, extrapolate=None):
        """Creates a polynomial from values and derivatives at the breakpoints. The coefficients are computed on the host."""
        xi = host(xi)
        yi = [host(y, None) for y in yi]
        if len(xi) != len(yi):
            raise ValueError('xi and yi need to have the same length')
        if numpy.any(xi[1:] - xi[:-1] <= 0):
            raise ValueError('x coordinates are not in increasing order')
        m = len(xi) - 1
        if any(y.ndim == 0 for y in yi):
            raise ValueError('Using a 1-D array for y? Please .reshape(-1, 1).')
        k = max(len(yi[i]) + len(yi[i + 1]) for i in range(m))
        if orders is None:
            orders = [None] * m
        else:
            if numpy.ndim(orders) == 0:
                orders = [orders] * m
            orders = [None if n is None else int(n) for n in orders]
            if any(n is not None and n <= 0 for n in orders):
                raise ValueError('Orders must be positive.')
            k = max(k, *(n for n in orders if n is not None)) if any(n is not None for n in orders) else k
        parts = []
        for i, order in enumerate(orders):
            left, right = yi[i], yi[i + 1]
            if order is None:
                counts = len(left), len(right)
            else:
                first = min((order + 1) // 2, len(left))
                second = min(order + 1 - first, len(right))
                first = min(order + 1 - second, len(left))
                counts = first, second
                if first + second != order + 1:
                    raise ValueError(f'Point {xi[i]} has {len(left)} derivatives, point {xi[i + 1]} has {len(right)} derivatives, but order {order} requested')
            parts.append(_from_ends(xi[i + 1] - xi[i], left[: counts[0]], right[: counts[1]]))
        c = [cls._raised(cuprum.asarray(part), max(k, *map(len, parts))) for part in parts]
        return cls(cuprum.stack(c, 1), xi, extrapolate)


def _from_ends(h, left, right):
    """Returns Bernstein coefficients with these values and derivatives at the ends of an interval: finite differences are solved for them."""
    n = len(left) + len(right)
    dtype = numpy.result_type(left.dtype, right.dtype, float)
    c = numpy.zeros((n, *left.shape[1:]), dtype)
    scale = 1.0
    for q, value in enumerate(left):
        c[q] = value * scale - sum((-1) ** (q - j) * comb(q, j) * c[j] for j in range(q))
        scale *= h / (n - 1 - q) if q < n - 1 else 1
    scale = 1.0
    for q, value in enumerate(right):
        c[n - 1 - q] = (-1) ** q * (value * scale - sum((-1) ** j * comb(q, j) * c[n - 1 - j] for j in range(q)))
        scale *= h / (n - 1 - q) if q < n - 1 else 1
    return c


def _powers_of_width(p, k):
    width = cuprum.diff(p.x)
    powers = cuprum.stack([width ** (k - j) for j in range(k + 1)])
    return powers.reshape(k + 1, -1, *[1] * (p.c.ndim - 2))


def _changed(p, matrix, factor=1.0):
    """Returns a matrix times coefficients."""
    return cuprum.tensordot(cuprum.asarray(matrix), p.c * factor, 1)
