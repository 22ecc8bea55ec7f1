"""Eigenvalues and singular values: `eigsh`, `eigs`, `svds`."""

import warnings

import numpy

import cuprum
from cuprum import _cuprum
from cuprum.cupyx.scipy.linalg import lu_factor, lu_solve

from .._arithmetic import is_sparse
from .._construct import eye_array
from ._direct import factorized
from ._generalised import Metric, matrix_of
from ._interface import LinearOperator, aslinearoperator
from ._systems import floating, operand, square, vector

__all__ = ['ArpackError', 'ArpackNoConvergence', 'eigs', 'eigsh', 'svds']


class ArpackError(RuntimeError):
    """Error of an eigenvalue iteration; SciPy's class."""


class ArpackNoConvergence(ArpackError):
    """Raised where not all eigenvalues have converged: the attributes `eigenvalues` and `eigenvectors` have those that have."""

    def __init__(self, msg, eigenvalues, eigenvectors):
        super().__init__(msg)
        self.eigenvalues, self.eigenvectors = eigenvalues, eigenvectors


def _start(name, v0, n, rng):
    """Returns the first vector of an iteration: `v0`, or one of random numbers of a seed; None for the same one in every call."""
    if v0 is not None:
        return vector(name, 'v0', v0, n)
    return None if rng is None else cuprum.asarray(numpy.random.default_rng(rng).uniform(-1, 1, n))


def _call(function, *args):
    """Calls a function of the core, whose error for products that are not finite has a class of its own."""
    try:
        return function(*args)
    except ValueError as error:
        if 'not finite' in str(error):
            raise ArpackError(str(error)) from None
        raise


def _eigenpairs(name, op, dtype, k, which, v0, ncv, maxiter, tol, rng, general):
    """Returns the eigenvalues and the eigenvectors of an operator, all of which must have converged."""
    v0, core = _start(name, v0, op.shape[0], rng), operand(op, dtype)
    limits = None if ncv is None else int(ncv), None if maxiter is None else int(maxiter)
    w, v, info = _call(_cuprum.eigen.eigenpairs, op if core is None else core, dtype, int(k), which, v0, limits, float(tol), general)
    if info:
        raise ArpackNoConvergence(_unconverged(info, len(w), k), w, v)
    return w, v


def _unconverged(info, done, k):
    return f'No convergence ({info} restarts, {done}/{k} eigenvectors converged)'


def _dense(A):
    if isinstance(A, cuprum.ndarray):
        return A
    if is_sparse(A):
        return A.toarray()
    return cuprum.asarray(A.matmat(cuprum.eye(A.shape[1], dtype=A.dtype)))


def _arguments(name, A, k, which, allowed, ncv, n, v0, maxiter):
    if which not in allowed:
        raise ValueError(f'{name}: which must be one of {" ".join(allowed)}, not {which!r}')
    if k <= 0:
        raise ValueError(f'{name}: k={k} must be greater than 0')
    if ncv is not None and not k < ncv <= n:
        raise ValueError(f'{name}: ncv must be k<ncv<=n, ncv={ncv}')
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f'{name}: maxiter must be positive, maxiter={maxiter}')


def _solutions(A, dtype):
    """Returns the operator of the inverse of a matrix, by its factors."""
    if is_sparse(A):
        return LinearOperator(A.shape, factorized(A.tocsc()), dtype=dtype)
    factors = lu_factor(A)
    return LinearOperator(A.shape, lambda v: lu_solve(factors, v), dtype=dtype)


