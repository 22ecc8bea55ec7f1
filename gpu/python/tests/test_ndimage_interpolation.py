"""Splines, coordinates and Fourier filters of `cupyx.scipy.ndimage`, compared with SciPy's."""

import warnings

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ours
from ndimage_same import DTYPES, image, laid_out, on_device

pytest.importorskip("scipy", minversion="1.17")
import scipy  # noqa: E402
import scipy.ndimage as theirs  # noqa: E402
from scipy.ndimage import _interpolation  # noqa: E402

MODES = ["constant", "nearest", "mirror", "reflect", "wrap", "grid-mirror", "grid-wrap", "grid-constant"]

# The centred B-splines at the integers from 0.
VALUES = {2: [6, 1], 3: [4, 1], 4: [230, 76, 1], 5: [66, 26, 1]}


def exact_coefficients(x, order, axis):
    """Solves for the coefficients of the spline through samples that are mirrored about their edges."""
    n, values = x.shape[axis], VALUES[order]
    matrix = np.zeros((n, n))
    for i in range(n):
        for k in range(1 - len(values), len(values)):
            j = (i + k) % (2 * n)
            matrix[i, min(j, 2 * n - 1 - j)] += values[abs(k)] / (2 * sum(values) - values[0])
    return np.moveaxis(np.linalg.solve(matrix, np.moveaxis(x, axis, 0).reshape(n, -1)).reshape(np.moveaxis(x, axis, 0).shape), 0, axis)


# SciPy before 1.18 computes them for short lines from a truncated sum.
scipys_filter = _interpolation.spline_filter1d


def spline_filter1d(x, order=3, axis=-1, output=np.float64, mode="mirror"):
    x = np.asarray(x)
    if order < 2 or mode not in ("reflect", "grid-mirror", "nearest") or not x.ndim or not 0 < x.shape[axis] < 40:
        return scipys_filter(x, order, axis, output, mode)
    result = exact_coefficients(x.astype(complex if x.dtype.kind == "c" else float), order, axis)
    if not isinstance(output, np.ndarray):
        return result.astype(output if x.dtype.kind != "c" else complex)
    output[...] = result
    return output


@pytest.fixture(autouse=True)
def exact_short_lines(monkeypatch):
    if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18):
        monkeypatch.setattr(_interpolation, "spline_filter1d", spline_filter1d)
        monkeypatch.setattr(theirs, "spline_filter1d", spline_filter1d)


def compare(got, want, what, scale=40):
    assert isinstance(got, cp.ndarray) and got.dtype == want.dtype and got.shape == want.shape, what
    got = cp.asnumpy(got)
    if want.dtype.kind in "fc":
        # Recurrences and weights of up to 6 taps for each axis, of values and overshoots within a few hundred.
        eps = np.finfo(want.dtype).eps
        largest = np.abs(want[np.isfinite(want)]).max(initial=1)
        np.testing.assert_allclose(got, want, rtol=scale * eps, atol=scale * eps * largest, err_msg=str(what))
    else:
        np.testing.assert_array_equal(got, want, err_msg=str(what))


def same(name, x, *args, layout="C", scale=40, **options):
    want = getattr(theirs, name)(laid_out(x, layout), *args, **options)
    host_args = [cp.asarray(a) if isinstance(a, np.ndarray) and name == "map_coordinates" else a for a in args]
    got = getattr(ours, name)(on_device(x, layout), *host_args, **options)
    compare(got, want, (name, x.shape, x.dtype, args if x.size < 50 else "", options), scale)


@pytest.mark.parametrize("n", [1, 2, 3, 16, 37, 700])
def test_coefficients_of_lines(n):
    x = image((n,))
    for order in range(6):
        for mode in MODES:
            same("spline_filter1d", x, order, mode=mode)


