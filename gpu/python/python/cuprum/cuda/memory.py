"""Device memory: CuPy's `cupy.cuda.memory`.

The library has one pool per device, which orders the accesses of streams to its memory. A `MemoryPool` is a view of
it: all pools have the same content, and `set_allocator(MemoryPool().malloc)` sets the default allocator. A pool
over an allocator keeps the memory of that allocator separately.
"""

import contextlib as _contextlib
import threading as _threading

from cuprum import _cuprum
from cuprum._cuprum import AsyncPoolHandle as _AsyncPoolHandle
from cuprum._cuprum import BaseMemory
from cuprum._cuprum import ManagedMemory as _ManagedMemory
from cuprum._cuprum import Memory, MemoryAsync, MemoryPointer, OutOfMemoryError, UnownedMemory, alloc

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PooledMemory",
    "PythonFunctionAllocator",
    "SystemMemory",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "malloc_async",
    "malloc_managed",
    "malloc_system",
    "set_allocator",
    "using_allocator",
]

PooledMemory = BaseMemory


class ManagedMemory(_ManagedMemory):
    """Memory that the driver migrates between host and devices. On the simulator it is ordinary device memory."""

    def prefetch(self, stream, *, device_id=-2):
        """Migrates the memory in stream order: to its own device, another, or the host (-1)."""
        self._prefetch(_cuprum.stream_of(stream), self.device_id if device_id == -2 else device_id)

    def advise(self, advise, dev):
        """Advises the driver of the use of the memory, ``runtime.cudaMemAdvise...``, and by which device."""
        self._advise(advise, int(dev))


class SystemMemory:
    """Host memory that a device accesses directly; not implemented yet."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("SystemMemory is not there yet: malloc_managed gives memory that both sides reach")


class MemoryAsyncPool:
    """The driver's memory pools, one per device: ``'current'``, ``'default'``, ``'create'``, or the driver's
    handles.

    The simulator's pools do not cache: freed memory is released at once.
    """

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        count = _cuprum.device_count()
        if isinstance(pool_handles, (str, int)):
            pool_handles = [pool_handles] * (count if isinstance(pool_handles, str) else 1)
        if len(pool_handles) != count:
            raise ValueError(f"MemoryAsyncPool: {len(pool_handles)} handles are given for {count} devices")
        made = {"current": _AsyncPoolHandle.current, "default": _AsyncPoolHandle.usual, "create": _AsyncPoolHandle.create}
        self._pools = []
        for device, handle in enumerate(pool_handles):
            if isinstance(handle, int):
                self._pools.append(_AsyncPoolHandle.external(handle, device))
            elif handle in made:
                self._pools.append(made[handle](device))
            else:
                raise ValueError(f"MemoryAsyncPool: {handle!r} is no pool: 'current', 'default', 'create', or a handle")

    @property
    def _pool(self):
        return self._pools[_cuprum.current_device()]

    def malloc(self, size):
        """Allocates memory from the pool, in the order of the current stream."""
        return MemoryPointer(self._pool.malloc(size), 0)

    def free_all_blocks(self, stream=None):
        """Releases unused memory to the device after synchronising the stream."""
        if stream is not None:
            stream.synchronize()
        self._pool.trim_to(0)

    def n_free_blocks(self):
        """Not available: the driver does not report it."""
        raise NotImplementedError("MemoryAsyncPool.n_free_blocks: the driver does not report how many blocks are free")

    def used_bytes(self):
        """Returns the number of used bytes."""
        return self._pool.used_bytes()

    def free_bytes(self):
        """Returns the number of unused bytes in the pool."""
        return self._pool.reserved_bytes() - self._pool.used_bytes()

    def total_bytes(self):
        """Returns the number of bytes in the pool."""
        return self._pool.reserved_bytes()

    def set_limit(self, size=None, fraction=None):
        """Limits the used bytes: in bytes, or as a fraction of the device's memory. 0 removes the limit."""
        self._pool.set_limit(_limit(size, fraction) or None)

    def get_limit(self):
        """Returns the limit; 0 if there is none."""
        return self._pool.limit() or 0


