"""Laplacian matrices of graphs: `laplacian`."""

import cuprum

from .._arithmetic import is_sparse
from .._utils import is_scipy_sparse
from ..linalg._interface import LinearOperator

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
    sparse = is_sparse(csgraph) or is_scipy_sparse(csgraph)
    if is_scipy_sparse(csgraph):
        from .._compressed import csr_matrix

        csgraph = csr_matrix(csgraph)
    graph = csgraph.tocsr() if sparse else cuprum.asarray(csgraph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError('laplacian: csgraph must be a square matrix or array')
    if dtype is None:
        dtype = graph.dtype if not normed or graph.dtype.kind in 'fc' else cuprum.float64
        if not normed and graph.dtype.kind in 'ub':
            dtype = cuprum.float64 if graph.dtype.kind == 'b' else dtype
    graph = graph.astype(dtype)
    if symmetrized:
        graph = graph + graph.T.conj()
    own = graph.diagonal()
    degrees = graph.sum(axis=1 if use_out_degree else 0).ravel() - own
    if normed:
        isolated = degrees == 0
        scale = cuprum.where(isolated, 1, cuprum.sqrt(degrees))
        diagonal = 1 - isolated.astype(dtype)
    else:
        scale, diagonal = degrees, degrees
    if sparse:
        coo = graph.tocoo()
        off = coo.row != coo.col
        row, column, data = coo.row[off], coo.col[off], -coo.data[off]
        if normed:
            data = data / scale[row] / scale[column]
        vertices = cuprum.arange(graph.shape[0], dtype=row.dtype)
        # The diagonal is stored, also where it is zero.
        coords = cuprum.concatenate([row, vertices]), cuprum.concatenate([column, vertices])
        matrix = type(coo)((cuprum.concatenate([data.astype(dtype, copy=False), diagonal.astype(dtype, copy=False)]), coords), shape=graph.shape)
    else:
        off = graph - cuprum.diag(own)
        if normed:
            off = off / scale / scale[:, None]
        matrix = cuprum.diag(diagonal) - off
    if form != 'array':
        product = lambda v: matrix @ v  # noqa: E731
        if form == 'lo':
            matrix_ = matrix
            result = LinearOperator(matrix_.shape, product, rmatvec=lambda v: matrix_.T.conj() @ v, matmat=product, dtype=dtype)
        else:
            result = product
        return (result, scale) if return_diag else result
    return (matrix, scale) if return_diag else matrix
