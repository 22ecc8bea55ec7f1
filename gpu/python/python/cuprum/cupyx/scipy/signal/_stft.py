"""Short-time Fourier transforms of `scipy.signal`, spectrograms, and the conditions of their inverse."""

import functools
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array
from ._segments import _BORDERS, _computed, _frequencies, _is_named, _lengths, _named, _of_length, _one_sided, _positive, _scale, _spectra, _Window, _window
from .windows import get_window

__all__ = ['check_COLA', 'check_NOLA', 'istft', 'spectrogram', 'stft']


def _window_of(window, nperseg, n):
    """Returns the window of segments of a signal of `n` elements."""
    if not _is_named(window):
        found = _window(window)
        if n < found.size:
            raise ValueError(f'window is longer than input signal: {found.size} > {n}')
        if nperseg is not None and nperseg != found.size:
            raise ValueError(f'nperseg is {nperseg}, and window has {found.size} elements')
        return found
    nperseg = 256 if nperseg is None else _positive(nperseg)
    if nperseg > n:
        warnings.warn(f'nperseg={nperseg} is reduced to the length of the signal, {n}', stacklevel=4)
        nperseg = n
    return _window(window, nperseg)


def _segmented(x, fs, window, noverlap, nfft, detrend, return_onesided, scale, axis, power, border=None, padded=False):
    """Returns frequencies, times, and the spectra of segments or their powers."""
    if border not in _BORDERS:
        raise ValueError(f"Unknown boundary option '{border}', must be one of: {list(_BORDERS)}")
    at = normalize_axis(operator.index(axis), x.ndim)
    if x.size == 0:
        return (cuprum.empty(x.shape),) * 3
    nperseg = window.size
    step, nfft = _lengths(nperseg, noverlap, nfft, nperseg // 2)
    onesided = _one_sided(return_onesided, x)
    pad = nperseg // 2 if border else 0
    if border not in (None, 'zeros') and pad >= x.shape[at]:
        raise ValueError(f'the signal of {x.shape[at]} elements is not continued by {pad}: take a shorter segment.')
    weights = window
    if not power and scale != 1:
        weights = _Window(window.elements * scale)
    spectra = _spectra(x, weights, step, nfft, detrend, onesided, at, _BORDERS[border], padded)
    if power:
        spectra = _cuprum.spectra_power(spectra, None, scale, nfft if onesided else None, False)
    start = 0.0 if border else nperseg / 2
    times = cuprum.arange(start, start + step * (spectra.shape[-2] - 0.5), step) / float(fs)
    # Frequencies at the position of the signal's axis, and segments last.
    return _frequencies(nfft, fs, onesided), times, cuprum.moveaxis(spectra, -1, at)


def spectrogram(
    x, fs=1.0, window=('tukey', 0.25), nperseg=None, noverlap=None, nfft=None, detrend='constant', return_onesided=True, scaling='density', axis=-1, mode='psd'
):
    """Spectra of consecutive segments: their power, or with another `mode` their complex values, magnitudes, angles or unwrapped phases. Returns
    frequencies, times, and the spectra, whose last axis is that of the segments."""
    modes = ['psd', 'complex', 'magnitude', 'angle', 'phase']
    if mode not in modes:
        raise ValueError(f'unknown value for mode {mode}, must be one of {modes}')
    x = _array(x, 'x')
    at = normalize_axis(operator.index(axis), x.ndim)
    taper = _window_of(window, nperseg, x.shape[at])
    noverlap = taper.size // 8 if noverlap is None else noverlap
    scale = _scale(scaling, fs, taper)
    if mode == 'psd':
        return _segmented(x, fs, taper, noverlap, nfft, detrend, return_onesided, scale, axis, True)
    frequencies, times, spectra = _segmented(x, fs, taper, noverlap, nfft, detrend, return_onesided, scale**0.5, axis, False)
    if mode == 'magnitude':
        spectra = cuprum.abs(spectra)
    elif mode in ('angle', 'phase'):
        spectra = cuprum.angle(spectra)
        if mode == 'phase':
            spectra = cuprum.unwrap(spectra, axis=at)
    return frequencies, times, spectra


def stft(
    x,
    fs=1.0,
    window='hann',
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary='zeros',
    padded=True,
    axis=-1,
    scaling='spectrum',
):
    """Short-time Fourier transform: the spectra of overlapping segments. Returns frequencies, times, and the spectra, whose last axis is that of
    the segments."""
    if scaling not in ('spectrum', 'psd'):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    if boundary not in _BORDERS:
        raise ValueError(f"Unknown boundary option '{boundary}', must be one of: {list(_BORDERS)}")
    x = _array(x, 'x')
    at = normalize_axis(operator.index(axis), x.ndim)
    if x.size == 0:
        return (cuprum.empty(x.shape),) * 3
    taper = _window_of(window, nperseg, x.shape[at])
    scale = _scale('density' if scaling == 'psd' else scaling, fs, taper) ** 0.5
    return _segmented(x, fs, _scaled(window, taper, scale), noverlap, nfft, detrend, return_onesided, 1, axis, False, boundary, padded)


@functools.lru_cache(maxsize=64)
def _named_scaled(window, n, scale):
    return _Window(_named(window, n).elements * scale)


def _scaled(window, taper, scale):
    """Returns a window times a factor."""
    if _is_named(window):
        try:
            return _named_scaled(window, taper.size, scale)
        except TypeError:  # A tuple that has an array.
            pass
    return _Window(taper.elements * scale)


def istft(
    Zxx, fs=1.0, window='hann', nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1, freq_axis=-2, scaling='spectrum'
):
    """Inverse short-time Fourier transform: the signal whose segments have spectra nearest to these. Returns times and the signal."""
    spectra = _array(Zxx, 'Zxx')
    if spectra.ndim < 2:
        raise ValueError(f'Zxx has {spectra.ndim} axes: it has two at least')
    if freq_axis == time_axis:
        raise ValueError(f'time_axis and freq_axis are both {freq_axis}.')
    times_at, bins_at = normalize_axis(time_axis, spectra.ndim), normalize_axis(freq_axis, spectra.ndim)
    count, bins = spectra.shape[times_at], spectra.shape[bins_at]
    usual = 2 * (bins - 1) if input_onesided else bins
    nperseg = usual if nperseg is None else _positive(nperseg)
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == usual + 1 else usual
    step, nfft = _lengths(nperseg, noverlap, nfft, nperseg // 2)
    taper = _of_length(window, nperseg)
    if scaling == 'spectrum':
        scale = taper.sum()
    elif scaling == 'psd':
        scale = (fs * taper.energy()) ** 0.5
    else:
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    trim = nperseg // 2 if boundary else 0
    if not _is_invertible(taper.elements, count, step, trim):
        hint = '' if boundary else ' The ends have no boundary.'
        warnings.warn('NOLA: the squares of the windows sum to 0 somewhere, where the signal is lost.' + hint, stacklevel=2)
    moved = cuprum.moveaxis(spectra, (times_at, bins_at), (-2, -1))
    x = _cuprum.spectra_overlap_add(moved, taper.array(_computed(spectra)), (step, nfft), bool(input_onesided), trim, scale)
    if x.ndim > 1:
        x = cuprum.moveaxis(x, -1, times_at - (bins_at < times_at))
    return cuprum.arange(x.shape[0]) / float(fs), x


def _is_invertible(window, count, step, trim):
    """Returns whether the squares of the windows of all segments sum to more than 1e-10 at every element that is kept."""
    n = window.size
    # More segments than this repeat the sums of the middle.
    count = min(count, 2 * -(-n // step) + 2)
    sums = numpy.zeros(n + (count - 1) * step)
    for k in range(count):
        sums[k * step : k * step + n] += window * window
    kept = sums[trim : sums.size - trim]
    return bool((kept > 1e-10).all())


def _checked(window, nperseg, noverlap):
    nperseg = _positive(nperseg)
    if noverlap >= nperseg:
        raise ValueError(f'noverlap must be less than nperseg: {noverlap} >= {nperseg}.')
    return _of_length(window, nperseg).elements, nperseg - int(noverlap)


def _folded(elements, step):
    """Sums of elements that are a multiple of the step apart."""
    padded = numpy.zeros(-(-elements.size // step) * step)
    padded[: elements.size] = elements
    return padded.reshape(-1, step).sum(0)


def check_COLA(window, nperseg, noverlap, tol=1e-10):
    """Returns whether overlapping windows sum to a constant, on the host."""
    elements, step = _checked(window, nperseg, noverlap)
    sums = _folded(elements, step)
    return bool(numpy.abs(sums - numpy.median(sums)).max() < tol)


def check_NOLA(window, nperseg, noverlap, tol=1e-10):
    """Returns whether the squares of overlapping windows have no sum of 0, on the host."""
    if noverlap < 0:
        raise ValueError(f'noverlap must be a nonnegative integer, not {noverlap}')
    elements, step = _checked(window, nperseg, noverlap)
    return bool(_folded(elements**2, step).min() > tol)
