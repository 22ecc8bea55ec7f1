"""Spectra of `scipy.signal`: power densities, short-time Fourier transforms and their inverse. Segments are cut, freed of their trend and
transformed on the device. Windows that are named are evaluated on the device once, and read to know their sums: the first call with a window
synchronises."""

import functools
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array
from .windows import get_window

__all__ = ['check_COLA', 'check_NOLA', 'coherence', 'csd', 'istft', 'lombscargle', 'periodogram', 'spectrogram', 'stft', 'vectorstrength', 'welch']

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


def _window_of(window, nperseg, n):
    """Returns the window of segments of a signal of `n` elements."""
    if not _is_named(window):
        found = _window(window)
        if n < found.size:
            raise ValueError(f'window is longer than input signal: {found.size} > {n}')
        if nperseg is not None and nperseg != found.size:
            raise ValueError(f'value specified for nperseg is different from length of window: {nperseg} != {found.size}')
        return found
    nperseg = 256 if nperseg is None else _positive(nperseg)
    if nperseg > n:
        warnings.warn(f'nperseg = {nperseg} is greater than input length  = {n}, using nperseg = {n}', stacklevel=4)
        nperseg = n
    return _window(window, nperseg)


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
    if scaling == 'density':
        return 1.0 / (fs * window.energy())
    if scaling == 'spectrum':
        return 1.0 / window.sum() ** 2
    raise ValueError(f'Unknown scaling: {scaling!r}')


def _computed(x):
    """Returns the dtype in which the spectra of a signal are computed."""
    return numpy.dtype('f4' if numpy.result_type(x.dtype, numpy.complex64) == numpy.complex64 else 'f8')


def _spectra(x, window, step, nfft, detrend, onesided, axis, border=0, padded=False):
    """Returns the transforms of segments: the shape of `x` without the axis, then segments and frequencies."""
    real = _computed(x)
    if not callable(detrend):
        if detrend and detrend not in _TRENDS:
            raise ValueError("Trend type must be 'linear' or 'constant'.")
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
        warnings.warn('Input data is complex, switching to return_onesided=False', stacklevel=stacklevel)
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
    places = [normalize_axis(axis, v.ndim) for v in signals]
    if not same:
        outer = [(*v.shape[:k], *v.shape[k + 1 :]) for v, k in zip(signals, places)]
        try:
            outer = numpy.broadcast_shapes(*outer)
        except ValueError as error:
            raise ValueError(f'x and y cannot be broadcast together: their shapes are {x.shape} and {y.shape}.') from error
    if any(v.size == 0 for v in signals):
        if same:
            return cuprum.empty(x.shape), cuprum.empty(x.shape)
        empty = cuprum.moveaxis(cuprum.empty((*outer, min(v.shape[k] for v, k in zip(signals, places)))), -1, axis)
        return empty, empty
    n = max(v.shape[k] for v, k in zip(signals, places))
    if _is_named(window):
        nperseg = 256 if nperseg is None else _positive(nperseg)
        if n < nperseg:
            warnings.warn(f'nperseg={nperseg} is greater than signal length max(len(x), len(y)) = {n}, using nperseg = {n}', stacklevel=3)
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
    for v, k in zip(signals, places):
        if v.dtype.kind != 'c' and not onesided and common == numpy.complex128:
            v = v.astype(common)
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
    place = axis if axis >= 0 else density.ndim + axis
    return _frequencies(nfft, fs, onesided), _placed(density, place, 0)


