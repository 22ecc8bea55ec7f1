"""Delaunay triangulation."""

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
    """Delaunay triangulation of points of the shape (n, ndim), of 2 to 12 dimensions.

    It is computed on the host with exact predicates: creating one synchronises. `find_simplex` runs on the device. Points on one
    circle or sphere are triangulated in one of the possible ways; simplices that are flat by Qhull's bounds of rounding errors are
    kept. `furthest_site` and `incremental` are not supported.
    """

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
        """The vertices of each simplex, int32 of the shape (simplices, ndim + 1); those of a triangle are in counterclockwise order."""
        return self._core.simplices()

    @functools.cached_property
    def neighbors(self):
        """The simplex opposite to each vertex of each simplex, or -1 at the hull; int32 of the shape (simplices, ndim + 1)."""
        return self._core.neighbors()

    @functools.cached_property
    def coplanar(self):
        """The points that are no vertices, with a simplex at each and the vertex of its coordinates; int32 of the shape (k, 3)."""
        return self._core.coplanar()

    @functools.cached_property
    def convex_hull(self):
        """The facets of the convex hull in no order, int32 of the shape (facets, ndim)."""
        return self._core.convex_hull()

    @functools.cached_property
    def vertex_to_simplex(self):
        """A simplex of each point, int32; -1 for points that are no vertices."""
        return self._core.vertex_to_simplex()

    @functools.cached_property
    def vertex_neighbor_vertices(self):
        """Pointers and indices: the neighbours of vertex k are `indices[indptr[k]:indptr[k + 1]]`."""
        return tuple(self._core.vertex_neighbor_vertices())

    @functools.cached_property
    def transform(self):
        """The affine maps to barycentric coordinates, float64 of the shape (simplices, ndim + 1, ndim)."""
        return self._core.transform()

    @functools.cached_property
    def good(self):
        """Ones, int32 for each simplex: all of them are part of the triangulation."""
        return cuprum.ones(self.nsimplex, 'int32')

    @property
    def paraboloid_scale(self):
        """Factor of the paraboloid of `lift_points`."""
        return self._core.paraboloid()[0]

    @property
    def paraboloid_shift(self):
        """Offset of the paraboloid of `lift_points`."""
        return self._core.paraboloid()[1]

    @functools.cached_property
    def equations(self):
        """The unit normal, which points down, and the offset of the hyperplane of each lifted simplex, float64 of the shape (simplices, ndim + 2)."""
        return self._core.equations()

    def lift_points(self, x):
        """Returns points with their heights on the scaled paraboloid as one coordinate more."""
        return self._core.lift_points(cuprum.asarray(x))

    def plane_distance(self, xi):
        """Returns the signed distances of lifted points from the hyperplanes of all simplices, float64 with the simplices as the last axis."""
        return self._core.plane_distance(cuprum.asarray(xi))

    @property
    def min_bound(self):
        """The smallest coordinates, as an array on the device."""
        return cuprum.asarray(self._core.bounds()[0])

    @property
    def max_bound(self):
        """The largest coordinates, as an array on the device."""
        return cuprum.asarray(self._core.bounds()[1])

    @property
    def ndim(self):
        """The number of coordinates of a point."""
        return self.points.shape[1]

    @property
    def npoints(self):
        """The number of points."""
        return self.points.shape[0]

    @property
    def nsimplex(self):
        """The number of simplices."""
        return self.simplices.shape[0]

    @property
    def vertices(self):
        """The vertices of each simplex: an old name of `simplices`."""
        return self.simplices

    def find_simplex(self, xi, bruteforce=False, tol=None):
        """Returns the simplex of each point of `xi`, int32 of the shape of its axes but the last one; -1 outside of the hull.

        `bruteforce` has no effect: the search walks through the simplices.
        """
        return self._core.find_simplex(cuprum.asarray(xi), tol)

    def close(self):
        """Has no effect: points cannot be added."""
