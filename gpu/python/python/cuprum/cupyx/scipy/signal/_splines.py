"""Splines of signals and images of `scipy.signal`."""

import math

import numpy

import cuprum

from ._filters import _rows, floating, lfilter, sosfilt, symiirorder1
from ._images import _array, sepfir2d

__all__ = ['cspline1d', 'cspline1d_eval', 'cspline2d', 'gauss_spline', 'qspline1d', 'qspline1d_eval', 'qspline2d', 'spline_filter', 'symiirorder2']

_CUBIC, _QUADRATIC = math.sqrt(3) - 2, 2 * math.sqrt(2) - 3


def gauss_spline(x, n):
    """Gaussian that approximates the B-spline of an order."""
    x = _array(x, 'x')
    variance = (n + 1) / 12.0
    return cuprum.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def _inverse(signal, pole, gain):
    """Returns the coefficients of a spline of one pole, mirrored about the edges of its ends. SciPy does not scale a single one by the gain."""
    k = signal.shape[-1]
    powers = cuprum.asarray(pole ** numpy.arange(k, dtype=float))
    # The state follows from the whole signal, mirrored about the edge of its first element.
    first = signal[:1] + pole * (powers * signal).sum(keepdims=True)
    if k == 1:
        return pole / (pole - 1) * first
    forth = cuprum.concatenate((first, lfilter([1.0], [1.0, -pole], signal[1:], zi=first * pole)[0]))
    last = pole / (pole - 1) * forth[-1:]
    back = lfilter([-pole], [1.0, -pole], forth[-2::-1], zi=last * pole)[0]
    return cuprum.concatenate((back[::-1], last)) * gain


def _smoothing(lamb):
    """Returns radius and angle of the poles of a smoothing cubic spline (M. Unser, A. Aldroubi, M. Eden, "B-Spline Signal Processing: Part II", 1993)."""
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    omega = math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))
    rho = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb)
    return rho * math.sqrt((48 * lamb + 24 * lamb * root) / xi), omega


def cspline1d(signal, lamb=0.0):
    """Coefficients of the cubic spline through a signal, or of the one that smooths it."""
    signal = _array(signal, 'signal')
    if lamb == 0:
        return _inverse(signal, _CUBIC, 6.0)
    rho, omega = _smoothing(lamb)
    return _two_poles(signal[None].astype(floating(signal.dtype, float)), rho, omega, None)[0]


def qspline1d(signal, lamb=0.0):
    """Coefficients of the quadratic spline through a signal."""
    if lamb != 0:
        raise ValueError('Smoothing quadratic splines not supported yet.')
    return _inverse(_array(signal, 'signal'), _QUADRATIC, 8.0)


def _forward_response(k, cs, rho, omega):
    # Where both poles are one real number, the quotient of the sines is its limit.
    if omega in (0, math.pi):
        return numpy.where(k >= 0, cs * rho**k * (k + 1) * numpy.cos(omega * k), 0)
    return numpy.where(k >= 0, cs / math.sin(omega) * rho**k * numpy.sin(omega * (k + 1)), 0)


def _symmetric_response(k, cs, rho, omega):
    k = abs(k)
    scale = cs * cs * (1 + rho**2) / (1 - rho**2) / (1 - 2 * rho**2 * math.cos(2 * omega) + rho**4)
    if omega in (0, math.pi):
        return scale * rho**k * (1 + (1 - rho**2) / (1 + rho**2) * k) * numpy.cos(omega * k)
    gamma = (1 - rho**2) / (1 + rho**2) / math.tan(omega)
    return scale * rho**k * (numpy.cos(omega * k) + gamma * numpy.sin(omega * k))


def _two_poles(rows, rho, omega, precision):
    """Filters rows forwards and backwards by two conjugate poles, mirrored about the edges of their ends."""
    dtype, n = rows.dtype, rows.shape[1]
    if n < 3:
        raise ValueError(f'a signal has at least 3 elements, not {n}')
    cs = 1 - 2 * rho * math.cos(omega) + rho * rho
    k = numpy.arange(n, dtype=float)

    def begun(weights, part, power=1):
        # As many terms as SciPy adds: up to the first of which a power is at most the precision.
        small = numpy.flatnonzero(abs(weights) ** power <= precision) if precision else ()
        count = small[0] + 1 if len(small) else n
        if precision and count >= n:
            raise ValueError('Sum to find symmetric boundary conditions did not converge.')
        return (part[:, :count] * cuprum.asarray(weights[:count])).sum(axis=1, keepdims=True).astype(dtype)

    h = [float(_forward_response(numpy.array(i), cs, rho, omega)) for i in (0, 1)]
    first = h[0] * rows[:, :1] + begun(_forward_response(k + 1, cs, rho, omega), rows)
    # SciPy's cspline1d exchanges the elements of the response here, and is followed in this.
    one, two = (rows[:, :1], rows[:, 1:2]) if precision is None else (rows[:, 1:2], rows[:, :1])
    second = h[0] * one + h[1] * two + begun(_forward_response(k + 2, cs, rho, omega), rows)
    sos = [[cs, 0, 0, 1, -2 * rho * math.cos(omega), rho * rho]]

    def after(one, two):
        # The state of a section whose last results are `two`, and `one` before it.
        return cuprum.concatenate((2 * rho * math.cos(omega) * two - rho * rho * one, -rho * rho * two), 1)[None]

    forth = sosfilt(sos, rows[:, 2:], zi=after(first, second))[0] if n > 2 else rows[:, :0]
    forth = cuprum.concatenate((first, second, forth), 1)
    mirrored = rows[:, ::-1]
    last = begun(_symmetric_response(k, cs, rho, omega) + _symmetric_response(k + 1, cs, rho, omega), mirrored, 2)
    before = begun(_symmetric_response(k - 1, cs, rho, omega) + _symmetric_response(k + 2, cs, rho, omega), mirrored, 2)
    back = sosfilt(sos, forth[:, -3::-1], zi=after(last, before))[0]
    return cuprum.concatenate((back[:, ::-1], before, last), 1).astype(dtype)


