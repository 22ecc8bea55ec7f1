"""Hooks that are told of allocations: CuPy's `cupy.cuda.memory_hook`."""

from cuprum import _cuprum

__all__ = ["MemoryHook"]


class MemoryHook:
    """A hook that is told of the memory of one thread: ``with hook:``.

    `malloc` is told of what arrays ask the pool for, `alloc` of what the pool asks the device for, once it has it, and `free`
    of what arrays return. Each gets keywords: `device_id`, `mem_size` (bytes that are given), and, where they are known,
    `size` (bytes that were requested), `mem_ptr` and `pmem_id`.
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
        """The pool is about to ask the device for memory."""

    def alloc_postprocess(self, **kwargs):
        """The device has given memory to the pool."""

    def malloc_preprocess(self, **kwargs):
        """The pool is about to be asked for memory."""

    def malloc_postprocess(self, **kwargs):
        """The pool has given memory."""

    def free_preprocess(self, **kwargs):
        """Memory is about to go back to the pool."""

    def free_postprocess(self, **kwargs):
        """Memory has gone back to the pool."""
