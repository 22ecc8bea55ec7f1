"""Eigenvalues and singular values: `eigsh`, `eigs`, `svds`."""

import math
import warnings

import numpy

import cuprum
from cuprum import _cuprum
from cuprum.cupyx.scipy.linalg import lu_factor, lu_solve

from .._arithmetic import is_sparse
from .._construct import eye_array
from ._direct import factorized
from ._filtered import FilteredSubspace, ends, filters
from ._generalised import Metric, matrix_of
from ._interface import LinearOperator, aslinearoperator
from ._systems import floating, operand, square, vector

__all__ = ['ArpackError', 'ArpackNoConvergence', 'eigs', 'eigsh', 'svds']

# Matrices of up to this number of rows are decomposed as dense ones.
DENSE_ROWS = 100
# Restarts of a Krylov iteration before a filtered subspace takes its place, where that is possible.
FEW_RESTARTS = 8


class ArpackError(RuntimeError):
    """Error of an eigenvalue iteration; SciPy's class."""


class ArpackNoConvergence(ArpackError):
    """Raised where not all eigenvalues have converged: the attributes `eigenvalues` and `eigenvectors` have those that have."""

    def __init__(self, msg, eigenvalues, eigenvectors):
        super().__init__(msg)
        self.eigenvalues, self.eigenvectors = eigenvalues, eigenvectors