def symiirorder2(input, r, omega, precision=-1.0):
    """Filters forwards and backwards by two conjugate poles, with mirrored borders. Rows of a 2-D array are filtered."""
    input = _array(input, 'input')
    if r >= 1.0:
        raise ValueError(f'r must be less than 1.0, not {r}')
    rows, dtype = _rows(input)
    precision = precision if 0 < precision <= 1 else 1e-6 if dtype.char in 'fF' else 1e-11
    result = _two_poles(rows, r, omega, precision)
    return result[0] if input.ndim == 1 else result


def _image(signal, precision):
    signal = _array(signal, 'signal')
    return signal, precision if 0 <= precision < 1 else 1e-3 if signal.dtype.char in 'fF' else 1e-6


def _two_axes(run, signal):
    return run(run(signal).T).T


def cspline2d(signal, lamb=0.0, precision=-1.0):
    """Coefficients of the cubic spline through an image, or of the one that smooths it."""
    signal, precision = _image(signal, precision)
    if lamb <= 1 / 144.0:
        return _two_axes(lambda x: symiirorder1(x, -_CUBIC * 6, _CUBIC, precision), signal)
    rho, omega = _smoothing(lamb)
    return _two_axes(lambda x: symiirorder2(x, rho, omega, precision), signal)


def qspline2d(signal, lamb=0.0, precision=-1.0):
    """Coefficients of the quadratic spline through an image."""
    signal, precision = _image(signal, precision)
    if lamb > 0:
        raise ValueError(f'lambda must be negative or zero, not {lamb}')
    return _two_axes(lambda x: symiirorder1(x, -_QUADRATIC * 8, _QUADRATIC, precision), signal)


def spline_filter(Iin, lmbda=5.0):
    """Smooths an image by cubic splines."""
    image = _array(Iin, 'Iin')
    if image.dtype.char not in 'fdFD':
        raise TypeError(f'Invalid data type for Iin: {image.dtype} is not float32, float64, complex64 or complex128')
    weights = cuprum.asarray(numpy.array([1.0, 4.0, 1.0], numpy.float32) / 6)
    # SciPy filters complex images in complex64: the borders of all of them are those of its precision.
    precision = 1e-3 if image.dtype.kind == 'c' else -1.0
    return sepfir2d(cspline2d(image, lmbda, precision), weights, weights).astype(image.dtype)


def _mirrored(newx, n, dx, x0):
    """Returns positions between the first and the last coefficient, mirrored about these."""
    x = (_array(newx, 'newx') - x0) / float(dx)
    if n == 1:
        return x * 0
    period = 2 * (n - 1)
    x = abs(x) % period
    return cuprum.minimum(x, period - x)


def _evaluated(cj, newx, dx, x0, count, basis):
    cj = _array(cj, 'cj')
    newx = _array(newx, 'newx')
    if cj.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    x = _mirrored(newx, cj.size, dx, x0)
    lowest = cuprum.floor(x - count / 2).astype(int) + 1
    result = 0
    for i in range(count):
        j = lowest + i
        result = result + cj[cuprum.clip(j, 0, cj.size - 1)] * basis(abs(x - j))
    return result


def cspline1d_eval(cj, newx, dx=1.0, x0=0):
    """Values at positions of a cubic spline of these coefficients, which is mirrored beyond its ends."""

    def basis(x):
        near, far = 2 / 3 - x * x * (1 - x / 2), cuprum.maximum(2 - x, 0) ** 3 / 6
        return cuprum.where(x < 1, near, far)

    result = _evaluated(cj, newx, dx, x0, 4, basis)
    return result.astype(_array(cj, 'cj').dtype)


def qspline1d_eval(cj, newx, dx=1.0, x0=0):
    """Values at positions of a quadratic spline of these coefficients, which is mirrored beyond its ends."""

    def basis(x):
        return cuprum.where(x < 0.5, 0.75 - x * x, cuprum.maximum(1.5 - x, 0) ** 2 / 2)

    return _evaluated(cj, newx, dx, x0, 3, basis)
