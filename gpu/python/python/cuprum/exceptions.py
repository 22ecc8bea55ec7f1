"""NumPy's exceptions and warnings: the very classes."""

from numpy.exceptions import AxisError, ComplexWarning, ModuleDeprecationWarning, RankWarning, TooHardError, VisibleDeprecationWarning  # noqa: F401