def _rank(values, which):
    """Returns the positions of values, the most wanted ones first."""
    keys = {
        'LM': lambda v: -abs(v),
        'SM': abs,
        'LA': lambda v: -v.real,
        'SA': lambda v: v.real,
        'LR': lambda v: -v.real,
        'SR': lambda v: v.real,
        'LI': lambda v: -abs(v.imag),
        'SI': lambda v: abs(v.imag),
    }
    if which == 'BE':
        # From both ends in turn, the upper one first.
        ascending = numpy.argsort(values.real, kind='stable')
        n, found = len(ascending), []
        for k in range(n):
            found.append(ascending[n - 1 - k // 2] if k % 2 == 0 else ascending[k // 2])
        return numpy.array(found)
    return numpy.argsort(keys[which](values), kind='stable')


def _start(name, v0, n, dtype, seed=0):
    """Returns the first vector of an iteration: `v0`, or one of random numbers, which for a seed are the same in every call."""
    if v0 is not None:
        return vector(name, 'v0', v0, n).astype(dtype, copy=False)
    values = numpy.random.default_rng(seed).uniform(-1, 1, n)
    return cuprum.asarray(values.astype(numpy.zeros(0, dtype).real.dtype)).astype(dtype, copy=False)


class _Krylov:
    """Restarted Krylov iteration of an operator (G. W. Stewart, "A Krylov-Schur Algorithm for Large Eigenproblems", 2001); of a
    Hermitian one it is the thick-restart Lanczos method with full orthogonalisation."""

    def __init__(self, op, n, dtype, hermitian, ncv, locked=0, matrix=None, outer=None):
        """Creates the iteration of an operator, or of a matrix (`outer`: of its product with its conjugate transpose), whose steps are
        captured and repeated on the device; `locked` is the largest number of vectors that a search stays orthogonal to."""
        self.op, self.n, self.dtype, self.hermitian, self.ncv = op, n, dtype, hermitian, ncv
        self.wide = numpy.complex128 if dtype.kind == 'c' else numpy.float64
        self.matrix = matrix
        self.process = _cuprum.Arnoldi(dtype, n, ncv, locked, matrix, outer)

    def _extend(self, first, locked):
        """Does the steps from `first` on."""
        self.process.extend(first, self.ncv, locked)
        if self.matrix is None:
            vector = self.process.vector()
            for _ in range(first, self.ncv):
                self.process.push(self.op.matvec(vector).astype(self.dtype, copy=False))

    def _decompose(self, H):
        if self.hermitian:
            return numpy.linalg.eigh((H + H.conj().T) / 2)
        return numpy.linalg.eig(H)

    def run(self, start, k, which, tol, maxiter, locked=None):
        """Returns the k most wanted eigenvalues and their vectors as rows, and the number of those that have converged. `locked` has
        orthonormal rows that the search stays orthogonal to."""
        m, fixed = self.ncv, 0 if locked is None else locked.shape[0]
        basis, columns = self.process.basis(), self.process.columns()
        if fixed:
            basis[:fixed] = locked
            for _ in range(2):
                start = start - (locked @ start.conj()).conj() @ locked
        V = basis[fixed:]
        H = numpy.zeros((m + 1, m), self.wide)
        V[0] = start / cuprum.linalg.norm(start)
        kept, eps23 = 0, float(numpy.finfo(self.dtype).eps) ** (2 / 3)
        tol = float(numpy.finfo(self.dtype).eps) if tol == 0 else tol
        for iteration in range(maxiter):
            self._extend(kept, fixed)
            host = cuprum.asnumpy(columns).T.copy()
            host[:, :kept] = H[:, :kept]
            size, used = self._used(host, kept)
            theta, Y = self._decompose(host[:used, :used])
            order = _rank(theta, which)
            row = host[used, :used]
            errors = abs(row @ Y) if used == m else numpy.zeros(used)
            self.ritz, self.errors = theta[order], errors[order]
            wanted = order[: min(k, used)]
            converged = errors[wanted] <= tol * numpy.maximum(eps23 * size, abs(theta[wanted]))
            count = int(converged.sum())
            if count >= min(k, used) or iteration + 1 == maxiter or used < m:
                vectors = cuprum.asarray(Y[:, wanted].T.astype(self.dtype)) @ V[:used]
                return theta[wanted], vectors, converged
            # Half of the others are kept, too: on clustered spectra that takes fewer products than a third or two thirds.
            keep = min(k + count + (m - k) // 2, m - 1)
            chosen = order[:keep]
            Q = Y[:, chosen]
            if self.hermitian:
                S = numpy.diag(theta[chosen])
            else:
                Q, _ = numpy.linalg.qr(Q)
                S = Q.conj().T @ host[:m, :m] @ Q
            new = numpy.zeros((m + 1, m), self.wide)
            new[:keep, :keep] = S
            new[keep, :keep] = row @ Q
            last = V[m].copy()
            V[:keep] = cuprum.asarray(numpy.ascontiguousarray(Q.T).astype(self.dtype)) @ V[:m]
            V[keep] = last
            H, kept = new, keep
        raise ArpackError('no iteration: maxiter must be positive')

    def _used(self, H, kept):
        """Returns the norm of the projected matrix and the number of its columns before an invariant subspace is complete; the first
        `kept` columns are those of a restart."""
        size = float(numpy.linalg.norm(H))
        if not math.isfinite(size):
            raise ArpackError('the products of the matrix are not finite')
        eps = float(numpy.finfo(self.dtype).eps)
        for j in numpy.flatnonzero(abs(numpy.diagonal(H, -1)) <= 10 * eps * size):
            if j >= kept - 1 and numpy.linalg.norm(H[j + 1, : j + 1]) <= 10 * eps * size:
                return size, int(j) + 1
        return size, H.shape[1]


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
    eigenvalue to the bit, `ArpackNoConvergence` where not all have converged in `maxiter` restarts. The projected problems are solved on
    the host in float64.
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
    captured = (operand(searched, dtype), None)
    w, v = _hermitian(searched, n, dtype, k, which, v0, ncv, maxiter, tol, 'eigsh', A if searched is op else None, captured, rng)
    if sigma is not None:
        w = {'normal': sigma + 1 / w, 'buckling': sigma * w / (w - 1), 'cayley': sigma * (w + 1) / (w - 1)}[mode]
    order = numpy.argsort(w, kind='stable')
    real = numpy.zeros(0, dtype).real.dtype
    values = cuprum.asarray(w[order].astype(real))
    if not return_eigenvectors:
        return values
    vectors = v[order].T
    return values, vectors if metric is None else metric.solve_adjoint(cuprum.ascontiguousarray(vectors))


def _hermitian(op, n, dtype, k, which, v0, ncv, maxiter, tol, name, matrix=None, captured=(), rng=None):
    """Returns the k wanted eigenvalues on the host, and their vectors as rows. `captured` is the matrix of the operator, and which of its
    products with its conjugate transpose the operator is."""
    if n <= DENSE_ROWS:
        w, v = cuprum.linalg.eigh(_dense(op if matrix is None else matrix).astype(dtype))
        w = cuprum.asnumpy(w).astype(float)
        chosen = _rank(w, which)[:k]
        return w[chosen], v.T[cuprum.asarray(chosen)]
    ncv = min(n, max(4 * k + 1, 40)) if ncv is None else min(n, max(ncv, k + 2))
    krylov = _Krylov(op, n, dtype, True, ncv, k, *captured)
    maxiter = max(n * 10 // ncv, 100) if maxiter is None else maxiter
    start = _start(name, v0, n, dtype, 0 if rng is None else rng)
    filtering = which != 'SM' and maxiter > FEW_RESTARTS and filters(captured, n, k, ncv)
    w, v, converged = krylov.run(start, k, which, tol, FEW_RESTARTS if filtering else maxiter)
    if filtering and not converged.all():
        found = _filtered(krylov, v, captured, k, which, tol, (maxiter - FEW_RESTARTS) * ncv)
        if found is not None:
            # The start is of random vectors, each of which has a part in all eigenvectors: no member of a cluster is missed.
            return _checked(*found, k, maxiter)
        w, v, converged = krylov.run(start, k, which, tol, maxiter)
    # An invariant subspace of the first vector may have fewer eigenvalues than wanted; a cluster may have more members than found.
    for sweep in range(1, k + 2):
        if not converged.all() or v.shape[0] >= n:
            break
        found, vectors, ok = krylov.run(_start(name, None, n, dtype, sweep), 1, which if which != 'BE' else 'LA', tol, maxiter, v)
        if not ok.all():
            break
        values = numpy.concatenate([w, found])
        order = _rank(values, which)
        size = max(abs(values).max(), 1e-300)
        if len(w) >= k and (len(w) in order[k:] or abs(values[order[k - 1]] - found[0]) <= 1e3 * float(numpy.finfo(dtype).eps) * size):
            break
        every = cuprum.concatenate([v, vectors])
        keep = order[:k]
        w, v = values[keep], every[cuprum.asarray(keep)]
        converged = numpy.ones(len(w), bool)
    return _checked(w, v, converged, k, maxiter)


def _filtered(krylov, start, captured, k, which, tol, products):
    """Returns the wanted eigenvalues, their vectors as rows and which of them have converged, from a filtered subspace at each end of the
    spectrum that has wanted ones; None where filters do not converge."""
    parts = []
    for end, count in ends(which, k, krylov.ritz, krylov.errors):
        subspace = FilteredSubspace(*captured, krylov.n, krylov.dtype, count, end)
        part = subspace.run(start, krylov.ritz, krylov.errors, tol, products)
        if part is None:
            return None
        parts.append(part)
    w, converged = (numpy.concatenate([part[at] for part in parts]) for at in (0, 2))
    v = cuprum.concatenate([part[1] for part in parts])
    chosen = _rank(w, which)[:k]
    return w[chosen], v[cuprum.asarray(chosen)], converged[chosen]


def _checked(w, v, converged, k, maxiter):
    """Returns the eigenvalues and vectors, all of which must have converged."""
    if not converged.all() or len(w) < k:
        done = numpy.flatnonzero(converged)
        message = f'No convergence ({maxiter} restarts, {len(done)}/{k} eigenvectors converged)'
        raise ArpackNoConvergence(message, cuprum.asarray(w[done]), v[cuprum.asarray(done)].T)
    return w, v


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
    iteration computes with complex numbers, its projected problems are solved on the host. SciPy's function; G. W. Stewart, 2001.
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
    if n <= DENSE_ROWS or k >= n - 1:
        w, v = cuprum.linalg.eig(_dense(A if searched is op else searched).astype(dtype))
        w = cuprum.asnumpy(w)
        chosen = _rank(w, which)[:k]
        w, v = w[chosen], v.T[cuprum.asarray(chosen)]
    else:
        ncv = min(n, max(4 * k + 1, 40)) if ncv is None else min(n, max(ncv, k + 2))
        krylov = _Krylov(searched, n, dtype, False, ncv, 0, operand(searched, dtype))
        maxiter = max(n * 10 // ncv, 100) if maxiter is None else maxiter
        found = krylov.run(_start('eigs', v0, n, dtype, 0 if rng is None else rng), k, which, tol, maxiter)
        w, v = _checked(*found, k, maxiter)
    if sigma is not None:
        w = sigma + 1 / w
    values = cuprum.asarray(w.astype(dtype))
    return (values, v.T) if return_eigenvectors else values


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
    dtype = floating(op.dtype)
    small, rng = min(m, n), random_state if rng is None else rng
    if small <= DENSE_ROWS or k >= small - 1:
        dense = _dense(A if not isinstance(A, LinearOperator) else op).astype(dtype)
        u, s, vh = cuprum.linalg.svd(dense, full_matrices=False)
        chosen = slice(0, k) if which == 'LM' else slice(small - k, small)
        u, s, vh = u[:, chosen], s[chosen], vh[chosen]
    else:
        tall = m >= n
        if tall:
            product = LinearOperator((n, n), lambda v: op.rmatvec(op.matvec(v)), dtype=dtype)
        else:
            product = LinearOperator((m, m), lambda v: op.matvec(op.rmatvec(v)), dtype=dtype)
        which = {'LM': 'LA', 'SM': 'SA'}[which]
        core = operand(op, dtype)
        captured = () if core is None else (core, not tall)
        _, rows = _hermitian(product, small, dtype, k, which, v0, ncv, maxiter, tol, 'svds', None, captured, rng)
        # The matrix of the vectors, whose columns are orthonormal.
        right = cuprum.linalg.qr(cuprum.ascontiguousarray(rows.T))[0]
        image = cuprum.asarray(op.matmat(right) if tall else op.rmatmat(right)).astype(dtype, copy=False)
        left, s, turn = cuprum.linalg.svd(image, full_matrices=False)
        other = right @ turn.conj().T
        u, vh = (left, other.conj().T) if tall else (other, left.conj().T)
    s, u, vh = s[::-1], u[:, ::-1], vh[::-1]
    if return_singular_vectors is False:
        return s
    return (None if return_singular_vectors == 'vh' else u), s, (None if return_singular_vectors == 'u' else vh)
