"""Statistics of labelled elements of `cupyx.scipy.ndimage`, compared with SciPy's."""

import math

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.ndimage as ndimage
import scipy.ndimage

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
SUMS = ["sum", "sum_labels", "mean", "variance", "standard_deviation"]
EXTREMES = ["minimum", "maximum"]
POSITIONS = ["minimum_position", "maximum_position"]


def values(shape, dtype="float64", seed=1):
    x = np.random.default_rng(seed).permutation(int(np.prod(shape))).reshape(shape)
    return (x % 2 if dtype == "bool" else x % 120 - (60 if np.dtype(dtype).kind in "if" else 0)).astype(dtype)


def distinct(shape, seed=1):
    return np.random.default_rng(seed).permutation(int(np.prod(shape))).reshape(shape) / 7.0


def labels_of(shape, count, seed=2):
    return np.random.default_rng(seed).integers(0, count + 1, shape).astype("int32")


def close(got, want, what=""):
    assert type(got) is tuple if isinstance(want, tuple) else True
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want), what
        for g, w in zip(got, want):
            close(g, w, what)
        return
    got, want = cp.asnumpy(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, f"{what}: {got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    np.testing.assert_allclose(got, want, 1e-3 if want.dtype == "float16" else 1e-12 if want.dtype == "float64" else 1e-6, 1e-12, err_msg=str(what))


def same(name, x, *args, **options):
    with np.errstate(all="ignore"):
        want = getattr(scipy.ndimage, name)(x, *args, **options)
    moved = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in (x, *args)]
    close(getattr(ndimage, name)(*moved, **options), want, f"{name} {x.dtype} {x.shape}")


def test_statistics():
    """Lists of labels in any order, repeated and missing; few and many labels; every dtype."""
    for shape, count in (((300,), 5), ((20, 33), 40), ((6, 7, 8), 3)):
        x, labels = values(shape), labels_of(shape, count)
        for index in (np.arange(1, count + 1), np.array([3, 1, 3, 99, 0, -4]), [2, 2], 1):
            for name in SUMS + EXTREMES:
                same(name, x, labels, index)
            if np.ndim(index) == 0 or 99 not in index:
                same("median", x, labels, index)
                same("center_of_mass", x, labels, index)
            # Of equal elements SciPy finds any, but for short arrays.
            for name in POSITIONS + ["extrema"]:
                same(name, distinct(shape), labels, index)
        for name in SUMS + EXTREMES + POSITIONS + ["median", "center_of_mass", "extrema"]:
            same(name, x)
            same(name, x, labels)
    index = np.array([[1, 2], [3, 4]])
    x, labels = values((200,)), labels_of((200,), 5)
    for name in SUMS + EXTREMES + ["median"]:
        same(name, x, labels, index)
    x, labels = values((20, 10)) + 5, labels_of((20, 10), 5)
    got = ndimage.center_of_mass(cp.asarray(x), cp.asarray(labels), cp.asarray(index))
    np.testing.assert_allclose(np.array(got), np.array(scipy.ndimage.center_of_mass(x, labels, index)), rtol=1e-9)


def test_dtypes():
    labels, index = labels_of((12, 40), 6), np.array([1, 2, 6, 3])
    for dtype in DTYPES:
        x = values((12, 40), dtype)
        for name in ["sum", "mean", "variance", "median", *EXTREMES]:
            same(name, x, labels, index)
        same("center_of_mass", x, labels, index)
    x = values((12, 40))
    for dtype in DTYPES:
        own = labels % 2 if dtype == "bool" else labels
        same("sum", x, own.astype(dtype), np.array([0, 1]))
        same("maximum", x, own.astype(dtype), [1, 5])
    shifted = labels.astype("int64") * 10**12 - 5 * 10**12
    same("mean", x, shifted, np.unique(shifted))
    same("mean", x, np.array([0.5, 1.5] * 240).reshape(12, 40), [1.5, 0.5, 2.0])
    z = x + 2j * values((12, 40), seed=5)
    close(ndimage.sum(cp.asarray(z), cp.asarray(labels), [1, 2]), [np.sum(z[labels == k]) for k in (1, 2)])
    for name in ("sum", "mean", "variance"):
        same(name, z)
        same(name, z, labels, 2)
    same("center_of_mass", z)
    # The number of elements of one group is a float64, whatever the dtype of the sum; sums and differences are exact here.
    small, two = np.array([0.0, 2, 4, 6, 7]), np.array([2, 2, 2, 2, 0])
    for dtype in ("float16", "float32", "complex64"):
        for name in ("mean", "variance", "standard_deviation"):
            for groups in ((), (two,), (two, 2)):
                same(name, (small if groups else small[:4]).astype(dtype), *groups)