def _inverse(name, A, op, sigma, OPinv, dtype, M=None):
    """Returns the operator of `(A - sigma * M)^-1`, with the identity for M where there is none."""
    if OPinv is not None:
        return aslinearoperator(OPinv)
    if isinstance(A, LinearOperator):
        raise NotImplementedError(f'{name}: sigma needs OPinv, the operator of (A - sigma M)^-1, for an operator that is no matrix')
    n, sigma = op.shape[0], dtype.type(sigma)
    if is_sparse(A) and (M is None or is_sparse(M)):
        shifted = A.astype(dtype).tocsc() - (eye_array(n, dtype=dtype, format='csc') if M is None else M.tocsc()) * sigma
        return _solutions(shifted, dtype)
    dense = (A.toarray() if is_sparse(A) else cuprum.asarray(A)).astype(dtype)
    metric = cuprum.eye(n, dtype=dtype) if M is None else M.toarray() if is_sparse(M) else M
    return _solutions(dense - metric * sigma, dtype)


def _hermitian_operator(name, A, op, M, sigma, OPinv, dtype, mode):
    """Returns the Hermitian operator whose eigenvalues `_hermitian` computes, and the metric that turns its eigenvectors into those of the
    problem, or None."""
    n = op.shape[0]
    if M is None and mode != 'buckling':
        if sigma is None:
            return op, None
        inverse = _inverse(name, A, op, sigma, OPinv, dtype)
        if mode == 'normal':
            return inverse, None
        return LinearOperator(op.shape, lambda v: inverse.matvec(op.matvec(v) + sigma * v), dtype=dtype), None
    M = None if M is None else matrix_of(name, 'M', M, n, dtype)
    metric = Metric(matrix_of(name, 'A', A, n, dtype) if mode == 'buckling' else M)
    if sigma is None:
        apply = lambda y: metric.solve(op.matvec(metric.solve_adjoint(y)))  # noqa: E731
    else:
        inverse = _inverse(name, A, op, sigma, OPinv, dtype, M)
        if mode == 'cayley':
            shifted = lambda x: op.matvec(x) + sigma * (M @ x)  # noqa: E731
            apply = lambda y: metric.adjoint(inverse.matvec(shifted(metric.solve_adjoint(y))))  # noqa: E731
        else:
            apply = lambda y: metric.adjoint(inverse.matvec(metric.product(y)))  # noqa: E731
    return LinearOperator(op.shape, apply, dtype=dtype), metric