def test_coefficients_of_images():
    for shape, layout in [((5, 70), "C"), ((70, 40), "F"), ((340, 20), "steps"), ((3, 18, 19), "backwards"), ((), "C"), ((1, 9), "C")]:
        x = image(shape)
        for order, mode in [(2, "mirror"), (3, "reflect"), (5, "grid-wrap")]:
            same("spline_filter", x, order, mode=mode, layout=layout)
    x = image((20, 33))
    same("spline_filter1d", x, 3, 0)
    same("spline_filter", x, output=np.float32)
    same("spline_filter", x.astype(np.float32), output=np.int32)
    same("spline_filter", image((6, 7), "complex64"), output=complex)
    a = cp.asarray(x)
    assert ours.spline_filter(a, output=a) is a
    compare(a, theirs.spline_filter(x), "in place")


@pytest.mark.parametrize("mode", MODES)
def test_coordinates_in_every_mode_and_order(mode):
    x = np.random.default_rng(3).standard_normal(7)
    # Integers, ties, coordinates just outside and several periods away.
    at = np.concatenate([np.arange(-20, 27) / 2, [-1e-16, 6 + 1e-12, -0.99, 6.99, 100.3, -100.7, 1e5 + 0.25, -1e5 - 0.25]])
    for order in range(6):
        for prefilter in (True, False):
            same("map_coordinates", x, at[None], order=order, mode=mode, cval=-3.5, prefilter=prefilter)
    short = np.array([2.0])
    same("map_coordinates", short, at[None], order=3, mode=mode, cval=-3.5)
    same("map_coordinates", short, at[None], order=1, mode=mode, cval=-3.5)
    grid = np.random.default_rng(4).uniform(-9, 12, (2, 5, 6))
    same("map_coordinates", image((4, 6)), grid, order=2, mode=mode, cval=2.25)
    same("map_coordinates", image((4, 6)), grid, order=3, mode=mode, cval=np.nan if "grid" not in mode else 1)


def test_coordinates_that_are_not_finite_read_the_constant():
    x = cp.arange(5.0)
    for mode in MODES:
        got = cp.asnumpy(ours.map_coordinates(x, [[np.nan, np.inf, -np.inf]], order=1, mode=mode, cval=-7))
        assert got.tolist() == ([-7, 4, 0] if mode == "nearest" else [-7, -7, -7]), mode


def test_coordinates_of_any_rank_dtype_and_layout():
    rng = np.random.default_rng(5)
    for shape in [(3,), (4, 5), (3, 4, 5), (2, 3, 2, 3), (2, 2, 2, 2, 2)]:
        x = image(shape)
        for out in [(7,), (3, 4), (2, 2, 3)]:
            at = rng.uniform(-0.5, np.array(shape).max(), (len(shape), *out))
            same("map_coordinates", x, at, order=1, mode="reflect")
        same("map_coordinates", x, at, order=3, mode="grid-constant", cval=5, prefilter=x.ndim < 4)
    x = image((6, 7))
    at = rng.uniform(0, 5, (2, 40))
    for layout in ["F", "steps", "backwards"]:
        same("map_coordinates", x, at, layout=layout)
    same("map_coordinates", x, at.astype(np.float32), order=1)
    same("map_coordinates", x, np.round(at).astype(np.int16), order=0)
    compare(ours.map_coordinates(cp.asarray(x), cp.asarray(at.T.copy()).T), theirs.map_coordinates(x, at), "strided coordinates")


@pytest.mark.parametrize("dtype", DTYPES + ["complex64", "complex128"])
def test_dtypes(dtype):
    x = image((5, 6), dtype)
    same("zoom", x, 1.7, order=1)
    same("shift", x, (0.3, -1.2), order=3, mode="mirror")
    if np.dtype(dtype).kind not in "bc":
        same("shift", image((9,)) * 30 - 300, 0.25, order=1, output=np.dtype(dtype), cval=-2.5)


def test_half_precision():
    for dtype in ["float16", "bfloat16"]:
        x = cp.asarray(image((5, 6))).astype(dtype)
        got = ours.zoom(x, 1.5, order=1)
        want = theirs.zoom(cp.asnumpy(x.astype(float)), 1.5, order=1)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(cp.asnumpy(got.astype(float)), want, rtol=2**-7)


