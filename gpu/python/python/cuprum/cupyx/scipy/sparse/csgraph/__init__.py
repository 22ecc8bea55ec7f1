"""Graphs whose edges are the elements of a square sparse matrix: `cupyx.scipy.sparse.csgraph`.

A graph is a sparse matrix of this package, whose stored elements are the lengths of edges, or a dense array, of which zeros, infinities and
NaNs are no edges.
"""

from ._components import connected_components
from ._laplacian import laplacian
from ._paths import NegativeCycleError, bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path
from ._traversal import breadth_first_order, breadth_first_tree, csgraph_from_dense, csgraph_to_dense, minimum_spanning_tree

__all__ = [
    'NegativeCycleError', 'bellman_ford', 'breadth_first_order', 'breadth_first_tree', 'connected_components', 'csgraph_from_dense',
    'csgraph_to_dense', 'dijkstra', 'floyd_warshall', 'johnson', 'laplacian', 'minimum_spanning_tree', 'shortest_path',
]


def __getattr__(name):
    from cuprum import _not_yet
    if name in _not_yet.known_names().get('cupyx.scipy.sparse.csgraph', ()):
        raise _not_yet.NotYet(_not_yet.sentence(f'cupyx.scipy.sparse.csgraph.{name}'))
    raise AttributeError(f"module 'cupyx.scipy.sparse.csgraph' has no attribute {name!r}")
