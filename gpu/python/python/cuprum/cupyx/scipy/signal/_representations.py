"""Forms of filters: polynomials, zeros and poles, and sections of order 2, on the host in float64."""

import warnings

import numpy

import cuprum
from cuprum import _cuprum

__all__ = [
    'BadCoefficients',
    'bilinear',
    'bilinear_zpk',
    'lp2bp',
    'lp2bp_zpk',
    'lp2bs',
    'lp2bs_zpk',
    'lp2hp',
    'lp2hp_zpk',
    'lp2lp',
    'lp2lp_zpk',
    'normalize',
    'sos2tf',
    'sos2zpk',
    'tf2sos',
    'tf2zpk',
    'zpk2sos',
    'zpk2tf',
]


class BadCoefficients(UserWarning):
    """Warning of coefficients of a filter that are badly conditioned."""


def host(x):
    """Returns an array of the host. Reading a device array synchronises."""
    return cuprum.asnumpy(x) if isinstance(x, cuprum.ndarray) else numpy.asarray(x)


def vector(x):
    return numpy.atleast_1d(host(x))


def device(*arrays):
    """Returns arrays of the device, and numbers as they are."""
    found = tuple(cuprum.asarray(v) if isinstance(v, numpy.ndarray) else v for v in arrays)
    return found if len(found) > 1 else found[0]


def rate(fs):
    """Returns a sampling rate as a number."""
    if fs is not None and numpy.size(fs) != 1:
        raise ValueError(f'fs is {fs}: it must be one number.')
    return None if fs is None else float(fs)


def as_parts(roots):
    """Returns the parts of complex numbers, as the extension takes them."""
    roots = numpy.asarray(roots).astype(complex)
    return list(zip(roots.real.tolist(), roots.imag.tolist()))


def of_parts(parts):
    found = numpy.array(parts, dtype=float).reshape(-1, 2)
    return found[:, 0] + 1j * found[:, 1]


def filter_of(z, p, k):
    """Returns a filter as the extension takes it. The gain is a real number."""
    return as_parts(vector(z)), as_parts(vector(p)), float(numpy.real(host(k)))


def of_filter(filter):
    z, p, k = filter
    return of_parts(z), of_parts(p), k


def polynomial(roots):
    """Returns the coefficients of a polynomial of these roots: real ones if complex roots have their conjugates."""
    roots = numpy.asarray(roots)
    found = of_parts(_cuprum.design_poly(as_parts(roots)))
    if roots.dtype.kind != 'c' or (numpy.sort(roots) == numpy.sort(roots.conj())).all():
        return found.real
    return found


def normalized(b, a):
    """Returns coefficients divided by the first one of the denominator, on the host."""
    num, den = host(b), vector(a)
    if den.ndim != 1:
        raise ValueError(f'the denominator has {den.ndim} axes: it has one.')
    if num.ndim > 2:
        raise ValueError(f'the numerator has {num.ndim} axes: it has one or two.')
    flat = num.ndim < 2
    num = numpy.atleast_2d(num)
    if not den.any():
        raise ValueError('the denominator is 0.')
    den = numpy.trim_zeros(den, 'f')
    num, den = num / den[0], den / den[0]
    leading = 0
    while leading < num.shape[1] - 1 and numpy.allclose(num[:, leading], 0, atol=1e-14):
        leading += 1
    if leading or numpy.allclose(num, 0, atol=1e-14) and num.shape[1] > 1:
        warnings.warn(
            'Badly conditioned filter coefficients (numerator): those near 0 at its beginning are left out, and results may be inexact',
            BadCoefficients,
            stacklevel=3,
        )
        num = num[:, leading:]
    return (num[0] if flat else num), den


def normalize(b, a):
    """Coefficients of a filter, divided by the first one of the denominator that is not 0."""
    return device(*normalized(b, a))


def zeros_poles(b, a):
    b, a = normalized(b, a)
    b = b + 0.0
    a = a + 0.0
    return numpy.roots(b / b[0] if b[0] else b), numpy.roots(a), b[0]


def tf2zpk(b, a):
    """Zeros, poles and gain of a filter of these coefficients."""
    z, p, k = zeros_poles(b, a)
    return device(z, p, numpy.asarray(k))


def coefficients_of(z, p, k):
    """Returns numerator and denominator, on the host."""
    z, p, k = vector(z), vector(p), vector(k)
    if z.ndim > 1:
        gains = k if k.size == z.shape[0] else numpy.repeat(k, z.shape[0])
        b = numpy.array([gain * polynomial(row) for gain, row in zip(gains, z)])
    else:
        b = (k if k.size > 1 else k[0]) * polynomial(z)
    a = numpy.atleast_1d(polynomial(p))
    if all(r.dtype in (numpy.float32, numpy.complex64) for r in (z, p)):
        b, a = (c.astype('c8' if c.dtype.kind == 'c' else 'f4') for c in (b, a))
    return b, a


def zpk2tf(z, p, k):
    """Coefficients of a filter of these zeros, poles and gain."""
    return device(*coefficients_of(z, p, k))


def sections_of(z, p, k, pairing=None, analog=False):
    if pairing is None:
        pairing = 'minimal' if analog else 'nearest'
    if pairing not in ('nearest', 'keep_odd', 'minimal'):
        raise ValueError(f"pairing must be one of ['nearest', 'keep_odd', 'minimal'], not {pairing}")
    return numpy.array(_cuprum.design_sections(filter_of(z, p, k), pairing, bool(analog)))


def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """Sections of order 2 of a filter of these zeros, poles and gain."""
    return device(sections_of(z, p, k, pairing, analog))


