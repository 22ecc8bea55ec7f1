"""Convex hull of points of the plane."""

from fractions import Fraction

import numpy

import cuprum
from cuprum._decorators import set_module

from ._delaunay import _qhull_error

# From here on, points are dropped on the device before the hull of the others is computed on the host.
_MANY = 1 << 12
# From here on, points are dropped on the host, too.
_SOME = 1 << 9
# Shewchuk's bound of the rounding error of `_side`, relative to the sum of the magnitudes of its products.
_ROUNDING = (3 + 16 * numpy.finfo(float).eps / 2) * numpy.finfo(float).eps / 2

# Whether a point is left of all edges of a polygon by more than the rounding errors.
_inside = cuprum.ElementwiseKernel(
    'raw float64 points, raw float64 corners, int64 count, float64 slack',
    'bool inside',
    """
    double x = points[2 * i], y = points[2 * i + 1];
    bool all = true;
    for (long long k = 0; k < count; ++k) {
        long long next = k + 1 < count ? k + 1 : 0;
        double ax = corners[2 * k], ay = corners[2 * k + 1];
        all = all && (corners[2 * next] - ax) * (y - ay) - (corners[2 * next + 1] - ay) * (x - ax) > slack;
    }
    inside = all;
    """,
    'cuprum_convex_hull_inside',
)


def _side(a, b, c):
    """Returns a number above 0 if c is left of the line from a to b, below 0 if it is right of it, and 0 if it is on it, exactly."""
    left, right = (b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])
    found = left - right
    # Beyond the range of numbers the bound does not hold.
    if abs(found) > _ROUNDING * (abs(left) + abs(right)) and 1e-290 < abs(found) < 1e290:
        return found
    a, b, c = (tuple(map(Fraction, p)) for p in (a, b, c))
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _hull(points):
    """Returns the indices of the vertices in counterclockwise order, without points on edges; of equal points the first one (A. M. Andrew, "Another efficient algorithm for convex hulls in two
    dimensions", 1979)."""
    order = numpy.lexsort((points[:, 1], points[:, 0]))
    ordered = points[order]
    distinct = numpy.ones(len(order), bool)
    distinct[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    order, ordered = order[distinct], ordered[distinct].tolist()

    def chain(indices):
        found = []
        for i in indices:
            while len(found) > 1 and _side(ordered[found[-2]], ordered[found[-1]], ordered[i]) <= 0:
                found.pop()
            found.append(i)
        return found[:-1]

    return order[chain(range(len(ordered))) + chain(range(len(ordered) - 1, -1, -1))]


def _reduced(points):
    """Returns the indices of points of the host without those inside of the polygon of the extremes in 64 directions."""
    angles = numpy.pi * numpy.arange(64) / 32
    corners = points[(points @ numpy.stack([numpy.cos(angles), numpy.sin(angles)])).argmax(axis=0)]
    corners = corners[_hull(corners)]
    if len(corners) < 3:
        return numpy.arange(len(points))
    inside, slack = numpy.ones(len(points), bool), _slack(corners)
    for a, b in zip(corners, numpy.roll(corners, -1, axis=0)):
        inside &= (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0]) > slack
    return numpy.flatnonzero(~inside)


def _slack(corners):
    """Returns a bound of the rounding errors of cross products of points within a polygon.

    Differences of coordinates are below its extent, and the products of two of them are exact to a few roundings of its square.
    """
    extent = float((corners.max(0) - corners.min(0)).max())
    return 64 * numpy.finfo(float).eps * (extent * (extent + float(abs(corners).max())))


def _outer(points):
    """Returns the indices of points of which those of the hull are some: those that are not inside of the polygon of the extremes in eight directions."""
    x, y = points[:, 0], points[:, 1]
    extremes = []
    for along in (x, y, x + y, x - y):
        extremes += [along.argmin(), along.argmax()]
    extremes = cuprum.stack(extremes)
    corners = points[extremes].get()
    corners = corners[_hull(corners)]
    if len(corners) < 3:
        return None
    inside = _inside(points, cuprum.asarray(corners), len(corners), _slack(corners), size=points.shape[0])
    return cuprum.flatnonzero(~inside)


@set_module('cuprum.cupyx.scipy.spatial')
class ConvexHull:
    """Convex hull of points of the shape (n, 2).

    Most points inside are dropped on the device; the hull of the others is computed on the host with exact predicates, which synchronises. Vertices are in counterclockwise order, and edge `k` is from
    vertex `k` to the next one. Points on edges are no vertices. Other dimensions than 2, `incremental` and `qhull_options` are not supported.
    """

    ndim = 2
    good = None

    def __init__(self, points, incremental=False, qhull_options=None):
        if incremental:
            raise NotImplementedError('ConvexHull: incremental is not supported')
        if qhull_options is not None:
            raise NotImplementedError('ConvexHull: qhull_options: the hull is not computed by Qhull')
        points = cuprum.asarray(points)
        if points.ndim != 2:
            raise ValueError('`points` should be a 2-dimensional array')
        if points.shape[1] != 2:
            raise NotImplementedError(f'ConvexHull: points have {points.shape[1]} dimensions, and hulls of 2 are supported')
        if points.dtype.kind == 'c':
            raise TypeError('ConvexHull does not work with complex points')
        points = cuprum.ascontiguousarray(points.astype(float, copy=False))
        if not cuprum.isfinite(points).all():
            raise ValueError('Points cannot contain NaN or infinity')
        outer = _outer(points) if points.shape[0] >= _MANY else None
        host = (points if outer is None else points[outer]).get()
        rest = _reduced(host) if len(host) > _SOME else numpy.arange(len(host))
        vertices = rest[_hull(host[rest])] if len(host) > 2 else numpy.zeros(0, int)
        if len(vertices) < 3:
            raise _qhull_error(f'ConvexHull: the {points.shape[0]} points are on one line, which has no area')
        corners = host[vertices]
        self.points = points
        self.npoints, self.nsimplex = points.shape[0], len(vertices)
        chosen = cuprum.asarray(vertices) if outer is None else outer[cuprum.asarray(vertices)]
        self.vertices = chosen.astype('int32')
        self.simplices = cuprum.stack([self.vertices, cuprum.roll(self.vertices, -1)], axis=1)
        numbers = numpy.arange(self.nsimplex)
        # Neighbour j of an edge is the one at its other end.
        self.neighbors = cuprum.asarray(numpy.stack([numpy.roll(numbers, -1), numpy.roll(numbers, 1)], 1).astype('int32'))
        step = numpy.roll(corners, -1, axis=0) - corners
        length = numpy.hypot(step[:, 0], step[:, 1])
        normal = numpy.stack([step[:, 1], -step[:, 0]], 1) / length[:, None]
        self.equations = cuprum.asarray(numpy.column_stack([normal, -(normal * corners).sum(1)]))
        self.coplanar = cuprum.empty((0, 3), 'int32')
        # Perimeter and area: the measures of the boundary and of the inside, as SciPy names them.
        self.area = float(length.sum())
        centred = corners - corners[0]
        self.volume = float(0.5 * (centred[:-1, 0] * centred[1:, 1] - centred[:-1, 1] * centred[1:, 0]).sum())
        self.min_bound, self.max_bound = (cuprum.asarray(bound) for bound in (corners.min(0), corners.max(0)))

    def close(self):
        """Has no effect: points cannot be added."""
