"""Connected components of `cupyx.scipy.ndimage`, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
import scipy.ndimage

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def picture(shape, density=0.5, seed=1):
    return np.random.default_rng(seed).random(shape) < density


def same(image, structure=None, device=None):
    want, count = scipy.ndimage.label(image, structure)
    got, found = ndimage.label(cp.asarray(image) if device is None else device, structure)
    assert found == count and got.dtype == want.dtype
    np.testing.assert_array_equal(got.get(), want)


def symmetric(ndim, rng):
    half = rng.random(3**ndim // 2) < 0.4
    return np.concatenate([half, [rng.random() < 0.5], half[::-1]]).reshape([3] * ndim)


def test_shapes_and_structures():
    rng = np.random.default_rng(3)
    for shape in [(1,), (50,), (5000,), (1, 1), (40, 150), (150, 3), (1, 70), (70, 1), (9, 5, 40), (3, 4, 5, 6), (2, 3, 2, 3, 4)]:
        for density in (0.3, 0.65):
            image = picture(shape, density, len(shape))
            same(image)
            same(image, symmetric(len(shape), rng))
        same(np.ones(shape), scipy.ndimage.generate_binary_structure(len(shape), len(shape)))
        same(np.zeros(shape))


def test_paths_across_tiles():
    """A spiral and a comb: components whose runs are joined in many tiles."""
    spiral = np.zeros((97, 97), bool)
    top, left, bottom, right = 0, 0, 96, 96
    while top < bottom:
        spiral[top, left : right + 1] = spiral[top : bottom + 1, right] = spiral[bottom, left : right + 1] = True
        spiral[top + 2 : bottom + 1, left] = True
        spiral[top + 2, left : left + 2] = True
        top, left, bottom, right = top + 2, left + 2, bottom - 2, right - 2
    comb = np.zeros((70, 200), bool)
    comb[:, ::2] = True
    comb[-1] = True
    for image in (spiral, ~spiral, comb, ~comb, np.eye(150, dtype=bool)):
        same(image)
        same(image, np.ones((3, 3)))


def test_dtypes_and_layouts():
    rng = np.random.default_rng(5)
    for dtype in DTYPES:
        image = (picture((12, 40)) * rng.integers(1, 100, (12, 40))).astype(dtype)
        same(image)
    image = np.where(picture((9, 33)), np.nan, -0.0)
    same(image)
    assert ndimage.label(cp.asarray(image, "float16"))[1] == scipy.ndimage.label(image)[1]
    big = picture((40, 60, 6))
    device = cp.asarray(big)
    for view in (np.s_[::2, ::-1, 1], np.s_[:, 3:50:3], np.s_[::-1]):
        same(big[view], device=device[view])
    same(big.T, device=device.T)
    same(np.broadcast_to(big[0], (3, 60, 6)), device=cp.broadcast_to(device[0], (3, 60, 6)))


def test_outputs():
    image = picture((20, 30))
    want, count = scipy.ndimage.label(image)
    device = cp.asarray(image)
    for dtype in ("int16", "uint8", "int64", "float32", "float64", np.int32, int):
        labels, found = ndimage.label(device, output=dtype)
        assert labels.dtype == np.dtype(dtype) and found == count
        np.testing.assert_array_equal(labels.get(), want)
    for out in (cp.zeros((20, 30), int), cp.zeros((30, 20), "int32").T, cp.zeros((40, 60), "int32")[::2, ::2]):
        assert ndimage.label(device, output=out) == count
        np.testing.assert_array_equal(out.get(), want)
    own = cp.asarray(image, "int32")
    assert ndimage.label(own, output=own) == count
    np.testing.assert_array_equal(own.get(), want)
    assert ndimage.label(cp.asarray(3.0))[1] == 1 and int(ndimage.label(cp.asarray(3.0))[0]) == 1
    labels, found = ndimage.label(cp.zeros((0, 3)))
    assert labels.shape == (0, 3) and found == 0


@pytest.mark.parametrize(
    "image, options",
    [
        (np.ones(3, complex), {}),
        (np.ones((3, 3)), {"structure": [[0, 1, 0], [0, 1, 1], [0, 1, 0]]}),
        (np.ones((3, 3)), {"structure": [1, 1, 1]}),
        (np.ones((3, 3)), {"structure": np.ones((3, 5))}),
        (np.ones((3, 3)), {"output": complex}),
        (np.arange(1200) % 2, {"output": np.uint8}),
    ],
)
def test_errors(image, options):
    with pytest.raises(Exception) as want:
        scipy.ndimage.label(image, **options)
    with pytest.raises(want.type):
        ndimage.label(cp.asarray(image), **options)
    with pytest.raises(ValueError, match="shape"):
        ndimage.label(cp.zeros((3, 3)), output=cp.zeros((3, 4), int))
    with pytest.raises(TypeError, match="host"):
        ndimage.label(np.zeros((3, 3)))


def test_propagation_by_components():
    """Dilations and erosions that are repeated until nothing changes, with and without a mask and a true border."""
    rng = np.random.default_rng(7)
    for shape in ((40, 70), (300,), (6, 9, 40)):
        image, mask = picture(shape, 0.05), picture(shape, 0.6, 2)
        ndim = len(shape)
        for structure in (None, np.ones([3] * ndim), symmetric(ndim, rng)):
            if structure is not None:
                structure[(1,) * ndim] = True
            for border in (0, 1):
                for name in ("binary_dilation", "binary_erosion"):
                    options = {"structure": structure, "iterations": -1, "border_value": border}
                    want = getattr(scipy.ndimage, name)(image, mask=mask, **options)
                    got = getattr(ndimage, name)(cp.asarray(image), mask=cp.asarray(mask), **options)
                    np.testing.assert_array_equal(got.get(), want, f"{name} {shape} {structure} {border}")
                want = scipy.ndimage.binary_erosion(image, structure, -1, border_value=border)
                np.testing.assert_array_equal(ndimage.binary_erosion(cp.asarray(image), structure, -1, border_value=border).get(), want)
            want = scipy.ndimage.binary_fill_holes(mask, structure)
            np.testing.assert_array_equal(ndimage.binary_fill_holes(cp.asarray(mask), structure).get(), want)
    image = cp.asarray(picture((20, 30)), "float32")
    out = cp.zeros((20, 30), "uint8")
    ndimage.binary_fill_holes(image, output=out)
    np.testing.assert_array_equal(out.get(), scipy.ndimage.binary_fill_holes(image.get()))
    # A structure that is not centred, or without its centre, is iterated.
    for structure in (np.ones((2, 3)), [[0, 1, 0], [1, 0, 1], [0, 1, 0]]):
        np.testing.assert_array_equal(ndimage.binary_fill_holes(image, structure).get(), scipy.ndimage.binary_fill_holes(image.get(), structure))


def test_watershed_from_markers():
    """SciPy takes elements at the ends of different rows for neighbours: images have a border that no path crosses."""
    rng = np.random.default_rng(11)
    for trial in range(60):
        shape = tuple(rng.integers(1, 8, 1 + trial % 3))
        ndim, inner = len(shape), tuple(slice(1, -1) for _ in shape)
        picture, markers = (
            np.full([n + 2 for n in shape], 255, [np.uint8, np.uint16][trial % 2]),
            np.zeros([n + 2 for n in shape], [np.int16, np.int64][trial // 2 % 2]),
        )
        picture[inner] = rng.integers(0, [2, 5, 30, 100][trial % 4], shape)
        for label in rng.choice([1, 2, 3, 7, -1, -2] if trial % 5 else [1, 2, 3], 4):
            markers[inner][tuple(rng.integers(0, n) for n in shape)] = label
        for rank in range(1, ndim + 1):
            structure = scipy.ndimage.generate_binary_structure(ndim, rank)
            want = scipy.ndimage.watershed_ift(picture, markers, structure)
            got = ndimage.watershed_ift(cp.asarray(picture), cp.asarray(markers), structure)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.get()[inner], want[inner], f"{picture} {markers}")
    picture, markers = np.full((1, 9), 3, np.uint8), np.zeros((1, 9), np.int32)
    markers[0, 0], markers[0, 8] = 1, 2
    np.testing.assert_array_equal(ndimage.watershed_ift(cp.asarray(picture), cp.asarray(markers)).get(), scipy.ndimage.watershed_ift(picture, markers))
    out = cp.zeros((1, 9), "int8")
    assert ndimage.watershed_ift(cp.asarray(picture).T.T, cp.asarray(markers), output=out) is out and out.get().all()
    assert ndimage.watershed_ift(cp.asarray(picture), cp.asarray(markers), output="uint16").dtype == np.uint16
    for args in (
        (picture.astype("int32"), markers),
        (picture, markers[:, :8]),
        (picture, markers.astype(float)),
        (picture, markers, np.ones(3)),
        (picture, markers, np.ones((5, 5))),
    ):
        with pytest.raises((TypeError, RuntimeError)) as want:
            scipy.ndimage.watershed_ift(*args)
        with pytest.raises(want.type):
            ndimage.watershed_ift(*(cp.asarray(a) for a in args))
