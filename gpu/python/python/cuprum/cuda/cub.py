"""Whether the package uses CUB: CuPy's `cupy.cuda.cub`. It does not: kernels of its own do that work."""

from cuprum import _lacking

__all__ = ["available"]

# Programs ask before they use the library.
available = False

__getattr__ = _lacking(__name__)
