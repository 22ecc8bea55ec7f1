"""Locally optimal block preconditioned conjugate gradients: `lobpcg`."""

import warnings

import numpy

import cuprum

from .._arithmetic import is_sparse
from ._interface import aslinearoperator
from ._systems import floating

__all__ = ['lobpcg']


def _apply(name, A, dtype):
    """Returns the product of an operator, a matrix or a function with a matrix; None for no operator."""
    if A is None:
        return None
    if callable(A) and not hasattr(A, 'shape'):
        return lambda X: cuprum.asarray(A(X)).astype(dtype, copy=False)
    op = aslinearoperator(A if is_sparse(A) or hasattr(A, 'matvec') else cuprum.asarray(A))
    return lambda X: cuprum.asarray(op.matmat(X)).astype(dtype, copy=False)


def _gram(X, Y):
    return cuprum.asnumpy(X.conj().T @ Y).astype(numpy.complex128 if X.dtype.kind == 'c' else numpy.float64)


def _orthonormal(S, BS, eps):
    """Returns the matrix Z of the host that makes the columns of S Z orthonormal with regard to B, without those that depend on others."""
    G = _gram(S, BS)
    G = (G + G.conj().T) / 2
    scale = 1 / numpy.sqrt(numpy.maximum(numpy.diag(G).real, 1e-300))
    values, vectors = numpy.linalg.eigh(G * scale[:, None] * scale)
    good = values > eps * len(values) * values.max()
    return scale[:, None] * (vectors[:, good] / numpy.sqrt(values[good]))


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
    `maxiter` is 20 by default. A warning is issued where it is not reached. The small problems are solved on the host in float64.
    SciPy's function; A. V. Knyazev, 2001.
    """
    X = cuprum.asarray(X)
    if X.ndim != 2:
        raise ValueError('lobpcg: expected rank-2 array for argument X')
    n, k = X.shape
    dtypes = [x.dtype for x in (A, B, X) if getattr(x, 'dtype', None) is not None]
    dtype = floating(*dtypes)
    eps = float(numpy.finfo(dtype).eps)
    multiply, multiply_b, precondition = (_apply('lobpcg', x, dtype) for x in (A, B, M))
    tol = eps**0.5 * n if tol is None or tol <= 0 else tol
    maxiter = 20 if maxiter is None else maxiter
    X = X.astype(dtype, copy=False)
    if Y is not None:
        Y = cuprum.asarray(Y).astype(dtype, copy=False)
        if Y.ndim != 2 or Y.shape[0] != n:
            raise ValueError(f'lobpcg: Y of shape {Y.shape} does not fit X of shape {X.shape}')
    free = n - (0 if Y is None else Y.shape[1])
    if k > free:
        raise ValueError(f'lobpcg: X has {k} columns, more than the {free} dimensions that Y leaves')

    def times_b(S):
        return S if multiply_b is None else multiply_b(S)

    def device(Z):
        return cuprum.asarray(numpy.ascontiguousarray(Z).astype(dtype))

    if Y is not None:
        Y = Y @ device(_orthonormal(Y, times_b(Y), eps))
        by = times_b(Y)

    def constrain(S):
        return S if Y is None else S - Y @ (by.conj().T @ S)

    X = constrain(X)
    Z = _orthonormal(X, times_b(X), eps)
    if Z.shape[1] < k:
        raise ValueError('lobpcg: the columns of X are linearly dependent')
    X = X @ device(Z)
    P = None
    sign = -1 if largest else 1
    lambdas, residual_norms = [], []
    AX = multiply(X)
    T, Q = numpy.linalg.eigh(_hermitian(_gram(X, AX)))
    order = numpy.argsort(sign * T, kind='stable')[:k]
    w, Q = T[order], device(Q[:, order])
    X, AX = X @ Q, AX @ Q
    best = None
    for iteration in range(maxiter + 1):
        R = AX - times_b(X) * device(w)
        sizes = cuprum.asnumpy(cuprum.linalg.norm(R, axis=0))
        lambdas.append(cuprum.asarray(w))
        residual_norms.append(cuprum.asarray(sizes))
        if best is None or sizes.max() < best[0]:
            best = sizes.max(), w, X
        if sizes.max() <= tol or iteration == maxiter or not numpy.isfinite(sizes).all():
            break
        active = cuprum.asarray(numpy.flatnonzero(sizes > tol))
        W = R[:, active]
        W = constrain(W if precondition is None else precondition(W))
        # Twice, so that what is left of X is of the size of rounding errors.
        bx = times_b(X)
        for _ in range(2):
            W = W - X @ (bx.conj().T @ W)
        parts = [X, W] if P is None else [X, W, P]
        S = cuprum.concatenate(parts, axis=1)
        Z = _orthonormal(S, times_b(S), eps)
        basis = S @ device(Z)
        # A second time: the columns of S may be nearly dependent.
        again = _orthonormal(basis, times_b(basis), eps)
        basis, Z = basis @ device(again), Z @ again
        image = multiply(basis)
        T, Q = numpy.linalg.eigh(_hermitian(_gram(basis, image)))
        order = numpy.argsort(sign * T, kind='stable')[:k]
        w, Q = T[order], Q[:, order]
        coefficients = Z @ Q
        P = S[:, k:] @ device(coefficients[k:])
        Q = device(Q)
        X, AX = basis @ Q, image @ Q
    size, w, X = best
    if not size <= tol:
        warnings.warn(f'lobpcg: exited at iteration {iteration} with residual norm {size}, not reaching the tolerance {tol}', UserWarning, stacklevel=2)
    real = numpy.zeros(0, dtype).real.dtype
    result = cuprum.asarray(w.astype(real)), X
    if retLambdaHistory:
        result += (lambdas,)
    if retResidualNormsHistory:
        result += (residual_norms,)
    return result


def _hermitian(G):
    return (G + G.conj().T) / 2