def _median_bias(n):
    """Expectation of the median of `n` numbers of an exponential distribution of mean 1."""
    k = 2 * numpy.arange(1.0, (n - 1) // 2 + 1)
    return float(1 + (1 / (k + 1) - 1 / k).sum())


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
        raise ValueError(f'the size of the window must be the same size of the input on the specified axis: {window.size} != {n}')
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
        raise ValueError(f'The extension length n ({pad}) is too big. It must not exceed x.shape[axis]-1, which is {x.shape[at] - 1}.')
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
    if isinstance(window, str):
        return _named_scaled(window, taper.size, scale)
    return _Window(taper.elements * scale)


def istft(
    Zxx, fs=1.0, window='hann', nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1, freq_axis=-2, scaling='spectrum'
):
    """Inverse short-time Fourier transform: the signal whose segments have spectra nearest to these. Returns times and the signal."""
    spectra = _array(Zxx, 'Zxx')
    if spectra.ndim < 2:
        raise ValueError(f'Input stft must be at least 2d, not {spectra.ndim}d!')
    if freq_axis == time_axis:
        raise ValueError(f'Must specify differing time and frequency axes: both are {freq_axis}!')
    times_at, bins_at = normalize_axis(time_axis, spectra.ndim), normalize_axis(freq_axis, spectra.ndim)
    count, bins = spectra.shape[times_at], spectra.shape[bins_at]
    usual = 2 * (bins - 1) if input_onesided else bins
    nperseg = usual if nperseg is None else _positive(nperseg)
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == usual + 1 else usual
    elif nfft < nperseg:
        raise ValueError(f'nfft must be greater than or equal to nperseg: {nfft} < {nperseg}.')
    step, nfft = _lengths(nperseg, noverlap, max(int(nfft), nperseg) if nfft is not None else None, nperseg // 2)
    taper = _of_length(window, nperseg)
    if scaling == 'spectrum':
        scale = taper.sum()
    elif scaling == 'psd':
        scale = (fs * taper.energy()) ** 0.5
    else:
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    trim = nperseg // 2 if boundary else 0
    if not _is_invertible(taper.elements, count, step, trim):
        hint = '' if boundary else ' Possibly due to missing boundary'
        warnings.warn('NOLA condition failed, STFT may not be invertible.' + hint, stacklevel=2)
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


def vectorstrength(events, period):
    """Synchrony of events with a period: the length and the angle of the mean of unit vectors of their phases."""
    events, period = cuprum.asarray(_array(events, 'events')), cuprum.asarray(period)
    if events.ndim > 1:
        raise ValueError(f'events cannot have dimensions more than 1: it has {events.ndim}')
    if period.ndim > 1:
        raise ValueError(f'period cannot have dimensions more than 1: it has {period.ndim}')
    if bool((period <= 0).any()):
        raise ValueError('periods must be positive')
    phases = 2 * numpy.pi * cuprum.atleast_1d(events) / cuprum.atleast_1d(period)[:, None]
    mean = cuprum.exp(1j * phases).mean(1)
    strength, phase = cuprum.abs(mean), cuprum.angle(mean)
    return (strength[0], phase[0]) if period.ndim == 0 else (strength, phase)


_LOMB = r"""
    double c = 0, s = 0, yc = 0, ys = 0, cc = 0, cs = 0, mean = 0;
    const double w = freqs;
    for (long long k = 0; k < count; ++k) {
      double a, b;
      sincos(w * x[k], &b, &a);
      const double weight = weights[k];
      c += weight * a;
      s += weight * b;
      cc += weight * a * a;
      cs += weight * a * b;
    }
    double ss = 1 - cc;
    double dcc = cc, dss = ss, dcs = cs;
    if (floating) {
      dcc -= c * c;
      dss -= s * s;
      dcs -= c * s;
    }
    const double tau = 0.5 * atan2(2 * dcs, dcc - dss);
    c = s = cc = 0;
    for (long long k = 0; k < count; ++k) {
      double a, b;
      sincos(w * x[k] - tau, &b, &a);
      const double weight = weights[k], v = weight * y[k];
      c += weight * a;
      s += weight * b;
      cc += weight * a * a;
      yc += v * a;
      ys += v * b;
      mean += v;
    }
    ss = 1 - cc;
    if (floating) {
      yc -= mean * c;
      ys -= mean * s;
      cc -= c * c;
      ss -= s * s;
    }
    // Rounding may leave no cosines or sines.
    const double least = 1.1102230246251565e-16;
    cc = cc < least ? least : cc;
    ss = ss < least ? least : ss;
    const double p = yc / cc, q = ys / ss;
    power = 2 * (p * yc + q * ys);
    double st, ct;
    sincos(tau, &st, &ct);
    re = p * ct - q * st;
    im = p * st + q * ct;
"""


@functools.cache
def _lomb():
    inputs = 'float64 freqs, raw float64 x, raw float64 y, raw float64 weights, int64 count, bool floating'
    return cuprum.ElementwiseKernel(inputs, 'float64 power, float64 re, float64 im', _LOMB, 'signal_lombscargle')


def lombscargle(x, y, freqs, precenter=False, normalize=False, *, weights=None, floating_mean=False):
    """Periodogram of samples at any times by least squares (J. D. Scargle, "Studies in Astronomical Time Series Analysis II", The Astrophysical Journal 263,
    1982; with a floating mean M. Zechmeister and M. Kürster, "The Generalised Lomb-Scargle Periodogram", Astronomy & Astrophysics 496, 2009), in
    float64. A thread has a frequency. The weights are read to check them: with weights it synchronises."""
    x, y, freqs = (cuprum.ascontiguousarray(_array(v, name).astype(float)) for v, name in ((x, 'x'), (y, 'y'), (freqs, 'freqs')))
    if weights is not None:
        weights = cuprum.ascontiguousarray(_array(weights, 'weights').astype(float))
    if x.ndim != 1 or x.size == 0 or x.shape != y.shape or (weights is not None and weights.shape != x.shape):
        raise ValueError(f'Parameters x, y, weights must be 1-D arrays of equal non-zero length, not of shapes {x.shape} and {y.shape}!')
    if freqs.ndim != 1 or freqs.size == 0:
        raise ValueError(f'Parameter freqs must be a 1-D array of non-zero length, not of shape {freqs.shape}!')
    if weights is None:
        weights = cuprum.full(x.shape, 1.0 / x.size)
    else:
        if not bool((weights >= 0).all()) or not bool(weights.sum() > 0):
            raise ValueError('Parameter weights must have only non-negative entries which sum to a positive value!')
        weights = weights / weights.sum()
    if isinstance(normalize, bool):
        normalize = 'normalize' if normalize else 'power'
    if normalize not in ('power', 'normalize', 'amplitude'):
        raise ValueError(f"Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude', not {normalize!r}.")
    if precenter:
        y = y - y.mean()
    power, real, imag = _lomb()(freqs, x, y, weights, x.size, bool(floating_mean))
    if normalize == 'amplitude':
        return real + 1j * imag
    if normalize == 'power':
        return power * (x.size / 4)
    squares = (weights * y * y).sum()
    if floating_mean:
        squares = squares - (weights * y).sum() ** 2
    return power * (0.5 / squares)
