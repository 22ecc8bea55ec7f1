"""Generalised eigenvalue problems `A x = w M x`, which the Cholesky factor of M turns into ones of a single matrix."""

import cuprum
from cuprum.cupyx.scipy.linalg import solve_triangular

from .._arithmetic import is_sparse
from .._base import CLASSES
from .._utils import is_scipy_sparse
from ._direct import cholesky, spsolve_triangular
from ._interface import LinearOperator


def matrix_of(name, what, M, n, dtype):
    """Returns the matrix of a metric as an array of the device, of a dtype. Raises NotImplementedError for an operator, ValueError for
    another shape."""
    if isinstance(M, LinearOperator):
        raise NotImplementedError(f'{name}: {what} must be a matrix, whose Cholesky factor is computed, not an operator')
    if is_scipy_sparse(M):
        M = CLASSES['csc', False](M)
    M = M if is_sparse(M) else cuprum.asarray(M)
    if M.shape != (n, n):
        raise ValueError(f'{name}: {what} has shape {M.shape}, the matrix needs ({n}, {n})')
    return M.astype(dtype)


class Metric:
    """A positive definite matrix as the product of `F` and its conjugate transpose, and products with and solutions of F.

    Raises LinAlgError for a matrix that is not positive definite.
    """

    def __init__(self, M):
        if is_sparse(M):
            factor = cholesky(M.tocsc())
            self.perm, self.L = factor.perm, factor.L.tocsr()
            self.LH = self.L.conj().T.tocsr()
            self._solve = lambda L, b, lower: spsolve_triangular(L, b, lower=lower)
        else:
            self.perm, self.L = cuprum.arange(M.shape[0]), cuprum.linalg.cholesky(M)
            self.LH = self.L.conj().T
            self._solve = lambda L, b, lower: solve_triangular(L, b, lower=lower)

    def _ordered(self, x):
        ordered = cuprum.empty_like(x)
        ordered[self.perm] = x
        return ordered

    def product(self, y):
        """Returns `F @ y`."""
        return (self.L @ y)[self.perm]

    def adjoint(self, x):
        """Returns the product of the conjugate transpose of F and x."""
        return self.LH @ self._ordered(x)

    def solve(self, x):
        """Returns the solution y of `F @ y = x`."""
        return self._solve(self.L, self._ordered(x), True)

    def solve_adjoint(self, y):
        """Returns the solution of the system of the conjugate transpose of F, for a vector or a matrix."""
        return self._solve(self.LH, y, False)[self.perm]
