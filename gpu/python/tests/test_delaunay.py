"""Delaunay triangulation: `cuprum.cupyx.scipy.spatial.Delaunay` compared with SciPy's."""

import numpy as np
import pytest
import scipy.spatial

import cuprum as cp
from cuprum.cupyx.scipy.spatial import Delaunay

RNG = np.random.default_rng(5)
X, Y = (a.ravel() for a in np.meshgrid(np.arange(7.0), np.arange(6.0)))
ANGLES = np.linspace(0, 2 * np.pi, 40, endpoint=False)
POINTS = {
    'random': RNG.random((80, 2)),
    'normal': RNG.standard_normal((60, 2)) * [1e-3, 1e4],
    'grid': np.stack([X, Y], 1),
    'fine grid': np.stack([0.1 * X, np.linspace(-1, 1, 6)[Y.astype(int)]], 1),
    'circle': np.stack([np.cos(ANGLES), np.sin(ANGLES)], 1),
    'one triangle': np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
}


def rows(a):
    return {tuple(sorted(row)) for row in np.asarray(a).tolist()}


def check(points, tri):
    """Checks triangles that turn left, have no point within their circles, are joined, and cover the hull."""
    simplices, neighbors = tri.simplices.get(), tri.neighbors.get()
    assert simplices.dtype == neighbors.dtype == np.int32
    a, b, c = (points[simplices[:, k]] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert (area > 0).all()
    np.testing.assert_allclose(area.sum() / 2, scipy.spatial.ConvexHull(points).volume, rtol=1e-12)
    for t, row in enumerate(neighbors):
        for k, other in enumerate(row):
            if other >= 0:
                edge = {simplices[t][(k + 1) % 3], simplices[t][(k + 2) % 3]}
                assert t in neighbors[other] and edge < set(simplices[other])
    assert rows(tri.convex_hull.get()) == {tuple(sorted((simplices[t][(k + 1) % 3], simplices[t][(k + 2) % 3]))) for t, k in zip(*np.nonzero(neighbors < 0))}


def test_triangles_are_those_of_scipy():
    for name, points in POINTS.items():
        tri, expected = Delaunay(cp.asarray(points)), scipy.spatial.Delaunay(points)
        check(points, tri)
        assert (tri.npoints, tri.ndim, tri.coplanar.shape) == (len(points), 2, (0, 3))
        np.testing.assert_array_equal(tri.min_bound.get(), expected.min_bound)
        np.testing.assert_array_equal(tri.max_bound.get(), expected.max_bound)
        np.testing.assert_array_equal(tri.points.get(), points)
        if name in ('random', 'normal', 'one triangle'):
            assert rows(tri.simplices.get()) == rows(expected.simplices)
            assert rows(tri.convex_hull.get()) == rows(expected.convex_hull)
            (ours, indices), (theirs, others) = tri.vertex_neighbor_vertices, expected.vertex_neighbor_vertices
            ours, indices = ours.get(), indices.get()
            for k in range(len(points)):
                assert set(indices[ours[k] : ours[k + 1]].tolist()) == set(others[theirs[k] : theirs[k + 1]].tolist())
            order = {tuple(sorted(row)): t for t, row in enumerate(expected.simplices.tolist())}
            mine = tri.simplices.get()
            barycentric = np.einsum('tij,tj->ti', tri.transform.get()[:, :2], points[mine].mean(1) - tri.transform.get()[:, 2])
            np.testing.assert_allclose(barycentric, 1 / 3, rtol=1e-9)
            queries = RNG.random((50, 2)) * 1.2 - 0.1
            found, wanted = tri.find_simplex(cp.asarray(queries)).get(), expected.find_simplex(queries)
            np.testing.assert_array_equal([-1 if t < 0 else order[tuple(sorted(mine[t]))] for t in found], wanted)
        held = tri.vertex_to_simplex.get()
        assert all(k in tri.simplices.get()[t] for k, t in enumerate(held))


def test_points_are_found_in_their_triangles():
    for points in POINTS.values():
        tri = Delaunay(cp.asarray(points))
        simplices = tri.simplices.get()
        centres = points[simplices].mean(1)
        np.testing.assert_array_equal(tri.find_simplex(cp.asarray(centres)).get(), np.arange(len(simplices)))
        vertices = tri.find_simplex(cp.asarray(points)).get()
        assert all(k in simplices[t] for k, t in enumerate(vertices))
        far = points.max(0) + np.ptp(points, axis=0)
        outside = cp.asarray([[far, -far], [[np.nan, 0.0], [0.0, np.inf]]])
        assert (tri.find_simplex(outside) == -1).all() and tri.find_simplex(outside).shape == (2, 2)
        assert tri.find_simplex(outside).dtype == cp.int32
    tri = Delaunay(cp.asarray(POINTS['one triangle']))
    assert tri.find_simplex(cp.asarray([0.5, 0.5])).shape == ()
    assert tri.find_simplex(cp.asarray([[-0.01, 0.5]])).get() == -1
    assert tri.find_simplex(cp.asarray([[-0.01, 0.5]]), tol=0.1).get() == 0
    assert tri.find_simplex(cp.zeros((0, 2))).shape == (0,)


def test_duplicates_are_coplanar():
    points = np.concatenate([POINTS['grid'], POINTS['grid'][5:9], POINTS['grid'][5:6]])
    tri = Delaunay(cp.asarray(points))
    assert tri.coplanar.shape == (5, 3)
    used = set(tri.simplices.get().ravel().tolist())
    for point, simplex, vertex in tri.coplanar.get().tolist():
        assert point not in used and vertex in tri.simplices.get()[simplex]
        np.testing.assert_array_equal(points[point], points[vertex])
        assert tri.vertex_to_simplex.get()[point] == -1


def test_dtypes_and_layouts():
    points = np.asfortranarray(RNG.integers(0, 100, (30, 2)))
    expected = rows(scipy.spatial.Delaunay(np.unique(points, axis=0)).convex_hull)
    for dtype in ('int32', 'float32', 'float64', 'float16'):
        tri = Delaunay(cp.asarray(np.unique(points, axis=0).astype(dtype)))
        assert tri.points.dtype == np.float64 and len(rows(tri.convex_hull.get())) >= len(expected)
    assert Delaunay(cp.asarray(points)[::-1]).npoints == 30
    assert Delaunay([[0, 0], [1, 0], [0, 1]]).nsimplex == 1


def test_errors_are_those_of_scipy():
    for points in (np.zeros((0, 2)), np.zeros(4), [[0.0, 0.0], [1.0, np.nan], [1.0, 1.0]], np.zeros((2, 2, 2))):
        with pytest.raises(ValueError):
            scipy.spatial.Delaunay(points)
        with pytest.raises(ValueError):
            Delaunay(points)
    for points in ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]], np.ones((5, 2))):
        with pytest.raises(scipy.spatial.QhullError):
            scipy.spatial.Delaunay(points)
        with pytest.raises(scipy.spatial.QhullError):
            Delaunay(points)
    for options in ({'furthest_site': True}, {'incremental': True}):
        with pytest.raises(NotImplementedError):
            Delaunay(POINTS['random'], **options)
    with pytest.raises(NotImplementedError):
        Delaunay(RNG.random((20, 13)))
    with pytest.raises(ValueError):
        Delaunay(RNG.random((20, 1)))
    with pytest.raises(scipy.spatial.QhullError):
        Delaunay(RNG.random((9, 3)) * [1, 1, 0])
    with pytest.raises(ValueError):
        Delaunay(POINTS['random']).find_simplex(cp.zeros((3, 3)))
    with pytest.raises(TypeError):
        Delaunay(POINTS['random'].astype(complex))


