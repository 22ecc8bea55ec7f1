"""Krylov methods for square systems: `cg`, `cgs`, `bicg`, `bicgstab`, `qmr`, `tfqmr`, `gmres`, `minres`."""

import math

import numpy

import cuprum
from cuprum import _cuprum

from ._interface import IdentityOperator, aslinearoperator
from ._systems import System, captured, iterate, norm, ratio, solve

__all__ = ['bicg', 'bicgstab', 'cg', 'cgs', 'gmres', 'minres', 'qmr', 'tfqmr']


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves A x = b by the method of conjugate gradients, for a Hermitian, positive definite matrix or operator.

    The result is `(x, info)`. `info` is 0 where the true residual is at most `max(rtol * norm(b), atol)`, and otherwise `maxiter`, by
    default 10 times the number of rows. `M` approximates the inverse of A. `callback(x)` is called after each iteration. Where A and M are
    arrays and there is no callback, the iterations are captured in a graph and repeated on the device. Otherwise they are queued step by
    step; the residual is read every few iterations only, and as many may be done more than needed. Raises ValueError for shapes that do
    not fit. SciPy's function; M. R. Hestenes, E. Stiefel, 1952.
    """
    return solve(System('cg', A, b, x0, M), _cg, rtol, atol, maxiter, callback)


def _cg(system, r):
    z = system.precondition(r)
    p, rho = z.copy(), cuprum.vdot(r, z)
    while True:
        q = system.multiply(p)
        alpha = ratio(rho, cuprum.vdot(p, q))
        system.x += alpha * p
        r = r - alpha * q
        yield r
        z = system.precondition(r)
        before, rho = rho, cuprum.vdot(r, z)
        p = z + ratio(rho, before) * p


def cgs(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves A x = b by the conjugate gradient squared method.

    Parameters and results are those of `cg`; `info` is -10 where the method breaks down. SciPy's function; P. Sonneveld, 1989.
    """
    return solve(System('cgs', A, b, x0, M), _cgs, rtol, atol, maxiter, callback, -10)


def _cgs(system, r):
    shadow, rho = r.copy(), cuprum.vdot(r, r)
    u, p = r.copy(), r.copy()
    while True:
        v = system.multiply(system.precondition(p))
        alpha = ratio(rho, cuprum.vdot(shadow, v))
        q = u - alpha * v
        step = system.precondition(u + q)
        system.x += alpha * step
        r = r - alpha * system.multiply(step)
        yield r
        before, rho = rho, cuprum.vdot(shadow, r)
        beta = ratio(rho, before)
        u = r + beta * q
        p = u + beta * (q + beta * p)


def bicg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves A x = b by the biconjugate gradient method, which needs products with the conjugate transpose of A, and of `M`.

    Parameters and results are those of `cg`; `info` is -10 where the method breaks down. SciPy's function; R. Fletcher, 1976.
    """
    return solve(System('bicg', A, b, x0, M), _bicg, rtol, atol, maxiter, callback, -10)


def _bicg(system, r):
    shadow = r.copy()
    p = shadow_p = rho = None
    while True:
        z, shadow_z = system.precondition(r), system.M.rmatvec(shadow)
        before, rho = rho, cuprum.vdot(shadow, z)
        if p is None:
            p, shadow_p = z, shadow_z
        else:
            beta = ratio(rho, before)
            p, shadow_p = z + beta * p, shadow_z + beta.conj() * shadow_p
        q, shadow_q = system.multiply(p), system.multiply_adjoint(shadow_p)
        alpha = ratio(rho, cuprum.vdot(shadow_p, q))
        system.x += alpha * p
        r = r - alpha * q
        shadow = shadow - alpha.conj() * shadow_q
        yield r


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves A x = b by the stabilised biconjugate gradient method.

    Parameters and results are those of `cg`; `info` is -10 where the method breaks down. SciPy's function; H. A. van der Vorst, 1992.
    """
    return solve(System('bicgstab', A, b, x0, M), _bicgstab, rtol, atol, maxiter, callback, -10)


def _bicgstab(system, r):
    shadow, rho = r.copy(), cuprum.vdot(r, r)
    p = r.copy()
    while True:
        direction = system.precondition(p)
        v = system.multiply(direction)
        alpha = ratio(rho, cuprum.vdot(shadow, v))
        s = r - alpha * v
        second = system.precondition(s)
        t = system.multiply(second)
        omega = ratio(cuprum.vdot(t, s), cuprum.vdot(t, t))
        system.x += alpha * direction + omega * second
        r = s - omega * t
        yield r
        before, rho = rho, cuprum.vdot(shadow, r)
        p = r + ratio(rho, before) * ratio(alpha, omega) * (p - omega * v)


def qmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M1=None, M2=None, callback=None):
    """Solves A x = b by the quasi-minimal residual method, which needs products with the conjugate transpose of A.

    `M1` and `M2` are the left and the right preconditioner: approximations of inverses, whose product approximates the inverse of A. Where A
    and the only one of both are arrays, it is applied from the right, and the iterations are repeated on the device.
    The other parameters and the results are those of `cg`; `info` is -10 where the method breaks down. SciPy's function; R. W. Freund,
    N. M. Nachtigal, 1991.
    """
    given = [m for m in (M1, M2) if m is not None]
    system = System('qmr', A, b, x0, given[0] if len(given) == 1 else None)
    identity = IdentityOperator(system.A.shape, system.dtype)
    left, right = (identity if m is None else aslinearoperator(m) for m in (M1, M2))
    for m in (left, right):
        if m.shape != system.A.shape:
            raise ValueError(f'qmr: matrix and preconditioner have different shapes: {system.A.shape} and {m.shape}')

    def method(system, r):
        return _qmr(system, r, left, right)

    run = solve if len(given) < 2 else iterate
    return run(system, method, rtol, atol, maxiter, callback, -10)


def _qmr(system, r, left, right):
    v, w = r.copy(), r.copy()
    y, z = left.matvec(v), right.rmatvec(w)
    rho, xi = cuprum.linalg.norm(y), cuprum.linalg.norm(z)
    gamma, eta, theta = cuprum.ones((), rho.dtype), -cuprum.ones((), system.dtype), cuprum.zeros((), rho.dtype)
    p = q = d = s = epsilon = None
    while True:
        v, y = v * ratio(1, rho), y * ratio(1, rho)
        w, z = w * ratio(1, xi), z * ratio(1, xi)
        delta = cuprum.vdot(z, y)
        y2, z2 = right.matvec(y), left.rmatvec(z)
        if p is None:
            p, q = y2, z2
        else:
            p = y2 - ratio(xi * delta, epsilon) * p
            q = z2 - (rho * ratio(delta, epsilon)).conj() * q
        pt = system.multiply(p)
        epsilon = cuprum.vdot(q, pt)
        beta = ratio(epsilon, delta)
        v = pt - beta * v
        y = left.matvec(v)
        before, rho = rho, cuprum.linalg.norm(y)
        w = system.multiply_adjoint(q) - beta.conj() * w
        z = right.rmatvec(w)
        xi = cuprum.linalg.norm(z)
        theta_before, theta = theta, ratio(rho, gamma * abs(beta))
        gamma_before, gamma = gamma, 1 / cuprum.sqrt(1 + theta * theta)
        eta = -eta * before * ratio(gamma * gamma, beta * gamma_before * gamma_before)
        factor = (theta_before * gamma) ** 2
        d = eta * p if d is None else eta * p + factor * d
        s = eta * pt if s is None else eta * pt + factor * s
        system.x += d
        r = r - s
        yield r


def tfqmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, show=False):
    """Solves A x = b by the quasi-minimal residual method without transposes.

    An iteration has two products with A, which SciPy counts as two iterations. `maxiter` is by default 10 times the number of rows and at most
    10,000; with `show` the result is printed. The preconditioner is applied from the right. The other parameters and the results are
    those of `cg`; `info` is -1 where the method breaks down. SciPy's function; R. W. Freund, 1993.
    """
    system = System('tfqmr', A, b, x0, M)
    maxiter = min(10000, system.n * 10) if maxiter is None else maxiter
    x, info = solve(system, _tfqmr, rtol, atol, maxiter, callback, -1)
    if show:
        print(f'tfqmr: {"the residual is small enough" if info == 0 else f"the residual is not small enough, info {info}"}')
    return x, info


