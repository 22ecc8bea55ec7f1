"""Filters of images of integers: truncated sums, constants beyond the range of a dtype, and origins, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ours
from ndimage_same import image, same, same_error, theirs

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "uint64"]


def test_weighted_sums_are_truncated_as_scipys():
    """Where the sum is an integer but for rounding, the order of its terms decides."""
    for dtype in INTEGERS:
        for shape in ((40, 37), (150,), (6, 9, 11)):
            x = image(shape, dtype)
            for size in (2, 3, 4, 5, 7):
                weights = np.ones(size) / size
                for axis in range(len(shape)):
                    same("correlate1d", x, weights, axis)
                    same("convolve1d", x, weights * [1 if k % 3 else 0.5 for k in range(size)], axis, mode="wrap")
                same("correlate1d", x, np.linspace(-0.3, 0.3, size), mode="constant", cval=3.7)
            window = np.ones((3,) * len(shape))
            same("convolve", x, window / window.size)
            same("correlate", x, np.arange(window.size).reshape(window.shape) / 10, mode="nearest")


def test_sums_of_equal_elements_and_of_ramps():
    for dtype, layouts in ("uint8", ("C", "F", "steps", "backwards")), ("int16", ("C",)), ("uint16", ("C",)):
        for layout in layouts:
            ramp = np.add.outer(np.arange(40), np.arange(45)).astype(dtype)
            for x in (np.full((40, 45), 77, dtype), ramp):
                for sigma in (0.7, 1.0, 2.0, 5.0, 20.0):
                    same("gaussian_filter", x, sigma, layout=layout)
                    same("gaussian_filter1d", x, sigma, 0, layout=layout)
                same("gaussian_filter", x, (1, 3), (0, 2), layout=layout)
                same("convolve", x, np.ones((5, 5)) / 25, layout=layout)
                same("gaussian_filter", x.astype(float), 1.5, output=dtype, layout=layout)


def test_windows_larger_than_the_image():
    x = image((3, 2), "uint8")
    for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
        same("gaussian_filter", x, 4.0, mode=mode)
        same("convolve", x, np.ones((7, 5)) / 35, mode=mode, cval=9)
        same("correlate1d", image((1,), "int32"), np.ones(9) / 9, mode=mode, cval=1)
    same("convolve", image((0, 3), "uint8"), np.ones((3, 3)) / 9)
    same("correlate1d", image((1, 2, 1, 3), "uint8"), np.ones(3) / 3, 1)


def test_constants_beyond_the_range_of_the_dtype():
    for dtype in ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32"):
        x = image((12, 11), dtype)
        for cval in (-1, -300, 300.5, 70000, 2.5, -0.5):
            for name in ("minimum_filter", "maximum_filter"):
                for size in (2, 3, (1, 4), (5, 1)) if dtype in ("bool", "int8", "uint16") else (2,):
                    same(name, x, size, mode="constant", cval=cval)
                same(name, x, footprint=[[1, 0, 1], [0, 1, 1]], mode="constant", cval=cval)
                same(name + "1d", x, 3, 0, mode="constant", cval=cval)
                same(name + "1d", x, 4, mode="constant", cval=cval, output=float)
            same("grey_opening", x, (2, 3), mode="constant", cval=cval)
            same("grey_closing", x, (3, 2), mode="constant", cval=cval)


def test_origins_of_windows_over_all_axes():
    x = image((9, 8))
    for axes in ((0, 1), (1, 0), (-1, 0), None):
        for origin in (0, (-1, 0), (0, 1), (0, -1)):
            same("correlate", x, np.arange(6.0).reshape(2, 3), axes=axes, origin=origin)
            same("minimum_filter", x, footprint=[[1, 0, 1], [1, 1, 0]], axes=axes, origin=origin)
            same("grey_erosion", x, structure=np.arange(6).reshape(2, 3), axes=axes, origin=origin)
            same("grey_dilation", x, structure=np.arange(6).reshape(2, 3), axes=axes)
            same("binary_erosion", x > 3, np.ones((2, 3)), axes=axes, origin=origin)
            same("median_filter", x, footprint=[[1, 0, 1], [1, 1, 0]], axes=axes, origin=origin)


def test_modes_for_each_axis_need_a_box():
    x = image((6, 7))
    for rank in (0, 3):
        same_error("rank_filter", x, rank, footprint=[[1, 0, 1], [1, 1, 0]], mode=["wrap", "reflect"])
    same("rank_filter", x, 0, footprint=np.ones((2, 3)), mode=["wrap", "reflect"])


def test_an_index_without_axes_is_one_label():
    x, labels = image((6, 7)), np.arange(42).reshape(6, 7) % 3
    for name in ("minimum_position", "maximum_position"):
        for index in (np.array(1), np.int64(2), 1):
            assert getattr(ours, name)(cp.asarray(x), cp.asarray(labels), index) == getattr(theirs, name)(x, labels, int(index))
    assert ours.mean(cp.asarray(x), cp.asarray(labels), cp.asarray(1)).shape == ()


def test_labels_as_booleans_and_of_nothing():
    x = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 0]])
    found, count = ours.label(cp.asarray(x), output=bool)
    wanted, number = theirs.label(x, output=bool)
    assert count == number and found.dtype == bool
    np.testing.assert_array_equal(found.get(), wanted)
    with pytest.raises(RuntimeError):
        ours.label(cp.eye(300), output=bool)
    found, count = ours.label(cp.zeros((0, 3)), np.triu(np.ones((3, 3))))
    assert found.shape == (0, 3) and count == 0


def test_the_distance_of_one_element():
    for x in (0, 1):
        found = ours.distance_transform_bf(cp.asarray(x), return_indices=True)
        wanted = theirs.distance_transform_bf(np.asarray(x), return_indices=True)
        assert [a.shape for a in found] == [a.shape for a in wanted]


def test_means_of_float16():
    x = image((4, 5), "float16")
    found, wanted = ours.mean(cp.asarray(x)), theirs.mean(x)
    assert found.dtype == wanted.dtype
