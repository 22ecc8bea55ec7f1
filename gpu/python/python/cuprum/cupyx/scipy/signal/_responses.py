"""Responses of filters to frequencies, evaluated on the device by one kernel for polynomials and one for zeros and poles, and chirp z-transforms.
Coefficients are read; whether a group delay is singular is checked on the host, which synchronises."""

import functools
import math
import operator
import warnings

import numpy

import cuprum

from .._axes import normalize_axis
from ._images import _array
from ._representations import device, host, vector

__all__ = ['CZT', 'ZoomFFT', 'czt', 'czt_points', 'findfreqs', 'freqs', 'freqs_zpk', 'freqz', 'freqz_sos', 'freqz_zpk', 'group_delay', 'sosfreqz', 'zoom_fft']

_HORNER = """
    complex<double> top = 0, bottom = 0;
    for (long long k = 0; k < tops; ++k) top = top * z + b[k];
    for (long long k = 0; k < bottoms; ++k) bottom = bottom * z + a[k];
    h = top / bottom;
"""
_PRODUCTS = """
    complex<double> top = gain, bottom = 1;
    for (long long k = 0; k < tops; ++k) top = top * (z - b[k]);
    for (long long k = 0; k < bottoms; ++k) bottom = bottom * (z - a[k]);
    h = top / bottom;
"""


@functools.cache
def _kernel(products):
    gain = ', complex128 gain' if products else ''
    inputs = f'complex128 z, raw complex128 b, raw complex128 a, int64 tops, int64 bottoms{gain}'
    name = 'signal_response_of_roots' if products else 'signal_response'
    return cuprum.ElementwiseKernel(inputs, 'complex128 h', _PRODUCTS if products else _HORNER, name)


# Coefficients from which on frequencies with a fixed step are those of a transform.
_LONG = 64


def _complex(c):
    c = numpy.atleast_1d(host(c)).astype(complex)
    return cuprum.asarray(c if c.size else numpy.zeros(1, complex)), c.size


def quotient(b, a, z):
    """Quotient of two polynomials at points, the coefficients of the highest powers first."""
    (b, tops), (a, bottoms) = _complex(b), _complex(a)
    return _kernel(False)(z.astype(complex), b, a, tops, bottoms)


def quotient_of_roots(zeros, poles, gain, z):
    """Quotient of two polynomials of roots at points, times a factor."""
    (b, tops), (a, bottoms) = _complex(zeros), _complex(poles)
    return _kernel(True)(z.astype(complex), b, a, tops, bottoms, complex(gain))


def _count(worN):
    """Returns a number of frequencies, or None for a list of them."""
    if worN is None:
        return 512
    try:
        n = operator.index(worN)
    except TypeError:
        return None
    if n < 0:
        raise ValueError(f'worN must be nonnegative, got {n}')
    return n


def _angles(worN, whole, fs, include_nyquist=False):
    """Returns angular frequencies as parts of the sampling rate."""
    if fs is None or numpy.size(fs) != 1:
        raise ValueError(f'fs is {fs}: it must be one number.')
    n = _count(worN)
    if n is None:
        w = cuprum.atleast_1d(cuprum.asarray(worN))
        return (w if w.dtype.kind in 'fc' else w.astype(float)) * (2 * math.pi / float(fs))
    last = 2 * math.pi if whole else math.pi
    return cuprum.linspace(0, last, n, endpoint=bool(include_nyquist and not whole))


def _rounded(coefficients, w, h, given=False):
    """Returns frequencies and responses in the precision of the coefficients: single if all of them have it; frequencies that are `given` keep their dtype."""
    if numpy.result_type(*coefficients, numpy.complex64) == numpy.complex64 and all(c.dtype.kind in 'fc' for c in coefficients):
        w, h = (w if given else w.astype(numpy.float32)), h.astype(numpy.complex64)
    return w, h


def _plotted(plot, w, h):
    if plot is not None:
        plot(w, h)
    return w, h


def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * numpy.pi, include_nyquist=False):
    """Frequencies and the response to them of a digital filter of these coefficients."""
    b, a = vector(b), vector(a)
    w = _angles(worN, whole, fs, include_nyquist)
    back = cuprum.exp(-1j * w)
    length = 0 if _count(worN) is None else w.size if whole else 2 * (w.size - bool(include_nyquist))
    if b.ndim == 1 and a.ndim == 1 and _LONG < b.size + a.size and max(b.size, a.size) <= length:
        top, bottom = (cuprum.fft.fft(cuprum.asarray(c), length)[: w.size] for c in (b, a))
        h = top / bottom
    elif b.ndim == 1 and a.ndim == 1:
        # Horner's scheme has the highest power of 1 / z first.
        h = quotient(b[::-1], a[::-1], back)
    else:
        top, bottom = (_along_first(c, back) for c in (b, a))
        h = top / bottom
    return _plotted(plot, *_rounded((b, a), w * (float(fs) / (2 * math.pi)), h, _count(worN) is None))


