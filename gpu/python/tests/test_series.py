"""Tests of series in the six bases against `numpy.polynomial`: every function, every method."""

import inspect
import pickle

import cuprum as cp
import numpy as np
import pytest

BASES = {
    'polynomial': ('poly', 'Polynomial'),
    'chebyshev': ('cheb', 'Chebyshev'),
    'legendre': ('leg', 'Legendre'),
    'laguerre': ('lag', 'Laguerre'),
    'hermite': ('herm', 'Hermite'),
    'hermite_e': ('herme', 'HermiteE'),
}
A, B = [1.0, -2.0, 3.0, 0.5, 2.0], [2.0, 0.25, -1.0]
COMPLEX = [1.0 + 2.0j, -0.5, 3.0j]
X = np.linspace(-0.9, 0.95, 7)


def host(found):
    if isinstance(found, (tuple, list)):
        return [host(f) for f in found]
    return found.get() if hasattr(found, 'get') else np.asarray(found)


def device(a):
    return cp.asarray(a) if isinstance(a, np.ndarray) else a


def same(found, wanted, off=1e-13):
    found = host(found)
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted):
            same(f, w, off)
        return
    wanted = np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=off, atol=off * scale)


@pytest.fixture(params=BASES)
def basis(request):
    name = request.param
    prefix, kind = BASES[name]
    ours, theirs = getattr(cp.polynomial, name), getattr(np.polynomial, name)
    return (
        lambda f, *args, **kwargs: (
            getattr(ours, f.replace('*', prefix))(*map(device, args), **{k: device(v) for k, v in kwargs.items()}),
            getattr(theirs, f.replace('*', prefix))(*args, **kwargs),
        ),
        prefix,
        kind,
    )


def both(basis, f, *args, off=1e-13, **kwargs):
    same(*basis[0](f, *args, **kwargs), off=off)


@pytest.mark.parametrize('name', BASES)
def test_all_of_numpys_names_are_there(name):
    ours, theirs = getattr(cp.polynomial, name), getattr(np.polynomial, name)
    assert not [n for n in theirs.__all__ if not hasattr(ours, n)]
    kind = BASES[name][1]
    for method in (n for n in vars(np.polynomial._polybase.ABCPolyBase) if not n.startswith('_')):
        assert hasattr(getattr(ours, kind), method), method
    assert getattr(cp.polynomial, kind) is getattr(ours, kind)
    np.testing.assert_array_equal(getattr(ours, BASES[name][0] + 'x'), getattr(theirs, BASES[name][0] + 'x'))


@pytest.mark.parametrize('name', BASES)
def test_parameters_are_numpys(name):
    ours, theirs = getattr(cp.polynomial, name), getattr(np.polynomial, name)
    for f in theirs.__all__:
        if inspect.isfunction(getattr(theirs, f)) and inspect.isfunction(getattr(ours, f)):
            wanted = list(inspect.signature(getattr(theirs, f)).parameters)
            assert [p for p in inspect.signature(getattr(ours, f)).parameters] == wanted, f


@pytest.mark.parametrize('c1, c2', [(A, B), (B, A), (A, A), (COMPLEX, B), ([3.0], A), ([1, 2], [3, 4, 5])])
def test_arithmetic(basis, c1, c2):
    for f in ('*add', '*sub', '*mul', '*div'):
        both(basis, f, c1, c2)
    both(basis, '*mulx', c1)
    both(basis, '*pow', c2, 3)
    both(basis, '*pow', c2, 2.0)


def test_what_no_arithmetic_can_be(basis):
    prefix = basis[1]
    for call, error in [
        (lambda f: f('*div', A, [0.0]), ZeroDivisionError),
        (lambda f: f('*pow', A, -1), ValueError),
        (lambda f: f('*pow', A, 2.5), ValueError),
        (lambda f: f('*companion', [1.0]), ValueError),
        (lambda f: f('*vander', X, -1), ValueError),
        (lambda f: f('*der', A, -1), ValueError),
        (lambda f: f('*int', A, 1, [1, 2]), ValueError),
        (lambda f: f('*fit', X, X, -1), ValueError),
        (lambda f: f('*fit', X, X[1:], 1), TypeError),
    ]:
        with pytest.raises(error):
            call(basis[0])
    if prefix != 'poly':
        with pytest.raises(ValueError):
            basis[0]('*gauss', 0)
        with pytest.raises(ValueError, match='too large'):
            basis[0]('*pow', A, 17)


def test_the_ends_of_arithmetic(basis):
    both(basis, '*sub', A, A)
    both(basis, '*mulx', [0.0])
    both(basis, '*div', A, A)
    both(basis, '*add', [0, 0], [1])
    both(basis, '*trim', [1, 2, 1e-9, 0], 1e-6)
    both(basis, '*line', 3, 4)
    both(basis, '*line', 3.0, 0)
    both(basis, '*fromroots', [])


