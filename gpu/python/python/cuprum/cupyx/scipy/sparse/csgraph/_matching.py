"""Orders and matchings of vertices: `reverse_cuthill_mckee`, `maximum_bipartite_matching`, `structural_rank`."""

import cuprum
from cuprum import _cuprum

from .._arithmetic import is_sparse
from .._compressed import csr_matrix
from ._graph import graph_of, sparse_of

__all__ = ['maximum_bipartite_matching', 'reverse_cuthill_mckee', 'structural_rank']


def reverse_cuthill_mckee(graph, symmetric_mode=False):
    """Returns a permutation of the vertices, of the dtype of the graph's indices, which lowers the bandwidth of the matrix of the graph.

    Edges count in both directions; `symmetric_mode` promises that the matrix is symmetric. Each component is searched by breadth from a
    vertex of the least degree, and the neighbours of a vertex are ordered by their degrees; the order is reversed. The search is
    sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a graph that is not square.
    SciPy's function; E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969.
    """
    graph = graph_of('reverse_cuthill_mckee', graph, cuprum.float64)
    return _cuprum.csgraph.reverse_cuthill_mckee(graph._sparse, bool(symmetric_mode)).astype(graph.indices.dtype, copy=False)


def maximum_bipartite_matching(graph, perm_type='row'):
    """Returns a matching of rows and columns with as many pairs as there can be, along the stored elements of a matrix.

    With `perm_type` 'row' the result has the row that is matched to each column, with 'column' the column that is matched to each row, of
    int32, and -1 where there is none. The search for paths is sequential and runs on the host, with a copy of the structure of the
    matrix. Raises ValueError for another `perm_type`, TypeError for a dense array. SciPy's function, which may find another matching;
    J. Hopcroft, R. Karp, "An n^5/2 Algorithm for Maximum Matchings in Bipartite Graphs", 1973.
    """
    graph = sparse_of(graph)
    if not is_sparse(graph):
        raise TypeError('maximum_bipartite_matching: graph must be a sparse matrix, not a dense array')
    if perm_type not in ('row', 'column'):
        raise ValueError(f"maximum_bipartite_matching: perm_type must be 'row' or 'column', not {perm_type!r}")
    return _cuprum.csgraph.maximum_bipartite_matching(csr_matrix(graph)._sparse, perm_type)


def structural_rank(graph):
    """Returns the largest rank of the matrices that have the stored elements of this one: the size of a maximum matching, which is found
    on the host. Raises TypeError for a dense array. SciPy's function."""
    graph = sparse_of(graph)
    if not is_sparse(graph):
        raise TypeError(f'structural_rank: graph must be a sparse array, not {type(graph).__name__}')
    return _cuprum.csgraph.structural_rank(csr_matrix(graph)._sparse)
