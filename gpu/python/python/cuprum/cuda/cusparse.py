"""Availability of cuSPARSE: CuPy's `cupy.cuda.cusparse`. The package does not use it."""

from cuprum._not_yet import lacking as _lacking

__all__ = ["available"]

# Programs check it before they use the library.
available = False

__getattr__ = _lacking(__name__)
