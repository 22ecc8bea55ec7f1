"""Spectra of `scipy.signal` of samples at any times."""

import functools
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._images import _array
from .windows import get_window

__all__ = ['lombscargle', 'vectorstrength']


def vectorstrength(events, period):
    """Synchrony of events with a period: the length and the angle of the mean of unit vectors of their phases."""
    events, period = cuprum.asarray(_array(events, 'events')), cuprum.asarray(period)
    if events.ndim > 1:
        raise ValueError(f'events has {events.ndim} axes: it has one at most')
    if period.ndim > 1:
        raise ValueError(f'period has {period.ndim} axes: it has one at most')
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
        raise ValueError(f'x, y and weights must have one axis each and the same number of elements: the shapes are {x.shape} and {y.shape}')
    if freqs.ndim != 1 or freqs.size == 0:
        raise ValueError(f'freqs has the shape {freqs.shape}: it must have one axis and an element')
    if weights is None:
        weights = cuprum.full(x.shape, 1.0 / x.size)
    else:
        if not bool((weights >= 0).all()) or not bool(weights.sum() > 0):
            raise ValueError('weights must not be below 0, and one must be above it')
        weights = weights / weights.sum()
    if isinstance(normalize, bool):
        normalize = 'normalize' if normalize else 'power'
    if normalize not in ('power', 'normalize', 'amplitude'):
        raise ValueError(f"normalize is {normalize!r}: it must be a boolean, 'power', 'normalize' or 'amplitude'")
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
