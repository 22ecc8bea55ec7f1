"""The names of CUDA's runtime: CuPy's `cupy.cuda.runtime`, for programs that call them.

Streams, events, memory, arrays and textures that are made here are numbers; who makes them destroys them. Structs are told
by their address.
"""

from cuprum import _cuprum
from cuprum._cuprum import AsyncPoolHandle as _AsyncPoolHandle
from cuprum._cuprum import CUDADriverError as _CUDADriverError
from cuprum._cuprum import EventHandle as _EventHandle
from cuprum._cuprum import OpenMemoryHandle as _OpenMemoryHandle
from cuprum._cuprum import OutOfMemoryError as _OutOfMemoryError
from cuprum._cuprum import RegisteredMemory as _RegisteredMemory
from cuprum._cuprum import StreamHandle as _StreamHandle
from cuprum.cuda._arrays import (
    createSurfaceObject,
    createTextureObject,
    destroySurfaceObject,
    destroyTextureObject,
    freeArray,
    malloc3DArray,
    mallocArray,
    memcpy2DFromArray,
    memcpy2DFromArrayAsync,
    memcpy2DToArray,
    memcpy2DToArrayAsync,
    memcpy3D,
    memcpy3DAsync,
)
from cuprum.cuda.memory import MemoryPointer as _MemoryPointer
from cuprum.cuda.memory import UnownedMemory as _UnownedMemory

is_hip = False

