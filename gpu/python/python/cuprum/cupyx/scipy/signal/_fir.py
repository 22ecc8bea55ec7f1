"""Design of FIR filters, on the host in float64. Windows that NumPy does not have are evaluated on the device and read, which synchronises."""

import math
import operator

import numpy

from cuprum import _cuprum

from ._representations import device, host
from ._resampling import symmetric_window

__all__ = ['firls', 'firwin', 'firwin2', 'firwin_2d', 'kaiser_atten', 'kaiser_beta', 'kaiserord', 'minimum_phase']


def kaiser_beta(a):
    """Parameter of a Kaiser window of an attenuation in decibels (J. F. Kaiser, "Nonrecursive Digital Filter Design Using the I0-Sinh Window Function", 1974)."""
    if a > 50:
        return 0.1102 * (a - 8.7)
    if a > 21:
        return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21)
    return 0.0


def kaiser_atten(numtaps, width):
    """Attenuation in decibels of a filter of Kaiser's window with `numtaps` coefficients, for the width of the transition as a part of half the sampling rate."""
    return 2.285 * (numtaps - 1) * math.pi * width + 7.95


def kaiserord(ripple, width):
    """Number of coefficients and parameter of Kaiser's window of a filter of a ripple in decibels and a width of the transition, as a part of half the sampling rate."""
    a = abs(ripple)
    if a < 8:
        raise ValueError(f'ripple is {a:f} decibels: the formula needs at least 8.')
    return math.ceil((a - 7.95) / 2.285 / (math.pi * width) + 1), kaiser_beta(a)


_PASS_ZERO = {'lowpass': (True, 1), 'highpass': (False, 1), 'bandpass': (False, 2), 'bandstop': (True, 2)}


def firwin(numtaps, cutoff, width=None, window='hamming', pass_zero=True, scale=True, fs=2):
    """Coefficients of a linear-phase filter by the window method."""
    return device(_firwin(numtaps, cutoff, width, window, pass_zero, scale, fs))


def _firwin(numtaps, cutoff, width=None, window='hamming', pass_zero=True, scale=True, fs=2):
    """Returns the coefficients of `firwin` on the host."""
    half = 0.5 * float(2 if fs is None else fs)
    cutoff = numpy.atleast_1d(host(cutoff)).astype(float) / half
    if cutoff.ndim > 1:
        raise ValueError(f'cutoff has {cutoff.ndim} axes: it is a number or has one axis.')
    if width is not None:
        window = ('kaiser', kaiser_beta(kaiser_atten(numtaps, float(width) / half)))
    if isinstance(pass_zero, str):
        if pass_zero not in _PASS_ZERO:
            raise ValueError(f'pass_zero must be True, False, "bandpass", "lowpass", "highpass", or "bandstop", got {pass_zero}')
        kind = pass_zero
        pass_zero, edges = _PASS_ZERO[kind]
        if edges == 1 and cutoff.size != 1:
            raise ValueError(f'pass_zero={kind!r} needs one cutoff frequency, not {cutoff.size}')
        if edges == 2 and cutoff.size < 2:
            raise ValueError(f'pass_zero={kind!r} needs two cutoff frequencies or more, not {cutoff.size}')
    elif pass_zero not in (True, False):
        raise ValueError(f'pass_zero must be True, False, "bandpass", "lowpass", "highpass", or "bandstop", got {pass_zero!r}')
    if int(numtaps) != numtaps or numtaps < 1:
        raise ValueError(f'numtaps is {numtaps}: it must be a positive integer.')
    weights = symmetric_window(window, int(numtaps))
    return numpy.asarray(_cuprum.design_firwin(weights.tolist(), cutoff.tolist(), bool(pass_zero), bool(scale)))


# Coefficients of the radial filter for each of the longer side of a circular one.
_OVERSAMPLING = 8


def firwin_2d(hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True):
    """Coefficients of a filter of images by the window method, of the shape `hsize`.

    It is the product of two filters of `firwin` with the windows `window[0]` and `window[1]`. With `circular` it has the shape `hsize[::-1]`, and is
    the filter of one window as a function of the distance from the middle, which is 1 at the edges. `pass_zero` and `scale` are those of `firwin`;
    SciPy 1.17 does not read them.
    """
    if len(hsize) != 2:
        raise ValueError(f'hsize must be a 2-element tuple or list, not {hsize!r}')
    if not circular:
        if len(window) != 2:
            raise ValueError(f'window must be a 2-element tuple or list, not {window!r}')
        if fc is None:
            raise ValueError('fc is None: pass the cutoff frequency.')
        rows, columns = (_firwin(n, fc, None, w, pass_zero, scale, fs) for n, w in zip(hsize, window))
        return device(numpy.outer(rows, columns))
    if fc is None:
        raise ValueError('Cutoff frequency `fc` must be provided when `circular` is True')
    x, y = (numpy.linspace(-1, 1, operator.index(n)) for n in hsize)
    n = _OVERSAMPLING * max(hsize)
    radial = _firwin(n, fc, None, window, pass_zero, scale, fs)
    distance = numpy.sqrt(x**2 + y[:, None] ** 2)
    return device(numpy.interp(distance, numpy.linspace(0, 1, n), radial))


