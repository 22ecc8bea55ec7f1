"""Graphs of captured work: CuPy's `cupy.cuda.graph`."""

from cuprum import _cuprum
from cuprum.cuda._runtime_codes import _raised

__all__ = ["Graph"]


class Graph:
    """Captured work, which one call launches any number of times.

    `Stream.end_capture` creates it. The arrays that it reads and writes live as long as the graph.
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
        """The driver's handle of the executable graph."""
        return self._handle.handles[1]

    @_raised
    def launch(self, stream=None):
        """Launches the graph on a stream, by default on the current one."""
        self._handle.launch(None if stream is None else _cuprum.stream_of(stream))

    @_raised
    def upload(self, stream=None):
        """Uploads the resources of a launch to the device."""
        self._handle.upload(None if stream is None else _cuprum.stream_of(stream))

    @_raised
    def debug_dot_str(self, flags=0):
        """Returns the graph in Graphviz's DOT language."""
        return self._handle.to_dot(flags)

    def __repr__(self):
        return f"<Graph of {self._handle.nodes()} nodes>"
