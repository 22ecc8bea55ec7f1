"""Filters of `cupyx.scipy.ndimage`, compared with SciPy's."""

import warnings

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
from ndimage_same import DTYPES, MODES, close, image, on_device, same, same_error, theirs

WEIGHTS = np.arange(15.0).reshape(3, 5) - 6


@pytest.mark.parametrize("mode", MODES + ["grid-mirror"])
@pytest.mark.parametrize("n, size", [(1, 1), (1, 4), (2, 3), (7, 3), (7, 20), (40, 9), (70, 41), (300, 67)])
def test_windows_along_an_axis_in_every_mode(mode, n, size):
    x = image((n,))
    weights = np.cos(np.arange(size) * 1.7)
    for origin in {-(size // 2), 0, (size - 1) // 2}:
        options = dict(mode=mode, cval=1.5, origin=origin)
        same("correlate1d", x, weights, **options)
        same("convolve1d", x, weights, **options)
        same("uniform_filter1d", x, size, **options)
        same("minimum_filter1d", x, size, **options)
        same("maximum_filter1d", x, size, **options)


@pytest.mark.parametrize("layout", ["C", "F", "steps", "backwards"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_and_layouts(layout, axis):
    x = image((20, 5, 21))
    same("correlate1d", x, [1.0, 2, 4], axis, layout=layout)
    same("uniform_filter1d", x, 4, axis, layout=layout)
    same("maximum_filter1d", x, 14, axis, layout=layout)
    same("gaussian_filter", x, 1.5, layout=layout, mode=["wrap", "nearest", "constant"])


def test_long_columns():
    x = image((150, 33))
    weights = np.sin(np.arange(75.0))
    same("correlate1d", x, weights, 0)
    same("uniform_filter1d", x, 75, 0)
    same("minimum_filter1d", x, 75, 0, mode="wrap")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = image((6, 7), dtype)
    same("correlate1d", x, [1, 2, 1])
    same("correlate", x, WEIGHTS)
    same("gaussian_filter", x, 1)
    same("maximum_filter", x, 3)
    same("minimum_filter", x, footprint=[[0, 1], [1, 1]])
    same("median_filter", x, 3)
    same("rank_filter", x, 1, size=(2, 3))
    same("sobel", x.astype(float), output=None if dtype == "bool" else dtype)
    for name in ("sobel", "prewitt"):
        want, got = getattr(theirs, name)(x), getattr(ndimage, name)(cp.asarray(x))
        if dtype == "bool":
            # SciPy's booleans are bytes of any value.
            np.testing.assert_array_equal(cp.asnumpy(got), want.view(np.uint8) != 0)
        else:
            close(got, want, name)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32", "float64", "int64"])
def test_extremes_of_boxes(dtype):
    """Boxes of few elements along three axes of large arrays, which one launch computes."""
    x = image((21, 35, 70), "float64").astype(dtype)
    if dtype == "float16":
        want = theirs.maximum_filter(x.astype("float32"), 3).astype(dtype)
        np.testing.assert_array_equal(cp.asnumpy(ndimage.maximum_filter(cp.asarray(x), 3)), want)
        return
    for mode in MODES:
        same("maximum_filter", x, 3, mode=mode, cval=50)
        same("minimum_filter", x, (2, 5, 3), mode=mode, cval=1, origin=(0, -2, 1))
    same("minimum_filter", x, (5, 2, 4), mode=["wrap", "constant", "mirror"])
    same("maximum_filter", image((2, 17, 33, 40), "float64").astype(dtype), (1, 3, 3, 3))
    same("grey_opening", x, 3)
    a = cp.asarray(np.concatenate([x, x]))[::-2]
    want = theirs.maximum_filter(np.concatenate([x, x])[::-2], 4)
    np.testing.assert_array_equal(cp.asnumpy(ndimage.maximum_filter(a, 4)), want)
    ndimage.maximum_filter(a, 4, output=a)
    np.testing.assert_array_equal(cp.asnumpy(a), want)


def test_extremes_of_boxes_with_nan():
    x = image((20, 30, 40), "float32")
    x[3, 4, 5] = x[19, 29, 39] = np.nan
    x[7, 7, 7] = np.inf
    got = cp.asnumpy(ndimage.maximum_filter(cp.asarray(x), 3))
    a = cp.asarray(x)
    for axis in range(3):
        a = ndimage.maximum_filter1d(a, 3, axis)
    np.testing.assert_array_equal(got, cp.asnumpy(a))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype):
    x, real = image((6, 7), dtype), image((6, 7), "float32")
    same("correlate1d", x, [1, 2j, 1], cval=1 + 2j, mode="constant")
    same("convolve", x, WEIGHTS * (1 - 1j), cval=1 + 2j, mode="constant")
    same("correlate", real, WEIGHTS * 1j)
    same("uniform_filter", x, 3)
    same("gaussian_filter", x, 1, output=np.dtype(dtype))
    with pytest.raises(TypeError):
        ndimage.median_filter(cp.asarray(x), 3)


@pytest.mark.parametrize("shape", [(9,), (4, 9), (3, 4, 5), (2, 3, 2, 3)])
@pytest.mark.parametrize("mode", MODES)
def test_windows_of_any_rank(shape, mode):
    x = image(shape)
    rng = np.random.default_rng(3)
    window = rng.integers(-4, 5, [3, 2, 4, 3][: len(shape)]).astype(float)
    footprint = window > (-2 if window.ndim > 2 else -5)
    footprint[(0,) * window.ndim] = False
    rank = int(footprint.sum()) // 2
    for origin in (0, -1):
        options = dict(mode=mode, cval=2.0, origin=origin)
        same("correlate", x, window, **options)
        same("convolve", x, window, **options)
        same("minimum_filter", x, footprint=footprint, **options)
        same("rank_filter", x, rank, footprint=footprint, **options)
        same("percentile_filter", x, 40, footprint=footprint, **options)


def test_medians():
    x = image((12, 13), "float32")
    for size in (2, 3, 4, 5, 7):
        same("median_filter", x, size)
    same("median_filter", image((5, 6, 7), "uint8"), 3)
    same("rank_filter", x, -3, size=5)
    same("rank_filter", x, 4, size=(3, 9))
    nan = x.copy()
    nan[5, 5] = np.nan
    assert np.isfinite(cp.asnumpy(ndimage.median_filter(cp.asarray(nan), 3))).all()


def test_axes_of_an_image():
    x = image((5, 6, 7))
    for axes in ((0, 2), (2, 0), 1, ()):
        same("gaussian_filter", x, 1.0, axes=axes)
        same("uniform_filter", x, 3, axes=axes)
        same("maximum_filter", x, 3, axes=axes)
        same("laplace", x, axes=axes)
    same("correlate", x, WEIGHTS, axes=(0, 2))
    same("median_filter", x, (3, 2), axes=(0, 1), origin=(1, 0))
    same("gaussian_laplace", x, (1.0, 2.0), axes=(0, 2))


def test_derivatives():
    x = image((9, 10), "float32")
    for mode in ("reflect", ["wrap", "constant"]):
        same("sobel", x, mode=mode)
        same("prewitt", x, 0, mode=mode)
        same("laplace", x, mode=mode)
        same("gaussian_laplace", x, 1.2, mode=mode)
        same("gaussian_gradient_magnitude", x, [1, 2], mode=mode)
    for order in range(4):
        same("gaussian_filter1d", x.astype(float), 1.3, order=order, truncate=3)
    same("gaussian_filter", x, 2, order=(0, 1), radius=(2, 3))

    def derivative(input, axis, output, mode, cval, a, b=0):
        return ndimage.correlate1d(input, [a, b, 1.0], axis, output, mode, cval)

    def derivative_of_scipy(input, axis, output, mode, cval, a, b=0):
        from scipy.ndimage import correlate1d

        return correlate1d(input, [a, b, 1.0], axis, output, mode, cval)

    import scipy.ndimage

    extra = dict(extra_arguments=(2.0,), extra_keywords={"b": 3.0})
    for name in ("generic_laplace", "generic_gradient_magnitude"):
        close(getattr(ndimage, name)(cp.asarray(x), derivative, **extra), getattr(scipy.ndimage, name)(x, derivative_of_scipy, **extra))


def test_outputs():
    x = image((8, 9), "uint8")
    for output in (np.float32, "float64", np.dtype("int16"), "f"):
        same("gaussian_filter", x, 1, output=output)
        same("correlate", x, WEIGHTS, output=output)
        same("median_filter", x, 3, output=output)
    out = cp.zeros((8, 18), "float32")[:, ::2]
    assert ndimage.uniform_filter(cp.asarray(x), 3, output=out) is out
    for name, args in [
        ("gaussian_filter", (1.0,)),
        ("uniform_filter", (3,)),
        ("correlate", (WEIGHTS,)),
        ("median_filter", (3,)),
        ("maximum_filter", (3,)),
        ("sobel", ()),
        ("laplace", ()),
        ("grey_opening", (3,)),
        ("white_tophat", (3,)),
    ]:
        want = getattr(ndimage, name)(cp.asarray(x), *args)
        a = cp.asarray(x)
        getattr(ndimage, name)(a, *args, output=a)
        assert (a == want).all(), name
    with pytest.warns(UserWarning, match="promoting"):
        assert ndimage.correlate1d(cp.asarray(x), [1j], output=np.float32).dtype == np.complex64
    with pytest.raises(RuntimeError):
        ndimage.sobel(cp.asarray(x), output=cp.zeros(3))


def test_float16_is_computed_too():
    x = image((6, 7), "float32").astype("float16")
    want = np.asarray(ndimage.gaussian_filter(cp.asarray(x.astype("float64")), 1).get(), "float16")
    np.testing.assert_allclose(ndimage.gaussian_filter(cp.asarray(x), 1).get(), want, rtol=2e-3, atol=2e-3)
    want = cp.asnumpy(ndimage.median_filter(cp.asarray(x.astype("float32")), 3))
    assert (ndimage.median_filter(cp.asarray(x), 3).get() == want).all()


def test_axes_in_any_order():
    x = image((5, 6))
    same("correlate", x, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), axes=(1, 0))
    same("median_filter", x, (3, 2), axes=(1, 0))
    same("median_filter", image((5, 6), "uint8"), 3, mode="constant", cval=-3)
    same("gaussian_filter", x, 1, mode="grid-wrap")


def test_constants_beyond_the_border():
    x = image((5, 6))
    same("correlate", x, WEIGHTS, mode="constant", cval=np.nan)
    same("uniform_filter1d", np.arange(3.0), 2, mode="constant", cval=np.nan, origin=-1)
    same("maximum_filter", x, 3, mode="constant", cval=np.inf)
    same("correlate", np.array([[np.inf, 1.0], [2.0, 3.0]]), np.array([[0.0, 1.0]]))


def test_generic_filters():
    x = image((5, 6))
    weights = np.arange(5.0)
    same("generic_filter", x, lambda w, k=0: (w * weights[: w.size]).sum() + k, footprint=[[0, 1, 0], [1, 1, 1], [0, 1, 0]], extra_keywords={"k": 2})
    same("generic_filter", x, np.max, size=(2, 3), mode="constant", cval=1.0, origin=(0, -1))

    def lines(line, out):
        out[...] = line[:-2] + line[1:-1] + line[2:]

    same("generic_filter1d", x, lines, 3, axis=0, mode="wrap")
    kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sum_of_window")
    close(ndimage.generic_filter(cp.asarray(x), kernel, 3), ndimage.generic_filter(cp.asarray(x), np.sum, 3).get())
    for options in (
        dict(size=3),
        dict(size=(2, 3), mode="constant", cval=2.0, origin=(0, -1)),
        dict(size=3, mode="valid"),
        dict(size=2, axes=(1,)),
        dict(size=3, batch_memory=1000),
    ):
        from scipy.ndimage import vectorized_filter

        close(ndimage.vectorized_filter(cp.asarray(x), cp.mean, **options), vectorized_filter(x, np.mean, **options))


def test_empty_arrays():
    for shape in ((0,), (0, 3), (3, 0)):
        x = cp.zeros(shape)
        assert ndimage.gaussian_filter(x, 1).shape == ndimage.median_filter(x, 3).shape == ndimage.correlate(x, np.ones([2] * len(shape))).shape == shape


@pytest.mark.parametrize(
    "name, args, options",
    [
        ("correlate1d", ([],), {}),
        ("correlate1d", ([1, 2],), {"origin": 1}),
        ("correlate1d", ([1, 2],), {"mode": "unknown"}),
        ("correlate1d", ([1, 2],), {"axis": 2}),
        ("correlate", ([1, 2],), {}),
        ("correlate", ([[1, 2]],), {"origin": (0, 1)}),
        ("correlate", ([[1, 2]],), {"origin": (0, 0, 0)}),
        ("correlate", ([[1, 2]],), {"mode": ["wrap", "wrap"]}),
        ("correlate", ([[1, 2]],), {"axes": (0, 5)}),
        ("correlate", ([[1, 2]],), {"axes": (0, 0)}),
        ("uniform_filter1d", (0,), {}),
        ("uniform_filter", (3,), {"origin": 2}),
        ("uniform_filter", ((3, 3, 3),), {}),
        ("minimum_filter", (), {}),
        ("minimum_filter", (), {"footprint": [[0]]}),
        ("minimum_filter", (), {"footprint": [1, 0]}),
        ("median_filter", (), {}),
        ("median_filter", (3,), {"mode": ["wrap", "reflect"]}),
        ("rank_filter", (9,), {"size": 3}),
        ("rank_filter", (1.5,), {"size": 3}),
        ("percentile_filter", (101,), {"size": 3}),
        ("gaussian_filter", (1,), {"radius": -1}),
        ("gaussian_filter", (1,), {"order": -1}),
        ("gaussian_filter", ((1, 2, 3),), {}),
        ("generic_filter", (np.max,), {}),
        ("generic_filter1d", (np.max, 0), {}),
        ("vectorized_filter", (3,), {"size": 3}),
        ("vectorized_filter", (np.max,), {}),
        ("vectorized_filter", (np.max,), {"size": 3, "mode": "unknown"}),
        ("grey_erosion", (), {}),
        ("correlate1d", ([1, 2],), {"output": "complex64"}),
        ("maximum_filter", (3,), {"output": complex}),
        ("uniform_filter", (3,), {"output": 3}),
        ("correlate1d", ([1, 2],), {"mode": "constant", "cval": 1j}),
        ("median_filter", (3,), {"mode": "constant", "cval": "a"}),
        ("uniform_filter", (3,), {"origin": 1.5}),
        ("correlate1d", ([1, 2],), {"origin": 1.5}),
        ("gaussian_filter1d", (0,), {}),
        ("gaussian_filter", (1,), {"order": 1.5}),
        ("laplace", (), {"axes": 2}),
    ],
)
def test_errors(name, args, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same_error(name, image((4, 5)), *args, **options)


def test_arrays_of_the_host_are_rejected():
    with pytest.raises(TypeError, match="numpy.ndarray"):
        ndimage.sobel(np.zeros((3, 3)))
    assert cp.scipy.ndimage.sobel is ndimage.sobel
    assert ndimage.gaussian_filter(on_device(image((3, 3)), "F"), 0).shape == (3, 3)


def test_constants_beyond_the_range_of_integers():
    x = image((5, 6), "uint8")
    same("minimum_filter", x, 3, mode="constant", cval=300)
    same("maximum_filter", x, 3, mode="constant", cval=-5)


def test_many_axes():
    x = image((2, 1, 2, 1, 2, 1, 2, 1, 2, 3))
    same("uniform_filter", x, 2, axes=(0, 9))
    same("correlate", x, np.array([1.0, 3.0]).reshape((1,) * 9 + (2,)), mode="wrap")
    same("rank_filter", x, 1, (2,) + (1,) * 8 + (3,))


def test_means_of_integers_are_exact():
    x = image((90,), "uint8")
    for size in (5, 31, 77):
        padded = np.pad(x.astype(int), (size // 2, (size - 1) // 2), "symmetric")
        want = np.lib.stride_tricks.sliding_window_view(padded, size).sum(-1) // size
        assert (ndimage.uniform_filter(cp.asarray(x), size).get() == want).all()


def test_an_infinity_affects_its_own_windows_only():
    x = np.ones(40)
    x[10] = np.inf
    for size in (3, 21):
        got = ndimage.uniform_filter1d(cp.asarray(x), size).get()
        inside = np.abs(np.arange(40) - 10) <= size // 2
        # The first element is repeated beyond the beginning.
        assert np.isinf(got[inside]).all() and (got[22:] == 1).all()


def test_64_bit_integers_are_compared_exactly():
    x = np.array([2**62, 2**62 + 1, 2**62 + 2, 2**62 + 3])
    assert ndimage.maximum_filter(cp.asarray(x), 3).get().tolist() == [2**62 + 1, 2**62 + 2, 2**62 + 3, 2**62 + 3]
    assert ndimage.median_filter(cp.asarray(x), 3).get().tolist() == [2**62, 2**62 + 1, 2**62 + 2, 2**62 + 3]
