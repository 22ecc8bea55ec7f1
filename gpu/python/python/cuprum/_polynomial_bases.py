"""Series in six bases of polynomials: the functions of NumPy's `numpy.polynomial`, on arrays of a device.

All of them follow from one table, `BASES`: of each basis the recurrence, the derivatives and the integrals. The recurrence is

    x B(k) = a(k) B(k + 1) + b(k) B(k) + c(k) B(k - 1)

(DLMF 18.9.2 and table 18.9.1). Values, products and changes of the basis are Clenshaw's sum over it (C. W. Clenshaw, "A note on
the summation of Chebyshev series", 1955); roots are eigenvalues of its matrix, nodes and weights of quadratures those of the
symmetric one (G. H. Golub and J. H. Welsch, "Calculation of Gauss quadrature rules", 1969).
"""

import functools
import math
import operator
import types
import warnings
from typing import Callable, NamedTuple

import numpy as np

import cuprum as cp

__all__ = ['BASES', 'Basis', 'complete']


class Basis(NamedTuple):
    """A basis of polynomials."""

    name: str
    prefix: str
    kind: str
    domain: tuple
    recurrence: Callable  # a, b and c of k
    slope: Callable  # what of B(j) is in the derivative of B(k)
    integral: Callable  # what of B(k + 1), B(k) and B(k - 1) is in the integral of B(k), but for a constant
    weight: Callable = None  # the function with which the basis is orthogonal
    total: float = None  # its integral


BASES = {basis.name: basis for basis in (
    Basis('polynomial', 'poly', 'Polynomial', (-1, 1), lambda k: (1, 0, 0),
          lambda j, k: k * (j == k - 1), lambda k: (1 / (k + 1), 0, 0)),
    Basis('chebyshev', 'cheb', 'Chebyshev', (-1, 1), lambda k: (0.5 if k else 1, 0, 0.5),
          lambda j, k: (2 * k if j else k) * ((k - j) % 2),
          lambda k: (1 / (2 * (k + 1)) if k else 1, 0, -1 / (2 * (k - 1)) if k > 1 else 0),
          lambda x: 1.0 / (cp.sqrt(1.0 + x) * cp.sqrt(1.0 - x)), math.pi),
    Basis('legendre', 'leg', 'Legendre', (-1, 1), lambda k: ((k + 1) / (2 * k + 1), 0, k / (2 * k + 1)),
          lambda j, k: (2 * j + 1) * ((k - j) % 2), lambda k: (1 / (2 * k + 1), 0, -1 / (2 * k + 1)),
          lambda x: x * 0.0 + 1.0, 2.0),
    Basis('laguerre', 'lag', 'Laguerre', (0, 1), lambda k: (-(k + 1), 2 * k + 1, -k),
          lambda j, k: -1, lambda k: (-1, 1, 0), lambda x: cp.exp(-x), 1.0),
    Basis('hermite', 'herm', 'Hermite', (-1, 1), lambda k: (0.5, 0, k),
          lambda j, k: 2 * k * (j == k - 1), lambda k: (1 / (2 * (k + 1)), 0, 0),
          lambda x: cp.exp(-(x ** 2)), math.sqrt(math.pi)),
    Basis('hermite_e', 'herme', 'HermiteE', (-1, 1), lambda k: (1, 0, k),
          lambda j, k: k * (j == k - 1), lambda k: (1 / (k + 1), 0, 0),
          lambda x: cp.exp(-0.5 * x ** 2), math.sqrt(2 * math.pi)),
)}


def series(*all_of_them, trim=True):
    """Converts coefficients to 1-D arrays of one floating-point dtype."""
    return cp.polynomial.polyutils.as_series([cp.atleast_1d(cp.asarray(c)) for c in all_of_them], trim)


def whole(number, what):
    """Converts an object to an integer."""
    try:
        return operator.index(number)
    except TypeError as error:
        raise TypeError(f'{what} must be an integer, received {number}') from error


def like(values, c):
    """Converts host scalars to an array in the precision of another one."""
    return cp.asarray(np.asarray(values, dtype=np.float64), dtype=np.zeros(0, c.dtype).real.dtype)


