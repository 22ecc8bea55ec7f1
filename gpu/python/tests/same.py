"""Comparison of the results of calls of both libraries."""

import numpy as np

import cuprum as cp


def on_host(x):
    """Copies device arrays to the host, also in tuples and lists."""
    if isinstance(x, cp.ndarray):
        return x.get()
    if isinstance(x, (tuple, list)):
        return type(x)(on_host(i) for i in x)
    return x


def equal(got, expected, rtol=0.0):
    """Fails if dtype, shape or elements differ; NumPy scalars correspond to arrays without axes."""
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            equal(one, other, rtol)
        return
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, (cp.ndarray, np.ndarray, np.generic)), type(got)
        got = on_host(got)
        assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
        assert got.shape == expected.shape, (got.shape, expected.shape)
        if rtol:
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(got, expected)
        return
    assert type(got) is type(expected) and got == expected, (got, expected)


def _plain(exception):
    """Returns Python's or NumPy's public class from which a private exception class of NumPy is derived."""
    return next(c for c in exception.__mro__ if c.__module__ in ("builtins", "numpy.exceptions", "numpy.linalg"))


def same(f, *hosts, rtol=0.0):
    """Calls `f(xp, *arrays)` with both libraries. If NumPy raises, the library must raise the same class of
    exception."""
    devices = [cp.asarray(h) if isinstance(h, np.ndarray) else h for h in hosts]
    try:
        expected = f(np, *hosts)
    except Exception as e:
        try:
            got = f(cp, *devices)
        except _plain(type(e)):
            return
        except Exception as other:
            raise AssertionError(f"NumPy: {e!r}, here: {other!r}") from other
        raise AssertionError(f"NumPy: {e!r}, here: {got!r}")
    equal(f(cp, *devices), expected, rtol)