def eigsh(
    A, k=6, M=None, sigma=None, which='LM', v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True, Minv=None, OPinv=None, mode='normal', rng=None
):
    """Returns k eigenvalues and eigenvectors of a Hermitian matrix or operator.

    The result is `(w, v)` with the eigenvalues in ascending order and the vectors as columns, or w alone. `which` is 'LM' (largest
    magnitude), 'SM' (smallest), 'LA' and 'SA' (largest, smallest) or 'BE' (from both ends). With `sigma` the eigenvalues nearest to it are
    found by the operator of `(A - sigma)^-1`, which is `OPinv` or a factorisation of the matrix, and `which` ranks `1 / (w - sigma)`; for
    the `mode` 'buckling' it ranks `w / (w - sigma)`, for 'cayley' `(w + sigma) / (w - sigma)`. `rng` is the seed of the first vector. After convergence a second search,
    orthogonal to the vectors found, looks for members of clusters that the first one has missed. Where a sparse matrix has not converged
    after a few restarts (and `which` is not 'SM'), a subspace of `max(2 * k, k + 10)` vectors is filtered by Chebyshev polynomials instead,
    until the norms of the residuals are at most `max(tol * abs(w), 16 * eps * norm(A))`. `M` is a positive definite matrix, sparse or
    dense, whose Cholesky factor turns `A x = w M x` into a problem of one matrix; the vectors are orthonormal in its inner product. `Minv`
    is not used; an operator for `M` raises NotImplementedError, as `sigma` for an operator without `OPinv` does. Raises TypeError for k
    that is not less than the number of rows, LinAlgError for an `M` that is not positive definite, RuntimeError for a `sigma` that is an
    eigenvalue to the bit, `ArpackNoConvergence` where not all have converged in `maxiter` restarts.
    SciPy's function; K. Wu, H. Simon, "Thick-Restart Lanczos Method for Large Symmetric Eigenvalue Problems", 2000; Y. Zhou and others,
    Journal of Computational Physics 219, 2006.
    """
    op = square('eigsh', A)
    n = op.shape[0]
    _arguments('eigsh', A, k, which, ('LM', 'SM', 'LA', 'SA', 'BE'), ncv, n, v0, maxiter)
    if Minv is not None and M is None:
        raise ValueError('eigsh: Minv needs M, whose inverse it is')
    if mode not in ('normal', 'buckling', 'cayley'):
        raise ValueError(f'eigsh: mode must be normal, buckling or cayley, not {mode!r}')
    if sigma is None and mode != 'normal':
        raise ValueError(f'eigsh: mode {mode!r} needs sigma')
    dtype = floating(op.dtype) if M is None else floating(op.dtype, M.dtype)
    if k >= n:
        if is_sparse(A) or isinstance(A, LinearOperator):
            raise TypeError(f'eigsh: k={k} must be less than the number of rows, {n}: use linalg.eigh(A.toarray())')
        if M is not None:
            raise TypeError(f'eigsh: k={k} must be less than the number of rows, {n}, with M')
        warnings.warn('eigsh: k >= N for N * N square matrix: all eigenvalues are computed by eigh', RuntimeWarning, stacklevel=2)
        w, v = cuprum.linalg.eigh(A)
        return (w, v) if return_eigenvectors else w
    searched, metric = _hermitian_operator('eigsh', A, op, M, sigma, OPinv, dtype, mode)
    values, vectors = _eigenpairs('eigsh', searched, dtype, k, which, v0, ncv, maxiter, tol, rng, False)
    if sigma is not None:
        w = cuprum.asnumpy(values).astype(float)
        w = {'normal': sigma + 1 / w, 'buckling': sigma * w / (w - 1), 'cayley': sigma * (w + 1) / (w - 1)}[mode]
        order = numpy.argsort(w, kind='stable')
        values, vectors = cuprum.asarray(w[order].astype(values.dtype)), vectors[:, cuprum.asarray(order)]
    if not return_eigenvectors:
        return values
    return values, vectors if metric is None else metric.solve_adjoint(cuprum.ascontiguousarray(vectors))


def _general_operator(name, A, op, M, Minv, sigma, OPinv, dtype):
    """Returns the operator whose eigenvalues `eigs` computes: `M^-1 A`, or `(A - sigma M)^-1 M`."""
    n = op.shape[0]
    if M is None:
        return op if sigma is None else _inverse(name, A, op, sigma, OPinv, dtype)
    if sigma is not None:
        metric = M if isinstance(M, LinearOperator) and OPinv is not None else matrix_of(name, 'M', M, n, dtype)
        return _inverse(name, A, op, sigma, OPinv, dtype, metric) * aslinearoperator(metric)
    if Minv is not None:
        return aslinearoperator(Minv) * op
    return _solutions(matrix_of(name, 'M', M, n, dtype), dtype) * op