def _tfqmr(system, r):
    shadow, y, w, rho = r.copy(), r.copy(), r.copy(), cuprum.vdot(r, r)
    tau, theta, eta = cuprum.sqrt(rho.real), cuprum.zeros((), rho.real.dtype), cuprum.zeros_like(rho)
    direction = image = cuprum.zeros_like(r)
    along = other = beta = alpha = None
    while True:
        for half in range(2):
            z = system.precondition(y)
            product = system.multiply(z)
            if half == 0:
                along = product if along is None else product + beta * (other + beta * along)
                alpha = ratio(rho, cuprum.vdot(shadow, along))
            factor = ratio(theta * theta * eta, alpha)
            direction, image = z + factor * direction, product + factor * image
            w = w - alpha * product
            theta = ratio(cuprum.linalg.norm(w), tau)
            squared = 1 / (1 + theta * theta)
            tau, eta = tau * theta * cuprum.sqrt(squared), squared * alpha
            system.x += eta * direction
            r = r - eta * image
            if half == 0:
                y = y - alpha * along
        other = product
        before, rho = rho, cuprum.vdot(shadow, w)
        beta = ratio(rho, before)
        y = w + beta * y
        yield r


# Columns of the Hessenberg matrix between two reads of it.
_COLUMNS = 16


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None):
    """Solves A x = b by the generalised minimal residual method with restarts.

    `restart` is the number of iterations between restarts, 20 by default; `maxiter` bounds the number of restarts, or with
    `callback_type='legacy'` that of iterations. `callback` is called with the relative norm of the residual after each iteration for
    `callback_type` 'pr_norm' and 'legacy', and with x after each restart for 'x'. The other parameters and the results are those of
    `cg`. Where A and M are arrays and there is no callback, the iterations up to a restart are repeated on the device. The small
    least-squares problems are solved on the host in float64. SciPy's function; Y. Saad, M. H. Schultz, 1986.
    """
    if callback is not None and callback_type is None:
        callback_type = 'legacy'
    if callback_type not in (None, 'x', 'pr_norm', 'legacy'):
        raise ValueError(f"gmres: Unknown callback_type: {callback_type!r}: 'x', 'pr_norm' or 'legacy'")
    system = System('gmres', A, b, x0, M)
    cores = captured(system, callback)
    if cores is not None:
        counts = (None if n is None else int(n) for n in (restart, maxiter))
        return _cuprum.Sparse.gmres(cores[0], system.b, system.x, (float(rtol), float(atol)), *counts, cores[1])
    size_b = norm(system.b)
    if size_b == 0:
        return cuprum.zeros_like(system.b), 0
    n, bound = system.n, system.bound(rtol, atol)
    maxiter = n * 10 if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, n)
    legacy = callback_type == 'legacy' and callback is not None
    by_step = callback if callback is not None and callback_type != 'x' else None
    done = cycles = 0
    best, stalled = math.inf, 0
    while True:
        r = system.residual()
        size = norm(r)
        if size <= bound:
            return system.x, 0
        stalled = 0 if size < best * 0.999 else stalled + 1
        best = min(best, size)
        if not math.isfinite(size) or (done if legacy else cycles) >= maxiter or stalled > 3:
            return system.x, max(maxiter if math.isfinite(size) else 1, 1)
        steps = min(restart, maxiter - done) if legacy else restart
        done += _gmres_cycle(system, r, size, size_b, bound, steps, by_step)
        cycles += 1
        if callback is not None and callback_type == 'x':
            callback(system.x)


def _gmres_cycle(system, r, size, size_b, bound, steps, callback):
    """Improves `system.x` by up to `steps` iterations; returns their number."""
    V = cuprum.zeros((steps + 1, system.n), system.dtype)
    H = cuprum.zeros((steps + 1, steps), system.dtype)
    V[0] = r / size
    host = used = None
    for j in range(steps):
        w = system.multiply(system.precondition(V[j]))
        orthogonalize(V, H, w, j)
        last = j + 1 == steps
        if last or callback is not None or (j + 1) % _COLUMNS == 0:
            host = cuprum.asnumpy(H[: j + 2, : j + 1]).astype(numpy.complex128 if system.dtype.kind == 'c' else numpy.float64)
            residuals, used = _residuals(host, size, bound)
            if callback is not None:
                callback(float(residuals[-1]) / size_b)
            if used <= j or residuals[-1] <= bound:
                break
    e = numpy.zeros(used + 1, host.dtype)
    e[0] = size
    y = numpy.linalg.lstsq(host[: used + 1, :used], e, rcond=None)[0]
    system.x += system.precondition(V[:used].T @ cuprum.asarray(y.astype(system.dtype)))
    return used


