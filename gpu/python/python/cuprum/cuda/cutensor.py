"""Whether the package uses cuTENSOR: CuPy's `cupy.cuda.cutensor`. It does not."""

from cuprum import _lacking

__all__ = ["available"]

# Programs ask before they use the library.
available = False

__getattr__ = _lacking(__name__)
