"""Roots of piecewise polynomials, on the host."""

import numpy

import cuprum

from ._arguments import host


def _real_roots(c):
    """Returns the real roots of a polynomial, and None if it is zero everywhere."""
    c = numpy.trim_zeros(c, 'f')
    if c.size == 0:
        return None
    roots = numpy.roots(c)
    size = numpy.abs(roots)
    real = roots[numpy.abs(roots.imag) <= 1e-10 * numpy.where(size == 0, 1, size)].real
    slope = numpy.polyder(c)
    # One step of Newton's method removes the rounding of the eigenvalues; at multiple roots there is none.
    with numpy.errstate(all='ignore'):
        better = real - numpy.polyval(c, real) / numpy.polyval(slope, real)
    close = numpy.isfinite(better) & (numpy.abs(better - real) <= 1e-6 * (1e-300 + numpy.abs(real)))
    return numpy.sort(numpy.where(close, better, real))


def _solve_one(c, x, y, discontinuity, extrapolate):
    found = []
    last = len(x) - 2
    sign = 1 if x[-1] >= x[0] else -1
    for i in range(last + 1):
        own = c[:, i].copy()
        own[-1] -= y
        if discontinuity and i > 0:
            before = numpy.polyval(c[:, i - 1], x[i] - x[i - 1]) - y
            after = own[-1]
            if before * after < 0 and not (found and numpy.isclose(found[-1], x[i], rtol=1e-13, atol=0)):
                found.append(x[i])
        roots = _real_roots(own)
        if roots is None:
            found += [x[i], numpy.nan]
            continue
        h = x[i + 1] - x[i]
        for root in roots[::sign]:
            inside_low = sign * root >= 0 or (extrapolate and i == 0)
            inside_high = sign * root <= sign * h or (extrapolate and i == last)
            root = x[i] + root
            if inside_low and inside_high and not (found and root == found[-1]):
                found.append(root)
    return numpy.array(found)


def solve(p, y, discontinuity, extrapolate):
    """Returns the points where a piecewise polynomial has a value: an array, or an array of the host of such arrays if there are trailing axes."""
    if p.c.dtype.kind == 'c':
        raise ValueError('Root finding is only for real-valued polynomials')
    if extrapolate == 'periodic':
        extrapolate = False
    y, x, c = float(y), host(p.x), host(p.c)
    trailing = c.shape[2:]
    c = c.reshape(*c.shape[:2], -1)
    results = [cuprum.asarray(_solve_one(c[..., j], x, y, discontinuity, bool(extrapolate))) for j in range(c.shape[2])]
    if not trailing:
        return results[0]
    out = numpy.empty(len(results), dtype=object)
    for j, result in enumerate(results):
        out[j] = result
    return out.reshape(trailing)