@pytest.mark.parametrize('c', [A, COMPLEX, [2.0], np.arange(12.0).reshape(4, 3)])
@pytest.mark.parametrize('x', [0.25, X, X.reshape(7, 1)[:6].reshape(2, 3)])
def test_values(basis, c, x):
    both(basis, '*val', x, c)


def test_values_in_several_variables(basis):
    c, more = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(2, 3, 2)
    both(basis, '*val', X[:3], np.arange(6.0).reshape(2, 3), tensor=False)
    both(basis, '*val2d', X, -X, c)
    both(basis, '*val3d', X, -X, X * X, more)
    # NumPy has it from 2.5 on: for two and three variables it equals the older functions.
    prefix, kind = basis[1:]
    ours = getattr(getattr(cp.polynomial, next(n for n, b in BASES.items() if b == (prefix, kind))), f'{prefix}valnd')
    same(ours([device(X), device(-X)], device(c)), basis[0]('*val2d', X, -X, c)[1])
    same(ours((device(X), device(-X), device(X * X)), device(more)), basis[0]('*val3d', X, -X, X * X, more)[1])
    with pytest.raises(ValueError, match='ordinates are incompatible'):
        ours([device(X)] * 3 + [device(X[1:])], device(more[..., None]))
    both(basis, '*grid2d', X, X[:2], c)
    both(basis, '*grid3d', X, X[:2], X[:3], more)
    both(basis, '*vander', X, 5)
    both(basis, '*vander', 0.5, 0)
    both(basis, '*vander2d', X, -X, [2, 3])
    both(basis, '*vander3d', X, -X, X * X, [1, 2, 3])
    with pytest.raises(ValueError, match='incompatible|no points'):
        basis[0]('*val2d', X, X[1:], c)


@pytest.mark.parametrize('c', [A, COMPLEX, [5.0], [0.0], np.arange(12.0).reshape(4, 3)])
def test_calculus(basis, c):
    for m in (0, 1, 2, 9):
        both(basis, '*der', c, m)
    both(basis, '*der', c, 1, 3.0)
    both(basis, '*int', c)
    both(basis, '*int', c, 3, [1, 2], 0.5, 2.0)
    both(basis, '*int', c, 1, 4)
    both(basis, '*int', c, 0)
    if np.ndim(c) == 2:
        both(basis, '*der', c, axis=1)
        both(basis, '*int', c, axis=-1)


@pytest.mark.parametrize('c', [A, B, COMPLEX, [1.0, 2.0], [3.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]])
def test_roots(basis, c):
    found, wanted = basis[0]('*roots', c)
    found = host(found)
    assert found.shape == wanted.shape
    # Complex conjugate eigenvalues may come in either order.
    np.testing.assert_allclose(np.sort_complex(np.round(found, 11)), np.sort_complex(np.round(wanted, 11)), atol=1e-9)
    if len(c) > 1:
        both(basis, '*companion', c)


def test_a_series_of_its_roots(basis):
    both(basis, '*fromroots', [3.0, -1.0, 0.5], off=1e-12)
    both(basis, '*fromroots', np.array([3.0, -1.0, 0.5], 'f'), off=1e-6)
    both(basis, '*fromroots', [1.0 + 1.0j, -2.0, 0.25, 1.0, 1.0], off=1e-12)


@pytest.mark.parametrize('n', [1, 2, 5, 20])
def test_quadratures(basis, n):
    if basis[1] == 'poly':
        return
    both(basis, '*gauss', n, off=1e-10)
    x, w = basis[0]('*gauss', n)[0]
    # Exact for powers below 2 n: those of the basis are orthogonal to the first.
    for k in range(1, min(2 * n, 8)):
        y = basis[0]('*val', host(x), [0] * k + [1])[0]
        assert abs(float((y * w).sum())) < 1e-8 * float((abs(y) * w).sum() + 1)
    both(basis, '*weight', X)


def test_other_powers(basis):
    if basis[1] == 'poly':
        return
    for c in (A, [1.0], [1.0, 2.0]):
        both(basis, '*2poly', c)
        both(basis, 'poly2*', c)


@pytest.mark.parametrize('y', [np.cos(3 * X), np.stack([np.cos(X), X**2], 1)])
def test_fits(basis, y):
    for deg, more in [(3, {}), ([0, 2, 3], {}), (2, {'w': np.arange(1.0, 8.0)}), (0, {})]:
        both(basis, '*fit', X, y, deg, off=1e-10, **more)
    (ours, details), (theirs, wanted) = basis[0]('*fit', X, y, 3, full=True)
    same(ours, theirs, 1e-10)
    assert int(details[1]) == int(wanted[1])
    same(details[3], wanted[3])
    with pytest.warns(np.exceptions.RankWarning):
        basis[0]('*fit', np.ones(5), np.ones(5), 2)


def test_points_of_chebyshev():
    for name in ('chebpts1', 'chebpts2'):
        same(getattr(cp.polynomial.chebyshev, name)(6), getattr(np.polynomial.chebyshev, name)(6))
    same(cp.polynomial.chebyshev.chebinterpolate(cp.exp, 6), np.polynomial.chebyshev.chebinterpolate(np.exp, 6))
    ours = cp.polynomial.Chebyshev.interpolate(cp.exp, 5, [0, 2])
    theirs = np.polynomial.Chebyshev.interpolate(np.exp, 5, [0, 2])
    same(ours.coef, theirs.coef)
    assert str(ours)[:12] == str(theirs)[:12]


