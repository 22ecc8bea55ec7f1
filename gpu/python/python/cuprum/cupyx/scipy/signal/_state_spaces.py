"""Forms of linear systems of `scipy.signal`, and discrete systems of continuous ones, on the host."""

import math
import operator
import warnings

import numpy

from ._representations import coefficients_of, device, host, normalized, vector, zeros_poles
from ._responses import _found_frequencies, quotient, quotient_of_roots

__all__ = ['abcd_normalize', 'ss2tf', 'ss2zpk', 'tf2ss', 'zpk2ss']


def _matrix(m):
    if m is None:
        return None
    m = numpy.atleast_2d(host(m))
    if m.ndim > 2:
        raise ValueError(f'A matrix of a state space has at most 2 axes, not {m.ndim}')
    return m


def _abcd(A=None, B=None, C=None, D=None):
    """Returns the matrices of a state space with the sizes that follow from one another."""
    A, B, C, D = (_matrix(m) for m in (A, B, C, D))

    def first(*sizes):
        return next((n for n in sizes if n is not None), None)

    p = first(*(m.shape[0] for m in (A, B) if m is not None), C.shape[1] if C is not None else None)
    q = first(B.shape[1] if B is not None else None, D.shape[1] if D is not None else None)
    r = first(C.shape[0] if C is not None else None, D.shape[0] if D is not None else None)
    if p is None or q is None or r is None:
        raise ValueError('the numbers of states, inputs and outputs do not follow from the matrices: pass A or B with C or D.')
    found = []
    for m, shape, name in ((A, (p, p), 'A'), (B, (p, q), 'B'), (C, (r, p), 'C'), (D, (r, q), 'D')):
        m = numpy.zeros(shape) if m is None or m.size == 0 else m
        if m.shape != shape:
            raise ValueError(f'{name} has the shape {m.shape}, and the other matrices {shape} for it.')
        found.append(m)
    return tuple(found)


def abcd_normalize(A=None, B=None, C=None, D=None):
    """Matrices of a state space; those that are left out are zeros of the sizes that follow from the others."""
    return device(*_abcd(A, B, C, D))


def _tf2ss(num, den):
    """Returns the matrices in the canonical form of controllers."""
    num, den = normalized(num, den)
    num = numpy.atleast_2d(num)
    m, k = num.shape[1], den.size
    if m > k:
        raise ValueError('num has a higher power than den: a state space has none.')
    if m == 0 or k == 0:
        return numpy.zeros((0, 0)), numpy.zeros((0, 0)), numpy.zeros((0, 0)), numpy.zeros((0, 0))
    num = numpy.hstack((numpy.zeros((num.shape[0], k - m), num.dtype), num))
    D = num[:, :1].astype(num.dtype if num.dtype.kind in 'fc' else float)
    if k == 1:
        return numpy.zeros((1, 1)), numpy.zeros((1, D.shape[1])), numpy.zeros((D.shape[0], 1)), D.reshape(num.shape[0], 1)
    A = numpy.vstack((-den[1:][None], numpy.eye(k - 2, k - 1)))
    return A, numpy.eye(k - 1, 1), num[:, 1:] - num[:, :1] * den[1:], D


def tf2ss(num, den):
    """Matrices of a state space of a transfer function, in the canonical form of controllers."""
    return device(*_tf2ss(num, den))


def _ss2tf(A, B, C, D, input=0):
    A, B, C, D = _abcd(A, B, C, D)
    if input >= B.shape[1]:
        raise ValueError(f'System does not have the input specified: {input} of {B.shape[1]}.')
    B, D = B[:, input : input + 1], D[:, input : input + 1]
    den = numpy.poly(A) if A.size else numpy.ones(1)
    kind = numpy.result_type(A, B, C, D, float)
    num = numpy.empty((C.shape[0], A.shape[0] + 1), kind)
    for row, c, d in zip(num, C, D):
        # The determinant of s - A + B C is that of s - A times 1 + C (s - A)^-1 B.
        row[...] = (numpy.poly(A - B @ c[None]) if A.size else numpy.ones(1)) + (d - 1) * den
    return num, den


