"""Streams and events: CuPy's `cupy.cuda.stream`."""

import contextlib as _contextlib
import os as _os
import threading as _threading
import warnings as _warnings

from cuprum import _cuprum
from cuprum._cuprum import EventHandle as _EventHandle
from cuprum._cuprum import StreamHandle as _StreamHandle
from cuprum.cuda._runtime_codes import _raised

__all__ = ["BaseStream", "Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time", "is_ptds_enabled"]


class _OfThread(_threading.local):
    """The streams that a thread has made current: the last one per device, and those of the enclosing scopes."""

    def __init__(self):
        self.current, self.scopes = {}, []


_of_thread = _OfThread()


class Event:
    """A marker in the work of a stream.

    With `block` a waiting thread sleeps; with `disable_timing` the event costs the device less and does not support
    timing. An event with `interprocess` can be opened by other processes; it does not support timing, and the
    simulator does not support it.
    """

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            self._handle = _EventHandle.interprocess()
            return
        self._handle = _EventHandle.with_options(bool(block), not disable_timing)

    @property
    def ptr(self):
        """The driver's handle, as an integer."""
        return self._handle.ptr

    @property
    @_raised
    def done(self):
        """True if the work before the event is complete."""
        return self._handle.done

    @_raised
    def record(self, stream=None):
        """Records the event after the work so far of a stream, by default of the current one."""
        self._handle.record(None if stream is None else _cuprum.stream_of(stream))

    @_raised
    def synchronize(self):
        """Waits until the work before the event is complete."""
        self._handle.synchronize()


@_raised
def get_elapsed_time(start_event, end_event):
    """Returns the milliseconds between two completed events."""
    return end_event._handle.elapsed_since(start_event._handle)


class BaseStream:
    """The interface that all streams share."""

    _made = None

    @property
    def _handle(self):
        return self._made

    def _on(self, device_id):
        """Returns the handle of the stream on a device. The default streams have one on each."""
        return self._handle

    @property
    def ptr(self):
        """The driver's handle, as an integer."""
        return self._handle.ptr

    @property
    def device_id(self):
        """The number of the device."""
        return self._handle.device_id

    @property
    @_raised
    def done(self):
        """True if all queued work is complete."""
        return self._handle.done

    @property
    def is_non_blocking(self):
        """True if the stream does not synchronise with the default stream."""
        return self._handle.is_non_blocking

    @property
    def priority(self):
        """The priority: lower values are scheduled first."""
        return self._handle.priority

    def use(self):
        """Makes the stream current on this thread."""
        self._handle.make_current()
        _of_thread.current[_cuprum.current_device()] = self
        return self

    @_raised
    def synchronize(self):
        """Waits until the stream's work is complete."""
        self._handle.synchronize()

    @_raised
    def record(self, event=None):
        """Records an event, by default a new one, after the stream's work so far."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    @_raised
    def wait_event(self, event):
        """Makes later work wait for an event, without blocking the host."""
        self._handle.wait_event(event._handle)

    @_raised
    def launch_host_func(self, callback, arg):
        """Calls ``callback(arg)`` after the stream's work so far and before work that is queued later.

        The call is made immediately: the host waits for the stream, and an exception of the callback is raised.
        """
        self.synchronize()
        callback(arg)

    @_raised
    def add_callback(self, callback, arg):
        """Calls ``callback(stream, error, arg)`` like `launch_host_func`, with `error` 0."""
        self.synchronize()
        callback(self, 0, arg)

    @_raised
    def begin_capture(self, mode=None):
        """Captures the work that this thread queues on the stream, instead of running it, until `end_capture`.

        `mode` is accepted as in CuPy. The library captures in such a way that its own calls are valid in every
        mode.
        """
        if mode not in (None, 0, 1, 2):
            raise ValueError(f"begin_capture: there is no mode {mode!r}: streamCaptureModeGlobal and so on are 0, 1 and 2")
        self._handle.begin_capture()

    @_raised
    def end_capture(self):
        """Ends the capture and returns its work as a `Graph`."""
        from cuprum.cuda.graph import Graph

        return Graph._of(self._handle.end_capture())

    @_raised
    def is_capturing(self):
        """Returns true if this thread is capturing the stream."""
        return self._handle.is_capturing()

    def __enter__(self):
        device = _cuprum.current_device()
        self.use()
        _of_thread.scopes.append((self, _cuprum.current_device(), device))
        return self

    def __exit__(self, *exception):
        # As in CuPy the stream of the enclosing scope becomes current again, not one chosen by `use` since.
        _, own, device = _of_thread.scopes.pop()
        outer = (stream for stream, of, _ in reversed(_of_thread.scopes) if of == own)
        _cuprum.use_device(own)
        next(outer, Stream.null).use()
        _cuprum.use_device(device)

    def __cuda_stream__(self):
        """Returns the version of the protocol and the driver's handle."""
        return (0, self.ptr)

    def __eq__(self, other):
        return self._handle == other._handle if isinstance(other, BaseStream) else NotImplemented

    def __hash__(self):
        return hash(self._handle)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"