def eigs(
    A, k=6, M=None, sigma=None, which='LM', v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True, Minv=None, OPinv=None, OPpart=None, rng=None
):
    """Returns k eigenvalues and eigenvectors of a square matrix or operator, which need not be symmetric.

    The result is `(w, v)`, complex, with the vectors as columns, the most wanted first; or w alone. `which` is 'LM', 'SM' (magnitude),
    'LR', 'SR' (real part), 'LI' or 'SI' (magnitude of the imaginary part). With `sigma` the eigenvalues nearest to
    it are found by the operator of `(A - sigma)^-1`, which is `OPinv` or a factorisation of the matrix. `rng` is the seed of the first vector. With `M`, a regular matrix, or `Minv`, the operator
    of its inverse, the problem is `A x = w M x`. `sigma` for an operator without `OPinv` raises NotImplementedError. Raises TypeError for k of the number of rows - 1 or more, `ArpackNoConvergence` where not all have converged in `maxiter` restarts. The
    iteration computes with complex numbers. SciPy's function; G. W. Stewart, 2001.
    """
    op = square('eigs', A)
    n = op.shape[0]
    _arguments('eigs', A, k, which, ('LM', 'SM', 'LR', 'SR', 'LI', 'SI'), ncv, n, v0, maxiter)
    if Minv is not None and M is None:
        raise ValueError('eigs: Minv needs M, whose inverse it is')
    if M is not None and k >= n - 1:
        raise TypeError(f'eigs: k={k} must be less than the number of rows - 1, {n - 1}, with M')
    if k >= n - 1 and (is_sparse(A) or isinstance(A, LinearOperator)):
        raise TypeError(f'eigs: k={k} must be less than the number of rows - 1, {n - 1}: use linalg.eig(A.toarray())')
    single = floating(op.dtype, *(() if M is None else (M.dtype,))) in (numpy.float32, numpy.complex64)
    dtype = numpy.dtype(numpy.complex64 if single else numpy.complex128)
    searched = _general_operator('eigs', A, op, M, Minv, sigma, OPinv, dtype)
    if k >= n:
        w, v = cuprum.linalg.eig(_dense(A if searched is op else searched).astype(dtype))
    else:
        w, v = _eigenpairs('eigs', searched, dtype, k, which, v0, ncv, maxiter, tol, rng, True)
    if sigma is not None:
        w = (sigma + 1 / w.astype(cuprum.complex128)).astype(dtype)
    return (w, v) if return_eigenvectors else w


def svds(
    A, k=6, ncv=None, tol=0, which='LM', v0=None, maxiter=None, return_singular_vectors=True, solver='arpack', rng=None, options=None, *, random_state=None
):
    """Returns k singular values and vectors of a matrix or operator.

    The result is `(u, s, vh)` with the singular values in ascending order, s alone for `return_singular_vectors=False`; 'u' and 'vh'
    return None for the other vectors. `which` is 'LM' or 'SM'. k may be as large as the smaller length of A. `rng`, or `random_state`, is the seed of the first vector. The vectors are those of
    `eigsh` for the product of A and its conjugate transpose, from which the singular values are computed by a dense decomposition of
    A times them: so small ones keep the precision of A. Raises ValueError for k out of range. SciPy's function.
    """
    op = aslinearoperator(A)
    m, n = op.shape
    if not isinstance(k, (int, numpy.integer)) or not 0 < k <= min(m, n):
        raise ValueError(f'svds: k must be an integer satisfying 0 < k <= min(A.shape), not {k!r}')
    if which not in ('LM', 'SM'):
        raise ValueError(f"svds: which must be in {{'LM', 'SM'}}, not {which!r}")
    if solver not in ('arpack', 'lobpcg', 'propack'):
        raise ValueError(f'svds: solver must be one of arpack, lobpcg and propack, not {solver!r}')
    if return_singular_vectors not in (True, False, 'u', 'vh'):
        raise ValueError(f"svds: return_singular_vectors must be in (True, False, 'vh', 'u'), not {return_singular_vectors!r}")
    dtype, rng = floating(op.dtype), random_state if rng is None else rng
    v0, core = _start('svds', v0, min(m, n), rng), operand(op, dtype)
    ncv = None if ncv is None else min(m, n, max(int(ncv), k + 2))
    limits = ncv, None if maxiter is None else int(maxiter)
    u, s, vh, info = _call(_cuprum.eigen.svds, op if core is None else core, dtype, int(k), which, v0, limits, float(tol))
    if info:
        raise ArpackNoConvergence(_unconverged(info, len(s), k), s, u)
    if return_singular_vectors is False:
        return s
    return (None if return_singular_vectors == 'vh' else u), s, (None if return_singular_vectors == 'u' else vh)