@pytest.mark.parametrize('count, ndim', [(4, 3), (70, 3), (50, 4), (20, 5)])
def test_simplices_are_those_of_scipy(count, ndim):
    points = RNG.standard_normal((count, ndim))
    tri, expected = Delaunay(cp.asarray(points)), scipy.spatial.Delaunay(points)
    assert (tri.ndim, tri.npoints, tri.coplanar.shape) == (ndim, count, (0, 3))
    assert rows(tri.simplices.get()) == rows(expected.simplices)
    assert rows(tri.convex_hull.get()) == rows(expected.convex_hull)
    (ours, indices), (theirs, others) = tri.vertex_neighbor_vertices, expected.vertex_neighbor_vertices
    ours, indices = ours.get(), indices.get()
    for k in range(count):
        assert set(indices[ours[k] : ours[k + 1]].tolist()) == set(others[theirs[k] : theirs[k + 1]].tolist())
    mine, neighbors = tri.simplices.get(), tri.neighbors.get()
    order = {tuple(sorted(row)): t for t, row in enumerate(expected.simplices.tolist())}
    number = np.array([order[tuple(sorted(row))] for row in mine])
    for t, row in enumerate(neighbors):
        for k, other in enumerate(row):
            opposite = expected.neighbors[number[t]][expected.simplices[number[t]].tolist().index(mine[t][k])]
            assert (number[other] if other >= 0 else -1) == opposite
    queries = np.concatenate([RNG.standard_normal((200, ndim)), points[mine[:100]].mean(1)])
    found = tri.find_simplex(cp.asarray(queries)).get()
    np.testing.assert_array_equal(np.where(found < 0, -1, number[found]), expected.find_simplex(queries))
    assert (tri.find_simplex(cp.asarray([[np.nan] * ndim, [1e9] * ndim])) == -1).all()
    vertices = tri.find_simplex(cp.asarray(points)).get()
    assert all(k in mine[t] for k, t in enumerate(vertices))


