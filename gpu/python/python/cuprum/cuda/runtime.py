"""The functions of the CUDA runtime: CuPy's `cupy.cuda.runtime`, for programs that call them.

Streams, events, memory, arrays and textures that are created here are integer handles, which the caller must
destroy. Structs are passed by address.
"""

from cuprum import _cuprum
from cuprum._cuprum import AsyncPoolHandle as _AsyncPoolHandle
from cuprum._cuprum import CUDADriverError as _CUDADriverError
from cuprum._cuprum import OpenMemoryHandle as _OpenMemoryHandle
from cuprum._cuprum import RegisteredMemory as _RegisteredMemory
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
from cuprum.cuda._runtime_codes import *  # noqa: F401,F403
from cuprum.cuda._runtime_codes import _DEVICE_ATTRIBUTES, _raised
from cuprum.cuda._runtime_streams import *  # noqa: F401,F403
from cuprum.cuda._runtime_streams import _stream
from cuprum.cuda.memory import MemoryPointer as _MemoryPointer
from cuprum.cuda.memory import UnownedMemory as _UnownedMemory


def _version(text):
    major, minor = (text.split(".") + ["0"])[:2]
    return int(major) * 1000 + int(minor) * 10


cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic = 1, 2
cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold = 3, 4
cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh = 5, 6
cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh = 7, 8
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped, hostRegisterIoMemory, hostRegisterReadOnly = 0, 1, 2, 4, 8


def driverGetVersion():
    """Returns the version of CUDA that the driver supports, in CUDA's encoding: 13000 is 13.0; 0 without a driver."""
    if _cuprum.is_simulated(-1):
        return 0
    return _version(_cuprum.device_info(-1)["driver"])


def runtimeGetVersion():
    """Returns the version of CUDA of the kernel compiler, in CUDA's encoding. The library does not use the CUDA
    runtime."""
    return _version(_cuprum.nvrtc_version())


def getDeviceCount():
    """Returns the number of devices: GPUs, or one simulator."""
    return _cuprum.device_count()


def getDevice():
    """Returns the number of the current device."""
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
    """Waits until all work on the current device is complete."""
    _cuprum.device_synchronize(-1)


@_raised
def deviceGetAttribute(attrib, device):
    """Returns an attribute of a device, by CUDA's number of it."""
    return _cuprum.device_attribute(_known(device), attrib)


def deviceGetByPCIBusId(pci_bus_id):
    """Returns the number of the device with a PCI bus id: ``0000:18:00.0``, also without the domain or the function."""
    import re

    parsed = re.fullmatch(r"(?:([0-9a-f]+):)?([0-9a-f]+):([0-9a-f]+)(?:\.([0-9a-f]+))?", str(pci_bus_id).strip(), re.IGNORECASE)
    if parsed is None:
        raise CUDARuntimeError(cudaErrorInvalidValue, f"{pci_bus_id!r} is no address on the PCI bus: '0000:18:00.0' is one")
    bus_id = "{:04x}:{:02x}:{:02x}.{:x}".format(*(int(part or "0", 16) for part in parsed.groups()))
    for number in range(_cuprum.device_count()):
        # The simulator has no PCI bus id.
        if not _cuprum.is_simulated(number) and _cuprum.pci_bus_id(number).lower().rjust(12, "0") == bus_id:
            return number
    raise CUDARuntimeError(cudaErrorInvalidDevice, f"there is no device at {pci_bus_id!r} on the PCI bus")


def deviceGetPCIBusId(device):
    """Returns the PCI bus id of a device."""
    return _cuprum.pci_bus_id(_known(device))


