"""Locally optimal block preconditioned conjugate gradients: `lobpcg`."""

import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._arithmetic import is_sparse
from ._interface import aslinearoperator
from ._systems import floating, operand

__all__ = ['lobpcg']


class _Function:
    """Operator of a function of matrices."""

    def __init__(self, function, shape):
        self.matmat, self.shape = function, shape


def _operator(A, n, dtype):
    """Returns the core of a matrix, or an object with a product with matrices; None for no operator."""
    if A is None:
        return None
    if callable(A) and not hasattr(A, 'shape'):
        return _Function(A, (n, n))
    op = aslinearoperator(A if is_sparse(A) or hasattr(A, 'matvec') else cuprum.asarray(A))
    core = operand(op, dtype)
    return op if core is None else core


def lobpcg(
    A,
    X,
    B=None,
    M=None,
    Y=None,
    tol=None,
    maxiter=None,
    largest=True,
    verbosityLevel=0,
    retLambdaHistory=False,
    retResidualNormsHistory=False,
    restartControl=20,
):
    """Returns the largest or smallest eigenvalues of a Hermitian matrix or operator A, or of A x = w B x with B positive definite.

    X has a column for each eigenvalue, the first guess of the vectors. The result is `(w, v)`, with the largest first for `largest` and
    the smallest first otherwise, and the histories that are requested. `M` approximates the inverse of A; the vectors are orthogonal to
    the columns of `Y`. `tol` bounds the norms of the residuals, by default the square root of the precision times the number of rows;
    `maxiter` is 20 by default. A warning is issued where it is not reached.
    SciPy's function; A. V. Knyazev, 2001.
    """
    X = cuprum.asarray(X)
    if X.ndim != 2:
        raise ValueError('lobpcg: expected rank-2 array for argument X')
    n, k = X.shape
    dtypes = [x.dtype for x in (A, B, X) if getattr(x, 'dtype', None) is not None]
    dtype = floating(*dtypes)
    operators = tuple(_operator(x, n, dtype) for x in (A, B, M))
    Y = None if Y is None else cuprum.asarray(Y)
    maxiter = 20 if maxiter is None else int(maxiter)
    bound = None if tol is None else float(tol)
    w, v, converged, lambdas, norms = _cuprum.eigen.lobpcg(operators, dtype, X.astype(dtype), Y, bound, maxiter, bool(largest))
    if not converged:
        size = min(map(max, norms))
        warnings.warn(f'lobpcg: exited at iteration {len(norms) - 1} with residual norm {size}, not reaching the tolerance', UserWarning, stacklevel=2)
    result = w, v
    lambdas, residual_norms = ([cuprum.asarray(numpy.array(row)) for row in rows] for rows in (lambdas, norms))
    if retLambdaHistory:
        result += (lambdas,)
    if retResidualNormsHistory:
        result += (residual_norms,)
    return result
