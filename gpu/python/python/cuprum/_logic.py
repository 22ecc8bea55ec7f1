"""Tests of elements."""

from cuprum._decorators import set_module

__all__ = ['isnat']


@set_module('cuprum')
def isnat(x, /, out=None, **options):
    """Tests whether each datetime64 or timedelta64 is NaT (not a time)."""
    from cuprum import _nonnumeric

    return _nonnumeric.isnat(x, out, **options)
