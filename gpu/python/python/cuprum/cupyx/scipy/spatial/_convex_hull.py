"""Convex hull of points."""

import numpy

import cuprum
from cuprum._cuprum import PointHull
from cuprum._decorators import set_module

from ._delaunay import _qhull_error


@set_module('cuprum.cupyx.scipy.spatial')
class ConvexHull:
    """Convex hull of points of the shape (n, ndim), of 2 to 12 dimensions.

    Most points inside are dropped on the device; the hull of the others is computed on the host with exact predicates, which synchronises. Vertices of a polygon are in counterclockwise order, and its
    edge `k` is from vertex `k` to the next one; other vertices are in ascending order. Points within faces are no vertices, and no facets are merged. `incremental` and `qhull_options` are not
    supported.
    """

    good = None

    def __init__(self, points, incremental=False, qhull_options=None):
        if incremental:
            raise NotImplementedError('ConvexHull: incremental is not supported')
        if qhull_options is not None:
            raise NotImplementedError('ConvexHull: qhull_options: the hull is not computed by Qhull')
        try:
            core = PointHull(cuprum.asarray(points))
        except numpy.linalg.LinAlgError as e:
            raise _qhull_error(str(e)) from None
        self.points = core.points()
        self.npoints, self.ndim = self.points.shape
        self.vertices, self.simplices, self.neighbors, self.equations = core.arrays()
        self.nsimplex = self.simplices.shape[0]
        self.coplanar = cuprum.empty((0, 3), 'int32')
        # The measures of the boundary and of the inside, as SciPy names them.
        self.area, self.volume = core.measures()
        self.min_bound, self.max_bound = self.points.min(0), self.points.max(0)

    def close(self):
        """Has no effect: points cannot be added."""
