"""`ConvexHull` against SciPy's, and on points for which rounding decides."""

import itertools

import numpy as np
import pytest
import scipy.spatial

import cuprum as cp
from cuprum.cupyx.scipy import spatial

RNG = np.random.default_rng(8)


def cyclic(vertices):
    vertices = np.asarray(cp.asnumpy(vertices)).tolist()
    at = vertices.index(min(vertices))
    return vertices[at:] + vertices[:at]


@pytest.mark.parametrize('count', [3, 7, 500, 5000, 70000])
@pytest.mark.parametrize('kind', ['square', 'normal', 'circle', 'line', 'float32'])
def test_hulls(count, kind):
    points = RNG.random((count, 2))
    if kind == 'normal':
        points = RNG.standard_normal((count, 2))
    elif kind == 'circle':
        angle = RNG.random(count) * 2 * np.pi
        points = np.stack([np.cos(angle), np.sin(angle)], 1)
    elif kind == 'line':
        points = points * [1, 1e-6] + [100, 0]
    elif kind == 'float32':
        points = points.astype('f')
    found, wanted = spatial.ConvexHull(cp.asarray(points)), scipy.spatial.ConvexHull(points)
    if kind != 'circle' or count < 1000:
        # Qhull merges edges that are nearly on one line.
        assert cyclic(found.vertices) == cyclic(wanted.vertices)
    assert np.isclose(found.area, wanted.area, rtol=1e-12) and np.isclose(found.volume, wanted.volume, rtol=1e-9)
    for name in ('min_bound', 'max_bound'):
        assert (getattr(found, name).get() == getattr(wanted, name)).all()
    assert found.npoints == count and found.nsimplex == len(found.vertices) == len(found.equations)
    normals, offsets = found.equations[:, :2].get(), found.equations[:, 2].get()
    some = slice(None, None, 1 + len(offsets) // 200)
    assert (points @ normals[some].T + offsets[some]).max() < 1e-9 and np.allclose(np.hypot(*normals.T), 1)
    # The neighbour opposite to a vertex shares the other one.
    simplices, neighbors = found.simplices.get(), found.neighbors.get()
    for j in (0, 1):
        shared = simplices[neighbors[:, j]] == simplices[:, 1 - j, None]
        assert (shared.sum(1) == 1).all()


def test_points_on_edges_and_equal_points_are_no_vertices():
    grid = np.stack(np.meshgrid(np.arange(90.0), np.arange(80.0), indexing='ij'), -1).reshape(-1, 2)
    hull = spatial.ConvexHull(cp.asarray(np.concatenate([grid, grid]) * 0.1))
    assert cyclic(hull.vertices) == [0, 89 * 80, 90 * 80 - 1, 79]
    # The middle point is outside by one unit in the last place of a coordinate.
    above = np.nextafter(0.5, 1)
    assert len(spatial.ConvexHull(cp.asarray([[0.0, 0], [1, 1], [1, -1], [0.5, above]])).vertices) == 4
    assert len(spatial.ConvexHull(cp.asarray([[0.0, 0], [1, 1], [1, -1], [0.5, 0.5]])).vertices) == 3
    # Differences of which float64 keeps nothing.
    assert len(spatial.ConvexHull(cp.asarray([[0, 0], [1e-200, 1e-200], [2e-200, 1e-200], [1e-200, 2e-200]])).vertices) == 3


@pytest.mark.parametrize('count, ndim', [(5, 3), (60, 3), (9000, 3), (40, 4), (6000, 4), (25, 5)])
@pytest.mark.parametrize('kind', ['cube', 'normal', 'sphere', 'flat'])
def test_polyhedra(count, ndim, kind):
    points = RNG.random((count, ndim))
    if kind != 'cube':
        points = RNG.standard_normal((count, ndim))
    if kind == 'sphere':
        points = points[:400] / np.linalg.norm(points[:400], axis=1)[:, None]
    if kind == 'flat':
        points = points * [1e-4] + [1e3] * ndim
    found, wanted = spatial.ConvexHull(cp.asarray(points)), scipy.spatial.ConvexHull(points)
    assert (found.ndim, found.npoints, found.nsimplex) == (ndim, len(points), len(found.simplices))
    if kind in ('cube', 'normal'):
        np.testing.assert_array_equal(found.vertices.get(), wanted.vertices)
        assert {tuple(sorted(f)) for f in found.simplices.get().tolist()} == {tuple(sorted(f)) for f in wanted.simplices.tolist()}
    tolerance = 1e-6 if kind == 'flat' else 1e-10
    assert np.isclose(found.area, wanted.area, rtol=tolerance) and np.isclose(found.volume, wanted.volume, rtol=tolerance)
    simplices, neighbors, equations = found.simplices.get(), found.neighbors.get(), found.equations.get()
    assert simplices.dtype == neighbors.dtype == np.int32 and equations.shape == (len(simplices), ndim + 1)
    np.testing.assert_allclose(np.linalg.norm(equations[:, :-1], axis=1), 1)
    assert (points @ equations[:300, :-1].T + equations[:300, -1]).max() < 1e-9
    heights = np.einsum('fvk,fk->fv', points[simplices], equations[:, :-1]) + equations[:, -1:]
    assert abs(heights).max() < 1e-9
    for j in range(ndim):
        others = np.delete(simplices, j, axis=1)
        assert all(set(a) < set(b) for a, b in zip(others, simplices[neighbors[:, j]]))


@pytest.mark.parametrize('ndim', [3, 4])
def test_points_within_faces_are_no_vertices(ndim):
    # Multiples of 0.1 are not exact: those of 1 and 2 are on the edges, those of 3 are not.
    for unit, sides in ((1.0, 4), (0.1, 3)):
        grid = np.array(list(itertools.product(np.arange(sides) * unit, repeat=ndim)))
        points = np.concatenate([grid, grid])[RNG.permutation(2 * len(grid))]
        hull = spatial.ConvexHull(cp.asarray(points))
        corners = points[hull.vertices.get()]
        expected = set(itertools.product((0.0, grid.max()), repeat=ndim))
        assert set(map(tuple, corners.tolist())) == expected and len(corners) == len(expected)
        assert np.isclose(hull.volume, grid.max() ** ndim) and np.isclose(hull.area, 2 * ndim * grid.max() ** (ndim - 1))
    # One point is outside of a face by the least difference that its coordinate has.
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    assert len(spatial.ConvexHull(cp.asarray([*cube, [0.5, 0.5, np.nextafter(1, 2)]])).vertices) == 9
    assert len(spatial.ConvexHull(cp.asarray([*cube, [0.5, 0.5, 1]])).vertices) == 8


def test_rejected_points():
    for points, error in (
        (np.zeros((5, 2)), Exception),
        (np.arange(10.0).reshape(5, 2), Exception),
        (np.ones((2, 2)), Exception),
        (np.array([[0.0, 0], [1, np.nan], [0, 1]]), ValueError),
        (np.zeros(4), ValueError),
        (np.zeros((4, 3)), Exception),
        (RNG.random((9, 3)) * [1, 1, 0], Exception),
        (RNG.random((9, 1)), ValueError),
        (RNG.random((20, 13)), NotImplementedError),
        (np.zeros((4, 2), complex), TypeError),
    ):
        with pytest.raises(error):
            spatial.ConvexHull(cp.asarray(points))
    with pytest.raises(NotImplementedError):
        spatial.ConvexHull(cp.zeros((4, 2)), incremental=True)
