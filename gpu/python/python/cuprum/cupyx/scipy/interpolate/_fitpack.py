"""Integrals, zeros, derivatives and knots of splines of FITPACK's form: knots, coefficients and degree."""

import operator
import warnings

import cuprum

from ._arguments import host, reals
from ._bsplines import BSpline, _tck


def _curves(function, tck, *args):
    """Returns the results for each component of a curve, whose coefficients are a list of arrays; None for a function."""
    t, c, k = tck
    if isinstance(c, (list, tuple)) and c and cuprum.asarray(c[0]).ndim > 0:
        return [function((t, part, k), *args) for part in c]
    return None


def _function(name, spline):
    if spline.c.ndim > 1:
        raise ValueError(f'Calling {name}() with BSpline objects with c.ndim > 1 is not allowed.')
    return spline


def splint(a, b, tck, full_output=0):
    """Definite integral of a spline from a to b, a float; the spline is zero outside of its knots. It synchronises.

    With `full_output`, the second result has the integrals of the B-splines.
    """
    if isinstance(tck, BSpline):
        if full_output:
            warnings.warn(f'full_output = {full_output} is not supported. Proceeding as if full_output = 0', stacklevel=2)
        return _function('splint', tck).integrate(a, b, extrapolate=False)
    curves = _curves(lambda part: splint(a, b, part, full_output), tck)
    if curves is not None:
        return curves
    t, c, k = _tck(tck)
    n = t.shape[0] - k - 1
    begin, end = host(t[cuprum.asarray([k, n])])
    a, b = (min(max(float(limit), begin), end) for limit in (a, b))
    integral = float(BSpline.construct_fast(t, c[:n], k).integrate(a, b, extrapolate=False))
    if not full_output:
        return integral
    parts = BSpline.construct_fast(t, cuprum.eye(n), k).integrate(a, b, extrapolate=False)
    return integral, cuprum.concatenate([parts, cuprum.zeros(t.shape[0] - n)])


def sproot(tck, mest=10):
    """Zeros of a cubic spline, in ascending order. They are computed on the host."""
    from ._univariate import UnivariateSpline

    if isinstance(tck, BSpline):
        tck = _function('sproot', tck).tck
    t, c, k = tck
    if k != 3:
        raise ValueError('sproot works only for cubic (k=3) splines')
    curves = _curves(lambda part: sproot(part, mest), tck)
    if curves is not None:
        return curves
    t, c, k = _tck(tck)
    if t.shape[0] < 8:
        raise TypeError(f'The number of knots {t.shape[0]}>=8')
    zeros = UnivariateSpline._from_tck((t, c[: t.shape[0] - 4], k)).roots()
    if zeros.size > mest:
        warnings.warn(RuntimeWarning('Warning: the number of zeros exceeds mest'), stacklevel=2)
        zeros = zeros[:mest]
    return zeros


def spalde(x, tck):
    """All derivatives, from order 0 to the degree, of a spline at a point; a list of them for several points."""
    if isinstance(tck, BSpline):
        raise TypeError('spalde does not accept BSpline instances.')
    curves = _curves(lambda part: spalde(x, part), tck)
    if curves is not None:
        return curves
    (t, c, k), x = _tck(tck), reals(x)
    if x.ndim > 1:
        raise ValueError(f'spalde: x of shape {x.shape} must have at most one axis')
    n = t.shape[0] - k - 1
    if x.size and not bool(((x >= t[k]) & (x <= t[n])).all()):
        raise TypeError('spalde: x is outside of the knots')
    spline = BSpline.construct_fast(t, c[:n], k)
    found = cuprum.stack([spline(x, order) for order in range(k + 1)], axis=-1)
    return list(found) if x.ndim else found


def insert(x, tck, m=1, per=0):
    """Spline with a knot inserted `m` times at x: a `BSpline` if it is passed one, otherwise knots, coefficients and degree."""
    if per:
        raise NotImplementedError('insert: per=1 is not supported: use BSpline.insert_knot of a periodic spline')
    if isinstance(tck, BSpline):
        return tck.insert_knot(float(x), operator.index(m))
    t, c, k = tck
    curves = _curves(lambda part: insert(x, part, m), tck)
    if curves is not None:
        return curves[0][0], [part[1] for part in curves], k
    t, c, k = _tck(tck)
    n = t.shape[0] - k - 1
    found = BSpline.construct_fast(t, c[:n], k).insert_knot(float(x), operator.index(m))
    # The coefficients of FITPACK are followed by k + 1 zeros.
    return found.t, cuprum.concatenate([found.c, cuprum.zeros(k + 1)]), k
