"""Functions of the CUDA runtime for streams, events and graphs by handle, as `cuprum.cuda.runtime` exports them."""

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
    """Creates a stream and returns the driver's handle."""
    return streamCreateWithFlags(streamDefault)


@_raised
def streamCreateWithFlags(flags):
    """Creates a stream, which may be non-blocking."""
    return streamCreateWithPriority(flags, 0)


@_raised
def streamCreateWithPriority(flags, priority):
    """Creates a stream with a priority: lower values are scheduled first."""
    stream = _StreamHandle(-1, bool(flags & streamNonBlocking), priority)
    _streams[stream.ptr] = stream
    return stream.ptr


def streamDestroy(stream):
    """Destroys a stream that was created here."""
    if _streams.pop(stream, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def streamGetFlags(stream):
    """Returns the flags of a stream: `streamDefault` or `streamNonBlocking`."""
    return streamNonBlocking if _stream(stream).is_non_blocking else streamDefault


@_raised
def streamGetPriority(stream):
    """Returns the priority of a stream: lower values are scheduled first."""
    return _stream(stream).priority


@_raised
def streamSynchronize(stream):
    """Synchronises the stream."""
    _stream(stream).synchronize()


@_raised
def streamQuery(stream):
    """Returns 0 if the stream's work is complete, otherwise `cudaErrorNotReady`."""
    return cudaSuccess if _stream(stream).done else cudaErrorNotReady


@_raised
def streamWaitEvent(stream, event, flags=0):
    """Makes later work of the stream wait for the event."""
    _stream(stream).wait_event(_event(event))


def streamAddCallback(stream, callback, arg, flags=0):
    """Calls ``callback(stream, error, arg)`` after the stream's work: synchronises the stream and calls it
    immediately."""
    streamSynchronize(stream)
    callback(stream, cudaSuccess, arg)


def launchHostFunc(stream, callback, arg):
    """Calls ``callback(arg)`` after the stream's work: synchronises the stream and calls it immediately."""
    streamSynchronize(stream)
    callback(arg)


@_raised
def streamIsCapturing(stream):
    """Returns true if this thread is capturing the stream into a graph."""
    return _stream(stream).is_capturing()


_captures = {}
_graphs = {}
_launchable = {}


@_raised
def streamBeginCapture(stream, mode=streamCaptureModeRelaxed):
    """Begins to capture the work that this thread queues on a stream, instead of running it."""
    handle = _stream(stream)
    handle.begin_capture()
    _captures[stream] = handle


@_raised
def streamEndCapture(stream):
    """Ends the capture and returns the handle of its graph."""
    graph = (_captures.pop(stream, None) or _stream(stream)).end_capture()
    _graphs[graph.handles[0]] = graph
    return graph.handles[0]


def _of(table, handle):
    try:
        return table[handle]
    except KeyError:
        raise CUDARuntimeError(cudaErrorInvalidResourceHandle) from None


def graphInstantiate(graph):
    """Instantiates a graph and returns the handle of the executable graph."""
    made = _of(_graphs, graph)
    _launchable[made.handles[1]] = made
    return made.handles[1]


def graphDestroy(graph):
    """Destroys a graph; executable graphs that were instantiated from it remain valid."""
    _of(_graphs, graph)
    del _graphs[graph]


def graphExecDestroy(graphExec):
    """Destroys an executable graph."""
    _of(_launchable, graphExec)
    del _launchable[graphExec]


@_raised
def graphLaunch(graphExec, stream):
    """Launches an executable graph on a stream."""
    _of(_launchable, graphExec).launch(_stream(stream))


@_raised
def graphUpload(graphExec, stream):
    """Uploads the resources of a launch to the device."""
    _of(_launchable, graphExec).upload(_stream(stream))


@_raised
def graphDebugDotPrint(graph, path, flags):
    """Writes a graph to a file in Graphviz's DOT language."""
    with open(path, "w") as file:
        file.write(_of(_graphs, graph).to_dot(flags))


@_raised
def eventCreate():
    """Creates an event and returns the driver's handle."""
    event = _EventHandle()
    _events[event.ptr] = event
    return event.ptr


def eventCreateWithFlags(flags):
    """Creates an event with CUDA's flags; an interprocess event does not support timing."""
    if flags & eventInterprocess:
        event = _EventHandle.interprocess()
        _events[event.ptr] = event
        return event.ptr
    event = _EventHandle.with_options(bool(flags & eventBlockingSync), not flags & eventDisableTiming)
    _events[event.ptr] = event
    return event.ptr


def eventDestroy(event):
    """Destroys an event that was created here."""
    _event(event)
    del _events[event]


@_raised
def eventRecord(event, stream):
    """Records the event after the stream's work so far."""
    _event(event).record(_stream(stream))


@_raised
def eventSynchronize(event):
    """Waits until the event has completed."""
    _event(event).synchronize()


@_raised
def eventQuery(event):
    """Returns 0 if the event has completed, otherwise `cudaErrorNotReady`."""
    return cudaSuccess if _event(event).done else cudaErrorNotReady


@_raised
def eventElapsedTime(start, end):
    """Returns the milliseconds between two completed events."""
    return _event(end).elapsed_since(_event(start))


def profilerStart():
    """Starts the profiler."""
    from cuprum.cuda import profiler

    profiler.start()


def profilerStop():
    """Stops the profiler."""
    from cuprum.cuda import profiler

    profiler.stop()


@_raised
def ipcGetEventHandle(event):
    """Returns the 64 bytes with which another process opens an event created with ``eventInterprocess``."""
    return _event(event).ipc_handle()


@_raised
def ipcOpenEventHandle(handle):
    """Opens an event of another process and returns a handle as `eventCreate` does."""
    event = _EventHandle.from_ipc(handle)
    _events[event.ptr] = event
    return event.ptr
