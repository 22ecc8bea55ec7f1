"""Availability of Thrust: CuPy's `cupy.cuda.thrust`. The package does not use it, but kernels of its own."""

from cuprum._not_yet import lacking as _lacking

__all__ = ["available"]

# Programs check it before they use the library.
available = False

__getattr__ = _lacking(__name__)
