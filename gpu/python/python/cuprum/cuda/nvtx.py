"""Marks and ranges for NVIDIA's profilers: CuPy's `cupy.cuda.nvtx`.

They are passed to the NVTX library (`libnvToolsExt.so.1`, `libnvtx3interop.so.1`) if it is installed; without it no
profiler can be attached, and they do nothing.
"""

import ctypes as _ctypes
import functools as _functools

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC", "available"]

# The functions can be called with or without the library.
available = True

# Colours of `id_color`, as alpha, red, green and blue.
_COLORS = (0xFF2E8B57, 0xFF4169E1, 0xFFDAA520, 0xFF9932CC, 0xFF20B2AA, 0xFFCD5C5C, 0xFF808080)


class _Event(_ctypes.Structure):
    """The attributes of an event: `nvtxEventAttributes_t`, version 3."""

    _fields_ = [
        ("version", _ctypes.c_uint16),
        ("size", _ctypes.c_uint16),
        ("category", _ctypes.c_uint32),
        ("color_type", _ctypes.c_int32),
        ("color", _ctypes.c_uint32),
        ("payload_type", _ctypes.c_int32),
        ("reserved", _ctypes.c_int32),
        ("payload", _ctypes.c_uint64),
        ("message_type", _ctypes.c_int32),
        ("message", _ctypes.c_char_p),
    ]


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


def _event(name, message, color):
    """Passes an event with a message, and with a colour unless that is `None`."""
    argb, ascii = 1, 1
    event = _Event(version=3, size=_ctypes.sizeof(_Event), message_type=ascii, message=str(message).encode())
    if color is not None:
        event.color_type, event.color = argb, color & 0xFFFFFFFF
    _call(name, _ctypes.byref(event))


def _color(id_color):
    return None if id_color < 0 else _COLORS[id_color % len(_COLORS)]


def Mark(message, id_color=-1):
    """Marks an instant, in a colour of the palette if `id_color` is not negative."""
    _event("nvtxMarkEx", message, _color(id_color))


def MarkC(message, color=0):
    """Marks an instant in a colour, given as alpha, red, green and blue: ``0xFF00FF00``."""
    _event("nvtxMarkEx", message, color)


def RangePush(message, id_color=-1):
    """Begins a range, in a colour of the palette if `id_color` is not negative."""
    _event("nvtxRangePushEx", message, _color(id_color))


def RangePushC(message, color=0):
    """Begins a range in a colour, given as alpha, red, green and blue: ``0xFF00FF00``."""
    _event("nvtxRangePushEx", message, color)


def RangePop():
    """Ends the range that began last."""
    _call("nvtxRangePop")
