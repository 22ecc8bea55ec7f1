"""Krylov methods that keep vectors of earlier restarts: `lgmres`, `gcrotmk`.

Both build a basis by the Arnoldi process between two restarts, whose steps the device repeats where the matrix and the preconditioner are
arrays. The small least-squares problems are solved on the host in float64.
"""

import math

import numpy

import cuprum
from cuprum import _cuprum

from ._interface import IdentityOperator
from ._systems import System, captured, norm

__all__ = ['gcrotmk', 'lgmres']


class _Cycle:
    """An Arnoldi process of a system's matrix after its preconditioner, of at most `steps` steps."""

    def __init__(self, system, steps, callback):
        self.system = system
        self.plain = isinstance(system.M, IdentityOperator)
        cores = captured(system, callback)
        self.captured = cores is not None
        a, m = cores if self.captured else (None, None)
        self.process = _cuprum.Arnoldi(system.dtype, system.n, steps, 0, a, None, m)
        self.basis, self.columns = self.process.basis(), self.process.columns()

    def extend(self, first, limit, residual=None):
        """Does the steps from `first` to `limit`; returns their preconditioned vectors, None where these are the products of the
        preconditioner with the rows of the basis, and the number of the step before which the process has ended."""
        if self.captured:
            if residual is not None and first == 0:
                return None, self.process.minimize(limit, residual)
            self.process.extend(first, limit, 0)
            return None, limit
        self.process.begin(first, limit, 0)
        vector, applied = self.process.vector(), []
        for _ in range(first, limit):
            # A preconditioner that is a function may change between two steps.
            z = self.system.precondition(vector)
            applied.append(z.copy() if self.plain else z)
            self.process.push(self.system.multiply(z))
        return applied, limit

    def push(self, first, products):
        """Does a step with each of these products."""
        self.process.begin(first, first + len(products), 0)
        for product in products:
            self.process.push(product)

    def hessenberg(self, first, limit):
        """Returns the columns of these steps on the host, and how many of them precede the end of the space."""
        H = cuprum.asnumpy(self.columns[first:limit, : limit + 1]).T
        size = numpy.linalg.norm(H, axis=0)
        for j in range(limit - first):
            if not math.isfinite(size[j]):
                return H, j
            # What is left of the product is rounding: it is in the space.
            if abs(H[first + j + 1, j]) <= numpy.finfo(self.system.dtype).eps * size[j]:
                return H, j + 1 if size[j] > 0 else j
        return H, limit - first

    def combined(self, applied, first, y):
        """Returns the sum of the preconditioned vectors of the steps from `first` on, multiplied by `y`."""
        y = cuprum.asarray(y.astype(self.system.dtype))
        if applied is None or self.plain:
            return self.system.precondition(y @ self.basis[first : first + len(y)])
        return y @ cuprum.stack(applied[: len(y)])


def _checked(name, A, b, x0, M):
    system = System(name, A, b, x0, M)
    if not bool(cuprum.isfinite(system.b).all()):
        raise ValueError(f'{name}: b must contain only finite numbers')
    return system


def _array(v, system):
    return cuprum.asarray(v).ravel().astype(system.dtype, copy=False)


def lgmres(
    A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, callback=None, inner_m=30, outer_k=3, outer_v=None, store_outer_Av=True, prepend_outer_v=False
):
    """Solves A x = b by GMRES with restarts, whose spaces also have the last `outer_k` changes of the solution.

    `inner_m` is the number of iterations between restarts and `maxiter` bounds the number of restarts. `outer_v` is a list of pairs of a
    vector and its product with A, or None for the product, which is changed in place: a later call for a similar system can begin with
    it. The products are not stored without `store_outer_Av`. With `prepend_outer_v` the vectors come first in the space. `callback(x)` is
    called before each restart. The other parameters and the results are those of `cg`. Raises ValueError for shapes that do not fit and
    a right side that is not finite. SciPy's function; A. H. Baker, E. R. Jessup, T. Manteuffel, "A Technique for Accelerating the
    Convergence of Restarted GMRES", 2005.
    """
    system = _checked('lgmres', A, b, x0, M)
    size_b = norm(system.b)
    if size_b == 0:
        return cuprum.zeros_like(system.b), 0
    bound = max(float(atol), float(rtol) * size_b)
    outer_v = [] if outer_v is None else outer_v
    inner = max(1, min(int(inner_m), system.n))
    cycle = _Cycle(system, inner + max(int(outer_k), len(outer_v)), callback)
    for _ in range(maxiter):
        if callback is not None:
            callback(system.x)
        r = system.residual()
        size = norm(r)
        if size <= bound:
            return system.x, 0
        if not math.isfinite(size):
            break
        dx, adx = _lgmres_change(system, cycle, r, size, bound, inner, outer_v, prepend_outer_v)
        if dx is None:
            break
        system.x += dx
        length = norm(dx)
        if length > 0 and math.isfinite(length):
            outer_v.append((dx / length, adx / length if store_outer_Av else None))
        while len(outer_v) > outer_k:
            del outer_v[0]
    return system.x, 0 if norm(system.residual()) <= bound else max(maxiter, 1)


