"""Waveforms of `scipy.signal`, one kernel each; `max_len_seq` is computed on the host."""

import functools
import math

import numpy

import cuprum

from ._representations import device, host

__all__ = ['chirp', 'gausspulse', 'max_len_seq', 'sawtooth', 'square', 'sweep_poly', 'unit_impulse']


@functools.cache
def _kernel(name, inputs, output, operation):
    return cuprum.ElementwiseKernel(inputs, output, operation, f'signal_{name}')


def _times(t):
    t = cuprum.asarray(t)
    return t if t.dtype.char in 'efdg' else t.astype(float)


_SAWTOOTH = """
    const double turn = 6.283185307179586, at = (double)t - turn * floor((double)t / turn), w = width;
    y = !(w >= 0 && w <= 1) ? nan("") : at < w * turn ? at / (3.141592653589793 * w) - 1 : (3.141592653589793 * (w + 1) - at) / (3.141592653589793 * (1 - w));
"""
_SQUARE = """
    const double turn = 6.283185307179586, at = (double)t - turn * floor((double)t / turn), w = duty;
    y = !(w >= 0 && w <= 1) ? nan("") : at < w * turn ? 1.0 : -1.0;
"""


def sawtooth(t, width=1.0):
    """Periodic wave of period 2 pi that rises from -1 to 1 in a part of the period and falls back in the rest. NaN where the part is not from 0 to 1."""
    t, width = _times(t), cuprum.asarray(width, dtype=float)
    return _kernel('sawtooth', 'T t, float64 width', _out(t), _SAWTOOTH)(t, width)


def square(t, duty=0.5):
    """Periodic wave of period 2 pi that is 1 in a part of the period and -1 in the rest. NaN where the part is not from 0 to 1."""
    t, duty = _times(t), cuprum.asarray(duty, dtype=float)
    return _kernel('square', 'T t, float64 duty', _out(t), _SQUARE)(t, duty)


def _out(t):
    return 'float32 y' if t.dtype == numpy.float32 else 'float64 y'


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """Sinusoid with a Gaussian envelope: the real part, and with `retquad` and `retenv` the imaginary part and the envelope. With `t='cutoff'` the time at which the
    envelope has fallen to `tpr` decibels."""
    for value, name in ((fc, 'fc is %s: it must not be below 0'), (bw, 'bw is %s: it must be above 0')):
        if value < 0 or (value == 0 and 'bw' in name):
            raise ValueError(name % value + '.')
    if bwr >= 0:
        raise ValueError(f'bwr is {bwr}: it must be below 0 decibels')
    # The spectrum exp(-(pi f)^2 / a) is at the level at half the width.
    a = -((math.pi * fc * bw) ** 2) / (4 * math.log(10 ** (bwr / 20)))
    if isinstance(t, str):
        if t != 'cutoff':
            raise ValueError(f"t is {t!r}: it must be times, or 'cutoff'")
        if tpr >= 0:
            raise ValueError(f'tpr is {tpr}: it must be below 0 decibels')
        return math.sqrt(-math.log(10 ** (tpr / 20)) / a)
    t = _times(t)
    envelope = cuprum.exp(-a * t * t)
    found = [envelope * cuprum.cos(2 * math.pi * fc * t)]
    if retquad:
        found.append(envelope * cuprum.sin(2 * math.pi * fc * t))
    if retenv:
        found.append(envelope)
    return tuple(found) if len(found) > 1 else found[0]


_CHIRP = """
    const double turn = 6.283185307179586, s = t;
    double phase;
    switch (kind) {
      case 0: phase = turn * (f0 * s + 0.5 * (f1 - f0) / t1 * s * s); break;
      case 1: phase = vertex ? turn * (f0 * s + (f1 - f0) / (t1 * t1) * s * s * s / 3)
                             : turn * (f1 * s + (f1 - f0) / (t1 * t1) * ((t1 - s) * (t1 - s) * (t1 - s) - t1 * t1 * t1) / 3); break;
      case 2: {
        const double ratio = f1 / f0;
        phase = f0 == f1 ? turn * f0 * s : turn * (t1 / log(ratio)) * f0 * (pow(ratio, s / t1) - 1);
        break;
      }
      default: {
        const double pole = -f1 * t1 / (f0 - f1);
        phase = f0 == f1 ? turn * f0 * s : turn * (-pole * f0) * log(fabs(1 - s / pole));
      }
    }
    y = COS(phase + phi);
"""
_METHODS = {'linear': 0, 'lin': 0, 'li': 0, 'quadratic': 1, 'quad': 1, 'q': 1, 'logarithmic': 2, 'log': 2, 'lo': 2, 'hyperbolic': 3, 'hyp': 3}


