"""Hooks that are told of allocations: CuPy's `cupy.cuda.memory_hook`."""

__all__ = ["MemoryHook"]


class MemoryHook:
    """A hook that is told of each allocation. It can be made; nothing tells it yet, so that it cannot be entered."""

    name = "MemoryHook"

    def __enter__(self):
        raise NotImplementedError("MemoryHook: allocations are told to no hook yet")

    def __exit__(self, *exception):
        pass

    def alloc_preprocess(self, **kwargs):
        pass

    def alloc_postprocess(self, **kwargs):
        pass

    def malloc_preprocess(self, **kwargs):
        pass

    def malloc_postprocess(self, **kwargs):
        pass

    def free_preprocess(self, **kwargs):
        pass

    def free_postprocess(self, **kwargs):
        pass