def malloc_managed(size):
    """Allocates memory that the driver migrates between host and devices."""
    return MemoryPointer(ManagedMemory(size), 0) if size else alloc(0)


def malloc_async(size):
    """Allocates memory from the driver's current pool, in the order of the current stream."""
    return MemoryPointer(_AsyncPoolHandle.current(-1).malloc(size), 0) if size else alloc(0)


def malloc_system(size):
    """Allocates host memory that the device accesses directly; not implemented yet."""
    raise NotImplementedError("malloc_system is not there yet: malloc_managed gives memory that both sides reach")


def _limit(size, fraction):
    if (size is None) == (fraction is None):
        raise ValueError("set_limit takes one of size and fraction")
    if fraction is not None:
        if not 0 <= fraction <= 1:
            raise ValueError(f"fraction must be between 0 and 1, not {fraction}")
        size = int(_cuprum.memory_info(-1)[1] * fraction)
    if size < 0:
        raise ValueError(f"size must not be negative, but is {size}")
    return size


def _malloc(size):
    """Allocates device memory without a pool, the default allocator of CuPy's pools."""
    return MemoryPointer(Memory(size), 0)


class MemoryPool:
    """The library's pool of the current device, or a pool over an allocator."""

    def __new__(cls, allocator=None):
        if cls is MemoryPool and allocator not in (None, _malloc):
            return super().__new__(_PoolOver)
        return super().__new__(cls)

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        """Allocates memory from the pool, whatever allocator is set."""
        return _cuprum.pool_malloc(size)

    def used_bytes(self):
        """Returns the number of bytes used by arrays."""
        return _cuprum.pool_stats(-1)[0]

    def free_bytes(self):
        """Returns the number of bytes in the pool that no array uses."""
        used, _, total, _, _ = _cuprum.pool_stats(-1)
        return total - used

    def total_bytes(self):
        """Returns the number of bytes that the pool has allocated from the device."""
        return _cuprum.pool_stats(-1)[2]

    def n_free_blocks(self):
        """Returns the number of free blocks in the pool."""
        return _cuprum.pool_stats(-1)[4]

    def free_all_blocks(self, stream=None):
        """Releases memory that no array uses to the device; of any stream."""
        _cuprum.pool_free_all_blocks(-1)

    free_all_free = free_all_blocks

    def set_limit(self, size=None, fraction=None):
        """Limits the memory that the pool allocates from the device: in bytes, or as a fraction of its memory. 0
        removes the limit."""
        size = _limit(size, fraction)
        _cuprum.pool_set_limit(-1, size or None)

    def get_limit(self):
        """Returns the limit; 0 if there is none."""
        return _cuprum.pool_stats(-1)[3] or 0


class _Kept(UnownedMemory):
    """Memory of a pool over an allocator, which is returned to the pool when it is no longer referenced."""

    def __new__(cls, pool, pointer, size):
        self = super().__new__(cls, pointer.ptr, size, pointer, pointer.device_id)
        self._pool, self._size, self._pointer = pool, size, pointer
        return self

    def __init__(self, pool, pointer, size):
        pass

    def __del__(self):
        self._pool._back(self._size, self._pointer)