# The fields of CUDA's properties that are attributes of another name, without the prefix `cudaDevAttr`. A field with
# several attributes is a tuple.
_PROPERTIES = {
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "regsPerBlock": "MaxRegistersPerBlock",
    "maxThreadsDim": "MaxBlockDimX MaxBlockDimY MaxBlockDimZ",
    "maxGridSize": "MaxGridDimX MaxGridDimY MaxGridDimZ",
    "totalConstMem": "TotalConstantMemory",
    "deviceOverlap": "GpuOverlap",
    "kernelExecTimeoutEnabled": "KernelExecTimeout",
    "ECCEnabled": "EccEnabled",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "major": "ComputeCapabilityMajor",
    "minor": "ComputeCapabilityMinor",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "persistingL2CacheMaxSize": "MaxPersistingL2CacheSize",
    "accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize",
    "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock",
    "maxTexture1D": "MaxTexture1DWidth",
    "maxTexture1DMipmap": "MaxTexture1DMipmappedWidth",
    "maxTexture1DLinear": "MaxTexture1DLinearWidth",
    "maxTexture1DLayered": "MaxTexture1DLayeredWidth MaxTexture1DLayeredLayers",
    "maxTexture2D": "MaxTexture2DWidth MaxTexture2DHeight",
    "maxTexture2DMipmap": "MaxTexture2DMipmappedWidth MaxTexture2DMipmappedHeight",
    "maxTexture2DLinear": "MaxTexture2DLinearWidth MaxTexture2DLinearHeight MaxTexture2DLinearPitch",
    "maxTexture2DLayered": "MaxTexture2DLayeredWidth MaxTexture2DLayeredHeight MaxTexture2DLayeredLayers",
    "maxTexture2DGather": "MaxTexture2DGatherWidth MaxTexture2DGatherHeight",
    "maxTexture3D": "MaxTexture3DWidth MaxTexture3DHeight MaxTexture3DDepth",
    "maxTexture3DAlt": "MaxTexture3DWidthAlt MaxTexture3DHeightAlt MaxTexture3DDepthAlt",
    "maxTextureCubemap": "MaxTextureCubemapWidth",
    "maxTextureCubemapLayered": "MaxTextureCubemapLayeredWidth MaxTextureCubemapLayeredLayers",
    "maxSurface1D": "MaxSurface1DWidth",
    "maxSurface1DLayered": "MaxSurface1DLayeredWidth MaxSurface1DLayeredLayers",
    "maxSurface2D": "MaxSurface2DWidth MaxSurface2DHeight",
    "maxSurface2DLayered": "MaxSurface2DLayeredWidth MaxSurface2DLayeredHeight MaxSurface2DLayeredLayers",
    "maxSurface3D": "MaxSurface3DWidth MaxSurface3DHeight MaxSurface3DDepth",
    "maxSurfaceCubemap": "MaxSurfaceCubemapWidth",
    "maxSurfaceCubemapLayered": "MaxSurfaceCubemapLayeredWidth MaxSurfaceCubemapLayeredLayers",
}
# Those whose attribute has their own name, with a capital.
_PROPERTIES |= {
    name: name[0].upper() + name[1:]
    for name in """
    asyncEngineCount canMapHostMemory canUseHostPointerForRegisteredMem clockRate computeMode computePreemptionSupported concurrentKernels
    concurrentManagedAccess cooperativeLaunch cooperativeMultiDeviceLaunch directManagedMemAccessFromHost globalL1CacheSupported
    hostNativeAtomicSupported integrated isMultiGpuBoard l2CacheSize localL1CacheSupported managedMemory maxThreadsPerBlock
    maxThreadsPerMultiProcessor memoryClockRate multiGpuBoardGroupID multiProcessorCount pageableMemoryAccess
    pageableMemoryAccessUsesHostPageTables singleToDoublePrecisionPerfRatio streamPrioritiesSupported surfaceAlignment tccDriver
    textureAlignment texturePitchAlignment unifiedAddressing warpSize""".split()
}


def getDeviceProperties(device):
    """Returns the properties of a device as a dictionary; the name is bytes, as in CuPy."""
    info = _cuprum.device_info(_known(device))
    found = {"name": info["name"].encode(), "totalGlobalMem": info["memory_bytes"]}

    for name, attributes in _PROPERTIES.items():
        try:
            values = tuple(_cuprum.device_attribute(device, _DEVICE_ATTRIBUTES[attribute]) for attribute in attributes.split())
        except (NotImplementedError, _CUDADriverError):
            # The device does not report it.
            continue
        found[name] = values if len(values) > 1 else values[0]
    return found


@_raised
def deviceCanAccessPeer(device, peerDevice):
    """Returns true if kernels of one device can access the memory of another directly."""
    return int(_cuprum.can_access_peer(_known(device), _known(peerDevice)))


_peers = set()


@_raised
def deviceEnablePeerAccess(peerDevice):
    """Enables access of kernels of the current device to the memory of another."""
    pair = (getDevice(), _known(peerDevice))
    if pair in _peers:
        raise CUDARuntimeError(cudaErrorPeerAccessAlreadyEnabled)
    _cuprum.enable_peer_access(*pair)
    _peers.add(pair)


@_raised
def deviceDisablePeerAccess(peerDevice):
    """Disables that access."""
    pair = (getDevice(), _known(peerDevice))
    if pair not in _peers:
        raise CUDARuntimeError(cudaErrorPeerAccessNotEnabled)
    _cuprum.disable_peer_access(*pair)
    _peers.remove(pair)


