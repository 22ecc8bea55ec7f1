"""Conversions of graphs from and to dense and masked arrays."""

import math

import numpy

import cuprum

from .._arithmetic import is_sparse
from .._coo import coo_array
from .._utils import is_scipy_sparse
from ._graph import edges_of, graph_of

__all__ = ['csgraph_from_dense', 'csgraph_from_masked', 'csgraph_masked_from_dense', 'csgraph_to_dense', 'csgraph_to_masked']


def _edges_of_dense(name, graph, null_value, nan_null, infinity_null):
    """Returns a dense graph and which of its elements are edges. Raises ValueError for an array that is not square."""
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f'{name}: compressed-sparse graph must be shape (N, N), not {graph.shape}')
    edges = cuprum.ones(graph.shape, bool)
    if null_value is not None and not math.isnan(null_value) and not math.isinf(null_value):
        edges &= graph != null_value
    if nan_null or (null_value is not None and math.isnan(null_value)):
        edges &= ~cuprum.isnan(graph)
    if infinity_null or (null_value is not None and math.isinf(null_value)):
        edges &= ~cuprum.isinf(graph)
    return edges


def csgraph_from_dense(graph, null_value=0, nan_null=True, infinity_null=True):
    """Returns the CSR array of a dense graph, in which `null_value`, and NaN and infinities by default, are no edges. SciPy's function."""
    graph = cuprum.asarray(graph).astype(cuprum.float64)
    rows, columns = cuprum.nonzero(_edges_of_dense('csgraph_from_dense', graph, null_value, nan_null, infinity_null))
    return coo_array((graph[rows, columns], (rows, columns)), shape=graph.shape).tocsr()


def csgraph_from_masked(graph):
    """Returns the CSR array of a graph that is a masked array of NumPy, whose masked elements are no edges. SciPy's function."""
    graph = numpy.ma.asarray(graph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f'csgraph_from_masked: compressed-sparse graph must be shape (N, N), not {graph.shape}')
    rows, columns = numpy.nonzero(~numpy.ma.getmaskarray(graph))
    lengths = graph.data[rows, columns].astype(numpy.float64)
    lengths, rows, columns = (cuprum.asarray(part) for part in (lengths, rows, columns))
    return coo_array((lengths, (rows, columns)), shape=graph.shape).tocsr()


def csgraph_masked_from_dense(graph, null_value=0, nan_null=True, infinity_null=True, copy=True):
    """Returns a dense graph as a masked array of NumPy on the host, in which `null_value`, and NaN and infinities by default, are masked.

    An array of NumPy is shared with the result without `copy`; one of the device is copied. SciPy's function.
    """
    host = cuprum.asnumpy(graph) if isinstance(graph, cuprum.ndarray) else numpy.array(graph, copy=True if copy else None)
    edges = _edges_of_dense('csgraph_masked_from_dense', cuprum.asarray(host), null_value, nan_null, infinity_null)
    finite = null_value is not None and math.isfinite(null_value)
    return numpy.ma.masked_array(host, ~cuprum.asnumpy(edges), fill_value=null_value if finite else None)


def csgraph_to_dense(csgraph, null_value=0):
    """Returns the dense array of a graph, with `null_value` where there is no edge; of parallel edges the shortest counts. SciPy's
    function."""
    graph = graph_of('csgraph_to_dense', csgraph, cuprum.float64)
    rows, columns, lengths = edges_of(graph)
    out = cuprum.full(graph.shape, math.inf)
    cuprum.minimum.at(out, (rows, columns), lengths)
    stored = cuprum.zeros(graph.shape, bool)
    stored[rows, columns] = True
    return cuprum.where(stored, out, null_value)


def csgraph_to_masked(csgraph):
    """Returns a sparse graph as a masked array of NumPy on the host, masked where there is no edge. Raises ValueError for a dense array.
    SciPy's function."""
    if not (is_sparse(csgraph) or is_scipy_sparse(csgraph)):
        raise ValueError(f'csgraph_to_masked: csgraph must be sparse, not {type(csgraph).__name__}')
    dense = cuprum.asnumpy(csgraph_to_dense(csgraph, math.nan))
    return numpy.ma.masked_invalid(dense)
