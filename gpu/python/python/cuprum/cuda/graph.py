"""Graphs of work: CuPy's `cupy.cuda.graph`."""

from cuprum.cuda._runtime_codes import _raised

__all__ = ["Graph"]


class Graph:
    """Work that was kept while it was queued, and is done by one call, as often as is liked.

    `Stream.end_capture` makes it. The arrays that it reads and writes live as long as the graph.
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("Graph: a graph is made by Stream.begin_capture and Stream.end_capture")

    @classmethod
    def _of(cls, handle):
        made = cls.__new__(cls)
        made._handle = handle
        return made

    @property
    def graph(self):
        """The driver's handle of the graph."""
        return self._handle.handles[0]

    @property
    def graphExec(self):
        """The driver's handle of what is launched."""
        return self._handle.handles[1]

    @_raised
    def launch(self, stream=None):
        """Does the work on a stream, by default on the current one."""
        self._handle.launch(None if stream is None else stream._handle)

    @_raised
    def upload(self, stream=None):
        """Brings what the device needs for a launch there."""
        self._handle.upload(None if stream is None else stream._handle)

    @_raised
    def debug_dot_str(self, flags=0):
        """The graph in the language of Graphviz."""
        return self._handle.to_dot(flags)

    def __repr__(self):
        return f"<Graph of {self._handle.nodes()} nodes>"
