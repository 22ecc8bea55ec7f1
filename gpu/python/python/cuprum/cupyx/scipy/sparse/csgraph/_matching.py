"""Orders and matchings of vertices: `reverse_cuthill_mckee`, `maximum_bipartite_matching`, `structural_rank`."""

import numpy

import cuprum

from .._arithmetic import is_sparse
from .._compressed import csr_matrix
from ._graph import graph_of

__all__ = ['maximum_bipartite_matching', 'reverse_cuthill_mckee', 'structural_rank']


def _host_structure(graph):
    """Returns the row pointers and the columns of a CSR matrix on the host."""
    graph = graph.copy()
    graph.sort_indices()
    return cuprum.asnumpy(graph.indptr), cuprum.asnumpy(graph.indices)


def reverse_cuthill_mckee(graph, symmetric_mode=False):
    """Returns a permutation of the vertices, of int32, which lowers the bandwidth of the matrix of the graph.

    Edges count in both directions; `symmetric_mode` promises that the matrix is symmetric. Each component is searched by breadth from a
    vertex of the least degree, and the neighbours of a vertex are ordered by their degrees; the order is reversed. The search is
    sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a graph that is not square.
    SciPy's function; E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969.
    """
    graph = graph_of('reverse_cuthill_mckee', graph, cuprum.float64)
    if not symmetric_mode:
        graph = (abs(graph) + abs(graph.T)).tocsr()
    pointers, columns = _host_structure(graph)
    n = len(pointers) - 1
    rows = numpy.repeat(numpy.arange(n), numpy.diff(pointers))
    # An edge of a vertex to itself counts twice.
    degrees = numpy.diff(pointers) + numpy.bincount(rows[rows == columns], minlength=n)
    seen, order = numpy.zeros(n, bool), []
    for seed in numpy.argsort(degrees, kind='stable').tolist():
        if seen[seed]:
            continue
        seen[seed] = True
        order.append(seed)
        at = len(order) - 1
        while at < len(order):
            vertex = order[at]
            found = columns[pointers[vertex] : pointers[vertex + 1]]
            found = found[~seen[found]]
            seen[found] = True
            order.extend(found[numpy.argsort(degrees[found], kind='stable')].tolist())
            at += 1
    return cuprum.asarray(numpy.array(order[::-1], numpy.int32))


def maximum_bipartite_matching(graph, perm_type='row'):
    """Returns a matching of rows and columns with as many pairs as there can be, along the stored elements of a matrix.

    With `perm_type` 'row' the result has the row that is matched to each column, with 'column' the column that is matched to each row, of
    int32, and -1 where there is none. The search for paths is sequential and runs on the host, with a copy of the structure of the
    matrix. Raises ValueError for another `perm_type`, TypeError for a dense array. SciPy's function, which may find another matching;
    J. Hopcroft, R. Karp, "An n^5/2 Algorithm for Maximum Matchings in Bipartite Graphs", 1973.
    """
    if not is_sparse(graph):
        raise TypeError('maximum_bipartite_matching: graph must be a sparse matrix, not a dense array')
    if perm_type not in ('row', 'column'):
        raise ValueError(f"maximum_bipartite_matching: perm_type must be 'row' or 'column', not {perm_type!r}")
    pointers, columns = _host_structure(csr_matrix(graph))
    of_row, of_column = _hopcroft_karp(pointers.tolist(), columns.tolist(), graph.shape[1])
    return cuprum.asarray(numpy.array(of_column if perm_type == 'row' else of_row, numpy.int32))


def _hopcroft_karp(pointers, columns, width):
    """Returns the column of each row and the row of each column of a maximum matching, -1 for none."""
    n = len(pointers) - 1
    of_row, of_column = [-1] * n, [-1] * width
    for row in range(n):
        for column in columns[pointers[row] : pointers[row + 1]]:
            if of_column[column] < 0:
                of_row[row], of_column[column] = column, row
                break
    while True:
        # The distance of each row from the rows without a column, along paths that alternate.
        distance = [-1] * n
        level = [row for row in range(n) if of_row[row] < 0]
        for row in level:
            distance[row] = 0
        found = False
        while level and not found:
            following = []
            for row in level:
                for column in columns[pointers[row] : pointers[row + 1]]:
                    other = of_column[column]
                    if other < 0:
                        found = True
                    elif distance[other] < 0:
                        distance[other] = distance[row] + 1
                        following.append(other)
            level = following
        if not found:
            return of_row, of_column
        at = list(pointers[:n])
        for first in range(n):
            if of_row[first] < 0:
                _augment(first, pointers, columns, at, distance, of_row, of_column)


def _augment(first, pointers, columns, at, distance, of_row, of_column):
    """Follows one shortest path from a row without a column to a column without a row, and exchanges its pairs."""
    path = [first]
    while path:
        row = path[-1]
        if at[row] == pointers[row + 1]:
            path.pop()
            if path:
                at[path[-1]] += 1
            continue
        column = columns[at[row]]
        other = of_column[column]
        if other >= 0:
            if distance[other] == distance[row] + 1:
                path.append(other)
            else:
                at[row] += 1
            continue
        for row in path:
            column = columns[at[row]]
            of_row[row], of_column[column] = column, row
            at[row] = pointers[row + 1]
        return


def structural_rank(graph):
    """Returns the largest rank of the matrices that have the stored elements of this one: the size of a maximum matching, which is found
    on the host. Raises TypeError for a dense array. SciPy's function."""
    if not is_sparse(graph):
        raise TypeError(f'structural_rank: graph must be a sparse array, not {type(graph).__name__}')
    matched = maximum_bipartite_matching(graph, 'row')
    return int((matched >= 0).sum())
