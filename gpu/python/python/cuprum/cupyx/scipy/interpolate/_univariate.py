"""Splines through or near points in the manner of FITPACK: knots are selected on the host, everything else is computed on the device."""

import math
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import all_true, host, reals
from ._bsplines import BSpline, splantider, splder, splev
from ._construction import make_interp_spline, make_lsq_spline

_EXTENSIONS = {0: 0, 1: 1, 2: 2, 3: 3, 'extrapolate': 0, 'zeros': 1, 'raise': 2, 'const': 3}

_MESSAGES = {
    -2: 'The spline is one polynomial of degree k: the weighted least squares solution has no larger sum of squared residuals than s.',
    -1: 'The spline interpolates: its sum of squared residuals is 0.',
    0: 'The sum of squared residuals of the spline differs from s by 0.1 % at most.',
    2: 'A theoretically impossible result was found during the iteration process for finding a smoothing spline with fp = s: s is too small. '
    'The weighted sum of squared residuals does not satisfy the condition abs(fp-s)/s < tol.',
    3: 'The maximal number of iterations maxit (set to 20 by the program) allowed for finding a smoothing spline with fp=s has been reached: s is too small. '
    'The weighted sum of squared residuals does not satisfy the condition abs(fp-s)/s < tol.',
}


def _extension(ext):
    try:
        return _EXTENSIONS[ext]
    except (KeyError, TypeError):
        raise ValueError(f'Unknown extrapolation mode {ext}.') from None