def firwin2(numtaps, freq, gain, nfreqs=None, window='hamming', nyq=None, antisymmetric=False, fs=2.0):
    """Coefficients of a linear-phase filter whose gain at frequencies is given, by an inverse transform and a window."""
    half = 0.5 * float(fs) if nyq is None else float(nyq)
    freq, gain = (numpy.asarray(host(v), dtype=float) for v in (freq, gain))
    if freq.size != gain.size:
        raise ValueError(f'freq and gain must be of same length: {freq.size} and {gain.size}.')
    if nfreqs is not None and numtaps >= nfreqs:
        raise ValueError(f'nfreqs is {nfreqs}: it must be above numtaps, which is {numtaps}')
    if freq[0] != 0 or freq[-1] != half:
        raise ValueError(f'freq is from {freq[0]} to {freq[-1]}: it must be from 0 to fs/2.')
    steps = numpy.diff(freq)
    if (steps < 0).any():
        raise ValueError('freq is not sorted: sort the frequencies in ascending order.')
    if ((steps[:-1] + steps[1:]) == 0).any():
        raise ValueError('freq has a value three times: two of them make a jump of the gain.')
    for value, name in ((freq[1], 'Value 0'), (freq[-2] - half, 'Value fs/2')):
        if value == 0:
            raise ValueError(f'{name} must not be repeated in freq')
    kind = (3 if numtaps % 2 else 4) if antisymmetric else (1 if numtaps % 2 else 2)
    if kind == 2 and gain[-1] != 0:
        raise ValueError('The gain at fs/2 is not 0, as it must be for an even numtaps.')
    if kind == 3 and (gain[0] != 0 or gain[-1] != 0):
        raise ValueError('The gain at 0 or at fs/2 is not 0, as it must be for an antisymmetric filter of odd numtaps.')
    if kind == 4 and gain[0] != 0:
        raise ValueError('The gain at 0 is not 0, as it must be for an antisymmetric filter.')
    if nfreqs is None:
        nfreqs = 1 + 2 ** math.ceil(math.log2(numtaps))
    if (steps == 0).any():
        # The gain jumps between two frequencies next to each other.
        least = numpy.finfo(float).eps * half
        freq = freq.copy()
        for k in numpy.flatnonzero(steps == 0):
            freq[k] -= least
            freq[k + 1] += least
        if (numpy.diff(freq) <= 0).any():
            raise ValueError('freq has a value next to a repeated one, within rounding')
    x = numpy.linspace(0.0, half, nfreqs)
    shift = numpy.exp(-0.5j * (numtaps - 1) * math.pi * x / half)
    if kind > 2:
        shift = shift * 1j
    h = numpy.fft.irfft(numpy.interp(x, freq, gain) * shift)[:numtaps]
    if window is not None:
        h = h * symmetric_window(window, numtaps)
    if kind == 3:
        h[h.size // 2] = 0.0
    return device(h)


def firls(numtaps, bands, desired, weight=None, fs=2):
    """Coefficients of the linear-phase filter of odd length whose gain in bands is nearest to the desired one in the sense of weighted least squares (I. W. Selesnick,
    "Linear-Phase FIR Filter Design by Least Squares", 2005)."""
    half = 0.5 * float(fs)
    numtaps = int(numtaps)
    if numtaps % 2 == 0 or numtaps < 1:
        raise ValueError(f'numtaps must be odd and >= 1, not {numtaps}')
    m = (numtaps - 1) // 2
    bands = host(bands).astype(float).ravel() / half
    if bands.size % 2:
        raise ValueError(f'bands must contain frequency pairs: it has {bands.size} frequencies.')
    bands = bands.reshape(-1, 2)
    if bands.min() < 0 or bands.max() > 1:
        raise ValueError(f'bands must be between 0 and fs/2, not {(bands * half).tolist()}')
    if (numpy.diff(bands) <= 0).any() or (numpy.diff(bands[:, 0]) < 0).any() or (bands[1:, 0] < bands[:-1, 1]).any():
        raise ValueError('bands overlap, are not in ascending order, or have no width.')
    desired = host(desired).astype(float).ravel()
    if desired.size != bands.size:
        raise ValueError(f'desired has {desired.size} gains for {bands.size} frequencies of bands: each frequency needs one.')
    desired = desired.reshape(-1, 2)
    if (desired < 0).any():
        raise ValueError('desired must be non-negative')
    weight = numpy.ones(len(bands)) if weight is None else host(weight).astype(float).ravel()
    if weight.size != len(bands):
        raise ValueError(f'weight has {weight.size} elements for {len(bands)} bands: each band needs one.')
    if (weight < 0).any():
        raise ValueError('weight must be non-negative')
    n = numpy.arange(numtaps)[:, None]
    low, high = bands[:, 0], bands[:, 1]
    # Integrals over the bands of W cos(pi n f), and of W D cos(pi n f) with the desired gain D, which is linear in a band.
    whole = ((high * numpy.sinc(high * n) - low * numpy.sinc(low * n)) * weight).sum(1)
    slope = (desired[:, 1] - desired[:, 0]) / (high - low)
    start = desired[:, 0] - slope * low
    k = n[: m + 1]
    constant = high * numpy.sinc(high * k) - low * numpy.sinc(low * k)
    with numpy.errstate(divide='ignore', invalid='ignore'):
        curved = (numpy.cos(math.pi * k * high) - numpy.cos(math.pi * k * low)) / (math.pi * k) ** 2
    linear = high * high * numpy.sinc(high * k) - low * low * numpy.sinc(low * k) + curved
    linear[0] = (high**2 - low**2) / 2
    wanted = ((start * constant + slope * linear) * weight).sum(1)
    i = numpy.arange(m + 1)
    matrix = whole[abs(i[:, None] - i)] + whole[i[:, None] + i]
    try:
        a = numpy.linalg.solve(matrix, 2 * wanted)
        if numpy.linalg.cond(matrix) > 1 / numpy.finfo(float).eps:
            a = numpy.linalg.lstsq(matrix, 2 * wanted, rcond=None)[0]
    except numpy.linalg.LinAlgError:
        a = numpy.linalg.lstsq(matrix, 2 * wanted, rcond=None)[0]
    return device(numpy.concatenate((a[:0:-1] / 2, [a[0]], a[1:] / 2)))


def minimum_phase(h, method='homomorphic', n_fft=None, *, half=True):
    """Coefficients of the minimum-phase filter of a linear-phase one, whose gain is the root of that of `h`, or with `half=False` that of `h`."""
    h = host(h)
    if h.dtype.kind == 'c':
        raise ValueError('Complex filters not supported')
    if h.ndim != 1 or h.size <= 2:
        raise ValueError(f'h has the shape {h.shape}: it must have one axis and more than two elements')
    if method not in ('homomorphic', 'hilbert'):
        raise ValueError(f"method is {method!r}: it must be 'homomorphic' or 'hilbert'")
    if not half and method != 'homomorphic':
        raise ValueError(f"half=False needs the method 'homomorphic', not {method!r}")
    middle = h.size // 2
    n_fft = 2 ** math.ceil(math.log2(2 * (h.size - 1) / 0.01)) if n_fft is None else int(n_fft)
    if n_fft < h.size:
        raise ValueError(f'n_fft must be at least len(h)=={h.size}, not {n_fft}')
    if method == 'hilbert':
        w = numpy.arange(n_fft) * (2 * math.pi / n_fft * middle)
        gain = numpy.real(numpy.fft.fft(h, n_fft) * numpy.exp(1j * w))
        above, below = gain.max() - 1, -gain.min()
        # NaN for a gain whose ripples are too large, as in SciPy.
        with numpy.errstate(invalid='ignore'):
            scale = 4.0 / (numpy.sqrt(1 + above + below) + numpy.sqrt(1 - above + below)) ** 2
        found = _of_gain(numpy.sqrt((gain + below) * scale) + 1e-10)
    else:
        gain = abs(numpy.fft.fft(h, n_fft))
        gain = numpy.log(gain + 1e-7 * gain[gain > 0].min()) * (0.5 if half else 1)
        cepstrum = numpy.fft.ifft(gain).real
        fold = numpy.zeros(n_fft)
        fold[0] = 1
        fold[1 : n_fft // 2] = 2
        if n_fft % 2:
            fold[n_fft // 2] = 1
        found = numpy.fft.ifft(numpy.exp(numpy.fft.fft(cepstrum * fold))).real
    return device(found[: middle + h.size % 2 if half else h.size])


def _of_gain(gain):
    """Returns the minimum-phase response of a gain, whose phase is the Hilbert transform of its logarithm."""
    sign = numpy.zeros(gain.size)
    middle = gain.size // 2
    sign[1:middle], sign[middle + 1 :] = 1, -1
    return numpy.fft.ifft(gain * numpy.exp(numpy.fft.fft(sign * numpy.fft.ifft(numpy.log(gain))))).real