class _PoolOver(MemoryPool):
    """A pool that caches the memory of an allocator, by size in units of 512 bytes. Returned memory is unused: the
    library releases memory when the work on it is complete."""

    def __init__(self, allocator=None):
        self._allocator, self._lock = allocator, _threading.Lock()
        self._free, self._used, self._total, self._most = {}, 0, 0, 0

    def malloc(self, size):
        """Allocates memory from the pool."""
        size = (size + 511) // 512 * 512
        if size == 0:
            return alloc(0)
        key = (_cuprum.current_device(), size)
        with self._lock:
            blocks = self._free.get(key)
            pointer = blocks.pop() if blocks else None
        if pointer is None:
            if self._most and self._total + size > self._most:
                self.free_all_blocks()
            if self._most and self._total + size > self._most:
                raise OutOfMemoryError(
                    f"out of memory: {size} bytes are requested; the pool holds {self._total}, of which {self._used} are used, the limit is {self._most}"
                )
            pointer = self._allocator(size)
            with self._lock:
                self._total += size
        with self._lock:
            self._used += size
        return MemoryPointer(_Kept(self, pointer, size), 0)

    def _back(self, size, pointer):
        with self._lock:
            self._used -= size
            self._free.setdefault((pointer.device_id, size), []).append(pointer)

    def used_bytes(self):
        return self._used

    def free_bytes(self):
        return self._total - self._used

    def total_bytes(self):
        return self._total

    def n_free_blocks(self):
        return sum(map(len, self._free.values()))

    def free_all_blocks(self, stream=None):
        with self._lock:
            # The blocks are freed after the lock is released.
            _released, self._free = self._free, {}
            self._total = self._used

    free_all_free = free_all_blocks

    def set_limit(self, size=None, fraction=None):
        self._most = _limit(size, fraction)

    def get_limit(self):
        return self._most


_default = MemoryPool()
_allocator = _default.malloc
_own = _threading.local()


class PythonFunctionAllocator:
    """An allocator of two functions: ``malloc_func(size, device_id)`` returns an address, ``free_func(ptr,
    device_id)`` releases it."""

    def __init__(self, malloc_func, free_func):
        self._malloc_func, self._free_func = malloc_func, free_func

    def malloc(self, size):
        """Allocates `size` bytes."""
        device = _cuprum.current_device()
        ptr = self._malloc_func(size, device)
        return MemoryPointer(UnownedMemory(ptr, size, _Freed(self._free_func, ptr, device), device), 0)


class CFunctionAllocator:
    """An allocator of two C functions, given by their addresses: ``void *malloc(void *param, size_t size, int
    device)`` and ``void free(void *param, void *ptr, int device)``."""

    def __init__(self, param, malloc_func, free_func, owner):
        import ctypes

        give = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        self._owner = owner
        self._inner = PythonFunctionAllocator(lambda size, device: give(param, size, device) or 0, lambda ptr, device: take(param, ptr, device))

    def malloc(self, size):
        """Allocates `size` bytes."""
        return self._inner.malloc(size)


class _Freed:
    """Calls a function when the memory is no longer referenced."""

    def __init__(self, free, ptr, device):
        self._free, self._ptr, self._device = free, ptr, device

    def __del__(self):
        self._free(self._ptr, self._device)


def _function(allocator):
    """Returns the function that the library calls; `None` for its own pool."""
    own = getattr(allocator, "__self__", None)
    if allocator is None or allocator is _malloc or isinstance(own, MemoryPool) and not isinstance(own, _PoolOver):
        return None
    if not callable(allocator):
        raise TypeError(f"an allocator is a function of bytes, not {type(allocator).__name__}")
    return allocator


def set_allocator(allocator=None):
    """Sets the function that allocates the memory of arrays: it takes a number of bytes and returns a
    `MemoryPointer`.

    The function is used for all threads and devices. The function of a `MemoryPool` selects the library's own pool;
    so does `None`, which in CuPy disables the pool: the library orders accesses of streams by its pool, and always
    needs it.
    """
    global _allocator
    if getattr(_own, "allocators", None):
        raise ValueError("set_allocator: the allocator of all threads cannot be changed inside of using_allocator")
    _cuprum.set_allocator(_function(allocator))
    _allocator = _malloc if allocator is None else allocator


def get_allocator():
    """Returns the function that allocates the memory of arrays on this thread."""
    own = getattr(_own, "allocators", None)
    return own[-1] if own else _allocator


@_contextlib.contextmanager
def using_allocator(allocator=None):
    """Sets the function that allocates the memory of arrays on this thread in a `with` block."""
    before = _cuprum.choose_thread_allocator(_function(allocator))
    if not hasattr(_own, "allocators"):
        _own.allocators = []
    _own.allocators.append(_malloc if allocator is None else allocator)
    try:
        yield
    finally:
        _own.allocators.pop()
        _cuprum.restore_thread_allocator(before)


def get_default_memory_pool():
    """Returns the library's pool."""
    return _default
