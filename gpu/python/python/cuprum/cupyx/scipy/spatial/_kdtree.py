"""Nearest neighbours of points."""

import operator

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._decorators import set_module

_INFINITY = float('inf')


@set_module('cuprum.cupyx.scipy.spatial')
class KDTree:
    """Tree of points of the shape (n, m) for searches of their neighbours.

    It has boxes of points along a Hilbert curve, whatever `leafsize`, `compact_nodes` and `balanced_tree` are; searches are exact, and of
    points at the same distance the one of the smaller number is nearer. Points of float16 and float32 are searched in float32, others in float64.
    `boxsize` is the length of the period of all coordinates, or of each; 0 is none. Creating a tree synchronises, to check that points are
    finite.
    """

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        data = cuprum.asarray(data)
        if data.dtype.kind == 'c':
            raise TypeError('KDTree does not work with complex data')
        if data.ndim != 2:
            raise ValueError('data must be of shape (n, m), where there are n points of dimension m')
        if leafsize < 1:
            raise ValueError('leafsize must be at least 1')
        self.leafsize = leafsize
        self.boxsize = None if boxsize is None else numpy.broadcast_to(numpy.asarray(boxsize, float), data.shape[1:]).copy()
        if copy_data:
            data = data.copy()
        self._core = _cuprum.PointTree(data, None if boxsize is None else self.boxsize.tolist())
        self.n, self.m = data.shape

    @property
    def data(self):
        """The points, float32 or float64."""
        return self._core.data()

    @property
    def mins(self):
        """The smallest coordinates."""
        return self._core.bounds()[0]

    @property
    def maxes(self):
        """The largest coordinates."""
        return self._core.bounds()[1]

    @property
    def size(self):
        """The number of nodes."""
        return self._core.nodes()

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=_INFINITY, workers=1):
        """Returns the distances and the numbers of the nearest points of each query, in ascending order.

        `k` is the number of neighbours, or a sequence of ranks from 1 on. There are infinity and `n` where there are fewer. The results
        have the shape of `x` without its last axis, and `k` unless it is the integer 1. `workers` has no
        effect. It synchronises, to check that the queries are finite.
        """
        x = cuprum.asarray(x)
        if k is None:
            raise ValueError('k must be an integer or a sequence of integers')
        try:
            k = operator.index(k)
            ranks = None
        except TypeError:
            try:
                ranks = [operator.index(rank) for rank in (k.tolist() if hasattr(k, 'tolist') else k)]
            except TypeError:
                raise ValueError('k must be an integer or a sequence of integers') from None
            if not ranks:
                raise ValueError('k must have at least one rank') from None
        if min(ranks or [k]) < 1:
            raise ValueError('k must be greater than or equal to 1')
        distances, indices = self._core.query(x, max(ranks or [k]), float(eps), float(p), float(distance_upper_bound))
        if ranks is None:
            return (distances[..., 0], indices[..., 0]) if k == 1 else (distances, indices)
        if ranks == list(range(1, len(ranks) + 1)):
            return distances, indices
        chosen = cuprum.asarray([rank - 1 for rank in ranks])
        return distances[..., chosen], indices[..., chosen]

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
        """Returns the numbers of the points within the radius `r` of each query: a list, or a NumPy array of lists for several
        queries; the number of points, on the device, with `return_length`.

        `r` is a number or broadcast to the queries. Results are exact whatever `eps` is. Lists are on the host: making them synchronises.
        """
        x, r = cuprum.asarray(x), cuprum.asarray(r)
        if return_length:
            return self._core.count_within(x, r, float(p), False)
        if return_sorted is None:
            return_sorted = x.ndim > 1
        lists = self._lists(x, r, p, bool(return_sorted))
        if x.ndim == 1 and r.ndim == 0:
            return lists[0]
        result = numpy.empty(len(lists), object)
        result[:] = lists
        return result.reshape(x.shape[:-1])

    def _lists(self, x, r, p, return_sorted, above=False):
        if x.ndim == 1 and r.ndim > 0:
            x = cuprum.broadcast_to(x, (*r.shape, x.shape[0]))
        (offsets, _, indices), _ = self._core.within(x, r, float(p), above, return_sorted)
        offsets, indices = offsets.get().tolist(), indices.get().tolist()
        return [indices[a:b] for a, b in zip(offsets, offsets[1:])]

    def query_ball_tree(self, other, r, p=2.0, eps=0.0):
        """Returns a list for each point: the numbers of the points of `other` within the radius `r`. It synchronises."""
        return other._lists(self.data, cuprum.asarray(float(r)), p, True)

    def query_pairs(self, r, p=2.0, eps=0.0, output_type='set'):
        """Returns the pairs (i, j) of points within the distance `r`, with i < j: a set, or an int64 array of two columns on the device
        if `output_type` is 'ndarray'. It synchronises."""
        if output_type not in ('set', 'ndarray'):
            raise ValueError(f"invalid output type {output_type!r}: there are 'set' and 'ndarray'")
        (_, rows, indices), _ = self._core.within(self.data, cuprum.asarray(float(r)), float(p), True, True)
        pairs = cuprum.stack([rows, indices], axis=1)
        return pairs if output_type == 'ndarray' else set(map(tuple, pairs.get().tolist()))

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        """Returns the number of pairs of a point and a point of `other` within the distance `r`, or the sum of the products of their weights.

        `r` is a number, or an ascending list of them; without `cumulative`, pairs are counted between one radius and the next.
        `weights` has those of the points of this tree, or of both. It synchronises.
        """
        radii = numpy.asarray(r.get() if hasattr(r, 'get') else r, float)
        if radii.ndim > 1:
            raise ValueError('r must be either a single value or a one-dimensional array of values')
        if not cumulative and (numpy.diff(numpy.atleast_1d(radii)) < 0).any():
            raise ValueError('r must be non-decreasing for non-cumulative counting')
        edges = numpy.atleast_1d(radii)
        if weights is None:
            counts = [int(other._core.count_within(self.data, cuprum.asarray(float(edge)), float(p), False).sum()) for edge in edges]
            counts = numpy.asarray(counts, numpy.int64)
        else:
            own, others = weights if isinstance(weights, tuple) else (weights, weights)
            own, others = (cuprum.ones(tree.n) if w is None else cuprum.asarray(w).astype('float64') for tree, w in ((self, own), (other, others)))
            for tree, w in ((self, own), (other, others)):
                if w.shape != (tree.n,):
                    raise ValueError(f'Number of weights differ from the number of data points: {w.shape} and {tree.n}')
            counts = []
            for edge in edges:
                (_, rows, indices), _ = other._core.within(self.data, cuprum.asarray(float(edge)), float(p), False, False)
                counts.append(float((own[rows] * others[indices]).sum()))
            counts = numpy.asarray(counts)
        if not cumulative:
            counts = numpy.diff(counts, prepend=counts.dtype.type(0))
        return counts[0].item() if radii.ndim == 0 else counts

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type='coo_matrix'):
        """Returns the distances up to `max_distance` of the points from those of `other` as a sparse matrix.

        `output_type` is 'coo_matrix' or 'coo_array' for one on the device, 'dok_matrix' or 'dok_array' for SciPy's on the host, 'dict', or
        'ndarray' for a NumPy array of records (i, j, v). SciPy's default is 'dok_matrix'. It synchronises.
        """
        kinds = ('coo_matrix', 'coo_array', 'dok_matrix', 'dok_array', 'dict', 'ndarray')
        if output_type not in kinds:
            raise ValueError(f'invalid output type {output_type!r}: there are {", ".join(kinds)}')
        (_, rows, columns), values = other._core.within(self.data, cuprum.asarray(float(max_distance)), float(p), False, False)
        if output_type.startswith('coo'):
            from cuprum.cupyx.scipy import sparse

            return getattr(sparse, output_type)((values, (rows, columns)), shape=(self.n, other.n))
        rows, columns, values = rows.get(), columns.get(), values.get().astype(float)
        if output_type == 'ndarray':
            result = numpy.empty(len(rows), [('i', numpy.intp), ('j', numpy.intp), ('v', float)])
            result['i'], result['j'], result['v'] = rows, columns, values
            return result
        if output_type == 'dict':
            return dict(zip(zip(rows.tolist(), columns.tolist()), values.tolist()))
        import scipy.sparse

        coo = scipy.sparse.coo_matrix if output_type == 'dok_matrix' else scipy.sparse.coo_array
        return coo((values, (rows, columns)), shape=(self.n, other.n)).todok()


cKDTree = KDTree
