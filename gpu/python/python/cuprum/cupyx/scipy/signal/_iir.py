"""Design of IIR filters, on the host in float64."""

import math
import operator
import warnings

import numpy

from cuprum import _cuprum

from ._bessel import of_band
from ._orders import buttord, cheb1ord, cheb2ord, ellipord
from ._representations import coefficients_of, device, of_filter, rate, sections_of, vector

__all__ = [
    'bessel',
    'buttap',
    'butter',
    'cheb1ap',
    'cheb2ap',
    'cheby1',
    'cheby2',
    'ellip',
    'ellipap',
    'gammatone',
    'iircomb',
    'iirdesign',
    'iirfilter',
    'iirnotch',
    'iirpeak',
]

_KINDS = {
    'butter': 'butter',
    'butterworth': 'butter',
    'cheby1': 'cheby1',
    'chebyshev1': 'cheby1',
    'chebyshevi': 'cheby1',
    'cheby2': 'cheby2',
    'chebyshev2': 'cheby2',
    'chebyshevii': 'cheby2',
    'ellip': 'ellip',
    'elliptic': 'ellip',
    'cauer': 'ellip',
    'ca': 'ellip',
    'bessel': 'bessel_phase',
    'bessel_phase': 'bessel_phase',
    'bessel_delay': 'bessel_delay',
    'bessel_mag': 'bessel_mag',
}


_BANDS = {
    'band': 'bandpass',
    'bandpass': 'bandpass',
    'pass': 'bandpass',
    'bp': 'bandpass',
    'bs': 'bandstop',
    'bandstop': 'bandstop',
    'bands': 'bandstop',
    'stop': 'bandstop',
    'l': 'lowpass',
    'low': 'lowpass',
    'lowpass': 'lowpass',
    'lp': 'lowpass',
    'high': 'highpass',
    'highpass': 'highpass',
    'h': 'highpass',
    'hp': 'highpass',
}


def _prototype(kind, N, rp=0.0, rs=0.0):
    if N != int(N) or N < 0:
        raise ValueError(f'N is {N}: the order is an integer, and not below 0')
    z, p, k = of_filter(_cuprum.design_prototype(kind, int(N), float(rp), float(rs)))
    return device(_zeros(z, kind), p, k)


def buttap(N):
    """Zeros, poles and gain of the analog lowpass prototype of Butterworth."""
    return _prototype('butter', N)


def cheb1ap(N, rp):
    """Zeros, poles and gain of the analog lowpass prototype of Chebyshev's first kind, with a ripple of `rp` decibels."""
    return _prototype('cheby1', N, rp)


def cheb2ap(N, rs):
    """Zeros, poles and gain of the analog lowpass prototype of Chebyshev's second kind, with an attenuation of `rs` decibels."""
    return _prototype('cheby2', N, 0.0, rs)


def ellipap(N, rp, rs):
    """Zeros, poles and gain of the elliptic analog lowpass prototype, with a ripple of `rp` and an attenuation of `rs` decibels."""
    return _prototype('ellip', N, rp, rs)


def _zeros(z, kind):
    """Returns the zeros of a lowpass or highpass filter: real numbers if those of the kind are at 0, at infinity, or at half the sampling rate."""
    return z if kind in ('cheby2', 'ellip') else z.real.copy()


def _output(z, p, k, output, analog, kind=None):
    if output == 'zpk':
        return device(z if kind is None else _zeros(z, kind), p, k)
    if output == 'ba':
        return device(*coefficients_of(z, p, k))
    return device(sections_of(z, p, k, None, analog))


def iirfilter(N, Wn, rp=None, rs=None, btype='band', analog=False, ftype='butter', output='ba', fs=None):
    """Digital or analog IIR filter of an order, a kind and a band. The result has the coefficients (`'ba'`), zeros, poles and gain (`'zpk'`), or sections of order 2
    (`'sos'`)."""
    fs = rate(fs)
    ftype, btype, output = (str(x).lower() for x in (ftype, btype, output))
    Wn = vector(Wn).astype(float)
    if fs is not None:
        if analog:
            raise ValueError('fs is of digital filters: an analog one has angular frequencies')
        Wn = Wn / (fs / 2)
    if (Wn <= 0).any():
        raise ValueError(f'Wn is {Wn.tolist()}: frequencies are above 0')
    if Wn.size > 1 and not Wn[0] < Wn[1]:
        raise ValueError(f'Wn[0] must be less than Wn[1], not {Wn.tolist()}')
    if btype not in _BANDS:
        raise ValueError(f"btype is '{btype}': it must be lowpass, highpass, bandpass or bandstop.")
    band = _BANDS[btype]
    if ftype not in _KINDS:
        raise ValueError(f"ftype is '{ftype}': it must be butter, cheby1, cheby2, ellip or bessel.")
    kind = _KINDS[ftype]
    if output not in ('ba', 'zpk', 'sos'):
        raise ValueError(f"output is '{output}': it must be ba, zpk or sos.")
    for value, name in ((rp, 'passband ripple (rp)'), (rs, 'stopband attenuation (rs)')):
        if value is not None and value < 0:
            raise ValueError(f'{name} must be positive, not {value}')
    if rp is None and kind in ('cheby1', 'ellip') or rs is None and kind in ('cheby2', 'ellip'):
        raise ValueError(f'rp and rs are {rp} and {rs}: a filter of the kind {kind} needs its ripple and attenuation.')
    if not analog and (Wn >= 1).any():
        limits = f'0 < Wn < fs/2 (fs={fs} -> fs/2={fs / 2})' if fs is not None else '0 < Wn < 1'
        raise ValueError(f'Wn is {Wn.tolist()}: frequencies of a digital filter are {limits}')
    two = band.startswith('band')
    if Wn.size != (2 if two else 1):
        needed = 'a length-2 sequence' if two else 'a single scalar'
        raise ValueError(f'Wn is {Wn.tolist()}: a {band} filter needs {needed}')
    if abs(int(N)) != N:
        raise ValueError(f'Filter order must be a nonnegative integer, not {N!r}')
    N = int(N)
    edges = (float(Wn[0]), float(Wn[-1]))
    if kind.startswith('bessel'):
        return _output(*of_band(N, kind.removeprefix('bessel_'), band, edges, bool(analog)), output, analog, None if two else kind)
    found = _cuprum.design_iir(N, kind, (float(rp or 0), float(rs or 0)), band, edges, bool(analog))
    return _output(*of_filter(found), output, analog, None if two else kind)


