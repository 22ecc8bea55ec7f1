"""Splines as sums of B-splines: evaluation, derivatives, and construction by interpolation and least squares."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, from_rows, host, reals, rows, to_axis, to_front, values
from ._banded import solve_banded_cyclic, solve_banded_rows
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


def not_a_knot(x, k):
    """Returns the knots of the spline through points without conditions at the ends."""
    if k % 2 == 1:
        inner, half = x, (k + 1) // 2
    else:
        inner, half = (x[1:] + x[:-1]) / 2, k // 2
    return cuprum.concatenate([cuprum.repeat(x[:1], k + 1), inner[half:-half], cuprum.repeat(x[-1:], k + 1)])


def _periodic_knots(x, k):
    n = x.shape[0]
    if k % 2 == 0:
        x = x.copy()
        x[1:-1] -= cuprum.diff(x)[:-1] / 2
    steps = cuprum.diff(x)
    i = cuprum.arange(k) % (n - 1)
    before = x[0] - cuprum.cumsum(steps[n - 2 - i])[::-1]
    return cuprum.concatenate([before, x, x[-1] + cuprum.cumsum(steps[i])])


def _end_conditions(bc_type, y):
    """Returns the derivatives at both ends, a list of orders and values or None, and whether the spline is periodic."""
    if bc_type is None or (isinstance(bc_type, str) and bc_type == 'not-a-knot'):
        return None, None, False
    if isinstance(bc_type, str):
        if bc_type == 'periodic':
            return None, None, True
        both = (bc_type, bc_type)
    else:
        try:
            both = tuple(bc_type)
            _, _ = both
        except (TypeError, ValueError) as error:
            raise ValueError(f'Unknown boundary condition: {bc_type}') from error
    result = []
    for bc in both:
        if isinstance(bc, str):
            if bc not in ('clamped', 'natural', 'not-a-knot'):
                raise ValueError(f'Unknown boundary condition : {bc}')
            bc = None if bc == 'not-a-knot' else [(1 if bc == 'clamped' else 2, cuprum.zeros(y.shape[1:]))]
        if bc is not None:
            try:
                bc = [(operator.index(order), values(value)) for order, value in bc]
            except TypeError as error:
                raise ValueError('Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, value).') from error
            for order, value in bc:
                if value.shape not in (y.shape[1:], ()):
                    raise ValueError(f'shape {value.shape} of the derivative of order {order} is not that of the values, {y.shape[1:]}')
        result.append(bc)
    return *result, False


def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """Spline of degree k through points: a banded system is solved on the device."""
    x, y = cuprum.ascontiguousarray(reals(x)), values(y)
    y, axis = to_front(y, axis)
    left, right, periodic = _end_conditions(bc_type, y)
    if x.ndim != 1:
        raise ValueError('Expect x to be a 1D strictly increasing sequence.')
    if x.size != y.shape[0]:
        raise ValueError(f'Shapes of x {x.shape} and y {y.shape} are incompatible')
    if periodic and not cuprum.allclose(y[0], y[-1], atol=1e-15):
        raise ValueError('First and last points does not match while periodic case expected')
    steps = cuprum.diff(x)
    increasing, distinct, finite, known = all_true(steps >= 0, steps != 0, cuprum.isfinite(x), cuprum.isfinite(y))
    if check_finite and not (finite and known):
        raise ValueError('array must not contain infs or NaNs')
    if not distinct:
        raise ValueError('Expect x to not have duplicates')
    if not increasing:
        raise ValueError('Expect x to be a 1D strictly increasing sequence.')
    k = operator.index(k)
    if k == 0:
        if t is not None or left is not None or right is not None:
            raise ValueError('Too much info for k=0: t and bc_type can only be None.')
        return BSpline.construct_fast(cuprum.concatenate([x, x[-1:]]), y, 0, axis=axis)
    if k == 1 and t is None:
        if left is not None or right is not None:
            raise ValueError('Too much info for k=1: bc_type can only be None.')
        return BSpline.construct_fast(cuprum.concatenate([x[:1], x, x[-1:]]), y, 1, axis=axis)
    if periodic and t is not None:
        raise NotImplementedError('For periodic case t is constructed automatically and can not be passed manually')
    if k < 0:
        raise ValueError('Expect non-negative k.')
    if t is None:
        if left is None and right is None:
            t = _periodic_knots(x, k) if periodic else not_a_knot(x, k)
        else:
            t = cuprum.concatenate([cuprum.repeat(x[:1], k), x, cuprum.repeat(x[-1:], k)])
    t = cuprum.ascontiguousarray(reals(t, 't'))
    if t.ndim != 1:
        raise ValueError('Expect t to be a 1-D sorted array_like.')
    if t.size < x.size + k + 1:
        raise ValueError(f'Got {t.size} knots, need at least {x.size + k + 1}.')
    sorted_knots, inside = all_true(cuprum.diff(t) >= 0, (x[0] >= t[k]) & (x[-1] <= t[-k - 1]))
    if not sorted_knots:
        raise ValueError('Expect t to be a 1-D sorted array_like.')
    if not inside:
        raise ValueError(f'Out of bounds w/ x = {x}.')
    if periodic:
        return _make_periodic(x, y, t, k, axis)
    left, right = left or [], right or []
    n, total = x.size, t.size - k - 1
    if total - n != len(left) + len(right):
        raise ValueError(f'The number of derivatives at boundaries does not match: expected {total - n}, got {len(left)} + {len(right)}')
    if any(value.dtype.kind == 'c' for _, value in left + right):
        y = y.astype(complex)
    if y.size == 0:
        return BSpline.construct_fast(t, cuprum.zeros((total, *y.shape[1:])), k, axis=axis)
    entries, columns, rights = [], [], []

    def add(points, order, value):
        found, begins = _cuprum.interpolate_basis(t, k, points, order, False)
        entries.append(found)
        columns.append(begins[:, None] + cuprum.arange(k + 1))
        rights.append(value)

    def add_derivatives(point, conditions):
        for order, value in conditions:
            add(point, order, cuprum.broadcast_to(value.astype(y.dtype), (1, *y.shape[1:])))

    add_derivatives(x[:1], left)
    add(x, 0, y)
    add_derivatives(x[-1:], right)
    rights = cuprum.concatenate(rights)
    c = solve_banded_rows(cuprum.concatenate(entries), cuprum.concatenate(columns), k, rows(rights))
    if not all_true(cuprum.isfinite(c))[0]:
        raise numpy.linalg.LinAlgError('Collocation matrix is singular.')
    return BSpline.construct_fast(t, from_rows(c, rights), k, axis=axis)


def _make_periodic(x, y, t, k, axis):
    n = x.size - 1
    entries, begins = _cuprum.interpolate_basis(t, k, x[:-1], 0, False)
    # The columns are numbered from half a degree on: the band is about the diagonal.
    shift = k // 2
    columns = begins[:, None] + cuprum.arange(k + 1) - shift
    c = solve_banded_cyclic(entries, columns, k, rows(y[:-1]))
    if not all_true(cuprum.isfinite(c))[0]:
        raise numpy.linalg.LinAlgError('Collocation matrix is singular.')
    c = c[(cuprum.arange(n + k) - shift) % n]
    return BSpline.construct_fast(t, from_rows(c, y), k, extrapolate='periodic', axis=axis)


def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method='qr'):
    """Spline of given knots nearest to points in the sense of least squares.

    Both methods solve the banded normal equations on the device, and then once more for the residuals, which restores the accuracy of an
    orthogonal factorization unless the problem is very ill-conditioned.
    """
    x, y, t = cuprum.ascontiguousarray(reals(x)), values(y), cuprum.ascontiguousarray(reals(t, 't'))
    w = None if w is None else cuprum.ascontiguousarray(reals(w, 'w'))
    k = operator.index(k)
    y, axis = to_front(y, axis)
    if method not in ('qr', 'norm-eq'):
        raise ValueError(f'method={method!r} is not supported: use "qr" or "norm-eq".')
    if x.ndim != 1:
        raise ValueError('Expect x to be a 1-D sequence.')
    if x.shape[0] < k + 1:
        raise ValueError('Need more x points.')
    if k < 0:
        raise ValueError('Expect non-negative k.')
    if t.ndim != 1:
        raise ValueError('Expect t to be a 1D strictly increasing sequence.')
    if x.size != y.shape[0]:
        raise ValueError(f'Shapes of x {x.shape} and y {y.shape} are incompatible')
    if w is not None and w.shape != x.shape:
        raise ValueError(f'Shapes of x {x.shape} and w {w.shape} are incompatible')
    tests = [cuprum.diff(x) >= 0, cuprum.diff(t) >= 0, cuprum.isfinite(x), cuprum.isfinite(y), cuprum.isfinite(t)]
    inside = (x >= t[k]) & (x <= t[-k - 1]) if k > 0 else cuprum.asarray(True)
    increasing, knots_increasing, *finite, within = all_true(*tests, inside)
    if check_finite and not all(finite):
        raise ValueError('array must not contain infs or NaNs')
    if not increasing:
        raise ValueError('Expect x to be a 1-D non-decreasing sequence.')
    if not knots_increasing:
        raise ValueError('Expect t to be a 1D strictly increasing sequence.')
    if not within:
        raise ValueError(f'Out of bounds w/ x = {x}.')
    n = t.size - k - 1
    design = _cuprum.interpolate_basis(t, k, x, 0, False)
    points = rows(y)
    matrix, rights = _cuprum.interpolate_normal(design, w, points, n, True)
    i, a = cuprum.arange(n)[:, None], cuprum.arange(1, k + 1)
    # The matrix is symmetric: entry (i, i - a) is entry a of row i - a.
    before = cuprum.where(i >= a, matrix[cuprum.maximum(i - a, 0), a], 0.0)
    entries = cuprum.concatenate([matrix, before], 1)
    columns = cuprum.concatenate([cuprum.where(i + cuprum.arange(k + 1) < n, i + cuprum.arange(k + 1), -4 * n), cuprum.where(i >= a, i - a, -4 * n)], 1)
    side = max(k, 1)
    c = solve_banded_rows(entries, columns, side, rights)
    values_at, begins = design
    fitted = (values_at[:, :, None] * c[begins[:, None] + cuprum.arange(k + 1)]).sum(1)
    _, rights = _cuprum.interpolate_normal(design, w, points - fitted, n, False)
    c = c + solve_banded_rows(entries, columns, side, rights)
    if not all_true(cuprum.isfinite(c))[0]:
        raise numpy.linalg.LinAlgError('the matrix of the least squares is singular: each B-spline needs a point in its support')
    return BSpline.construct_fast(t, from_rows(c, y), k, axis=axis)


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
