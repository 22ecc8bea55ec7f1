"""Distances: `cuprum.cupyx.scipy.spatial.distance` compared with SciPy's."""

import numpy as np
import pytest
import scipy.spatial
from scipy.spatial import distance as theirs

import cuprum as cp
from cuprum.cupyx.scipy import spatial
from cuprum.cupyx.scipy.spatial import distance as ours

RNG = np.random.default_rng(3)
WEIGHTED = ['braycurtis', 'canberra', 'chebyshev', 'cityblock', 'correlation', 'cosine', 'euclidean', 'hamming', 'minkowski', 'sqeuclidean']
BOOLEAN = ['dice', 'jaccard', 'rogerstanimoto', 'russellrao', 'sokalsneath', 'yule']
# float32 against SciPy's float64: sums of some 40 terms.
TOLERANCE = {'float32': {'rtol': 2e-5, 'atol': 2e-6}, 'float64': {'rtol': 1e-12, 'atol': 1e-14}}


def same(found, expected):
    np.testing.assert_allclose(found.get(), expected, **TOLERANCE[str(found.dtype)])


def operands(rows, columns, dtype):
    if dtype == 'bool':
        return RNG.random((rows, columns)) < 0.4
    if dtype.startswith('int'):
        return RNG.integers(-5, 6, (rows, columns)).astype(dtype)
    return RNG.random((rows, columns)).astype(dtype)


def test_metrics_are_those_of_scipy():
    for dtype in ('float64', 'float32', 'int32', 'bool'):
        a, b = operands(9, 18, dtype), operands(5, 18, dtype)
        exact = [x.astype(float) if dtype != 'bool' else x for x in (a, b)]
        a, b = cp.asarray(a), cp.asarray(b)
        metrics = BOOLEAN if dtype == 'bool' else [*WEIGHTED, 'jensenshannon', 'seuclidean'] if dtype != 'int32' else WEIGHTED
        for metric in metrics:
            found = ours.cdist(a, b, metric)
            assert found.dtype == ('float32' if dtype == 'float32' else 'float64')
            same(found, theirs.cdist(*exact, metric))
            same(ours.pdist(a, metric), theirs.pdist(exact[0], metric))
    for metric in BOOLEAN:
        a, b = operands(4, 7, 'float64').round(1), operands(3, 7, 'float64').round(1)
        a[:, ::2] = 0
        b[:, :2] = 0
        same(ours.cdist(a, b, metric), theirs.cdist(a, b, metric))


def test_shapes_and_layouts():
    for (m, n), d in (((1, 1), 1), ((65, 130), 3), ((40, 17), 33), ((0, 3), 4), ((3, 0), 4), ((2, 3), 0)):
        a, b = operands(2 * m, d, 'float64'), operands(n, d, 'float64')
        expected = theirs.cdist(a[::2], b)
        for x, y in ((cp.asarray(a)[::2], cp.asarray(b)), (cp.asarray(np.asfortranarray(a))[::2], cp.asarray(b[::-1])[::-1])):
            same(ours.cdist(x, y), expected)
        out = cp.empty((n, m)).T
        assert ours.cdist(cp.asarray(a)[::2], cp.asarray(b), 'sqeuclidean', out=out) is not None
        same(out, expected**2)
    for n in (0, 1, 2, 70, 131):
        a = operands(n, 5, 'float32')
        same(ours.pdist(cp.asarray(a)), theirs.pdist(a.astype(float)))
    a = operands(300, 40, 'float32')
    same(ours.cdist(cp.asarray(a[:140]), cp.asarray(a[140:])), theirs.cdist(a[:140].astype(float), a[140:].astype(float)))


def test_near_rows_keep_their_digits():
    a = 1e4 + RNG.random((6, 8)) * 1e-3
    np.testing.assert_allclose(ours.cdist(cp.asarray(a), cp.asarray(a)).get(), theirs.cdist(a, a), rtol=1e-13)
    assert (cp.diag(ours.cdist(cp.asarray(a), cp.asarray(a))) == 0).all()


