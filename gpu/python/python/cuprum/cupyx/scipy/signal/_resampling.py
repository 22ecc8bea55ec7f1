"""Changes of the sampling rate, and filters by polynomials, of `scipy.signal`."""

import functools
import math
import operator

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._cuprum.routines.cupyx.scipy.signal import savgol_filter as _savgol_filter

from .._axes import normalize_axis
from ._extension import RULES as _EXTENSIONS
from ._extension import extended
from ._filters import both_ways, coefficients, cut, sections, signal, sosfilt
from ._images import _array
from ._lti import dlti
from ._representations import zpk2sos
from .windows import get_window

__all__ = ['decimate', 'resample', 'resample_poly', 'savgol_coeffs', 'savgol_filter', 'upfirdn']

# Numbers of border rules, as those of `BorderRule`.
_BORDERS = {'symmetric': 0, 'reflect': 1, 'edge': 2, 'wrap': 3, 'constant': 4}


def _rates(up, down):
    if up != int(up) or down != int(down):
        raise ValueError(f'up and down must be integers, not {up} and {down}')
    if up < 1 or down < 1:
        raise ValueError(f'up and down must be >= 1, not {up} and {down}')
    return int(up), int(down)


def _border(mode):
    mode = 'constant' if mode is None else mode
    if mode not in _BORDERS and mode not in _EXTENSIONS:
        raise ValueError(f'Unknown mode: {mode!r}: use one of {", ".join([*_BORDERS, *_EXTENSIONS])}')
    return mode


