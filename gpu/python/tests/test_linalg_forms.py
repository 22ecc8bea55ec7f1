"""Tests of linear algebra against NumPy and SciPy: einsum without rows, batches of vectors, matrices with NaN,
Cholesky factors."""

import numpy as np
import pytest
import scipy.linalg

import cuprum as cp
from cuprum import cupyx
from same import same

EINSUM = {
    'without rows': lambda xp: xp.einsum('ij,jk->ik', xp.zeros((0, 2)), xp.zeros((2, 3))),
    'without sums': lambda xp: xp.einsum('ij,jk->ik', xp.zeros((2, 0)), xp.zeros((0, 0))),
    'without columns': lambda xp: xp.einsum('ij,jk->ik', xp.zeros((2, 0)), xp.zeros((0, 3))),
    'broadcast': lambda xp: xp.einsum('...ab,abc->...c', xp.zeros((1, 0, 2)), xp.zeros((0, 2, 0))),
    'of three': lambda xp: xp.einsum('jk,lik,kml->mi', xp.ones((3, 2)), xp.ones((3, 2, 2)), xp.ones((2, 0, 3))),
    'of one with none': lambda xp: xp.einsum('ij,ij->j', xp.ones((1, 3)), xp.ones((0, 3))),
    'a view of another dtype': lambda xp: xp.einsum('ij->ji', xp.ones((2, 3), 'b'), dtype='d'),
    'a view that is not cast': lambda xp: xp.einsum('ij', xp.ones((2, 3), int), dtype='h'),
    'a diagonal': lambda xp: xp.einsum('ii->i', xp.ones((2, 2), 'b'), dtype='d'),
    'a sum': lambda xp: xp.einsum('ij->i', xp.ones((2, 3), 'b'), dtype='d'),
    'a sum that is not cast': lambda xp: xp.einsum('ij->i', xp.ones((2, 3), int), dtype='h'),
    'an integer': lambda xp: xp.einsum('->', 2, dtype='h'),
    'a float': lambda xp: xp.einsum('', 2.0, dtype='f'),
    'order': lambda xp: xp.einsum('ij->ji', xp.ones((2, 3)), order='C').strides,
}


@pytest.mark.parametrize('name', EINSUM)
def test_einsum_as_in_numpy(name):
    same(EINSUM[name])


def test_views_name_their_base():
    a, x = cp.ones((2, 3)), cp.arange(3)
    assert cp.einsum('ij->ji', a).base is a
    assert cp.broadcast_arrays(x, a)[0].base is x and cp.broadcast_arrays(x, a)[1] is a
    assert cp.broadcast_arrays(a, a)[0] is a
    assert cp.meshgrid(x, x, copy=False)[0].base is x
    assert cp.ix_(x)[0].base is x


NAN = [[[np.nan, 1], [1, 2.0]], [[1, 0], [np.nan, 2.0]], [[1, 0], [0, np.nan]]]


@pytest.mark.parametrize('n', [2, 70])
def test_matrices_with_nan_have_results_of_nan(n):
    with cupyx.errstate(linalg='raise'):
        for corner in NAN:
            a = np.eye(n)
            a[:2, :2] = corner
            w, v = cp.linalg.eigh(cp.asarray(a))
            assert np.isnan(w.get()).all() and np.isnan(v.get()).all()
            assert np.isnan(cp.linalg.eigvalsh(cp.asarray(a)).get()).all()
            factor = cp.linalg.cholesky(cp.asarray(a)).get()
            assert np.isnan(np.diag(factor)).all() and (np.triu(factor, 1) == 0).all()
        # The triangle that is not read is ignored, and other matrices of a batch are unaffected.
        a = np.array([[[1, np.nan], [0, 4.0]], NAN[0]])
        assert cp.linalg.cholesky(cp.asarray(a))[0].tolist() == [[1, 0], [0, 2]]
        assert cp.linalg.eigvalsh(cp.asarray(a))[0].tolist() == [1, 4]
        with pytest.raises(np.linalg.LinAlgError):
            cp.linalg.cholesky(cp.asarray([[1.0, 2.0], [2.0, 1.0]]))


def test_batches_of_vectors_as_right_sides():
    rng = np.random.default_rng(1)
    for batch in (3, 5):
        a = np.tril(rng.random((batch, 3, 3))) + np.eye(3)
        b = rng.random((batch, 3))
        expected = np.stack([scipy.linalg.solve_triangular(m, v, lower=True) for m, v in zip(a, b)])
        found = cp.scipy.linalg.solve_triangular(cp.asarray(a), cp.asarray(b), lower=True)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
        found = cp.scipy.linalg.lu_solve(cp.scipy.linalg.lu_factor(cp.asarray(a)), cp.asarray(b))
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
    one = cp.scipy.linalg.solve_triangular(cp.asarray(a), cp.ones((3, 2)), lower=True)
    assert one.shape == (5, 3, 2)


