"""Morphology of `cupyx.scipy.ndimage`, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
import scipy.ndimage
from ndimage_same import close, image, same, same_error

STRUCTURE = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0]])
BINARY = ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]
GREY = ["grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient", "morphological_laplace", "white_tophat", "black_tophat"]


def picture(shape, seed=1):
    return np.random.default_rng(seed).random(shape) < 0.6


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shape", [(20,), (9, 10), (4, 5, 6)])
def test_binary(name, shape):
    x = picture(shape)
    for options in (
        {},
        {"iterations": 2},
        {"iterations": 3, "border_value": 1},
        {"iterations": -1},
        {"mask": picture(shape, 2), "iterations": 2},
        {"origin": -1},
    ):
        mask = options.get("mask")
        want = getattr(scipy.ndimage, name)(x, **options)
        options = options if mask is None else {**options, "mask": cp.asarray(mask)}
        close(getattr(ndimage, name)(cp.asarray(x), **options), want, (name, options))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
def test_binary_of_other_dtypes(dtype):
    x = picture((9, 10)).astype(dtype)
    for name in BINARY:
        same(name, x, STRUCTURE)
        same(name, x, STRUCTURE, origin=(0, -1), brute_force=True)
        same(name, x, np.ones((2, 2)), iterations=2)
    same("binary_erosion", x, axes=(1,))
    out = cp.zeros(x.shape, dtype)
    assert ndimage.binary_dilation(cp.asarray(x), output=out) is out
    assert (out.get() == scipy.ndimage.binary_dilation(x)).all()


def test_binary_in_place():
    x = picture((9, 10))
    a = cp.asarray(x)
    ndimage.binary_erosion(a, iterations=2, output=a)
    assert (a.get() == scipy.ndimage.binary_erosion(x, iterations=2)).all()


def test_holes_and_propagation():
    for shape in ((15, 16), (6, 7, 8), (30,)):
        x = picture(shape)
        same("binary_fill_holes", x)
        seed = np.zeros(shape, bool)
        seed.ravel()[seed.size // 2] = True
        want = scipy.ndimage.binary_propagation(seed, mask=x)
        close(ndimage.binary_propagation(cp.asarray(seed), mask=cp.asarray(x)), want)
    spiral = np.ones((13, 13), bool)
    spiral[1, 1:12] = spiral[1:12, 11] = spiral[11, 1:12] = spiral[3:12, 1] = spiral[3, 1:10] = spiral[3:10, 9] = False
    same("binary_fill_holes", spiral)
    close(
        ndimage.binary_propagation(cp.asarray(~spiral & (np.arange(169).reshape(13, 13) == 14)), mask=cp.asarray(~spiral)),
        scipy.ndimage.binary_propagation(~spiral & (np.arange(169).reshape(13, 13) == 14), mask=~spiral),
    )


def test_hit_or_miss():
    x = picture((12, 13))
    same("binary_hit_or_miss", x)
    same("binary_hit_or_miss", x, STRUCTURE)
    same("binary_hit_or_miss", x, STRUCTURE, [[0, 0], [0, 1]], origin1=(0, 1), origin2=-1)


def test_structures():
    for rank in range(4):
        for connectivity in range(4):
            close(ndimage.generate_binary_structure(rank, connectivity), np.asarray(scipy.ndimage.generate_binary_structure(rank, connectivity)))
    same("iterate_structure", STRUCTURE, 1)
    same("iterate_structure", STRUCTURE.astype(bool), 3)
    got, origin = ndimage.iterate_structure(cp.asarray(STRUCTURE), 2, (1, 0))
    assert origin == [2, 0]


@pytest.mark.parametrize("name", GREY)
def test_grey(name):
    for dtype in ("uint8", "float64"):
        x = image((9, 10), dtype)
        same(name, x, 3)
        same(name, x, (2, 3), mode="wrap", origin=(0, 1))
        same(name, x, footprint=STRUCTURE)
    x = image((9, 10))
    same(name, x, structure=STRUCTURE * 2.5, mode="constant", cval=1.0)
    same(name, x, footprint=STRUCTURE, structure=np.ones((3, 3)))
    same(name, x, 3, axes=(1,))
    out = cp.zeros(x.shape)
    getattr(ndimage, name)(cp.asarray(x), 3, output=out)
    close(out, getattr(scipy.ndimage, name)(x, 3))


def test_tophats_of_booleans():
    same("white_tophat", picture((6, 7)), 3)
    same("black_tophat", picture((6, 7)), 3)


@pytest.mark.parametrize(
    "name, args, options",
    [
        ("binary_erosion", ([1, 1],), {}),
        ("binary_erosion", (), {"iterations": 1.5}),
        ("binary_erosion", (), {"mask": np.ones(3)}),
        ("binary_dilation", (np.ones((0, 3)),), {}),
        ("binary_dilation", (), {"origin": (0, 0, 0)}),
        ("binary_erosion", (), {"axes": (0, 7)}),
        ("grey_dilation", (), {}),
        ("white_tophat", (), {}),
    ],
)
def test_errors(name, args, options):
    options = {k: cp.asarray(v) if k == "mask" else v for k, v in options.items()}
    plain = {k: v.get() if k == "mask" else v for k, v in options.items()}
    with pytest.raises(Exception) as want:
        getattr(scipy.ndimage, name)(picture((4, 5)), *args, **plain)
    with pytest.raises(want.type):
        getattr(ndimage, name)(cp.asarray(picture((4, 5))), *args, **options)
    with pytest.raises(TypeError):
        ndimage.binary_erosion(cp.zeros((3, 3), complex))
    same_error("binary_erosion", np.zeros((3, 3), complex))


def test_erosions_that_do_not_join_neighbours_are_repeated_until_nothing_changes():
    # Each erosion takes two rows and columns from one corner: more erosions than are launched between two reads.
    x = np.ones((33, 35), bool)
    x[20:, 5] = False
    same("binary_erosion", x, iterations=-1, origin=1)
    want = scipy.ndimage.binary_erosion(x, STRUCTURE, iterations=-1, mask=picture(x.shape))
    close(ndimage.binary_erosion(cp.asarray(x), cp.asarray(STRUCTURE), iterations=-1, mask=cp.asarray(picture(x.shape))), want, "mask")
