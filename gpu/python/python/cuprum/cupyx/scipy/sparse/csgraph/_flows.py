"""Flows and matchings of least weight: `maximum_flow`, `min_weight_full_bipartite_matching`."""

import warnings

import numpy

import cuprum

from .._arithmetic import is_sparse
from ._graph import sparse_of

__all__ = ['MaximumFlowResult', 'maximum_flow', 'min_weight_full_bipartite_matching']


class MaximumFlowResult:
    """Result of `maximum_flow`: `flow_value`, the value of the flow, and `flow`, a CSR matrix of the flow along each edge."""

    def __init__(self, flow_value, flow):
        self.flow_value, self.flow = flow_value, flow

    def __repr__(self):
        return f'{type(self).__name__} with value of {self.flow_value}'


def _sparse_graph(name, graph, formats):
    graph = sparse_of(graph)
    if not is_sparse(graph) or graph.format not in formats:
        what = f'of format {graph.format!r}' if is_sparse(graph) else type(graph).__name__
        raise TypeError(f'{name}: graph must be a sparse array in the formats {", ".join(formats)}, not {what}')
    return graph


def maximum_flow(csgraph, source, sink, *, method='dinic'):
    """Returns a flow of the largest value between two vertices of a graph, whose edges have integers as capacities.

    The result has the attributes `flow_value` and `flow`, an antisymmetric CSR matrix, of int64 for capacities of int64 and uint32 (SciPy
    returns int32, which they may exceed), else of int32. The search is sequential and runs on the host, with a copy of the graph; `method` is 'dinic' or
    'edmonds_karp', which both run Dinic's algorithm. Raises TypeError for a graph that is not in CSR format, ValueError for capacities that
    are not integers, vertices out of range and another `method`. SciPy's function.
    """
    graph = _sparse_graph('maximum_flow', csgraph, ('csr',))
    if method not in ('dinic', 'edmonds_karp'):
        raise ValueError(f"maximum_flow: method must be 'dinic' or 'edmonds_karp', not {method!r}")
    if graph.dtype.kind not in 'iu':
        raise ValueError(f'maximum_flow: graph capacities must be integers, not {graph.dtype}')
    for what, vertex in (('source', source), ('sink', sink)):
        if not 0 <= vertex < max(graph.shape):
            raise ValueError(f'maximum_flow: {what} value ({vertex}) must be between 0 and {graph.shape[0] - 1}')
    value, flow = graph._sparse.maximum_flow(int(source), int(sink))
    wide = numpy.can_cast(graph.dtype, numpy.int32)
    return MaximumFlowResult(numpy.int64(value), graph._new(flow.astype(numpy.int32) if wide else flow))


def min_weight_full_bipartite_matching(biadjacency, maximize=False):
    """Returns the rows and columns of a matching of all rows, or all columns if these are fewer, of least weight.

    The stored elements of a sparse array in CSR, CSC or COO format are the weights, of which explicit zeros are removed with a warning.
    The rows ascend. With `maximize` the weight is the largest one. The search is sequential and runs on the host, with a copy of the matrix. Raises
    TypeError for another argument, ValueError for NaN and where no such matching exists. SciPy's function, which may find another matching of
    equal weight; R. Jonker, A. Volgenant, 1987.
    """
    graph = _sparse_graph('min_weight_full_bipartite_matching', biadjacency, ('csr', 'csc', 'coo')).tocsr()
    if 0 in graph.shape:
        return cuprum.zeros(0, cuprum.int64), cuprum.zeros(0, cuprum.int32)
    if graph.dtype.kind == 'c':
        raise TypeError('min_weight_full_bipartite_matching: weights must be real numbers, not complex ones')
    weights = graph.astype(cuprum.float64)
    if bool((weights.data == 0).any()):
        warnings.warn('min_weight_full_bipartite_matching: explicit zeros are no edges and are removed', UserWarning, stacklevel=2)
        weights = weights.copy()
        weights.eliminate_zeros()
    return weights._sparse.min_weight_full_bipartite_matching(bool(maximize))
