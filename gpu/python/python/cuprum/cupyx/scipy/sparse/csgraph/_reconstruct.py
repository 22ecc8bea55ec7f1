"""Paths from the predecessors that searches return: `construct_dist_matrix`, `reconstruct_path`."""

import math

import cuprum
from cuprum import _cuprum

from ._graph import graph_of

__all__ = ['construct_dist_matrix', 'reconstruct_path']


def construct_dist_matrix(graph, predecessors, directed=True, null_value=math.inf):
    """Returns the lengths of the paths that a matrix of predecessors describes, from the vertex of each row to that of each column.

    `predecessors` is that of `shortest_path`, of int32: the vertex before the last of each path, -9999 where there is none, for which
    the length is `null_value`. An edge that the graph does not have is infinitely long; unless `directed` it counts in both directions. In each step on
    the device the known parts of all paths double. Raises TypeError for another dtype of the predecessors, ValueError for another
    shape, a vertex out of range and predecessors in a circle. SciPy's function.
    """
    graph = graph_of('construct_dist_matrix', graph, cuprum.float64, parallel=True)
    predecessors = cuprum.asarray(predecessors)
    return _cuprum.csgraph.construct_dist_matrix(graph._sparse, predecessors, bool(directed), float(null_value))


def reconstruct_path(csgraph, predecessors, directed=True):
    """Returns the tree of a list of predecessors in CSR format: the edge to each vertex from its predecessor, none for -9999.

    An edge has its length in the graph, zero where there is none. Unless `directed` it has the shorter one of both directions, and is
    infinitely long where neither has a length that is not zero. Raises IndexError for a list of another length than the number of vertices and for a vertex out of range. SciPy's function.
    """
    graph = graph_of('reconstruct_path', csgraph)
    return graph._new(_cuprum.csgraph.reconstruct_path(graph._sparse, cuprum.asarray(predecessors), bool(directed)))
