"""Delaunay triangulation of the plane."""

import functools

import numpy

import cuprum
from cuprum._cuprum import Triangulation
from cuprum._decorators import set_module


def _qhull_error_class():
    """Returns SciPy's class of errors of degenerate points, or its base class where SciPy is not installed."""
    try:
        from scipy.spatial import QhullError
    except ImportError:
        QhullError = RuntimeError
    return QhullError


def _qhull_error(message):
    return _qhull_error_class()(message)


@set_module('cuprum.cupyx.scipy.spatial')
class Delaunay:
    """Delaunay triangulation of points of the shape (n, 2).

    It is computed on the host with exact predicates: creating one synchronises. `find_simplex` runs on the device. Points on one
    circle are triangulated in one of the possible ways; triangles that are flat by Qhull's bounds of rounding errors are
    kept. `furthest_site` and `incremental` are not supported, nor other dimensions than 2.
    """

    ndim = 2
    furthest_site = False

    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        if furthest_site or incremental:
            raise NotImplementedError('Delaunay: neither furthest_site nor incremental is supported')
        if qhull_options is not None:
            raise NotImplementedError('Delaunay: qhull_options: the triangulation is not computed by Qhull')
        try:
            self._core = Triangulation(cuprum.asarray(points))
        except numpy.linalg.LinAlgError as e:
            raise _qhull_error(str(e)) from None

    @functools.cached_property
    def points(self):
        """The points, float64."""
        return self._core.points()

    @functools.cached_property
    def simplices(self):
        """The vertices of each triangle in counterclockwise order, int32 of the shape (triangles, 3)."""
        return self._core.simplices()

    @functools.cached_property
    def neighbors(self):
        """The triangle opposite to each vertex of each triangle, or -1 at the hull; int32 of the shape (triangles, 3)."""
        return self._core.neighbors()

    @functools.cached_property
    def coplanar(self):
        """The points that are no vertices, with a triangle at each and the vertex of its coordinates; int32 of the shape (k, 3)."""
        return self._core.coplanar()

    @functools.cached_property
    def convex_hull(self):
        """The edges of the convex hull in no order, int32 of the shape (edges, 2)."""
        return self._core.convex_hull()

    @functools.cached_property
    def vertex_to_simplex(self):
        """A triangle of each point, int32; -1 for points that are no vertices."""
        return self._core.vertex_to_simplex()

    @functools.cached_property
    def vertex_neighbor_vertices(self):
        """Pointers and indices: the neighbours of vertex k are `indices[indptr[k]:indptr[k + 1]]`."""
        return tuple(self._core.vertex_neighbor_vertices())

    @functools.cached_property
    def transform(self):
        """The affine maps to barycentric coordinates, float64 of the shape (triangles, 3, 2)."""
        return self._core.transform()

    @property
    def min_bound(self):
        """The smallest coordinates, as an array on the device."""
        return cuprum.asarray(self._core.bounds()[0])

    @property
    def max_bound(self):
        """The largest coordinates, as an array on the device."""
        return cuprum.asarray(self._core.bounds()[1])

    @property
    def npoints(self):
        """The number of points."""
        return self.points.shape[0]

    @property
    def nsimplex(self):
        """The number of triangles."""
        return self.simplices.shape[0]

    @property
    def vertices(self):
        """The vertices of each triangle: an old name of `simplices`."""
        return self.simplices

    def find_simplex(self, xi, bruteforce=False, tol=None):
        """Returns the triangle of each point of `xi`, int32 of the shape of its axes but the last one; -1 outside of the hull.

        `bruteforce` has no effect: the search walks through the triangles.
        """
        return self._core.find_simplex(cuprum.asarray(xi), tol)

    def close(self):
        """Has no effect: points cannot be added."""
