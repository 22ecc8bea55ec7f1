"""Values of `cupyx.scipy.special` compared with SciPy's: moderate operands, and special values at the ends of domains."""

import warnings

import numpy as np
import pytest
import scipy.special

import cuprum as cp
import cuprum.cupyx.scipy.special as special


@pytest.fixture(autouse=True)
def seeded():
    """Starts each test with the same numbers, whichever others run."""
    global rng
    rng = np.random.default_rng(8)


nan, inf = np.nan, np.inf
ENDS = np.array([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 1.5, -1.5, 20.0, -20.0, 100.5, 1e-10])
FEW = np.array([nan, inf, -inf, 0.0, 1.0, -1.0, 2.0, 3.0, 0.5, 2.5, 0.9])
ONE = 'k0 k1 k0e k1e i0e i1e exp1 expi zetac cosm1 exprel log_ndtr ndtri ellipk ellipkm1 rgamma loggamma gammasgn'.split()
TWO = 'chdtr chdtrc chdtri pdtr pdtrc pdtri boxcox boxcox1p inv_boxcox inv_boxcox1p beta betaln binom ellipkinc ellipeinc expn'.split()
THREE = 'betainc betaincinv bdtr bdtrc bdtri nbdtr nbdtrc nbdtri fdtr fdtrc fdtri gdtr gdtrc wright_bessel'.split()


def differing(name, *x, rtol=1e-9, signs=True):
    """Returns the operands at which the results differ, with both of them."""
    # SciPy warns where it truncates counts.
    with np.errstate(all='ignore'), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        want = getattr(scipy.special, name)(*x)
    got = getattr(special, name)(*map(cp.asarray, x))
    pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
    found = []
    for got, want in pairs:
        got = got.get()
        assert got.dtype == want.dtype, (name, got.dtype, want.dtype)
        with np.errstate(all='ignore'):
            same = (got == want) | (np.isnan(got) & np.isnan(want)) | (abs(got - want) <= rtol * abs(want))
        if signs and not np.iscomplexobj(want):
            same &= (got != 0) | (want != 0) | (np.signbit(got) == np.signbit(want))
        at = np.flatnonzero(~same.ravel())
        found += [(*(v.ravel()[i] for v in np.broadcast_arrays(*x)), got.ravel()[i], want.ravel()[i]) for i in at]
    return found


def test_functions_of_one_operand():
    moderate = np.concatenate([rng.random(40), 30 * rng.random(40), -8 * rng.random(30), ENDS])
    for name in ONE:
        # SciPy rounds the zeta function minus 1 to 0 from 127 on.
        x = moderate[~(moderate > 120)] if name == 'zetac' else moderate
        assert differing(name, x) == [], name


KNOWN = {
    # No degrees of freedom, where SciPy has 0 and `gammainccinv` NaN.
    'chdtri': lambda x, y: x == 0,
    # Infinite counts.
    'binom': lambda x, y: ~np.isfinite(abs(x) + abs(y)),
}


def test_functions_of_two_operands():
    x, y = (v.ravel() for v in np.meshgrid(ENDS, ENDS))
    moderate = np.concatenate([10 * rng.random(40), rng.random(40)]), np.concatenate([20 * rng.random(40), rng.random(40)])
    for name in TWO:
        counts = name in ('pdtri', 'expn')
        first = np.floor(moderate[0]) if counts else moderate[0]
        assert differing(name, first, moderate[1]) == [], name
        keep = ~KNOWN[name](x, y) if name in KNOWN else np.ones(len(x), bool)
        assert differing(name, x[keep], y[keep], signs=name not in ('beta', 'binom', 'ellipkinc', 'ellipeinc')) == [], name


def test_functions_of_three_operands():
    x, y, z = (v.ravel() for v in np.meshgrid(FEW, FEW, FEW))
    a, b, c = 12 * rng.random(60), 12 * rng.random(60), rng.random(60)
    for name in THREE:
        discrete = 'bdtr' in name
        # Of k successes in n trials, k is at most n.
        counts = (np.floor(a), np.floor(a + b) + 1) if discrete else (a, b)
        assert differing(name, *counts, c) == [], name
        assert differing(name, x, y, z) == [], name


def test_tails_keep_their_digits():
    """Closed forms: the distributions of one degree of freedom, one success and one event."""
    p = np.array([1e-300, 1e-100, 1e-20, 1e-5, 0.3])
    d = cp.asarray(p)
    np.testing.assert_allclose(special.betainc(1.0, 3.0, d).get(), -np.expm1(3 * np.log1p(-p)), rtol=1e-15)
    np.testing.assert_allclose(special.betaincinv(1.0, 2.0, d).get(), -np.expm1(np.log1p(-p) / 2), rtol=1e-15)
    np.testing.assert_allclose(special.bdtrc(0.0, 2.0, d).get(), p * (2 - p), rtol=1e-15)
    np.testing.assert_allclose(special.fdtrc(2.0, 2.0, 1 / d).get(), p / (1 + p), rtol=1e-15)
    np.testing.assert_allclose(special.pdtrc(0, d).get(), -np.expm1(-p), rtol=2e-15)
    np.testing.assert_allclose(special.chdtri(2.0, d).get(), -2 * np.log(p), rtol=1e-15)
    np.testing.assert_allclose(special.inv_boxcox1p(d, 2.0).get(), np.expm1(np.log1p(2 * p) / 2), rtol=1e-15)


