"""Connected components: `connected_components`."""

import cuprum

from ._graph import edges_of, graph_of

__all__ = ['connected_components']


def connected_components(csgraph, directed=True, connection='weak', return_labels=True):
    """Returns the number of connected components of a graph, and the component of each vertex.

    The result is `(n, labels)` with labels of int32, or n alone. `connection` of a directed graph is 'weak', where edges count in both
    directions, or 'strong', where paths lead both ways. Weak components are numbered by their first vertices, as strong ones are.
    Raises ValueError for another `connection`, and for a graph that is not square. Weak components are found by union-find in one pass;
    strong ones by repeated searches from both sides, which take as many steps as the longest path that they follow. SciPy's function.
    """
    connection = str(connection).lower()
    if connection not in ('weak', 'strong'):
        raise ValueError(f"connected_components: connection must be 'weak' or 'strong', not {connection!r}")
    weak = not directed or connection == 'weak'
    graph = graph_of('connected_components', csgraph, any_format=weak)
    if weak:
        n, labels = graph._sparse.connected_components()
        return (n, labels) if return_labels else n
    n, labels = _strong(graph)
    return (n, labels) if return_labels else n


def _strong(graph):
    """Finds strong components by colouring: the smallest vertex that reaches a vertex is its colour, and the vertices of the colour that
    reach that vertex are its component (S. Orzan, "On Distributed Verification and Verified Distribution", 2004)."""
    n = graph.shape[0]
    rows, columns, _ = edges_of(graph)
    vertices = cuprum.arange(n)
    component = cuprum.full(n, n)
    while True:
        alive = component == n
        inside = alive[rows] & alive[columns]
        rows, columns = rows[inside], columns[inside]
        if rows.size == 0:
            component = cuprum.where(alive, vertices, component)
            break
        colour = cuprum.where(alive, vertices, n)
        colour = _propagate(colour, rows, columns)
        # Backwards within a colour, from the vertex that gives it.
        same = colour[rows] == colour[columns]
        back_rows, back_columns = columns[same], rows[same]
        reached = _propagate(cuprum.where(alive & (colour == vertices), 0, 1), back_rows, back_columns)
        component = cuprum.where(alive & (reached == 0), colour, component)
        if not bool((component == n).any()):
            break
    # Numbers in the order of the first vertices: the smallest vertex of a component may not be the one that gives the colour.
    first = cuprum.full(n, n)
    cuprum.minimum.at(first, component, vertices)
    smallest = first[component]
    number = cuprum.cumsum(smallest == vertices) - 1
    count = int(number[-1]) + 1 if n else 0
    return count, number[smallest].astype(cuprum.int32)


def _propagate(values, rows, columns):
    """Lowers the value at the end of each edge to that at its beginning until nothing changes."""
    while True:
        new = values.copy()
        cuprum.minimum.at(new, columns, values[rows])
        if bool((new == values).all()):
            return values
        values = new