def test_options():
    a, b, w = operands(8, 6, 'float64'), operands(7, 6, 'float64'), RNG.random(6)
    w[2] = 0
    for metric in WEIGHTED:
        same(ours.cdist(a, b, metric, w=w), theirs.cdist(a, b, metric, w=w))
    for p in (0.5, 1, 1.5, 2, 3, np.inf):
        same(ours.cdist(a, b, 'minkowski', p=p), theirs.cdist(a, b, 'minkowski', p=p))
        same(ours.cdist(a, b, 'minkowski', p=p, w=w), theirs.cdist(a, b, 'minkowski', p=p, w=w))
        if p >= 1:
            same(spatial.distance_matrix(cp.asarray(a), cp.asarray(b), p), scipy.spatial.distance_matrix(a, b, p))
    V, VI = RNG.random(6) + 0.5, RNG.random((6, 6)) + 6 * np.eye(6)
    same(ours.cdist(a, b, 'seuclidean', V=V), theirs.cdist(a, b, 'seuclidean', V=V))
    np.testing.assert_allclose(ours.cdist(a, b, 'mahalanobis', VI=VI).get(), theirs.cdist(a, b, 'mahalanobis', VI=VI), rtol=1e-10)
    np.testing.assert_allclose(ours.cdist(a, b, 'mahalanobis').get(), theirs.cdist(a, b, 'mahalanobis'), rtol=1e-9)
    np.testing.assert_allclose(ours.pdist(a, 'mahalanobis').get(), theirs.pdist(a, 'mahalanobis'), rtol=1e-9)
    for name in ('sqe', 'cb', 'cheby', 'EUCLIDEAN', 'l1', 'manhattan'):
        same(ours.pdist(a, name), theirs.pdist(a, name) if name not in ('l1', 'manhattan') else theirs.pdist(a, 'cityblock'))
    assert ours.cdist(cp.asarray(a, dtype='float16'), cp.asarray(b)).dtype == 'float64'
    assert ours.cdist(cp.asarray(a, dtype='float16'), cp.asarray(b, dtype='float32')).dtype == 'float32'
    same(ours.cdist(a, b, ours.cosine), theirs.cdist(a, b, 'cosine'))


def test_distributions():
    a, b = RNG.random((5, 9)), RNG.random((4, 9))
    a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
    hellinger = np.sqrt(1 - np.sqrt(a[:, None] * b).sum(-1))
    np.testing.assert_allclose(ours.cdist(a, b, 'hellinger').get(), hellinger, rtol=1e-10)
    divergence = (a[:, None] * np.log(a[:, None] / b)).sum(-1)
    np.testing.assert_allclose(ours.cdist(a, b, 'kl_divergence').get(), divergence, rtol=1e-12)
    np.testing.assert_allclose(ours.hellinger(cp.asarray(a[0]), cp.asarray(b[0])).get(), hellinger[0, 0], rtol=1e-10)
    np.testing.assert_allclose(ours.kl_divergence(cp.asarray(a[0]), cp.asarray(b[0])).get(), divergence[0, 0], rtol=1e-12)
    for options in ({}, {'base': 2.0}):
        same(ours.jensenshannon(3 * a[0], b[0], **options), theirs.jensenshannon(3 * a[0], b[0], **options))
        for axis, keepdims in ((0, False), (1, True)):
            found = ours.jensenshannon(a[:4], b, axis=axis, keepdims=keepdims, **options)
            same(found, theirs.jensenshannon(a[:4], b, axis=axis, keepdims=keepdims, **options))


def test_distances_of_two_vectors():
    u, v, w = RNG.random(7), RNG.random(7), RNG.random(7)
    for metric in WEIGHTED:
        f, g = getattr(ours, metric), getattr(theirs, metric)
        assert f(cp.asarray(u), cp.asarray(v)).shape == ()
        same(f(u, v), g(u, v))
        same(f(u, v, w=w), g(u, v, w=w))
    same(ours.minkowski(u, v, 3), theirs.minkowski(u, v, 3))
    same(ours.seuclidean(u, v, w), theirs.seuclidean(u, v, w))
    same(ours.mahalanobis(u, v, np.diag(w)), theirs.mahalanobis(u, v, np.diag(w)))
    same(ours.correlation(u, v, centered=False), theirs.correlation(u, v, centered=False))
    x, y = u > 0.5, v > 0.5
    for metric in BOOLEAN:
        same(getattr(ours, metric)(x, y), getattr(theirs, metric)(x, y))


