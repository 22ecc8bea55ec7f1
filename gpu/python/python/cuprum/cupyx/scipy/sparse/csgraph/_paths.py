"""Shortest paths: `shortest_path` and the methods' own functions, and `yen`."""

import math
import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._graph import graph_of

__all__ = ['NegativeCycleError', 'bellman_ford', 'dijkstra', 'floyd_warshall', 'johnson', 'shortest_path', 'yen']

NONE = -9999


class NegativeCycleError(Exception):
    """Raised where a graph has a cycle of negative length; SciPy's class."""

    def __init__(self, message=''):
        super().__init__(message)


def _chosen(name, indices, n):
    """Returns the shape of the first vertices and their numbers; None for all. Raises ValueError for a number out of range."""
    if indices is None:
        return (n,), None
    chosen = numpy.asarray(cuprum.asnumpy(indices) if isinstance(indices, cuprum.ndarray) else indices, numpy.int64)
    if chosen.size and (chosen.min() < -n or chosen.max() >= n):
        raise ValueError(f'{name}: indices out of range 0...N')
    return chosen.shape, numpy.where(chosen < 0, chosen + n, chosen).ravel().tolist()


def _call(function, *args):
    """Calls a function of the core, whose error for a negative cycle has a class of its own."""
    try:
        return function(*args)
    except ValueError as error:
        if 'negative cycle' in str(error):
            raise NegativeCycleError(str(error)) from None
        raise


def _paths(name, method, csgraph, directed, return_predecessors, unweighted, indices, limit=math.inf):
    graph = graph_of(name, csgraph)
    if method == 'auto' and indices is None and 4 * graph.nnz >= graph.shape[0] ** 2:
        method = 'FW'
    graph = graph_of(name, graph, cuprum.float64, parallel=method == 'FW')
    shape, chosen = _chosen(name, indices, graph.shape[0])
    arguments = method, bool(directed), bool(unweighted), chosen, bool(return_predecessors), float(limit)
    lengths, before = _call(_cuprum.csgraph.shortest_path, graph._sparse, *arguments)
    lengths = lengths.reshape((*shape, graph.shape[0]))
    return (lengths, before.reshape(lengths.shape)) if return_predecessors else lengths


def shortest_path(csgraph, method='auto', directed=True, return_predecessors=False, unweighted=False, overwrite=False, indices=None):
    """Returns the lengths of the shortest paths between all vertices, or from those of `indices`.

    The result has a row for each beginning and is infinite where there is no path; with `return_predecessors` also the vertex before
    the last of each path, -9999 where there is none. Edges count in both directions unless `directed`, and have the length 1 with
    `unweighted`; a NaN is no edge. Whatever the `method` ('auto', 'D', 'BF', 'J' or 'FW'), products over the semiring of minimum and sum are repeated until
    no length changes (R. Bellman, 1958). 'FW', which 'auto' is for all vertices of a graph with a quarter of all edges, does not follow edges
    from a vertex to itself. Raises `NegativeCycleError` where lengths go on to fall, ValueError for 'D' and a negative length, another
    method, `indices` with 'FW' and an index out of range. SciPy's function.
    """
    if method not in ('auto', 'D', 'BF', 'J', 'FW'):
        raise ValueError(f'shortest_path: unrecognized method {method!r}')
    if method == 'FW' and indices is not None:
        raise ValueError("shortest_path: Cannot specify indices with method == 'FW'.")
    return _paths('shortest_path', method, csgraph, directed, return_predecessors, unweighted, indices)


def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, limit=math.inf, min_only=False):
    """Returns the lengths of the shortest paths: `shortest_path`.

    Lengths beyond `limit` are infinite. With `min_only` the result is the least over all beginnings, with `return_predecessors` also
    the predecessors and the beginning of each path. Negative lengths are allowed. Raises ValueError for a negative `limit`. SciPy's
    function.
    """
    if limit < 0:
        raise ValueError(f'dijkstra: limit must be at least 0, not {limit}')
    if not min_only:
        return _paths('dijkstra', 'BF', csgraph, directed, return_predecessors, unweighted, indices, limit)
    graph = graph_of('dijkstra', csgraph, cuprum.float64)
    _, chosen = _chosen('dijkstra', indices, graph.shape[0])
    found = _call(_cuprum.csgraph.nearest_paths, graph._sparse, bool(directed), bool(unweighted), chosen, float(limit))
    return tuple(found) if return_predecessors else found[0]


def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Returns the lengths of the shortest paths: `shortest_path` with the method 'BF'. SciPy's function."""
    return shortest_path(csgraph, 'BF', directed, return_predecessors, unweighted, indices=indices)


def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Returns the lengths of the shortest paths: `shortest_path` with the method 'J'. SciPy's function."""
    return shortest_path(csgraph, 'J', directed, return_predecessors, unweighted, indices=indices)


def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False, overwrite=False):
    """Returns the lengths of the shortest paths between all vertices: `shortest_path` with the method 'FW'. SciPy's function."""
    return shortest_path(csgraph, 'FW', directed, return_predecessors, unweighted)


def yen(csgraph, source, sink, K, *, directed=True, return_predecessors=False, unweighted=False):
    """Returns the lengths of up to `K` shortest paths without loops between two vertices, the shortest first.

    With `return_predecessors` also the vertex before each vertex of a path, in a row for each path, -9999 for the vertices that are not
    on it. The search is sequential and runs on the host, with a copy of the graph. Raises ValueError for vertices out of range and a negative `K`,
    `NegativeCycleError` for a cycle of negative length that the source reaches. SciPy's function, which may find another one of paths of equal
    length; J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", 1971.
    """
    graph = graph_of('yen', csgraph, cuprum.float64)
    n = graph.shape[0]
    if not (0 <= source < n and 0 <= sink < n):
        raise ValueError(f'yen: source {source} and sink {sink} must be in the range of {n} vertices')
    count = operator.index(K)
    if count < 0:
        raise ValueError(f'yen: K must be at least 0, not {count}')
    found = _call(graph._sparse.yen, int(source), int(sink), count, bool(directed), bool(unweighted))
    lengths = cuprum.asarray(numpy.array([length for length, _ in found], numpy.float64))
    if not return_predecessors:
        return lengths
    before = numpy.full((len(found), n), NONE, numpy.int32)
    for row, (_, vertices) in zip(before, found):
        row[vertices[1:]] = vertices[:-1]
    return lengths, cuprum.asarray(before)
