"""Conversions of graphs from and to dense and masked arrays."""

import math

import numpy

import cuprum
from cuprum import _cuprum

from .._arithmetic import is_sparse
from .._base import CLASSES, wrap
from .._utils import is_scipy_sparse
from ._graph import graph_of

__all__ = ['csgraph_from_dense', 'csgraph_from_masked', 'csgraph_masked_from_dense', 'csgraph_to_dense', 'csgraph_to_masked']


def _null(null_value):
    return None if null_value is None else float(null_value)


def _array_of(core):
    return wrap(CLASSES['csr', True], core)


def csgraph_from_dense(graph, null_value=0, nan_null=True, infinity_null=True):
    """Returns the CSR array of a dense graph, in which `null_value`, and NaN and infinities by default, are no edges. SciPy's function."""
    graph = cuprum.asarray(graph).astype(cuprum.float64)
    return _array_of(_cuprum.csgraph.csgraph_from_dense(graph, _null(null_value), bool(nan_null), bool(infinity_null)))


def csgraph_from_masked(graph):
    """Returns the CSR array of a graph that is a masked array of NumPy, whose masked elements are no edges. SciPy's function."""
    graph = numpy.ma.asarray(graph)
    # Elements without a meaning, and without a value of float64, are not converted.
    lengths = graph.filled(0).astype(numpy.float64)
    mask = numpy.ma.getmaskarray(graph)
    return _array_of(_cuprum.csgraph.csgraph_from_masked(cuprum.asarray(lengths), cuprum.asarray(mask)))


def csgraph_masked_from_dense(graph, null_value=0, nan_null=True, infinity_null=True, copy=True):
    """Returns a dense graph as a masked array of NumPy on the host, in which `null_value`, and NaN and infinities by default, are masked.

    An array of NumPy is shared with the result without `copy`; one of the device is copied. SciPy's function.
    """
    host = cuprum.asnumpy(graph) if isinstance(graph, cuprum.ndarray) else numpy.array(graph, copy=True if copy else None)
    null = _null(null_value)
    mask = _cuprum.csgraph.csgraph_masked_from_dense(cuprum.asarray(host), null, bool(nan_null), bool(infinity_null))
    finite = null is not None and math.isfinite(null)
    return numpy.ma.masked_array(host, cuprum.asnumpy(mask), fill_value=null_value if finite else None)


def csgraph_to_dense(csgraph, null_value=0):
    """Returns the dense array of a graph, with `null_value` where there is no edge; of parallel edges the shortest counts, and one of length
    NaN is infinitely long. Raises ValueError for a dense array. SciPy's function."""
    if not (is_sparse(csgraph) or is_scipy_sparse(csgraph)):
        raise ValueError(f'csgraph_to_dense: csgraph must be sparse, not {type(csgraph).__name__}')
    graph = graph_of('csgraph_to_dense', csgraph, cuprum.float64, parallel=True)
    return _cuprum.csgraph.csgraph_to_dense(graph._sparse, float(null_value))


def csgraph_to_masked(csgraph):
    """Returns a sparse graph as a masked array of NumPy on the host, masked where there is no edge. Raises ValueError for a dense array.
    SciPy's function."""
    if not (is_sparse(csgraph) or is_scipy_sparse(csgraph)):
        raise ValueError(f'csgraph_to_masked: csgraph must be sparse, not {type(csgraph).__name__}')
    dense = cuprum.asnumpy(csgraph_to_dense(csgraph, math.nan))
    return numpy.ma.masked_invalid(dense)