def chirp(t, f0, t1, f1, method='linear', phi=0, vertex_zero=True, *, complex=False):
    """Cosine whose frequency sweeps from `f0` at time 0 to `f1` at time `t1`: `'linear'`, `'quadratic'`, `'logarithmic'` or `'hyperbolic'`. `phi` is a phase in degrees. A
    complex result has the sine as its imaginary part."""
    if method not in _METHODS:
        raise ValueError(f"method is {method!r}: it must be 'linear', 'quadratic', 'logarithmic' or 'hyperbolic'")
    f0, t1, f1 = float(f0), float(t1), float(f1)
    kind = _METHODS[method]
    if kind == 2 and f0 * f1 <= 0:
        raise ValueError(f'f0 and f1 are {f0} and {f1}: a logarithmic sweep does not pass 0.')
    if kind == 3 and (f0 == 0 or f1 == 0):
        raise ValueError(f'f0 and f1 are {f0} and {f1}: a hyperbolic sweep has no frequency 0.')
    t = _times(t)
    inputs = 'T t, int32 kind, float64 f0, float64 t1, float64 f1, float64 phi, bool vertex'
    numbers = (kind, f0, t1, f1, math.radians(float(phi)), bool(vertex_zero))
    out = _out(t)
    real = _kernel('chirp', inputs, out, _CHIRP.replace('COS', 'cos'))(t, *numbers)
    if not complex:
        return real
    return real + 1j * _kernel('chirp_sine', inputs, out, _CHIRP.replace('COS', 'sin'))(t, *numbers)


_SWEEP = """
    const double s = t;
    double phase = 0;
    for (long long k = 0; k < count; ++k) phase = phase * s + poly[k];
    y = cos(6.283185307179586 * phase + phi);
"""


def sweep_poly(t, poly, phi=0):
    """Cosine whose frequency is a polynomial of time. `phi` is a phase in degrees."""
    coefficients = numpy.polyint(
        poly.coeffs if hasattr(poly, 'coeffs') and not isinstance(poly.coeffs, cuprum.ndarray) else numpy.atleast_1d(host(getattr(poly, 'coeffs', poly)))
    )
    coefficients = numpy.asarray(coefficients, dtype=float)
    t = _times(t)
    out = _out(t)
    kernel = _kernel('sweep_poly', 'T t, raw float64 poly, int64 count, float64 phi', out, _SWEEP)
    return kernel(t, cuprum.asarray(coefficients), coefficients.size, math.radians(float(phi)))


def unit_impulse(shape, idx=None, dtype=float):
    """Zeros with a 1 at an index, by default the first one; `'mid'` is the middle."""
    found = cuprum.zeros(shape, dtype)
    shape = found.shape
    if idx is None:
        idx = (0,) * len(shape)
    elif isinstance(idx, str) and idx == 'mid':
        idx = tuple(n // 2 for n in shape)
    elif not hasattr(idx, '__iter__'):
        idx = (idx,) * len(shape)
    found[tuple(idx)] = 1
    return found


# Taps of primitive polynomials over two elements, one for each number of bits (W. Stahnke, "Primitive Binary Polynomials", Mathematics of
# Computation 27, 1973).
_TAPS = {
    2: [1], 3: [2], 4: [3], 5: [3], 6: [5], 7: [6], 8: [7, 6, 1], 9: [5], 10: [7], 11: [9], 12: [11, 10, 4], 13: [12, 11, 8], 14: [13, 12, 2],
    15: [14], 16: [15, 13, 4], 17: [14], 18: [11], 19: [18, 17, 14], 20: [17], 21: [19], 22: [21], 23: [18], 24: [23, 22, 17], 25: [22],
    26: [25, 24, 20], 27: [26, 25, 22], 28: [25], 29: [27], 30: [29, 28, 7], 31: [28], 32: [31, 30, 10],
}  # fmt: skip


def max_len_seq(nbits, state=None, length=None, taps=None):
    """Sequence of 0 and 1 of the greatest period of a shift register of `nbits` bits, and the last state, on the host."""
    if taps is None:
        if nbits not in _TAPS:
            raise ValueError(f'nbits must be between {min(_TAPS)} and {max(_TAPS)} if taps is None, not {nbits}')
        taps = numpy.array(_TAPS[nbits])
    else:
        taps = numpy.unique(host(taps))[::-1]
        if (taps < 0).any() or (taps > nbits).any() or taps.size < 1:
            raise ValueError(f'taps is {taps.tolist()}: it must have a tap, from 0 to {nbits}')
    period = 2**nbits - 1
    if length is None:
        length = period
    else:
        length = int(length)
        if length < 0:
            raise ValueError(f'length is {length}: it must not be negative')
    state = numpy.ones(nbits, numpy.int8) if state is None else (host(state) != 0).astype(numpy.int8)
    if state.ndim != 1 or state.size != nbits:
        raise ValueError(f'state must be a 1-D array of size nbits, not of shape {state.shape}')
    if not state.any():
        raise ValueError('state must not be all zeros')
    # Element n + nbits is the sum of element n and those of the taps. The square of that recurrence has twice the distances, so that blocks grow
    # with the sequence.
    total = length + nbits
    whole = numpy.empty(total, numpy.int8)
    whole[:nbits] = state
    terms = [0] + [int(t) % nbits for t in taps]
    reach, scale, have = nbits - max(terms), 1, nbits
    while have < total:
        while 2 * scale * nbits <= have:
            scale *= 2
        begin, m = have - scale * nbits, min(scale * reach, total - have)
        value = numpy.zeros(m, numpy.int8)
        for t in terms:
            value ^= whole[begin + scale * t : begin + scale * t + m]
        whole[have : have + m] = value
        have += m
    return device(whole[:length].copy(), whole[length : length + nbits].copy())
