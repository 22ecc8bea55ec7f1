"""Memory hooks: CuPy's `cupy.cuda.memory_hooks`."""

import os as _os
import sys as _sys
import traceback as _traceback

from cuprum.cuda.memory_hook import MemoryHook

__all__ = ["DebugPrintHook", "LineProfileHook"]


class DebugPrintHook(MemoryHook):
    """Writes a line for each event to a file, or to standard output."""

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush

    def _print(self, what, event):
        line = ",".join([f'"hook":"{what}"'] + [f'"{name}":{value}' for name, value in event.items()])
        print("{" + line + "}", file=_sys.stdout if self.file is None else self.file, flush=self.flush)

    def alloc_postprocess(self, **event):
        """Writes a line for memory that the pool has taken from the device."""
        self._print("alloc", event)

    def malloc_postprocess(self, **event):
        """Writes a line for memory that an array has taken from the pool."""
        self._print("malloc", event)

    def free_postprocess(self, **event):
        """Writes a line for memory that an array has returned to the pool."""
        self._print("free", event)


class _Frame:
    """A line of the program: the bytes allocated there and in its callees, and the lines that it called."""

    def __init__(self, where=None):
        self.where, self.used, self.acquired, self.children = where, 0, 0, {}

    def child(self, where):
        if where not in self.children:
            self.children[where] = _Frame(where)
        return self.children[where]


class LineProfileHook(MemoryHook):
    """Counts for each line of the program the bytes that arrays allocated there, and those that the pool allocated
    from the device.

    `max_depth` limits the number of callers that are distinguished; 0 distinguishes all. `print_report` prints the
    tree.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth, self._root = max_depth, _Frame()
        self._own = _os.path.dirname(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))

    def _add(self, used, acquired):
        stack = [frame for frame in _traceback.extract_stack() if not frame.filename.startswith(self._own)]
        stack = stack[-self.max_depth :] if self.max_depth else stack
        at = self._root
        at.used, at.acquired = at.used + used, at.acquired + acquired
        for frame in stack:
            at = at.child((frame.filename, frame.lineno, frame.name))
            at.used, at.acquired = at.used + used, at.acquired + acquired

    def malloc_postprocess(self, **event):
        """Adds the bytes of an array to the lines on the stack."""
        self._add(event["mem_size"], 0)

    def alloc_postprocess(self, **event):
        """Adds the bytes that the pool has taken from the device to the lines on the stack."""
        self._add(0, event["mem_size"])

    def print_report(self, file=None):
        """Prints the lines as a tree: the bytes allocated by arrays, and the bytes allocated from the device for
        them."""
        file = _sys.stdout if file is None else file

        def show(frame, depth):
            if frame.where is None:
                print(f"_root ({_size(frame.used)}, {_size(frame.acquired)})", file=file, flush=True)
            else:
                name, line, function = frame.where
                text = f"{name}:{line}:{function} ({_size(frame.used)}, {_size(frame.acquired)})"
                print("  " * depth + text, file=file, flush=True)
            for child in frame.children.values():
                show(child, depth + 1)

        show(self._root, 0)


def _size(count):
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024:
            return f"{count:.2f}{unit}"
        count /= 1024
    return f"{count:.2f}TB"
