"""Least-squares solvers: `lsqr`, `lsmr`."""

import math

import numpy

import cuprum
from cuprum import _cuprum

from ._interface import aslinearoperator
from ._systems import floating, norm, operand, vector

__all__ = ['lsmr', 'lsqr']


def _on_device(name, A, b, x0, limits, maxiter, calc_var=False):
    """Solves a problem whose iterations the device repeats; None for an operator that is not a matrix."""
    A = aslinearoperator(A)
    m, n = A.shape
    b = vector(name, 'b', b, m)
    x0 = None if x0 is None else vector(name, 'x0', x0, n)
    core = operand(A, floating(b.dtype if A.dtype is None else A.dtype, b.dtype)) if m and n else None
    if core is None:
        return None
    maxiter = None if maxiter is None else int(maxiter)
    return _cuprum.Sparse.least_squares(name, core, b, x0, [float(limit) for limit in limits], maxiter, bool(calc_var))


class _Bidiagonalization:
    """Golub-Kahan bidiagonalisation of A from b: unit vectors u and v, and the numbers alpha and beta of each step on the host."""

    def __init__(self, name, A, b, x0):
        A = aslinearoperator(A)
        m, n = A.shape
        b = vector(name, 'b', b, m)
        dtype = floating(b.dtype if A.dtype is None else A.dtype, b.dtype)
        self.A, self.dtype, self.shape = A, dtype, (m, n)
        b = b.astype(dtype, copy=False)
        self.size_b = norm(b)
        if x0 is None:
            self.x, self.u = cuprum.zeros(n, dtype), b.copy()
        else:
            self.x = vector(name, 'x0', x0, n).astype(dtype, copy=True)
            self.u = b - self._multiply(self.x)
        self.beta = norm(self.u)
        if self.beta > 0:
            self.u *= 1 / self.beta
            self.v = self._multiply_adjoint(self.u)
            self.alpha = norm(self.v)
        else:
            self.v, self.alpha = self.x.copy(), 0.0
        if self.alpha > 0:
            self.v *= 1 / self.alpha

    def _multiply(self, v):
        return self.A.matvec(v).astype(self.dtype, copy=False)

    def _multiply_adjoint(self, v):
        return self.A.rmatvec(v).astype(self.dtype, copy=False)

    def step(self):
        """Computes the next vectors and numbers."""
        self.u = self._multiply(self.v) - self.alpha * self.u
        self.beta = norm(self.u)
        if self.beta > 0:
            self.u *= 1 / self.beta
            self.v = self._multiply_adjoint(self.u) - self.beta * self.v
            self.alpha = norm(self.v)
            if self.alpha > 0:
                self.v *= 1 / self.alpha


def _rotation(a, b):
    """Returns the Givens rotation (c, s, r) that makes (a, b) to (r, 0)."""
    r = math.hypot(a, b)
    return (1.0, 0.0, 0.0) if r == 0 else (a / r, b / r, r)


def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False, x0=None):
    """Minimises the norm of A x - b, or of (A x - b, damp x), for a matrix or operator of any shape, by LSQR.

    The result is the tuple of SciPy: `(x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var)`. `istop` is 0 for x = 0, 1 for
    a solution of A x = b, 2 for a least-squares solution, 3 where the condition reaches `conlim`, 4 to 6 for the same at the precision of
    float64, 7 for `iter_lim` iterations (by default twice the number of columns). The iterations with a matrix are repeated on the device;
    those with another operator compute their scalars on the host. SciPy's function; C. C. Paige, M. A. Saunders, 1982.
    """
    found = _on_device('lsqr', A, b, x0, (damp, atol, btol, conlim), iter_lim, calc_var)
    if found is not None:
        x, var, istop, itn, norms = found
        return x, istop, itn, *norms, var
    g = _Bidiagonalization('lsqr', A, b, x0)
    m, n = g.shape
    iter_lim = 2 * n if iter_lim is None else iter_lim
    var = cuprum.zeros(n, cuprum.zeros(0, g.dtype).real.dtype)
    eps, limit = float(numpy.finfo(numpy.float64).eps), 1 / conlim if conlim > 0 else 0.0
    x, w = g.x, g.v.copy()
    rho_bar, phi_bar = g.alpha, g.beta
    r1norm = r2norm = g.beta
    arnorm = g.alpha * g.beta
    anorm = acond = ddnorm = res2 = xnorm = xxnorm = z = 0.0
    cs2, sn2, itn, istop = -1.0, 0.0, 0, 0
    if arnorm == 0:
        return x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
    while itn < iter_lim:
        itn += 1
        alpha_before = g.alpha
        g.step()
        if g.beta > 0:
            anorm = math.sqrt(anorm**2 + alpha_before**2 + g.beta**2 + damp**2)
        if damp > 0:
            first = math.hypot(rho_bar, damp)
            psi, phi_bar, rho_bar = damp / first * phi_bar, rho_bar / first * phi_bar, first
        else:
            psi = 0.0
        cs, sn, rho = _rotation(rho_bar, g.beta)
        theta, rho_bar = sn * g.alpha, -cs * g.alpha
        phi, phi_bar = cs * phi_bar, sn * phi_bar
        tau = sn * phi
        scaled = w * (1 / rho)
        x = x + phi * scaled
        ddnorm += norm(scaled) ** 2
        if calc_var:
            var = var + abs(scaled) ** 2
        w = g.v - theta * scaled
        delta, gbar = sn2 * rho, -cs2 * rho
        rhs = phi - delta * z
        xnorm = math.sqrt(xxnorm + (rhs / gbar) ** 2)
        gamma = math.hypot(gbar, theta)
        cs2, sn2, z = gbar / gamma, theta / gamma, rhs / gamma
        xxnorm += z * z
        acond = anorm * math.sqrt(ddnorm)
        res2 += psi * psi
        rnorm = math.sqrt(phi_bar**2 + res2)
        arnorm = g.alpha * abs(tau)
        square = rnorm**2 - damp**2 * xxnorm
        r1norm, r2norm = math.copysign(math.sqrt(abs(square)), square), rnorm
        test1, test2, test3 = rnorm / g.size_b if g.size_b else 0.0, arnorm / (anorm * rnorm + eps), 1 / (acond + eps)
        scale = anorm * xnorm / g.size_b if g.size_b else 0.0
        istop = _stop(itn, iter_lim, test1, test1 / (1 + scale), btol + atol * scale, test2, atol, test3, limit)
        if istop:
            break
    return x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var


