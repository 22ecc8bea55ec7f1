"""Whether the package uses Thrust: CuPy's `cupy.cuda.thrust`. It does not: kernels of its own do that work."""

from cuprum import _lacking

__all__ = ["available"]

# Programs ask before they use the library.
available = False

__getattr__ = _lacking(__name__)
