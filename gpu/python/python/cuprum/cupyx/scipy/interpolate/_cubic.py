"""Cubic splines, and piecewise cubic polynomials whose derivatives are chosen at the breakpoints."""

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, from_rows, reals, rows, to_front, values
from ._banded import solve_tridiagonal_cyclic
from ._piecewise import PPoly


def _prepare(x, y, axis, slopes=None):
    """Returns breakpoints, values and derivatives whose first axis is that of interpolation, steps, and the axis."""
    x, y = reals(x), values(y)
    y, axis = to_front(y, axis)
    if slopes is not None:
        slopes = values(slopes)
        slopes = cuprum.moveaxis(slopes, axis, 0)
        if slopes.shape != y.shape:
            raise ValueError(f'The shapes of `y` and `dydx` must be identical, not {y.shape} and {slopes.shape}')
        dtype = numpy.result_type(y.dtype, slopes.dtype)
        y, slopes = y.astype(dtype), slopes.astype(dtype)
    if x.ndim != 1:
        raise ValueError(f'`x` must be 1-dimensional, not of shape {x.shape}')
    if x.shape[0] < 2:
        raise ValueError(f'`x` must contain at least 2 elements, not {x.shape[0]}')
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`: {y.shape[0]} and {x.shape[0]}")
    steps = cuprum.diff(x)
    tests = [cuprum.isfinite(x), cuprum.isfinite(y), steps > 0]
    if slopes is not None:
        tests.append(cuprum.isfinite(slopes))
    for passed, message in zip(
        all_true(*tests),
        (
            '`x` must contain only finite values.',
            '`y` must contain only finite values.',
            '`x` must be strictly increasing sequence.',
            '`dydx` must contain only finite values.',
        ),
    ):
        if not passed:
            raise ValueError(message)
    return x, y, steps, slopes, axis


def _along(steps, y):
    """Returns steps with as many axes as the values have."""
    return steps.reshape(-1, *[1] * (y.ndim - 1))


class CubicHermiteSpline(PPoly):
    """Piecewise cubic polynomial with given values and first derivatives."""

    def __init__(self, x, y, dydx, axis=0, extrapolate=None):
        x, y, steps, slopes, axis = _prepare(x, y, axis, dydx)
        self._of(x, y, slopes, axis, True if extrapolate is None else extrapolate)

    def _of(self, x, y, slopes, axis, extrapolate):
        x = cuprum.ascontiguousarray(x)
        self._set(_cuprum.interpolate_hermite(x, y, slopes), x, extrapolate, axis, False)


def _monotone_end(h0, h1, m0, m1):
    """Returns a derivative at an end by the parabola through three points, limited so that no extreme arises."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    wrong = cuprum.sign(d) != cuprum.sign(m0)
    steep = (cuprum.sign(m0) != cuprum.sign(m1)) & (cuprum.abs(d) > 3 * cuprum.abs(m0))
    return cuprum.where(wrong, 0.0, cuprum.where(steep, 3 * m0, d))


def monotone_slopes(steps, y):
    """Returns derivatives that preserve monotonicity: weighted harmonic means of the slopes (F. N. Fritsch, J. Butland, 1984)."""
    h = _along(steps, y)
    m = cuprum.diff(y, axis=0) / h
    if y.shape[0] == 2:
        return cuprum.concatenate([m, m])
    extreme = (cuprum.sign(m[1:]) != cuprum.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    safe = cuprum.where(extreme, 1.0, m[:-1]), cuprum.where(extreme, 1.0, m[1:])
    inner = cuprum.where(extreme, 0.0, (w1 + w2) / (w1 / safe[0] + w2 / safe[1]))
    first = _monotone_end(h[0], h[1], m[0], m[1])
    last = _monotone_end(h[-1], h[-2], m[-1], m[-2])
    return cuprum.concatenate([first[None], inner, last[None]])


class PchipInterpolator(CubicHermiteSpline):
    """Piecewise cubic polynomial that preserves monotonicity."""

    def __init__(self, x, y, axis=0, extrapolate=None):
        x, y, steps, _, axis = _prepare(x, y, axis)
        if y.dtype.kind == 'c':
            raise ValueError('`PchipInterpolator` only works with real values for `y`.')
        self._of(x, y, monotone_slopes(steps, y), axis, True if extrapolate is None else extrapolate)


def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """Values, or derivatives of one or several orders, of the interpolant that preserves monotonicity."""
    p = PchipInterpolator(xi, yi, axis=axis)
    if numpy.ndim(der) == 0:
        return p(x, der)
    return [p(x, order) for order in der]


class Akima1DInterpolator(CubicHermiteSpline):
    """Piecewise cubic polynomial with the local derivatives of H. Akima (Journal of the ACM 17, 1970)."""

    def __init__(self, x, y, axis=0, *, method='akima', extrapolate=None):
        if method not in ('akima', 'makima'):
            raise NotImplementedError(f'`method`={method} is unsupported: use "akima" or "makima".')
        x, y, steps, _, axis = _prepare(x, y, axis)
        if y.dtype.kind == 'c':
            raise ValueError('`Akima1DInterpolator` only works with real values for `y`.')
        inner = cuprum.diff(y, axis=0) / _along(steps, y)
        if y.shape[0] == 2:
            slopes = cuprum.concatenate([inner, inner])
        else:
            before = 2 * inner[0] - inner[1]
            after = 2 * inner[-1] - inner[-2]
            outer = [2 * before - inner[0], before], [after, 2 * after - inner[-1]]
            m = cuprum.concatenate([cuprum.stack(outer[0]), inner, cuprum.stack(outer[1])])
            change = cuprum.abs(cuprum.diff(m, axis=0))
            if method == 'makima':
                change = change + 0.5 * cuprum.abs(m[1:] + m[:-1])
            f1, f2 = change[2:], change[:-2]
            weight = f1 + f2
            varied = weight > 1e-9 * weight.max() if weight.size else weight > 0
            mixed = m[1:-2] + f2 / cuprum.where(varied, weight, 1.0) * (m[2:-1] - m[1:-2])
            slopes = cuprum.where(varied, mixed, 0.5 * (m[3:] + m[:-3]))
        self._of(x, y, slopes, axis, False if extrapolate is None else extrapolate)

    def extend(self, c, x, right=True):
        """Raises: the derivatives depend on all values."""
        raise NotImplementedError('Extending a 1-D Akima interpolator is not yet implemented')

    @classmethod
    def from_spline(cls, tck, extrapolate=None):
        """Raises: a spline has derivatives of its own."""
        raise NotImplementedError('This method does not make sense for an Akima interpolator.')

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """Raises: a polynomial has derivatives of its own."""
        raise NotImplementedError('This method does not make sense for an Akima interpolator.')


def _conditions(bc_type, y, axis):
    """Returns the conditions at both ends: 'not-a-knot', 'periodic', or an order and a value."""
    if isinstance(bc_type, str):
        if bc_type == 'periodic':
            if not cuprum.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
                raise ValueError(f"The first and last `y` point along axis {axis} must be identical (within machine precision) when bc_type='periodic'.")
        bc_type = (bc_type, bc_type)
    elif len(bc_type) != 2:
        raise ValueError('`bc_type` must contain 2 elements to specify start and end conditions.')
    elif 'periodic' in [bc for bc in bc_type if isinstance(bc, str)]:
        raise ValueError("'periodic' `bc_type` is defined for both curve ends and cannot be used with other boundary conditions.")
    result = []
    for bc in bc_type:
        if isinstance(bc, str):
            if bc in ('not-a-knot', 'periodic'):
                result.append(bc)
            elif bc in ('clamped', 'natural'):
                result.append((1 if bc == 'clamped' else 2, None))
            else:
                raise ValueError(f'bc_type={bc} is not allowed.')
            continue
        try:
            order, value = bc
        except (TypeError, ValueError) as error:
            raise ValueError('A specified derivative value must be given in the form (order, value).') from error
        if order not in (1, 2):
            raise ValueError(f'The specified derivative order must be 1 or 2, not {order}')
        value = values(value)
        if value.shape != y.shape[1:]:
            raise ValueError(f'`deriv_value` shape {value.shape} is not the expected one {y.shape[1:]}.')
        result.append((order, value))
    return result


def _periodic_slopes(y, h):
    """Returns the first derivatives of the periodic cubic spline, by a cyclic system on the device."""
    hr = _along(h, y)
    slope = cuprum.diff(y, axis=0) / hr
    if y.shape[0] == 3:
        mean = (slope / hr).sum(0) / (1.0 / hr).sum(0)
        return cuprum.broadcast_to(mean, y.shape).copy()
    inner = 3 * (hr[1:] * slope[:-1] + hr[:-1] * slope[1:])
    first = 3 * (hr[0] * slope[-1] + hr[-1] * slope[0])
    lower = cuprum.concatenate([h[:1], h[1:]])
    upper = cuprum.concatenate([h[-1:], h[:-1]])
    diagonal = 2 * (upper + lower)
    s = from_rows(solve_tridiagonal_cyclic(lower, diagonal, upper, rows(cuprum.concatenate([first[None], inner]))), y)
    return cuprum.concatenate([s, s[:1]])


class CubicSpline(CubicHermiteSpline):
    """Piecewise cubic polynomial with continuous second derivatives."""

    def __init__(self, x, y, axis=0, bc_type='not-a-knot', extrapolate=None):
        x, y, steps, _, axis = _prepare(x, y, axis)
        conditions = _conditions(bc_type, y, axis)
        if any(not isinstance(bc, str) and bc[1] is not None and bc[1].dtype.kind == 'c' for bc in conditions):
            y = y.astype(complex)
        if extrapolate is None:
            extrapolate = 'periodic' if conditions[0] == 'periodic' else True
        n = x.shape[0]
        free = [isinstance(bc, str) for bc in conditions]
        if n == 2:
            # Conditions that need more points are replaced by the slope of the line.
            slope = cuprum.diff(y, axis=0)[0] / steps[0]
            conditions = [(1, slope) if unbound else bc for unbound, bc in zip(free, conditions)]
        elif conditions[0] == 'periodic' and y.size:
            self._of(x, y, _periodic_slopes(y, steps), axis, extrapolate)
            return
        elif n == 3 and all(free) and y.size:
            # The parabola through three points.
            slope = (y[1] - y[0]) / steps[0]
            second = ((y[2] - y[1]) / steps[1] - slope) / (x[2] - x[0])
            first = slope - second * steps[0]
            slopes = cuprum.stack([first, first + 2 * second * steps[0], first + 2 * second * (x[2] - x[0])])
            self._of(x, y, slopes, axis, extrapolate)
            return
        elif not y.size:
            conditions = [(1, None)] * 2
        ends = [(0, None) if isinstance(bc, str) else (bc[0], bc[1] if bc[1] is None else bc[1].astype(y.dtype)) for bc in conditions]
        x = cuprum.ascontiguousarray(x)
        self._set(_cuprum.interpolate_cubic(x, y, ends), x, extrapolate, axis, False)
