"""Distance transforms of `cupyx.scipy.ndimage`, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
import scipy.ndimage


def picture(shape, density=0.8, seed=1):
    return np.random.default_rng(seed).random(shape) < density


def check_indices(image, distances, indices, metric, sampling=None):
    """The indices are those of background elements at the distances."""
    assert indices.dtype == np.int32 and not image[tuple(indices)].any()
    apart = np.abs(indices - np.indices(image.shape)).astype(float)
    if sampling is not None:
        apart *= np.reshape(sampling, (-1,) + (1,) * image.ndim)
    found = {"euclidean": lambda: np.sqrt((apart**2).sum(0)), "taxicab": lambda: apart.sum(0), "chessboard": lambda: apart.max(0)}[metric]()
    np.testing.assert_allclose(found, distances, 1e-12)


IMAGES = [(1,), (200,), (1500,), (30, 41), (3, 700), (600, 2), (7, 9, 50), (4, 5, 6, 7)]


def test_euclidean():
    for shape in IMAGES:
        for density in (0.5, 0.97, 0.999):
            image = picture(shape, density)
            image.ravel()[image.size // 3] = False
            want = scipy.ndimage.distance_transform_edt(image)
            distances, indices = ndimage.distance_transform_edt(cp.asarray(image), return_indices=True)
            assert distances.dtype == want.dtype
            np.testing.assert_array_equal(distances.get(), want)
            check_indices(image, want, indices.get(), "euclidean")
        np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(image)).get(), want)
        for sampling in (0.3, [2.5 / (k + 1) for k in range(len(shape))]):
            want = scipy.ndimage.distance_transform_edt(image, sampling)
            distances, indices = ndimage.distance_transform_edt(cp.asarray(image), sampling, return_indices=True)
            np.testing.assert_allclose(distances.get(), want, 1e-13)
            check_indices(image, want, indices.get(), "euclidean", np.broadcast_to(sampling, len(shape)))


def test_objects_that_span_lines():
    """Large objects: the nearest element of most is at the ends of a long line."""
    y, x = np.ogrid[:90, :1100]
    image = (y - 45) ** 2 * 100 + (x - 500) ** 2 < 400**2
    image |= x > 900
    np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(image)).get(), scipy.ndimage.distance_transform_edt(image))
    line = np.ones(20000, bool)
    line[[3, 15000]] = False
    np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(line)).get(), scipy.ndimage.distance_transform_edt(line))
    wide = np.ones((2, 33000), bool)
    wide[1, 5] = False
    np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(wide)).get(), scipy.ndimage.distance_transform_edt(wide))


def test_dtypes_and_layouts():
    image = picture((20, 30)) * np.arange(1, 31)
    for dtype in ("int8", "uint16", "int32", "uint64", "float16", "float32", "complex64", "complex128"):
        own = image.astype(dtype)
        np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(own)).get(), scipy.ndimage.distance_transform_edt(own))
    device = cp.asarray(image)
    for view in (np.s_[::2, ::-1], np.s_[:, 4], np.s_[3:4]):
        np.testing.assert_array_equal(ndimage.distance_transform_edt(device[view]).get(), scipy.ndimage.distance_transform_edt(image[view]))
    np.testing.assert_array_equal(ndimage.distance_transform_edt(device.T).get(), scipy.ndimage.distance_transform_edt(image.T))
    assert ndimage.distance_transform_edt(device, float64_distances=False).dtype == np.float32
    assert ndimage.distance_transform_edt(cp.zeros((0, 4))).shape == (0, 4)
    signs = np.array([0j, complex(-0.0, -0.0), 1j, 2.0])
    np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(signs)).get(), [0, 0, 1, 2])


def test_without_background():
    for shape in ((4,), (3, 4), (2, 3, 2)):
        image = np.ones(shape)
        for name in ("distance_transform_edt", "distance_transform_cdt", "distance_transform_bf"):
            want = getattr(scipy.ndimage, name)(image, return_indices=True)
            got = getattr(ndimage, name)(cp.asarray(image), return_indices=True)
            for g, w in zip(got, want, strict=True):
                assert g.dtype == w.dtype
                np.testing.assert_array_equal(g.get(), w, name)
        want = scipy.ndimage.distance_transform_edt(image, 2.0)
        np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(image), 2.0).get(), want)
    want = scipy.ndimage.distance_transform_bf(image, "taxicab")
    np.testing.assert_array_equal(ndimage.distance_transform_bf(cp.asarray(image), "taxicab").get(), want)


def test_other_metrics():
    for shape in IMAGES:
        image = picture(shape, 0.9)
        image.ravel()[-1] = False
        for metric in ("taxicab", "chessboard", "manhattan"):
            for name in ("distance_transform_cdt", "distance_transform_bf"):
                want = getattr(scipy.ndimage, name)(image, metric)
                distances, indices = getattr(ndimage, name)(cp.asarray(image), metric, return_indices=True)
                assert distances.dtype == want.dtype
                np.testing.assert_array_equal(distances.get(), want)
                check_indices(image, want, indices.get(), "chessboard" if metric == "chessboard" else "taxicab")
    image = picture((12, 13), 0.9)
    want = scipy.ndimage.distance_transform_bf(image, "Euclidean", (2, 0.5))
    np.testing.assert_allclose(ndimage.distance_transform_bf(cp.asarray(image), "Euclidean", (2, 0.5)).get(), want, 1e-13)


def test_structures_as_metrics():
    for shape in ((40,), (25, 30), (7, 8, 9)):
        image = picture(shape, 0.97)
        for connectivity in range(1, len(shape) + 1):
            structure = scipy.ndimage.generate_binary_structure(len(shape), connectivity)
            want = scipy.ndimage.distance_transform_cdt(image, structure)
            np.testing.assert_array_equal(ndimage.distance_transform_cdt(cp.asarray(image), structure).get(), want)
    # Only the first half of a structure is used, mirrored.
    for structure in ([[0, 1, 0], [0, 1, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 1], [0, 0, 0]]):
        image, structure = picture((14, 15), 0.8), np.array(structure, bool)
        want = scipy.ndimage.distance_transform_cdt(image, structure)
        np.testing.assert_array_equal(ndimage.distance_transform_cdt(cp.asarray(image), structure).get(), want)
    # Steps along diagonals alone are counted on the shortest path.
    line = np.ones((3, 5))
    line[0, 0] = 0
    diagonals = ndimage.distance_transform_cdt(cp.asarray(line), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    assert diagonals.get().tolist() == [[0, -1, 2, -1, 4], [-1, 1, -1, 3, -1], [2, -1, 2, -1, 4]]
    with pytest.raises(ValueError, match="indices"):
        ndimage.distance_transform_cdt(cp.asarray(line), [[1, 0, 1], [0, 1, 0], [1, 0, 1]], return_indices=True)
    with pytest.raises(RuntimeError, match="rank"):
        ndimage.distance_transform_cdt(cp.asarray(line), np.ones(3))


def test_passed_arrays():
    image = picture((9, 10))
    device = cp.asarray(image)
    distances, indices = cp.zeros((10, 9)).T, cp.zeros((2, 9, 10), "int32")
    assert ndimage.distance_transform_edt(device, return_indices=True, distances=distances, indices=indices) is None
    want = scipy.ndimage.distance_transform_edt(image)
    np.testing.assert_array_equal(distances.get(), want)
    check_indices(image, want, indices.get(), "euclidean")
    only = ndimage.distance_transform_edt(device, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(only.get(), indices.get())
    out = cp.zeros((9, 10), "int32")
    assert ndimage.distance_transform_cdt(device, distances=out) is None
    np.testing.assert_array_equal(out.get(), scipy.ndimage.distance_transform_cdt(image))


@pytest.mark.parametrize(
    "name, options",
    [
        ("edt", {"return_distances": False}),
        ("edt", {"distances": np.zeros((4, 6))}),
        ("edt", {"distances": np.zeros((4, 5), "float32")}),
        ("edt", {"return_indices": True, "indices": np.zeros((2, 4, 5))}),
        ("edt", {"indices": np.zeros((2, 4, 5), "int32")}),
        ("edt", {"sampling": (1, 2, 3)}),
        ("bf", {"metric": "other"}),
        ("bf", {"metric": "taxicab", "distances": np.zeros((4, 5))}),
        ("cdt", {"metric": "euclidean"}),
        ("cdt", {"metric": np.ones((3, 4))}),
        ("cdt", {"distances": np.zeros((4, 5))}),
    ],
)
def test_errors(name, options):
    image = picture((4, 5))
    name = f"distance_transform_{name}"
    with pytest.raises(Exception) as want:
        getattr(scipy.ndimage, name)(image, **options)
    moved = {k: cp.asarray(v) if k in ("distances", "indices") else v for k, v in options.items()}
    with pytest.raises(want.type):
        getattr(ndimage, name)(cp.asarray(image), **moved)


def test_lines_longer_than_a_tile():
    """Bands of near elements, strips of lines that are searched as a whole, and both in one image."""
    shape = (1300, 40)
    near = picture(shape, 0.9)
    far = np.ones(shape, bool)
    far[[3, 700, 1290], [2, 34, 39]] = False
    mixed = near.copy()
    mixed[200:900, :30] = True
    for image in (near, far, mixed, np.stack([mixed, near])):
        for sampling in (None, [1.5, 0.25]) if image is mixed else (None,):
            want = scipy.ndimage.distance_transform_edt(image, sampling)
            distances, indices = ndimage.distance_transform_edt(cp.asarray(image), sampling, return_indices=True)
            np.testing.assert_allclose(distances.get(), want, 1e-13 if sampling else 0)
            check_indices(image, want, indices.get(), "euclidean", sampling)
            np.testing.assert_array_equal(ndimage.distance_transform_edt(cp.asarray(image), sampling).get(), distances.get())
    for metric in ("taxicab", "chessboard"):
        want = scipy.ndimage.distance_transform_cdt(mixed, metric)
        np.testing.assert_array_equal(ndimage.distance_transform_cdt(cp.asarray(mixed), metric).get(), want)