def test_published_values():
    """Abramowitz & Stegun: tables 5.1, 9.8, 17.1, 23.3, and the omega constant."""
    table = {
        'exp1': (1.0, 0.219383934395520),
        'expi': (1.0, 1.895117816355937),
        'k0e': (1.0, 1.1444630797),
        'k1e': (1.0, 1.6361534863),
        'i0e': (1.0, 0.4657596077),
        'i1e': (1.0, 0.2079104154),
        'ellipk': (0.5, 1.854074677301372),
        'zetac': (2.0, 0.644934066848226),
    }
    for name, (x, y) in table.items():
        assert abs(float(getattr(special, name)(x)) - y) < 2e-10, name
    assert abs(complex(special.lambertw(1.0)) - 0.567143290409783873) < 1e-15


def test_float32_results_are_rounded_once():
    x = (10 * rng.random((3, 60))).astype('f')
    x[2] /= 10
    for name, n in [('k1', 1), ('expi', 1), ('exprel', 1), ('cosm1', 1), ('ellipkinc', 2), ('beta', 2), ('betainc', 3), ('sici', 1)]:
        operands = [x[2], x[2]] if name == 'ellipkinc' else list(x[:n]) if n < 3 else list(x)
        want = getattr(scipy.special, name)(*(v.astype('d') for v in operands))
        got = getattr(special, name)(*map(cp.asarray, operands))
        for got, want in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
            got = got.get()
            assert got.dtype == 'f'
            # The functions of a formula are computed in float32.
            units = 3 if name in ('exprel', 'cosm1') else 0.51
            assert (abs(got - want) <= units * np.spacing(abs(want).astype('f'))).all(), name


def test_dtypes():
    for dtype, result in zip('bHeid', 'fffdd'):
        for name in ('k0', 'exp1', 'ndtri', 'rgamma'):
            assert getattr(special, name)(cp.ones(0, dtype)).dtype == result, (name, dtype)
        assert special.beta(cp.ones(0, dtype), cp.ones(0, dtype)).dtype == result
    for name in ('log_ndtr', 'rgamma', 'loggamma', 'exp1', 'expi'):
        assert getattr(special, name)(cp.ones(0, 'F')).dtype == 'F'
    with pytest.raises(TypeError):
        special.k0(cp.ones(1, 'D'))


def test_complex_operands():
    z = np.concatenate([rng.normal(size=(40, 2)) * 3, rng.normal(size=(20, 2)) * 20]) @ [1, 1j]
    axis = np.array([complex(a, b) for a in (0.5, -0.5, 2.0, -2.5, 30.0, -30.0) for b in (0.0, -0.0)])
    for name in ('rgamma', 'loggamma', 'exp1', 'expi', 'sici', 'shichi'):
        assert differing(name, np.concatenate([z, axis])) == [], name
    # SciPy's is the logarithm of a number next to 1 on the right.
    z = z[z.real < 3]
    np.testing.assert_allclose(special.log_ndtr(cp.asarray(z)).get(), scipy.special.log_ndtr(z), rtol=1e-9, atol=1e-13)


def test_lambertw_branches():
    z = np.concatenate([rng.normal(size=(40, 2)) @ [1, 1j], [0, 1, -0.36, -0.2, -3, inf, nan, 1e-20, 1e300]])
    for k in (0, 1, -1, 3):
        got, want = special.lambertw(cp.asarray(z), k).get(), scipy.special.lambertw(z, k)
        assert got.dtype == want.dtype == 'D'
        np.testing.assert_allclose(got, want, rtol=1e-7)
    assert special.lambertw(cp.ones(0, 'f')).dtype == 'D'


def test_integrals_of_real_operands_and_jacobi():
    x = np.concatenate([20 * rng.normal(size=60), ENDS])
    for name in ('sici', 'shichi'):
        assert differing(name, x) == [], name
    u, m = 6 * rng.normal(size=80), rng.random(80)
    for got, want in zip(special.ellipj(cp.asarray(u), cp.asarray(m)), scipy.special.ellipj(u, m)):
        np.testing.assert_allclose(got.get(), want, rtol=1e-9, atol=1e-12)
    # tanh, sech and the Gudermannian function, whose form by the arcsine loses digits near pi / 2.
    sn, cn, dn, ph = (v.get() for v in special.ellipj(cp.asarray(u), 1.0))
    np.testing.assert_allclose(cn, 1 / np.cosh(u), rtol=1e-14)
    np.testing.assert_allclose(ph, 2 * np.arctan(np.tanh(u / 2)), rtol=1e-14)
    assert np.isnan(special.ellipj(1.0, 1.5)[0].get())


