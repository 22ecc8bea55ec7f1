"""Design of IIR filters, on the host in float64."""

import math
import operator
import warnings

import numpy

from cuprum import _cuprum

from ._representations import coefficients_of, device, of_filter, sections_of, vector

__all__ = [
    'band_stop_obj',
    'buttap',
    'butter',
    'buttord',
    'cheb1ap',
    'cheb1ord',
    'cheb2ap',
    'cheb2ord',
    'cheby1',
    'cheby2',
    'ellip',
    'ellipap',
    'ellipord',
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
        raise ValueError(f'Filter order must be a nonnegative integer, not {N}')
    return device(*of_filter(_cuprum.design_prototype(kind, int(N), float(rp), float(rs))))


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


def _rate(fs):
    if fs is not None and numpy.size(fs) != 1:
        raise ValueError(f'Sampling frequency fs must be a single scalar, not {fs}.')
    return None if fs is None else float(fs)


def _output(z, p, k, output, analog):
    if output == 'zpk':
        return device(z, p, k)
    if output == 'ba':
        return device(*coefficients_of(z, p, k))
    return device(sections_of(z, p, k, None, analog))


def iirfilter(N, Wn, rp=None, rs=None, btype='band', analog=False, ftype='butter', output='ba', fs=None):
    """Digital or analog IIR filter of an order, a kind and a band. The result has the coefficients (`'ba'`), zeros, poles and gain (`'zpk'`), or sections of order 2
    (`'sos'`)."""
    fs = _rate(fs)
    ftype, btype, output = (str(x).lower() for x in (ftype, btype, output))
    Wn = vector(Wn).astype(float)
    if fs is not None:
        if analog:
            raise ValueError('fs cannot be specified for an analog filter')
        Wn = Wn / (fs / 2)
    if (Wn <= 0).any():
        raise ValueError(f'filter critical frequencies must be greater than 0, not {Wn.tolist()}')
    if Wn.size > 1 and not Wn[0] < Wn[1]:
        raise ValueError(f'Wn[0] must be less than Wn[1], not {Wn.tolist()}')
    if btype not in _BANDS:
        raise ValueError(f"'{btype}' is an invalid bandtype for filter.")
    band = _BANDS[btype]
    if ftype not in _KINDS:
        raise ValueError(f"'{ftype}' is not a valid basic IIR filter.")
    kind = _KINDS[ftype]
    if output not in ('ba', 'zpk', 'sos'):
        raise ValueError(f"'{output}' is not a valid output form.")
    for value, name in ((rp, 'passband ripple (rp)'), (rs, 'stopband attenuation (rs)')):
        if value is not None and value < 0:
            raise ValueError(f'{name} must be positive, not {value}')
    if rp is None and kind in ('cheby1', 'ellip') or rs is None and kind in ('cheby2', 'ellip'):
        raise ValueError(f'passband ripple (rp) and stopband attenuation (rs) must be provided to design the filter {kind}.')
    if not analog and (Wn >= 1).any():
        limits = f'0 < Wn < fs/2 (fs={fs} -> fs/2={fs / 2})' if fs is not None else '0 < Wn < 1'
        raise ValueError(f'Digital filter critical frequencies must be {limits}, not {Wn.tolist()}')
    two = band.startswith('band')
    if Wn.size != (2 if two else 1):
        needed = 'a length-2 sequence' if two else 'a single scalar'
        raise ValueError(f'Must specify {needed} critical frequency Wn for the {band} filter, not {Wn.tolist()}')
    N = operator.index(N)
    edges = (float(Wn[0]), float(Wn[-1]))
    found = _cuprum.design_iir(N, kind, (float(rp or 0), float(rs or 0)), band, edges, bool(analog))
    return _output(*of_filter(found), output, analog)


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


def _power_less_one(x):
    """10^x - 1."""
    return math.expm1(x * math.log(10))


def _natural(kind, passb, stopb):
    """Returns the frequency of the stopband of the lowpass prototype whose passband ends at 1. `kind` is 1 to 4: lowpass, highpass, bandstop,
    bandpass."""
    if kind == 1:
        nat = stopb / passb
    elif kind == 2:
        nat = passb / stopb
    elif kind == 3:
        nat = stopb * (passb[0] - passb[1]) / (stopb**2 - passb[0] * passb[1])
    else:
        nat = (stopb**2 - passb[0] * passb[1]) / (stopb * (passb[0] - passb[1]))
    return float(abs(nat).min())


def _order(family, nat, gpass, gstop):
    """Returns the order, not rounded, of a prototype that meets the ripple and the attenuation."""
    ratio = _power_less_one(0.1 * abs(gstop)) / _power_less_one(0.1 * abs(gpass))
    if family == 'butter':
        return math.log10(ratio) / (2 * math.log10(nat))
    if family == 'cheby':
        return math.acosh(math.sqrt(ratio)) / math.acosh(nat)
    k, n = (_cuprum.design_ellipk(m) / _cuprum.design_ellipk(1 - m) for m in (1 / nat**2, 1 / ratio))
    return k / n


def band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type):
    """Order of a bandstop filter one of whose passband edges is at `wp`, not rounded: what an order search minimizes."""
    passb = vector(passb).astype(float).copy()
    passb[ind] = wp
    families = {'butter': 'butter', 'cheby': 'cheby', 'ellip': 'ellip'}
    if type not in families:
        raise ValueError(f'Incorrect type: {type}')
    return _order(families[type], _natural(3, passb, vector(stopb).astype(float)), gpass, gstop)


