"""The names of CUDA's runtime: CuPy's `cupy.cuda.runtime`, for programs that call them.

Streams, events and memory that are made here are numbers; who makes them destroys them. What is not there yet raises
`NotImplementedError`.
"""

from cuprum import _cuprum
from cuprum._cuprum import CUDADriverError as _CUDADriverError
from cuprum._cuprum import EventHandle as _EventHandle
from cuprum._cuprum import OutOfMemoryError as _OutOfMemoryError
from cuprum._cuprum import StreamHandle as _StreamHandle
from cuprum.cuda.memory import MemoryPointer as _MemoryPointer
from cuprum.cuda.memory import UnownedMemory as _UnownedMemory

is_hip = False

cudaSuccess = 0
cudaErrorInvalidValue = 1
cudaErrorMemoryAllocation = 2
cudaErrorInvalidDevice = 101
cudaErrorNotReady = 600
cudaErrorContextIsDestroyed = 709
cudaErrorPeerAccessAlreadyEnabled = 704
cudaErrorUnknown = 999
errorInvalidValue = cudaErrorInvalidValue
errorMemoryAllocation = cudaErrorMemoryAllocation
errorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled
errorContextIsDestroyed = cudaErrorContextIsDestroyed

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle = 1, 2, 4
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged = range(4)
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = 0, 1, 2
cudaChannelFormatKindNone = 3
cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = range(4)
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = 0, 1
cudaReadModeElementType, cudaReadModeNormalizedFloat = 0, 1
cudaArrayDefault, cudaArraySurfaceLoadStore = 0, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = 0, 1, 2
cudaCpuDeviceId, cudaInvalidDeviceId = -1, -2
cudaIpcMemLazyEnablePeerAccess = 1
invalidDeviceId = cudaInvalidDeviceId
CUDA_C_8U, CUDA_C_32F, CUDA_C_64F, CUDA_C_8I = 9, 4, 5, 7
CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_R_8U = 0, 1, 2, 3, 8
cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor = 75, 76
cudaDevAttrMaxThreadsPerBlock, cudaDevAttrWarpSize, cudaDevAttrMultiProcessorCount = 1, 10, 16

