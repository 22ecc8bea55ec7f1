"""Comparison of arrays within tolerances, and tests of elements."""

import cuprum
from cuprum._cuprum.routines import allclose as _allclose
from cuprum._cuprum.routines import isclose as _isclose
from cuprum._decorators import set_module

__all__ = ['allclose', 'isclose', 'isnat']


@set_module('cuprum')
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Tests whether elements differ by at most `atol + rtol * abs(b)`. A tolerance may be an array, and one of
    NumPy has its dtype."""
    if type(rtol) in (int, float) and type(atol) in (int, float):
        return _isclose(a, b, rtol, atol, equal_nan)
    a, b, rtol, atol = map(cuprum.asarray, (a, b, rtol, atol))
    b = b.astype(cuprum.result_type(b, 1.0), copy=False)
    # Infinities are close only to equal ones.
    close = (abs(a - b) <= atol + rtol * abs(b)) & cuprum.isfinite(b) | (a == b)
    return close | cuprum.isnan(a) & cuprum.isnan(b) if equal_nan else close


@set_module('cuprum')
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Returns whether all elements are close in the sense of `isclose`."""
    if type(rtol) in (int, float) and type(atol) in (int, float):
        return _allclose(a, b, rtol, atol, equal_nan)
    return cuprum.isclose(a, b, rtol, atol, equal_nan).all()


@set_module('cuprum')
def isnat(x, /, out=None, **options):
    """Tests whether each datetime64 or timedelta64 is NaT (not a time)."""
    from cuprum import _nonnumeric

    return _nonnumeric.isnat(x, out, **options)
