"""Paths from the predecessors that searches return: `construct_dist_matrix`, `reconstruct_path`."""

import math

import numpy

import cuprum

from ._dense import csgraph_to_dense
from ._graph import graph_of
from ._traversal import NONE, tree_of

__all__ = ['construct_dist_matrix', 'reconstruct_path']


def construct_dist_matrix(graph, predecessors, directed=True, null_value=math.inf):
    """Returns the lengths of the paths that a matrix of predecessors describes, from the vertex of each row to that of each column.

    `predecessors` is that of `shortest_path`, of int32: the vertex before the last of each path, -9999 where there is none, for which
    the length is `null_value`. An edge that the graph does not have is infinitely long; unless `directed` it counts in both directions. In each step on
    the device the known parts of all paths double. Raises TypeError for another dtype of the predecessors, ValueError for another
    shape, a vertex out of range and predecessors in a circle. SciPy's function.
    """
    name = 'construct_dist_matrix'
    lengths = csgraph_to_dense(graph_of(name, graph, cuprum.float64), math.inf)
    n = lengths.shape[0]
    before = cuprum.asarray(predecessors)
    if before.dtype != numpy.int32:
        raise TypeError(f'{name}: predecessors must be of int32, not {before.dtype}')
    if before.shape != lengths.shape:
        raise ValueError(f'{name}: graph and predecessors must have the same shape, not {lengths.shape} and {before.shape}')
    if not n:
        return lengths
    if not directed:
        lengths = cuprum.minimum(lengths, lengths.T)
    row, column = cuprum.arange(n)[:, None], cuprum.arange(n)[None, :]
    ends = (before == NONE) | (row == column)
    if bool((~ends & ((before < 0) | (before >= n))).any()):
        raise ValueError(f'{name}: predecessors must be vertices from 0 to {n - 1}, or -9999')
    # A path ends where it begins, at its row's vertex, and where there is no predecessor.
    to = cuprum.where(ends, column, before)
    length = cuprum.where(ends, 0.0, lengths[to, column])
    for _ in range(max(n - 1, 1).bit_length()):
        length = length + length[row, to]
        to = to[row, to]
    if not bool(ends[row, to].all()):
        raise ValueError(f'{name}: predecessors lead in a circle')
    return cuprum.where((before == NONE) & (row != column), null_value, length)


def reconstruct_path(csgraph, predecessors, directed=True):
    """Returns the tree of a list of predecessors in CSR format: the edge to each vertex from its predecessor, none for -9999.

    An edge has its length in the graph, unless `directed` the shorter one of both directions, and zero where there is none. Raises
    IndexError for a list of another length than the number of vertices and for a vertex out of range. SciPy's function.
    """
    graph = graph_of('reconstruct_path', csgraph)
    before, n = cuprum.asarray(predecessors), graph.shape[0]
    if before.shape != (n,):
        raise IndexError(f'reconstruct_path: predecessors of shape {before.shape} do not fit a graph of {n} vertices')
    if bool(((before != NONE) & ((before < 0) | (before >= n))).any()):
        raise IndexError(f'reconstruct_path: predecessors must be vertices from 0 to {n - 1}, or -9999')
    return tree_of('reconstruct_path', graph, before, directed)