def added(u, v):
    """Adds coefficients of different lengths."""
    if len(u) < len(v):
        u, v = v, u
    if len(u) == len(v):
        return u + v
    return cp.concatenate([u[:len(v)] + v, u[len(v):]])


def times_x(basis, c):
    """Returns the coefficients of a series times x."""
    n = len(c)
    up, at, down = zip(*(basis.recurrence(k) for k in range(n)))
    moved = cp.concatenate([cp.zeros_like(c[:1]), c * like(up, c)])
    if any(at):
        moved[:n] += c * like(at, c)
    if n > 1 and any(down[1:]):
        moved[:n - 1] += c[1:] * like(down[1:], c)
    return moved


def clenshaw(basis, c, one, by_x, plus=operator.add):
    """Computes the sum of `c[k] B(k)` times `one` by Clenshaw's recurrence, where `by_x` multiplies by x."""
    last, before = None, None
    for k in range(len(c) - 1, -1, -1):
        y = c[k] * one
        if last is not None:
            a, b, _ = basis.recurrence(k)
            recurrence = by_x(last)
            if b:
                recurrence = plus(recurrence, last * -b)
            y = plus(y, recurrence if a == 1 else recurrence * (1 / a))
        if before is not None:
            a, _, down = basis.recurrence(k + 1)
            if down:
                y = plus(y, before * -(down / a))
        last, before = y, last
    return last


