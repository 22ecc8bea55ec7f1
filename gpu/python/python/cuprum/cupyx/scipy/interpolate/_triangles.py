"""Interpolation on a triangulation of scattered points: linear, and with continuous derivatives."""

import numpy

import cuprum

from ._arguments import from_rows, reals, rows, values
from ._nd import points_of


class _OnTriangles:
    """Points, values and their triangulation."""

    def __init__(self, points, data, fill_value, rescale):
        from ..spatial import Delaunay

        known = hasattr(points, 'simplices')
        if known:
            if rescale:
                raise ValueError('Rescaling is not supported when passing a Delaunay triangulation as `points`.')
            self.tri, points = points, points.points
        points = points_of(points, 2) if isinstance(points, tuple) else reals(points, 'points')
        data = cuprum.asarray(data)
        if points.ndim != 2:
            raise ValueError(f'invalid shape for input data points: {points.shape}')
        if points.shape[1] < 2:
            raise ValueError('input data must be at least 2-D')
        if data.ndim == 0 or data.shape[0] != points.shape[0]:
            raise ValueError(f'different number of values and points: {data.shape} and {points.shape}')
        self.values, self.fill_value = values(data), fill_value
        self.scale = None
        if rescale:
            self.offset, width = points.mean(0), points.max(0) - points.min(0)
            self.scale = cuprum.where(width > 0, width, 1.0)
            points = (points - self.offset) / self.scale
        self.points = points
        if not known:
            self.tri = Delaunay(points)
        self._rows = rows(self.values)

    def __call__(self, *args):
        """Values at points, which are an array or one array for each coordinate."""
        ndim = self.points.shape[1]
        xi = points_of(args[0] if len(args) == 1 else tuple(args), ndim)
        if xi.shape[-1] != ndim:
            raise ValueError(f'number of dimensions in xi does not match x: {xi.shape[-1]} and {ndim}')
        shape, xi = xi.shape[:-1], xi.reshape(-1, ndim)
        if self.scale is not None:
            xi = (xi - self.offset) / self.scale
        simplex = cuprum.asarray(self.tri.find_simplex(xi))
        inside = simplex >= 0
        simplex = cuprum.maximum(simplex, 0)
        y = from_rows(self._evaluate(simplex, self._coordinates(simplex, xi)), self.values)
        y = cuprum.where(inside.reshape(-1, *[1] * (y.ndim - 1)), y, self.fill_value)
        return y.reshape((*shape, *self.values.shape[1:]))

    def _coordinates(self, simplex, xi):
        """Returns barycentric coordinates in simplices."""
        maps = cuprum.asarray(self.tri.transform)[simplex]
        ndim = xi.shape[-1]
        c = (maps[:, :ndim] * (xi - maps[:, ndim])[:, None, :]).sum(-1)
        return cuprum.concatenate([c, 1 - c.sum(-1, keepdims=True)], 1)


class LinearNDInterpolator(_OnTriangles):
    """Interpolant that is linear in each triangle of scattered points."""

    def __init__(self, points, values, fill_value=numpy.nan, rescale=False):
        super().__init__(points, values, fill_value, rescale)

    def _evaluate(self, simplex, b):
        corners = cuprum.asarray(self.tri.simplices)[simplex]
        return (self._rows[corners] * b[:, :, None]).sum(1)


