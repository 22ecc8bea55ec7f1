"""Constants of the CUDA runtime, and its errors as an exception, as `cuprum.cuda.runtime` exports them."""

import functools as _functools

from cuprum._cuprum import CUDADriverError as _CUDADriverError
from cuprum._cuprum import OutOfMemoryError as _OutOfMemoryError

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
cudaErrorIllegalState = 401
cudaErrorStreamCaptureUnsupported = 900
cudaErrorStreamCaptureInvalidated = 901
cudaErrorStreamCaptureMerge = 902
cudaErrorStreamCaptureUnmatched = 903
cudaErrorStreamCaptureUnjoined = 904
cudaErrorStreamCaptureIsolation = 905
cudaErrorStreamCaptureImplicit = 906
cudaErrorCapturedEvent = 907
cudaErrorStreamCaptureWrongThread = 908
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
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
cudaMemAllocationTypePinned = 1
cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor = 0, 1
cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma = range(4)
cudaMemLocationTypeHostNumaCurrent = 4
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

# Names of CUDA's device attributes without the prefix `cudaDevAttr`, from number 1 on; "-" is a number without a name.
_NUMBERED = """
MaxThreadsPerBlock MaxBlockDimX MaxBlockDimY MaxBlockDimZ MaxGridDimX MaxGridDimY MaxGridDimZ MaxSharedMemoryPerBlock
TotalConstantMemory WarpSize MaxPitch MaxRegistersPerBlock ClockRate TextureAlignment GpuOverlap MultiProcessorCount KernelExecTimeout
Integrated CanMapHostMemory ComputeMode MaxTexture1DWidth MaxTexture2DWidth MaxTexture2DHeight MaxTexture3DWidth MaxTexture3DHeight
MaxTexture3DDepth MaxTexture2DLayeredWidth MaxTexture2DLayeredHeight MaxTexture2DLayeredLayers SurfaceAlignment ConcurrentKernels EccEnabled
PciBusId PciDeviceId TccDriver MemoryClockRate GlobalMemoryBusWidth L2CacheSize MaxThreadsPerMultiProcessor AsyncEngineCount UnifiedAddressing
MaxTexture1DLayeredWidth MaxTexture1DLayeredLayers - MaxTexture2DGatherWidth MaxTexture2DGatherHeight MaxTexture3DWidthAlt
MaxTexture3DHeightAlt MaxTexture3DDepthAlt PciDomainId TexturePitchAlignment MaxTextureCubemapWidth MaxTextureCubemapLayeredWidth
MaxTextureCubemapLayeredLayers MaxSurface1DWidth MaxSurface2DWidth MaxSurface2DHeight MaxSurface3DWidth MaxSurface3DHeight MaxSurface3DDepth
MaxSurface1DLayeredWidth MaxSurface1DLayeredLayers MaxSurface2DLayeredWidth MaxSurface2DLayeredHeight MaxSurface2DLayeredLayers
MaxSurfaceCubemapWidth MaxSurfaceCubemapLayeredWidth MaxSurfaceCubemapLayeredLayers MaxTexture1DLinearWidth MaxTexture2DLinearWidth
MaxTexture2DLinearHeight MaxTexture2DLinearPitch MaxTexture2DMipmappedWidth MaxTexture2DMipmappedHeight ComputeCapabilityMajor
ComputeCapabilityMinor MaxTexture1DMipmappedWidth StreamPrioritiesSupported GlobalL1CacheSupported LocalL1CacheSupported
MaxSharedMemoryPerMultiprocessor MaxRegistersPerMultiprocessor ManagedMemory IsMultiGpuBoard MultiGpuBoardGroupID HostNativeAtomicSupported
SingleToDoublePrecisionPerfRatio PageableMemoryAccess ConcurrentManagedAccess ComputePreemptionSupported CanUseHostPointerForRegisteredMem
- - - CooperativeLaunch CooperativeMultiDeviceLaunch MaxSharedMemoryPerBlockOptin CanFlushRemoteWrites HostRegisterSupported
PageableMemoryAccessUsesHostPageTables DirectManagedMemAccessFromHost - - - - MaxBlocksPerMultiprocessor - MaxPersistingL2CacheSize MaxAccessPolicyWindowSize -
ReservedSharedMemoryPerBlock SparseCudaArraySupported HostRegisterReadOnlySupported TimelineSemaphoreInteropSupported MemoryPoolsSupported
GPUDirectRDMASupported GPUDirectRDMAFlushWritesOptions GPUDirectRDMAWritesOrdering MemoryPoolSupportedHandleTypes
"""
_DEVICE_ATTRIBUTES = {name: number for number, name in enumerate(_NUMBERED.split(), 1) if name != "-"}
globals().update({f"cudaDevAttr{name}": number for name, number in _DEVICE_ATTRIBUTES.items()})
deviceAttributeComputeCapabilityMajor = _DEVICE_ATTRIBUTES["ComputeCapabilityMajor"]
deviceAttributeComputeCapabilityMinor = _DEVICE_ATTRIBUTES["ComputeCapabilityMinor"]