def tf2sos(b, a, pairing=None, *, analog=False):
    """Sections of order 2 of a filter of these coefficients."""
    return device(sections_of(*zeros_poles(b, a), pairing, analog))


def sos2tf(sos):
    """Coefficients of a filter of sections of order 2."""
    sos = host(sos)
    dtype = sos.dtype if sos.dtype.kind in 'fc' else float
    b, a = numpy.ones(1, dtype), numpy.ones(1, dtype)
    for section in sos:
        b, a = numpy.convolve(b, section[:3]), numpy.convolve(a, section[3:])
    return device(b, a)


def sos2zpk(sos):
    """Zeros, poles and gain of a filter of sections of order 2."""
    sos = host(sos)
    z, p, k = numpy.zeros(2 * len(sos), complex), numpy.zeros(2 * len(sos), complex), 1.0
    for i, section in enumerate(sos):
        zeros, poles, gain = zeros_poles(section[:3], section[3:])
        z[2 * i : 2 * i + zeros.size] = zeros
        p[2 * i : 2 * i + poles.size] = poles
        k *= gain
    return device(z, p, k)


def _transformed(kind, z, p, k, wo, bw=1.0):
    # These map real roots to real ones.
    kinds = [kind in ('lowpass', 'highpass', 'bilinear') and vector(roots).dtype.kind != 'c' for roots in (z, p)]
    z, p, k = of_filter(_cuprum.design_transform(kind, filter_of(z, p, k), float(wo), float(bw)))
    z, p = (roots.real.copy() if is_real else roots for roots, is_real in zip((z, p), kinds))
    return device(z, p, k)


def lp2lp_zpk(z, p, k, wo=1.0):
    """Lowpass filter of a cutoff, from a lowpass prototype of zeros, poles and gain."""
    return _transformed('lowpass', z, p, k, wo)


def lp2hp_zpk(z, p, k, wo=1.0):
    """Highpass filter of a cutoff, from a lowpass prototype of zeros, poles and gain."""
    return _transformed('highpass', z, p, k, wo)


def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0):
    """Bandpass filter of a centre and a width, from a lowpass prototype of zeros, poles and gain."""
    return _transformed('bandpass', z, p, k, wo, bw)


def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0):
    """Bandstop filter of a centre and a width, from a lowpass prototype of zeros, poles and gain."""
    return _transformed('bandstop', z, p, k, wo, bw)


def bilinear_zpk(z, p, k, fs):
    """Digital filter of a sampling rate, from an analog one of zeros, poles and gain, by the bilinear transform."""
    return _transformed('bilinear', z, p, k, fs)


def _pair(b, a):
    b, a = vector(b), vector(a)
    for c in (b, a):
        if c.ndim != 1:
            raise ValueError(f'coefficients must be 1-D, not {c.ndim}-D')
    b, a = (c if c.dtype.kind in 'fc' else c.astype(float) for c in (b, a))
    return b, a


def _power(c, n):
    found = numpy.ones(1)
    for _ in range(n):
        found = numpy.convolve(found, c)
    return found


def _substituted(c, m, top, bottom):
    """Returns the polynomial of coefficients in `top / bottom`, times `bottom` to the power of m."""
    terms = [v * numpy.convolve(_power(top, k), _power(bottom, m - k)) for k, v in enumerate(c[::-1])]
    size = max(t.size for t in terms)
    return sum(numpy.concatenate((numpy.zeros(size - t.size), t)) for t in terms)


def lp2lp(b, a, wo=1.0):
    """Lowpass filter of a cutoff, from coefficients of a lowpass prototype."""
    b, a = _pair(b, a)
    return normalize(*(c / float(wo) ** numpy.arange(c.size - 1, -1, -1) for c in (b, a)))


def lp2hp(b, a, wo=1.0):
    """Highpass filter of a cutoff, from coefficients of a lowpass prototype."""
    b, a = _pair(b, a)
    m = max(b.size, a.size)
    found = []
    for c in (b, a):
        powers = c[::-1] * float(wo) ** numpy.arange(c.size)
        found.append(numpy.concatenate((powers, numpy.zeros(m - c.size))).astype(c.dtype))
    return normalize(*found)


def lp2bp(b, a, wo=1.0, bw=1.0):
    """Bandpass filter of a centre and a width, from coefficients of a lowpass prototype."""
    b, a = _pair(b, a)
    m = max(b.size, a.size) - 1
    return normalize(*(_substituted(c, m, [1.0, 0.0, float(wo) ** 2], [float(bw), 0.0]).astype(c.dtype) for c in (b, a)))


def lp2bs(b, a, wo=1.0, bw=1.0):
    """Bandstop filter of a centre and a width, from coefficients of a lowpass prototype."""
    b, a = _pair(b, a)
    m = max(b.size, a.size) - 1
    return normalize(*(_substituted(c, m, [float(bw), 0.0], [1.0, 0.0, float(wo) ** 2]).astype(c.dtype) for c in (b, a)))


def bilinear(b, a, fs=1.0):
    """Digital filter of a sampling rate, from coefficients of an analog one, by the bilinear transform."""
    if fs is None:
        raise ValueError('bilinear: fs is None: pass the sampling rate')
    # Leading zeros would be zeros or poles at half the sampling rate.
    b, a = (c[numpy.flatnonzero(c)[:1].sum() :] for c in _pair(b, a))
    m = max(b.size, a.size) - 1
    return normalize(*(_substituted(c, m, [2.0 * fs, -2.0 * fs], [1.0, 1.0]) for c in (b, a)))
