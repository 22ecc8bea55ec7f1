"""Segments of signals and their transforms, and windows that are evaluated once."""

import functools
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array
from .windows import get_window

__all__ = []

_BORDERS = {None: 0, 'zeros': 1, 'even': 2, 'odd': 3, 'constant': 4}


_TRENDS = {'constant': 1, 'c': 1, 'linear': 2, 'l': 2}


class _Window:
    """A window on the host and, by dtype, on the device."""

    def __init__(self, elements):
        self.elements = elements
        self.arrays = {}

    @property
    def size(self):
        return self.elements.size

    def sum(self):
        return float(self.elements.sum())

    def energy(self):
        return float((self.elements * self.elements).sum())

    def array(self, dtype):
        key = (cuprum.cuda.Device().id, dtype)
        if key not in self.arrays:
            self.arrays[key] = cuprum.asarray(self.elements.astype(dtype))
        return self.arrays[key]


@functools.lru_cache(maxsize=64)
def _named(window, n):
    return _Window(cuprum.asnumpy(get_window(window, n)))


def _is_named(window):
    return isinstance(window, (str, tuple))


def _window(window, n=None):
    """Returns a window by its name and length, or of an array, which is read if it is one of the device."""
    if _is_named(window):
        try:
            return _named(window, n)
        except TypeError:  # A tuple that has an array.
            return _Window(cuprum.asnumpy(get_window(window, n)))
    elements = cuprum.asnumpy(window) if isinstance(window, cuprum.ndarray) else numpy.asarray(window)
    if elements.ndim != 1:
        raise ValueError(f'window must be 1-D, not {elements.ndim}-D')
    return _Window(elements.astype(float))


def _of_length(window, nperseg):
    found = _window(window, nperseg)
    if found.size != nperseg:
        raise ValueError(f'window must have length of nperseg: {found.size} != {nperseg}')
    return found


def _positive(nperseg):
    nperseg = int(nperseg)
    if nperseg < 1:
        raise ValueError(f'nperseg must be a positive integer, not {nperseg}')
    return nperseg


def _lengths(nperseg, noverlap, nfft, overlap):
    """Returns the step of segments and the length of their transforms."""
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError(f'nfft must be greater than or equal to nperseg: {nfft} < {nperseg}.')
    noverlap = overlap if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError(f'noverlap must be less than nperseg: {noverlap} >= {nperseg}.')
    return nperseg - noverlap, nfft


def _scale(scaling, fs, window):
    """Returns the factor of a power."""
    # The factor of a window of zeros is infinite, as SciPy's.
    with numpy.errstate(divide='ignore'):
        if scaling == 'density':
            return float(numpy.divide(1.0, fs * window.energy()))
        if scaling == 'spectrum':
            return float(numpy.divide(1.0, window.sum() ** 2))
    raise ValueError(f'Unknown scaling: {scaling!r}')


def _computed(x):
    """Returns the dtype in which the spectra of a signal are computed."""
    return numpy.dtype('f4' if numpy.result_type(x.dtype, numpy.complex64) == numpy.complex64 else 'f8')


def _spectra(x, window, step, nfft, detrend, onesided, axis, border=0, padded=False):
    """Returns the transforms of segments: the shape of `x` without the axis, then segments and frequencies."""
    real = _computed(x)
    if x.dtype.kind in 'biu' and real == numpy.float32:
        x = x.astype(real)
    if not callable(detrend):
        if detrend and detrend not in _TRENDS:
            raise ValueError(f"detrend is {detrend!r}: it must be 'linear', 'constant', False or a function.")
        trend = _TRENDS[detrend] if detrend else 0
        return _cuprum.spectra_segments(x, window.array(real), axis, (step, nfft, trend, border, padded, onesided))
    # The segments themselves, as SciPy passes them to a function.
    n = window.size
    lines = cuprum.moveaxis(x, axis, -1)
    if border:
        from cuprum import pad

        modes = {1: {'mode': 'constant'}, 2: {'mode': 'reflect'}, 3: {'mode': 'reflect', 'reflect_type': 'odd'}, 4: {'mode': 'edge'}}
        lines = pad(lines, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], **modes[border])
    if padded:
        extra = -(lines.shape[-1] - n) % step
        lines = cuprum.concatenate((lines, cuprum.zeros((*lines.shape[:-1], extra), lines.dtype)), -1)
    pieces = cuprum.lib.stride_tricks.sliding_window_view(lines, n, -1)[..., ::step, :]
    if axis != x.ndim - 1:
        pieces = cuprum.moveaxis(detrend(cuprum.moveaxis(pieces, -1, axis)), axis, -1)
    else:
        pieces = detrend(pieces)
    pieces = pieces * window.array(real)
    return cuprum.fft.rfft(pieces, nfft) if onesided else cuprum.fft.fft(pieces, nfft)


def _frequencies(nfft, fs, onesided):
    return cuprum.fft.rfftfreq(nfft, 1 / fs) if onesided else cuprum.fft.fftfreq(nfft, 1 / fs)


def _one_sided(return_onesided, *signals, stacklevel=4):
    if return_onesided and any(x.dtype.kind == 'c' for x in signals):
        warnings.warn('the signal is complex: spectra are two-sided, as with return_onesided=False', stacklevel=stacklevel)
        return False
    return bool(return_onesided)


def _placed(result, axis, moved):
    """Moves the last axis of a result to the position of the signal's; `moved` is the number of axes after it."""
    return cuprum.moveaxis(result, -1 - moved, axis) if axis != result.ndim - 1 - moved else result


def _fitted(x, n, axis):
    """Pads a signal with zeros to `n` elements."""
    missing = n - x.shape[axis]
    if missing <= 0:
        return x
    shape = (*x.shape[:axis], missing, *x.shape[axis + 1 :])
    return cuprum.concatenate((x, cuprum.zeros(shape, x.dtype)), axis)


def _median_bias(n):
    """Expectation of the median of `n` numbers of an exponential distribution of mean 1."""
    k = 2 * numpy.arange(1.0, (n - 1) // 2 + 1)
    return float(1 + (1 / (k + 1) - 1 / k).sum())
