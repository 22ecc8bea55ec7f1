"""Memory of the host that a device copies from and to by itself: CuPy's `cupy.cuda.pinned_memory`."""

import ctypes as _ctypes

from cuprum._cuprum import PinnedMemory
from cuprum._cuprum import PinnedPoolHandle as _PinnedPoolHandle

__all__ = ["PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "alloc_pinned_memory"]


class PinnedMemoryPointer:
    """A pointer to pinned memory. It has Python's buffer protocol: `numpy.frombuffer` takes it."""

    # The classes of each number of bytes: a buffer of ctypes has its size in its type.
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
        """How many bytes there are from the pointer on."""
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
    """A pool of pinned memory, which keeps what nobody has; sizes are powers of two from 512 bytes on."""

    def __init__(self, allocator=None):
        if allocator is not None:
            raise NotImplementedError("PinnedMemoryPool: a pool over an allocator is not there yet")
        self._pool = None

    @property
    def _handle(self):
        # The first use opens the device, and not the import.
        if self._pool is None:
            self._pool = _PinnedPoolHandle()
        return self._pool

    def malloc(self, size):
        """Pinned memory of so many bytes."""
        return PinnedMemoryPointer(self._handle.malloc(size), 0)

    def free_all_blocks(self):
        """Gives what nobody has back to the host."""
        self._handle.free_all_blocks()

    def n_free_blocks(self):
        """How many free blocks the pool keeps."""
        return self._handle.n_free_blocks()


_default = PinnedMemoryPool()
_allocator = _default.malloc


def alloc_pinned_memory(size):
    """Pinned memory of so many bytes."""
    return _allocator(size)


def set_pinned_memory_allocator(allocator=None):
    """Takes pinned memory from a function of bytes; from the library again where there is none."""
    global _allocator
    _allocator = _default.malloc if allocator is None else allocator


def get_default_pinned_memory_pool():
    """The pool of pinned memory."""
    return _default