def _along_first(c, z):
    """Polynomials whose coefficients are along the first axis, the constant first, at points with which their other axes are broadcast."""
    c = cuprum.asarray(c)
    value = 0
    for k in range(c.shape[0] - 1, -1, -1):
        value = value * z + c[k]
    return value


def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * numpy.pi):
    """Frequencies and the response to them of a digital filter of zeros, poles and a gain."""
    w = _angles(worN, whole, fs)
    return w * (float(fs) / (2 * math.pi)), quotient_of_roots(z, p, host(k), cuprum.exp(1j * w))


def freqz_sos(sos, worN=512, whole=False, fs=2 * numpy.pi):
    """Frequencies and the response to them of a digital filter of sections of order 2."""
    sos = numpy.atleast_2d(host(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f'sos has the shape {sos.shape}: a section is a row of 6 coefficients')
    if not (sos[:, 3] == 1).all():
        raise ValueError('sos[:, 3] should be all ones')
    if len(sos) == 0:
        raise ValueError('sos is empty: a filter has a section')
    w = _angles(worN, whole, fs)
    back, h = cuprum.exp(-1j * w), 1.0
    for section in sos:
        h = h * quotient(section[2::-1], section[:2:-1], back)
    return _rounded((sos,), w * (float(fs) / (2 * math.pi)), h, _count(worN) is None)


def sosfreqz(sos, worN=512, whole=False, fs=2 * numpy.pi):
    """Same as `freqz_sos`."""
    return freqz_sos(sos, worN=worN, whole=whole, fs=fs)


def _found_frequencies(zeros, poles, N):
    poles = numpy.asarray(poles, complex)
    zeros = numpy.asarray(zeros, complex)
    poles = poles if poles.size else numpy.array([-1000.0 + 0j])
    all = numpy.concatenate((poles[poles.imag >= 0], zeros[(abs(zeros) < 1e5) & (zeros.imag >= 0)]))
    # An integrator counts as a frequency of 1.
    distance = abs(numpy.real(all + (abs(all) < 1e-10)))
    high = round(math.log10((3 * distance + 1.5 * all.imag).max()) + 0.5)
    low = round(math.log10(0.1 * (distance + 2 * all.imag).min()) - 0.5)
    return numpy.logspace(low, high, N)


def findfreqs(num, den, N, kind='ba'):
    """Frequencies, evenly spaced by their logarithm, at which the response of an analog filter is of interest; on the host."""
    if kind == 'ba':
        zeros, poles = numpy.roots(vector(num)), numpy.roots(vector(den))
    elif kind in ('zp', 'zpk'):
        zeros, poles = vector(num), vector(den)
    else:
        raise ValueError(f"input must be one of {{'ba', 'zp'}}, not {kind!r}")
    return device(_found_frequencies(zeros, poles, N))


def freqs(b, a, worN=200, plot=None):
    """Angular frequencies and the response to them of an analog filter of these coefficients."""
    b, a = vector(b), vector(a)
    n = 200 if worN is None else _count(worN)
    w = cuprum.atleast_1d(cuprum.asarray(worN)) if n is None else findfreqs(b, a, n)
    return _plotted(plot, *_rounded((b, a), w, quotient(b, a, 1j * w), n is None))


def freqs_zpk(z, p, k, worN=200):
    """Angular frequencies and the response to them of an analog filter of zeros, poles and a gain."""
    k = host(k)
    if k.size > 1:
        raise ValueError(f'k must be a single scalar gain, not of shape {k.shape}')
    n = 200 if worN is None else _count(worN)
    w = cuprum.atleast_1d(cuprum.asarray(worN)) if n is None else findfreqs(z, p, n, kind='zp')
    return w, quotient_of_roots(z, p, complex(k.reshape(())), 1j * w)


def group_delay(system, w=512, whole=False, fs=2 * numpy.pi):
    """Frequencies and the group delay in samples of a digital filter of coefficients `(b, a)` (J. O. Smith, "Introduction to Digital Filters", 2007, "Numerical Computation of
    Group Delay"). Where it is singular it is 0, with a warning."""
    w = _angles(w, whole, fs)
    b, a = (vector(c) for c in system)
    c = numpy.convolve(b, numpy.conj(a[::-1]))
    back = cuprum.exp(-1j * w)
    ramped = c * numpy.arange(c.size)
    value = quotient(c[::-1], [1.0], back)
    top = quotient(ramped[::-1], [1.0], back)
    singular = abs(value) < 10 * numpy.finfo(float).eps
    if bool(singular.any()):
        at = ', '.join(f'{v:.3f}' for v in cuprum.asnumpy(w[singular]))
        warnings.warn(f'the group delay at [{at}] is not defined, and set to 0', stacklevel=2)
    delay = cuprum.where(singular, 0.0, (top / cuprum.where(singular, 1.0, value)).real - (a.size - 1))
    return w * (float(fs) / (2 * math.pi)), delay


def _sizes(n, m):
    if n < 1 or operator.index(n) != n:
        raise ValueError(f'n is {n}: it must be a positive integer.')
    if m is None:
        return operator.index(n)
    if m < 1 or operator.index(m) != m:
        raise ValueError(f'm is {m}: it must be a positive integer.')
    return operator.index(m)


def czt_points(m, w=None, a=1 + 0j):
    """Points at which a chirp z-transform is evaluated."""
    m = _sizes(1, m)
    k = cuprum.arange(m)
    if w is None:
        return complex(a) * cuprum.exp(2j * math.pi * k / m)
    kind = complex if numpy.iscomplexobj(a) or numpy.iscomplexobj(w) else float
    return kind(a) * kind(w) ** -k.astype(kind)


class CZT:
    """Chirp z-transform of signals of `n` elements at `m` points `a w^-k`, by convolution (L. R. Rabiner, R. W. Schafer and C. M. Rader, "The Chirp z-Transform Algorithm", IEEE Transactions on Audio and
    Electroacoustics 17(2), 1969). The chirp is computed on the host once."""

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        m = _sizes(n, m)
        k = numpy.arange(max(m, n), dtype=numpy.min_scalar_type(-(max(m, n) ** 2)))
        a = complex(a)
        if w is None:
            self.w = complex(numpy.exp(-2j * math.pi / m))
            # Angles less than a turn have all digits.
            chirp = numpy.exp(-1j * math.pi * ((k.astype(object) ** 2) % (2 * m)).astype(float) / m)
        else:
            self.w = complex(w)
            chirp = self.w ** (k.astype(float) ** 2 / 2.0)
        self._build(n, m, a, chirp, a ** -k[:n].astype(float))

    def _build(self, n, m, a, chirp, phases):
        self.m, self.n, self.a = m, n, a
        self._nfft = cuprum.cupyx.scipy.fft.next_fast_len(n + m - 1)
        self._before = cuprum.asarray(phases * chirp[:n])
        self._after = cuprum.asarray(chirp[:m])
        kernel = 1 / numpy.concatenate((chirp[n - 1 : 0 : -1], chirp[:m]))
        self._spectrum = cuprum.fft.fft(cuprum.asarray(kernel), self._nfft)

    def __call__(self, x, *, axis=-1):
        x = _array(x, 'x')
        axis = normalize_axis(axis, x.ndim)
        if x.shape[axis] != self.n:
            raise ValueError(f'CZT defined for length {self.n}, not {x.shape[axis]}')
        lines = cuprum.moveaxis(x, axis, -1)
        result = cuprum.fft.ifft(self._spectrum * cuprum.fft.fft(lines * self._before, self._nfft))
        return cuprum.moveaxis(result[..., self.n - 1 : self.n + self.m - 1] * self._after, -1, axis)

    def points(self):
        """Points at which the transform is evaluated."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """Fourier transform of signals of `n` elements at `m` frequencies of an interval `fn`, by a chirp z-transform."""

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        m = _sizes(n, m)
        k = numpy.arange(max(m, n)).astype(float)
        if numpy.size(fn) == 2:
            low, high = (float(f) for f in host(fn))
        elif numpy.size(fn) == 1:
            low, high = 0.0, float(host(fn).reshape(()))
        else:
            raise ValueError(f'fn has {numpy.size(fn)} elements: it is one frequency, or two')
        self.f1, self.f2, self.fs = low, high, fs
        scale = (high - low) * m / (fs * (m - 1)) if endpoint else (high - low) / fs
        self.w = complex(numpy.exp(-2j * math.pi / m * scale))
        self._build(n, m, complex(numpy.exp(2j * math.pi * low / fs)), numpy.exp(-1j * math.pi * scale * k**2 / m), numpy.exp(-2j * math.pi * low / fs * k[:n]))


def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """Chirp z-transform along an axis, at points on a spiral; without a ratio, the Fourier transform."""
    x = _array(x, 'x')
    return CZT(x.shape[normalize_axis(axis, x.ndim)], m=m, w=w, a=a)(x, axis=axis)


def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """Fourier transform along an axis at the frequencies of an interval."""
    x = _array(x, 'x')
    return ZoomFFT(x.shape[normalize_axis(axis, x.ndim)], fn, m=m, fs=fs, endpoint=endpoint)(x, axis=axis)
