"""Comparison of filters of both libraries, with SciPy as the reference."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ours

pytest.importorskip("scipy", minversion="1.17")
import scipy.ndimage as theirs  # noqa: E402

MODES = ["reflect", "constant", "nearest", "mirror", "wrap"]
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def image(shape, dtype="float64", layout="C"):
    """Returns small numbers in an order that repeats nowhere, in a layout."""
    rng = np.random.default_rng(len(shape) + sum(shape))
    if np.dtype(dtype).kind == "c":
        return (image(shape, "float64", layout) + 1j * image(shape[::-1], "float64").T).astype(dtype)
    x = rng.integers(0, 2 if np.dtype(dtype).kind == "b" else 100, shape)
    x = x if np.dtype(dtype).kind != "f" else x / 7 - 3
    return laid_out(x.astype(dtype), layout)


def laid_out(x, layout):
    if layout == "F":
        return np.asfortranarray(x)
    if layout == "steps":
        wide = np.zeros([2 * n for n in x.shape], x.dtype)
        wide[(slice(None, None, 2),) * x.ndim] = x
        return wide[(slice(None, None, 2),) * x.ndim]
    if layout == "backwards":
        return np.ascontiguousarray(x[(slice(None, None, -1),) * x.ndim])[(slice(None, None, -1),) * x.ndim]
    return x


def on_device(x, layout="C"):
    """Returns a device array with the same elements and layout."""
    a = cp.asarray(x)
    if layout == "steps":
        wide = cp.zeros([2 * n for n in x.shape], a.dtype)
        wide[(slice(None, None, 2),) * x.ndim] = a
        return wide[(slice(None, None, 2),) * x.ndim]
    if layout == "backwards":
        back = (slice(None, None, -1),) * x.ndim
        return cp.ascontiguousarray(a[back])[back]
    return cp.asfortranarray(a) if layout == "F" else a


def close(got, want, what=""):
    """Compares a result with SciPy's: integers exactly, floats to the rounding of a few operations."""
    assert isinstance(got, cp.ndarray) and got.dtype == want.dtype and got.shape == want.shape, what
    got = cp.asnumpy(got)
    if want.dtype.kind in "fc":
        scale = np.abs(want[np.isfinite(want)]).max(initial=1)
        np.testing.assert_allclose(got, want, rtol=4 * np.finfo(want.dtype).eps, atol=8 * np.finfo(want.dtype).eps * scale, err_msg=str(what))
    else:
        np.testing.assert_array_equal(got, want, err_msg=str(what))


def same(name, x, *args, layout="C", **options):
    """Calls a function of both libraries and compares the results."""
    want = getattr(theirs, name)(x, *args, **options)
    got = getattr(ours, name)(on_device(x, layout), *args, **options)
    close(got, want, (name, x.shape, x.dtype, args, options))


def same_error(name, x, *args, **options):
    """Calls a function of both libraries with wrong arguments, and compares the class of the exceptions."""
    with pytest.raises(Exception) as want:
        getattr(theirs, name)(x, *args, **options)
    with pytest.raises(want.type):
        getattr(ours, name)(cp.asarray(x), *args, **options)