_BaseStream = BaseStream


# CuPy's name of the class.
_BaseStream = BaseStream


class Stream(BaseStream):
    """A queue of work on the current device, which runs in order.

    ``with stream:`` makes it current in a scope. Lower values of `priority` are scheduled first; a `non_blocking`
    stream does not synchronise with the default stream.
    """

    null = None
    ptds = None

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError("Stream: a stream is the default one of all threads or of this one, not both")
        if null:
            self._made = _StreamHandle.default(-1)
        elif ptds:
            self._made = _StreamHandle.of_thread(-1)
        else:
            self._made = _StreamHandle(-1, bool(non_blocking), 0 if priority is None else int(priority))

    @classmethod
    def from_external(cls, obj):
        """Creates a stream from an object that has ``__cuda_stream__``."""
        if not hasattr(obj, "__cuda_stream__"):
            raise TypeError(f"{type(obj).__name__} has no __cuda_stream__: it is no stream")
        version, ptr = obj.__cuda_stream__()
        if version != 0:
            raise ValueError(f"__cuda_stream__ of version {version} is not known: known is 0")
        stream = ExternalStream.__new__(ExternalStream)
        stream._made, stream._owner = _StreamHandle.external(int(ptr), -1), obj
        return stream


class _Null(Stream):
    """The default stream of the current device."""

    def __init__(self):
        pass

    @property
    def _handle(self):
        return self._on(-1)

    def _on(self, device_id):
        return _StreamHandle.default(device_id)

    def __repr__(self):
        return "<Stream 0 (device -1)>"


class _PerThread(Stream):
    """The default stream of the thread that uses it, which synchronises with the legacy default stream."""

    def __init__(self):
        pass

    @property
    def _handle(self):
        return self._on(-1)

    def _on(self, device_id):
        return _StreamHandle.of_thread(device_id)

    def __repr__(self):
        return "<Stream 2 (device -1)>"


Stream.null = _Null()
Stream.ptds = _PerThread()


class ExternalStream(BaseStream):
    """A stream of another library, given by the driver's handle; that library owns it.

    Deprecated: `Stream.from_external` takes the object of the other library, and keeps it alive.
    """

    def __init__(self, ptr, device_id=-1):
        _warnings.warn("ExternalStream is deprecated: use Stream.from_external with an object that has __cuda_stream__", DeprecationWarning, stacklevel=2)
        self._made = _StreamHandle.external(int(ptr), device_id)


@_contextlib.contextmanager
def _made_current(handle):
    """Makes a stream current in a scope, and restores the previous one."""
    before, device = handle.make_current()
    try:
        yield
    finally:
        before.make_current()
        _cuprum.use_device(device)


def get_current_stream(device_id=-1):
    """Returns the stream on which this thread queues its work for a device: the object that was made current."""
    handle = _StreamHandle.current(device_id)
    for known in (_of_thread.current.get(handle.device_id), Stream.null, Stream.ptds):
        if known is not None and known._on(handle.device_id) == handle:
            return known
    stream = Stream.__new__(Stream)
    stream._made = handle
    return stream


def is_ptds_enabled():
    """Returns true if each thread has its own default stream (``CUPRUM_PER_THREAD_DEFAULT_STREAM=1``)."""
    return _os.environ.get("CUPRUM_PER_THREAD_DEFAULT_STREAM") == "1"
