"""Whether the package uses cuSPARSE: CuPy's `cupy.cuda.cusparse`. It does not."""

from cuprum import _lacking

__all__ = ["available"]

# Programs ask before they use the library.
available = False

__getattr__ = _lacking(__name__)