def _minimum(f, low, high, tolerance=1e-5):
    """Minimum in an interval by golden sections and parabolas (R. P. Brent, "Algorithms for Minimization without Derivatives", 1973, chapter 5)."""
    part = 0.5 * (3.0 - math.sqrt(5.0))
    root = math.sqrt(2.2e-16)
    a, b = low, high
    v = w = x = a + part * (b - a)
    fv = fw = fx = f(x)
    d = e = 0.0
    for _ in range(500):
        middle = 0.5 * (a + b)
        small = root * abs(x) + tolerance / 3.0
        if abs(x - middle) <= 2.0 * small - 0.5 * (b - a):
            break
        golden = True
        if abs(e) > small:
            r = (x - w) * (fx - fv)
            q = (x - v) * (fx - fw)
            p = (x - v) * q - (x - w) * r
            q = 2.0 * (q - r)
            p = -p if q > 0 else p
            q = abs(q)
            before, e = e, d
            if abs(p) < abs(0.5 * q * before) and q * (a - x) < p < q * (b - x):
                golden = False
                d = p / q
                u = x + d
                if u - a < 2.0 * small or b - u < 2.0 * small:
                    d = small if middle >= x else -small
        if golden:
            e = a - x if x >= middle else b - x
            d = part * e
        u = x + math.copysign(max(abs(d), small), d if d else 1.0)
        fu = f(u)
        if fu <= fx:
            if u >= x:
                a = x
            else:
                b = x
            v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
        else:
            if u < x:
                a = u
            else:
                b = u
            if fu <= fw or w == x:
                v, fv, w, fw = w, fw, u, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
    return x