@_raised
def deviceGetLimit(limit):
    """Returns a limit of the current device: ``cudaLimitStackSize`` and so on."""
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
    """Returns the handle of the driver's default pool."""
    return _AsyncPoolHandle.usual(_known(device)).handle


@_raised
def deviceGetMemPool(device):
    """Returns the handle of the pool that the driver uses for a device."""
    return _AsyncPoolHandle.current(_known(device)).handle


@_raised
def deviceSetMemPool(device, pool):
    """Sets the pool that the driver uses for a device."""
    _AsyncPoolHandle.external(pool, _known(device)).make_current()


class MemPoolProps:
    """The properties of a pool for `memPoolCreate`: kinds of the memory, of its handles and of its location, and the
    number of the device."""

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType, self.handleType, self.locationType, self.devId = allocType, handleType, locationType, devId

    def __repr__(self):
        return f"MemPoolProps(allocType={self.allocType}, handleType={self.handleType}, locationType={self.locationType}, devId={self.devId})"


@_raised
def memPoolCreate(props=None):
    """Creates a pool of device memory: by default of the current device, otherwise of that of `MemPoolProps`."""
    device = -1
    if props is not None:
        fields = (props.allocType, props.handleType, props.locationType)
        if fields != (cudaMemAllocationTypePinned, cudaMemHandleTypeNone, cudaMemLocationTypeDevice):
            raise NotImplementedError(f"runtime.memPoolCreate: {props!r}: pools are of pinned memory of a device, without handles for other processes")
        device = _known(props.devId)
    made = _AsyncPoolHandle.create(device)
    _pools[made.handle] = made
    return made.handle