@pytest.mark.parametrize('kind', [kind for _, kind in BASES.values()])
def test_objects(kind):
    ours, theirs = getattr(cp.polynomial, kind), getattr(np.polynomial, kind)
    how = dict(domain=[0, 4], window=[-1, 2], symbol='t')
    p, q, r, s = (k(c, **how) for k in (ours, theirs) for c in (A, B))

    def alike(one, other, off=1e-12):
        assert type(one).__name__ == type(other).__name__
        same(one.coef, other.coef, off)
        np.testing.assert_array_equal(one.domain, other.domain)
        np.testing.assert_array_equal(one.window, other.window)
        assert one.symbol == other.symbol and len(one) == len(other) and one.degree() == other.degree()

    def xy(a):
        return [device(v) if a is p else v for v in (X, np.sin(X))]

    for of in (
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: -a,
        lambda a, b: +a,
        lambda a, b: a + 2,
        lambda a, b: 2 - a,
        lambda a, b: [1, 2] * a,
        lambda a, b: a / 4,
        lambda a, b: b**3,
        lambda a, b: a.deriv(),
        lambda a, b: a.integ(2, [1], 0.5),
        lambda a, b: a.truncate(2),
        lambda a, b: a.cutdeg(3),
        lambda a, b: a.copy(),
        lambda a, b: a(b),
        lambda a, b: a.convert(domain=[-1, 1]),
        lambda a, b: (a - a + 1e-9).trim(1e-6),
        lambda a, b: type(a).basis(3),
        lambda a, b: type(a).identity([0, 2]),
        lambda a, b: type(a).fromroots([1.0, 2.0, 3.0]),
        lambda a, b: type(a).fromroots([1.0, 3.0], None),
        lambda a, b: type(a).fit(*xy(a), 3),
        lambda a, b: type(a).fit(*xy(a), 3, []),
        lambda a, b: divmod(a, b)[1],
        lambda a, b: 5 % b,
    ):
        alike(of(p, q), of(r, s))
    same(p(cp.asarray(X)), r(X))
    same(p(X), r(X))
    same(p(1), r(1))
    same(p.linspace(5), r.linspace(5), 1e-12)
    np.testing.assert_allclose(np.sort_complex(p.roots().get()), np.sort_complex(r.roots()), atol=1e-9)
    assert p.mapparms() == r.mapparms()
    assert p == ours(A, **how) and p != q and not p == r and p != 3
    assert list(p)[1] == A[1] and str(p) == str(r) and repr(p) == repr(r) and f'{p:unicode}' == f'{r:unicode}'
    assert pickle.loads(pickle.dumps(p)) == p
    alike(p, p.get())
    other = cp.polynomial.Polynomial if kind != 'Polynomial' else cp.polynomial.Chebyshev
    alike(p.convert(kind=other), r.convert(kind=getattr(np.polynomial, other.__name__)), 1e-10)
    alike(ours.cast(other([1, 2, 3])), theirs.cast(getattr(np.polynomial, other.__name__)([1, 2, 3])), 1e-10)
    for wrong, error in [
        (lambda: p + other(A), TypeError),
        (lambda: p + ours(A), TypeError),
        (lambda: p / q, TypeError),
        (lambda: p + ours(A, [0, 4], [-1, 2]), ValueError),
        (lambda: p**-1, ValueError),
        (lambda: p**101, ValueError),
        (lambda: ours(A, [1, 2, 3]), ValueError),
        (lambda: p.truncate(0), ValueError),
        (lambda: ours(A, symbol='a b'), ValueError),
        (lambda: p + 'word', TypeError),
        (lambda: 1 / p, TypeError),
    ]:
        with pytest.raises(error):
            wrong()


def test_single_precision_stays():
    c = cp.array([1, 2, 3], dtype=np.float32)
    for module, (prefix, kind) in BASES.items():
        functions = getattr(cp.polynomial, module)
        for f in ('mulx', 'der', 'int', 'companion'):
            found = getattr(functions, prefix + f)(c)
            wanted = getattr(getattr(np.polynomial, module), prefix + f)(c.get())
            assert found.dtype == wanted.dtype, (prefix, f)
        one, of_numpy = getattr(cp.polynomial, kind)(c), getattr(np.polynomial, kind)(c.get())
        assert one.coef.dtype == np.float32
        for f in ('deriv', 'integ'):
            assert getattr(one, f)().coef.dtype == getattr(of_numpy, f)().coef.dtype, (kind, f)


def test_print_style_is_that_of_numpy():
    try:
        cp.polynomial.set_default_printstyle("ascii")
        assert str(cp.polynomial.Polynomial([1, 2])) == "1.0 + 2.0 x"
    finally:
        cp.polynomial.set_default_printstyle("unicode")
