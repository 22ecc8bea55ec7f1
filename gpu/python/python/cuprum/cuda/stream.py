"""Streams and events: CuPy's `cupy.cuda.stream`."""

import contextlib as _contextlib
import os as _os
import threading as _threading
import warnings as _warnings

from cuprum import _cuprum
from cuprum._cuprum import EventHandle as _EventHandle
from cuprum._cuprum import StreamHandle as _StreamHandle
from cuprum.cuda._runtime_codes import _raised

__all__ = ["BaseStream", "Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time",
           "is_ptds_enabled"]


class _OfThread(_threading.local):
    """What streams a thread has made current: the last one by device, and those of the scopes that it is in."""

    def __init__(self):
        self.current, self.scopes = {}, []


_of_thread = _OfThread()


class Event:
    """A mark in the work of a stream.

    With `block` a thread that waits sleeps; with `disable_timing` the device takes less for it, and no time is told. An event
    with `interprocess` can be given to other processes; it tells no time, and the simulator has none.
    """

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            self._handle = _EventHandle.interprocess()
            return
        self._handle = _EventHandle.with_options(bool(block), not disable_timing)

    @property
    def ptr(self):
        """The driver's handle, as a number."""
        return self._handle.ptr

    @property
    @_raised
    def done(self):
        """Whether the work before the mark is done."""
        return self._handle.done

    @_raised
    def record(self, stream=None):
        """Sets the mark behind the work so far of a stream, by default of the current one."""
        self._handle.record(None if stream is None else stream._handle)

    @_raised
    def synchronize(self):
        """Waits until the work before the mark is done."""
        self._handle.synchronize()


@_raised
def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that have been reached."""
    return end_event._handle.elapsed_since(start_event._handle)


class BaseStream:
    """What all streams can do."""

    _made = None

    @property
    def _handle(self):
        return self._made

    def _on(self, device_id):
        """The handle of the stream on a device. The default streams have one on each."""
        return self._handle

    @property
    def ptr(self):
        """The driver's handle, as a number."""
        return self._handle.ptr

    @property
    def device_id(self):
        """The number of the device."""
        return self._handle.device_id

    @property
    @_raised
    def done(self):
        """Whether all work that was queued is done."""
        return self._handle.done

    @property
    def is_non_blocking(self):
        """Whether the default stream does not wait for this one, nor this one for it."""
        return self._handle.is_non_blocking

    @property
    def priority(self):
        """The lower, the sooner its work is done."""
        return self._handle.priority

    def use(self):
        """Makes the stream current on this thread."""
        self._handle.make_current()
        _of_thread.current[_cuprum.current_device()] = self
        return self

    @_raised
    def synchronize(self):
        """Waits until the stream's work is done."""
        self._handle.synchronize()

    @_raised
    def record(self, event=None):
        """Sets an event, by default a new one, behind the stream's work so far."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    @_raised
    def wait_event(self, event):
        """Makes later work wait for an event; the host goes on."""
        self._handle.wait_event(event._handle)

    @_raised
    def launch_host_func(self, callback, arg):
        """Calls ``callback(arg)`` behind the stream's work so far and before what is queued later.

        The call is made here and now: the host waits for the stream, and an exception of the callback is raised.
        """
        self.synchronize()
        callback(arg)

    @_raised
    def add_callback(self, callback, arg):
        """As `launch_host_func`, of ``callback(stream, error, arg)``, where `error` is 0."""
        self.synchronize()
        callback(self, 0, arg)

    @_raised
    def begin_capture(self, mode=None):
        """Keeps what this thread queues on the stream, instead of doing it, until `end_capture`.

        `mode` is CuPy's. The library captures so that its own calls are legal in any of them.
        """
        if mode not in (None, 0, 1, 2):
            raise ValueError(f"begin_capture: there is no mode {mode!r}: streamCaptureModeGlobal and so on are 0, 1 and 2")
        self._handle.begin_capture()

    @_raised
    def end_capture(self):
        """The `Graph` of what was kept since `begin_capture`."""
        from cuprum.cuda.graph import Graph
        return Graph._of(self._handle.end_capture())

    @_raised
    def is_capturing(self):
        """Whether this thread captures the stream."""
        return self._handle.is_capturing()

    def __enter__(self):
        device = _cuprum.current_device()
        self.use()
        _of_thread.scopes.append((self, _cuprum.current_device(), device))
        return self

    def __exit__(self, *exception):
        # As in CuPy the stream of the scope around is current again, and not what `use` has chosen since.
        _, own, device = _of_thread.scopes.pop()
        outer = (stream for stream, of, _ in reversed(_of_thread.scopes) if of == own)
        _cuprum.use_device(own)
        next(outer, Stream.null).use()
        _cuprum.use_device(device)

    def __cuda_stream__(self):
        """The version of the protocol, and the driver's handle."""
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
    """A queue of work on the current device, done in order.

    ``with stream:`` makes it current for a scope. A lower `priority` goes first; work of a `non_blocking` one does not
    wait for that of the default stream.
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
        """The stream of an object that has ``__cuda_stream__``."""
        if not hasattr(obj, "__cuda_stream__"):
            raise TypeError(f"{type(obj).__name__} has no __cuda_stream__: it is no stream")
        version, ptr = obj.__cuda_stream__()
        if version != 0:
            raise ValueError(f"__cuda_stream__ of version {version} is not known: known is 0")
        stream = ExternalStream.__new__(ExternalStream)
        stream._made, stream._owner = _StreamHandle.external(int(ptr), -1), obj
        return stream


class _Null(Stream):
    """The default stream of whatever device is current."""

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
    """The default stream of the thread that uses it: one that waits for the default stream of all and is waited for."""

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
    """A stream that another library made, by the driver's handle of it; that library keeps and ends it.

    Deprecated: `Stream.from_external` takes the object of the other library, and keeps it.
    """

    def __init__(self, ptr, device_id=-1):
        _warnings.warn("ExternalStream is deprecated: use Stream.from_external with an object that has __cuda_stream__",
                       DeprecationWarning, stacklevel=2)
        self._made = _StreamHandle.external(int(ptr), device_id)


@_contextlib.contextmanager
def _made_current(handle):
    """Makes a stream current for a scope, and then the very one that was."""
    before, device = handle.make_current()
    try:
        yield
    finally:
        before.make_current()
        _cuprum.use_device(device)


def get_current_stream(device_id=-1):
    """The stream that this thread queues its work for a device on: the object that was made current."""
    handle = _StreamHandle.current(device_id)
    for known in (_of_thread.current.get(handle.device_id), Stream.null, Stream.ptds):
        if known is not None and known._on(handle.device_id) == handle:
            return known
    stream = Stream.__new__(Stream)
    stream._made = handle
    return stream


def is_ptds_enabled():
    """Whether each thread has a default stream of its own (``CUPRUM_PER_THREAD_DEFAULT_STREAM=1``)."""
    return _os.environ.get("CUPRUM_PER_THREAD_DEFAULT_STREAM") == "1"