def _lgmres_change(system, cycle, r, size, bound, inner, outer_v, prepend):
    """Returns the change of the solution that minimises the residual, and its product with the matrix; None where the space is empty."""
    kept = [_array(v, system) for v, _ in outer_v]
    products = [system.multiply(v) if av is None else _array(av, system) for v, (_, av) in zip(kept, outer_v)]
    cycle.basis[0] = r / size
    at, limit = 0, inner
    if prepend:
        # The residual follows the kept vectors.
        kept.append(system.precondition(cycle.basis[0]).copy())
        products.append(system.multiply(kept[-1]))
        at = len(kept)
        limit = at + inner - 1
        cycle.push(0, products)
    # Rounding makes the residual somewhat larger than its estimate.
    applied, total = cycle.extend(at, limit, (size, 0.9 * bound))
    if not prepend and total == limit:
        cycle.push(limit, products)
        total += len(products)
    H, used = cycle.hessenberg(0, total)
    if used == 0:
        return None, None
    H = H[: used + 1, :used]
    e = numpy.zeros(used + 1, H.dtype)
    e[0] = size
    y = numpy.linalg.lstsq(H, e, rcond=None)[0]
    of_kept, of_krylov = (y[:at], y[at:]) if prepend else (y[limit:], y[:limit])
    dx = cycle.combined(applied, at, of_krylov) if len(of_krylov) else cuprum.zeros_like(r)
    for coefficient, v in zip(of_kept.astype(system.dtype).tolist(), kept):
        dx = dx + coefficient * v
    return dx, cuprum.asarray((H @ y).astype(system.dtype)) @ cycle.basis[: used + 1]


def gcrotmk(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, callback=None, m=20, k=None, CU=None, discard_C=False, truncate='oldest'):
    """Solves A x = b by the flexible GCROT(m, k) method: GMRES whose spaces are orthogonal to up to `k` vectors of earlier restarts.

    `m` is the number of iterations between restarts, `maxiter` bounds the number of restarts, and `k` is m by default. `CU` is a list of
    pairs `(c, u)` with c = A u, which is changed in place: a later call can begin with it. None for a c has it computed; `discard_C` leaves
    None for each c at the end, as that of the solution, which is the last u, always is. `truncate` selects which vectors are dropped: the 'oldest', or those of the 'smallest' singular values. The
    preconditioner, if it is a function, may change between two iterations. `callback(x)` is called before each restart. The other parameters and the
    results are those of `cg`. Raises ValueError for shapes that do not fit, another `truncate` and a right side that is not finite. SciPy's
    function; J. E. Hicken, D. W. Zingg, "A Simplified and Flexible Variant of GCROT for Solving Nonsymmetric Linear Systems", 2010.
    """
    if truncate not in ('oldest', 'smallest'):
        raise ValueError(f"gcrotmk: truncate must be 'oldest' or 'smallest', not {truncate!r}")
    system = _checked('gcrotmk', A, b, x0, M)
    CU = [] if CU is None else CU
    k = m if k is None else int(k)
    size_b = norm(system.b)
    if size_b == 0:
        return cuprum.zeros_like(system.b), 0
    bound = max(float(atol), float(rtol) * size_b)
    C, U = _recycled(system, CU)
    r = system.residual()
    if len(C):
        along = C.conj() @ r
        system.x += along @ U
        r = r - along @ C
    inner = max(1, min(int(m), system.n))
    steps = max(k, len(C)) + inner + max(k - len(C), 0)
    cycle, info = _Cycle(system, steps, callback), max(maxiter, 1)
    for _ in range(maxiter):
        if callback is not None:
            callback(system.x)
        size = norm(r)
        if size <= bound:
            r = system.residual()
            size = norm(r)
        if size <= bound or not math.isfinite(size):
            break
        found = _gcrot_change(system, cycle, r, size, inner + max(k - len(C), 0), C, U)
        if found is None:
            r = system.residual()
            break
        c, u, B, R = found
        along = cuprum.vdot(c, r)
        r = r - along * c
        system.x += along * u
        if k < 1:
            continue
        if len(C) >= k:
            C, U = (C[len(C) - k + 1 :], U[len(U) - k + 1 :]) if truncate == 'oldest' else _largest(C, U, B, R, k - 1)
        C, U = cuprum.concatenate([C, c[None]]), cuprum.concatenate([U, u[None]])
    if norm(system.residual()) <= bound:
        info = 0
    most = max(len(C) - k, 0)
    CU[:] = [(None if discard_C else c.copy(), u.copy()) for c, u in zip(C[most:], U[most:])] + [(None, system.x.copy())]
    return system.x, info


