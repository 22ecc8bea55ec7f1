"""Eigenvalues at the ends of a spectrum by subspace iteration with Chebyshev filters (Y. Zhou, Y. Saad, M. L. Tiago,
J. R. Chelikowsky, Journal of Computational Physics 219, 2006), for matrices on which a Krylov iteration converges slowly."""

import math

import numpy

import cuprum
from cuprum import _cuprum

# Vectors besides the wanted ones, which widen the gap that convergence depends on.
GUARDS = 10
# Part of the spectrum's width by which an interval is longer where an end of the spectrum is not wanted.
MARGIN = 0.005
# Largest degree of a polynomial.
MOST_DEGREE = 800
# Filters that may pass in which the residuals do not halve.
PATIENCE = 6


def width(k):
    """Returns the number of vectors of a subspace for k wanted ones."""
    return max(2 * k, k + GUARDS)


def filters(captured, n, k, ncv):
    """Returns True if a filtered subspace is possible: for a sparse matrix that is much larger than the subspace, and a Krylov space that
    is not smaller."""
    return bool(captured) and isinstance(captured[0], _cuprum.Sparse) and width(k) <= ncv and 4 * width(k) <= n


def ends(which, k, ritz, errors):
    """Returns the ends of the spectrum, 'LA' or 'SA', at which the wanted eigenvalues are, each with the number of those that are computed
    there. `ritz` are Ritz values, the most wanted ones first, with their errors."""
    if which == 'BE':
        return [(end, count) for end, count in (('LA', k - k // 2), ('SA', k // 2)) if count]
    if which in ('LA', 'SA'):
        return [(which, k)]
    least = abs(ritz[k - 1])
    if (ritz - errors).min() > -least:
        return [('LA', k)]
    return [('SA', k)] if (ritz + errors).max() < least else [('LA', k), ('SA', k)]


class FilteredSubspace:
    """A subspace of vectors of a sparse Hermitian matrix, which is filtered for one end of the spectrum.

    Filtered for both ends at a time, it would contain mixtures, whose Ritz values lead to no interval.
    """

    def __init__(self, matrix, outer, n, dtype, k, end):
        """Creates the subspace of a matrix, or of its product with its conjugate transpose as `outer` says."""
        self.n, self.dtype, self.k, self.upper = n, dtype, k, end == 'LA'
        self.width = width(k)
        self.filter = _cuprum.ChebyshevFilter(matrix, self.width, outer)
        self.eps = float(numpy.finfo(dtype).eps)
        self.wide = numpy.complex128 if dtype.kind == 'c' else numpy.float64

    def _tighten(self, ritz, low, high):
        """Widens the interval of the unwanted eigenvalues up to the least wanted Ritz value. No Ritz value is beyond the eigenvalue that it
        approximates, so that the interval never contains a wanted one."""
        (a, b), margin = self.interval, MARGIN * (high - low)
        # The unwanted end is known less well than the wanted one, and what is outside of the interval grows.
        self.interval = (low - margin, max(b, ritz.min())) if self.upper else (min(a, ritz.max()), high + margin)

    def _degree(self, low, high):
        """Returns the degree with which the wanted end of the spectrum grows as much as an accurate Cholesky factorisation allows; None for
        an empty interval."""
        a, b = self.interval
        middle, half = (a + b) / 2, (b - a) / 2
        if not half > self.eps * max(abs(low), abs(high)):
            return None
        end = (high - middle if self.upper else middle - low) / half
        degree = math.log(0.2 / math.sqrt(self.eps)) / math.acosh(max(end, 1 + 1e-12))
        return int(min(max(degree, 8), MOST_DEGREE))

    def _orthonormal(self, Y):
        """Returns an orthonormal basis of the columns, by a Cholesky factorisation of their products where that is accurate."""
        Y = Y / cuprum.linalg.norm(Y, axis=0)
        gram = cuprum.asnumpy(Y.conj().T @ Y).astype(self.wide)
        try:
            L = numpy.linalg.cholesky(gram)
        except numpy.linalg.LinAlgError:
            return cuprum.linalg.qr(Y)[0]
        return Y @ cuprum.asarray(numpy.linalg.inv(L).conj().T.astype(self.dtype))

    def _rotate(self, Y):
        """Returns the Ritz values of an almost orthonormal basis, its Ritz vectors as columns, and the norms of their residuals."""
        image = self.filter.product(Y)
        products = cuprum.asnumpy(Y.conj().T @ cuprum.concatenate([Y, image], axis=1)).astype(self.wide)
        gram, projected = products[:, : self.width], products[:, self.width :]
        inverse = numpy.linalg.inv(numpy.linalg.cholesky((gram + gram.conj().T) / 2))
        projected = inverse @ projected @ inverse.conj().T
        ritz, turn = numpy.linalg.eigh((projected + projected.conj().T) / 2)
        turn = cuprum.asarray((inverse.conj().T @ turn).astype(self.dtype))
        X = Y @ turn
        residuals = cuprum.linalg.norm(image @ turn - X * cuprum.asarray(ritz.astype(self.dtype)), axis=0)
        return ritz, X, cuprum.asnumpy(residuals).astype(float)

    def run(self, start, values, errors, tol, products):
        """Returns the wanted eigenvalues, their vectors as rows and which of them have converged, or None where filters do not converge.
        `start` has approximate vectors as rows, `values` are the Ritz values of a Krylov space, with their `errors`; `products` bounds the
        products with the matrix."""
        ritz = numpy.sort(values)[-self.width :] if self.upper else numpy.sort(values)[: self.width]
        low, high = (values - errors).min(), (values + errors).max()
        tol, self.interval = self.eps if tol == 0 else tol, (math.inf, -math.inf)
        rng = numpy.random.default_rng(0)
        random = rng.uniform(-1, 1, (self.n, self.width)).astype(numpy.zeros(0, self.dtype).real.dtype)
        X = cuprum.asarray(random).astype(self.dtype, copy=False)
        known = min(start.shape[0], self.width)
        X[:, :known] = start[:known].T * math.sqrt(self.n)
        wanted = slice(self.width - self.k, None) if self.upper else slice(self.k)
        best, waited = math.inf, 0
        while True:
            self._tighten(ritz, low, high)
            degree = self._degree(low, high)
            if degree is None:
                return None
            self.filter.input()[...] = X
            products -= self.filter.run(degree, *map(float, self.interval))
            try:
                ritz, X, residuals = self._rotate(self._orthonormal(self.filter.output()))
            except numpy.linalg.LinAlgError:
                return None
            size = max(abs(low), abs(high))
            bounds = numpy.maximum(tol * abs(ritz[wanted]), 16 * self.eps * size)
            converged = residuals[wanted] <= bounds
            if converged.all() or products <= 0:
                return ritz[wanted], X.T[wanted], converged
            worst = (residuals[wanted] / bounds).max()
            waited = 0 if worst < best / 2 else waited + 1
            best = min(best, worst)
            if waited > PATIENCE or not math.isfinite(worst):
                return None
            low, high = min(low, ritz[0] - residuals[0]), max(high, ritz[-1] + residuals[-1])
