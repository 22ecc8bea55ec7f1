"""Memory of devices: CuPy's `cupy.cuda.memory`.

The library has one pool for each device, which orders what streams do with its memory. A `MemoryPool` is a view of it: all
pools have one content, and `set_allocator(MemoryPool().malloc)` sets what is set already.
"""

import contextlib as _contextlib

from cuprum import _cuprum
from cuprum._cuprum import BaseMemory, Memory, MemoryPointer, OutOfMemoryError, UnownedMemory, alloc

__all__ = ["BaseMemory", "CFunctionAllocator", "ManagedMemory", "Memory", "MemoryAsync", "MemoryAsyncPool", "MemoryPointer",
           "MemoryPool", "OutOfMemoryError", "PooledMemory", "PythonFunctionAllocator", "SystemMemory", "UnownedMemory",
           "alloc", "get_allocator", "malloc_async", "malloc_managed", "malloc_system", "set_allocator",
           "using_allocator"]

PooledMemory = BaseMemory


def _absent(what):
    return NotImplementedError(f"{what} is not there yet: memory comes from the library's pool")


class _Absent:
    """A class that is named, and cannot be made yet."""

    def __init__(self, *args, **kwargs):
        raise _absent(type(self).__name__)


class ManagedMemory(_Absent):
    """Memory that the driver moves between host and device; not there yet."""


class SystemMemory(_Absent):
    """Memory of the host that a device reads and writes; not there yet."""


class MemoryAsync(_Absent):
    """Memory of the driver's own pool; not there yet."""


class MemoryAsyncPool(_Absent):
    """The driver's own pool; not there yet."""


def malloc_managed(size):
    raise _absent("malloc_managed")


def malloc_async(size):
    raise _absent("malloc_async")


def malloc_system(size):
    raise _absent("malloc_system")


def _malloc(size):
    """Memory of the device without a pool's help, as CuPy's pools take it by default."""
    return MemoryPointer(Memory(size), 0)


class MemoryPool:
    """The library's pool of the current device."""

    def __init__(self, allocator=None):
        if allocator in (malloc_managed, malloc_async, malloc_system):
            allocator(0)
        if allocator not in (None, _malloc):
            raise NotImplementedError(
                "MemoryPool: a pool over an allocator is not there yet. set_allocator takes the function itself")

    def malloc(self, size):
        """Memory of the pool, whatever allocator is set."""
        return _cuprum.pool_malloc(size)

    def used_bytes(self):
        """Bytes that arrays have."""
        return _cuprum.pool_stats(-1)[0]

    def free_bytes(self):
        """Bytes that the pool keeps and no array has."""
        used, _, total, _, _ = _cuprum.pool_stats(-1)
        return total - used

    def total_bytes(self):
        """Bytes that the pool has taken from the device."""
        return _cuprum.pool_stats(-1)[2]

    def n_free_blocks(self):
        """How many free blocks the pool keeps."""
        return _cuprum.pool_stats(-1)[4]

    def free_all_blocks(self, stream=None):
        """Gives what no array has back to the device; of whichever stream."""
        _cuprum.pool_free_all_blocks(-1)

    free_all_free = free_all_blocks

    def set_limit(self, size=None, fraction=None):
        """Bounds what the pool takes from the device: in bytes, or as a share of its memory. 0 lifts the bound."""
        if (size is None) == (fraction is None):
            raise ValueError("set_limit takes one of size and fraction")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"fraction must be between 0 and 1, not {fraction}")
            size = int(_cuprum.memory_info(-1)[1] * fraction)
        if size < 0:
            raise ValueError(f"size must not be negative, but is {size}")
        _cuprum.pool_set_limit(-1, size or None)

    def get_limit(self):
        """The bound; 0 where there is none."""
        return _cuprum.pool_stats(-1)[3] or 0


_default = MemoryPool()
_allocator = _default.malloc


class PythonFunctionAllocator:
    """Memory of two functions: ``malloc_func(size, device_id)`` gives an address, ``free_func(ptr, device_id)`` takes it
    back."""

    def __init__(self, malloc_func, free_func):
        self._malloc_func, self._free_func = malloc_func, free_func

    def malloc(self, size):
        """Memory of so many bytes."""
        device = _cuprum.current_device()
        ptr = self._malloc_func(size, device)
        return MemoryPointer(UnownedMemory(ptr, size, _Freed(self._free_func, ptr, device), device), 0)


class CFunctionAllocator:
    """Memory of two functions of C: ``void *malloc(void *param, size_t size, int device)`` and
    ``void free(void *param, void *ptr, int device)``, given by their addresses."""

    def __init__(self, param, malloc_func, free_func, owner):
        import ctypes
        give = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        self._owner = owner
        self._inner = PythonFunctionAllocator(lambda size, device: give(param, size, device) or 0,
                                              lambda ptr, device: take(param, ptr, device))

    def malloc(self, size):
        """Memory of so many bytes."""
        return self._inner.malloc(size)


class _Freed:
    """Calls a function when nobody needs the memory any more."""

    def __init__(self, free, ptr, device):
        self._free, self._ptr, self._device = free, ptr, device

    def __del__(self):
        self._free(self._ptr, self._device)


def _is_pool(allocator):
    return isinstance(getattr(allocator, "__self__", None), MemoryPool)


def set_allocator(allocator=None):
    """Takes the memory of arrays from a function of bytes that gives a `MemoryPointer`.

    The function is that of all threads and devices. A `MemoryPool`'s is the library's own pool; so is `None`, which turns
    CuPy's pool off: the library orders what streams do with memory in its pool, and has no other way.
    """
    global _allocator
    if allocator is None or _is_pool(allocator) or allocator is _malloc:
        _cuprum.set_allocator(None)
        allocator = _malloc if allocator is None else allocator
    elif allocator in (malloc_managed, malloc_async, malloc_system):
        allocator(0)
    elif not callable(allocator):
        raise TypeError(f"set_allocator takes a function of bytes, not {type(allocator).__name__}")
    else:
        _cuprum.set_allocator(allocator)
    _allocator = allocator


def get_allocator():
    """The function that gives memory to arrays."""
    return _allocator


@_contextlib.contextmanager
def using_allocator(allocator=None):
    """`set_allocator` for a scope."""
    before = _allocator
    set_allocator(allocator)
    try:
        yield
    finally:
        set_allocator(before)


def get_default_memory_pool():
    """The library's pool."""
    return _default