def butter(N, Wn, btype='low', analog=False, output='ba', fs=None):
    """Butterworth filter."""
    return iirfilter(N, Wn, btype=btype, analog=analog, output=output, ftype='butter', fs=fs)


def cheby1(N, rp, Wn, btype='low', analog=False, output='ba', fs=None):
    """Filter of Chebyshev's first kind, with a ripple of `rp` decibels in the passband."""
    return iirfilter(N, Wn, rp=rp, btype=btype, analog=analog, output=output, ftype='cheby1', fs=fs)


def cheby2(N, rs, Wn, btype='low', analog=False, output='ba', fs=None):
    """Filter of Chebyshev's second kind, with an attenuation of `rs` decibels in the stopband."""
    return iirfilter(N, Wn, rs=rs, btype=btype, analog=analog, output=output, ftype='cheby2', fs=fs)


def ellip(N, rp, rs, Wn, btype='low', analog=False, output='ba', fs=None):
    """Elliptic filter, with a ripple of `rp` decibels in the passband and an attenuation of `rs` decibels in the stopband."""
    return iirfilter(N, Wn, rp=rp, rs=rs, btype=btype, analog=analog, output=output, ftype='elliptic', fs=fs)


def bessel(N, Wn, btype='low', analog=False, output='ba', norm='phase', fs=None):
    """Bessel filter, whose group delay is maximally flat; `norm` is that of `besselap`."""
    return iirfilter(N, Wn, btype=btype, analog=analog, output=output, ftype=f'bessel_{norm}', fs=fs)


def iirdesign(wp, ws, gpass, gstop, analog=False, ftype='ellip', output='ba', fs=None):
    """Filter of the least order of a kind with a ripple in the passband and an attenuation in the stopband."""
    orders = {'butter': buttord, 'cheby1': cheb1ord, 'cheby2': cheb2ord, 'ellip': ellipord}
    kind = _KINDS.get(str(ftype).lower())
    if kind not in orders:
        raise ValueError(f'Invalid IIR filter type: {ftype}')
    wp, ws = vector(wp), vector(ws)
    if wp.shape != ws.shape or wp.shape not in ((1,), (2,)):
        raise ValueError(f'wp and ws must both have one element, or two: their shapes are {wp.shape} and {ws.shape}')
    if (wp <= 0).any() or (ws <= 0).any():
        raise ValueError('wp and ws must be above 0')
    if not analog:
        limit = 1 if fs is None else rate(fs) / 2
        if (wp >= limit).any() or (ws >= limit).any():
            raise ValueError(f'wp and ws must be below {limit}')
    elif fs is not None:
        raise ValueError('fs is of digital filters: an analog one has angular frequencies')
    if wp.size == 2 and not (ws[0] < wp[0] and wp[1] < ws[1] or wp[0] < ws[0] and ws[1] < wp[1]):
        raise ValueError(f'wp and ws overlap: one band must be inside of the other, {wp.tolist()} and {ws.tolist()}')
    N, Wn = orders[kind](wp, ws, gpass, gstop, analog=analog, fs=fs)
    band = ('lowpass' if wp[0] < ws[0] else 'highpass') if wp.size == 1 else ('bandstop' if wp[0] < ws[0] else 'bandpass')
    return iirfilter(N, Wn, rp=gpass, rs=gstop, analog=analog, btype=band, ftype=kind, output=output, fs=fs)