def test_squareform():
    for n in (2, 3, 7, 40):
        for dtype in ('float64', 'float32', 'int16'):
            condensed = RNG.integers(0, 99, n * (n - 1) // 2).astype(dtype)
            square = ours.squareform(cp.asarray(condensed))
            assert square.dtype == dtype
            np.testing.assert_array_equal(square.get(), theirs.squareform(condensed))
            np.testing.assert_array_equal(ours.squareform(square[::-1, ::-1]).get(), theirs.squareform(square.get()[::-1, ::-1]))
    np.testing.assert_array_equal(ours.squareform(cp.zeros(0)).get(), theirs.squareform(np.zeros(0)))
    assert ours.squareform(cp.zeros((1, 1))).shape == (0,)
    skew = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(ours.squareform(cp.asarray(skew), checks=False).get(), theirs.squareform(skew, checks=False))


def both(error, call):
    with pytest.raises(error):
        call(theirs, np)
    with pytest.raises(error):
        call(ours, cp)


def test_errors_are_those_of_scipy():
    a, b = np.zeros((3, 4)), np.zeros((2, 4))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b[:, :2])))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a[0]), xp.asarray(b)))
    both(ValueError, lambda d, xp: d.pdist(xp.asarray(a[0])))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), 'of nothing'))
    both(TypeError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), 3))
    both(TypeError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), p=3.0))
    both(TypeError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), 'jensenshannon', w=xp.ones(4)))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), w=xp.ones(2)))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), w=-xp.ones(4)))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), out=xp.zeros((3, 3))))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), out=xp.zeros((3, 2), xp.float32)))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a[:2]), xp.asarray(b), 'mahalanobis'))
    both(ValueError, lambda d, xp: d.squareform(xp.arange(4.0)))
    both(ValueError, lambda d, xp: d.squareform(xp.zeros((2, 3))))
    both(ValueError, lambda d, xp: d.squareform(xp.zeros((2, 2, 2))))
    both(ValueError, lambda d, xp: d.squareform(xp.eye(3)))
    both(ValueError, lambda d, xp: d.squareform(xp.arange(9.0).reshape(3, 3)))
    both(ValueError, lambda d, xp: d.squareform(xp.zeros(3), force='tovector'))
    both(ValueError, lambda d, xp: d.squareform(xp.zeros((3, 3)), force='tomatrix'))
    both(ValueError, lambda d, xp: d.euclidean(xp.asarray(a), xp.asarray(b)))
    both(ValueError, lambda d, xp: d.euclidean(xp.asarray(a[0]), xp.asarray(b[0, :2])))
    with pytest.raises(TypeError):
        ours.cdist(cp.asarray(a * 1j), cp.asarray(b))
    with pytest.raises(ValueError):
        ours.cdist(a, b, 'minkowski', p=-1.0)
    with pytest.raises(ValueError):
        spatial.distance_matrix(cp.asarray(a), cp.asarray(b[:, :2]))


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_covariances_of_the_points_are_those_of_scipy(dtype):
    a, b = (RNG.random((rows, 3)).astype(dtype) for rows in (7, 4))
    for found, expected in (
        (ours.cdist(cp.asarray(a), cp.asarray(b), 'mahalanobis'), theirs.cdist(a.astype(float), b.astype(float), 'mahalanobis')),
        (ours.pdist(cp.asarray(a), 'mahalanobis'), theirs.pdist(a.astype(float), 'mahalanobis')),
    ):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12 if dtype == 'float64' else 1e-4)


def test_distributions_without_a_sum_have_no_divergence():
    zeros, some = np.zeros(3), np.array([1.0, 0, 2])
    with np.errstate(invalid='ignore'):
        for u, v in ((zeros, zeros), (zeros, some), (some, np.array([np.nan, 1, 2]))):
            same(ours.jensenshannon(cp.asarray(u), cp.asarray(v)), theirs.jensenshannon(u, v))


def test_the_error_of_degenerate_points_has_its_name():
    assert spatial.QhullError is scipy.spatial.QhullError
    with pytest.raises(spatial.QhullError):
        spatial.Delaunay([[0, 0], [1, 1], [2, 2]])


def test_rows_of_no_distribution_are_infinitely_far():
    a, b = np.array([[0.0, 0, 0], [1, -1, 2], [1, 2, 3]]), np.array([[1.0, 1, 1], [0, 0, 0]])
    same(ours.cdist(cp.asarray(a), cp.asarray(b), 'jensenshannon'), theirs.cdist(a, b, 'jensenshannon'))


def test_metrics_of_python_functions():
    a, b = np.arange(12.0).reshape(4, 3) % 5, np.arange(9).reshape(3, 3) % 4

    def metric(u, v, scale=1):
        return scale * abs(u - v).max() + u[0]

    for options in ({}, {'scale': 3}):
        found = ours.cdist(cp.asarray(a), cp.asarray(b), metric, **options)
        np.testing.assert_array_equal(found.get(), theirs.cdist(a, b, metric, **options))
        found = ours.pdist(cp.asarray(a), metric, **options)
        np.testing.assert_array_equal(found.get(), theirs.pdist(a, metric, **options))
    out = cp.zeros((4, 3))
    assert ours.cdist(a, b, metric, out=out) is out and out[1, 1] == theirs.cdist(a, b, metric)[1, 1]
    assert ours.cdist(np.zeros((0, 3)), b, metric).shape == (0, 3) and ours.pdist(a[:1], metric).shape == (0,)
    # SciPy's functions, and those here, are metrics of kernels.
    np.testing.assert_allclose(ours.cdist(a, b, theirs.cityblock).get(), theirs.cdist(a, b, 'cityblock'))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b[:, :2]), metric))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a[0]), xp.asarray(b), metric))
    both(ValueError, lambda d, xp: d.pdist(xp.asarray(a[0]), metric))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), metric, out=xp.zeros((3, 4))))
    both(ValueError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), metric, out=xp.zeros((4, 3), 'f')))
    both(TypeError, lambda d, xp: d.cdist(xp.asarray(a), xp.asarray(b), metric, unknown=1))
