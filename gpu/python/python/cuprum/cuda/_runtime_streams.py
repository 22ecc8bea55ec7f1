"""The runtime's functions of streams, events and graphs, which are numbers, as `cuprum.cuda.runtime` has them."""

from cuprum._cuprum import EventHandle as _EventHandle
from cuprum._cuprum import StreamHandle as _StreamHandle
from cuprum.cuda._runtime_codes import (
    CUDARuntimeError,
    _raised,
    cudaErrorInvalidResourceHandle,
    cudaErrorInvalidValue,
    cudaErrorNotReady,
    cudaSuccess,
    eventBlockingSync,
    eventDefault,
    eventDisableTiming,
    eventInterprocess,
    streamCaptureModeRelaxed,
    streamDefault,
    streamNonBlocking,
)

_streams = {}
_events = {}


def _stream(stream):
    if not stream:
        return _StreamHandle.default(-1)
    return _streams.get(stream) or _StreamHandle.external(stream, -1)


def _event(event):
    try:
        return _events[event]
    except KeyError:
        raise CUDARuntimeError(cudaErrorInvalidValue) from None


@_raised
def streamCreate():
    """A new stream: the driver's handle."""
    return streamCreateWithFlags(streamDefault)


@_raised
def streamCreateWithFlags(flags):
    """A new stream, which may be non-blocking."""
    return streamCreateWithPriority(flags, 0)


@_raised
def streamCreateWithPriority(flags, priority):
    """A new stream whose work goes before that of others: the lower the priority, the sooner."""
    stream = _StreamHandle(-1, bool(flags & streamNonBlocking), priority)
    _streams[stream.ptr] = stream
    return stream.ptr


def streamDestroy(stream):
    """Ends a stream that was made here."""
    if _streams.pop(stream, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def streamSynchronize(stream):
    """Waits until the stream's work is done."""
    _stream(stream).synchronize()


@_raised
def streamQuery(stream):
    """0 where the stream's work is done, else `cudaErrorNotReady`."""
    return cudaSuccess if _stream(stream).done else cudaErrorNotReady


@_raised
def streamWaitEvent(stream, event, flags=0):
    """Makes later work of the stream wait for the event."""
    _stream(stream).wait_event(_event(event))


def streamAddCallback(stream, callback, arg, flags=0):
    """Calls ``callback(stream, error, arg)`` behind the stream's work: here and now, after waiting for it."""
    streamSynchronize(stream)
    callback(stream, cudaSuccess, arg)


def launchHostFunc(stream, callback, arg):
    """Calls ``callback(arg)`` behind the stream's work: here and now, after waiting for it."""
    streamSynchronize(stream)
    callback(arg)


@_raised
def streamIsCapturing(stream):
    """Whether this thread captures the stream for a graph."""
    return _stream(stream).is_capturing()


_captures = {}
_graphs = {}
_launchable = {}


@_raised
def streamBeginCapture(stream, mode=streamCaptureModeRelaxed):
    """Keeps what this thread queues on a stream, instead of doing it."""
    handle = _stream(stream)
    handle.begin_capture()
    _captures[stream] = handle


@_raised
def streamEndCapture(stream):
    """The graph of what was kept: its handle."""
    graph = (_captures.pop(stream, None) or _stream(stream)).end_capture()
    _graphs[graph.handles[0]] = graph
    return graph.handles[0]


def _of(table, handle):
    try:
        return table[handle]
    except KeyError:
        raise CUDARuntimeError(cudaErrorInvalidResourceHandle) from None


def graphInstantiate(graph):
    """What is launched of a graph: its handle."""
    made = _of(_graphs, graph)
    _launchable[made.handles[1]] = made
    return made.handles[1]


def graphDestroy(graph):
    """Lets a graph go; what was made of it can be launched as before."""
    _of(_graphs, graph)
    del _graphs[graph]


def graphExecDestroy(graphExec):
    """Lets go what is launched of a graph."""
    _of(_launchable, graphExec)
    del _launchable[graphExec]


@_raised
def graphLaunch(graphExec, stream):
    """Does the work of a graph on a stream."""
    _of(_launchable, graphExec).launch(_stream(stream))


@_raised
def graphUpload(graphExec, stream):
    """Brings what the device needs for a launch there."""
    _of(_launchable, graphExec).upload(_stream(stream))


@_raised
def graphDebugDotPrint(graph, path, flags):
    """Writes a graph to a file, in the language of Graphviz."""
    with open(path, "w") as file:
        file.write(_of(_graphs, graph).to_dot(flags))


@_raised
def eventCreate():
    """A new event: the driver's handle."""
    event = _EventHandle()
    _events[event.ptr] = event
    return event.ptr


def eventCreateWithFlags(flags):
    """As `eventCreate`, with CUDA's flags; an event that other processes open tells no time."""
    if flags & eventInterprocess:
        event = _EventHandle.interprocess()
        _events[event.ptr] = event
        return event.ptr
    event = _EventHandle.with_options(bool(flags & eventBlockingSync), not flags & eventDisableTiming)
    _events[event.ptr] = event
    return event.ptr


def eventDestroy(event):
    """Ends an event that was made here."""
    _event(event)
    del _events[event]


@_raised
def eventRecord(event, stream):
    """Sets the event behind the stream's work so far."""
    _event(event).record(_stream(stream))


@_raised
def eventSynchronize(event):
    """Waits until the event is reached."""
    _event(event).synchronize()


@_raised
def eventQuery(event):
    """0 where the event is reached, else `cudaErrorNotReady`."""
    return cudaSuccess if _event(event).done else cudaErrorNotReady


@_raised
def eventElapsedTime(start, end):
    """Milliseconds between two events that have been reached."""
    return _event(end).elapsed_since(_event(start))


def profilerStart():
    """A profiler looks from here on."""
    from cuprum.cuda import profiler
    profiler.start()


def profilerStop():
    """A profiler looks no more."""
    from cuprum.cuda import profiler
    profiler.stop()


@_raised
def ipcGetEventHandle(event):
    """64 bytes by which another process opens an event that was made with ``eventInterprocess``."""
    return _event(event).ipc_handle()


@_raised
def ipcOpenEventHandle(handle):
    """Opens an event of another process: a handle as that of `eventCreate`."""
    event = _EventHandle.from_ipc(handle)
    _events[event.ptr] = event
    return event.ptr
