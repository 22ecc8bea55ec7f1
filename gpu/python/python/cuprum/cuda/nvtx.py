"""Marks and ranges for NVIDIA's profilers: CuPy's `cupy.cuda.nvtx`.

They are passed to the NVTX library (`libnvToolsExt.so.1`, `libnvtx3interop.so.1`) if it is installed; without it no
profiler can be attached, and they do nothing.
"""

import ctypes as _ctypes
import functools as _functools

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC", "available"]

# The functions can be called with or without the library.
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
    """Marks an instant."""
    _call("nvtxMarkA", str(message).encode())


def MarkC(message, color=0):
    """Marks an instant."""
    Mark(message)


def RangePush(message, id_color=-1):
    """Begins a range."""
    _call("nvtxRangePushA", str(message).encode())


def RangePushC(message, color=0):
    """Begins a range."""
    RangePush(message)


def RangePop():
    """Ends the range that began last."""
    _call("nvtxRangePop")
