"""Hooks of CuPy's: `cupy.cuda.memory_hooks`."""

from cuprum.cuda.memory_hook import MemoryHook

__all__ = ["DebugPrintHook", "LineProfileHook"]


class DebugPrintHook(MemoryHook):
    """Prints each allocation; not there yet, as `MemoryHook` says."""

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush


class LineProfileHook(MemoryHook):
    """Counts the bytes of each line of the program; not there yet, as `MemoryHook` says."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth = max_depth
