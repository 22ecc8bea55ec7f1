"""Least orders of IIR filters, on the host in float64."""

import math
import operator
import warnings

import numpy

from ._representations import device, rate, vector

__all__ = ['band_stop_obj', 'buttord', 'cheb1ord', 'cheb2ord', 'ellipord']


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
    # Quotients of complete elliptic integrals of complementary moduli, by the mean whose reciprocal they are: nothing cancels, however near to 0 or 1 a modulus is.
    discrimination = 1 / math.sqrt(ratio)
    selectivity = _mean(1.0, 1 / nat) / _mean(1.0, math.sqrt((nat - 1) * (nat + 1)) / nat)
    return selectivity * _mean(1.0, math.sqrt((1 - discrimination) * (1 + discrimination))) / _mean(1.0, discrimination)


def _mean(a, b):
    """Arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


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
    fs = rate(fs)
    wp, ws = vector(wp).astype(float), vector(ws).astype(float)
    if wp.shape != ws.shape or wp.shape not in ((1,), (2,)):
        raise ValueError(f'wp and ws must both have one element, or two: their shapes are {wp.shape} and {ws.shape}')
    for value, name in ((gpass, 'gpass'), (gstop, 'gstop')):
        if value <= 0:
            raise ValueError(f'{name} should be larger than 0.0, not {value}')
    if gpass > gstop:
        raise ValueError(f'gpass should be smaller than gstop: {gpass} > {gstop}')
    if fs is not None:
        if analog:
            raise ValueError('fs is of digital filters: an analog one has angular frequencies')
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
    """Returns an order and its frequencies, digital ones of warped frequencies, in an array without axes if there is one."""
    wn = numpy.atleast_1d(wn)
    wn = wn if analog else numpy.arctan(wn) * 2 / math.pi
    wn = wn if fs is None else wn * fs / 2
    return order, device(wn if wn.size > 1 else wn.reshape(()))


def buttord(wp, ws, gpass, gstop, analog=False, fs=None):
    """Least order of a Butterworth filter of a ripple and an attenuation, and its frequencies."""
    kind, passb, nat, fs = _specified(wp, ws, gpass, gstop, analog, fs, 'butter')
    order = math.ceil(_order('butter', nat, gpass, gstop))
    try:
        w0 = _power_less_one(0.1 * abs(gpass)) ** (-1.0 / (2.0 * order))
    except ZeroDivisionError:
        w0 = 1.0
        warnings.warn('the order is 0: the attenuation is met without a filter', RuntimeWarning, stacklevel=2)
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
