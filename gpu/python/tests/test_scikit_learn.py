"""Tests of scikit-learn's array API mode with device arrays."""

import os

os.environ.setdefault('SCIPY_ARRAY_API', '1')

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import cuprum as cp  # noqa: E402

sklearn = pytest.importorskip('sklearn', reason='scikit-learn is not installed: its array API mode is not tested')

from sklearn import linear_model, metrics, preprocessing  # noqa: E402
from sklearn.metrics import pairwise  # noqa: E402


@pytest.fixture(autouse=True)
def dispatch():
    if os.environ.get('SCIPY_ARRAY_API') != '1':
        pytest.skip('SCIPY_ARRAY_API is not 1: scikit-learn does not dispatch')
    with sklearn.config_context(array_api_dispatch=True):
        yield


def table(dtype=np.float64, rows=20):
    return np.random.default_rng(0).normal(size=(rows, 3)).astype(dtype)


def same(ours, theirs, rtol=1e-6):
    assert isinstance(ours, cp.ndarray) or np.isscalar(ours), type(ours)
    np.testing.assert_allclose(cp.asnumpy(ours) if isinstance(ours, cp.ndarray) else ours, theirs, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize(
    'scaler',
    [
        preprocessing.StandardScaler(),
        preprocessing.MinMaxScaler(),
        preprocessing.MaxAbsScaler(),
        preprocessing.Normalizer(),
        preprocessing.Binarizer(threshold=0.1),
        preprocessing.KernelCenterer(),
    ],
    ids=lambda scaler: type(scaler).__name__,
)
def test_scalers(scaler, dtype):
    X = table(dtype)
    if isinstance(scaler, preprocessing.KernelCenterer):
        X = X @ X.T
    expected = sklearn.clone(scaler).fit(X).transform(X)
    ours = sklearn.clone(scaler).fit(cp.asarray(X))
    result = ours.transform(cp.asarray(X))
    assert isinstance(result, cp.ndarray) and result.dtype == dtype
    same(result, expected, rtol=1e-4 if dtype is np.float32 else 1e-9)
    if hasattr(ours, 'inverse_transform'):
        same(ours.inverse_transform(result), X, rtol=1e-3 if dtype is np.float32 else 1e-9)


def test_label_encoder():
    labels = np.array([3, 1, 3, 7])
    encoder = preprocessing.LabelEncoder().fit(cp.asarray(labels))
    assert encoder.transform(cp.asarray(labels)).tolist() == [1, 0, 1, 2]
    assert encoder.inverse_transform(cp.asarray([2, 0])).tolist() == [7, 1]


TRUE, GUESS = np.array([0, 1, 1, 2, 0, 2]), np.array([0, 1, 2, 2, 0, 1])


@pytest.mark.parametrize(
    'metric',
    [
        metrics.accuracy_score,
        metrics.zero_one_loss,
        metrics.hamming_loss,
        metrics.confusion_matrix,
        lambda a, b: metrics.f1_score(a, b, average='macro'),
        lambda a, b: metrics.precision_score(a, b, average='micro'),
        lambda a, b: metrics.recall_score(a, b, average='weighted'),
        lambda a, b: metrics.jaccard_score(a, b, average='macro'),
    ],
    ids=['accuracy', 'zero_one', 'hamming', 'confusion', 'f1', 'precision', 'recall', 'jaccard'],
)
def test_classification(metric):
    result = metric(cp.asarray(TRUE), cp.asarray(GUESS))
    np.testing.assert_allclose(cp.asnumpy(result) if isinstance(result, cp.ndarray) else result, metric(TRUE, GUESS))


@pytest.mark.parametrize(
    'metric',
    [
        'mean_squared_error',
        'mean_absolute_error',
        'root_mean_squared_error',
        'mean_squared_log_error',
        'max_error',
        'mean_absolute_percentage_error',
        'r2_score',
        'mean_tweedie_deviance',
        'd2_absolute_error_score',
        'explained_variance_score',
        'median_absolute_error',
        'mean_poisson_deviance',
        'mean_gamma_deviance',
    ],
)
def test_regression(metric):
    true, guess = abs(table()[:, 0]) + 0.1, abs(table()[:, 1]) + 0.1
    function = getattr(metrics, metric)
    result = function(cp.asarray(true), cp.asarray(guess))
    np.testing.assert_allclose(float(result), function(true, guess), rtol=1e-9)


@pytest.mark.parametrize(
    'name',
    [
        'cosine_similarity',
        'cosine_distances',
        'euclidean_distances',
        'linear_kernel',
        'polynomial_kernel',
        'rbf_kernel',
        'sigmoid_kernel',
        'chi2_kernel',
        'additive_chi2_kernel',
        'paired_cosine_distances',
        'paired_euclidean_distances',
        'manhattan_distances',
    ],
)
def test_pairwise(name):
    function, X = getattr(pairwise, name), table()
    Y = table()[::-1].copy()
    if 'chi2' in name:
        X, Y = abs(X), abs(Y)
    same(function(cp.asarray(X), cp.asarray(Y)), function(X, Y), rtol=1e-6)


def test_train_test_split():
    from sklearn.model_selection import train_test_split

    X, y = table(), np.arange(20)
    ours = train_test_split(cp.asarray(X), cp.asarray(y), random_state=0)
    for one, other in zip(ours, train_test_split(X, y, random_state=0)):
        same(one, other)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('solver', ['full', 'covariance_eigh'])
def test_pca(solver, dtype):
    from sklearn.decomposition import PCA

    X = table(dtype)
    expected = PCA(n_components=2, svd_solver=solver).fit(X)
    ours = PCA(n_components=2, svd_solver=solver).fit(cp.asarray(X))
    rtol = 1e-3 if dtype is np.float32 else 1e-9
    same(ours.explained_variance_, expected.explained_variance_, rtol=rtol)
    # Signs are chosen by the data, in the same way on both sides.
    same(ours.transform(cp.asarray(X)), expected.transform(X), rtol=rtol)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('intercept', [True, False])
def test_ridge(intercept, dtype):
    from sklearn.linear_model import Ridge

    X = table(dtype)
    y = (X @ np.array([1.0, -2.0, 0.5], dtype) + dtype(0.25)).astype(dtype)
    expected = Ridge(alpha=0.5, solver='svd', fit_intercept=intercept).fit(X, y)
    ours = Ridge(alpha=0.5, solver='svd', fit_intercept=intercept).fit(cp.asarray(X), cp.asarray(y))
    same(ours.coef_, expected.coef_, rtol=1e-3 if dtype is np.float32 else 1e-9)
    same(ours.predict(cp.asarray(X)), expected.predict(X), rtol=1e-3 if dtype is np.float32 else 1e-9)


@pytest.mark.parametrize(
    'transformer',
    [
        preprocessing.PolynomialFeatures(3, interaction_only=True),
        preprocessing.QuantileTransformer(n_quantiles=10),
        preprocessing.RobustScaler(with_scaling=False),
        preprocessing.KBinsDiscretizer(strategy='uniform', encode='ordinal'),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_other_transformers(transformer):
    X = table()
    expected = sklearn.clone(transformer).fit_transform(X)
    result = sklearn.clone(transformer).fit_transform(cp.asarray(X))
    assert isinstance(result, cp.ndarray)
    same(result, expected, rtol=1e-9)


# Each passes arrays to a function of NumPy or SciPy that accepts host arrays only.
ON_THE_HOST = [
    preprocessing.RobustScaler(),
    preprocessing.PowerTransformer(),
    preprocessing.PowerTransformer(method='box-cox'),
    preprocessing.QuantileTransformer(n_quantiles=10, output_distribution='normal'),
    preprocessing.KBinsDiscretizer(strategy='quantile', quantile_method='linear'),
    preprocessing.SplineTransformer(),
    preprocessing.OrdinalEncoder(),
    linear_model.LinearRegression(),
]


@pytest.mark.parametrize('estimator', ON_THE_HOST, ids=repr)
def test_estimators_on_the_host(estimator):
    """Tests that the error is the one that the page names, and that nothing is copied to the host."""
    X = abs(table()) + 0.1

    def run(X):
        fitted = sklearn.clone(estimator).fit(X, X[:, 0])
        return fitted.transform(X) if hasattr(fitted, 'transform') else fitted.predict(X)

    with pytest.raises(TypeError, match='Implicit conversion to a NumPy array is not allowed'):
        run(cp.asarray(X))
    # The recommendation of the page.
    assert run(cp.asarray(X).get()).shape[0] == len(X)


@pytest.mark.parametrize('estimator', [*ON_THE_HOST, preprocessing.StandardScaler()], ids=repr)
def test_no_estimator_takes_them_without_dispatch(estimator):
    with sklearn.config_context(array_api_dispatch=False):
        with pytest.raises(TypeError, match='Implicit conversion to a NumPy array is not allowed'):
            sklearn.clone(estimator).fit(cp.asarray(table()), cp.asarray(table()[:, 0]))
