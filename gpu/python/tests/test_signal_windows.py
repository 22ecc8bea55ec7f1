"""Windows of `cupyx.scipy.signal`, compared with SciPy's."""

import warnings

import numpy as np
import pytest

import cuprum as cp
from ndimage_same import close, image

pytest.importorskip("scipy", minversion="1.17")
import scipy.signal as theirs  # noqa: E402

import cuprum.cupyx.scipy  # noqa: E402

ours = cp.scipy.signal


def same(name, *args, **options):
    want = getattr(theirs, name)(*args, **options)
    got = getattr(ours, name)(*(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args), **options)
    close(got, want, (name, options))


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("shapes", [((6, 7), (3, 2)), ((6, 7), (4, 4)), ((3, 3), (5, 6)), ((1, 6), (1, 3))])
def test_two_axes(name, shapes):
    a, b = image(shapes[0]), image(shapes[1])
    small = np.round(a).astype("int8"), np.round(b).astype("int8")
    for mode in ("full", "same", "valid"):
        for boundary in ("fill", "wrap", "symm"):
            if boundary != "fill" and any(k > n for n, k in zip(*shapes)):
                continue
            same(name, a, b, mode, boundary)
            same(name, *small, mode, boundary)
        same(name, a, b, mode, fillvalue=2.5)
        same(name, a.astype("float32"), b.astype("float32"), mode)
    c, d = image(shapes[0], "complex128"), image(shapes[1], "complex64")
    same(name, c, d, fillvalue=1 + 2j)
    same(name, a, c)


def test_two_axes_errors():
    for args in (
        (image((3,)), image((3,))),
        (image((2, 5)), image((5, 2)), "valid"),
        (image((2, 2)), image((2, 2)), "other"),
        (image((2, 2)), image((2, 2)), "full", "other"),
    ):
        with pytest.raises(ValueError):
            theirs.convolve2d(*args)
        with pytest.raises(ValueError):
            ours.convolve2d(*(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args))


def test_separable():
    same("sepfir2d", image((6, 7)), np.array([1.0, 2, 4]), np.array([1.0, 3, 0, 1, 2]))
    x, h = image((6, 7), "float32"), np.array([1, 2, 4], "float32")
    same("sepfir2d", x, h, h)
    with pytest.raises(ValueError):
        ours.sepfir2d(cp.asarray(x), [1, 2], [1])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
def test_medians_and_ranks(dtype):
    x = image((9, 10), dtype)
    same("medfilt", x)
    same("medfilt", x, (3, 5))
    same("medfilt", x[0], 5)
    same("medfilt2d", x, 5)
    same("order_filter", x, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 3)
    with pytest.raises(ValueError):
        ours.medfilt(cp.asarray(x), 2)
    with pytest.raises(ValueError):
        ours.order_filter(cp.asarray(x), np.ones((2, 3)), 1)
    with pytest.raises(ValueError):
        ours.medfilt(cp.asarray(x).astype(bool))
    with pytest.warns(UserWarning):
        ours.medfilt(cp.asarray(x), (1, 11))
    # SciPy warns for some dtypes only.
    counts = []
    for function, image_of in ((theirs.medfilt2d, x), (ours.medfilt2d, cp.asarray(x))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(image_of, (1, 11))
        counts.append(len(caught))
    assert counts[0] == counts[1]


def test_wiener():
    x = image((9, 10))
    for options in ({}, {"mysize": (3, 5)}, {"noise": 2.0}):
        want = theirs.wiener(x, **options)
        np.testing.assert_allclose(ours.wiener(cp.asarray(x), **options).get(), want, rtol=1e-12, atol=1e-12 * np.abs(want).max())
