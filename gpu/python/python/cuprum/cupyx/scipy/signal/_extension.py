"""Continuations of signals beyond their ends by rules that are no border rules of the kernels: their elements are computed, not found."""

import numpy

import cuprum

from ._filters import cut

__all__ = ['RULES', 'extended']


def _mirrored(x, axis, at):
    """Elements of an odd signal about the first and the last element: `f(-i) = 2 f(0) - f(i)`."""
    n = x.shape[axis]
    if n == 1:
        return cuprum.take(x, numpy.zeros(at.shape, int), axis)
    period = 2 * (n - 1)
    turns, r = numpy.divmod(at, period)
    first, last = cut(x, axis, 0, 1), cut(x, axis, n - 1, n)
    inside = cuprum.take(x, numpy.where(r < n, r, period - r), axis)
    shape = [1] * x.ndim
    shape[axis] = at.size
    turns, below = (cuprum.asarray(v.reshape(shape)) for v in (turns, r < n))
    return cuprum.where(below, inside, 2 * last - inside) + (2 * turns).astype(x.real.dtype) * (last - first)


def _negated(x, axis, at):
    """Elements of a signal that is mirrored about its edges and changes its sign there."""
    n = x.shape[axis]
    turns, r = numpy.divmod(at, n)
    shape = [1] * x.ndim
    shape[axis] = at.size
    signs = cuprum.asarray((1 - 2 * (turns % 2)).reshape(shape)).astype(x.real.dtype)
    return cuprum.take(x, numpy.where(turns % 2 == 0, r, n - 1 - r), axis) * signs


def _sloped(steps):
    """Returns a rule of straight lines, of which `steps(n)` has the pairs of elements before and after the signal."""

    def line(x, axis, at):
        n = x.shape[axis]
        if n == 1:
            return cuprum.take(x, numpy.zeros(at.shape, int), axis)
        shape = [1] * x.ndim
        shape[axis] = at.size
        results = []
        for (a, b), end, side in zip(steps(n), (0, n - 1), (at < 0, at >= 0)):
            slope = (cut(x, axis, b, b + 1) - cut(x, axis, a, a + 1)) / (b - a)
            distance = cuprum.asarray(numpy.where(side, at - end, 0).reshape(shape)).astype(x.real.dtype)
            results.append(cut(x, axis, end, end + 1) + distance * slope)
        return cuprum.where(cuprum.asarray((at < 0).reshape(shape)), *results)

    return line


RULES = {
    'smooth': _sloped(lambda n: ((0, 1), (n - 2, n - 1))),
    'line': _sloped(lambda n: ((0, n - 1), (0, n - 1))),
    'antisymmetric': _negated,
    'antireflect': _mirrored,
}


def extended(x, axis, rule, before, after):
    """Returns a signal of floating-point numbers with a number of elements before and after it along an axis."""
    n, rule = x.shape[axis], RULES[rule]
    parts = [rule(x, axis, at) for at in (numpy.arange(-before, 0), numpy.arange(n, n + after)) if at.size]
    if before:
        parts.insert(1, x)
    else:
        parts.insert(0, x)
    return cuprum.concatenate(parts, axis)