class CloughTocher2DInterpolator(_OnTriangles):
    """Piecewise cubic interpolant with continuous derivatives (P. Alfeld, 1984; G. Farin, "Triangular Bernstein-Bezier patches", 1986).

    The gradients at the points minimise the curvature along the edges of the triangles: one sparse system, solved by conjugate gradients until
    the relative residual is `tol` or less.
    """

    def __init__(self, points, values, fill_value=numpy.nan, tol=1e-06, maxiter=400, rescale=False):
        super().__init__(points, values, fill_value, rescale)
        if self.points.shape[1] != 2:
            raise ValueError('CloughTocher2DInterpolator: the points must have two coordinates')
        self.grad = self._gradients(tol, maxiter)
        self._ratios = self._directions()

    def _gradients(self, tol, maxiter):
        """Returns gradients of the shape (points, 2, columns)."""
        from ..sparse import csr_matrix
        from ..sparse.linalg import cg

        n, x = self.points.shape[0], self.points
        pointers, neighbours = (cuprum.asarray(part) for part in self.tri.vertex_neighbor_vertices)
        own = cuprum.repeat(cuprum.arange(n), cuprum.diff(pointers))
        edge = x[neighbours] - x[own]
        weight = 1 / cuprum.sqrt((edge * edge).sum(1)) ** 3
        outer = edge[:, :, None] * edge[:, None, :] * weight[:, None, None]
        steps = (self._rows[neighbours] - self._rows[own])[:, None, :] * (edge * weight[:, None])[:, :, None]
        # Sums over the edges of a point are products with a matrix of ones.
        summing = csr_matrix((cuprum.ones(own.size), cuprum.arange(own.size), pointers), shape=(n, own.size))
        blocks = 4 * (summing @ outer.reshape(-1, 4)).reshape(n, 2, 2)
        right = 6 * (summing @ steps.reshape(own.size, -1)).reshape(n, 2, -1)
        # Points without edges have the gradient 0.
        lonely = blocks[:, 0, 0] + blocks[:, 1, 1] == 0
        blocks = cuprum.where(lonely[:, None, None], cuprum.eye(2), blocks)
        # Unknowns are scaled by the inverse of the factor of their block.
        a = cuprum.sqrt(blocks[:, 0, 0])
        c = blocks[:, 1, 0] / a
        d = cuprum.sqrt(cuprum.maximum(blocks[:, 1, 1] - c * c, 1e-300))
        inverse = cuprum.zeros((n, 2, 2))
        inverse[:, 0, 0], inverse[:, 1, 0], inverse[:, 1, 1] = 1 / a, -c / (a * d), 1 / d
        coupled = inverse[own] @ (2 * outer) @ inverse[neighbours].transpose(0, 2, 1)
        i, j = cuprum.meshgrid(cuprum.arange(2), cuprum.arange(2), indexing='ij')
        diagonal = cuprum.arange(2 * n)
        entries = cuprum.concatenate([cuprum.ones(2 * n), coupled.ravel()])
        down = cuprum.concatenate([diagonal, (2 * own[:, None, None] + i).ravel()])
        across = cuprum.concatenate([diagonal, (2 * neighbours.astype(int)[:, None, None] + j).ravel()])
        matrix = csr_matrix((entries, (down, across)), shape=(2 * n, 2 * n))
        right = (inverse @ right).reshape(2 * n, -1)
        found = [cg(matrix, cuprum.ascontiguousarray(right[:, k]), rtol=tol, maxiter=maxiter)[0] for k in range(right.shape[1])]
        g = cuprum.stack(found, 1).reshape(n, 2, -1)
        return inverse.transpose(0, 2, 1) @ g

    def _directions(self):
        """Returns for each edge the ratio by which the derivative towards the neighbour's centroid is linear along the edge."""
        simplices, neighbours = cuprum.asarray(self.tri.simplices), cuprum.asarray(self.tri.neighbors)
        centres = self.points[simplices].mean(1)
        ratios = []
        for k in range(3):
            beyond = neighbours[:, k]
            all_of = cuprum.arange(simplices.shape[0])
            b = self._coordinates(all_of, centres[cuprum.maximum(beyond, 0)])
            ratio = (b[:, (k + 2) % 3] - b[:, k]) / (3 * b[:, k] - 1)
            ratios.append(cuprum.where(beyond < 0, -0.5, ratio))
        return cuprum.stack(ratios, 1)

    def _evaluate(self, simplex, b):
        corners = cuprum.asarray(self.tri.simplices)[simplex]
        f, g, x = self._rows[corners], self.grad[corners], self.points[corners]
        ratios = self._ratios[simplex]

        def along(i, j):
            """Returns the coefficient next to corner i on the edge to corner j."""
            edge = (x[:, j] - x[:, i])[:, :, None]
            return f[:, i] + (g[:, i] * edge).sum(1) / 3

        edges = {(i, j): along(i, j) for i in range(3) for j in range(3) if i != j}
        # Coefficients next to the corners in the direction of the centroid, those in the middle of the three parts, and those around the centroid.
        near = [(f[:, i] + edges[i, (i + 1) % 3] + edges[i, (i + 2) % 3]) / 3 for i in range(3)]
        middle = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            third = -f[:, i] + 3 * edges[i, j] - 3 * edges[j, i] + f[:, j]
            second = f[:, i] - 2 * edges[i, j] + edges[j, i]
            middle.append((near[i] + near[j] - second + ratios[:, k, None] * third) / 2)
        inner = [(near[i] + middle[(i + 1) % 3] + middle[(i + 2) % 3]) / 3 for i in range(3)]
        centre = (inner[0] + inner[1] + inner[2]) / 3
        # The part of the triangle is that without the corner of the least coordinate.
        least = b.min(1)
        p = [(b[:, i] - least)[:, None] for i in range(3)]
        q = (3 * least)[:, None]
        y = q**3 * centre
        for i in range(3):
            y = y + p[i] ** 3 * f[:, i] + 3 * p[i] ** 2 * q * near[i] + 3 * p[i] * q**2 * inner[i]
            j = (i + 1) % 3
            y = y + 3 * p[i] ** 2 * p[j] * edges[i, j] + 3 * p[i] * p[j] ** 2 * edges[j, i] + 6 * p[i] * p[j] * q * middle[(i + 2) % 3]
        return y
