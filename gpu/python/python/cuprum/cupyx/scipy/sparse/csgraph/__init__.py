"""Graphs whose edges are the elements of a square sparse matrix: `cupyx.scipy.sparse.csgraph`.

A graph is a sparse matrix of this package, whose stored elements are the lengths of edges, or a dense array, of which zeros, infinities and
NaNs are no edges.
"""

from ._components import connected_components
from ._dense import csgraph_from_dense, csgraph_from_masked, csgraph_masked_from_dense, csgraph_to_dense, csgraph_to_masked
from ._flows import MaximumFlowResult, maximum_flow, min_weight_full_bipartite_matching
from ._laplacian import laplacian
from ._matching import maximum_bipartite_matching, reverse_cuthill_mckee, structural_rank
from ._paths import NegativeCycleError, bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path, yen
from ._reconstruct import construct_dist_matrix, reconstruct_path
from ._traversal import breadth_first_order, breadth_first_tree, depth_first_order, depth_first_tree, minimum_spanning_tree

__all__ = [
    'MaximumFlowResult',
    'NegativeCycleError',
    'bellman_ford',
    'breadth_first_order',
    'breadth_first_tree',
    'connected_components',
    'construct_dist_matrix',
    'csgraph_from_dense',
    'csgraph_from_masked',
    'csgraph_masked_from_dense',
    'csgraph_to_dense',
    'csgraph_to_masked',
    'depth_first_order',
    'depth_first_tree',
    'dijkstra',
    'floyd_warshall',
    'johnson',
    'laplacian',
    'maximum_bipartite_matching',
    'maximum_flow',
    'min_weight_full_bipartite_matching',
    'minimum_spanning_tree',
    'reconstruct_path',
    'reverse_cuthill_mckee',
    'shortest_path',
    'structural_rank',
    'yen',
]


def __getattr__(name):
    from cuprum import _not_yet

    if name in _not_yet.known_names().get('cupyx.scipy.sparse.csgraph', ()):
        raise _not_yet.NotYet(_not_yet.sentence(f'cupyx.scipy.sparse.csgraph.{name}'))
    raise AttributeError(f"module 'cupyx.scipy.sparse.csgraph' has no attribute {name!r}")
