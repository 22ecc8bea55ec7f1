"""Bessel filters, designed on the host."""

import functools
import math
import operator

import numpy

from cuprum import _cuprum

from ._representations import device, filter_of, of_filter

__all__ = ['besselap']

_NORMS = ('phase', 'delay', 'mag')
# Digits after the point, in base 2. Coefficients of order n have magnitudes up to (2n)! / (2^n n!), and the terms at a zero cancel as far: `_digits` adds theirs.
_DIGITS = 128


def _coefficients(n):
    """Returns the coefficients of the reverse Bessel polynomial of an order, which are integers, from the constant one on."""
    return [math.factorial(2 * n - k) // (2 ** (n - k) * math.factorial(k) * math.factorial(n - k)) for k in range(n + 1)]


def _times(x, y, digits):
    """Returns the product of two complex numbers of fixed point."""
    return (x[0] * y[0] - x[1] * y[1]) >> digits, (x[0] * y[1] + x[1] * y[0]) >> digits


def _quotient(x, y, digits):
    square = y[0] * y[0] + y[1] * y[1]
    return ((x[0] * y[0] + x[1] * y[1]) << digits) // square, ((x[1] * y[0] - x[0] * y[1]) << digits) // square


@functools.lru_cache(maxsize=64)
def _roots(n):
    """Returns the zeros of the reverse Bessel polynomial of an order.

    Aberth's iteration finds them all at once, in integers of a fixed binary point: in float64 the terms of the polynomial cancel, and few digits of the zeros would be
    right (O. Aberth, "Iteration Methods for Finding all Zeros of a Polynomial Simultaneously", 1973).
    """
    coefficients = _coefficients(n)
    digits = _DIGITS + coefficients[0].bit_length()
    one = 1 << digits
    scaled = [c << digits for c in coefficients]
    # The zeros are in the left half of a disc whose radius is near 0.7 n.
    angles = math.pi * (0.5 + (numpy.arange(n) + 0.5) / n)
    roots = [(int(0.7 * n * math.cos(t) * 2**64) << (digits - 64), int(0.7 * n * math.sin(t) * 2**64) << (digits - 64)) for t in angles]
    for _ in range(200):
        largest = 0
        for i, root in enumerate(roots):
            value, slope = (scaled[n], 0), (0, 0)
            for c in reversed(scaled[:n]):
                slope = _times(slope, root, digits)
                slope = slope[0] + value[0], slope[1] + value[1]
                value = _times(value, root, digits)
                value = value[0] + c, value[1]
            if slope == (0, 0):
                continue
            newton = _quotient(value, slope, digits)
            pull = (0, 0)
            for j, other in enumerate(roots):
                if j != i:
                    gap = (root[0] - other[0], root[1] - other[1])
                    if gap != (0, 0):
                        share = _quotient((one, 0), gap, digits)
                        pull = pull[0] + share[0], pull[1] + share[1]
            pull = _times(newton, pull, digits)
            step = _quotient(newton, (one - pull[0], -pull[1]), digits)
            roots[i] = root[0] - step[0], root[1] - step[1]
            largest = max(largest, abs(step[0]), abs(step[1]))
        if largest >> (digits - 80) == 0:
            break
    found = numpy.array([complex(re / one, im / one) for re, im in roots])
    # Conjugates are exact, and the middle one of an odd number is real.
    found = found[numpy.argsort(found.imag)]
    half = found[n - n // 2 :]
    middle = [found[n // 2].real] if n % 2 else []
    return numpy.concatenate((half[::-1], middle, half.conj()))


def _half_power(p):
    """Returns the frequency where the power of the filter of these poles, which falls monotonically, is half of that of frequency 0."""

    def excess(w):
        return float(numpy.log(abs(1j * w - p) / abs(p)).sum()) - 0.5 * math.log(2)

    low, high = 0.0, 1.0
    while excess(high) < 0:
        low, high = high, 2 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high


@functools.lru_cache(maxsize=256)
def prototype(n, norm):
    """Returns zeros, poles and gain of a prototype, on the host."""
    if norm not in _NORMS:
        raise ValueError(f"norm is {norm!r}: it must be 'phase', 'delay' or 'mag'.")
    if n == 0:
        return numpy.zeros(0), numpy.zeros(0, complex), 1.0
    p = _roots(n)
    if norm == 'delay':
        return numpy.zeros(0), p, float(_coefficients(n)[0])
    if norm == 'phase':
        return numpy.zeros(0), p / math.exp(math.log(_coefficients(n)[0]) / n), 1.0
    p = p / _half_power(p)
    return numpy.zeros(0), p, float(numpy.prod(-p).real)


def besselap(N, norm='phase'):
    """Zeros, poles and gain of the analog lowpass prototype of Bessel.

    Its asymptotes are those of a Butterworth filter with the norm `'phase'`; the group delay at frequency 0 is 1 with `'delay'`, and the gain at frequency 1 is -3 decibels with `'mag'`.
    """
    if abs(int(N)) != N:
        raise ValueError(f'N is {N}: the order is an integer, and not below 0')
    return device(*prototype(int(N), norm))


def _transformed(kind, filter, wo, bw=1.0):
    return _cuprum.design_transform(kind, filter, float(wo), float(bw))


def of_band(N, norm, band, edges, analog):
    """Returns a Bessel filter of a band, on the host."""
    low, high = edges
    if not analog:
        low, high = (4.0 * math.tan(math.pi * w / 2) for w in (low, high))
    filter = filter_of(*prototype(operator.index(N), norm))
    filter = _transformed(band, filter, math.sqrt(low * high), high - low) if band.startswith('band') else _transformed(band, filter, low)
    return of_filter(filter if analog else _transformed('bilinear', filter, 2.0))
