"""Connected components: `connected_components`."""

from cuprum import _cuprum

from ._graph import graph_of

__all__ = ['connected_components']


def connected_components(csgraph, directed=True, connection='weak', return_labels=True):
    """Returns the number of connected components of a graph, and the component of each vertex.

    The result is `(n, labels)` with labels of int32, or n alone. `connection` of a directed graph is 'weak', where edges count in both
    directions, or 'strong', where paths lead both ways. Weak components are numbered by their first vertices, as strong ones are.
    Raises ValueError for another `connection`, and for a graph that is not square. Weak components are found by union-find in one pass;
    strong ones by repeated searches from both sides, which take as many steps as the longest path that they follow. SciPy's function.
    """
    connection = connection.lower()
    if connection not in ('weak', 'strong'):
        raise ValueError(f"connected_components: connection must be 'weak' or 'strong', not {connection!r}")
    weak = not directed or connection == 'weak'
    graph = graph_of('connected_components', csgraph, any_format=weak)
    if weak:
        n, labels = graph._sparse.connected_components()
        return (n, labels) if return_labels else n
    n, labels = _cuprum.csgraph.strongly_connected_components(graph._sparse)
    return (n, labels) if return_labels else n