def _specified(wp, ws, gpass, gstop, analog, fs, family):
    """Returns the kind of the band, the edges of passband and the frequency of the stopband of the prototype."""
    fs = _rate(fs)
    wp, ws = vector(wp).astype(float), vector(ws).astype(float)
    if wp.shape != ws.shape or wp.shape not in ((1,), (2,)):
        raise ValueError(f'wp and ws must have one or two elements each, and the same shape: {wp.shape}, {ws.shape}')
    for value, name in ((gpass, 'gpass'), (gstop, 'gstop')):
        if value <= 0:
            raise ValueError(f'{name} should be larger than 0.0, not {value}')
    if gpass > gstop:
        raise ValueError(f'gpass should be smaller than gstop: {gpass} > {gstop}')
    if fs is not None:
        if analog:
            raise ValueError('fs cannot be specified for an analog filter')
        wp, ws = 2 * wp / fs, 2 * ws / fs
    for value, name in ((wp, 'wp'), (ws, 'ws')):
        if (value <= 0).any():
            raise ValueError(f'Values for {name} must be greater than 0, not {value.tolist()}')
        if not analog and (value >= 1).any():
            raise ValueError(f'Values for {name} must be less than 1 for a digital filter, not {value.tolist()}')
    kind = 2 * (wp.size - 1) + (1 if wp[0] < ws[0] else 2)
    passb, stopb = (wp, ws) if analog else (numpy.tan(math.pi * wp / 2), numpy.tan(math.pi * ws / 2))
    if kind == 3:
        passb = passb.copy()
        for at, low, high in ((0, passb[0], stopb[0] - 1e-12), (1, stopb[1] + 1e-12, passb[1])):
            passb[at] = _minimum(lambda w, at=at: band_stop_obj(w, at, passb, stopb, gpass, gstop, family), low, high)
    return kind, passb, _natural(kind, passb, stopb), fs


def _frequencies(order, wn, analog, fs):
    """Returns an order and its frequencies, digital ones of warped frequencies, as numbers if there is one."""
    wn = numpy.atleast_1d(wn)
    wn = wn if analog else numpy.arctan(wn) * 2 / math.pi
    wn = wn if fs is None else wn * fs / 2
    return order, device(wn) if wn.size > 1 else float(wn[0])


def buttord(wp, ws, gpass, gstop, analog=False, fs=None):
    """Least order of a Butterworth filter of a ripple and an attenuation, and its frequencies."""
    kind, passb, nat, fs = _specified(wp, ws, gpass, gstop, analog, fs, 'butter')
    order = math.ceil(_order('butter', nat, gpass, gstop))
    try:
        w0 = _power_less_one(0.1 * abs(gpass)) ** (-1.0 / (2.0 * order))
    except ZeroDivisionError:
        w0 = 1.0
        warnings.warn('Order is zero...check input parameters.', RuntimeWarning, stacklevel=2)
    if kind == 1:
        wn = w0 * passb
    elif kind == 2:
        wn = passb / w0
    elif kind == 3:
        width = passb[1] - passb[0]
        root = math.sqrt(width**2 + 4 * w0**2 * passb[0] * passb[1])
        wn = numpy.sort(abs(numpy.array([(width + root) / (2 * w0), (width - root) / (2 * w0)])))
    else:
        width = passb[1] - passb[0]
        signs = numpy.array([-w0, w0])
        wn = numpy.sort(abs(-signs * width / 2 + numpy.sqrt(signs**2 / 4 * width**2 + passb[0] * passb[1])))
    return _frequencies(order, wn, analog, fs)


def cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None):
    """Least order of a filter of Chebyshev's first kind of a ripple and an attenuation, and its frequencies."""
    _, passb, nat, fs = _specified(wp, ws, gpass, gstop, analog, fs, 'cheby')
    return _frequencies(math.ceil(_order('cheby', nat, gpass, gstop)), passb, analog, fs)


def cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None):
    """Least order of a filter of Chebyshev's second kind of a ripple and an attenuation, and its frequencies."""
    kind, passb, nat, fs = _specified(wp, ws, gpass, gstop, analog, fs, 'cheby')
    order = math.ceil(_order('cheby', nat, gpass, gstop))
    ratio = _power_less_one(0.1 * abs(gstop)) / _power_less_one(0.1 * abs(gpass))
    # The frequency at which the stopband begins, relative to the end of the passband.
    new = 1 / math.cosh(math.acosh(math.sqrt(ratio)) / order)
    if kind == 1:
        wn = passb / new
    elif kind == 2:
        wn = passb * new
    else:
        width, factor = passb[0] - passb[1], new if kind == 3 else 1 / new
        first = factor / 2 * width + math.sqrt(factor**2 * width**2 / 4 + passb[1] * passb[0])
        wn = numpy.array([first, passb[1] * passb[0] / first])
    return _frequencies(order, wn, analog, fs)


