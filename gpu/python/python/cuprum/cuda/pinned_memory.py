"""Page-locked host memory, which a device copies from and to directly: CuPy's `cupy.cuda.pinned_memory`."""

import ctypes as _ctypes

from cuprum._cuprum import PinnedMemory
from cuprum._cuprum import PinnedPoolHandle as _PinnedPoolHandle

__all__ = ["PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "alloc_pinned_memory"]


class PinnedMemoryPointer:
    """A pointer to pinned memory. It supports Python's buffer protocol, as `numpy.frombuffer` requires."""

    # The class for each number of bytes: the size of a ctypes buffer is part of its type.
    _classes = {}

    def __new__(cls, mem, offset):
        size = mem.size - offset
        if cls is PinnedMemoryPointer:
            made = cls._classes.get(size)
            if made is None:
                made = type("PinnedMemoryPointer", (PinnedMemoryPointer, _ctypes.c_char * size), {})
                cls._classes[size] = made
        pointer = made.from_address(mem.ptr + offset)
        pointer.mem, pointer._offset = mem, offset
        return pointer

    def __init__(self, mem, offset):
        pass

    @property
    def ptr(self):
        """The address on the host."""
        return self.mem.ptr + self._offset

    def size(self):
        """Returns the number of bytes from the pointer on."""
        return self.mem.size - self._offset

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self._offset + offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return PinnedMemoryPointer(self.mem, self._offset - offset)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return f"<PinnedMemoryPointer 0x{self.ptr:x}>"


class PinnedMemoryPool:
    """A pool that caches unused pinned memory; sizes are powers of two from 512 bytes on."""

    def __init__(self, allocator=None):
        if allocator is not None:
            raise NotImplementedError("PinnedMemoryPool: a pool over an allocator is not there yet")
        self._pool = None

    @property
    def _handle(self):
        # The device is opened at first use, not at import.
        if self._pool is None:
            self._pool = _PinnedPoolHandle()
        return self._pool

    def malloc(self, size):
        """Allocates `size` bytes of pinned memory."""
        return PinnedMemoryPointer(self._handle.malloc(size), 0)

    def free_all_blocks(self):
        """Releases unused memory to the host."""
        self._handle.free_all_blocks()

    def n_free_blocks(self):
        """Returns the number of free blocks in the pool."""
        return self._handle.n_free_blocks()


_default = PinnedMemoryPool()
_allocator = _default.malloc


def alloc_pinned_memory(size):
    """Allocates `size` bytes of pinned memory."""
    return _allocator(size)


def set_pinned_memory_allocator(allocator=None):
    """Sets the function that allocates pinned memory; `None` restores the library's own."""
    global _allocator
    _allocator = _default.malloc if allocator is None else allocator


def get_default_pinned_memory_pool():
    """Returns the pool of pinned memory."""
    return _default
