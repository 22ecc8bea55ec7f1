"""Availability of pytest."""

try:
    import pytest
except ImportError:
    pytest = None

__all__ = ['check_available', 'is_available']


def is_available():
    """Returns true if pytest can be imported."""
    return pytest is not None and hasattr(pytest, 'fixture')


def check_available(feature):
    """Raises a RuntimeError if pytest, which `feature` requires, is not installed."""
    if not is_available():
        raise RuntimeError(f'{feature} needs pytest: python -m pip install pytest')