def ss2tf(A, B, C, D, input=0):
    """Coefficients of the transfer function of an input of a state space: a row of the numerator for each output."""
    return device(*_ss2tf(A, B, C, D, input))


def zpk2ss(z, p, k):
    """Matrices of a state space of zeros, poles and a gain."""
    return device(*_tf2ss(*coefficients_of(z, p, k)))


def _ss2zpk(A, B, C, D, input=0):
    num, den = _ss2tf(A, B, C, D, input)
    return zeros_poles(num[0] if len(num) == 1 else num, den)


def ss2zpk(A, B, C, D, input=0):
    """Zeros, poles and gain of an input of a state space."""
    return device(*_ss2zpk(A, B, C, D, input))


def _expm(m):
    """Exponential of a matrix by scaling, a Padé approximant of order 13 and squaring (N. J. Higham, "The Scaling and Squaring Method for the Matrix Exponential
    Revisited", SIAM Journal on Matrix Analysis and Applications 26(4), 2005)."""
    norm = numpy.linalg.norm(m, 1) if m.size else 0
    squarings = max(0, math.ceil(math.log2(norm / 4.25))) if norm > 0 else 0
    a = m / 2**squarings
    q = 13
    term, weight = numpy.eye(len(m), dtype=numpy.result_type(m, float)), 1.0
    top, bottom = term.copy(), term.copy()
    for k in range(1, q + 1):
        weight *= (q - k + 1) / (k * (2 * q - k + 1))
        term = term @ a
        top = top + weight * term
        bottom = bottom + (weight if k % 2 == 0 else -weight) * term
    found = numpy.linalg.solve(bottom, top)
    for _ in range(squarings):
        found = found @ found
    return found


def _discrete(system, dt, method='zoh', alpha=None):
    """Returns the matrices of a discrete system of a continuous one."""
    a, b, c, d = (numpy.asarray(m) for m in system)
    eye = numpy.eye(len(a))
    if method == 'gbt':
        if alpha is None:
            raise ValueError('the method gbt needs alpha, from 0 to 1')
        if alpha < 0 or alpha > 1:
            raise ValueError(f'alpha is {alpha}: it must be from 0 to 1')
        implicit = eye - alpha * dt * a
        ad = numpy.linalg.solve(implicit, eye + (1 - alpha) * dt * a)
        bd = numpy.linalg.solve(implicit, dt * b)
        cd = numpy.linalg.solve(implicit.T, c.T).T
        return ad, bd, cd, d + alpha * (c @ bd)
    if method in ('bilinear', 'tustin', 'euler', 'forward_diff', 'backward_diff'):
        alpha = {'bilinear': 0.5, 'tustin': 0.5, 'backward_diff': 1.0}.get(method, 0.0)
        return _discrete(system, dt, 'gbt', alpha)
    n, m = b.shape
    if method == 'zoh':
        whole = _expm(dt * numpy.vstack((numpy.hstack((a, b)), numpy.zeros((m, n + m)))))
        return whole[:n, :n], whole[:n, n:], c, d
    if method == 'foh':
        rows = numpy.zeros((n + 2 * m, n + 2 * m))
        rows[:n, :n], rows[:n, n : n + m] = a * dt, b * dt
        rows[n : n + m, n + m :] = numpy.eye(m)
        whole = _expm(rows)
        ad, first, second = whole[:n, :n], whole[:n, n : n + m], whole[:n, n + m :]
        return ad, first - second + ad @ second, c, d + c @ second
    if method == 'impulse':
        if not numpy.allclose(d, 0):
            raise ValueError('the method impulse needs a system whose D is 0')
        ad = _expm(a * dt)
        return ad, ad @ b * dt, c, c @ b * dt
    raise ValueError(f"Unknown transformation method '{method}'")
