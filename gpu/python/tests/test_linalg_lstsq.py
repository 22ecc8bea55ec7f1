"""Least squares beside SciPy's: shapes, ranks, several right sides, and the drivers that do without singular values."""

import numpy as np
import pytest
import scipy.linalg

import cuprum as cp
from cuprum.scipy import linalg

DTYPES = ['float32', 'float64', 'complex64', 'complex128']
SHAPES = [(1, 1), (5, 5), (9, 4), (4, 9), (66, 66), (90, 3), (3, 90)]


def numbers(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    a = generator.normal(size=shape)
    return (a + 1j * generator.normal(size=shape) if 'complex' in dtype else a).astype(dtype)


def with_values(shape, dtype, values):
    """A matrix with these singular values."""
    m, n = shape
    short = min(shape)
    u, v = (np.linalg.qr(numbers((side, short), 'complex128' if 'complex' in dtype else 'float64', side))[0] for side in (m, n))
    return ((u * values) @ v.conj().T).astype(dtype)


def compare(a, b, got, want, condition):
    x, rest, rank, s = got
    eps = np.finfo(a.dtype).eps
    bound = 100 * max(a.shape) * eps * condition
    assert x.dtype == want[0].dtype and x.shape == want[0].shape
    assert int(rank) == want[2]
    assert np.abs(x.get() - want[0]).max(initial=0) <= bound * np.abs(want[0]).max(initial=1)
    if want[2] < min(a.shape):
        # SciPy 1.18 returns an element for each right side.
        assert rest.shape == (0,)
    else:
        assert rest.shape == want[1].shape
        np.testing.assert_allclose(rest.get(), want[1], rtol=1e4 * eps * condition, atol=1e4 * eps)
    if want[3] is None:
        assert s is None
    else:
        np.testing.assert_allclose(s.get(), want[3], rtol=0, atol=1e2 * eps * want[3].max())


@pytest.mark.parametrize('driver', [None, 'gelsd', 'gelss', 'gelsy'])
@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', SHAPES)
def test_full_rank(shape, dtype, driver):
    a = with_values(shape, dtype, np.linspace(1, 2, min(shape)))
    for columns in ((), (1,), (3,)):
        b = numbers(shape[:1] + columns, dtype, 5)
        got = linalg.lstsq(cp.asarray(a), cp.asarray(b), lapack_driver=driver)
        compare(a, b, got, scipy.linalg.lstsq(a, b, lapack_driver=driver), 2)


@pytest.mark.parametrize('driver', ['gelsd', 'gelsy'])
@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', [(9, 6), (6, 9), (72, 66), (66, 72)])
def test_a_rank_that_is_not_full(shape, dtype, driver):
    short = min(shape)
    values = np.where(np.arange(short) < short // 2, np.linspace(1, 2, short), 0)
    a, b = with_values(shape, dtype, values), numbers((shape[0], 2), dtype, 6)
    got = linalg.lstsq(cp.asarray(a), cp.asarray(b), cond=1e-3, lapack_driver=driver)
    compare(a, b, got, scipy.linalg.lstsq(a, b, cond=1e-3, lapack_driver=driver), 2)
    assert int(got[2]) == short // 2


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', [(9, 6), (72, 66), (6, 9)])
def test_the_share_of_small_singular_values(shape, dtype):
    short = min(shape)
    a, b = with_values(shape, dtype, np.geomspace(1, 1e-3, short)), numbers(shape[:1], dtype, 7)
    for cond in (None, 1e-4, 0.05, 0.5):
        for driver in ('gelsd', 'gelsy'):
            got = linalg.lstsq(cp.asarray(a), cp.asarray(b), cond=cond, lapack_driver=driver)
            want = scipy.linalg.lstsq(a, b, cond=cond)
            assert int(got[2]) == want[2]
            bound = 100 * short * np.finfo(dtype).eps * 1e3
            assert np.abs(got[0].get() - want[0]).max() <= bound * np.abs(want[0]).max()
    x, rest, rank, s = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond=0.05)
    compare(a, b, (x, rest, rank, s), np.linalg.lstsq(a, b, rcond=0.05), 20)


@pytest.mark.parametrize('dtype', DTYPES)
def test_ill_conditioned_matrices(dtype):
    """The residual is that of a backward stable algorithm, whichever the driver takes."""
    eps = np.finfo(dtype).eps
    for last in (1e-2, 1e-5, 1e-6, 1e-7):
        a = with_values((90, 70), dtype, np.geomspace(1, last, 70))
        b = a @ numbers((70,), dtype, 8)
        for driver in ('gelsd', 'gelsy'):
            x, _, rank, _ = linalg.lstsq(cp.asarray(a), cp.asarray(b), cond=eps / 10, lapack_driver=driver)
            x = x.get().astype('complex128')
            assert np.linalg.norm(a @ x - b) <= 1e3 * eps * (np.linalg.norm(x) + np.linalg.norm(b))


def test_singular_matrices_of_zeros():
    for shape in ((4, 3), (3, 4), (80, 70)):
        a, b = np.zeros(shape, 'float32'), np.ones(shape[0], 'float32')
        for driver in ('gelsd', 'gelsy'):
            x, _, rank, _ = linalg.lstsq(cp.asarray(a), cp.asarray(b), lapack_driver=driver)
            assert int(rank) == 0 and (x.get() == 0).all()


def test_arguments():
    a, b = np.ones((3, 2)), np.ones(3)
    kept = cp.asarray(a), cp.asarray(b)
    linalg.lstsq(*kept, overwrite_a=True, overwrite_b=True, lapack_driver='gelsy')
    assert (kept[0].get() == a).all() and (kept[1].get() == b).all()
    assert linalg.lstsq(cp.asarray(a.astype('int16')), kept[1].astype('int16'))[0].dtype == 'float32'
    with pytest.raises(ValueError, match='is not found'):
        linalg.lstsq(*kept, lapack_driver='gels')
    with pytest.raises(ValueError, match='same number of rows'):
        linalg.lstsq(kept[0], cp.ones(4))
    with pytest.raises(ValueError, match='infs or NaNs'):
        linalg.lstsq(kept[0] * np.nan, kept[1])
    with pytest.raises(np.linalg.LinAlgError):
        linalg.lstsq(kept[0] * np.nan, kept[1], check_finite=False)[2].get()
    for shape in ((0, 3), (3, 0)):
        got = linalg.lstsq(cp.zeros(shape), cp.ones(shape[0]), lapack_driver='gelsy')
        assert (got[0].get() == np.zeros(shape[1])).all() and got[3] is None