def value(basis, x, c, tensor=True):
    """Evaluates a series at points."""
    c = cp.atleast_1d(cp.asarray(c))
    if c.dtype.kind in '?biu':
        c = c.astype(np.float64)
    x = x if isinstance(x, (int, float, complex)) else cp.asarray(x)
    if isinstance(x, cp.ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    one = x * 0 + 1
    found = clenshaw(basis, c, one, lambda y: y * x)
    return cp.asarray(found)


def product(basis, c1, c2):
    """Returns the coefficients of a product, without trailing zeros."""
    c1, c2 = series(c1, c2)
    if len(c1) > len(c2):
        c1, c2 = c2, c1
    found = clenshaw(basis, c1, c2, functools.partial(times_x, basis), added)
    return cp.polynomial.polyutils.trimseq(found)


def quotient(basis, c1, c2):
    """Returns the coefficients of the quotient and of the remainder."""
    c1, c2 = series(c1, c2)
    if not bool(c2[-1] != 0):
        raise ZeroDivisionError(f'{basis.prefix}div: the divisor is 0')
    n1, n2 = len(c1), len(c2)
    if n1 < n2:
        return c1[:1] * 0, c1
    if n2 == 1:
        return c1 / c2[-1], c1[:1] * 0
    parts, rest, factor = [], c1, c2
    factors = [c2]
    for _ in range(n1 - n2):
        # B(i) times the divisor, for each i, by the recurrence in i.
        i = len(factors) - 1
        a, b, down = basis.recurrence(i)
        factor = times_x(basis, factors[-1])
        if b:
            factor = added(factor, factors[-1] * -b)
        if i and down:
            factor = added(factor, factors[-2] * -down)
        factors.append(factor if a == 1 else factor * (1 / a))
    for factor in reversed(factors):
        q = rest[-1] / factor[-1]
        rest = rest[:-1] - q * factor[:-1]
        parts.append(q)
    return cp.stack(parts[::-1]), cp.polynomial.polyutils.trimseq(rest)


def derivative(basis, c, m=1, scl=1, axis=0):
    """Returns the coefficients of a derivative."""
    c = cp.atleast_1d(cp.asarray(c))
    c = c.astype(np.float64) if c.dtype.kind in '?biu' else c.copy()
    count = whole(m, 'the order of derivation')
    if count < 0:
        raise ValueError('The order of derivation must be non-negative')
    axis = np.lib.array_utils.normalize_axis_index(whole(axis, 'the axis'), c.ndim)
    if count == 0:
        return c
    c = cp.moveaxis(c, axis, 0)
    if count >= len(c):
        return cp.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(count):
        n = len(c)
        slopes = [[basis.slope(j, k) if j < k else 0 for k in range(n)] for j in range(n - 1)]
        c = cp.tensordot(like(slopes, c), cp.multiply(c, scl, dtype=c.dtype), axes=1)
    return cp.moveaxis(c, 0, axis)


def antiderivative(basis, c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """Returns the coefficients of an integral, which has the value `k` at `lbnd`."""
    c = cp.atleast_1d(cp.asarray(c))
    c = c.astype(np.float64) if c.dtype.kind in '?biu' else c.copy()
    constants = list(k) if np.iterable(k) else [k]
    count = whole(m, 'the order of integration')
    if count < 0:
        raise ValueError('The order of integration must be non-negative')
    if len(constants) > count:
        raise ValueError('Too many integration constants')
    if np.ndim(lbnd) != 0:
        raise ValueError('lbnd must be a scalar.')
    if np.ndim(scl) != 0:
        raise ValueError('scl must be a scalar.')
    axis = np.lib.array_utils.normalize_axis_index(whole(axis, 'the axis'), c.ndim)
    c = cp.moveaxis(c, axis, 0)
    for constant in constants + [0] * (count - len(constants)) if count else []:
        n, c = len(c), cp.multiply(c, scl, dtype=c.dtype)
        if n == 1 and bool((c[0] == 0).all()):
            c = c + constant
            continue
        up, at, down = (like(part, c).reshape((-1,) + (1,) * (c.ndim - 1))
                        for part in zip(*(basis.integral(i) for i in range(n))))
        made = cp.concatenate([cp.zeros_like(c[:1]), c * up])
        made[:n] += c * at
        if n > 1:
            made[:n - 1] += (c * down)[1:]
        made[0] += constant - value(basis, lbnd, made)
        c = made
    return cp.moveaxis(c, 0, axis)


def line(basis, off, scl):
    """Returns the coefficients of ``off + scl * x``."""
    at, up = first(basis)
    return cp.asarray([off + scl * at, scl * up] if scl != 0 else [off])


def first(basis):
    """Returns the coefficients of x, as integers if they are."""
    up, at, _ = basis.recurrence(0)
    return [int(c) if c == int(c) else c for c in (at, up)]


def from_roots(basis, roots):
    """Returns the coefficients of the polynomial with these roots."""
    if len(roots) == 0:
        return cp.ones(1)
    roots = cp.sort(series(roots, trim=False)[0])
    if basis.kind != 'Polynomial':
        # NumPy's factors of the other bases are lists of a scalar and a Python number.
        roots = roots.astype(np.promote_types(roots.dtype, 'float64'), copy=False)
    a, b, _ = basis.recurrence(0)
    factors = [cp.stack([b - r, r * 0 + a]) for r in roots]
    while len(factors) > 1:
        half = len(factors) // 2
        left = factors[2 * half:]
        factors = [product(basis, factors[i], factors[i + half]) for i in range(half)]
        if left:
            factors[0] = product(basis, factors[0], left[0])
    return factors[0]


def vandermonde(basis, x, deg):
    """Returns the values of each basis polynomial at points, along a last axis."""
    degree = whole(deg, 'deg')
    if degree < 0:
        raise ValueError('deg must be non-negative')
    x = cp.atleast_1d(cp.asarray(x)) + 0.0
    columns = [x * 0 + 1]
    for k in range(degree):
        a, b, down = basis.recurrence(k)
        y = columns[k] * (x - b if b else x)
        if k and down:
            y = y - columns[k - 1] * down
        columns.append(y if a == 1 else y * (1 / a))
    return cp.stack(columns, axis=-1)


def vandermonde_of_several(basis, points, degrees):
    """Returns the values of the products of one polynomial for each variable, along a last axis."""
    if len(points) != len(degrees):
        raise ValueError(f'Expected {len(points)} dimensions of degrees, got {len(degrees)}')
    made = vandermonde(basis, points[0], degrees[0])
    for x, degree in zip(points[1:], degrees[1:]):
        more = vandermonde(basis, x, degree)
        made = (made[..., :, None] * more[..., None, :]).reshape(made.shape[:-1] + (-1,))
    return made


def scaling(basis, n):
    """Returns the factors that make the matrix of the recurrence symmetric, its diagonal and its off-diagonal."""
    a, b, c = zip(*(basis.recurrence(k) for k in range(n + 1)))
    beside = [math.copysign(math.sqrt(a[k] * c[k + 1]), a[k]) for k in range(n - 1)]
    scale = [1.0]
    for k in range(n - 1):
        scale.append(scale[-1] * math.sqrt(c[k + 1] / a[k]))
    return scale, list(b[:n]), beside


def companion(basis, c):
    """Returns the companion matrix, whose eigenvalues are the roots of a series, and which is symmetric for a basis
    polynomial."""
    c, = series(c)
    n = len(c) - 1
    if n < 1:
        raise ValueError('Series must have maximum degree of at least 1.')
    a, b, _ = basis.recurrence(0)
    if n == 1:
        return (b - c[0] / c[1] * a).reshape(1, 1)
    scale, diagonal, beside = scaling(basis, n)
    made = np.diag(np.asarray(diagonal, dtype=float)) + np.diag(beside, 1) + np.diag(beside, -1)
    made = like(made, c).astype(c.dtype)
    made[:, -1] -= c[:-1] / c[-1] * like(np.array(scale) / scale[-1] * basis.recurrence(n - 1)[0], c)
    return made


def roots(basis, c):
    """Returns the sorted roots of a series."""
    c, = series(c)
    if len(c) < 2:
        return cp.empty(0, dtype=c.dtype)
    made = companion(basis, c)
    if len(c) == 2:
        return made[0]
    return cp.sort(cp.linalg.eigvals(made[::-1, ::-1]))


def gauss(basis, deg):
    """Returns the nodes and weights of the Gaussian quadrature, which is exact up to the degree ``2 * deg - 1``."""
    n = whole(deg, 'deg')
    if n <= 0:
        raise ValueError('deg must be a positive integer')
    if basis.kind == 'Chebyshev':
        return cp.cos(math.pi * cp.arange(1, 2 * n, 2) / (2.0 * n)), cp.full(n, math.pi / n)
    _, diagonal, beside = scaling(basis, n + 1)
    matrix = np.diag(np.asarray(diagonal[:n], dtype=float)) + np.diag(beside[:n - 1], 1) + np.diag(beside[:n - 1], -1)
    x = cp.linalg.eigvalsh(cp.asarray(matrix))

    def normed(x):
        """Returns the sum of the squares of the orthonormal polynomials below the degree, that of the degree, and
        its derivative."""
        y, slope, last, before, squares = x * 0 + 1 / math.sqrt(basis.total), x * 0, x * 0, x * 0, x * 0
        for k in range(n):
            squares = squares + y * y
            down, up = beside[k - 1] if k else 0.0, beside[k]
            y, slope, last, before = (((x - diagonal[k]) * y - down * last) / up,
                                      (y + (x - diagonal[k]) * slope - down * before) / up, y, slope)
        return squares, y, slope
    # One Newton step, for the last digits.
    _, y, slope = normed(x)
    x = x - y / slope
    weights = 1 / normed(x)[0]
    if not any(diagonal):
        x, weights = (x - x[::-1]) / 2, (weights + weights[::-1]) / 2
    return x, weights * (basis.total / weights.sum())


def fit(basis, x, y, deg, rcond=None, full=False, w=None):
    """Returns the coefficients of the least-squares fit to values at points."""
    x, y, degrees = cp.asarray(x) + 0.0, cp.asarray(y) + 0.0, np.asarray(deg)
    if degrees.ndim > 1 or degrees.dtype.kind not in 'iu' or degrees.size == 0:
        raise TypeError('deg must be an int or non-empty 1-D array of int')
    if degrees.min() < 0:
        raise ValueError('expected deg >= 0')
    if x.ndim != 1:
        raise TypeError('expected 1D vector for x')
    if x.size == 0:
        raise TypeError('expected non-empty vector for x')
    if y.ndim not in (1, 2):
        raise TypeError('expected 1D or 2D array for y')
    if len(x) != len(y):
        raise TypeError('expected x and y to have same length')
    kept = np.sort(degrees) if degrees.ndim else np.arange(degrees + 1)
    most = int(kept[-1])
    left, right = vandermonde(basis, x, most)[:, kept], y
    if w is not None:
        w = cp.asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError('expected 1D vector for w')
        if len(x) != len(w):
            raise TypeError('expected x and w to have same length')
        left, right = left * w[:, None], (right.T * w).T
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    size = cp.sqrt(cp.square(cp.abs(left)).sum(0))
    size = cp.where(size == 0, 1, size)
    c, residuals, rank, s = cp.linalg.lstsq(left / size, right, rcond)
    c = (c.T / size).T
    if degrees.ndim:
        made = cp.zeros((most + 1,) + c.shape[1:], dtype=c.dtype)
        made[kept] = c
        c = made
    if full:
        return c, [residuals, rank, s, rcond]
    if int(rank) != len(kept):
        warnings.warn('The fit may be poorly conditioned', np.exceptions.RankWarning, stacklevel=3)
    return c


def named(basis):
    """Returns the functions of a basis, by NumPy's names."""
    this, powers = basis.prefix, BASES['polynomial']

    def add(c1, c2):
        return cp.polynomial.polynomial.polyadd(*series(c1, c2))

    def sub(c1, c2):
        return cp.polynomial.polynomial.polysub(*series(c1, c2))

    def mulx(c):
        c, = series(c)
        return c if len(c) == 1 and bool(c[0] == 0) else times_x(basis, c)

    def mul(c1, c2):
        return product(basis, c1, c2)

    def div(c1, c2):
        return quotient(basis, c1, c2)

    def pow(c, pow, maxpower=16):
        c, = series(c)
        power = int(pow)
        if power != pow or power < 0:
            raise ValueError('Power must be a non-negative integer.')
        if maxpower is not None and power > maxpower:
            raise ValueError('Power is too large')
        made = cp.ones(1, dtype=c.dtype)
        for _ in range(power):
            made = mul(made, c)
        return made

    def val(x, c, tensor=True):
        return value(basis, x, c, tensor)

    def at_points(points, c):
        points = [cp.asarray(p) for p in points]
        if any(p.shape != points[0].shape for p in points):
            names = {2: 'x, y', 3: 'x, y, z'}.get(len(points), 'ordinates')
            raise ValueError(f'{names} are incompatible')
        c = val(points[0], c)
        for p in points[1:]:
            c = val(p, c, tensor=False)
        return c

    def val2d(x, y, c):
        return at_points((x, y), c)

    def val3d(x, y, z, c):
        return at_points((x, y, z), c)

    def valnd(pts, c):
        return at_points(tuple(pts), c)

    def grid2d(x, y, c):
        return val(y, val(x, c))

    def grid3d(x, y, z, c):
        return val(z, val(y, val(x, c)))

    def der(c, m=1, scl=1, axis=0):
        return derivative(basis, c, m, scl, axis)

    def int_(c, m=1, k=(), lbnd=0, scl=1, axis=0):
        return antiderivative(basis, c, m, k, lbnd, scl, axis)

    def line_(off, scl):
        return line(basis, off, scl)

    def fromroots(roots):
        return from_roots(basis, roots)

    def vander(x, deg):
        return vandermonde(basis, x, deg)

    def vander2d(x, y, deg):
        return vandermonde_of_several(basis, (x, y), deg)

    def vander3d(x, y, z, deg):
        return vandermonde_of_several(basis, (x, y, z), deg)

    def companion_(c):
        return companion(basis, c)

    def roots_(c):
        return roots(basis, c)

    def fit_(x, y, deg, rcond=None, full=False, w=None):
        return fit(basis, x, y, deg, rcond, full, w)

    def trim(c, tol=0):
        return cp.polynomial.polyutils.trimcoef(cp.atleast_1d(cp.asarray(c)), tol)

    def gauss_(deg):
        return gauss(basis, deg)

    def weight(x):
        return basis.weight(cp.asarray(x))

    def to_powers(c):
        c, = series(c)
        return clenshaw(basis, c, cp.ones(1, dtype=c.dtype), functools.partial(times_x, powers), added)

    def of_powers(pol):
        pol, = series(pol)
        return clenshaw(powers, pol, cp.ones(1, dtype=pol.dtype), functools.partial(times_x, basis), added)

    found = {this + name: f for name, f in dict(
        add=add, sub=sub, mulx=mulx, mul=mul, div=div, pow=pow, val=val, val2d=val2d, val3d=val3d, valnd=valnd,
        grid2d=grid2d, grid3d=grid3d, der=der, int=int_, line=line_, fromroots=fromroots, vander=vander, vander2d=vander2d,
        vander3d=vander3d, companion=companion_, roots=roots_, fit=fit_, trim=trim).items()}
    if basis.weight is not None:
        found |= {this + 'gauss': gauss_, this + 'weight': weight, this + '2poly': to_powers, 'poly2' + this: of_powers}
    if basis.kind == 'Chebyshev':
        found |= {'chebpts1': chebpts1, 'chebpts2': chebpts2, 'chebinterpolate': chebinterpolate}
    of_numpy = getattr(np.polynomial, basis.name)
    for name, f in found.items():
        f.__name__ = f.__qualname__ = name
        f.__module__ = f'cuprum.polynomial.{basis.name}'
        f.__doc__ = f"NumPy's `{f.__module__.replace('cuprum', 'numpy')}.{name}`, on arrays of a device."
        # Those of points in any number of variables exist from NumPy 2.5 on.
        if not hasattr(of_numpy, name) and not name.endswith('valnd'):
            raise AttributeError(f'{name} is no function of NumPy')
    constants = {'domain': np.array(basis.domain, dtype=float), 'zero': np.array([0]), 'one': np.array([1]),
                 'x': np.array(first(basis))}
    return found | {this + name: array for name, array in constants.items()}


def chebpts1(npts):
    count = int(npts)
    if count != npts:
        raise ValueError('npts must be integer')
    if count < 1:
        raise ValueError('npts must be >= 1')
    return cp.sin(0.5 * math.pi / count * cp.arange(-count + 1, count + 1, 2))


def chebpts2(npts):
    count = int(npts)
    if count != npts:
        raise ValueError('npts must be integer')
    if count < 2:
        raise ValueError('npts must be >= 2')
    return cp.cos(cp.linspace(-math.pi, 0, count))


def chebinterpolate(func, deg, args=()):
    degree = whole(deg, 'deg')
    if degree < 0:
        raise ValueError('expected deg >= 0')
    x = chebpts1(degree + 1)
    c = vandermonde(BASES['chebyshev'], x, degree).T @ func(x, *args)
    c[0] /= degree + 1
    c[1:] /= 0.5 * (degree + 1)
    return c


def _polyutils(module):
    """Wraps functions of `polyutils` with NumPy's signatures."""
    own_trimcoef, own_trimseq = module.trimcoef, module.trimseq

    def trimcoef(c, tol=0):
        """Returns the coefficients without trailing ones whose magnitude is at most `tol`."""
        # A complex NumPy scalar is compared by its real part first.
        return own_trimcoef(c, tol.real if isinstance(tol, np.complexfloating) else tol)

    def trimseq(seq):
        """Returns the coefficients without trailing zeros."""
        if np.ndim(seq) == 0:
            raise TypeError('trimseq: seq has no axis: it must have one, of coefficients')
        return own_trimseq(seq)

    for function in (trimcoef, trimseq):
        function.__module__, function.__qualname__ = module.__name__, function.__name__
        setattr(module, function.__name__, function)


def complete(package, modules):
    """Adds the functions and classes of NumPy's `numpy.polynomial` to `package`, and to those of `modules` that
    exist."""
    from . import _polynomial_classes
    # The text of a series is NumPy's.
    vars(package).setdefault('set_default_printstyle', np.polynomial.set_default_printstyle)
    _polyutils(modules['cuprum.polynomial.polyutils'])
    for basis in BASES.values():
        full = f'cuprum.polynomial.{basis.name}'
        module = modules.get(full)
        if module is None:
            module = modules[full] = types.ModuleType(full, f"NumPy's `{full.replace('cuprum', 'numpy')}`.")
        vars(package)[basis.name] = module
        kind = _polynomial_classes.KINDS[basis.kind]
        # Names that the library has itself are kept.
        for name, found in {**named(basis), basis.kind: kind}.items():
            vars(module).setdefault(name, found)
        vars(package)[basis.kind] = kind