def test_grids_of_three_dimensions():
    grid = np.stack(np.meshgrid(*[np.arange(5.0) * 0.3] * 3, indexing='ij'), -1).reshape(-1, 3)
    points = np.concatenate([grid, grid[7:9]])
    tri = Delaunay(cp.asarray(points))
    simplices = tri.simplices.get()
    corners = points[simplices]
    volumes = abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    np.testing.assert_allclose(volumes.sum(), 1.2**3)
    pairs = {tuple(row) for row in tri.coplanar.get()[:, [0, 2]].tolist()}
    assert {tuple(sorted(pair)) for pair in pairs} == {(7, 125), (8, 126)}
    flat = cp.isnan(tri.transform[:, 0, 0]).get()
    assert (volumes[flat] < 1e-12).all()
    queries = RNG.random((500, 3)) * 1.2
    found = tri.find_simplex(cp.asarray(queries)).get()
    assert (found >= 0).all()
    maps = tri.transform.get()[found]
    c = np.einsum('tij,tj->ti', maps[:, :3], queries - maps[:, 3])
    assert min(c.min(), (1 - c.sum(1)).min()) > -1e-12


@pytest.mark.parametrize('ndim', [2, 3])
def test_points_are_lifted_as_by_scipy(ndim):
    points = RNG.random((30, ndim)) * 3 - 1
    tri, expected = Delaunay(cp.asarray(points)), scipy.spatial.Delaunay(points)
    for name in ('paraboloid_scale', 'paraboloid_shift'):
        np.testing.assert_allclose(getattr(tri, name), getattr(expected, name), rtol=1e-13)
    for x in (points, points[3], RNG.random((2, 3, ndim)), np.arange(ndim)):
        np.testing.assert_allclose(tri.lift_points(cp.asarray(x)).get(), expected.lift_points(x), rtol=1e-12, atol=1e-13)
    order = {tuple(sorted(row)): t for t, row in enumerate(expected.simplices.tolist())}
    number = [order[tuple(sorted(row))] for row in tri.simplices.get().tolist()]
    np.testing.assert_allclose(tri.equations.get(), expected.equations[number], rtol=1e-8, atol=1e-8)
    x = RNG.random((4, ndim))
    np.testing.assert_allclose(tri.plane_distance(cp.asarray(x)).get(), expected.plane_distance(x)[..., number], rtol=1e-8, atol=1e-8)
    assert tri.good.shape == (tri.nsimplex,)
    for method in (tri.lift_points, tri.plane_distance):
        with pytest.raises(ValueError):
            method(cp.zeros((3, ndim + 1)))
