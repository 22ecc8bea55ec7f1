"""Pole placement of `scipy.signal`, on the host."""

import math
import operator
import warnings

import numpy

from ._representations import coefficients_of, device, host, normalized, vector, zeros_poles
from ._responses import _found_frequencies, quotient, quotient_of_roots

__all__ = ['place_poles']


class Bunch(dict):
    """Results by name, as keys and as attributes."""

    __getattr__ = dict.__getitem__


def _checked_poles(A, B, poles, method, rtol, maxiter):
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f'A must be square, not of shape {A.shape}')
    if B.ndim != 2:
        raise ValueError(f'B must be 2 dimensional, not {B.ndim} dimensional')
    if poles.ndim != 1:
        raise ValueError('Poles must be a 1D array like.')
    if len(poles) > A.shape[0]:
        raise ValueError(f'there are {len(poles)} poles, more than the {A.shape[0]} states')
    if len(poles) < A.shape[0]:
        raise ValueError(f'there are {len(poles)} poles, fewer than the {A.shape[0]} states')
    if numpy.linalg.matrix_rank(B) < max((poles == p).sum() for p in poles):
        raise ValueError('a pole is repeated more often than the rank of B allows')
    if method not in ('KNV0', 'YT'):
        raise ValueError(f"method is {method!r}: it must be 'YT' or 'KNV0'")
    if rtol > 1:
        raise ValueError(f'rtol can not be greater than 1, not {rtol}')
    if maxiter < 1:
        raise ValueError(f'maxiter must be at least equal to 1, not {maxiter}')
    real, above = poles[poles.imag == 0], poles[poles.imag > 0]
    if len(real) + 2 * len(above) != len(poles) or not numpy.allclose(numpy.sort(above.conj()), numpy.sort(poles[poles.imag < 0])):
        raise ValueError('a complex pole lacks its conjugate')
    if method == 'KNV0' and len(above):
        raise ValueError("the method KNV0 takes real poles only: use 'YT'")
    return numpy.sort(real.real), above[numpy.argsort(above.real + 0 * above.imag, kind='stable')]


def place_poles(A, B, poles, method='YT', rtol=1e-3, maxiter=30):
    """Gain matrix K for which `A - B K` has these poles, with eigenvectors chosen to be nearly orthogonal: each is in turn replaced by the one of its space that is farthest from the span
    of the others (J. Kautsky, N. K. Nichols and P. Van Dooren, "Robust Pole Assignment in Linear State Feedback", International Journal of Control 41, 1985). Both methods are this
    one: complex poles are taken in pairs. On the host."""
    A, B, poles = host(A).astype(float), host(B).astype(float), numpy.atleast_1d(host(poles))
    real, above = _checked_poles(A, B, poles, method, rtol, maxiter)
    ordered = numpy.concatenate((real.astype(complex), *[[p.conj(), p] for p in above]))
    n, rank = len(A), int(numpy.linalg.matrix_rank(B))
    if rank == n:
        # Any eigenvectors are possible: the unit vectors.
        wanted = numpy.zeros((n, n))
        k = 0
        while k < n:
            p = ordered[k]
            if p.imag == 0:
                wanted[k, k] = p.real
                k += 1
            else:
                wanted[k : k + 2, k : k + 2] = [[p.real, -abs(p.imag)], [abs(p.imag), p.real]]
                k += 2
        gain, rate, count = numpy.linalg.lstsq(B, A - wanted, rcond=None)[0], 0.0, 0
        vectors = numpy.eye(n, dtype=complex)
    else:
        left = numpy.linalg.svd(B)[0][:, rank:]
        spaces, vectors = [], []
        generator = numpy.random.default_rng(0)
        for p in ordered:
            if p.imag > 0:
                spaces.append(spaces[-1].conj())
                vectors.append(vectors[-1].conj())
                continue
            # Eigenvectors of p: those that A - p maps into the range of B.
            rows = left.T @ (A - p * numpy.eye(n))
            null = numpy.linalg.svd(rows)[2].conj().T[:, n - rank :]
            spaces.append(null)
            weights = generator.standard_normal(rank) + (1j * generator.standard_normal(rank) if p.imag else 0)
            v = null @ weights
            vectors.append(v / numpy.linalg.norm(v))
        vectors = numpy.array(vectors).T
        rate, count, before = numpy.inf, 0, 0.0
        while rank > 1 and count < maxiter and rate > rtol:
            for k, p in enumerate(ordered):
                if p.imag > 0:
                    continue
                others = numpy.delete(vectors, k, 1)
                normal = numpy.linalg.svd(others)[0][:, -1]
                v = spaces[k] @ (spaces[k].conj().T @ normal)
                size = numpy.linalg.norm(v)
                if size > 1e-12:
                    vectors[:, k] = v / size
                    if p.imag:
                        vectors[:, k + 1] = vectors[:, k].conj()
            volume = abs(numpy.linalg.det(vectors))
            rate = abs(volume - before) / max(volume, 1e-300)
            before, count = volume, count + 1
        if rank == 1:
            rate, count = 0.0, 0
        elif rate > rtol:
            warnings.warn(f'the eigenvectors still change by {rate} after {maxiter} sweeps: raise maxiter, or rtol ({rtol}).', stacklevel=2)
        closed = (vectors * ordered) @ numpy.linalg.inv(vectors)
        gain = numpy.linalg.lstsq(B, A - closed.real, rcond=None)[0]
    computed = numpy.linalg.eigvals(A - B @ gain)
    names = ('gain_matrix', 'computed_poles', 'requested_poles', 'X')
    found = device(gain, numpy.sort_complex(computed), ordered, vectors)
    return Bunch(zip(names, found), rtol=rate, nb_iter=count)