def test_labels_of_int32():
    """Labels that are read instead of slots, by lists of consecutive numbers and others, within and beyond 32 bits."""
    rng = np.random.default_rng(11)
    labels = rng.integers(-3, 40, (60, 70)).astype("int32")
    # Distinct in every dtype: of equal elements SciPy finds the one that the processor's sort puts first.
    x = rng.permutation(labels.size).reshape(labels.shape).astype(float)
    for index in (np.arange(1, 38), np.arange(-3, 40), np.arange(37, 0, -1), np.array([5, 7, 30]), np.arange(5, 6)):
        for dtype in ("float64", "float32", "int32"):
            for name in ["sum", "mean", "variance", "maximum", "minimum", "median", "maximum_position", "center_of_mass"]:
                same(name, (x + 1).astype(dtype), labels, index)
    far = np.arange(2**32 + 1, 2**32 + 38)
    assert (ndimage.sum(cp.asarray(x), cp.asarray(labels), far).get() == 0).all()
    assert np.isnan(ndimage.median(cp.asarray(x), cp.asarray(labels), far).get()).all()
    counts = ndimage.histogram(cp.asarray(x), 0, float(x.size), 3, cp.asarray(labels), np.arange(1, 38))
    want = scipy.ndimage.histogram(x, 0, x.size, 3, labels, np.arange(1, 38))
    np.testing.assert_array_equal(np.array([cp.asnumpy(c) for c in counts]), np.array(list(want)))


