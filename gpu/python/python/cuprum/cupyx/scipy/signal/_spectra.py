"""Power spectral densities of `scipy.signal`. Segments are cut, freed of their trend and transformed on the device. Windows that are named are evaluated on the
device once, and read to know their sums: the first call with a window synchronises, and each call with an array as the window."""

import functools
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array
from ._segments import _computed, _fitted, _frequencies, _is_named, _lengths, _median_bias, _placed, _positive, _scale, _spectra, _window
from .windows import get_window

__all__ = ['coherence', 'csd', 'periodogram', 'welch']


def csd(
    x, y, fs=1.0, window='hann', nperseg=None, noverlap=None, nfft=None, detrend='constant', return_onesided=True, scaling='density', axis=-1, average='mean'
):
    """Cross power spectral density by Welch's method: the mean or the median over segments (P. D. Welch, "The Use of Fast Fourier Transform for the Estimation of Power Spectra",
    IEEE Transactions on Audio and Electroacoustics 15(2), 1967). Returns frequencies and the density."""
    return _welch(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def welch(
    x, fs=1.0, window='hann', nperseg=None, noverlap=None, nfft=None, detrend='constant', return_onesided=True, scaling='density', axis=-1, average='mean'
):
    """Power spectral density by Welch's method: the mean or the median over segments. Returns frequencies and the density."""
    return _welch(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def _welch(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average):
    same = y is x
    x = _array(x, 'x')
    y = x if same else _array(y, 'y')
    signals = [x] if same else [x, y]
    axis = operator.index(axis)
    positions = [normalize_axis(axis, v.ndim) for v in signals]
    if not same:
        outer = [(*v.shape[:k], *v.shape[k + 1 :]) for v, k in zip(signals, positions)]
        try:
            outer = numpy.broadcast_shapes(*outer)
        except ValueError as error:
            raise ValueError(f'x and y cannot be broadcast together: their shapes are {x.shape} and {y.shape}.') from error
    if any(v.size == 0 for v in signals):
        if same:
            return cuprum.empty(x.shape), cuprum.empty(x.shape)
        empty = cuprum.moveaxis(cuprum.empty((*outer, min(v.shape[k] for v, k in zip(signals, positions)))), -1, axis)
        return empty, empty
    n = max(v.shape[k] for v, k in zip(signals, positions))
    if _is_named(window):
        nperseg = 256 if nperseg is None else _positive(nperseg)
        if n < nperseg:
            warnings.warn(f'nperseg={nperseg} is reduced to the length of the signal, {n}', stacklevel=3)
            nperseg = n
        taper = _window(window, nperseg)
    else:
        taper = _window(window)
        if nperseg is not None and nperseg != taper.size:
            raise ValueError(f'nperseg={nperseg} does not equal len(win)={taper.size}')
        nperseg = taper.size
        if nperseg > n:
            raise ValueError(f'window is longer than input signal: {nperseg} > {n}')
    step, nfft = _lengths(nperseg, noverlap, nfft, nperseg // 2)
    if scaling not in ('spectrum', 'density'):
        raise ValueError(f"Parameter scaling={scaling!r} must be 'spectrum' or 'density'!")
    onesided = bool(return_onesided)
    if onesided and x.dtype.kind == 'c':
        onesided = False
    elif onesided and not same and y.dtype.kind == 'c':
        raise ValueError('y is complex and x is not: one-sided spectra are of real signals; pass return_onesided=False')
    common = numpy.result_type(*(v.dtype for v in signals), numpy.complex64)
    spectra = []
    for v, k in zip(signals, positions):
        # A signal of single precision beside one of double precision has spectra of double precision.
        if common == numpy.complex128 and (_computed(v) == numpy.float32 or v.dtype.kind != 'c' and not onesided):
            v = v.astype(float if onesided else common)
        spectra.append(_spectra(_fitted(v, n, k), taper, step, nfft, detrend, onesided, k))
    if not same and spectra[0].dtype != spectra[1].dtype:
        spectra = [v.astype(common) for v in spectra]
    scale, half = _scale(scaling, fs, taper), nfft if onesided else None
    single = spectra[0].shape[-2] == 1
    if average not in ('mean', 'median') and not single:
        raise ValueError(f"Parameter average={average!r} must be 'median' or 'mean'!")
    other = None if same else spectra[1]
    if single or average == 'mean':
        density = _cuprum.spectra_power(spectra[0], other, scale, half, True)
    else:
        power = _cuprum.spectra_power(spectra[0], other, scale / _median_bias(spectra[0].shape[-2]), half, False)
        if same:
            density = cuprum.median(power, -2)
        else:
            density = (cuprum.median(power.real, -2) + 1j * cuprum.median(power.imag, -2)).astype(power.dtype)
    position = axis if axis >= 0 else density.ndim + axis
    return _frequencies(nfft, fs, onesided), _placed(density, position, 0)


def periodogram(x, fs=1.0, window='boxcar', nfft=None, detrend='constant', return_onesided=True, scaling='density', axis=-1):
    """Power spectral density of the whole signal as one segment. Returns frequencies and the density."""
    x = _array(x, 'x')
    if x.size == 0:
        return cuprum.empty(x.shape), cuprum.empty(x.shape)
    window = 'boxcar' if window is None else window
    at = normalize_axis(axis, x.ndim)
    n = x.shape[at]
    if nfft is not None and nfft < n:
        index = [slice(None)] * x.ndim
        index[at] = slice(0, nfft)
        x, n, nfft = x[tuple(index)], nfft, None
    if hasattr(window, 'size') and window.size != n:
        raise ValueError(f'window has {window.size} elements: it must have as many as the axis, {n}')
    return _welch(x, x, fs, window, n, 0, nfft, detrend, return_onesided, scaling, axis, 'mean')


def coherence(x, y, fs=1.0, window='hann', nperseg=None, noverlap=None, nfft=None, detrend='constant', axis=-1):
    """Squared magnitude of the cross power spectral density, divided by both power spectral densities. Returns frequencies and the
    coherence."""
    x, y = _array(x, 'x'), _array(y, 'y')
    options = {'fs': fs, 'window': window, 'nperseg': nperseg, 'noverlap': noverlap, 'nfft': nfft, 'detrend': detrend, 'axis': axis}
    frequencies, first = welch(x, **options)
    second = welch(y, **options)[1]
    both = csd(x, y, **options)[1]
    return frequencies, cuprum.abs(both) ** 2 / first / second