@pytest.mark.parametrize('order', 'CF')
@pytest.mark.parametrize('dtype', 'fdFD')
def test_solutions_by_a_factor(dtype, order):
    rng = np.random.default_rng(2)
    a = rng.random((3, 4, 4)) + (1j * rng.random((3, 4, 4)) if dtype in 'FD' else 0)
    a = (a @ np.conj(a.swapaxes(1, 2)) + 4 * np.eye(4)).astype(dtype)
    eps = 1e-4 if dtype in 'fF' else 1e-12
    for lower in (True, False):
        factor = np.linalg.cholesky(a)
        c = np.where(np.tri(4, dtype=bool), factor, np.nan)
        c = cp.asarray(c if lower else np.conj(c.swapaxes(1, 2)), dtype=dtype, order=order)
        for shape in ((3, 4), (3, 4, 2)):
            b = rng.random(shape).astype(dtype)
            columns = b[..., None] if len(shape) == 2 else b
            given = cp.asarray(b, order=order)
            x = cupyx.linalg.cho_solve((c, lower), given)
            assert x.dtype == dtype and x.shape == shape and (given.get() == b).all()
            np.testing.assert_allclose(x.get().reshape(columns.shape), np.linalg.solve(a, columns), rtol=eps, atol=eps)
            assert cupyx.linalg.cho_solve((c, lower), given, overwrite_b=True) is given and (given.get() == x.get()).all()
    inverse = cupyx.linalg.invh(cp.asarray(a, order=order))
    np.testing.assert_allclose(inverse.get(), np.linalg.inv(a), rtol=eps, atol=eps)


@pytest.mark.parametrize('batch', [(2,), (3,), (2, 1), ()])
def test_one_vector_for_a_batch_of_cholesky_factors(batch):
    a = 4 * np.eye(2) + np.arange(np.prod(batch, dtype=int)).reshape(*batch, 1, 1)
    for lower in (True, False):
        found = cupyx.scipy.linalg.cho_solve(cupyx.scipy.linalg.cho_factor(cp.asarray(a), lower=lower), cp.asarray([1.0, 2.0]))
        expected = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=lower), np.asarray([1.0, 2.0]))
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12, strict=True)


def test_what_has_no_factor():
    with cupyx.errstate(linalg='raise'), pytest.raises(np.linalg.LinAlgError):
        cupyx.linalg.invh(cp.asarray([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError):
        cupyx.linalg.cho_solve((cp.eye(3), True), cp.ones(4))


def test_products_of_reversed_batches():
    rng = np.random.default_rng(3)
    x, y = rng.random((5, 3, 2)), rng.random((5, 2, 4))
    a, b = cp.asarray(x), cp.asarray(y)
    out = cp.zeros((5, 3, 4))
    for one, two, into in (('', '', '-'), ('-', '', ''), ('', '-', '-'), ('-', '-', '-')):

        def turn(m, how):
            return m[::-1] if how else m

        cp.matmul(turn(a, one), turn(b, two), out=turn(out, into))
        np.testing.assert_allclose(turn(out, into).get(), turn(x, one) @ turn(y, two), rtol=1e-13)


@pytest.mark.parametrize('dtypes', ['fF', 'hf', 'fd', 'il', 'FD', '?b', 'b?', 'ld', 'Bb'])
def test_products_in_place_are_cast_as_in_numpy(dtypes):
    def product(xp):
        a = xp.ones((2, 2), dtypes[0])
        a @= xp.ones((2, 2), dtypes[1])
        return a

    same(product)


def test_special_functions_of_narrow_dtypes_are_of_float32():
    special = cp.scipy.special
    names = 'cosdg cotdg digamma erf erfc erfcx expit gamma gammaln i0 i1 j0 j1 y0 y1 log_expit ndtr sindg tandg cbrt expm1 log1p exp2'
    for name in names.split():
        for dtype, result in zip('bHeid', 'fffdd'):
            assert getattr(special, name)(cp.ones(0, dtype)).dtype == result, (name, dtype)
    for name in ('gammainc', 'gammaincc', 'gammaincinv', 'gammainccinv', 'xlogy', 'xlog1py'):
        assert getattr(special, name)(cp.ones(0, 'b'), cp.ones(0, 'e')).dtype == 'f', name


@pytest.mark.parametrize('name', ['kl_div', 'rel_entr'])
def test_entropies_of_float32_are_rounded_once(name):
    import scipy.special

    x, y = (np.random.default_rng(4).random((2, 500)) * 5).astype('f')
    expected = getattr(scipy.special, name)(x.astype('d'), y.astype('d'))
    found = getattr(cp.scipy.special, name)(cp.asarray(x), cp.asarray(y)).get()
    assert (np.abs(found - expected) <= 0.51 * np.spacing(np.abs(expected).astype('f'))).all()


NOT_FINITE = [np.nan, np.inf, -np.inf]
OF_MATRICES = {
    'inv': lambda xp, a: xp.linalg.inv(a),
    'solve': lambda xp, a: xp.linalg.solve(a, xp.ones((3, 2))),
    'det': lambda xp, a: xp.linalg.det(a),
    'slogdet': lambda xp, a: xp.linalg.slogdet(a),
    'qr': lambda xp, a: xp.linalg.qr(a),
    'eig': lambda xp, a: xp.linalg.eig(a),
    'eigvals': lambda xp, a: xp.linalg.eigvals(a),
    'svd': lambda xp, a: xp.linalg.svd(a),
    'pinv': lambda xp, a: xp.linalg.pinv(a),
    'matrix_rank': lambda xp, a: xp.linalg.matrix_rank(a),
    'cond': lambda xp, a: xp.linalg.cond(a),
}


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('number', NOT_FINITE)
@pytest.mark.parametrize('name', OF_MATRICES)
def test_matrices_that_are_not_finite_are_errors_where_numpy_has_errors(name, number):
    function, a = OF_MATRICES[name], np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])
    a[1, 1] = number
    for host in (a, np.stack([np.eye(3), a])):
        try:
            expected = function(np, host)
        except np.linalg.LinAlgError:
            with pytest.raises(np.linalg.LinAlgError), cupyx.errstate(linalg='raise'):
                function(cp, cp.asarray(host))
            continue
        with cupyx.errstate(linalg='raise'):
            result = function(cp, cp.asarray(host))
        # Other matrices of the batch are unaffected. Factors may differ in signs.
        if host.ndim == 3:
            results, expected = (list(r) if isinstance(r, tuple) else [r] for r in (result, expected))
            for got, one in zip(results, expected, strict=True):
                np.testing.assert_allclose(np.abs(got.get()[0]), np.abs(one[0]), atol=1e-14)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('dtype', ['f', 'd'])
