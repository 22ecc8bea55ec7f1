"""Hooks that are called for allocations: CuPy's `cupy.cuda.memory_hook`."""

from cuprum import _cuprum

__all__ = ["MemoryHook"]


class MemoryHook:
    """A hook that is called for the allocations of one thread: ``with hook:``.

    `malloc` is called for allocations of arrays from the pool, `alloc` for allocations of the pool from the device,
    after they succeed, and `free` for memory that arrays return. Each takes keyword arguments: `device_id`,
    `mem_size` (allocated bytes) and, if they are known, `size` (requested bytes), `mem_ptr` and `pmem_id`.
    """

    name = "MemoryHook"

    def __enter__(self):
        try:
            _cuprum.push_memory_hook(self.name, self)
        except ValueError as error:
            raise KeyError(f"memory hook {self.name} already exists") from error
        return self

    def __exit__(self, *exception):
        _cuprum.pop_memory_hook(self.name)

    def alloc_preprocess(self, **kwargs):
        """Called before the pool allocates memory from the device."""

    def alloc_postprocess(self, **kwargs):
        """Called after the pool has allocated memory from the device."""

    def malloc_preprocess(self, **kwargs):
        """Called before memory is allocated from the pool."""

    def malloc_postprocess(self, **kwargs):
        """Called after memory has been allocated from the pool."""

    def free_preprocess(self, **kwargs):
        """Called before memory is returned to the pool."""

    def free_postprocess(self, **kwargs):
        """Called after memory has been returned to the pool."""