_MESSAGES = {
    cudaErrorInvalidValue: ("cudaErrorInvalidValue", "invalid argument"),
    cudaErrorMemoryAllocation: ("cudaErrorMemoryAllocation", "out of memory"),
    cudaErrorInvalidDevice: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    cudaErrorNotReady: ("cudaErrorNotReady", "device not ready"),
    cudaErrorPeerAccessAlreadyEnabled: ("cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    cudaErrorUnknown: ("cudaErrorUnknown", "unknown error"),
}


class CUDARuntimeError(RuntimeError):
    """A call of the runtime that failed; `status` is CUDA's number of the failure."""

    def __init__(self, status, detail=None):
        self.status = status
        name, text = _MESSAGES.get(status, (f"cudaError {status}", "unknown error"))
        super().__init__(f"{name}: {text}" if detail is None else f"{name}: {detail}")

    def __reduce__(self):
        return type(self), (self.status,)


def _raised(call):
    """The function, with errors of the driver and of memory as errors of the runtime."""
    import functools

    @functools.wraps(call)
    def called(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except _OutOfMemoryError as error:
            raise CUDARuntimeError(cudaErrorMemoryAllocation, error) from error
        except _CUDADriverError as error:
            raise CUDARuntimeError(cudaErrorUnknown, error) from error
    return called


def _version(text):
    major, minor = (text.split(".") + ["0"])[:2]
    return int(major) * 1000 + int(minor) * 10


def driverGetVersion():
    """The CUDA of the driver, as CUDA counts: 13000 is 13.0; 0 where there is no driver."""
    if _cuprum.is_simulated(-1):
        return 0
    return _version(_cuprum.device_info(-1)["driver"])


def runtimeGetVersion():
    """The CUDA of the compiler of kernels, as CUDA counts. The library uses no runtime of CUDA's."""
    return _version(_cuprum.nvrtc_version())


def getDeviceCount():
    """How many devices there are: GPUs, or one simulator."""
    return _cuprum.device_count()


def getDevice():
    """The number of the current device."""
    return _cuprum.current_device()


def _known(device):
    if not 0 <= device < _cuprum.device_count():
        raise CUDARuntimeError(cudaErrorInvalidDevice)
    return device


def setDevice(device):
    """Makes a device current."""
    _cuprum.use_device(_known(device))


@_raised
def deviceSynchronize():
    """Waits until all work on the current device is done."""
    _cuprum.device_synchronize(-1)


@_raised
def deviceGetAttribute(attrib, device):
    """A fact of a device, by CUDA's number of it."""
    return _cuprum.device_attribute(_known(device), attrib)


def deviceGetByPCIBusId(pci_bus_id):
    """The number of the device that is plugged in there."""
    from cuprum.cuda.device import Device
    return Device.from_pci_bus_id(pci_bus_id).id


def deviceGetPCIBusId(device):
    """Where a device is plugged in."""
    return _cuprum.pci_bus_id(_known(device))


# The fields of CUDA's properties that are attributes, too.
_PROPERTIES = {
    "sharedMemPerBlock": 8, "regsPerBlock": 12, "warpSize": 10, "maxThreadsPerBlock": 1, "totalConstMem": 9,
    "clockRate": 13, "textureAlignment": 14, "multiProcessorCount": 16, "kernelExecTimeoutEnabled": 17,
    "integrated": 18, "canMapHostMemory": 19, "computeMode": 20, "concurrentKernels": 31, "ECCEnabled": 32,
    "pciBusID": 33, "pciDeviceID": 34, "pciDomainID": 50, "memoryClockRate": 36, "memoryBusWidth": 37,
    "l2CacheSize": 38, "maxThreadsPerMultiProcessor": 39, "asyncEngineCount": 40, "unifiedAddressing": 41,
    "major": 75, "minor": 76, "streamPrioritiesSupported": 78, "sharedMemPerMultiprocessor": 81,
    "regsPerMultiprocessor": 82, "managedMemory": 83, "isMultiGpuBoard": 84, "cooperativeLaunch": 95,
    "sharedMemPerBlockOptin": 97, "maxBlocksPerMultiProcessor": 106,
}


def getDeviceProperties(device):
    """What a device is, as a dictionary; the name is bytes, as in CuPy."""
    info = _cuprum.device_info(_known(device))
    found = {"name": info["name"].encode(), "totalGlobalMem": info["memory_bytes"]}

    def attribute(number):
        try:
            return _cuprum.device_attribute(device, number)
        except (NotImplementedError, _CUDADriverError):
            return None

    for name, number in _PROPERTIES.items():
        value = attribute(number)
        if value is not None:
            found[name] = value
    found["maxThreadsDim"] = tuple(attribute(n) for n in (2, 3, 4))
    found["maxGridSize"] = tuple(attribute(n) for n in (5, 6, 7))
    return found


def deviceCanAccessPeer(device, peerDevice):
    """Whether one device reads the memory of another by itself: the library copies between devices by way of the host."""
    _known(device), _known(peerDevice)
    return 0


@_raised
def memGetInfo():
    """Bytes of the current device's memory that are free, and all of them."""
    return _cuprum.memory_info(-1)


_memory = {}


@_raised
def malloc(size):
    """Memory of the current device: an address."""
    pointer = _cuprum.pool_malloc(size)
    if pointer.ptr:
        _memory[pointer.ptr] = pointer
    return pointer.ptr


def free(ptr):
    """Takes memory of `malloc` back."""
    if ptr and _memory.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


def mallocAsync(size, stream):
    """As `malloc`: the library orders what streams do with memory."""
    with _on(stream):
        return malloc(size)


def freeAsync(ptr, stream):
    """As `free`."""
    free(ptr)


_pinned = {}


@_raised
def hostAlloc(size, flags=0):
    """Pinned memory of the host: an address."""
    memory = _cuprum.PinnedMemory(size, flags)
    _pinned[memory.ptr] = memory
    return memory.ptr


mallocHost = hostAlloc


def freeHost(ptr):
    """Takes memory of `hostAlloc` back."""
    if ptr and _pinned.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


def _at(ptr, size):
    for start, pointer in _memory.items():
        if start <= ptr and ptr + size <= start + pointer.mem.size:
            return pointer + (ptr - start)
    return _MemoryPointer(_UnownedMemory(ptr, size, None), 0)


def _on(stream):
    from cuprum.cuda.stream import ExternalStream, Stream
    if not stream:
        return Stream.null
    known = _streams.get(stream)
    if known is not None:
        made = Stream.__new__(Stream)
        made._made = known
        return made
    return ExternalStream(stream)


@_raised
def memcpy(dst, src, size, kind):
    """Copies bytes; `kind` says which of the addresses are the host's. `memcpyDefault` is not there yet."""
    import ctypes
    if kind not in range(5):
        raise CUDARuntimeError(cudaErrorInvalidValue)
    if kind == memcpyDefault:
        raise NotImplementedError("runtime.memcpy: memcpyDefault is not there yet: say which address is the host's")
    if size == 0:
        return
    if kind == memcpyHostToHost:
        ctypes.memmove(dst, src, size)
    elif kind == memcpyHostToDevice:
        _at(dst, size).copy_from_host(src, size)
    elif kind == memcpyDeviceToHost:
        _at(src, size).copy_to_host(dst, size)
    else:
        _at(dst, size).copy_from_device(_at(src, size), size)


def memcpyAsync(dst, src, size, kind, stream):
    """As `memcpy`, on a stream; to the host it waits."""
    with _on(stream):
        memcpy(dst, src, size, kind)


@_raised
def memset(ptr, value, size):
    """Sets bytes to a value."""
    if size:
        _at(ptr, size).memset(value, size)


def memsetAsync(ptr, value, size, stream):
    """As `memset`, on a stream."""
    with _on(stream):
        memset(ptr, value, size)


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


def streamIsCapturing(stream):
    """Whether work is captured for a graph."""
    return False


@_raised
def eventCreate():
    """A new event: the driver's handle."""
    event = _EventHandle()
    _events[event.ptr] = event
    return event.ptr


def eventCreateWithFlags(flags):
    """As `eventCreate`; events of several processes are not there yet."""
    if flags & eventInterprocess:
        raise NotImplementedError("runtime.eventCreateWithFlags: events of several processes are not there yet")
    return eventCreate()


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


# Named, and not there yet.
_ABSENT = """
deviceGetDefaultMemPool deviceGetMemPool deviceSetMemPool memPoolTrimTo memPoolCreate memPoolDestroy mallocFromPoolAsync
memPoolGetAttribute memPoolSetAttribute deviceEnablePeerAccess deviceDisablePeerAccess deviceGetLimit deviceSetLimit
mallocManaged malloc3DArray mallocArray freeArray hostRegister hostUnregister memcpyPeer memcpyPeerAsync memcpy2D
memcpy2DAsync memcpy2DFromArray memcpy2DFromArrayAsync memcpy2DToArray memcpy2DToArrayAsync memcpy3D memcpy3DAsync
memPrefetchAsync memAdvise pointerGetAttributes ipcGetMemHandle ipcOpenMemHandle ipcCloseMemHandle ipcGetEventHandle
ipcOpenEventHandle streamBeginCapture streamEndCapture graphDestroy graphExecDestroy graphInstantiate graphLaunch
graphUpload graphDebugDotPrint createTextureObject destroyTextureObject createSurfaceObject destroySurfaceObject
""".split()


def _absent(name):
    def call(*args, **kwargs):
        raise NotImplementedError(f"runtime.{name} is not there yet")
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "Not there yet."
    return call


globals().update({_name: _absent(_name) for _name in _ABSENT})
