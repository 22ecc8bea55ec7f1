"""Assertions on device arrays, host arrays, or both.

Each of them copies its operands to the host and calls NumPy's assertion of the same name, so that the comparison
and the messages are NumPy's.
"""

import numpy as np

from ._modules import cuprum

__all__ = [
    'assert_allclose',
    'assert_array_almost_equal',
    'assert_array_almost_equal_nulp',
    'assert_array_equal',
    'assert_array_less',
    'assert_array_list_equal',
    'assert_array_max_ulp',
]


def on_host(a):
    """Returns `a` as a NumPy object: an array is copied to the host, a sparse matrix is converted to a dense one,
    other values are unchanged."""
    if isinstance(a, cuprum.ndarray):
        return cuprum.asnumpy(a)
    if hasattr(a, 'toarray') and hasattr(a, 'nnz'):
        return on_host(a.toarray())
    if isinstance(a, (list, tuple)):
        return type(a)(map(on_host, a)) if type(a) in (list, tuple) else [on_host(x) for x in a]
    return a


def assert_allclose(actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg='', verbose=True, *, strict=False):
    """Raises an AssertionError if two arrays differ by more than the tolerance, as `numpy.testing.assert_allclose`
    does."""
    np.testing.assert_allclose(on_host(actual), on_host(desired), rtol=rtol, atol=atol, equal_nan=equal_nan, err_msg=err_msg, verbose=verbose, strict=strict)


def assert_array_almost_equal(actual, desired, decimal=6, err_msg='', verbose=True):
    """Raises an AssertionError if two arrays differ in the first `decimal` decimal places."""
    np.testing.assert_array_almost_equal(on_host(actual), on_host(desired), decimal=decimal, err_msg=err_msg, verbose=verbose)


def assert_array_almost_equal_nulp(x, y, nulp=1):
    """Raises an AssertionError if two arrays differ by more than `nulp` units in the last place."""
    np.testing.assert_array_almost_equal_nulp(on_host(x), on_host(y), nulp=nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Raises an AssertionError if two arrays are more than `maxulp` representable numbers apart."""
    np.testing.assert_array_max_ulp(on_host(a), on_host(b), maxulp=maxulp, dtype=dtype)


def assert_array_equal(actual, desired, err_msg='', verbose=True, *, strict=False, strides_check=False):
    """Raises an AssertionError if two arrays are not equal, and with `strides_check` if their strides are not."""
    np.testing.assert_array_equal(on_host(actual), on_host(desired), err_msg=err_msg, verbose=verbose, strict=strict)
    if strides_check:
        one, other = (a if hasattr(a, 'strides') else np.asarray(a) for a in (actual, desired))
        if one.strides != other.strides:
            raise AssertionError('\n'.join(filter(None, ['Strides are not equal:', err_msg and str(err_msg), f' x: {one.strides}', f' y: {other.strides}'])))


def assert_array_list_equal(xlist, ylist, err_msg='', verbose=True):
    """Raises an AssertionError if two lists of arrays differ in length or in any pair of arrays."""
    for given in (xlist, ylist):
        if not isinstance(given, (list, tuple)):
            raise AssertionError(f'a list or a tuple of arrays is expected, not {type(given).__name__}')
    if len(xlist) != len(ylist):
        raise AssertionError(f'the lists have different lengths: {len(xlist)} and {len(ylist)}')
    for at, (x, y) in enumerate(zip(xlist, ylist)):
        np.testing.assert_array_equal(on_host(x), on_host(y), err_msg=f'{err_msg}\narray {at} of the list'.strip(), verbose=verbose)


def assert_array_less(x, y, err_msg='', verbose=True, *, strict=False):
    """Raises an AssertionError if an element of `x` is not less than that of `y`."""
    np.testing.assert_array_less(on_host(x), on_host(y), err_msg=err_msg, verbose=verbose, strict=strict)
