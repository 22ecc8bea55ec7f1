"""Whether pytest is there."""

try:
    import pytest
except ImportError:
    pytest = None

__all__ = ['check_available', 'is_available']


def is_available():
    """Whether pytest can be imported."""
    return pytest is not None and hasattr(pytest, 'fixture')


def check_available(feature):
    """Raises a RuntimeError where there is no pytest for `feature`."""
    if not is_available():
        raise RuntimeError(f'{feature} needs pytest: python -m pip install pytest')
