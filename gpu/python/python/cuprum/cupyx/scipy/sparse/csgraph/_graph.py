"""The sparse matrix of what a function of graphs is given."""

import cuprum

from .._arithmetic import is_sparse
from .._convert import from_scipy
from .._coo import coo_array
from .._utils import is_scipy_sparse


def sparse_of(csgraph):
    """Returns a sparse array of this package for one of SciPy, a matrix of a matrix; another object is returned as it is."""
    if not is_scipy_sparse(csgraph):
        return csgraph
    import scipy.sparse

    return from_scipy(csgraph, isinstance(csgraph, scipy.sparse.sparray))


def graph_of(name, csgraph, dtype=None, any_format=False, parallel=False):
    """Returns the graph in CSR format, a matrix of a matrix and an array of another graph, or with `any_format` a sparse array as it is.

    A conversion to another `dtype` adds the lengths of parallel edges, as SciPy's does, unless `parallel`. Raises ValueError for an array
    that is not square.
    """
    csgraph = sparse_of(csgraph)
    if is_sparse(csgraph):
        graph = csgraph if any_format else csgraph.tocsr()
    else:
        dense = cuprum.asarray(csgraph)
        if dense.ndim != 2:
            raise ValueError(f'{name}: compressed-sparse graph must be a matrix of two axes, not {dense.ndim}')
        edges = (dense != 0) & cuprum.isfinite(dense)
        rows, columns = cuprum.nonzero(edges)
        graph = coo_array((dense[rows, columns], (rows, columns)), shape=dense.shape).tocsr()
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f'{name}: compressed-sparse graph must be shape (N, N), not {graph.shape}')
    if dtype is not None and graph.dtype != dtype:
        graph = graph._new(graph._sparse.astype(dtype)) if parallel else graph.astype(dtype)
    return graph