class UnivariateSpline:
    """Smoothing spline of given degree near points; its knots are selected on the host."""

    def __init__(self, x, y, w=None, bbox=[None] * 2, k=3, s=None, ext=0, check_finite=False):  # noqa: B006
        x, y, w, bbox, ext = self.validate_input(x, y, w, bbox, k, s, ext, check_finite)
        self._points, self._bounds, self._degree, self.ext = (x, y, w), self._limits(x, bbox), operator.index(k), ext
        self._smooth(float(x.size) if s is None else float(s))

    @staticmethod
    def validate_input(x, y, w, bbox, k, s, ext, check_finite):
        """Checks the arguments, and returns points, values, weights, bounds and the number of the extrapolation."""
        x, y, bbox = reals(x), reals(y, 'y'), list(host(bbox, object).ravel())
        w = None if w is None else reals(w, 'w')
        finite, increasing = all_true(
            cuprum.concatenate([cuprum.isfinite(a).ravel() for a in ((x, y) if w is None else (x, y, w))]),
            cuprum.diff(x.ravel()) >= 0 if s is None or s > 0 else cuprum.diff(x.ravel()) > 0,
        )
        if check_finite and not finite:
            raise ValueError('x and y array must not contain NaNs or infs.')
        if not increasing:
            raise ValueError('x must be increasing if s > 0' if s is None or s > 0 else 'x must be strictly increasing if s = 0')
        if x.shape != y.shape or x.ndim != 1:
            raise ValueError('x and y should have a same length')
        if w is not None and w.shape != x.shape:
            raise ValueError('x, y, and w should have a same length')
        if w is not None and not all_true(w >= 0)[0]:
            raise ValueError('w should not be negative')
        if len(bbox) != 2:
            raise ValueError('bbox shape should be (2,)')
        if not 1 <= k <= 5:
            raise ValueError('k should be 1 <= k <= 5')
        if s is not None and not s >= 0.0:
            raise ValueError('s should be s >= 0.0')
        if x.size <= k:
            raise ValueError(f'{x.size} points are too few for degree k = {k}')
        return x, y, w, bbox, _extension(ext)

    @staticmethod
    def _limits(x, bbox):
        ends = host(x[cuprum.asarray([0, -1])])
        limits = [float(end if limit is None else limit) for end, limit in zip(ends, bbox)]
        if limits[0] > ends[0] or limits[1] < ends[1]:
            raise ValueError(f'bbox {bbox} does not contain the points, from {ends[0]} to {ends[1]}')
        return limits

    def _smooth(self, s):
        x, y, w = (None if a is None else host(a) for a in self._points)
        w = numpy.ones_like(x) if w is None else w
        k, m = self._degree, x.size
        first = m + k + 1 if s == 0 else max(m // 2, 2 * (k + 1))
        t, c, residual, end = _cuprum.interpolate_smoothing((x.tolist(), y.tolist(), w.tolist()), self._bounds, k, s, first)
        if end > 0:
            warnings.warn(_MESSAGES[end], stacklevel=3)
        self._set(cuprum.asarray(t), cuprum.asarray(c), k, residual)

    def _set(self, t, c, k, residual):
        self._t, self._c, self._k, self._residual = t, c, k, residual

    @classmethod
    def _from_tck(cls, tck, ext=0):
        self = object.__new__(UnivariateSpline)
        self._set(*tck, math.nan)
        self.ext, self._points, self._degree = ext, None, tck[2]
        return self

    @property
    def _eval_args(self):
        # The coefficients of FITPACK are followed by k + 1 zeros.
        return self._t, cuprum.concatenate([self._c, cuprum.zeros(self._k + 1)]), self._k

    def set_smoothing_factor(self, s):
        """Selects knots for another smoothing factor, from the first one on."""
        if self._points is None:
            raise ValueError('set_smoothing_factor: the spline has no points: it is a derivative or an antiderivative')
        self._smooth(float(s))

    def __call__(self, x, nu=0, ext=None):
        """Values, or derivatives of order `nu`, at points."""
        x = cuprum.asarray(x)
        if x.size == 0:
            return cuprum.asarray([])
        return splev(x, self._eval_args, nu, self.ext if ext is None else _extension(ext))

    def get_knots(self):
        """Positions of the inner knots and of the ends."""
        return self._t[self._k : self._t.size - self._k]

    def get_coeffs(self):
        """Coefficients of the B-splines."""
        return self._c

    def get_residual(self):
        """Weighted sum of squared residuals. Reading it synchronises where it is not known."""
        if isinstance(self._residual, cuprum.ndarray):
            self._residual = float(self._residual)
        return self._residual

    def integral(self, a, b):
        """Definite integral from a to b; the spline is zero outside of its knots."""
        spline = BSpline.construct_fast(self._t, self._c, self._k, extrapolate=False)
        return float(spline.integrate(a, b))

    def derivatives(self, x):
        """All derivatives at a point."""
        x = cuprum.atleast_1d(cuprum.asarray(x, dtype=float))[:1]
        spline = BSpline.construct_fast(self._t, self._c, self._k)
        return cuprum.concatenate([spline(x, order) for order in range(self._k + 1)])

    def roots(self):
        """Zeros of a cubic spline. They are computed on the host."""
        if self._k != 3:
            raise NotImplementedError(f'finding roots unsupported for non-cubic splines: k = {self._k}')
        from ._piecewise import PPoly

        p = PPoly.from_spline((self._t, self._c, 3))
        first = 3
        inner = PPoly.construct_fast(p.c[:, first : self._t.size - 4], self._t[first : self._t.size - 3], False)
        return inner.roots(discontinuity=False)

    def derivative(self, n=1):
        """Derivative of order `n`, as a spline of lower degree."""
        ext = 1 if self.ext == 3 else self.ext
        t, c, k = splder((self._t, self._c, self._k), n)
        return UnivariateSpline._from_tck((t, c[: t.size - k - 1], k), ext)

    def antiderivative(self, n=1):
        """Antiderivative of order `n`, as a spline of higher degree."""
        t, c, k = splantider((self._t, self._c, self._k), n)
        return UnivariateSpline._from_tck((t, c[: t.size - k - 1], k), self.ext)


class InterpolatedUnivariateSpline(UnivariateSpline):
    """Spline of given degree through points."""

    def __init__(self, x, y, w=None, bbox=[None] * 2, k=3, ext=0, check_finite=False):  # noqa: B006
        x, y, w, bbox, ext = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        if not all_true(cuprum.diff(x) > 0)[0]:
            raise ValueError('x must be strictly increasing')
        self._points, self._bounds, self._degree, self.ext = (x, y, w), self._limits(x, bbox), operator.index(k), ext
        k, half = self._degree, k // 2
        inner = x[half + 1 : x.size - half - 1] if k % 2 else ((x[1:] + x[:-1]) * 0.5)[half : x.size - 1 - half]
        low, high = (cuprum.full(k + 1, limit, dtype=float) for limit in self._bounds)
        t = cuprum.concatenate([low, inner, high])
        self._set(t, make_interp_spline(x, y, k, t, check_finite=False).c, k, 0.0)


class LSQUnivariateSpline(UnivariateSpline):
    """Spline of given degree and knots nearest to points in the sense of least squares."""

    def __init__(self, x, y, t, w=None, bbox=[None] * 2, k=3, ext=0, check_finite=False):  # noqa: B006
        x, y, w, bbox, ext = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        self._points, self._bounds, self._degree, self.ext = (x, y, w), self._limits(x, bbox), operator.index(k), ext
        k, t = self._degree, reals(t, 't')
        low, high = (cuprum.full(k + 1, limit, dtype=float) for limit in self._bounds)
        t = cuprum.concatenate([low, t, high])
        n = t.size
        if not all_true(t[k + 1 : n - k] > t[k : n - k - 1])[0]:
            raise ValueError('Interior knots t must satisfy Schoenberg-Whitney conditions')
        try:
            c = make_lsq_spline(x, y, t, k, w).c
        except numpy.linalg.LinAlgError:
            raise ValueError('Interior knots t must satisfy Schoenberg-Whitney conditions') from None
        rest = y - BSpline.construct_fast(t, c, k)(x)
        self._set(t, c, k, ((rest if w is None else w * rest) ** 2).sum())

    def set_smoothing_factor(self, s):
        """Raises: the knots are given."""
        warnings.warn('set_smoothing_factor: the knots of LSQUnivariateSpline are given, and stay as they are', stacklevel=2)


def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """Knots, coefficients and degree of a smoothing spline. Knots are selected on the host, unless task is -1, which takes them from `t`."""
    if per:
        raise NotImplementedError('splrep: per=1 is not supported: use make_interp_spline(..., bc_type="periodic") for an interpolating spline')
    if t is not None:
        task = -1
    if task == 1:
        raise NotImplementedError('splrep: task=1 continues a former call, which is not supported: use task=0')
    if task not in (0, -1):
        raise TypeError('task must be -1, 0 or 1')
    if not 1 <= k <= 5:
        raise TypeError(f'Given degree of the spline (k={k}) is not supported. (1<=k<=5)')
    x, y = reals(x), reals(y, 'y')
    m = x.size
    if w is None:
        s = 0.0 if s is None else s
    else:
        w = reals(w, 'w')
        if w.size != m:
            raise TypeError(f'len(w)={w.size} is not equal to m={m}')
        s = m - math.sqrt(2 * m) if s is None else s
    if x.ndim != 1 or x.shape != y.shape:
        raise TypeError('Lengths of the first three arguments (x,y,w) must be equal')
    if m <= k:
        raise TypeError('m > k must hold')
    if task == -1:
        if t is None:
            raise TypeError('Knots must be given for task=-1')
        spline = LSQUnivariateSpline(x, y, t, w, [xb, xe], k)
        code = 0
    else:
        limits = UnivariateSpline._limits(x, [xb, xe])
        weights = numpy.ones(m) if w is None else host(w)
        found = _cuprum.interpolate_smoothing((host(x).tolist(), host(y).tolist(), weights.tolist()), limits, k, float(s), None)
        spline = UnivariateSpline._from_tck((cuprum.asarray(found[0]), cuprum.asarray(found[1]), k))
        spline._residual, code = found[2], found[3]
        if code > 0 and not full_output:
            warnings.warn(RuntimeWarning(_MESSAGES[code]), stacklevel=2)
    tck = spline._eval_args
    if full_output:
        return tck, spline.get_residual(), code, _MESSAGES[code]
    return tck