def memPoolDestroy(pool):
    """Destroys a pool that was created here, when its memory is no longer referenced."""
    if _pools.pop(pool, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def memPoolTrimTo(pool, minBytesToKeep):
    """Releases unused memory to the device, except for `minBytesToKeep` bytes."""
    _pool(pool).trim_to(minBytesToKeep)


@_raised
def memPoolGetAttribute(pool, attr):
    """Returns an attribute of a pool: ``cudaMemPoolAttr...``."""
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
    """Sets an attribute of a pool: the release threshold, or the peaks to 0, which are reset together."""
    pool = _pool(pool)
    if attr == cudaMemPoolAttrReleaseThreshold:
        pool.set_release_threshold(value)
    elif attr in (cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemHigh) and value == 0:
        pool.reset_peaks()
    else:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def memGetInfo():
    """Returns the bytes of free memory and of all memory of the current device."""
    return _cuprum.memory_info(-1)


_memory = {}


@_raised
def malloc(size):
    """Allocates memory on the current device and returns its address."""
    pointer = _cuprum.pool_malloc(size)
    if pointer.ptr:
        _memory[pointer.ptr] = pointer
    return pointer.ptr


def free(ptr):
    """Releases memory of `malloc`."""
    if ptr and _memory.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


@_raised
def mallocManaged(size, flags=cudaMemAttachGlobal):
    """Allocates memory that the driver migrates between host and devices, and returns its address."""
    from cuprum.cuda.memory import malloc_managed

    if flags != cudaMemAttachGlobal:
        raise NotImplementedError("runtime.mallocManaged: memory of a host or of one stream is not there yet")
    pointer = malloc_managed(size)
    _memory[pointer.ptr] = pointer
    return pointer.ptr


@_raised
def mallocAsync(size, stream):
    """Allocates memory from the pool that the driver uses, in stream order."""
    return mallocFromPoolAsync(size, deviceGetMemPool(getDevice()), stream)


@_raised
def mallocFromPoolAsync(size, pool, stream):
    """Allocates memory from a pool, in stream order."""
    with _on(stream):
        pointer = _MemoryPointer(_pool(pool).malloc(size), 0)
    _memory[pointer.ptr] = pointer
    return pointer.ptr


def freeAsync(ptr, stream):
    """Releases memory like `free`."""
    free(ptr)


_pinned = {}


@_raised
def hostAlloc(size, flags=0):
    """Allocates pinned host memory and returns its address."""
    memory = _cuprum.PinnedMemory(size, flags)
    _pinned[memory.ptr] = memory
    return memory.ptr


mallocHost = hostAlloc


def freeHost(ptr):
    """Releases memory of `hostAlloc`."""
    if ptr and _pinned.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


def _given(ptr):
    """Returns the memory allocated by this module that contains an address."""
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
    from cuprum.cuda.stream import _made_current

    return _made_current(_stream(stream))


@_raised
def memcpy(dst, src, size, kind):
    """Copies bytes; `kind` specifies which of the addresses are host addresses.

    With `memcpyDefault` addresses in memory that this module allocated are device addresses, and all others host
    addresses.
    """
    import ctypes

    if kind not in range(5):
        raise CUDARuntimeError(cudaErrorInvalidValue)
    if kind == memcpyDefault:
        kind = (memcpyHostToHost, memcpyDeviceToHost, memcpyHostToDevice, memcpyDeviceToDevice)[(_given(src) is not None) + 2 * (_given(dst) is not None)]
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
    """Copies like `memcpy`, on a stream; copies to the host synchronise."""
    with _on(stream):
        memcpy(dst, src, size, kind)


@_raised
def memset(ptr, value, size):
    """Sets bytes to a value."""
    if size:
        _at(ptr, size).memset(value, size)


def memsetAsync(ptr, value, size, stream):
    """Sets bytes like `memset`, on a stream."""
    with _on(stream):
        memset(ptr, value, size)


def _rows(dpitch, spitch, width, height):
    if width > dpitch or width > spitch:
        raise CUDARuntimeError(cudaErrorInvalidValue)
    return ((row * dpitch, row * spitch) for row in range(height))


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies rows of `width` bytes with a pitch, one after the other."""
    for to, from_ in _rows(dpitch, spitch, width, height):
        memcpy(dst + to, src + from_, width, kind)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """Copies like `memcpy2D`, on a stream."""
    for to, from_ in _rows(dpitch, spitch, width, height):
        memcpyAsync(dst + to, src + from_, width, kind, stream)


@_raised
def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies bytes from one device to another."""
    if size:
        to = _MemoryPointer(_UnownedMemory(dst, size, None, _known(dstDevice)), 0)
        to.copy_from_device(_MemoryPointer(_UnownedMemory(src, size, None, _known(srcDevice)), 0), size)


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Copies like `memcpyPeer`, on a stream."""
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
    """Migrates an entire allocation of `mallocManaged` to a device or to the host (``cudaCpuDeviceId``)."""
    _managed(devPtr)._prefetch(_stream(stream), dstDevice)


@_raised
def memAdvise(devPtr, count, advice, device):
    """Advises the driver of the use of an entire allocation of `mallocManaged`: ``cudaMemAdvise...``."""
    try:
        _managed(devPtr)._advise(advice, device)
    except ValueError as error:
        raise CUDARuntimeError(cudaErrorInvalidValue, error) from error


class PointerAttributes:
    """The attributes of an address: the device, the device and host addresses, and the kind of memory."""

    def __init__(self, device, devicePointer, hostPointer, type):
        self.device, self.devicePointer, self.hostPointer, self.type = device, devicePointer, hostPointer, type

    def __repr__(self):
        return f"PointerAttributes(device={self.device}, devicePointer={self.devicePointer}, hostPointer={self.hostPointer}, type={self.type})"


def pointerGetAttributes(ptr):
    """Returns the attributes of an address in memory allocated by this module; others are unregistered."""
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


@_raised
def ipcGetMemHandle(devPtr):
    """Returns the 64 bytes with which another process opens the allocation that contains an address of the current
    device.

    The pool has allocated it from the device together with other memory, so that the offset of the address is
    passed to the other process too. Simulator memory belongs to one process: there the call raises an error.
    """
    return _cuprum.ipc_memory(devPtr)


_opened = {}


@_raised
def ipcOpenMemHandle(handle, flags=cudaIpcMemLazyEnablePeerAccess):
    """Opens memory of another process and returns the address of its allocation in this one."""
    memory = _OpenMemoryHandle(handle, bool(flags & cudaIpcMemLazyEnablePeerAccess))
    _opened[memory.ptr] = memory
    return memory.ptr


def ipcCloseMemHandle(devPtr):
    """Closes memory of `ipcOpenMemHandle` when the device has completed its work."""
    if _opened.pop(devPtr, None) is None:
        raise CUDARuntimeError(cudaErrorInvalidValue)


_registered = {}


@_raised
def hostRegister(ptr, size, flags=hostRegisterDefault):
    """Page-locks existing host memory, so that the device copies from and to it directly until `hostUnregister`."""
    if ptr in _registered:
        raise CUDARuntimeError(cudaErrorHostMemoryAlreadyRegistered)
    try:
        _registered[ptr] = _RegisteredMemory(ptr, size, flags)
    except ValueError as error:
        raise CUDARuntimeError(cudaErrorInvalidValue, error) from error


def hostUnregister(ptr):
    """Unlocks the memory when the device has completed its work."""
    if _registered.pop(ptr, None) is None:
        raise CUDARuntimeError(cudaErrorHostMemoryNotRegistered)