@pytest.mark.parametrize("mode", MODES)
def test_zoom(mode):
    x = image((5, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for factor in [2, 0.5, (1.3, 0.1), (1, 2.25), 1]:
            for order in (0, 1, 3):
                for grid_mode in (False, True):
                    same("zoom", x, factor, order=order, mode=mode, grid_mode=grid_mode, cval=1.5)
    same("zoom", image((4, 5, 6)), (0.5, 1.5, 2), order=2, mode=mode)


def test_zoom_of_whole_numbers():
    # Upsampling by whole factors repeats the elements at order 0, and passes through them at every order.
    x = np.arange(16.0).reshape(4, 4)
    for order in range(6):
        same("zoom", x, 3, order=order, mode="nearest", grid_mode=True)
        got = cp.asnumpy(ours.zoom(cp.asarray(x), 7 / 4, order=order))
        np.testing.assert_allclose(got[::2, ::2], x, atol=1e-13)
    same("zoom", np.arange(9).reshape(3, 3), 2, order=0)
    same("zoom", np.array([10, 200, 10, 250, 0], np.uint8), 3, order=3)


@pytest.mark.parametrize("mode", MODES)
def test_shift(mode):
    x = image((5, 9))
    for order in (0, 1, 4, 5):
        same("shift", x, (1.5, -2.25), order=order, mode=mode, cval=4)
    same("shift", x, 2, order=0, mode=mode)
    same("shift", x, 0, order=3, mode=mode)
    same("shift", image((3, 4, 5)), (0, 0.5, -7), order=1, mode=mode)


@pytest.mark.parametrize("angle", [0, 90, -180, 27.5, 451.5])
def test_rotate(angle):
    for order, mode in [(0, "constant"), (1, "reflect"), (3, "constant"), (3, "nearest")]:
        same("rotate", image((9, 14)), angle, order=order, mode=mode, cval=2)
        same("rotate", image((9, 14)), angle, reshape=False, order=order, mode=mode)
    same("rotate", image((4, 5, 6)), angle, axes=(2, 0))
    same("rotate", image((2, 4, 3, 5)), angle, axes=(-1, 1), order=1, mode="mirror")
    same("rotate", image((6, 7), "complex128"), angle, cval=1 + 2j)


def test_cupy_s_hints_of_affine_transform_change_nothing():
    a, half = cp.arange(12.0).reshape(3, 4), cp.eye(2) / 2
    hinted = cp.scipy.ndimage.affine_transform(a, half, order=1, texture_memory=True, float64_coords=False)
    assert (hinted == cp.scipy.ndimage.affine_transform(a, half, order=1)).all()


def test_affine_transforms():
    x = image((5, 6))
    turn = np.array([[0.8, -0.4], [0.5, 0.9]])
    for mode in MODES:
        same("affine_transform", x, turn, (0.5, -1), mode=mode, cval=3)
        same("affine_transform", x, [0.7, 1.2], 0.25, mode=mode, order=1)
    whole = np.eye(3)
    whole[:2, :2], whole[:2, 2] = turn, (1, 2)
    same("affine_transform", x, whole)
    same("affine_transform", x, whole[:2], offset=99)
    same("affine_transform", x, turn, output_shape=(3, 11), output=np.float32)
    same("affine_transform", x, np.array([[1.0], [0.5]]), output_shape=(7,))
    # A diagonal of one number, and a matrix of one.
    same("affine_transform", np.array([1.0, 2, 3, 4]), [2.0], output_shape=(2,), order=1)
    same("affine_transform", np.array([1.0, 2, 3, 4]), [[2.0]], 0.5, order=1)
    same("affine_transform", np.array([1.0, 2, 3, 4]), [0.0], 1.0, order=1)
    out = cp.zeros((4, 4))
    assert ours.affine_transform(cp.asarray(x), cp.asarray(turn), output=out) is out
    compare(out, theirs.affine_transform(x, turn, output_shape=(4, 4)), "output")
    a = cp.asarray(x)
    ours.affine_transform(a, turn, order=1, output=a)
    compare(a, theirs.affine_transform(x, turn, order=1), "output is input")


def test_sums_of_affine_maps_are_in_order():
    """Coordinates that meet the border of the image, or the middle between elements, up to the rounding of their sums."""
    x = np.arange(1.0, 82).reshape(9, 9)
    for angle in (15, 30, 45, 60, 75):
        s, c = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        matrix = np.array([[c, s], [-s, c]])
        for points in ((0, 0), (8, 0), (0, 8), (4, 4)):
            offset = np.array(points) - matrix @ np.array([20.0, 20.0])
            for order in (0, 1):
                for mode in ("constant", "nearest"):
                    options = {"offset": offset, "output_shape": (41, 41), "order": order, "mode": mode}
                    got = ours.affine_transform(cp.asarray(x), matrix, **options).get()
                    np.testing.assert_allclose(got, theirs.affine_transform(x, matrix, **options), atol=1e-12, err_msg=f"{angle} {points} {options}")


def test_functions_of_the_host():
    x = image((4, 5))

    def swirl(index, amount, power=1):
        return index[0] + amount * index[1], index[1] ** power / 2

    same("geometric_transform", x, swirl, extra_arguments=(0.3,), extra_keywords={"power": 2}, mode="reflect")
    same("geometric_transform", x, lambda index: (index[0], 2.5), output_shape=(3,), order=1)


def test_opencv_mode():
    # Interpolation between the image and the constant, in the convention of OpenCV.
    x = image((5, 6))
    at = np.array([[-0.5, 4.25, 2.0, -1.5], [1.0, 5.5, -0.75, 2.0]])
    framed = np.pad(x, 1, constant_values=3)
    want = theirs.map_coordinates(framed, at + 1, order=1, cval=3)
    compare(ours.map_coordinates(cp.asarray(x), cp.asarray(at), order=1, mode="opencv", cval=3), want, "map_coordinates")
    compare(ours.shift(cp.asarray(x), 0.5, order=1, mode="opencv"), theirs.shift(x, 0.5, order=1, mode="grid-constant"), "shift")
    forward = np.array([[0.8, 0.2, 1.0], [-0.1, 1.1, 0.5]])
    inverse = np.linalg.inv(np.vstack([forward, [0, 0, 1]]))[:2]
    swap = inverse[::-1][:, [1, 0, 2]]
    want = theirs.affine_transform(x, swap[:, :2], swap[:, 2], order=1, mode="grid-constant")
    compare(ours.affine_transform(cp.asarray(x), forward, order=1, mode="opencv"), want, "affine_transform")
    want = theirs.zoom(x, 2, order=1, mode="nearest", grid_mode=True)
    compare(ours.zoom(cp.asarray(x), 2, order=1, mode="opencv"), want, "zoom")
    want = theirs.rotate(x, 20, order=1, mode="grid-constant")
    compare(ours.rotate(cp.asarray(x), 20, order=1, mode="opencv"), want, "rotate")


def test_long_lines():
    # Lines longer than a block of threads, along both axes; a line of the largest has many tiles.
    rng = np.random.default_rng(6)
    for shape in [(2, 3000), (3000, 17), (600, 3)]:
        x = rng.standard_normal(shape)
        for order in (3, 5):
            same("spline_filter", x, order)


def test_errors():
    x = image((4, 5))
    calls = [
        ("zoom", (2,), dict(order=6)),
        ("zoom", (2,), dict(order=-1)),
        ("zoom", ((1, 2, 3),), {}),
        ("zoom", (2,), dict(mode="bad")),
        ("shift", (1,), dict(output=np.dtype("f8"), mode=3)),
        ("spline_filter", (1,), {}),
        ("spline_filter1d", (3, 5), {}),
        ("map_coordinates", (np.zeros((3, 4)),), {}),
        ("map_coordinates", (np.zeros(2),), {}),
        ("map_coordinates", (np.zeros((2, 3), complex),), {}),
        ("rotate", (10, (0, 2)), {}),
        ("rotate", (10, (0, 1, 1)), {}),
        ("rotate", (10, (0, 0.5)), {}),
        ("affine_transform", (np.eye(4),), {}),
        ("affine_transform", (np.array([[1, 0, 0], [0, 1, 0], [0, 0, 2.0]]),), {}),
        ("affine_transform", (np.eye(2),), dict(output_shape=(4,))),
        ("affine_transform", (np.zeros(()),), {}),
        ("fourier_gaussian", ((1, 2, 3),), {}),
        ("fourier_gaussian", (1,), dict(axis=2)),
        ("fourier_shift", (1,), dict(output=float)),
        ("fourier_uniform", (1,), dict(output=int)),
    ]
    for name, args, options in calls:
        with pytest.raises(Exception) as want:
            getattr(theirs, name)(x, *args, **options)
        with pytest.raises(want.type):
            getattr(ours, name)(cp.asarray(x), *args, **options)
    with pytest.raises(NotImplementedError):
        ours.fourier_ellipsoid(cp.zeros((2, 2, 2, 2)), 1)
    with pytest.raises(RuntimeError):
        ours.zoom(cp.zeros((2, 2)), 2, output=cp.zeros((2, 2)))
    with pytest.raises(TypeError):
        ours.zoom(np.zeros((2, 2)), 2)


@pytest.mark.parametrize("name", ["gaussian", "uniform", "ellipsoid", "shift"])
def test_fourier_filters(name):
    name = f"fourier_{name}"
    for shape in [(7,), (8, 5), (3, 4, 6)]:
        x = image(shape, "complex128")
        for value in (1.5, 30.0, -2.0, 0.0, tuple(np.arange(len(shape)) + 0.5)):
            # SciPy's phases of a shift are rounded as multiples of 2 pi.
            same(name, x, value, scale=4 * 2 * np.pi * np.sum(np.abs(value)) + 40)
        same(name, x, 2.0, 11, 0)
        same(name, x, 2.0, 2 * shape[-1] - 1, layout="F")
    for dtype in ["bool", "int32", "float32", "float64", "complex64"]:
        same(name, image((4, 6), dtype), 1.25)
    same(name, image((4, 6), "complex64"), 2.0, output=np.complex128)
    a = cp.asarray(image((4, 6), "complex128"))
    assert getattr(ours, name)(a, 2, output=a) is a
    compare(a, getattr(theirs, name)(image((4, 6), "complex128"), 2), name)
    same(name, np.zeros((0, 3), complex), 1.0)


def test_axis_by_axis():
    """Maps of each axis that leave fewer elements: lines of several blocks, all orders, and results outside the input."""
    flat, tall = image((40, 1000), "float32"), image((230, 35), "float64")
    for order in (2, 3, 4, 5):
        for mode in ("constant", "mirror", "reflect", "wrap", "grid-wrap", "nearest"):
            same("zoom", flat, 0.37, order=order, mode=mode)
            same("zoom", tall, (0.61, 0.5), order=order, mode=mode)
    for grid_mode in (False, True):
        same("zoom", image((9, 33, 70), "float32"), (1, 0.5, 0.4), grid_mode=grid_mode, mode="reflect")
    same("zoom", tall, (2.3, 0.1))
    for shift in ((3.4, -7.25), (0, 0.5), (-229, 0), (500, 1)):
        same("shift", tall, shift, cval=2.5)
        same("shift", tall, shift, mode="grid-wrap")
    same("affine_transform", flat, [1.5, 2.25], offset=[3.5, -20.0], cval=-1.0)
    same("zoom", (image((40, 300), "float32") * 100).astype("int16"), 0.4)


def test_axis_by_axis_in_place():
    x = image((60, 50), "float64")
    for shift in ((1.5, -2.25), (0, 1.5)):
        own = cp.asarray(x)
        ours.shift(own, shift, output=own)
        compare(own, theirs.shift(x, shift), shift)