def _stop(itn, most, test1, relative, bound, test2, atol, test3, limit):
    """Returns the reason to stop, or 0: the smallest number of those that hold."""
    if test1 <= bound:
        return 1
    if test2 <= atol:
        return 2
    if test3 <= limit:
        return 3
    if 1 + relative <= 1:
        return 4
    if 1 + test2 <= 1:
        return 5
    if 1 + test3 <= 1:
        return 6
    return 7 if itn >= most else 0


def lsmr(A, b, x0=None, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False):
    """Minimises the norm of A x - b, or of (A x - b, damp x), for a matrix or operator of any shape, by LSMR.

    The result is `(x, istop, itn, normr, normar, norma, conda, normx)`, with `istop` as of `lsqr`; `maxiter` is by default the smaller
    length of A. The order of the parameters is CuPy's; SciPy has `damp` before `x0`. The iterations with a matrix are repeated on
    the device; those with another operator compute their scalars on the host. D. C.-L. Fong, M. A. Saunders, 2011.
    """
    found = _on_device('lsmr', A, b, x0, (damp, atol, btol, conlim), maxiter)
    if found is not None:
        x, _, istop, itn, (_, normr, norma, conda, normar, normx) = found
        return x, istop, itn, normr, normar, norma, conda, normx
    g = _Bidiagonalization('lsmr', A, b, x0)
    maxiter = min(g.shape) if maxiter is None else maxiter
    x, limit = g.x, 1 / conlim if conlim > 0 else 0.0
    itn = istop = 0
    zeta_bar, alpha_bar, rho, rho_bar, c_bar, s_bar = g.alpha * g.beta, g.alpha, 1.0, 1.0, 1.0, 0.0
    h, h_bar = g.v.copy(), cuprum.zeros_like(g.v)
    beta_dd, beta_d, rho_d_old, tau_tilde_old, theta_tilde, zeta, d = g.beta, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    squares, rho_bar_most, rho_bar_least = g.alpha**2, 0.0, 1e100
    norma, conda, normx, normr, normar = math.sqrt(squares), 1.0, 0.0, g.beta, g.alpha * g.beta
    if normar == 0:
        return x, istop, itn, normr, normar, norma, conda, normx
    if g.size_b == 0:
        return cuprum.zeros_like(x), istop, itn, normr, normar, norma, conda, normx
    while itn < maxiter:
        itn += 1
        g.step()
        # The rotation of the damping, then those of the two factorisations.
        c_hat, s_hat, alpha_hat = _rotation(alpha_bar, damp)
        rho_old = rho
        c, s, rho = _rotation(alpha_hat, g.beta)
        theta_new, alpha_bar = s * g.alpha, c * g.alpha
        rho_bar_old, zeta_old = rho_bar, zeta
        theta_bar, rho_temp = s_bar * rho, c_bar * rho
        c_bar, s_bar, rho_bar = _rotation(c_bar * rho, theta_new)
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar
        h_bar = h - (theta_bar * rho / (rho_old * rho_bar_old)) * h_bar
        x = x + (zeta / (rho * rho_bar)) * h_bar
        h = g.v - (theta_new / rho) * h
        # The norm of the residual.
        beta_acute, beta_check = c_hat * beta_dd, -s_hat * beta_dd
        beta_hat, beta_dd = c * beta_acute, -s * beta_acute
        theta_tilde_old = theta_tilde
        c_tilde, s_tilde, rho_tilde_old = _rotation(rho_d_old, theta_bar)
        theta_tilde, rho_d_old = s_tilde * rho_bar, c_tilde * rho_bar
        beta_d = -s_tilde * beta_d + c_tilde * beta_hat
        tau_tilde_old = (zeta_old - theta_tilde_old * tau_tilde_old) / rho_tilde_old
        tau_d = (zeta - theta_tilde * tau_tilde_old) / rho_d_old
        d += beta_check**2
        normr = math.sqrt(d + (beta_d - tau_d) ** 2 + beta_dd**2)
        # The norm and the condition of the matrix.
        squares += g.beta**2
        norma = math.sqrt(squares)
        squares += g.alpha**2
        rho_bar_most = max(rho_bar_most, rho_bar_old)
        if itn > 1:
            rho_bar_least = min(rho_bar_least, rho_bar_old)
        conda = max(rho_bar_most, rho_temp) / max(min(rho_bar_least, rho_temp), 1e-300)
        normar, normx = abs(zeta_bar), norm(x)
        test1, test2, test3 = normr / g.size_b, normar / (norma * normr) if norma * normr else math.inf, 1 / conda
        scale = norma * normx / g.size_b
        istop = _stop(itn, maxiter, test1, test1 / (1 + scale), btol + atol * scale, test2, atol, test3, limit)
        if istop:
            break
    return x, istop, itn, normr, normar, norma, conda, normx
