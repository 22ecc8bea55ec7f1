"""Laplacian matrices of graphs: `laplacian`."""

import cuprum
from cuprum import _cuprum

from .._arithmetic import is_sparse
from ..linalg._interface import LinearOperator
from ._graph import sparse_of

__all__ = ['laplacian']


def laplacian(csgraph, normed=False, return_diag=False, use_out_degree=False, *, copy=True, form='array', dtype=None, symmetrized=False):
    """Returns the Laplacian matrix of a graph: the degrees of the vertices on the diagonal, minus the edges.

    With `normed` rows and columns are divided by the square roots of the degrees. Degrees are the sums of columns, of rows with
    `use_out_degree`. The result is sparse of a sparse graph, in COO format, dense of a dense one; for `form` 'lo' a `LinearOperator`,
    for 'function' a function. `return_diag` also returns the diagonal, or the scaling of a normed Laplacian. Raises ValueError for a graph that is not
    square or another `form`. SciPy's function.
    """
    if form not in ('array', 'function', 'lo'):
        raise ValueError(f"laplacian: Invalid form: {form!r}: 'array', 'function' or 'lo'")
    csgraph = sparse_of(csgraph)
    if is_sparse(csgraph):
        if csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
            raise ValueError('laplacian: csgraph must be a square matrix or array')
        options = bool(normed), bool(use_out_degree), None if dtype is None else cuprum.dtype(dtype), bool(symmetrized)
        core, scale = _cuprum.csgraph.laplacian(csgraph._sparse, *options)
        matrix = csgraph._new(core)
    else:
        matrix, scale = _dense_laplacian(cuprum.asarray(csgraph), normed, use_out_degree, dtype, symmetrized)
    dtype = matrix.dtype
    if form != 'array':
        product = lambda v: matrix @ v  # noqa: E731
        if form == 'lo':
            matrix_ = matrix
            result = LinearOperator(matrix_.shape, product, rmatvec=lambda v: matrix_.T.conj() @ v, matmat=product, dtype=dtype)
        else:
            result = product
        return (result, scale) if return_diag else result
    return (matrix, scale) if return_diag else matrix


def _dense_laplacian(graph, normed, use_out_degree, dtype, symmetrized):
    """Returns the Laplacian matrix of a dense graph, and the degrees or the scaling of a normed one."""
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError('laplacian: csgraph must be a square matrix or array')
    usual = graph.dtype if graph.dtype.kind in ('fc' if normed else 'iufc') else cuprum.float64
    dtype = cuprum.dtype(usual if dtype is None else dtype)
    # A narrower dtype is that of the results: degrees are sums of the edges as they are.
    graph = graph.astype(cuprum.promote_types(usual, dtype))
    if symmetrized:
        graph = graph + graph.T.conj()
    own = graph.diagonal()
    degrees = graph.sum(axis=1 if use_out_degree else 0) - own
    if not normed:
        return (cuprum.diag(degrees) - (graph - cuprum.diag(own))).astype(dtype), degrees.astype(dtype)
    isolated = degrees == 0
    scale = cuprum.where(isolated, 1, cuprum.sqrt(degrees))
    matrix = cuprum.diag(1 - isolated.astype(graph.dtype)) - (graph - cuprum.diag(own)) / scale / scale[:, None]
    return matrix.astype(dtype), scale.astype(dtype)
