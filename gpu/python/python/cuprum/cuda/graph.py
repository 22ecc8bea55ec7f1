"""Graphs of work: CuPy's `cupy.cuda.graph`."""

__all__ = ["Graph"]


class Graph:
    """Work that is queued at once; not there yet."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("Graph: graphs are not there yet")