def _residuals(H, size, bound):
    """Returns the norms of the residuals after each column by Givens rotations, and the number of columns to use."""
    R, g, found, rotations = H.copy(), size, [], []
    for j in range(R.shape[1]):
        for i, (c, s) in enumerate(rotations):
            R[i, j], R[i + 1, j] = c * R[i, j] + s * R[i + 1, j], -numpy.conj(s) * R[i, j] + c * R[i + 1, j]
        a, b = R[j, j], abs(R[j + 1, j])
        length = math.hypot(abs(a), b)
        if length == 0 or not math.isfinite(length):
            return numpy.array([*found, g]), max(j, 1)
        phase = a / abs(a) if a != 0 else 1
        rotations.append((abs(a) / length, phase * b / length))
        R[j, j], R[j + 1, j] = phase * length, 0
        g = g * b / length
        found.append(g)
        if g <= bound or b <= 1e-300:
            return numpy.array(found), j + 1
    return numpy.array(found), R.shape[1]


def orthogonalize(V, H, w, j):
    """Orthogonalises w against the first j + 1 rows of V, twice; its coefficients and its norm become column j of H, and the unit
    vector row j + 1 of V. Nothing waits for the device."""
    basis = V[: j + 1]
    first = (basis @ w.conj()).conj()
    w = w - first @ basis
    second = (basis @ w.conj()).conj()
    w = w - second @ basis
    size = cuprum.linalg.norm(w)
    H[: j + 1, j] = first + second
    H[j + 1, j] = size
    V[j + 1] = w * ratio(1, size)


def minres(A, b, x0=None, shift=0.0, tol=1e-5, maxiter=None, M=None, callback=None, check=False, *, rtol=None, show=False):
    """Solves (A - shift) x = b by the minimal residual method, for a Hermitian matrix or operator, which need not be definite.

    `rtol` is the tolerance, which CuPy calls `tol`; `M` is a positive definite preconditioner; with `check` A and M are tested for
    symmetry. The other parameters and the results are those of `cg`, with `maxiter` of 5 times the number of rows. With a callback, and for
    other operators than arrays, the scalars of each iteration are computed on the host in float64. SciPy's function; C. C. Paige, M. A. Saunders, 1975.
    """
    system = System('minres', A, b, x0, M)
    rtol = tol if rtol is None else rtol
    maxiter = 5 * system.n if maxiter is None else maxiter
    if shift:
        original = system.A
        system.multiply = lambda v: original.matvec(v).astype(system.dtype, copy=False) - shift * v
    if check:
        _check_symmetry(system)
    return solve(system, _minres, rtol, 0.0, maxiter, callback, shift=shift)


def _check_symmetry(system):
    r, eps = system.b, float(numpy.finfo(system.dtype).eps)
    for name, product in (('matrix', system.multiply), ('preconditioner', system.precondition)):
        w = product(r)
        s, t = float(cuprum.vdot(w, w).real), complex(cuprum.vdot(r, product(w)))
        if abs(s - t) > (s + eps) * eps ** (1 / 3):
            raise ValueError(f'minres: non-symmetric {name}')


def _minres(system, r):
    y = system.precondition(r)
    beta = float(cuprum.vdot(r, y).real)
    if beta < 0:
        raise ValueError('minres: indefinite preconditioner')
    beta = first = math.sqrt(beta)
    if beta == 0 or not math.isfinite(beta):
        return
    r_before, r_last, before = r, r, 0.0
    c, s, delta, epsilon, phi = -1.0, 0.0, 0.0, 0.0, first
    w = w_before = cuprum.zeros_like(r)
    residual, image, image_before = r, cuprum.zeros_like(r), cuprum.zeros_like(r)
    while True:
        v = y * (1 / beta)
        av = system.multiply(v)
        y = av
        if before:
            y = y - (beta / before) * r_before
        alpha = float(cuprum.vdot(v, y).real)
        y = y - (alpha / beta) * r_last
        r_before, r_last = r_last, y
        y = system.precondition(r_last)
        before, beta = beta, float(cuprum.vdot(r_last, y).real)
        if beta < 0:
            raise ValueError('minres: indefinite preconditioner')
        beta = math.sqrt(beta)
        old, delta_next = epsilon, c * delta + s * alpha
        gbar = s * delta - c * alpha
        epsilon, delta = s * beta, -c * beta
        gamma = math.hypot(gbar, beta)
        if gamma == 0 or not math.isfinite(gamma):
            return
        c, s = gbar / gamma, beta / gamma
        step, phi = c * phi, s * phi
        w_next = (v - old * w_before - delta_next * w) * (1 / gamma)
        image_next = (av - old * image_before - delta_next * image) * (1 / gamma)
        w_before, w, image_before, image = w, w_next, image, image_next
        system.x += step * w
        residual = residual - step * image
        yield residual
        if beta <= 1e-300 * first:
            return
