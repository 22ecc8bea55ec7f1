"""Nearest neighbours: `cuprum.cupyx.scipy.spatial.KDTree` compared with SciPy's and with sorted distances of all pairs."""

import numpy as np
import pytest
import scipy.spatial
from scipy.spatial.distance import cdist

import cuprum as cp
from cuprum.cupyx.scipy.spatial import KDTree

RNG = np.random.default_rng(9)


def nearest(points, x, k, p=2.0):
    """Returns the distances and numbers of the nearest points, of equal distances the smaller number first."""
    metric = {1.0: 'cityblock', 2.0: 'euclidean', np.inf: 'chebyshev'}.get(p)
    d = cdist(x, points, metric) if metric else cdist(x, points, 'minkowski', p=p)
    order = np.lexsort((np.broadcast_to(np.arange(len(points)), d.shape), d), axis=1)[:, :k]
    return np.take_along_axis(d, order, 1), order


def test_neighbours_are_those_of_all_pairs():
    for n, m in ((1, 3), (7, 2), (90, 1), (300, 3), (150, 5), (1100, 2)):
        points, x = RNG.random((n, m)), RNG.random((40, m)) * 1.4 - 0.2
        tree = KDTree(cp.asarray(points))
        assert (tree.n, tree.m, tree.data.shape) == (n, m, (n, m))
        np.testing.assert_array_equal(tree.mins.get(), points.min(0))
        np.testing.assert_array_equal(tree.maxes.get(), points.max(0))
        for k, p in ((1, 2.0), (4, 2.0), (3, 1.0), (5, np.inf), (6, 3.0), (40, 2.0)):
            distances, indices = tree.query(cp.asarray(x), k, p=p)
            expected, order = scipy.spatial.KDTree(points).query(x, k, p=p)
            assert distances.dtype == np.float64 and indices.dtype == np.int64
            np.testing.assert_allclose(distances.get(), expected, rtol=1e-12)
            np.testing.assert_array_equal(indices.get(), order)


def test_equal_distances_are_in_the_order_of_numbers():
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 2), -1).reshape(-1, 2)
    points = np.concatenate([grid, grid[::2]])[RNG.permutation(54)]
    for k in (1, 3, 9, 40):
        distances, indices = KDTree(cp.asarray(points)).query(cp.asarray(grid), k)
        expected, order = nearest(points, grid, k)
        np.testing.assert_array_equal(distances.get().reshape(expected.shape), expected)
        np.testing.assert_array_equal(indices.get().reshape(order.shape), order)


def test_many_queries_are_sorted_along_the_curve():
    points, x = RNG.random((60, 2)), RNG.random((4200, 2))
    distances, indices = KDTree(cp.asarray(points)).query(cp.asarray(x))
    expected, order = scipy.spatial.KDTree(points).query(x)
    np.testing.assert_allclose(distances.get(), expected, rtol=1e-12)
    np.testing.assert_array_equal(indices.get(), order)


def test_options_of_a_query():
    points, x = RNG.random((80, 3)), RNG.random((4, 5, 3))
    tree, theirs = KDTree(cp.asarray(points)), scipy.spatial.KDTree(points)
    for options in ({}, {'k': 3}, {'k': [1]}, {'k': [2, 5, 3]}, {'k': 90}, {'k': 4, 'distance_upper_bound': 0.2}, {'distance_upper_bound': 0.0}):
        for queries in (x, x[0], x[0, 0]):
            distances, indices = tree.query(cp.asarray(queries), **options)
            expected, order = theirs.query(queries, **options)
            np.testing.assert_allclose(distances.get(), expected, rtol=1e-12)
            np.testing.assert_array_equal(indices.get(), order)
    rough = tree.query(cp.asarray(x), 3, eps=0.5)[0].get()
    exact = theirs.query(x, 3)[0]
    assert (rough <= 1.5 * exact).all() and (rough >= exact - 1e-12).all()
    empty = KDTree(cp.zeros((0, 2)))
    distances, indices = empty.query(cp.zeros((3, 2)), 2)
    assert np.isinf(distances.get()).all() and (indices.get() == 0).all()
    assert tree.query(cp.zeros((0, 3)))[0].shape == (0,)


def test_dtypes_and_layouts():
    points = RNG.integers(0, 50, (40, 2))
    x = RNG.integers(0, 50, (10, 2))
    expected, order = nearest(points.astype(float), x.astype(float), 3)
    for dtype, result in (('int16', 'float64'), ('float16', 'float32'), ('float32', 'float32'), ('float64', 'float64')):
        tree = KDTree(cp.asarray(np.asfortranarray(points.astype(dtype))))
        distances, indices = tree.query(cp.asarray(x[::-1])[::-1], 3)
        assert distances.dtype == result == tree.data.dtype
        np.testing.assert_allclose(distances.get(), expected, rtol=1e-6)
        np.testing.assert_array_equal(indices.get(), order)


def test_periodic_boxes():
    points, x = RNG.random((100, 3)) * [1, 2, 3], RNG.random((30, 3)) * 9 - 3
    for boxsize in (3.0, [1.0, 2.0, 3.0], [0.0, 2.0, 0.0]):
        tree, theirs = KDTree(cp.asarray(points), boxsize=boxsize), scipy.spatial.KDTree(points, boxsize=boxsize)
        np.testing.assert_array_equal(tree.boxsize, theirs.boxsize)
        for p in (1.0, 2.0, np.inf, 2.5):
            distances, indices = tree.query(cp.asarray(x), 4, p=p)
            expected, order = theirs.query(x, 4, p=p)
            np.testing.assert_allclose(distances.get(), expected, rtol=1e-11)
            np.testing.assert_array_equal(indices.get(), order)
        found = tree.query_ball_point(cp.asarray(x), 0.5)
        assert [list(row) for row in found] == [sorted(row) for row in theirs.query_ball_point(x, 0.5)]


