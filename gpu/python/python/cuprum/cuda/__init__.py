"""The CUDA interface: devices, streams, events, memory, the driver. CuPy's `cupy.cuda`."""

import contextlib as _contextlib

from cuprum import _cuprum
from cuprum._environment import get_cuda_path, get_nvcc_path
from cuprum.cuda import compiler, cub, cufft, cusparse, cutensor, device, driver, function, graph, memory, memory_hook
from cuprum.cuda import memory_hooks, nccl, nvrtc, nvtx, pinned_memory, profiler, runtime, stream, texture, thrust
from cuprum.cuda.compiler import CompileException
from cuprum.cuda.device import Device, get_cublas_handle, get_cusolver_handle, get_cusparse_handle, get_device_id
from cuprum.cuda.function import Function, Module
from cuprum.cuda.graph import Graph
from cuprum.cuda.memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    OutOfMemoryError,
    PooledMemory,
    PythonFunctionAllocator,
    SystemMemory,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    malloc_system,
    set_allocator,
    using_allocator,
)
from cuprum.cuda.memory_hook import MemoryHook
from cuprum.cuda.pinned_memory import PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, alloc_pinned_memory, set_pinned_memory_allocator
from cuprum.cuda.stream import BaseStream, Event, ExternalStream, Stream, _BaseStream, get_current_stream, get_elapsed_time

__all__ = ["Device", "Event", "ExternalStream", "Stream", "alloc", "get_current_stream", "get_elapsed_time", "is_available", "runtime"]

# Libraries that CuPy names and the package does not use. For the others there are modules that report their
# availability.
cub_enabled = False
cusparselt = jitify = None


def is_available():
    """Returns true if there is a GPU. The library works without one, on its simulator."""
    try:
        return _cuprum.gpu_count() > 0
    except Exception:
        return False


def get_local_runtime_version():
    """Returns the version of CUDA in use, in CUDA's encoding: 13000 is 13.0."""
    return runtime.runtimeGetVersion()


@_contextlib.contextmanager
def profile():
    """Enables the profiler in a scope."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
