"""Marks and ranges for NVIDIA's profilers: CuPy's `cupy.cuda.nvtx`.

They go to the library of the package `nvtx`'s kind (`libnvToolsExt.so.1`, `libnvtx3interop.so.1`) where there is one; where there is none no profiler
can look on, and they do nothing.
"""

import ctypes as _ctypes
import functools as _functools

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC", "available"]

# The functions can be called, with a library or without.
available = True


@_functools.lru_cache(maxsize=None)
def _library():
    for name in ("libnvToolsExt.so.1", "libnvtx3interop.so.1"):
        try:
            return _ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _call(name, *args):
    library = _library()
    if library is not None:
        getattr(library, name)(*args)


def Mark(message, id_color=-1):
    """A mark on the line of time."""
    _call("nvtxMarkA", str(message).encode())


def MarkC(message, color=0):
    """A mark on the line of time."""
    Mark(message)


def RangePush(message, id_color=-1):
    """A range begins."""
    _call("nvtxRangePushA", str(message).encode())


def RangePushC(message, color=0):
    """A range begins."""
    RangePush(message)


def RangePop():
    """The range that began last ends."""
    _call("nvtxRangePop")