def ellipord(wp, ws, gpass, gstop, analog=False, fs=None):
    """Least order of an elliptic filter of a ripple and an attenuation, and its frequencies."""
    _, passb, nat, fs = _specified(wp, ws, gpass, gstop, analog, fs, 'ellip')
    return _frequencies(math.ceil(_order('ellip', nat, gpass, gstop)), passb, analog, fs)


def iirdesign(wp, ws, gpass, gstop, analog=False, ftype='ellip', output='ba', fs=None):
    """Filter of the least order of a kind with a ripple in the passband and an attenuation in the stopband."""
    orders = {'butter': buttord, 'cheby1': cheb1ord, 'cheby2': cheb2ord, 'ellip': ellipord}
    kind = _KINDS.get(str(ftype).lower())
    if kind is None:
        raise ValueError(f'Invalid IIR filter type: {ftype}')
    wp, ws = vector(wp), vector(ws)
    if wp.shape != ws.shape or wp.shape not in ((1,), (2,)):
        raise ValueError(f'wp and ws must have one or two elements each, and the same shape, got {wp.shape} and {ws.shape}')
    if (wp <= 0).any() or (ws <= 0).any():
        raise ValueError('Values for wp, ws must be greater than 0')
    if not analog:
        limit = 1 if fs is None else _rate(fs) / 2
        if (wp >= limit).any() or (ws >= limit).any():
            raise ValueError(f'Values for wp, ws must be less than {limit}')
    elif fs is not None:
        raise ValueError('fs cannot be specified for an analog filter')
    if wp.size == 2 and not (ws[0] < wp[0] and wp[1] < ws[1] or wp[0] < ws[0] and ws[1] < wp[1]):
        raise ValueError('Passband must lie strictly inside stopband or vice versa')
    N, Wn = orders[kind](wp, ws, gpass, gstop, analog=analog, fs=fs)
    band = ('lowpass' if wp[0] < ws[0] else 'highpass') if wp.size == 1 else ('bandstop' if wp[0] < ws[0] else 'bandpass')
    return iirfilter(N, Wn, rp=gpass, rs=gstop, analog=analog, btype=band, ftype=kind, output=output, fs=fs)


def _resonator(w0, Q, ftype, fs):
    fs = _rate(fs)
    w0, Q = 2 * float(w0) / fs, float(Q)
    if not 0 < w0 < 1:
        raise ValueError(f'w0 should be such that 0 < w0 < 1, as a part of half the sampling rate, not {w0}')
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
    fs = _rate(fs)
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
    fs = 2.0 if fs is None else _rate(fs)
    freq, ftype = float(freq), ftype.lower()
    if not 0 < freq < fs / 2:
        raise ValueError(f'The frequency must be between 0 and {fs / 2} (nyquist), but given {freq}.')
    if ftype not in ('fir', 'iir'):
        raise ValueError(f'ftype must be either fir or iir, not {ftype!r}.')
    # Equivalent rectangular bandwidth, times the factor of a gammatone.
    width = 2 * math.pi * 1.019 * (freq / 9.26449 + 24.7)
    if ftype == 'fir':
        order = 4 if order is None else operator.index(order)
        numtaps = max(int(fs * 0.015), 15) if numtaps is None else operator.index(numtaps)
        if not 0 < order <= 24:
            raise ValueError(f'Invalid order: order must be > 0 and <= 24, not {order}.')
        t = numpy.arange(numtaps) / fs
        b = t ** (order - 1) * numpy.exp(-width * t) * numpy.cos(2 * math.pi * freq * t)
        return device(b * (2 * width**order / math.factorial(order - 1) / fs), numpy.ones(1))
    for value, name in ((order, 'order'), (numtaps, 'numtaps')):
        if value is not None:
            warnings.warn(f'{name} is not used for IIR gammatone filter.', stacklevel=2)
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
