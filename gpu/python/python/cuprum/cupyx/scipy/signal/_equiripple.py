"""Equiripple design of FIR filters, on the host in float64."""

import math
import operator

import numpy

from ._representations import device, host

__all__ = ['remez']


def _grid(edges, desired, weight, kind, antisymmetric, odd, count, density):
    """Returns the frequencies at which the error is weighed, the desired amplitudes and the weights there, and the slices of the bands.

    A band begins and ends at its edges. Where the amplitude has to be 0 there is no frequency.
    """
    step = 0.5 / (density * count)
    frequencies, gains, weights, slices, begin = [], [], [], [], 0
    for (low, high), gain, w in zip(edges, desired, weight):
        low = max(low, step) if antisymmetric and not frequencies else low
        f = low + step * numpy.arange(max(1, math.floor((high - low) / step + 1e-9) + 1))
        f[-1] = high
        if kind == 'differentiator':
            d, v = gain * f, numpy.full(f.size, w) if gain < 0.0001 else w / f
        else:
            d, v = numpy.full(f.size, gain), numpy.full(f.size, w)
        frequencies.append(f)
        gains.append(d)
        weights.append(v)
        slices.append(slice(begin, begin + f.size))
        begin += f.size
    f, d, v = (numpy.concatenate(parts) for parts in (frequencies, gains, weights))
    if antisymmetric == odd and f[-1] > 0.5 - step:
        f, d, v = f[:-1], d[:-1], v[:-1]
        slices[-1] = slice(slices[-1].start, begin - 1)
    return f, d, v, slices


def _factor(f, antisymmetric, odd):
    """Returns the factor of the amplitude that is no polynomial of the cosine."""
    if antisymmetric:
        return numpy.sin(2 * math.pi * f) if odd else numpy.sin(math.pi * f)
    return numpy.ones_like(f) if odd else numpy.cos(math.pi * f)


def _lagrange_weights(x):
    """Returns the weights of barycentric interpolation; points of [-1, 1] are apart by 2 for differences near 1 in the mean."""
    gaps = 2 * (x[:, None] - x)
    numpy.fill_diagonal(gaps, 1.0)
    logs = numpy.log(abs(gaps)).sum(1)
    return numpy.sign(gaps).prod(1) * numpy.exp(logs.min() - logs)


def _interpolated(x, nodes, values, weights):
    """Returns the polynomial through values at nodes."""
    gaps = x[:, None] - nodes
    hit = gaps == 0
    with numpy.errstate(divide='ignore', invalid='ignore'):
        shares = weights / gaps
        found = (shares @ values) / shares.sum(1)
    rows, columns = numpy.nonzero(hit)
    found[rows] = values[columns]
    return found


def _levelled(x, d, v):
    """Returns the error that has the same size and alternating signs at these points, and the polynomial with it: nodes, values, weights."""
    a = _lagrange_weights(x)
    signs = numpy.where(numpy.arange(x.size) % 2, -1.0, 1.0)
    error = (a @ d) / (a @ (signs / v))
    nodes = x[:-1]
    return error, nodes, (d - signs * error / v)[:-1], _lagrange_weights(nodes)


def _alternating(error, level, slices, count):
    """Returns the indices of `count` local extrema of the error, not below the level, with alternating signs, or None if there are fewer."""
    least = abs(level) * (1 - 1e-9)
    found = []
    for part in slices:
        e = error[part]
        if e.size:
            left = numpy.concatenate(([0.0], e[:-1]))
            right = numpy.concatenate((e[1:], [0.0]))
            peak = ((e > 0) & (e >= left) & (e > right)) | ((e < 0) & (e <= left) & (e < right))
            found.extend((part.start + numpy.flatnonzero(peak & (abs(e) >= least))).tolist())
    # The largest one of extrema of the same sign.
    chosen = []
    for at in found:
        if chosen and (error[chosen[-1]] > 0) == (error[at] > 0):
            if abs(error[at]) > abs(error[chosen[-1]]):
                chosen[-1] = at
        else:
            chosen.append(at)
    # The largest error is not that of the smaller end, and stays.
    while len(chosen) > count:
        del chosen[0 if abs(error[chosen[0]]) < abs(error[chosen[-1]]) else -1]
    return numpy.array(chosen) if len(chosen) == count else None


