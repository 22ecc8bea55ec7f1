"""`ConvexHull` against SciPy's, and on points for which rounding decides."""

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


def test_rejected_points():
    for points, error in (
        (np.zeros((5, 2)), Exception),
        (np.arange(10.0).reshape(5, 2), Exception),
        (np.ones((2, 2)), Exception),
        (np.array([[0.0, 0], [1, np.nan], [0, 1]]), ValueError),
        (np.zeros(4), ValueError),
        (np.zeros((4, 3)), NotImplementedError),
        (np.zeros((4, 2), complex), TypeError),
    ):
        with pytest.raises(error):
            spatial.ConvexHull(cp.asarray(points))
    with pytest.raises(NotImplementedError):
        spatial.ConvexHull(cp.zeros((4, 2)), incremental=True)
