"""Interpolation of rotations with continuous angular rates and accelerations."""

import math

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._decorators import set_module

from ._rotation import Rotation

# Below this angle, factors are summed as power series: their closed forms lose digits there.
_SMALL = 0.5
_ROUNDS = 10
_TOLERANCE = 1e-9


def _cross(u, v):
    return cuprum.cross(u, v, axis=-1)


def _series(square, coefficients):
    """Returns a polynomial, whose lowest coefficient is the first one."""
    total = cuprum.full_like(square, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * square + coefficient
    return total


class _Factors:
    """Factors of rotation vectors r of the angle n, of which the rate is A r', with A = 1 - p [r×] + q [r×]² (J. E. Bortz, "A New Mathematical Formulation for Strapdown Inertial Navigation", 1971)."""

    def __init__(self, vectors):
        self.square = (vectors * vectors).sum(-1, keepdims=True)
        self.small = self.square < _SMALL**2
        # Closed forms are evaluated away from zero only.
        self.n = cuprum.sqrt(cuprum.where(self.small, 1.0, self.square))
        self.sine, self.cosine = cuprum.sin(self.n), cuprum.cos(self.n)

    def _choose(self, coefficients, closed):
        return cuprum.where(self.small, _series(self.square, coefficients), closed)

    def p(self):
        closed = (1 - self.cosine) / self.n**2
        return self._choose([(-1) ** k / math.factorial(2 * k + 2) for k in range(7)], closed)

    def q(self):
        closed = (self.n - self.sine) / self.n**3
        return self._choose([(-1) ** k / math.factorial(2 * k + 3) for k in range(7)], closed)

    def slope_of_p(self):
        """Returns the derivative of p by n, divided by n."""
        closed = (self.n * self.sine + 2 * self.cosine - 2) / self.n**4
        return self._choose([(-1) ** k * 2 * k / math.factorial(2 * k + 2) for k in range(1, 8)], closed)

    def slope_of_q(self):
        """Returns the derivative of q by n, divided by n."""
        closed = (3 * self.sine - self.n * self.cosine - 2 * self.n) / self.n**5
        return self._choose([(-1) ** k * 2 * k / math.factorial(2 * k + 3) for k in range(1, 8)], closed)

    def inverse(self):
        """Returns the factor of [r×]² in the inverse of A, whose factor of [r×] is 1/2. Its series has Bernoulli's numbers."""
        closed = (1 - 0.5 * self.n * self.sine / (1 - self.cosine)) / self.n**2
        series = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
        return self._choose(series, closed)


def _rates(vectors, slopes):
    """Returns the angular rates of rotation vectors with given derivatives."""
    factors, once = _Factors(vectors), _cross(vectors, slopes)
    return slopes - factors.p() * once + factors.q() * _cross(vectors, once)


def _slopes(vectors, rates):
    """Returns the derivatives of rotation vectors with given angular rates."""
    once = _cross(vectors, rates)
    return rates + 0.5 * once + _Factors(vectors).inverse() * _cross(vectors, once)


def _turning(vectors, slopes):
    """Returns the part of the angular acceleration that is due to the change of the matrix A."""
    factors, once = _Factors(vectors), _cross(vectors, slopes)
    change = (vectors * slopes).sum(-1, keepdims=True)
    return change * (factors.slope_of_q() * _cross(vectors, once) - factors.slope_of_p() * once) + factors.q() * _cross(slopes, once)


def _columns(function, vectors):
    """Returns the matrices of a linear function of vectors that depends on others."""
    return cuprum.stack([function(vectors, cuprum.broadcast_to(cuprum.asarray(unit), vectors.shape)) for unit in numpy.eye(3)], axis=-1)


@set_module('cuprum.cupyx.scipy.spatial.transform')
class RotationSpline:
    """Interpolant of rotations at ascending times, whose rotation vectors between two of them are cubic, with continuous angular rates and accelerations (N. Mayorov, "Smooth Attitude Interpolation", 2019).

    The rates at both ends are those of constant rotation in the first and in the last interval. The others solve equations of angular accelerations by up to ten rounds of a block tridiagonal system.
    Creating one synchronises after each round.
    """

    MAX_ITER = _ROUNDS
    TOL = _TOLERANCE

    def __init__(self, times, rotations):
        if not isinstance(rotations, Rotation):
            raise TypeError('`rotations` must be a `Rotation` instance.')
        if rotations.single:
            raise ValueError('`rotations` must be a sequence of rotations.')
        if len(rotations.shape) > 1:
            raise ValueError(f'Rotations with more than 1 leading dimension are not supported: their shape is {rotations.shape}.')
        if len(rotations) == 1:
            raise ValueError('`rotations` must contain at least 2 rotations.')
        times = cuprum.asarray(times, dtype=float)
        if times.ndim != 1:
            raise ValueError('`times` must be 1-dimensional.')
        if times.shape[0] != len(rotations):
            raise ValueError(
                f'Expected number of rotations to be equal to number of timestamps given, got {len(rotations)} rotations and {times.shape[0]} timestamps.'
            )
        steps = cuprum.diff(times)
        if (steps <= 0).any():
            raise ValueError('Values in `times` must be in a strictly increasing order.')
        from ...interpolate import PPoly

        vectors = (rotations[:-1].inv() * rotations[1:]).as_rotvec().astype(float, copy=False)
        step = steps[:, None]
        rates = vectors / step
        if len(rotations) > 2:
            rates = self._solve(step, rates, vectors)
        begin, end = rates[: vectors.shape[0]], rates[-vectors.shape[0] :]
        slopes = _slopes(vectors, end) if len(rotations) > 2 else end
        cubic = (-2 * vectors + step * (begin + slopes)) / step**3
        square = (3 * vectors - step * (2 * begin + slopes)) / step**2
        self.times, self.rotations = times, rotations
        self.interpolator = PPoly(cuprum.stack([cubic, square, begin, cuprum.zeros_like(begin)]), times)

    def _solve(self, step, constant, vectors):
        """Returns the angular rates at all times, so that angular accelerations are continuous."""
        first, last = constant[:1], constant[-1:]
        inverses = _columns(_slopes, vectors)
        matrices = _columns(_rates, vectors)
        width = step[:, :, None]
        lower, upper = 2 * matrices[:-1] / width[:-1], 2 * inverses[1:] / width[1:]
        diagonal = 4 * (1 / width[:-1] + 1 / width[1:]) * cuprum.eye(3)
        right = 6 * (vectors[:-1] / step[:-1] ** 2 + vectors[1:] / step[1:] ** 2)
        right[:1] -= (lower[0] @ first[0])[None]
        right[-1:] -= (upper[-1] @ last[0])[None]
        inner = constant[:-1]
        for _ in range(self.MAX_ITER):
            new = right - _turning(vectors[:-1], _slopes(vectors[:-1], inner))
            new = _cuprum.interpolate_solve([cuprum.ascontiguousarray(part) for part in (lower, diagonal, upper)], new.reshape(-1, 1)).reshape(-1, 3)
            near = (abs(new - inner) < self.TOL * (1 + abs(new))).all()
            inner = new
            if near:
                break
        return cuprum.concatenate([first, inner, last])

    def __call__(self, times, order=0):
        """Returns the rotations at times; with `order` 1 the angular rates, and with `order` 2 the angular accelerations, in the frame that rotates."""
        if order not in (0, 1, 2):
            raise ValueError('`order` must be 0, 1 or 2.')
        times = cuprum.asarray(times, dtype=float)
        if times.ndim > 1:
            raise ValueError('`times` must be at most 1-dimensional.')
        single = times.ndim == 0
        times = cuprum.atleast_1d(times)
        vectors = self.interpolator(times)
        if order == 0:
            at = cuprum.clip(cuprum.searchsorted(self.times, times, side='right') - 1, 0, self.times.shape[0] - 2)
            found = self.rotations[at] * Rotation.from_rotvec(vectors)
        else:
            slopes = self.interpolator(times, 1)
            found = _rates(vectors, slopes)
            if order == 2:
                found = _rates(vectors, self.interpolator(times, 2)) + _turning(vectors, slopes)
        return found[0] if single else found