def remez(numtaps, bands, desired, *, weight=None, type='bandpass', maxiter=25, grid_density=16, fs=None):
    """Coefficients of the linear-phase filter with the least maximum of the weighted error in bands, by Remez' exchange of extrema (J. H. McClellan, T. W. Parks, "A Unified
    Approach to the Design of Optimum FIR Linear Phase Digital Filters", 1973)."""
    if type not in ('bandpass', 'differentiator', 'hilbert'):
        raise ValueError("Type must be 'bandpass', 'differentiator', or 'hilbert'")
    fs = 1.0 if fs is None else float(fs)
    numtaps = operator.index(numtaps)
    if numtaps < 2:
        raise ValueError(f'numtaps is {numtaps}: a filter has at least 2 coefficients')
    edges = host(bands).astype(float).ravel() / fs
    desired = host(desired).astype(float).ravel()
    weight = numpy.ones(desired.size) if weight is None else host(weight).astype(float).ravel()
    if edges.size != 2 * desired.size or weight.size != desired.size or not desired.size:
        raise ValueError(
            f'there are {edges.size} frequencies in bands, {desired.size} gains in desired and {weight.size} in weight: each band has two frequencies, a gain and a weight.'
        )
    if (numpy.diff(edges) < 0).any() or edges[0] < 0 or edges[-1] > 0.5:
        raise ValueError('Band edges should be monotonically increasing from 0 to fs/2')
    antisymmetric, odd = type != 'bandpass', bool(numtaps % 2)
    count = numtaps // 2 + (1 if odd and not antisymmetric else 0)
    f, d, v, slices = _grid(edges.reshape(-1, 2), desired, weight, type, antisymmetric, odd, count, int(grid_density))
    factor = _factor(f, antisymmetric, odd)
    d, v = d / factor, v * factor
    if f.size < count + 1:
        raise ValueError(f'the bands have {f.size} frequencies of the grid: widen them, or raise grid_density.')
    x = numpy.cos(2 * math.pi * f)
    # Rounded down, so that a symmetric problem begins with points that are not symmetric: the levelled error of these would be 0.
    chosen = (f.size - 1) * numpy.arange(count + 1) // count
    # Errors that are rounding errors of the amplitude.
    floor = 64 * numpy.finfo(float).eps * abs(v * d).max()
    for _ in range(int(maxiter)):
        level, *polynomial = _levelled(x[chosen], d[chosen], v[chosen])
        error = v * (d - _interpolated(x, *polynomial))
        # At the nodes the error is the levelled one, whatever its rounding.
        error[chosen] = level * numpy.where(numpy.arange(count + 1) % 2, -1.0, 1.0)
        following = _alternating(error, level, slices, count + 1)
        largest = abs(error).max()
        if largest <= abs(level) * (1 + 1e-12) + floor or following is not None and (following == chosen).all():
            break
        if following is None:
            raise ValueError('remez: the error has too few extrema: widen the transition bands, or take fewer coefficients')
        chosen = following
    else:
        raise ValueError(f'remez: no convergence in {maxiter} iterations: raise maxiter, widen the transition bands, or take fewer coefficients')
    # Samples of the amplitude at multiples of 1 / numtaps, and their inverse transform.
    k = numpy.arange(numtaps // 2 + 1)
    at = k / numtaps
    amplitude = _interpolated(numpy.cos(2 * math.pi * at), *polynomial) * _factor(at, antisymmetric, odd)
    share = numpy.where((k == 0) | (2 * k == numtaps), 1.0, 2.0) * amplitude / numtaps
    angles = 2 * math.pi * k * (numpy.arange(numtaps)[:, None] - 0.5 * (numtaps - 1)) / numtaps
    h = (numpy.sin(-angles) if antisymmetric else numpy.cos(angles)) @ share
    half = numtaps // 2
    # The symmetry is exact.
    h[numtaps - half :] = h[:half][::-1] * (-1.0 if antisymmetric else 1.0)
    if antisymmetric and odd:
        h[half] = 0.0
    return device(h)