cudaSuccess = 0
cudaErrorInvalidValue = 1
cudaErrorMemoryAllocation = 2
cudaErrorInvalidMemcpyDirection = 21
cudaErrorInvalidDevice = 101
cudaErrorInvalidResourceHandle = 400
cudaErrorNotSupported = 801
cudaErrorNotReady = 600
cudaErrorContextIsDestroyed = 709
cudaErrorPeerAccessAlreadyEnabled = 704
cudaErrorPeerAccessNotEnabled = 705
cudaErrorHostMemoryAlreadyRegistered = 712
cudaErrorHostMemoryNotRegistered = 713
cudaErrorUnknown = 999
errorInvalidValue = cudaErrorInvalidValue
errorInvalidResourceHandle = cudaErrorInvalidResourceHandle
errorNotSupported = cudaErrorNotSupported
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
cudaArrayDefault, cudaArrayLayered, cudaArraySurfaceLoadStore = 0, 1, 2
cudaArrayCubemap, cudaArrayTextureGather = 4, 8
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
    cudaErrorInvalidResourceHandle: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    cudaErrorContextIsDestroyed: ("cudaErrorContextIsDestroyed", "context is destroyed"),
    cudaErrorNotSupported: ("cudaErrorNotSupported", "operation not supported"),
    cudaErrorNotReady: ("cudaErrorNotReady", "device not ready"),
    cudaErrorPeerAccessAlreadyEnabled: ("cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    cudaErrorPeerAccessNotEnabled: ("cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"),
    cudaErrorInvalidMemcpyDirection: ("cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    cudaErrorHostMemoryAlreadyRegistered: ("cudaErrorHostMemoryAlreadyRegistered",
                                           "part or all of the requested memory range is already mapped"),
    cudaErrorHostMemoryNotRegistered: ("cudaErrorHostMemoryNotRegistered",
                                       "pointer does not correspond to a registered memory region"),
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


cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic = 1, 2
cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold = 3, 4
cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh = 5, 6
cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh = 7, 8
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped, hostRegisterIoMemory, hostRegisterReadOnly = 0, 1, 2, 4, 8


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


@_raised
def deviceCanAccessPeer(device, peerDevice):
    """Whether kernels of one device reach the memory of another by themselves."""
    return int(_cuprum.can_access_peer(_known(device), _known(peerDevice)))


_peers = set()


@_raised
def deviceEnablePeerAccess(peerDevice):
    """Lets kernels of the current device reach the memory of another."""
    pair = (getDevice(), _known(peerDevice))
    if pair in _peers:
        raise CUDARuntimeError(cudaErrorPeerAccessAlreadyEnabled)
    _cuprum.enable_peer_access(*pair)
    _peers.add(pair)


@_raised
def deviceDisablePeerAccess(peerDevice):
    """Takes that back."""
    pair = (getDevice(), _known(peerDevice))
    if pair not in _peers:
        raise CUDARuntimeError(cudaErrorPeerAccessNotEnabled)
    _cuprum.disable_peer_access(*pair)
    _peers.remove(pair)


@_raised
def deviceGetLimit(limit):
    """A limit of the current device: ``cudaLimitStackSize`` and so on."""
    return _cuprum.device_limit(-1, limit)


@_raised
def deviceSetLimit(limit, value):
    """Sets a limit of the current device."""
    _cuprum.set_device_limit(-1, limit, value)


_pools = {}


def _pool(handle):
    return _pools.get(handle) or _AsyncPoolHandle.external(handle, -1)


@_raised
def deviceGetDefaultMemPool(device):
    """The pool that the driver begins with: its handle."""
    return _AsyncPoolHandle.usual(_known(device)).handle


@_raised
def deviceGetMemPool(device):
    """The pool that the driver uses for a device: its handle."""
    return _AsyncPoolHandle.current(_known(device)).handle


@_raised
def deviceSetMemPool(device, pool):
    """Has the driver use a pool for a device."""
    _AsyncPoolHandle.external(pool, _known(device)).make_current()


@_raised
def memPoolCreate(props=None):
    """A new pool of the current device; of its properties none can be chosen."""
    if props is not None:
        raise NotImplementedError("runtime.memPoolCreate: properties are not there yet: None is a pool of the current device")
    made = _AsyncPoolHandle.create(-1)
    _pools[made.handle] = made
    return made.handle


def memPoolDestroy(pool):
    """Ends a pool that was made here, when nobody has memory of it."""
    if _pools.pop(pool, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def memPoolTrimTo(pool, minBytesToKeep):
    """Gives what nobody uses back to the device, but for so many bytes."""
    _pool(pool).trim_to(minBytesToKeep)


@_raised
def memPoolGetAttribute(pool, attr):
    """A number of a pool: ``cudaMemPoolAttr...``."""
    pool = _pool(pool)
    if attr == cudaMemPoolAttrReleaseThreshold:
        return pool.release_threshold()
    if attr in (cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrUsedMemCurrent):
        return pool.used_bytes() if attr == cudaMemPoolAttrUsedMemCurrent else pool.reserved_bytes()
    if attr in (cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemHigh):
        return pool.peak_bytes()[attr == cudaMemPoolAttrReservedMemHigh]
    raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def memPoolSetAttribute(pool, attr, value):
    """Sets a number of a pool: what is kept, or the peaks to 0, which go back together."""
    pool = _pool(pool)
    if attr == cudaMemPoolAttrReleaseThreshold:
        pool.set_release_threshold(value)
    elif attr in (cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemHigh) and value == 0:
        pool.reset_peaks()
    else:
        raise CUDARuntimeError(cudaErrorInvalidValue)


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


@_raised
def mallocManaged(size, flags=cudaMemAttachGlobal):
    """Memory that the driver moves between host and devices: an address."""
    from cuprum.cuda.memory import malloc_managed
    if flags != cudaMemAttachGlobal:
        raise NotImplementedError("runtime.mallocManaged: memory of a host or of one stream is not there yet")
    pointer = malloc_managed(size)
    _memory[pointer.ptr] = pointer
    return pointer.ptr


@_raised
def mallocAsync(size, stream):
    """Memory of the pool that the driver uses, in the order of a stream."""
    return mallocFromPoolAsync(size, deviceGetMemPool(getDevice()), stream)


@_raised
def mallocFromPoolAsync(size, pool, stream):
    """Memory of a pool, in the order of a stream."""
    with _on(stream):
        pointer = _MemoryPointer(_pool(pool).malloc(size), 0)
    _memory[pointer.ptr] = pointer
    return pointer.ptr


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


def _given(ptr):
    """The memory that this module gave out and that an address lies in."""
    for start, pointer in _memory.items():
        if start <= ptr < start + pointer.mem.size:
            return pointer
    return None


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
    """Copies bytes; `kind` says which of the addresses are the host's.

    With `memcpyDefault` they are taken for the device's where memory is that this module gave out, else for the host's.
    """
    import ctypes
    if kind not in range(5):
        raise CUDARuntimeError(cudaErrorInvalidValue)
    if kind == memcpyDefault:
        kind = (memcpyHostToHost, memcpyDeviceToHost, memcpyHostToDevice, memcpyDeviceToDevice)[
            (_given(src) is not None) + 2 * (_given(dst) is not None)]
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


def _rows(dpitch, spitch, width, height):
    if width > dpitch or width > spitch:
        raise CUDARuntimeError(cudaErrorInvalidValue)
    return ((row * dpitch, row * spitch) for row in range(height))


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies rows of `width` bytes that stand a pitch apart, one after the other."""
    for to, from_ in _rows(dpitch, spitch, width, height):
        memcpy(dst + to, src + from_, width, kind)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """As `memcpy2D`, on a stream."""
    for to, from_ in _rows(dpitch, spitch, width, height):
        memcpyAsync(dst + to, src + from_, width, kind, stream)


@_raised
def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies bytes from one device to another."""
    if size:
        to = _MemoryPointer(_UnownedMemory(dst, size, None, _known(dstDevice)), 0)
        to.copy_from_device(_MemoryPointer(_UnownedMemory(src, size, None, _known(srcDevice)), 0), size)


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """As `memcpyPeer`, on a stream."""
    with _on(stream):
        memcpyPeer(dst, dstDevice, src, srcDevice, size)


def _managed(ptr):
    from cuprum.cuda.memory import ManagedMemory
    pointer = _given(ptr)
    if pointer is None or not isinstance(pointer.mem, ManagedMemory):
        raise CUDARuntimeError(cudaErrorInvalidValue)
    return pointer.mem


@_raised
def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Moves memory of `mallocManaged`, as a whole, to a device or to the host (``cudaCpuDeviceId``)."""
    _managed(devPtr)._prefetch(_stream(stream), dstDevice)


@_raised
def memAdvise(devPtr, count, advice, device):
    """Tells the driver how memory of `mallocManaged`, as a whole, will be used: ``cudaMemAdvise...``."""
    try:
        _managed(devPtr)._advise(advice, device)
    except ValueError as error:
        raise CUDARuntimeError(cudaErrorInvalidValue, error) from error


class PointerAttributes:
    """What is known of an address: the device, the addresses there and on the host, and what kind of memory it is."""

    def __init__(self, device, devicePointer, hostPointer, type):
        self.device, self.devicePointer, self.hostPointer, self.type = device, devicePointer, hostPointer, type

    def __repr__(self):
        return (f"PointerAttributes(device={self.device}, devicePointer={self.devicePointer}, "
                f"hostPointer={self.hostPointer}, type={self.type})")


def pointerGetAttributes(ptr):
    """What is known of an address that this module gave out; of another one nothing is."""
    from cuprum.cuda.memory import ManagedMemory
    pointer = _given(ptr)
    if pointer is not None:
        managed = isinstance(pointer.mem, ManagedMemory)
        kind = cudaMemoryTypeManaged if managed else cudaMemoryTypeDevice
        return PointerAttributes(pointer.device_id, ptr, ptr if managed else 0, kind)
    for start, memory in _pinned.items():
        if start <= ptr < start + memory.size:
            return PointerAttributes(getDevice(), ptr, ptr, cudaMemoryTypeHost)
    return PointerAttributes(cudaInvalidDeviceId, 0, ptr, cudaMemoryTypeUnregistered)


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
    return _stream(stream).is_capturing


_captures = {}
_graphs = {}
_launchable = {}


@_raised
def streamBeginCapture(stream, mode=streamCaptureModeRelaxed):
    """Keeps what this thread queues on a stream, instead of doing it."""
    handle = _stream(stream)
    try:
        handle.begin_capture()
    except ValueError as error:
        raise CUDARuntimeError(cudaErrorInvalidValue, error) from error
    _captures[stream] = handle


@_raised
def streamEndCapture(stream):
    """The graph of what was kept: its handle."""
    handle = _captures.pop(stream, None)
    if handle is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)
    graph = handle.end_capture()
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
def ipcGetMemHandle(devPtr):
    """64 bytes by which another process opens the allocation that an address of the current device lies in.

    The pool has taken it from the device together with other memory: the other process is told, too, how far behind its
    beginning the address is. Memory of the simulator is one process's: there the call says so.
    """
    return _cuprum.ipc_memory(devPtr)


_opened = {}


@_raised
def ipcOpenMemHandle(handle, flags=cudaIpcMemLazyEnablePeerAccess):
    """Opens memory of another process: the address where its allocation begins in this one."""
    memory = _OpenMemoryHandle(handle, bool(flags & cudaIpcMemLazyEnablePeerAccess))
    _opened[memory.ptr] = memory
    return memory.ptr


def ipcCloseMemHandle(devPtr):
    """Lets memory of `ipcOpenMemHandle` go, when the device has done its work."""
    if _opened.pop(devPtr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


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


_registered = {}


@_raised
def hostRegister(ptr, size, flags=hostRegisterDefault):
    """Has the device copy from and to memory of the host by itself that is there already, until `hostUnregister`."""
    if ptr in _registered:
        raise CUDARuntimeError(cudaErrorHostMemoryAlreadyRegistered)
    try:
        _registered[ptr] = _RegisteredMemory(ptr, size, flags)
    except ValueError as error:
        raise CUDARuntimeError(cudaErrorInvalidValue, error) from error


def hostUnregister(ptr):
    """Ends that, when the device has done its work."""
    if _registered.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorHostMemoryNotRegistered)
