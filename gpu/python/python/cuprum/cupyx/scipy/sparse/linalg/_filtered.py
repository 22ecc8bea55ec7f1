"""Eigenvalues at the ends of a spectrum by subspace iteration with Chebyshev filters (Y. Zhou, Y. Saad, M. L. Tiago,
J. R. Chelikowsky, Journal of Computational Physics 219, 2006), for matrices on which a Krylov iteration converges slowly."""

import math

import numpy

import cuprum
from cuprum import _cuprum

# Vectors beside the wanted ones, which widen the gap that convergence depends on.
GUARDS = 10
# Part of the spectrum's width by which an interval is longer where an end of the spectrum is not wanted.
MARGIN = 0.005
# Ritz values beyond the wanted ones, up to which an interval goes that has eigenvalues on both sides: vectors with parts at both ends
# of the spectrum have Ritz values between them.
BEYOND = 4
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


class FilteredSubspace:
    """A subspace of vectors of a sparse Hermitian matrix, which filters turn towards the wanted ends of the spectrum."""

    def __init__(self, matrix, outer, n, dtype, k, which):
        """Creates the subspace of a matrix, or of its product with its conjugate transpose as `outer` says."""
        self.n, self.dtype, self.k, self.which = n, dtype, k, which
        self.width = width(k)
        self.filter = _cuprum.ChebyshevFilter(matrix, self.width, outer)
        self.eps = float(numpy.finfo(dtype).eps)
        self.wide = numpy.complex128 if dtype.kind == 'c' else numpy.float64

    def _tighten(self, ritz, low, high):
        """Widens the interval of the unwanted eigenvalues up to the least wanted Ritz values. None of these is
        beyond the eigenvalue that it approximates, so that the interval never contains a wanted one."""
        ascending, (a, b), margin = numpy.sort(ritz), self.interval, MARGIN * (high - low)
        # An unwanted end is known less well than a wanted one, and what is outside of the interval grows.
        if self.which == 'LA':
            self.interval = low - margin, max(b, ascending[0])
        elif self.which == 'SA':
            self.interval = min(a, ascending[-1]), high + margin
        elif self.which == 'LM':
            edge = numpy.sort(abs(ritz))[-min(self.k + BEYOND, self.width)]
            self.interval = max(low - margin, min(a, -edge)), min(high + margin, max(b, edge))
        else:
            lower, upper = self.k // 2 + BEYOND // 2, self.k - self.k // 2 + BEYOND // 2
            self.interval = min(a, ascending[lower - 1]), max(b, ascending[-upper])

    def _degree(self, low, high):
        """Returns the degree with which the farther end of the spectrum grows as much as an accurate Cholesky factorisation allows; None
        for an empty interval."""
        a, b = self.interval
        middle, half = (a + b) / 2, (b - a) / 2
        if not half > self.eps * max(abs(low), abs(high)):
            return None
        end = max(high - middle, middle - low) / half
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

    def run(self, start, values, errors, rank, tol, products):
        """Returns the wanted eigenvalues, their vectors as rows and which of them have converged, or None where filters do not converge.
        `start` has approximate vectors as rows, `values` the Ritz values of a Krylov space, the most wanted ones first, with their
        `errors`; `products` bounds the products with the matrix."""
        ritz = values[: self.width]
        low, high = (values - errors).min(), (values + errors).max()
        rng = numpy.random.default_rng(0)
        random = rng.uniform(-1, 1, (self.n, self.width)).astype(numpy.zeros(0, self.dtype).real.dtype)
        X = cuprum.asarray(random).astype(self.dtype, copy=False)
        X[:, : start.shape[0]] = start.T * math.sqrt(self.n)
        tol, self.interval = self.eps if tol == 0 else tol, (math.inf, -math.inf)
        best, waited = math.inf, 0
        while True:
            self._tighten(ritz, low, high)
            degree = self._degree(low, high)
            if degree is None:
                return None
            self.filter.input()[...] = X
            products -= self.filter.run(degree, *map(float, self.interval))
            Y = self.filter.output()
            try:
                ritz, X, residuals = self._rotate(self._orthonormal(Y))
            except numpy.linalg.LinAlgError:
                return None
            wanted = rank(ritz, self.which)[: self.k]
            size = max(abs(low), abs(high))
            bounds = numpy.maximum(tol * abs(ritz[wanted]), 16 * self.eps * size)
            converged = residuals[wanted] <= bounds
            if converged.all() or products <= 0:
                return ritz[wanted], X.T[cuprum.asarray(wanted)], converged
            worst = (residuals[wanted] / bounds).max()
            waited = 0 if worst < best / 2 else waited + 1
            best = min(best, worst)
            if waited > PATIENCE or not math.isfinite(worst):
                return None
            low, high = min(low, ritz[0] - residuals[0]), max(high, ritz[-1] + residuals[-1])