def _recycled(system, CU):
    """Returns orthonormal vectors C and the vectors U whose products with the matrix they are, as rows, of the pairs of a call before."""
    if not CU:
        return (cuprum.zeros((0, system.n), system.dtype),) * 2
    # Vectors without a product come first: the solution before is one.
    pairs = sorted(CU, key=lambda pair: pair[0] is not None)
    U = cuprum.stack([_array(u, system) for _, u in pairs])
    C = cuprum.stack([system.multiply(u) if c is None else _array(c, system) for (c, _), u in zip(pairs, U)])
    # Gram-Schmidt by a QR decomposition; vectors that depend on those before them are dropped.
    Q, R = (cuprum.asnumpy(part) if k else part for k, part in enumerate(cuprum.linalg.qr(C.T)))
    size = abs(numpy.diagonal(R))
    kept = numpy.flatnonzero(size > 1e-12 * size.max(initial=0.0))
    if len(kept) < len(size):
        C, U = C[kept], U[kept]
        if not len(kept):
            return C, U
        Q, R = cuprum.linalg.qr(C.T)
        R = cuprum.asnumpy(R)
    inverse = numpy.linalg.inv(R.T).astype(system.dtype)
    return Q.T.copy(), cuprum.asarray(inverse) @ U


def _gcrot_change(system, cycle, r, size, steps, C, U):
    """Returns the unit vector c along which the residual falls, u of which it is the product, and the coefficients of the steps."""
    fixed = len(C)
    cycle.basis[:fixed] = C
    cycle.basis[fixed] = r / size
    applied, _ = cycle.extend(fixed, fixed + steps)
    columns, used = cycle.hessenberg(fixed, fixed + steps)
    if used == 0:
        return None
    B, H = columns[:fixed, :used], columns[fixed : fixed + used + 1, :used]
    e = numpy.zeros(used + 1, H.dtype)
    e[0] = size
    y = numpy.linalg.lstsq(H, e, rcond=None)[0]
    u = cycle.combined(applied, fixed, y)
    if fixed:
        u = u - cuprum.asarray((B @ y).astype(system.dtype)) @ U
    c = cuprum.asarray((H @ y).astype(system.dtype)) @ cycle.basis[fixed : fixed + used + 1]
    length = norm(c)
    if length == 0 or not math.isfinite(length):
        return None
    return c / length, u / length, B, numpy.linalg.qr(H)[1]


def _largest(C, U, B, R, count):
    """Returns the `count` combinations of the vectors that the space of the last restart needs most, by singular values."""
    if count == 0:
        return C[:0], U[:0]
    D = numpy.linalg.lstsq(R.T, B.T, rcond=None)[0].T
    W = numpy.linalg.svd(D, full_matrices=True)[0][:, :count]
    W = cuprum.asarray(numpy.ascontiguousarray(W.T).astype(C.dtype))
    return W @ C, W @ U