def upfirdn(h, x, up=1, down=1, axis=-1, mode='constant', cval=0):
    """Inserts zeros between the elements along an axis, filters by weights, and keeps every `down`th result."""
    if numpy.ndim(h) != 1:
        raise ValueError(f'h must be 1-D with non-zero length, not {numpy.ndim(h)}-D')
    h, x = coefficients(h, 'h'), _array(x, 'x')
    up, down = _rates(up, down)
    axis = normalize_axis(axis, x.ndim)
    n = -(-((x.shape[axis] - 1) * up + h.size) // down)
    return _at_rates(x, axis, h, n, (up, down, 0, _border(mode), float(cval)))


def _at_rates(x, axis, h, n, options):
    """Returns `n` results along an axis of inserting zeros, filtering by weights of any kind, and keeping every `down`th one."""
    up, down, first, mode, cval = options
    if mode in _EXTENSIONS:
        # Elements that the weights of the first and of the last result reach.
        before = max(0, -((first - h.size + 1) // up))
        after = max(0, (first + (n - 1) * down) // up - x.shape[axis] + 1)
        x = extended(x.astype(numpy.result_type(h.dtype, x.dtype, numpy.float32)), axis, mode, before, after)
        first, mode = first + before * up, 'constant'
    options = up, down, first, _BORDERS[mode], cval
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])

    def filtered(weights):
        out = cuprum.empty(shape, numpy.result_type(weights.dtype, x.dtype, numpy.float32))
        _cuprum.filter_rates(x, axis, weights.astype(float).tolist(), options, out)
        return out

    # The engine's weights are real.
    return filtered(h.real) + 1j * filtered(h.imag) if h.dtype.kind == 'c' else filtered(h)


def symmetric_window(window, n):
    """Returns a symmetric window on the host. Windows that NumPy does not have are evaluated on the device and read, which synchronises."""
    name, *parameters = window if isinstance(window, tuple) and window else (window,)
    named = {'hamming': numpy.hamming, 'hann': numpy.hanning, 'blackman': numpy.blackman, 'bartlett': numpy.bartlett}
    if name == 'kaiser' and len(parameters) == 1:
        return numpy.kaiser(n, parameters[0])
    if isinstance(name, str) and name in named and not parameters:
        return named[name](n)
    return cuprum.asnumpy(get_window(window, n, False))


def _lowpass(n, cutoff, window):
    """Returns `n` weights of a filter that passes frequencies up to a part of half the sampling rate, and a constant as it is."""
    try:
        return _named_lowpass(n, cutoff, window)
    except TypeError:
        # A window that has no hash, such as a list.
        return _named_lowpass.__wrapped__(n, cutoff, window)


@functools.lru_cache(maxsize=64)
def _named_lowpass(n, cutoff, window):
    x = numpy.arange(n) - (n - 1) / 2
    h = cutoff * numpy.sinc(cutoff * x) * symmetric_window(window, n)
    return h / h.sum()


def resample_poly(x, up, down, axis=0, window=('kaiser', 5.0), padtype='constant', cval=None):
    """Changes the sampling rate along an axis by a factor and a divisor, with a symmetric filter between."""
    x = _array(x, 'x')
    up, down = _rates(up, down)
    if cval is not None and padtype != 'constant':
        raise ValueError(f'cval has no effect when padtype is {padtype}')
    axis = normalize_axis(axis, x.ndim)
    divisor = math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == down == 1:
        return x.copy()
    if isinstance(window, (list, numpy.ndarray, cuprum.ndarray)):
        h = numpy.asarray(cuprum.asnumpy(window) if isinstance(window, cuprum.ndarray) else window)
        if h.ndim > 1:
            raise ValueError(f'window must be 1-D, not {h.ndim}-D')
        half = (h.size - 1) // 2
    else:
        half = 10 * max(up, down)
        h = _lowpass(2 * half + 1, 1.0 / max(up, down), window)
        if x.dtype.kind in 'fc':
            h = h.astype(x.real.dtype)
    h = coefficients(h, 'window')
    background = None
    statistics = {'mean': cuprum.mean, 'median': cuprum.median, 'minimum': cuprum.min, 'maximum': cuprum.max}
    if padtype in statistics:
        background = statistics[padtype](x, axis=axis, keepdims=True)
        x = x - background
        border, cval = 'constant', 0.0
    elif padtype in _BORDERS or padtype in _EXTENSIONS:
        border, cval = padtype, 0.0 if cval is None else float(cval)
    else:
        raise ValueError(f'padtype must be one of {", ".join([*statistics, *_BORDERS, *_EXTENSIONS])}, not {padtype!r}')
    # The filter is symmetric about its middle, where the first result is.
    out = _at_rates(x, axis, h * up, -(-x.shape[axis] * up // down), (up, down, half, border, cval))
    return out if background is None else out + background


def resample(x, num, t=None, axis=0, window=None, domain='time'):
    """Changes the number of elements along an axis by transforms, as of a periodic signal."""
    if domain not in ('time', 'freq'):
        raise ValueError(f"Parameter domain={domain!r} not in ('time', 'freq')!")
    x = _array(x, 'x')
    lines = cuprum.moveaxis(x, axis, -1)
    n, num = lines.shape[-1], operator.index(num)
    m = min(num, n)
    weights = None
    if callable(window):
        weights = cuprum.asarray(window(numpy.fft.fftfreq(n)))
    elif hasattr(window, 'shape'):
        weights = cuprum.asarray(window)
        if weights.shape != (n,):
            raise ValueError(f'window must have one weight for each frequency: window.shape={weights.shape} != ({n},)')
    elif window is not None:
        weights = cuprum.fft.ifftshift(get_window(window, n))
    half = m // 2 + 1
    if domain == 'time' and x.dtype.kind != 'c':
        spectrum = cuprum.fft.rfft(lines)
        if weights is not None:
            # The filter of a real signal is real: weights of opposite frequencies are averaged.
            opposite = cuprum.roll(weights[::-1], 1)
            spectrum *= ((weights + opposite) / 2)[: spectrum.shape[-1]]
        spectrum = spectrum[..., :half]
        if m % 2 == 0 and num != n:
            spectrum[..., m // 2] *= 2 if num < n else 0.5
        result = cuprum.fft.irfft(spectrum * (num / n), num)
    else:
        spectrum = cuprum.fft.fft(lines) if domain == 'time' else lines
        if weights is not None:
            spectrum = spectrum * weights
        whole = cuprum.zeros((*spectrum.shape[:-1], num), spectrum.dtype)
        whole[..., :half] = spectrum[..., :half]
        if half < m:
            whole[..., half - m :] = spectrum[..., half - m :]
        if m % 2 == 0 and num < n:
            whole[..., m // 2] += spectrum[..., n - m // 2]
        elif m % 2 == 0 and num > n:
            whole[..., m // 2] /= 2
            whole[..., num - m // 2] = whole[..., m // 2]
        result = cuprum.fft.ifft(whole * (num / n))
    if result.dtype != x.dtype and x.dtype.char in 'fF':
        result = result.astype(numpy.result_type(result.real.dtype if result.dtype.kind != 'c' else result.dtype, x.dtype))
    result = cuprum.moveaxis(result, -1, axis)
    if t is None:
        return result
    return result, t[0] + (t[1] - t[0]) * (n / num) * cuprum.arange(num)


@functools.lru_cache(maxsize=64)
def _chebyshev(order, ripple, cutoff):
    """Returns sections of order 2 of a lowpass filter of Chebyshev's first kind: ripple in decibels, cutoff as a part of half the sampling rate."""
    filter = _cuprum.design_iir(order, 'cheby1', (ripple, 0.0), 'lowpass', (cutoff, cutoff), False)
    return numpy.array(_cuprum.design_sections(filter, 'nearest', False))


def _of_system(system, x, q, axis, zero_phase):
    """Keeps every `q`th element after a filter of a discrete system."""
    zeros, poles, gain = (numpy.asarray(cuprum.asnumpy(v)) for v in (system.to_zpk().zeros, system.to_zpk().poles, system.to_zpk().gain))
    if poles.size == 0:
        h = numpy.atleast_1d(gain * numpy.poly(zeros))
        if zero_phase:
            return resample_poly(x, 1, q, axis=axis, window=h)
        return cut(upfirdn(h, x, 1, q, axis), axis, -(-x.shape[axis] // q))
    sos = cuprum.asnumpy(zpk2sos(zeros, poles, gain))
    if zero_phase:
        return both_ways(sections(sos), signal(x), axis, every=q)
    return cut(sosfilt(sos, x, axis), axis, None, None, q)


def decimate(x, q, n=None, ftype='iir', axis=-1, zero_phase=True):
    """Keeps every `q`th element along an axis after a filter against aliasing: 'iir', 'fir', or a system of `dlti`."""
    x, q = _array(x, 'x'), operator.index(q)
    axis = normalize_axis(axis, x.ndim)
    dtype = x.dtype if x.dtype.kind in 'fc' and x.dtype != numpy.float16 else numpy.dtype(float)
    if isinstance(ftype, dlti):
        return _of_system(ftype, x, q, axis, zero_phase)
    if n is not None and operator.index(n) < 0:
        raise ValueError(f'n is {n}: the order of a filter must not be negative')
    if ftype == 'fir':
        h = _lowpass((20 * q if n is None else operator.index(n)) + 1, 1.0 / q, 'hamming').astype(numpy.zeros(0, dtype).real.dtype)
        if zero_phase:
            return resample_poly(x, 1, q, axis=axis, window=h)
        return cut(upfirdn(h, x, 1, q, axis), axis, -(-x.shape[axis] // q))
    if ftype != 'iir':
        raise ValueError(f"invalid ftype {ftype!r}: it must be 'iir', 'fir', or a dlti instance")
    sos = _chebyshev(8 if n is None else operator.index(n), 0.05, 0.8 / q).astype(numpy.zeros(0, dtype).real.dtype)
    if zero_phase:
        return both_ways(sections(sos), signal(x), axis, every=q)
    return cut(sosfilt(sos, x, axis), axis, None, None, q)


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use='conv'):
    """Weights by which the polynomial that fits the elements of a window best, or its derivative, is evaluated at a position."""
    return cuprum.asarray(_savgol(window_length, polyorder, deriv, delta, pos, use))


def _savgol(window_length, polyorder, deriv, delta, pos=None, use='conv'):
    if polyorder >= window_length:
        raise ValueError(f'polyorder must be less than window_length, and {polyorder} is not less than {window_length}')
    if pos is None:
        pos = window_length // 2 if window_length % 2 else window_length // 2 - 0.5
    if not 0 <= pos < window_length:
        raise ValueError(f'pos must be nonnegative and less than window_length, not {pos}')
    if use not in ('conv', 'dot'):
        raise ValueError(f"`use` must be 'conv' or 'dot', not {use!r}")
    if deriv > polyorder:
        return numpy.zeros(window_length)
    x = numpy.arange(window_length) - float(pos)
    if use == 'conv':
        x = x[::-1]
    powers = numpy.vander(x, polyorder + 1, increasing=True).T
    wanted = numpy.zeros(polyorder + 1)
    wanted[deriv] = math.factorial(deriv) / delta**deriv
    return numpy.linalg.lstsq(powers, wanted, rcond=None)[0]


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode='interp', cval=0.0):
    """Filter of Savitzky and Golay along an axis: the value, or a derivative, of the polynomial that fits a window best."""
    window_length = int(window_length) if isinstance(window_length, float) and window_length.is_integer() else window_length
    if mode not in ('mirror', 'constant', 'nearest', 'interp', 'wrap'):
        raise ValueError(f"mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp', not {mode!r}")
    x = _array(x, 'x')
    if x.dtype not in (numpy.float32, numpy.float64):
        x = x.astype(float)
    return _savgol_filter(x, window_length, polyorder, deriv=deriv, delta=delta, axis=axis, mode=mode, cval=cval)
