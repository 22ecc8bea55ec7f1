"""Searches by breadth and by depth, and spanning trees."""

import numpy

import cuprum

from .._coo import coo_matrix
from ._graph import edges_of, graph_of

__all__ = ['breadth_first_order', 'breadth_first_tree', 'depth_first_order', 'depth_first_tree', 'minimum_spanning_tree']

NONE = -9999


def _neighbours(name, csgraph, i_start, directed):
    """Returns pointers to the neighbours of each vertex, and the neighbours, on the host: the columns of its row in their order and,
    unless `directed`, the rows of its column after them. Raises ValueError for a vertex `i_start` out of range."""
    graph = graph_of(name, csgraph).copy()
    graph.sort_indices()
    pointers, columns = cuprum.asnumpy(graph.indptr), cuprum.asnumpy(graph.indices)
    n = len(pointers) - 1
    if not 0 <= i_start < n:
        raise ValueError(f'{name}: i_start {i_start} is out of range for {n} vertices')
    if directed:
        return pointers, columns
    rows = numpy.repeat(numpy.arange(n), numpy.diff(pointers))
    backwards = numpy.argsort(columns, kind='stable')
    every = numpy.concatenate([rows, columns[backwards]])
    pointers = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(every, minlength=n))])
    return pointers, numpy.concatenate([columns, rows[backwards]])[numpy.argsort(every, kind='stable')]


def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Returns the vertices in the order of a breadth-first search from `i_start`, and the predecessor of each vertex, -9999 for none.

    The search is sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a vertex out of
    range. Neighbours of a vertex come in the order of their numbers, those along edges before those against them. SciPy's function.
    """
    pointers, columns = _neighbours('breadth_first_order', csgraph, i_start, directed)
    n = len(pointers) - 1
    before = numpy.full(n, NONE, numpy.int32)
    seen = numpy.zeros(n, bool)
    seen[i_start] = True
    levels, level = [], numpy.array([i_start])
    while level.size:
        levels.append(level)
        counts = pointers[level + 1] - pointers[level]
        parents = numpy.repeat(level, counts)
        at = numpy.arange(len(parents)) + numpy.repeat(pointers[level] - (numpy.cumsum(counts) - counts), counts)
        found = columns[at]
        new = ~seen[found]
        found, parents = found[new], parents[new]
        _, first = numpy.unique(found, return_index=True)
        first.sort()
        level = found[first]
        seen[level] = True
        before[level] = parents[first]
    order = cuprum.asarray(numpy.concatenate(levels).astype(numpy.int32))
    return (order, cuprum.asarray(before)) if return_predecessors else order


def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Returns the vertices in the order of a depth-first search from `i_start`, and the predecessor of each vertex, -9999 for none.

    The search is sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a vertex out of
    range. Neighbours of a vertex come in the order of their numbers, those along edges before those against them. SciPy's function.
    """
    pointers, columns = _neighbours('depth_first_order', csgraph, i_start, directed)
    n = len(pointers) - 1
    at, ends, columns = pointers[:-1].tolist(), pointers[1:].tolist(), columns.tolist()
    before, seen = numpy.full(n, NONE, numpy.int32), [False] * n
    seen[i_start] = True
    order, path = [i_start], [i_start]
    while path:
        vertex = path[-1]
        while at[vertex] < ends[vertex] and seen[columns[at[vertex]]]:
            at[vertex] += 1
        if at[vertex] == ends[vertex]:
            path.pop()
            continue
        found = columns[at[vertex]]
        seen[found], before[found] = True, vertex
        order.append(found)
        path.append(found)
    order = cuprum.asarray(numpy.array(order, numpy.int32))
    return (order, cuprum.asarray(before)) if return_predecessors else order


def tree_of(name, csgraph, before, directed):
    """Returns the tree of the predecessors of a search in CSR format."""
    graph = graph_of(name, csgraph)
    vertices = cuprum.flatnonzero(before != NONE)
    rows = before[vertices].astype(cuprum.int64)
    there = graph._sparse.points([rows, vertices])
    if not directed:
        back = graph._sparse.points([vertices, rows])
        there = cuprum.where(there == 0, back, cuprum.where(back == 0, there, cuprum.minimum(there, back)))
    return type(graph)((there.astype(cuprum.float64), (rows, vertices)), shape=graph.shape)


def breadth_first_tree(csgraph, i_start, directed=True):
    """Returns the tree of a breadth-first search from `i_start` in CSR format; the search runs on the host. SciPy's function."""
    return tree_of('breadth_first_tree', csgraph, breadth_first_order(csgraph, i_start, directed)[1], directed)


def depth_first_tree(csgraph, i_start, directed=True):
    """Returns the tree of a depth-first search from `i_start` in CSR format; the search runs on the host. SciPy's function."""
    return tree_of('depth_first_tree', csgraph, depth_first_order(csgraph, i_start, directed)[1], directed)


def minimum_spanning_tree(csgraph, overwrite=False):
    """Returns a spanning tree of least length of an undirected graph, or of each of its components, in CSR format.

    An edge counts whichever of its directions is stored; where both are, the shorter one does. Zeros are no edges. In each round every
    component takes its shortest edge, the first one of equal length (O. Boruvka, 1926). SciPy's function, which may choose
    others of equally long edges.
    """
    graph = graph_of('minimum_spanning_tree', csgraph)
    dtype = graph.dtype if graph.dtype.kind == 'f' else numpy.dtype(numpy.float64)
    rows, columns, lengths = edges_of(graph.astype(dtype))
    there = (lengths != 0) & (rows != columns)
    rows, columns, lengths = rows[there].astype(cuprum.int64), columns[there].astype(cuprum.int64), lengths[there]
    n = graph.shape[0]
    # Edges have distinct ranks, so that no cycle is chosen.
    order = cuprum.argsort(lengths, kind='stable')
    rank = cuprum.empty(order.shape, cuprum.int64)
    rank[order] = cuprum.arange(order.size)
    chosen = cuprum.zeros(order.shape, bool)
    labels = cuprum.arange(n)
    while rows.size:
        a, b = labels[rows], labels[columns]
        outside = a != b
        if not bool(outside.any()):
            break
        least = cuprum.full(n, order.size)
        ranks = cuprum.where(outside, rank, order.size)
        cuprum.minimum.at(least, a, ranks)
        cuprum.minimum.at(least, b, ranks)
        picked = order[cuprum.unique(least[least < order.size])]
        chosen[picked] = True
        kept = coo_matrix((cuprum.ones(int(picked.size)), (labels[rows[picked]], labels[columns[picked]])), shape=(n, n)).tocsr()
        _, joined = kept._sparse.connected_components()
        labels = joined[labels].astype(cuprum.int64)
    return type(graph)((lengths[chosen], (rows[chosen], columns[chosen])), shape=graph.shape)
