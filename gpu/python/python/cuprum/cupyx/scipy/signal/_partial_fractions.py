"""Partial fractions of quotients of polynomials, on the host in float64."""

import warnings

import numpy

import cuprum
from cuprum import _cuprum

from ._representations import _power, device, vector

__all__ = ['invres', 'invresz', 'residue', 'residuez', 'unique_roots']


def _merge(rtype):
    if rtype in ('max', 'maximum'):
        return numpy.max
    if rtype in ('min', 'minimum'):
        return numpy.min
    if rtype in ('avg', 'mean'):
        return numpy.mean
    raise ValueError(f"`rtype` must be one of {{'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}}, not {rtype!r}")


def _unique(p, tol, rtype):
    merge = _merge(rtype)
    p = vector(p)
    unique, counts, used = [], [], numpy.zeros(p.size, bool)
    for i in range(p.size):
        if used[i]:
            continue
        near = (abs(p - p[i]) <= tol) & ~used
        used |= near
        unique.append(merge(p[near]))
        counts.append(int(near.sum()))
    return numpy.array(unique), numpy.array(counts, int)


def unique_roots(p, tol=1e-3, rtype='min'):
    """Roots of which those nearer than a tolerance are one, and the number of each."""
    return device(*_unique(p, tol, rtype))


def _factors(poles, counts):
    """Returns, for each pole and power in ascending order, the denominator divided by that power of the pole, and the denominator."""
    whole = numpy.ones(1)
    for pole, count in zip(poles, counts):
        whole = numpy.convolve(whole, _power([1, -pole], count))
    found = []
    for i, (pole, count) in enumerate(zip(poles, counts)):
        others = numpy.ones(1)
        for j, (other, many) in enumerate(zip(poles, counts)):
            if j != i:
                others = numpy.convolve(others, _power([1, -other], many))
        found += [numpy.convolve(others, _power([1, -pole], count - k)) for k in range(1, count + 1)]
    return found, whole


def _taylor(c, at, count, dtype):
    """Returns the first coefficients of a polynomial about a point, from the constant."""
    found = []
    for _ in range(count):
        if c.size == 0:
            found.append(0.0)
            continue
        sums = []
        value = 0.0
        for v in c:
            value = value * at + v
            sums.append(value)
        found.append(sums[-1])
        c = numpy.array(sums[:-1])
    return numpy.array(found, dtype)


def _residues(poles, counts, numerator):
    """Returns the residues of each pole, for the powers in ascending order (by Taylor series of the quotient about the pole)."""
    dtype = numpy.result_type(poles, numerator)
    found = []
    for i, (pole, count) in enumerate(zip(poles, counts)):
        others = numpy.ones(1)
        for j, (other, many) in enumerate(zip(poles, counts)):
            if j != i:
                others = numpy.convolve(others, _power([1, -other], many))
        top, bottom = _taylor(numerator, pole, count, dtype), _taylor(others, pole, count, dtype)
        series = numpy.zeros(count, dtype)
        for k in range(count):
            series[k] = (top[k] - (series[:k] * bottom[k:0:-1]).sum()) / bottom[0]
        found += series[::-1].tolist()
    return numpy.array(found, dtype)


def _powers(counts):
    return numpy.concatenate([numpy.arange(1, n + 1) for n in counts]) if len(counts) else numpy.zeros(0, int)


def _sorted(p):
    order = numpy.argsort(abs(p))
    return p[order], order


def _coefficient_pair(b, a, trim):
    b, a = (vector(c) for c in (b, a))
    b, a = (c.astype(numpy.result_type(b, a, float)) for c in (b, a))
    return numpy.trim_zeros(b, trim), numpy.trim_zeros(a, trim)


def residue(b, a, tol=1e-3, rtype='avg'):
    """Partial fractions of a quotient of polynomials: residues, poles, and the polynomial that remains."""
    b, a = _coefficient_pair(b, a, 'f')
    if a.size == 0:
        raise ValueError('Denominator `a` is zero.')
    poles = numpy.roots(a)
    if b.size == 0:
        return device(numpy.zeros(poles.shape), _sorted(poles)[0], numpy.array([]))
    direct = numpy.empty(0)
    if b.size >= a.size:
        direct, b = numpy.polydiv(b, a)
    unique, counts = _unique(poles, tol, rtype)
    unique, order = _sorted(unique)
    counts = counts[order]
    residues = _residues(unique, counts, b) / a[0]
    return device(residues, numpy.repeat(unique, counts), direct)


def residuez(b, a, tol=1e-3, rtype='avg'):
    """Partial fractions of a quotient of polynomials in 1 / z: residues, poles, and the polynomial that remains."""
    b, a = _coefficient_pair(b, a, 'b')
    if a.size == 0:
        raise ValueError('Denominator `a` is zero.')
    if a[0] == 0:
        raise ValueError('First coefficient of determinant `a` must be non-zero: divide both polynomials by a power of 1 / z.')
    poles = numpy.roots(a)
    if b.size == 0:
        return device(numpy.zeros(poles.shape), _sorted(poles)[0], numpy.array([]))
    top, bottom = b[::-1], a[::-1]
    direct = numpy.empty(0)
    if top.size >= bottom.size:
        direct, top = numpy.polydiv(top, bottom)
    unique, counts = _unique(poles, tol, rtype)
    unique, order = _sorted(unique)
    counts = counts[order]
    residues = _residues(1 / unique, counts, top)
    poles = numpy.repeat(unique, counts)
    residues = residues * (-poles) ** _powers(counts) / bottom[0]
    return device(residues, poles, direct[::-1])


def _grouped(p, tol, rtype):
    """Returns poles of which consecutive ones within a tolerance are one, and the number of each."""
    merge = _merge(rtype)
    groups = []
    for pole in p:
        if groups and abs(pole - groups[-1][0]) <= tol:
            groups[-1].append(pole)
        else:
            groups.append([pole])
    return numpy.array([merge(g) for g in groups]), [len(g) for g in groups]


def _added(one, two):
    size = max(one.size, two.size)
    return sum(numpy.concatenate((numpy.zeros(size - c.size), c)) for c in (one, two))


def invres(r, p, k, tol=1e-3, rtype='avg'):
    """Coefficients of the quotient of polynomials of partial fractions: the inverse of `residue`."""
    r, p, k = vector(r), vector(p), numpy.trim_zeros(vector(k), 'f')
    unique, counts = _grouped(p, tol, rtype)
    factors, denominator = _factors(unique, counts)
    numerator = numpy.convolve(k, denominator) if k.size else numpy.zeros(1)
    for value, factor in zip(r, factors):
        numerator = _added(numerator, value * factor)
    return device(numerator, denominator)


def invresz(r, p, k, tol=1e-3, rtype='avg'):
    """Coefficients of the quotient of polynomials in 1 / z of partial fractions: the inverse of `residuez`."""
    r, p, k = vector(r), vector(p), numpy.trim_zeros(vector(k), 'b')
    unique, counts = _grouped(p, tol, rtype)
    # A factor 1 - p / z has the coefficients of z - p, from the constant on.
    factors, denominator = _factors(unique, counts)
    numerator = numpy.convolve(k[::-1], denominator[::-1]) if k.size else numpy.zeros(1)
    for value, factor in zip(r, factors):
        numerator = _added(numerator, value * factor[::-1])
    return device(numerator[::-1], denominator)