# Flags of `graphDebugDotPrint`, each also without the prefix `cuda`.
_DOT_FLAGS = {
    "Verbose": 0,
    "KernelNodeParams": 2,
    "MemcpyNodeParams": 3,
    "MemsetNodeParams": 4,
    "HostNodeParams": 5,
    "EventNodeParams": 6,
    "ExtSemasSignalNodeParams": 7,
    "ExtSemasWaitNodeParams": 8,
    "KernelNodeAttributes": 9,
    "Handles": 10,
    "ConditionalNodeParams": 15,
}
globals().update({f"{prefix}raphDebugDotFlags{name}": 1 << bit for name, bit in _DOT_FLAGS.items() for prefix in ("g", "cudaG")})

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
    cudaErrorHostMemoryAlreadyRegistered: ("cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"),
    cudaErrorHostMemoryNotRegistered: ("cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"),
    cudaErrorIllegalState: ("cudaErrorIllegalState", "the operation cannot be performed in the present state"),
    cudaErrorStreamCaptureUnsupported: ("cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    cudaErrorStreamCaptureInvalidated: ("cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
    cudaErrorStreamCaptureMerge: ("cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"),
    cudaErrorStreamCaptureUnmatched: ("cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    cudaErrorStreamCaptureUnjoined: ("cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"),
    cudaErrorStreamCaptureIsolation: ("cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"),
    cudaErrorStreamCaptureImplicit: ("cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"),
    cudaErrorCapturedEvent: ("cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"),
    cudaErrorStreamCaptureWrongThread: ("cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"),
    cudaErrorUnknown: ("cudaErrorUnknown", "unknown error"),
}


class CUDARuntimeError(RuntimeError):
    """An error of a call of the runtime; `status` is CUDA's error code."""

    __module__ = "cuprum.cuda.runtime"

    def __init__(self, status, detail=None):
        self.status = status
        name, text = _MESSAGES.get(status, (f"cudaError {status}", "unknown error"))
        super().__init__(f"{name}: {text}" if detail is None else f"{name}: {detail}")

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises the error of a code of CUDA unless it is 0."""
    if status != cudaSuccess:
        raise CUDARuntimeError(status)


def _raised(call):
    """Wraps a function so that errors of the driver and of memory, and others with a CUDA error code, are raised as
    errors of the runtime."""

    @_functools.wraps(call)
    def called(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except _OutOfMemoryError as error:
            raise CUDARuntimeError(cudaErrorMemoryAllocation, error) from error
        except _CUDADriverError as error:
            raise CUDARuntimeError(getattr(error, "status", cudaErrorUnknown), error) from error
        except ValueError as error:
            if not hasattr(error, "status"):
                raise
            raise CUDARuntimeError(error.status, error) from error

    return called
