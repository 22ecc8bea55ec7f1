"""Comparison of interpolators of both libraries, with SciPy as the reference."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.interpolate as ours

scipy = pytest.importorskip("scipy", minversion="1.17")
import scipy.interpolate as theirs  # noqa: E402, F401


def same(actual, expected, rtol=1e-12, about=""):
    """Compares shape, dtype and values: relative to the largest one, as sums of both signs cancel."""
    assert isinstance(actual, cp.ndarray), about
    actual, expected = cp.asnumpy(actual), np.asarray(expected)
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype), about
    finite = np.abs(expected[np.isfinite(expected)])
    atol = rtol * max(finite.max(initial=0), 1e-300)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, err_msg=str(about))


def numbers(seed, shape, dtype=float):
    """Returns numbers from -1 to 1."""
    rng = np.random.default_rng(seed)
    x = 2 * rng.random(shape) - 1
    if np.dtype(dtype).kind == "c":
        x = x + 1j * (2 * rng.random(shape) - 1)
    return (9 * x if np.dtype(dtype).kind == "i" else x).astype(dtype)


def knots(n, seed=1):
    """Returns increasing numbers at distances from 0.5 to 1.5."""
    return np.cumsum(0.5 + np.random.default_rng(seed).random(n)) - 1


def same_errors(cases):
    """Compares the exceptions of calls that take the module."""
    for call in cases:
        caught = []
        for module in (ours, theirs):
            with pytest.raises(Exception) as raised:  # noqa: PT011
                call(module)
            caught.append(raised.value)
        assert isinstance(caught[0], type(caught[1])), (caught, call)
        assert str(caught[0]), call