def test_centres_of_many_elements():
    """Exact sums of float32 and of the products with all coordinates at once, along 1 to 4 axes."""
    rng = np.random.default_rng(12)
    for shape, count in (((70000,), 4), ((260, 270), 30), ((260, 270), 3500), ((30, 50, 60), 9), ((9, 20, 21, 22), 5)):
        x = rng.standard_normal(shape, dtype="float32") + np.float32(2)
        for labels in (rng.integers(0, count + 1, shape), np.arange(x.size).reshape(shape) * count // x.size + 1):
            labels = labels.astype("int32")
            index = np.unique(labels[labels > 0])
            want = np.array(scipy.ndimage.center_of_mass(x.astype(float), labels, index))
            found = np.array(ndimage.center_of_mass(cp.asarray(x), cp.asarray(labels), cp.asarray(index)))
            np.testing.assert_allclose(found, want, 1e-11)


def test_many_labels():
    """More labels than warps keep sums for: segments of sorted elements, short, long, and over several tiles."""
    n = 9000
    rng = np.random.default_rng(3)
    x = rng.random(n)
    long = np.where(rng.random(n) < 0.7, 7, np.arange(n) % 3000)
    for labels in (rng.integers(0, 2500, n), long, np.arange(n) // 3):
        index = np.arange(-1, 2600)
        for name in ["sum", "mean", "variance", "median"]:
            found = index if name != "median" else np.intersect1d(index, labels)
            same(name, x, labels, found)
        once = [ndimage.sum(cp.asarray(x), cp.asarray(labels), index).get().tobytes() for _ in range(2)]
        assert once[0] == once[1]
    whole = rng.integers(-1000, 1000, n)
    for dtype in ("int32", "uint8", "int64", "bool"):
        same("sum", whole.astype(dtype), long, np.arange(2600))
    same("center_of_mass", (whole % 50 + 1).astype("uint8").reshape(90, 100), np.arange(n).reshape(90, 100) // 4, np.arange(2200))
    image = x.reshape(90, 100)
    labels = np.arange(n).reshape(90, 100) // 4
    same("center_of_mass", image, labels, np.arange(2200))


def test_exact_sums_of_float32():
    """Many labels of float32: sums that cancel, subnormal numbers, infinities and NaN."""
    n = 12000
    rng = np.random.default_rng(8)
    x = (rng.standard_normal(n) * 10.0 ** rng.integers(-44, 30, n)).astype("float32")
    index = np.arange(2200)
    for labels in (rng.integers(0, 2200, n), np.arange(n) // 6, np.where(rng.random(n) < 0.9, 3, np.arange(n) % 2200)):
        want = np.array([math.fsum(x[labels == k].tolist()) for k in index])
        np.testing.assert_allclose(ndimage.sum(cp.asarray(x), cp.asarray(labels), index).get(), want, 4e-16)
    both = np.concatenate([x[:6000], -x[:6000][::-1]])
    assert (ndimage.sum(cp.asarray(both), cp.asarray(np.minimum(np.arange(n), n - 1 - np.arange(n)) // 3), index).get() == 0).all()
    image = rng.random((100, 120), dtype="float32") - np.float32(0.3)
    labels = rng.integers(0, 2200, image.shape)
    same("center_of_mass", image, labels, np.unique(labels))
    image.ravel()[:4] = np.inf, -np.inf, np.nan, np.inf
    labels = np.minimum(np.arange(n), 5000).reshape(image.shape) // 2
    for name in ("sum", "mean"):
        same(name, image, labels, np.arange(2300))


def test_layouts_and_broadcasting():
    x, labels = distinct((24, 30)), labels_of((24, 30), 9)
    a, b = cp.asarray(x), cp.asarray(labels)
    index = np.arange(10)
    for view in (np.s_[::2, ::-1], np.s_[:, 3], np.s_[::-3]):
        for name in ["sum", "variance", "maximum", "median", "center_of_mass", "maximum_position"]:
            found = np.unique(labels[view]) if name == "median" else index
            close(getattr(ndimage, name)(a[view], b[view], found), getattr(scipy.ndimage, name)(x[view], labels[view], found))
    close(ndimage.sum(a.T, b.T, index), scipy.ndimage.sum(x.T, labels.T, index))
    close(ndimage.mean(a, b[0], index), scipy.ndimage.mean(x, labels[0], index))
    close(ndimage.maximum(a, b[:, :1]), scipy.ndimage.maximum(x, labels[:, :1]))
    close(ndimage.sum(a, b, []), scipy.ndimage.sum(x, labels, []))
    with pytest.raises(ValueError):
        ndimage.sum(a, cp.zeros(7, int), [1])


def test_order_of_nan_and_ties():
    x = np.array([np.nan, 2.0, 1.0, np.nan, np.nan, 5.0, -0.0, 0.0, 2.0, 2.0])
    labels = np.array([1, 1, 1, 2, 2, 3, 4, 4, 5, 5])
    index = np.arange(1, 6)
    for name in EXTREMES + POSITIONS + ["median"]:
        same(name, x, labels, index)
    none = ndimage.median(cp.asarray(x), cp.asarray(labels), [9])
    assert np.isnan(none.get()).all()


def test_histograms():
    x, labels = values((20, 30)), labels_of((20, 30), 4)
    for low, high, bins in ((-60, 60, 7), (0.1, 20.3, 11), (5, 5, 3), (-1e3, 1e3, 1)):
        want = scipy.ndimage.histogram(x, low, high, bins, labels, [4, 1, 1])
        np.testing.assert_array_equal(ndimage.histogram(cp.asarray(x), low, high, bins, cp.asarray(labels), [4, 1, 1]).get(), np.stack(want))
        same("histogram", x, low, high, bins)
        same("histogram", x, low, high, bins, labels)
        same("histogram", x, low, high, bins, labels, 2)
    same("histogram", values((300,), "uint8"), 0, 100, 10, labels_of((300,), 4), 1)
    edges = np.linspace(0.1, 0.7, 100)
    same("histogram", edges, 0.1, 0.7, 99)
    assert (ndimage.histogram(cp.asarray(x), 0, 9, 3, cp.asarray(labels), [77]).get() == 0).all()
    for name, options in (("labels", {"index": [1]}), ("order", {"min": 3, "max": 1})):
        with pytest.raises(ValueError):
            ndimage.histogram(cp.asarray(x), **{"min": 0, "max": 1, "bins": 3, **options})


def test_objects_and_values():
    labels = labels_of((12, 13, 14), 30) * (np.arange(12)[:, None, None] % 3 > 0)
    labels[labels == 9] = 0
    for dtype in ("int32", "uint8", "int64"):
        own = labels.astype(dtype)
        assert ndimage.find_objects(cp.asarray(own)) == scipy.ndimage.find_objects(own)
        assert ndimage.find_objects(cp.asarray(own), 40) == scipy.ndimage.find_objects(own, 40)
        assert ndimage.find_objects(cp.asarray(own)[::2, ::-1], 3) == scipy.ndimage.find_objects(own[::2, ::-1], 3)
    assert ndimage.find_objects(cp.zeros(5, int)) == []
    own = labels[0:3].astype("int16")
    want = scipy.ndimage.value_indices(own, ignore_value=0)
    got = ndimage.value_indices(cp.asarray(own), ignore_value=0)
    assert list(got) == sorted(want)
    for key, coordinates in want.items():
        for g, w in zip(got[key], coordinates, strict=True):
            np.testing.assert_array_equal(g.get(), w)
    assert ndimage.value_indices(cp.asarray(own), adaptive_index_dtype=True)[1][0].dtype == "int8"
    for call, x in ((ndimage.find_objects, cp.zeros(3)), (ndimage.find_objects, cp.zeros(3, complex))):
        with pytest.raises(TypeError):
            call(x)
    with pytest.raises(ValueError):
        ndimage.value_indices(cp.zeros(3))


def test_labeled_comprehension():
    x, labels = values((10, 12)), labels_of((10, 12), 4)
    a, b = cp.asarray(x), cp.asarray(labels)

    def spread(v):
        return v.max() - v.min()

    for index in (np.arange(7), [3, 1, 3], 2):
        want = scipy.ndimage.labeled_comprehension(x, labels, index, spread, float, -1)
        close(ndimage.labeled_comprehension(a, b, index, spread, float, -1), want)

    def weigh(v, p):
        return (v * p).sum()

    close(ndimage.labeled_comprehension(a, b, [1, 2], weigh, float, 0, True), scipy.ndimage.labeled_comprehension(x, labels, [1, 2], weigh, float, 0, True))
    close(ndimage.labeled_comprehension(a, None, None, spread, float, 0), spread(x))
    close(ndimage.labeled_comprehension(a, b, None, spread, float, 0), spread(x[labels > 0]))
    got = ndimage.labeled_comprehension(a, b, [1, 9], lambda v: v.sum(), object, None)
    assert got[1] is None and float(got[0]) == x[labels == 1].sum()
    for bad in ((a, None, [1]), (a, b, [1.5]), (a, cp.zeros(7, int), [1])):
        with pytest.raises(ValueError):
            ndimage.labeled_comprehension(*bad, spread, float, 0)


def test_complex_numbers_have_an_order():
    # Real parts that repeat, so that the imaginary parts decide.
    x = (values((9, 11)) % 7 + 1j * distinct((9, 11))).astype("c8")
    labels = labels_of((9, 11), 5)
    a, b = cp.asarray(x), cp.asarray(labels)
    for index in ([3, 1, 5], np.array([[1, 2], [4, 3]])):
        for name in (*EXTREMES, *POSITIONS, "median", "extrema"):
            close(getattr(ndimage, name)(a, b, cp.asarray(index)), getattr(scipy.ndimage, name)(x, labels, index), name)
    close(ndimage.minimum(a, b, [1, 9])[1], np.complex64(0))
    assert np.isnan(complex(ndimage.median(a, b, [9])[0]))


def test_errors():
    x, labels = cp.zeros((3, 4)), cp.ones((3, 4), int)
    for name in ("variance", "standard_deviation"):
        with pytest.raises(TypeError, match="complex"):
            getattr(ndimage, name)(x.astype(complex), labels, [1])
    with pytest.raises(TypeError, match="complex"):
        ndimage.sum(x, labels.astype(complex), [1])
    with pytest.raises(TypeError, match="host"):
        ndimage.sum(np.zeros(3))
    with pytest.raises(ValueError):
        ndimage.minimum(x, cp.zeros((3, 4), int))


def test_sums_of_blocks_are_exact():
    """Many float32 elements of few labels, whose limbs blocks add up in shared memory: the correctly rounded sum but for few bits."""
    rng = np.random.default_rng(3)
    shape = (270, 300)
    x = (rng.standard_normal(shape) * 2.0 ** rng.integers(-140, 120, shape)).astype("float32")
    runs = np.repeat(rng.integers(0, 5, shape[0]), shape[1]).reshape(shape).astype("int32")
    for labels, count in ((labels_of(shape, 1), 1), (labels_of(shape, 40), 40), (labels_of(shape, 900), 900), (runs, 4)):
        index = np.arange(1, count + 1)
        got = ndimage.sum_labels(cp.asarray(x), cp.asarray(labels), cp.asarray(index)).get()
        want = np.array([math.fsum(x[labels == k].astype(float)) for k in index])
        np.testing.assert_allclose(got, want, 4 * np.finfo(float).eps)
    small = rng.random(shape, dtype="float32")
    same("center_of_mass", small, labels_of(shape, 7), np.arange(1, 8))
    small[5, 6], small[100, 2], small[200, 7] = np.inf, np.nan, -np.inf
    labels = np.ones(shape, "int32")
    labels[90:150], labels[150:] = 2, 3
    got = ndimage.sum_labels(cp.asarray(small), cp.asarray(labels), cp.asarray([3, 2, 1])).get()
    np.testing.assert_array_equal(got, [-np.inf, np.nan, np.inf])


def test_sums_of_blocks_keep_every_bit():
    """Limbs of one window, elements above and below it, a background of zeros, and products with long coordinates."""
    rng = np.random.default_rng(4)
    shape = (300, 280)
    x = rng.standard_normal(shape).astype("float32")
    x[:150] = 0
    x[200, :40] *= np.float32(2.0**60)
    x[201, :40] *= np.float32(2.0**-90)
    for count in (1, 70, 5000):
        labels = labels_of(shape, count, seed=count)
        order = np.argsort(labels, axis=None, kind="stable")
        parts = np.split(x.ravel()[order].astype(float), np.searchsorted(labels.ravel()[order], np.arange(1, count + 1)))[1:]
        got = ndimage.sum_labels(cp.asarray(x), cp.asarray(labels), cp.arange(1, count + 1)).get()
        np.testing.assert_allclose(got, [math.fsum(part) for part in parts], 4e-16)
    half = rng.standard_normal(40000).astype("float32")
    pairs = cp.asarray(np.concatenate([half, -half[::-1]]))
    alike = np.minimum(np.arange(80000), 79999 - np.arange(80000)) % 30
    assert (ndimage.sum_labels(pairs, cp.asarray(alike), cp.arange(30)).get() == 0).all()
    for long in ((2, 40000), (40000, 2), (1, 3, 50000), (70000,)):
        same("center_of_mass", rng.random(long, dtype="float32"), labels_of(long, 9), np.arange(1, 10))


def test_extremes_of_blocks():
    """Many elements of few labels: tables in shared memory."""
    for dtype in ("float32", "float64", "int64", "uint8"):
        x = values((260, 300), dtype)
        for count in (3, 900):
            labels, index = labels_of(x.shape, count), np.arange(count + 2)
            same("minimum", x, labels, index)
            same("maximum", x, labels, index)
