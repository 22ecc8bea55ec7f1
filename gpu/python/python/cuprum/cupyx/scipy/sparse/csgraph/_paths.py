"""Shortest paths: `shortest_path` and the methods' own functions, and `yen`."""

import math

import numpy

import cuprum

from ._graph import edges_of, graph_of

__all__ = ['NegativeCycleError', 'bellman_ford', 'dijkstra', 'floyd_warshall', 'johnson', 'shortest_path', 'yen']

NONE = -9999


class NegativeCycleError(Exception):
    """Raised where a graph has a cycle of negative length; SciPy's class."""

    def __init__(self, message=''):
        super().__init__(message)


def shortest_path(csgraph, method='auto', directed=True, return_predecessors=False, unweighted=False, overwrite=False, indices=None):
    """Returns the lengths of the shortest paths between all vertices, or from those of `indices`.

    The result has a row for each beginning and is infinite where there is no path; with `return_predecessors` also the vertex before
    the last of each path, -9999 where there is none. Edges count in both directions unless `directed`, and have the length 1 with
    `unweighted`. Whatever the `method` ('auto', 'D', 'BF', 'J' or 'FW'), products over the semiring of minimum and sum are repeated until
    no length changes (R. Bellman, 1958). Raises `NegativeCycleError` where lengths go on to fall, ValueError for 'D' and a negative
    length, another method and an index out of range. SciPy's function.
    """
    if method not in ('auto', 'D', 'BF', 'J', 'FW'):
        raise ValueError(f'shortest_path: unrecognized method {method!r}')
    graph = graph_of('shortest_path', csgraph, cuprum.float64)
    rows, columns, lengths = edges_of(graph)
    n = graph.shape[0]
    if unweighted:
        lengths = cuprum.ones_like(lengths)
    if not directed:
        rows, columns, lengths = cuprum.concatenate([rows, columns]), cuprum.concatenate([columns, rows]), cuprum.concatenate([lengths, lengths])
    negative = bool((lengths < 0).any()) if lengths.size else False
    if method == 'D' and negative:
        raise ValueError('shortest_path: Dijkstra\'s algorithm needs lengths that are not negative: use method BF')
    every = numpy.arange(n)
    chosen = every if indices is None else numpy.atleast_1d(cuprum.asnumpy(indices) if isinstance(indices, cuprum.ndarray) else indices).ravel()
    if chosen.size and (chosen.min() < -n or chosen.max() >= n):
        raise ValueError('shortest_path: indices out of range 0...N')
    chosen = numpy.where(chosen < 0, chosen + n, chosen).astype(numpy.int64)
    starts = cuprum.asarray(chosen)
    # The columns of the distances are the beginnings.
    distances = cuprum.full((n, len(chosen)), math.inf)
    distances[starts, cuprum.arange(len(chosen))] = 0.0
    if lengths.size and len(chosen):
        # Parallel edges, of which the shortest counts, stay apart: coordinates are not added before they are converted.
        order = cuprum.argsort(columns, kind='stable')
        counts = cuprum.bincount(columns, minlength=n)
        pointers = cuprum.concatenate([cuprum.zeros(1, counts.dtype), cuprum.cumsum(counts)])
        from .._compressed import csr_matrix

        into = csr_matrix((lengths[order], rows[order].astype(cuprum.int64), pointers), shape=(n, n))._sparse
        distances = _relaxed(into, distances, n, negative)
    result = distances.T.copy()
    shape = (n, n) if indices is None else (*numpy.shape(cuprum.asnumpy(indices) if isinstance(indices, cuprum.ndarray) else indices), n)
    if not return_predecessors:
        return result.reshape(shape)
    before = cuprum.full(result.shape, n, dtype=cuprum.int64)
    for k in range(len(chosen)):
        own = result[k]
        tight = (own[rows] + lengths == own[columns]) & cuprum.isfinite(own[columns]) & (columns != starts[k])
        cuprum.minimum.at(before[k], columns[tight], rows[tight].astype(cuprum.int64))
    before = cuprum.where(before == n, NONE, before).astype(cuprum.int32)
    return result.reshape(shape), before.reshape(shape)


def _relaxed(into, distances, n, negative):
    """Repeats the step over all edges; every few steps the host reads whether anything has changed."""
    done, period = 0, 1
    while True:
        before = distances
        for _ in range(period):
            distances = cuprum.minimum(distances, into.min_plus(distances))
        done += period
        if bool((distances == before).all()):
            return distances
        if negative and done > n:
            raise NegativeCycleError('shortest_path: Negative cycle in the graph')
        period = min(period * 2, 16)


def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, limit=math.inf, min_only=False):
    """Returns the lengths of the shortest paths: `shortest_path`.

    Lengths beyond `limit` are infinite. With `min_only` the result is the least over all beginnings, with `return_predecessors` also
    the predecessors and the beginning of each path. A negative length issues a warning. Raises ValueError for a negative `limit`. SciPy's
    function.
    """
    if limit < 0:
        raise ValueError(f'dijkstra: limit must be at least 0, not {limit}')
    found = shortest_path(csgraph, 'BF', directed, return_predecessors or min_only, unweighted, indices=indices)
    if not (return_predecessors or min_only):
        return cuprum.where(found > limit, math.inf, found)
    lengths, before = found
    before = cuprum.where(lengths > limit, NONE, before)
    lengths = cuprum.where(lengths > limit, math.inf, lengths)
    if not min_only:
        return lengths, before
    n = lengths.shape[-1]
    lengths, before = lengths.reshape(-1, n), before.reshape(-1, n)
    best = lengths.argmin(axis=0)
    least = lengths.min(axis=0)
    if not return_predecessors:
        return least
    starts = cuprum.arange(n) if indices is None else cuprum.atleast_1d(cuprum.asarray(indices)).ravel()
    at = cuprum.arange(n)
    sources = cuprum.where(cuprum.isfinite(least), starts[best], NONE).astype(cuprum.int32)
    return least, before[best, at], sources


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
    on it. The search is sequential and runs on the host, with a copy of the graph. Raises ValueError for vertices out of range,
    `NegativeCycleError` for a cycle of negative length that the source reaches. SciPy's function, which may find another one of paths of equal
    length; J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", 1971.
    """
    graph = graph_of('yen', csgraph, cuprum.float64)
    n = graph.shape[0]
    if not (0 <= source < n and 0 <= sink < n):
        raise ValueError(f'yen: source {source} and sink {sink} must be in the range of {n} vertices')
    try:
        found = graph._sparse.yen(int(source), int(sink), max(int(K), 0), bool(directed), bool(unweighted))
    except ValueError as error:
        # The arguments are valid: what is left is a cycle.
        raise NegativeCycleError(str(error)) from None
    lengths = cuprum.asarray(numpy.array([length for length, _ in found], numpy.float64))
    if not return_predecessors:
        return lengths
    before = numpy.full((len(found), n), NONE, numpy.int32)
    for row, (_, vertices) in zip(before, found):
        row[vertices[1:]] = vertices[:-1]
    return lengths, cuprum.asarray(before)