def test_determinants_of_matrices_that_are_not_finite(dtype):
    for number in NOT_FINITE:
        for at in ((0, 0), (1, 1), (2, 2)):
            a = np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]], dtype)
            a[at] = number
            np.testing.assert_array_equal(cp.linalg.det(cp.asarray(a)).get(), np.linalg.det(a))
            (sign, log), expected = cp.linalg.slogdet(cp.asarray(a)), np.linalg.slogdet(a)
            np.testing.assert_array_equal(log.get(), expected.logabsdet)
            # The sign of a NaN determinant depends on the rows that LAPACK exchanges.
            assert abs(float(sign)) == 1 and (np.isnan(number) or float(sign) == expected.sign)


@pytest.mark.parametrize('dtype', ['f', 'd', 'F', 'D'])
@pytest.mark.parametrize('n', [1, 3, 40])
def test_nan_of_a_matrix_reaches_the_results(dtype, n):
    for at in {(0, 0), (n - 1, n - 1), (0, n - 1), (n - 1, 0)}:
        a = np.eye(n, dtype=dtype) * n + 1
        a[at] = np.nan
        for matrices in (a, a[np.newaxis], np.stack([a, np.eye(n, dtype=dtype)])):
            x, b = cp.asarray(matrices), cp.ones((*matrices.shape[:-1], 2), dtype)
            results = [cp.linalg.det(x), cp.linalg.slogdet(x)[1], cp.linalg.inv(x), cp.linalg.solve(x, b)]
            for result in results:
                # The other matrix of a batch is unaffected.
                first, *others = result.get() if matrices.ndim == 3 else [result.get()]
                assert np.isnan(first).any()
                assert all(np.isfinite(other).all() for other in others)


@pytest.mark.parametrize('dtype', ['bool', 'int8', 'uint8', 'int16', 'uint16', 'float16', 'int32', 'float32'])
def test_factors_of_narrow_dtypes_are_those_of_scipy(dtype):
    a, b = np.array([[4, 1, 0], [1, 5, 2], [0, 2, 6]]).astype(dtype), np.array([1, 2, 3]).astype(dtype)
    if dtype == 'bool':
        a = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]]).astype(dtype)
    ours, theirs = cupyx.scipy.linalg, scipy.linalg
    calls = [
        lambda m, a, b: m.lu(a)[2],
        lambda m, a, b: m.lu_factor(a)[0],
        lambda m, a, b: m.lu_solve(m.lu_factor(a), b),
        lambda m, a, b: m.solve_triangular(a, b),
    ]
    if dtype != 'bool':
        calls += [lambda m, a, b: m.cho_solve(m.cho_factor(a), b)]
    for call in calls:
        found, expected = call(ours, cp.asarray(a), cp.asarray(b)), call(theirs, a, b)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-6)