def test_points_within_a_radius():
    points, others = RNG.random((70, 2)), RNG.random((30, 2))
    a, b = KDTree(cp.asarray(points)), KDTree(cp.asarray(others))
    c, d = scipy.spatial.KDTree(points), scipy.spatial.KDTree(others)
    for r in (0.0, 0.1, 0.4, 3.0):
        for p in (1.0, 2.0, np.inf, 1.5):
            assert a.query_ball_tree(b, r, p) == [sorted(row) for row in c.query_ball_tree(d, r, p)]
            assert a.query_pairs(r, p) == c.query_pairs(r, p)
            assert a.count_neighbors(b, r, p) == c.count_neighbors(d, r, p)
    x = others.reshape(5, 6, 2)
    radii = RNG.random((5, 6))
    for r in (0.2, radii, radii[0]):
        ours, theirs = a.query_ball_point(cp.asarray(x), r), c.query_ball_point(x, r)
        assert ours.shape == theirs.shape == (5, 6) and ours.dtype == object
        assert [list(row) for row in ours.flat] == [sorted(row) for row in theirs.flat]
        np.testing.assert_array_equal(a.query_ball_point(cp.asarray(x), r, return_length=True).get(), c.query_ball_point(x, r, return_length=True))
    assert sorted(a.query_ball_point(cp.asarray(x[0, 0]), 0.3)) == sorted(c.query_ball_point(x[0, 0], 0.3))
    pairs = a.query_pairs(0.1, output_type='ndarray')
    assert pairs.dtype == np.int64 and set(map(tuple, pairs.get().tolist())) == c.query_pairs(0.1)
    assert a.query_ball_point(cp.zeros((0, 2)), 1.0).shape == (0,)
    assert KDTree(cp.zeros((0, 2))).query_ball_point(cp.zeros((2, 2)), 1.0).tolist() == [[], []]


def test_counts_and_sparse_distances():
    points, others = RNG.random((40, 3)), RNG.random((20, 3))
    a, b = KDTree(cp.asarray(points)), KDTree(cp.asarray(others))
    c, d = scipy.spatial.KDTree(points), scipy.spatial.KDTree(others)
    radii, weights = [0.1, 0.3, 0.3, 0.9], (RNG.random(40), RNG.random(20))
    for cumulative in (True, False):
        np.testing.assert_array_equal(a.count_neighbors(b, radii, cumulative=cumulative), c.count_neighbors(d, radii, cumulative=cumulative))
        mine = a.count_neighbors(b, radii, weights=weights, cumulative=cumulative)
        np.testing.assert_allclose(mine, c.count_neighbors(d, radii, weights=weights, cumulative=cumulative), rtol=1e-10)
    for p in (1.0, 2.0):
        expected = c.sparse_distance_matrix(d, 0.5, p).toarray()
        for kind in ('coo_matrix', 'dok_matrix'):
            found = a.sparse_distance_matrix(b, 0.5, p, output_type=kind).toarray()
            np.testing.assert_allclose(found if kind == 'dok_matrix' else found.get(), expected, rtol=1e-12)
        entries = c.sparse_distance_matrix(d, 0.5, p, output_type='dict')
        ours = a.sparse_distance_matrix(b, 0.5, p, output_type='dict')
        assert ours.keys() == entries.keys()
        records = a.sparse_distance_matrix(b, 0.5, p, output_type='ndarray')
        assert records.dtype == c.sparse_distance_matrix(d, 0.5, p, output_type='ndarray').dtype and len(records) == len(entries)


def test_errors_are_those_of_scipy():
    points = RNG.random((10, 2))

    def both(error, call):
        with pytest.raises(error):
            call(scipy.spatial.KDTree, np)
        with pytest.raises(error):
            call(KDTree, cp)

    both(ValueError, lambda tree, xp: tree(xp.asarray(points[0])))
    both(ValueError, lambda tree, xp: tree(xp.asarray([[np.nan, 1.0]])))
    both(TypeError, lambda tree, xp: tree(xp.asarray(points * 1j)))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points), leafsize=0))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points), boxsize=0.5))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points), boxsize=[1.0, 2.0, 3.0]))
    for x in (points[:, :1], points[0, :1]):
        both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query(xp.asarray(x)))
    for x in ([np.nan, 1.0], [[0.0, 1.0], [np.inf, 0.0]], [[-np.inf, np.nan]]):
        both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query(xp.asarray(x)))
        both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query_ball_point(xp.asarray(x), 1.0))
        both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query_ball_point(xp.asarray(x), 1.0, return_length=True))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query(xp.asarray(points), None))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query(xp.asarray(points), p=0.5))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points)).query_pairs(1.0, output_type='list'))
    both(ValueError, lambda tree, xp: tree(xp.asarray(points)).sparse_distance_matrix(tree(xp.asarray(points)), 1.0, output_type='list'))
    for k in (0, 2.5, [0, 1], []):
        with pytest.raises(ValueError):
            KDTree(points).query(points, k)
