"""The CUDA driver: CuPy's `cupy.cuda.driver` (`cupy_backends.cuda.api.driver`)."""

from cuprum._cuprum import CUDADriverError

__all__ = ["CUDADriverError", "get_build_version"]


def get_build_version():
    """Returns the version of CUDA that the library is written for, in CUDA's encoding: 13000 is 13.0."""
    return 13000


def driverGetVersion():
    """Returns the version of CUDA that the driver supports; 0 without a driver."""
    from cuprum.cuda import runtime

    return runtime.driverGetVersion()


def ctxGetCurrent():
    """Raises: contexts are not available."""
    raise NotImplementedError("driver.ctxGetCurrent: contexts are not available")
