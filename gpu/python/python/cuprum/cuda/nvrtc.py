"""NVRTC, the kernel compiler: CuPy's `cupy.cuda.nvrtc`."""

from cuprum import _cuprum
from cuprum._cuprum import CompileException as NVRTCError

__all__ = ["NVRTCError", "getVersion"]


def getVersion():
    """Returns the version of NVRTC: major and minor."""
    major, minor = _cuprum.nvrtc_version().split(".")[:2]
    return int(major), int(minor)
