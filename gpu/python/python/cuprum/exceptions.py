"""NumPy's exceptions and warnings, the very classes, and one more."""

from numpy.exceptions import AxisError, ComplexWarning, ModuleDeprecationWarning, RankWarning, TooHardError, VisibleDeprecationWarning  # noqa: F401


class UnsupportedDType(TypeError, ValueError):
    """A dtype that device arrays do not have. CuPy raises a ValueError for most of them; Dask looks for a TypeError."""
