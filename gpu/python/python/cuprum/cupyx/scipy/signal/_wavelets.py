"""Wavelets of `scipy.signal` as CuPy has them, and the continuous wavelet transform."""

import math

import numpy

import cuprum
from cuprum._cuprum.routines.cupyx.scipy.signal import fftconvolve as _fftconvolve

from ._images import _array

__all__ = ['cwt', 'morlet', 'morlet2', 'qmf', 'ricker']


def qmf(hk):
    """Highpass filter of a quadrature mirror pair, from the lowpass filter."""
    hk = cuprum.asarray(hk)
    signs = cuprum.asarray(1 - 2 * (numpy.arange(hk.size) % 2))
    return hk[::-1] * signs


def morlet(M, w=5.0, s=1.0, complete=True):
    """Complex Morlet wavelet of `M` elements from `-s 2 pi` to `s 2 pi`; the complete one has no mean."""
    x = cuprum.linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = cuprum.exp(1j * w * x)
    if complete:
        wave = wave - math.exp(-0.5 * w**2)
    return wave * (cuprum.exp(-0.5 * x**2) * math.pi**-0.25)


def ricker(points, a):
    """Ricker wavelet, the second derivative of a Gaussian of width `a`."""
    x = (cuprum.arange(points) - (points - 1.0) / 2) ** 2 / float(a) ** 2
    return (2 / (math.sqrt(3 * a) * math.pi**0.25)) * (1 - x) * cuprum.exp(-x / 2)


def morlet2(M, s, w=5):
    """Complex Morlet wavelet of `M` elements and width `s`, for `cwt`."""
    x = (cuprum.arange(M) - (M - 1.0) / 2) / s
    return math.sqrt(1 / s) * cuprum.exp(1j * w * x) * cuprum.exp(-0.5 * x**2) * math.pi**-0.25


def cwt(data, wavelet, widths):
    """Continuous wavelet transform: the convolutions of data with a wavelet of each width, one row each."""
    data = _array(data, 'data')
    if data.ndim != 1:
        raise ValueError(f'data must be 1-D, not {data.ndim}-D')
    widths = cuprum.asnumpy(widths) if isinstance(widths, cuprum.ndarray) else numpy.asarray(widths)
    dtype = complex if wavelet(1, float(widths[0])).dtype.kind == 'c' or data.dtype.kind == 'c' else float
    found = cuprum.empty((len(widths), data.size), dtype)
    for row, width in zip(found, widths.tolist()):
        n = int(min(10 * width, data.size))
        row[...] = _fftconvolve(data, cuprum.conj(wavelet(n, width)[::-1]), mode='same')
    return found
