"""Searches by breadth and by depth, and spanning trees."""

import numpy

from cuprum import _cuprum

from ._graph import graph_of

__all__ = ['breadth_first_order', 'breadth_first_tree', 'depth_first_order', 'depth_first_tree', 'minimum_spanning_tree']


def _search(name, by, csgraph, i_start, directed):
    graph = graph_of(name, csgraph)
    if not 0 <= i_start < graph.shape[0]:
        raise ValueError(f'{name}: i_start {i_start} is out of range for {graph.shape[0]} vertices')
    return graph, (graph._sparse, by, int(i_start), bool(directed))


def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Returns the vertices in the order of a breadth-first search from `i_start`, and the predecessor of each vertex, -9999 for none.

    The search is sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a vertex out of
    range. Neighbours of a vertex come in the order of their numbers, those along edges before those against them. SciPy's function.
    """
    _, arguments = _search('breadth_first_order', 'breadth', csgraph, i_start, directed)
    order, before = _cuprum.csgraph.search(*arguments)
    return (order, before) if return_predecessors else order


def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """Returns the vertices in the order of a depth-first search from `i_start`, and the predecessor of each vertex, -9999 for none.

    The search is sequential and runs on the host, with a copy of the structure of the graph. Raises ValueError for a vertex out of
    range. Neighbours of a vertex come in the order of their numbers, those along edges before those against them. SciPy's function.
    """
    _, arguments = _search('depth_first_order', 'depth', csgraph, i_start, directed)
    order, before = _cuprum.csgraph.search(*arguments)
    return (order, before) if return_predecessors else order


def breadth_first_tree(csgraph, i_start, directed=True):
    """Returns the tree of a breadth-first search from `i_start` in CSR format; the search runs on the host. SciPy's function."""
    graph, arguments = _search('breadth_first_tree', 'breadth', csgraph, i_start, directed)
    return graph._new(_cuprum.csgraph.search_tree(*arguments))


def depth_first_tree(csgraph, i_start, directed=True):
    """Returns the tree of a depth-first search from `i_start` in CSR format; the search runs on the host. SciPy's function."""
    graph, arguments = _search('depth_first_tree', 'depth', csgraph, i_start, directed)
    return graph._new(_cuprum.csgraph.search_tree(*arguments))


def minimum_spanning_tree(csgraph, overwrite=False):
    """Returns a spanning tree of least length of an undirected graph, or of each of its components, in CSR format.

    An edge counts whichever of its directions is stored; where both are, the shorter one does. Zeros are no edges. In each round every
    component takes its shortest edge, the first one of equal length (O. Boruvka, 1926). The result is of float64. SciPy's function, which may choose
    others of equally long edges.
    """
    graph = graph_of('minimum_spanning_tree', csgraph, numpy.float64)
    return graph._new(_cuprum.csgraph.minimum_spanning_tree(graph._sparse))