def test_spherical_functions():
    n, x = np.arange(12)[:, None], np.array([0.4, 2.0, 7.5, 40.0, -3.0, 0.0, inf, nan])
    for derivative in (False, True):
        got = special.spherical_yn(cp.asarray(n), cp.asarray(x), derivative).get()
        want = scipy.special.spherical_yn(n, x, derivative)
        keep = np.broadcast_to(x != 0, want.shape)
        np.testing.assert_allclose(got[keep], want[keep], rtol=1e-10)
    with pytest.raises(TypeError):
        special.spherical_yn(cp.ones(1), cp.ones(1))


def test_multigammaln():
    a = 3 + rng.random((4, 5))
    for d in (1, 2, 5):
        np.testing.assert_allclose(special.multigammaln(cp.asarray(a), d).get(), scipy.special.multigammaln(a, d), rtol=1e-13)
    with pytest.raises(ValueError, match='multigammaln'):
        special.multigammaln(cp.asarray(a), 9)
    with pytest.raises(ValueError):
        special.multigammaln(cp.asarray(a), 0)


def test_softmax_and_its_logarithm():
    for dtype in 'fd':
        a = (9 * rng.normal(size=(3, 5, 7))).astype(dtype)
        a[0, 0, 0], a[1, 1] = -inf, 1e30
        for axis in (None, 0, -1, (0, 2)):
            for name in ('softmax', 'log_softmax'):
                got, want = getattr(special, name)(cp.asarray(a), axis), getattr(scipy.special, name)(a, axis)
                assert got.dtype == want.dtype == dtype and got.shape == want.shape
                np.testing.assert_allclose(got.get(), want, rtol=1e-5 if dtype == 'f' else 1e-13, atol=1e-6 if dtype == 'f' else 1e-14)
    assert float(special.softmax(cp.array([3.0]))[0]) == 1


def test_logsumexp():
    a, b = 9 * rng.normal(size=(3, 5, 7)), rng.normal(size=(5, 1))
    b[2] = 0
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            for factors in (None, b, abs(b)):
                for sign in (False, True):
                    with np.errstate(all='ignore'):
                        want = scipy.special.logsumexp(a, axis, factors, keepdims, sign)
                    of = None if factors is None else cp.asarray(factors)
                    got = special.logsumexp(cp.asarray(a), axis, of, keepdims, sign)
                    assert isinstance(got, tuple) == sign
                    for got, want in zip(got, want) if sign else [(got, want)]:
                        assert got.shape == np.shape(want)
                        np.testing.assert_allclose(got.get(), want, rtol=1e-11, atol=1e-12)
    ends = np.array([[inf, 0], [inf, inf], [-inf, -inf], [inf, -inf], [nan, 1], [0, -800], [0, -50.0]])
    np.testing.assert_array_equal(special.logsumexp(cp.asarray(ends), 1).get(), scipy.special.logsumexp(ends, 1))
    z = a[0] + 1j * a[1]
    np.testing.assert_allclose(special.logsumexp(cp.asarray(z)).get(), scipy.special.logsumexp(z), rtol=1e-12)
    assert special.logsumexp(cp.arange(3)).dtype == 'd' and special.logsumexp(cp.ones(3, 'f')).dtype == 'f'


def test_beta_distribution_by_its_older_names():
    a, b, x = rng.random((3, 9)) * [[5], [5], [1]]
    out = cp.empty(9)
    assert special.btdtr(cp.asarray(a), cp.asarray(b), cp.asarray(x), out) is out
    np.testing.assert_allclose(out.get(), scipy.special.betainc(a, b, x), rtol=1e-12)
    np.testing.assert_allclose(special.btdtri(a, b, cp.asarray(x)).get(), scipy.special.betaincinv(a, b, x), rtol=1e-12)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_the_zeta_function_of_one_operand_is_that_of_riemann(dtype):
    x = np.array([-3.5, -1.0, 0.0, 0.5, 1.5, 2.0, 40.0]).astype(dtype)
    found, expected = special.zeta(cp.asarray(x)), scipy.special.zeta(x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5 if dtype == 'float32' else 1e-12)
    np.testing.assert_allclose(special.zeta(cp.asarray(x[-3:]), q=1.5).get(), scipy.special.zeta(x[-3:], q=1.5), rtol=1e-5)


def test_integers_are_rounded_to_floats():
    for x in (np.array([1, 2]), np.array([0.5, 1.5, -2.5]), np.array([2.5], 'float32')):
        found, expected = special.round(cp.asarray(x)), scipy.special.round(x)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.get(), expected)
    out = cp.empty(2)
    assert special.round(cp.asarray([0.5, 1.5]), out) is out and out.get().tolist() == [0, 2]


def test_exponentials_of_nothing_have_the_logarithm_of_zero():
    for shape, axis in (((0,), None), ((0, 3), 0), ((2, 0), -1), ((3, 0), 0)):
        found, expected = special.logsumexp(cp.zeros(shape), axis=axis), scipy.special.logsumexp(np.zeros(shape), axis=axis)
        assert found.shape == np.shape(expected)
        np.testing.assert_array_equal(found.get(), expected)
    with pytest.raises(ValueError):
        special.softmax(cp.zeros(0))