def _resonator(w0, Q, ftype, fs):
    fs = rate(fs)
    w0, Q = 2 * float(w0) / fs, float(Q)
    if not 0 <= w0 <= 1:
        raise ValueError(f'w0 should be such that 0 <= w0 <= 1, as a part of half the sampling rate, not {w0}')
    angle = w0 * math.pi
    gain = 1 / (1 + math.tan(angle / Q / 2))
    middle = -2 * math.cos(angle)
    b = gain * numpy.array([1, middle, 1]) if ftype == 'notch' else (1 - gain) * numpy.array([1.0, 0, -1])
    return device(b, numpy.array([1.0, gain * middle, 2 * gain - 1]))


def iirnotch(w0, Q, fs=2.0):
    """Coefficients of a filter of order 2 that stops a frequency (S. J. Orfanidis, "Introduction to Signal Processing", 1996, section 8.2)."""
    return _resonator(w0, Q, 'notch', fs)


def iirpeak(w0, Q, fs=2.0):
    """Coefficients of a filter of order 2 that passes a frequency (S. J. Orfanidis, "Introduction to Signal Processing", 1996, section 8.2)."""
    return _resonator(w0, Q, 'peak', fs)


def iircomb(w0, Q, ftype='notch', fs=2.0, *, pass_zero=False):
    """Coefficients of a filter that stops or passes a frequency and its multiples (S. J. Orfanidis, "Introduction to Signal Processing", 1996, section 8.2)."""
    fs = rate(fs)
    w0, Q, ftype = float(w0), float(Q), ftype.lower()
    if not 0 < w0 < fs / 2:
        raise ValueError(f'w0 must be between 0 and {fs / 2} (Nyquist), not {w0}')
    if ftype not in ('notch', 'peak'):
        raise ValueError(f'ftype must be either notch or peak, not {ftype!r}')
    N = round(fs / w0)
    if abs(w0 - fs / N) / fs > 1e-14:
        raise ValueError(f'fs must be divisible by w0: {fs} / {w0} is not an integer')
    beta = math.tan(N * (2 * math.pi * w0 / fs / Q) / 4)
    ax = (1 - beta) / (1 + beta)
    bx, cx = (1 / (1 + beta), 1 / (1 + beta)) if ftype == 'notch' else (beta / (1 + beta), -beta / (1 + beta))
    sign = -1 if (ftype == 'peak') == bool(pass_zero) else 1
    b, a = numpy.zeros(N + 1), numpy.zeros(N + 1)
    b[0], b[-1], a[0], a[-1] = bx, sign * cx, 1, sign * ax
    return device(b, a)


def gammatone(freq, ftype, order=None, numtaps=None, fs=None):
    """Coefficients of a gammatone filter of a frequency: `'fir'`, samples of its response, or `'iir'` of order 8 (M. Slaney, "An Efficient Implementation of the Patterson-Holdsworth Auditory Filter
    Bank", Apple Technical Report 35, 1993)."""
    fs = 2.0 if fs is None else rate(fs)
    freq, ftype = float(freq), ftype.lower()
    if not 0 < freq < fs / 2:
        raise ValueError(f'freq is {freq}: it must be between 0 and {fs / 2}, half the sampling rate.')
    if ftype not in ('fir', 'iir'):
        raise ValueError(f'ftype must be either fir or iir, not {ftype!r}.')
    # Equivalent rectangular bandwidth, times the factor of a gammatone.
    width = 2 * math.pi * 1.019 * (freq / 9.26449 + 24.7)
    if ftype == 'fir':
        order = 4 if order is None else operator.index(order)
        numtaps = max(int(fs * 0.015), 15) if numtaps is None else operator.index(numtaps)
        if not 0 < order <= 24:
            raise ValueError(f'order is {order}: it must be from 1 to 24.')
        t = numpy.arange(numtaps) / fs
        b = t ** (order - 1) * numpy.exp(-width * t) * numpy.cos(2 * math.pi * freq * t)
        return device(b * (2 * width**order / math.factorial(order - 1) / fs), numpy.ones(1))
    for value, name in ((order, 'order'), (numtaps, 'numtaps')):
        if value is not None:
            warnings.warn(f'{name} has no effect on an IIR filter.', stacklevel=2)
    T = 1 / fs
    angle, decay = 2 * math.pi * freq * T, width * T
    turn = numpy.exp(1j * angle)
    gain = 1.0
    for part in (-1, 1):
        for root in (math.sqrt(3 - 2**1.5), math.sqrt(3 + 2**1.5)):
            zero = math.cos(angle) + part * root * math.sin(angle)
            gain = gain * (-2 * turn**2 * T + 2 * math.exp(-decay) * turn * T * zero)
    gain = abs(gain / (-2 / math.exp(2 * decay) - 2 * turn**2 + 2 * (1 + turn**2) / math.exp(decay)) ** 4)
    b = numpy.array([T**4 * c * math.cos(k * angle) / math.exp(k * decay) / gain for k, c in enumerate((1, -4, 6, -4, 1))])
    section = [1, -2 * math.cos(angle) / math.exp(decay), math.exp(-2 * decay)]
    a = numpy.ones(1)
    for _ in range(4):
        a = numpy.convolve(a, section)
    return device(b, a)
