"""Construction of splines by interpolation and by least squares: banded systems that are solved on the device."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, from_rows, reals, rows, to_front, values
from ._banded import solve_banded_cyclic, solve_banded_rows
from ._bsplines import BSpline


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


def check_increasing(x):
    """Raises ValueError unless points are in strictly increasing order; NaN is not compared."""
    steps = cuprum.diff(x)
    distinct, increasing = all_true(steps != 0, ~(steps < 0))
    if not distinct:
        raise ValueError('Expect x to not have duplicates')
    if not increasing:
        raise ValueError('Expect x to be a 1D strictly increasing sequence.')


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
    entries = cuprum.concatenate(entries)
    if total == k + 1 and n < total:
        # One polynomial: derivatives at both ends of two points are outside of the band of k diagonals.
        c = cuprum.linalg.solve(entries, rows(rights))
    else:
        c = solve_banded_rows(entries, cuprum.concatenate(columns), k, rows(rights))
    if finite and known and not all_true(cuprum.isfinite(c))[0]:
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
