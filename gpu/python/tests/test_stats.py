"""Statistics of `cuprum.cupyx.scipy.stats` and `bandwidth`, compared with SciPy's."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

import cuprum as cp
from cuprum.cupyx.scipy import linalg, stats

RNG = np.random.default_rng(23)


def test_scores_are_those_of_scipy():
    for dtype in ('float64', 'float32', 'int32', 'complex128'):
        a, b = ((RNG.random(shape) * 20).astype(dtype) for shape in ((4, 5), (6, 5)))
        for axis in (0, 1, -1, None):
            for ddof in (0, 1):
                tolerance = 1e-5 if dtype == 'float32' else 1e-12
                found = stats.zscore(cp.asarray(a), axis=axis, ddof=ddof)
                expected = scipy.stats.zscore(a, axis=axis, ddof=ddof)
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance)
                if axis in (0, None):
                    found = stats.zmap(cp.asarray(a), cp.asarray(b), axis=axis, ddof=ddof)
                    np.testing.assert_allclose(found.get(), scipy.stats.zmap(a, b, axis=axis, ddof=ddof), rtol=tolerance, atol=tolerance)


def test_scores_with_nan_and_without_elements():
    a = RNG.random((5, 3))
    a[1, 2] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for policy in ('propagate', 'omit'):
            for axis in (0, None):
                found = stats.zscore(cp.asarray(a), axis=axis, nan_policy=policy)
                np.testing.assert_allclose(found.get(), scipy.stats.zscore(a, axis=axis, nan_policy=policy), rtol=1e-12)
        for x in (np.ones((3, 2)), np.zeros(0), np.zeros((0, 3)), np.full(4, 0.1)):
            np.testing.assert_array_equal(stats.zscore(cp.asarray(x)).get(), scipy.stats.zscore(x))
    with pytest.raises(ValueError):
        stats.zscore(cp.asarray(a), nan_policy='raise')
    with pytest.raises(ValueError):
        stats.zscore(cp.asarray(a), nan_policy='something')
    with pytest.raises(np.exceptions.AxisError):
        stats.zscore(cp.asarray(a), axis=5)
    with pytest.raises(np.exceptions.AxisError):
        stats.zscore(cp.zeros((0, 2)), axis=2)


def test_boxcox_llf_is_that_of_scipy():
    for dtype in ('float64', 'float32', 'int64'):
        for shape in ((40,), (30, 3)):
            data = (RNG.random(shape) * 50 + 1).astype(dtype)
            for lmb in (-2.0, -0.5, 0, 0.3, 1.0, 3.0):
                found, expected = stats.boxcox_llf(lmb, cp.asarray(data)), scipy.stats.boxcox_llf(lmb, data)
                assert found.dtype == expected.dtype and found.shape == expected.shape
                np.testing.assert_allclose(found.get(), expected, rtol=2e-4 if dtype == 'float32' else 1e-10)
    assert np.isnan(stats.boxcox_llf(1.0, cp.zeros((0, 2))).get()).all()
    assert np.isfinite(stats.boxcox_llf(300.0, cp.asarray([1e3, 2e3, 3e3])).get())
    with pytest.raises(TypeError):
        stats.boxcox_llf(1.0, cp.ones(3) * 1j)


def test_bandwidth_is_that_of_scipy():
    cases = [np.eye(3), np.zeros((3, 4)), np.zeros((0, 3)), np.triu(np.ones((3, 5))), np.tril(np.ones((5, 3)), -2), np.diag([1.0, np.nan], 1)]
    cases += [(RNG.random((6, 7)) < 0.1).astype(dtype) for dtype in ('bool', 'int8', 'complex64')]
    for a in cases:
        assert linalg.bandwidth(cp.asarray(a)) == scipy.linalg.bandwidth(a)
        assert linalg.bandwidth(cp.asarray(a).T) == scipy.linalg.bandwidth(np.ascontiguousarray(a.T))
    for a in (np.zeros(3), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError):
            linalg.bandwidth(cp.asarray(a))


def same(found, expected):
    expected = np.asarray(expected)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize('axis', [0, -1, None, (0, 2), (1,), (2, 1)])
@pytest.mark.parametrize('policy', ['propagate', 'omit'])
def test_statistics_along_axes_with_nan(axis, policy):
    a, b = RNG.random((3, 4, 5)) + 0.1, RNG.random((3, 4, 5)) + 0.1
    a[1, 2, 3] = b[0, 0, 1] = np.nan
    for keepdims in (False, True):
        options = {'axis': axis, 'nan_policy': policy, 'keepdims': keepdims}
        same(stats.entropy(cp.asarray(a), **options), scipy.stats.entropy(a, **options))
        same(stats.entropy(cp.asarray(a), cp.asarray(b), 2, **options), scipy.stats.entropy(a, b, 2, **options))
        same(stats.trim_mean(cp.asarray(a), 0.2, **options), scipy.stats.trim_mean(a, 0.2, **options))
        same(stats.boxcox_llf(0.5, cp.asarray(a), **options), scipy.stats.boxcox_llf(0.5, a, **options))


def test_statistics_of_scalars_and_policies_that_are_errors():
    same(stats.entropy(1), scipy.stats.entropy(1))
    same(stats.trim_mean(3, 0.1), scipy.stats.trim_mean(3, 0.1))
    a = cp.asarray([1.0, cp.nan, 2.0])
    for call in (stats.entropy, lambda a, **options: stats.trim_mean(a, 0.1, **options), lambda a, **options: stats.boxcox_llf(1, a, **options)):
        for policy in ('raise', 'something'):
            with pytest.raises(ValueError):
                call(a, nan_policy=policy)
        with pytest.raises(ValueError):
            call(cp.ones((2, 2)), axis=(0, 0))
        with pytest.raises(np.exceptions.AxisError):
            call(a, axis=1)


def test_scores_without_degrees_of_freedom():
    assert np.isnan(stats.zmap([1.0, 2.0], []).get()).all()
    with np.errstate(all='ignore'), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for ddof in (1, 2, 3):
            same(stats.zscore([1.0, 2.0], ddof=ddof), scipy.stats.zscore([1.0, 2.0], ddof=ddof))


def test_scores_by_another_array():
    """Both arrays are promoted first; only the scores by the array itself are NaN where its elements are equal."""
    a, b = RNG.random((4, 3)) * 20, RNG.random((5, 3)).astype('float32')
    constant = np.array([[1, 2, 3.0]])
    with np.errstate(all='ignore'):
        for values, compare in ((a, b), (a.astype('uint8'), b), (a.astype('int32'), b), (a.astype(bool), b), (constant, np.full((2, 3), 2))):
            found, wanted = stats.zmap(cp.asarray(values), cp.asarray(compare)), scipy.stats.zmap(values, compare)
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found.get(), wanted, rtol=1e-5 if wanted.dtype == 'float32' else 1e-12)
        x = np.full((4, 2), 0.1)
        on_device = cp.asarray(x)
        np.testing.assert_array_equal(stats.zmap(on_device, on_device).get(), scipy.stats.zmap(x, x))
