"""Filters on arrays of more than a block: ranks of large windows, two axes in one launch, images of bits."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
import scipy.ndimage
from ndimage_same import close, image, same


@pytest.mark.parametrize(
    ("size", "shape", "dtype"),
    [
        (5, (40, 70), "uint8"),
        ((1, 5), (9, 530), "float32"),
        ((1, 3), (3, 2500), "float32"),
        (3, (9, 10, 40), "int16"),
        (7, (70, 90), "float32"),
        (9, (66, 35), "int16"),
        (11, (130, 70), "float32"),
        (13, (34, 33), "bool"),
        ((1, 7, 7), (3, 70, 40), "uint8"),
        ((4, 6), (50, 33), "int64"),
        (45, (60, 50), "uint8"),
    ],
)
def test_medians(size, shape, dtype):
    x = image(shape, dtype)
    same("median_filter", x, size, mode="constant", cval=7)
    # The kernels of large windows take seconds to compile: one of each.
    if np.max(size) in (11, 13):
        return
    same("median_filter", x, size, mode="mirror", layout="F")
    same("rank_filter", x, 2, size, mode="wrap", layout="steps")


def test_ranks_of_footprints():
    footprint = image((5, 7, 3)) > 6
    for rank in (1, 9, -3):
        same("rank_filter", image((20, 23, 18), "float32"), rank, footprint=footprint, origin=(1, -2, 0))
    same("percentile_filter", image((3000,)), 20, size=1801)
    # A window of more elements than a block sorts.
    x = image((2, 3), "uint8")
    near = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((50, 50), (49, 49)), "symmetric"), (101, 99))
    for rank in (100, 4000, 9000):
        assert (ndimage.rank_filter(cp.asarray(x), rank, (101, 99)).get() == np.sort(near.reshape(2, 3, -1))[..., rank]).all()


def test_not_a_number_is_the_last():
    x = image((30, 40), "float32")
    x[5, 7] = np.nan
    got = ndimage.median_filter(cp.asarray(x), 9).get()
    assert np.isfinite(got).all()
    high = ndimage.rank_filter(cp.asarray(x), 79, 9).get()
    near = np.zeros(x.shape, bool)
    near[1:10, 3:12] = True
    want = scipy.ndimage.rank_filter(np.where(np.isnan(x), np.inf, x), 79, 9)
    np.testing.assert_array_equal(high[near], want[near])


@pytest.mark.parametrize(
    ("dtype", "values"), [("float16", ()), ("float32", (np.nan, -np.inf, np.inf)), ("float64", ()), ("float64", (np.nan, -np.inf, np.inf))]
)
def test_products_have_the_bits_of_sums(dtype, values):
    """Strips of an image are too narrow for products of matrices, which compute the whole one."""
    rng = np.random.default_rng(8)
    x = (rng.standard_normal((300, 290)) * 2.0 ** rng.integers(-9, 3, (300, 290))).astype(dtype)
    for i, value in enumerate(values):
        x[90 + 90 * i, 150] = value
    x = cp.asarray(x)
    for weights in rng.standard_normal((11, 9)), rng.standard_normal((15, 4)), rng.integers(-1, 2, (15, 15)):
        whole = ndimage.correlate(x, weights, mode="wrap").get()
        below, after = weights.shape[0] // 2, weights.shape[1] // 2
        for top in range(0, 256, 64):
            strip = ndimage.correlate(x[top : top + 32], weights).get()
            np.testing.assert_array_equal(whole[top + 8 : top + 24, after:-after], strip[8:24, after:-after])
        assert np.isfinite(whole).all() == (not values) and below < 8
    for axis, size in (0, 13), (0, 22), (0, 29), (1, 48), (1, 49):
        weights = rng.standard_normal(size)
        whole = ndimage.correlate1d(x, weights, axis=axis, mode="mirror").get()
        for first in range(0, 290 - 64, 56):
            part = slice(first, first + (32 if axis == 0 else 64))
            strip = ndimage.correlate1d(x[part] if axis == 0 else x[:, part].copy(), weights, axis=axis).get()
            inner = slice(size // 2, strip.shape[axis] - (size - 1) // 2)
            whole_part = whole[part] if axis == 0 else whole[:, part]
            at = (inner, slice(None)) if axis == 0 else (slice(None), inner)
            np.testing.assert_array_equal(whole_part[at], strip[at])


@pytest.mark.parametrize("shape", [(300, 290), (3, 150, 131)])
@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap"])
def test_products(shape, mode):
    # The modes are the same code for both.
    for dtype in ["float32"] if mode in ("nearest", "constant", "mirror") else ["float64"]:
        x = image(shape, dtype)
        for axis in range(len(shape)):
            same("gaussian_filter1d", x, 6, axis=axis, mode=mode, cval=2.5)
            same("correlate1d", x, np.arange(30), axis=axis, mode=mode, cval=np.nan, origin=-4)
        same("correlate", x, np.arange(9 * 7.0).reshape((1,) * (len(shape) - 2) + (9, 7)), mode=mode, cval=np.inf)
    # Rows that begin anywhere, as those of a view do.
    x = cp.asarray(image((200, 301), "float32"))[:, 1:]
    want = scipy.ndimage.gaussian_filter(x.get(), 6, mode=mode)
    close(ndimage.gaussian_filter(x, 6, mode=mode), want)
    # Integral weights are exact.
    same("correlate", image((200, 200), "uint8"), np.arange(81).reshape(9, 9) % 3, mode=mode)


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "wrap"])
@pytest.mark.parametrize("shape", [(150, 140), (2, 70, 131)])
def test_two_axes(shape, mode):
    options = {"mode": mode, "cval": 3.0}
    x = image(shape, "float32")
    same("gaussian_filter", x, 2, **options)
    same("sobel", x, -1, **options)
    same("sobel", x, 0, **options)
    same("uniform_filter", x, (5, 14)[: len(shape)] if len(shape) == 2 else 5, **options)
    same("maximum_filter", x, 21, **options)
    same("minimum_filter", image(shape, "uint8"), 4, origin=-2, **options)


@pytest.mark.parametrize(("axis", "shape"), [(1, (5, 2300)), (0, (300, 45)), (1, (3, 150, 70)), (0, (20, 9, 40)), (2, (3, 4, 700))])
def test_long_windows_along_one_axis(axis, shape):
    x = image(shape, "float32")
    for size in (6, 51, 130):
        same("maximum_filter1d", x, size, axis, mode="mirror", origin=-2)
        same("minimum_filter1d", image(shape, "int16"), size, axis, mode="constant", cval=5)
        same("uniform_filter1d", x, size, axis, mode="wrap")
    # More weights than the parameters of a kernel have room for.
    same("correlate1d", image(shape), np.linspace(-1, 2, 301), axis, mode="nearest")
    same("correlate1d", x, [0.5, -2, 3], axis, mode="constant", cval=0.1)


@pytest.mark.parametrize(("axis", "shape"), [(0, (420, 1100)), (1, (1100, 420)), (1, (2, 450, 550)), (2, (2, 550, 450)), (0, (430, 30, 40))])
def test_long_windows_of_many_lines(axis, shape):
    x = image(shape, "float32")
    for size, mode in ((24, "reflect"), (40, "wrap"), (51, "constant")):
        same("maximum_filter1d", x, size, axis, mode=mode, cval=2, origin=-2)
        same("uniform_filter1d", x, size, axis, mode=mode, cval=2)
    same("minimum_filter1d", image(shape, "uint8"), 33, axis, mode="mirror")
    same("uniform_filter1d", image(shape, "int16"), 33, axis, mode="nearest")
    x[tuple(n // 2 for n in shape)] = np.inf
    got = ndimage.uniform_filter1d(cp.asarray(x), 51, axis).get()
    assert np.isinf(got).sum() == 51 and not np.isnan(got).any()


def test_what_is_not_finite_affects_its_own_windows():
    x = image((150, 160), "float32")
    x[60, 70], x[100, 30] = np.nan, np.inf
    got = ndimage.uniform_filter(cp.asarray(x), 17).get()
    assert np.isnan(got).sum() == 17 * 17 and np.isinf(got).sum() == 17 * 17
    got = ndimage.maximum_filter(cp.asarray(x), (3, 20)).get()
    assert np.isnan(got).sum() == 60 and np.isinf(got).sum() == 60
    # Sums of the least numbers, and of numbers whose quotients are not exact.
    tiny = np.full((70, 80), 5e-324)
    assert (ndimage.uniform_filter(cp.asarray(tiny), 3).get() == 5e-324).all()


@pytest.mark.parametrize("mode", ["reflect", "constant", "wrap"])
def test_weights_over_two_axes(mode):
    weights = image((5, 7)) - 1
    weights[2, 3] = 0
    for dtype in ("float32", "float64", "int32"):
        weights = np.round(weights) if dtype == "int32" else weights
        same("correlate", image((70, 300), dtype), weights, mode=mode, cval=2)
    same("convolve", image((3, 50, 90), "float32"), weights[None], mode=mode, cval=0.3)
    same("laplace", image((90, 130), "float32"), mode=mode)


def bits(shape, seed=1):
    return np.random.default_rng(seed).random(shape) < 0.85


@pytest.mark.parametrize("shape", [(37, 70), (5, 128), (70, 2080), (9, 11, 50), (9, 11, 48), (3, 4, 5, 33), (3, 4, 5, 32), (100,), (96,)])
@pytest.mark.parametrize("iterations", [1, 3])
def test_images_of_bits(shape, iterations):
    x, mask = bits(shape), bits(shape, 2)
    for border in (0, 1):
        for order in "CF":
            own = cp.asarray(np.asarray(x, order=order))
            options = {"iterations": iterations, "border_value": border}
            close(ndimage.binary_erosion(own, **options), scipy.ndimage.binary_erosion(x, **options), (order, options))
            got = ndimage.binary_dilation(cp.logical_not(own), mask=cp.asarray(mask), **options)
            close(got, scipy.ndimage.binary_dilation(~x, mask=mask, **options), (order, options))


@pytest.mark.parametrize("structure", [np.ones((2, 3)), np.ones((1, 45)), np.ones((15, 15)), np.eye(7), np.eye(3)[1:2], np.zeros((3, 3))])
def test_structures_of_bits(structure):
    # Rows of vectors of 16 elements, and of others.
    for columns, origin in ((131, 0), (144, 0), (131, (0, -1)), (144, (0, -1))):
        x = bits((50, columns))
        options = {"structure": structure, "origin": origin, "iterations": 2}
        for name in ("binary_erosion", "binary_dilation"):
            close(getattr(ndimage, name)(cp.asarray(x), **options), getattr(scipy.ndimage, name)(x, **options), (name, x.shape, origin))
    x = bits((50, 131))
    numbers = cp.asarray((x * 3).astype("float32"))[::2, ::-3]
    close(ndimage.binary_erosion(numbers, structure), scipy.ndimage.binary_erosion(x[::2, ::-3], structure))


def test_bits_until_nothing_changes():
    x = bits((50, 131))
    structure = np.ones((5, 5))
    seeds = bits((50, 131), 3) & bits((50, 131), 4) & ~x
    close(ndimage.binary_propagation(cp.asarray(seeds), structure, cp.asarray(~x)), scipy.ndimage.binary_propagation(seeds, structure, ~x))
    a = cp.asarray(x)
    ndimage.binary_erosion(a, output=a, iterations=2)
    close(a, scipy.ndimage.binary_erosion(x, iterations=2))


@pytest.mark.parametrize("mode", ["reflect", "constant", "wrap"])
def test_weights_of_two_axes(mode):
    weights = (np.arange(60) % 9 - 4.0).reshape(4, 15)
    for shape, layout in (((150, 140), "C"), ((130, 141), "F"), ((150, 140), "steps")):
        x = image(shape, "float32")
        same("correlate", x, weights, mode=mode, cval=2, layout=layout)
        same("convolve", x, weights.T, mode=mode, cval=2, layout=layout, origin=(-1, 1))
    same("correlate", image((150, 140), "uint8"), np.ones((17, 19)), mode=mode)
    same("laplace", image((150, 140), "float64"), mode=mode)
    same("correlate", image((2, 90, 100)), weights[None], mode=mode)
