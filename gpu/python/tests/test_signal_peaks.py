"""Peaks of `scipy.signal`, compared with SciPy's."""

import operator
import warnings

import numpy as np
import pytest

import cuprum as cp

pytest.importorskip("scipy", minversion="1.17")
import scipy.signal as theirs  # noqa: E402

ours = cp.scipy.signal
RNG = np.random.default_rng(11)


def walk(n, steps=3):
    """A signal with plateaus, equal minima and long slopes."""
    return np.cumsum(RNG.integers(-steps, steps + 1, n)).astype(float)


def equal(got, want, what=""):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want), what
        for one, two in zip(got, want):
            equal(one, two, what)
    elif isinstance(want, dict):
        assert list(got) == list(want), (what, list(got), list(want))
        for key in want:
            equal(got[key], want[key], (what, key))
    else:
        assert isinstance(got, cp.ndarray) and got.dtype == want.dtype, (what, got.dtype, want.dtype)
        np.testing.assert_array_equal(got.get(), want, err_msg=str(what))


def quietly(function, *args, **options):
    """Returns the result, and whether there was a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **options)
    return result, [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning) and "some peaks" in str(w.message)]


def same(name, *args, **options):
    def move(a):
        return cp.asarray(a) if isinstance(a, np.ndarray) else tuple(map(move, a)) if isinstance(a, tuple) else a

    want, warned = quietly(getattr(theirs, name), *args, **options)
    got, also = quietly(getattr(ours, name), *map(move, args), **{k: move(v) for k, v in options.items()})
    equal(got, want, (name, options))
    assert warned == also, (name, options)
    return want


def test_find_peaks():
    for n in (0, 1, 2, 3, 4):
        for x in (walk(n), RNG.standard_normal(n)):
            same("find_peaks", x, height=0, threshold=0, distance=2, prominence=0, width=0, plateau_size=0)
    for n in (50, 3000):
        for x in (walk(n), RNG.standard_normal(n)):
            for options in (
                {},
                {"height": 0},
                {"height": (-5, 12)},
                {"height": (None, 3)},
                {"threshold": (0.2, 2)},
                {"threshold": (None, None)},
                {"plateau_size": (1, 3)},
                {"plateau_size": 2},
                {"prominence": 2},
                {"prominence": (1.5, 9), "wlen": 11},
                {"prominence": (None, 4), "wlen": 301},
                {"height": 0, "wlen": 1},
                {"width": 0},
                {"width": (1.5, 40), "rel_height": 0.3},
                {"width": (None, 8), "rel_height": 1.0, "wlen": 100},
                {"height": -3, "threshold": 0.1, "distance": 4, "prominence": 0.5, "width": (0.2, None), "plateau_size": (1, None)},
            ):
                same("find_peaks", x, **options)
    x = walk(3000)
    same("find_peaks", x, height=x - 1, prominence=(np.full(3000, 0.5), np.linspace(1, 90, 3000)))
    same("find_peaks", x, height=(None, np.full(3000, 7.0)))
    for distance in (1, 1.5, 2, 10, 333.3, 1e9):
        same("find_peaks", RNG.standard_normal(700), distance=distance)
        same("find_peaks", walk(500, 1), distance=distance)


def test_signals_of_all_kinds():
    plateau = np.concatenate((np.zeros(3), np.ones(500), np.zeros(5), np.ones(70), np.full(100, 2.0), np.ones(64), np.zeros(9), np.ones(90)))
    for x in (plateau, -plateau, np.ones(300), np.arange(300.0), np.tile([0.0, 1.0], 40), np.where(np.arange(400) % 7 == 3, np.nan, walk(400))):
        same("find_peaks", x, plateau_size=0, prominence=0, width=0)
    x = walk(400)
    x[::50], x[25::50] = np.inf, -np.inf
    same("find_peaks", x, height=0)
    for dtype in ("int8", "uint16", "int64", "float16", "float32", "bool"):
        x = RNG.integers(0, 2 if dtype == "bool" else 9, 60).astype(dtype)
        same("find_peaks", x, prominence=0, width=0)
    x = walk(600)
    equal(ours.find_peaks(cp.asarray(x)[::-2])[0], theirs.find_peaks(x[::-2])[0])
    # Warnings of prominences of 0, inside of a plateau.
    same("find_peaks", plateau, prominence=(None, None), wlen=21)


def test_prominences_and_widths():
    for n in (1, 16, 17, 257, 5000):
        for x in (walk(n), RNG.integers(0, 50, n).astype(float), -np.abs(np.arange(n) - n / 2), np.where(RNG.random(n) < 0.02, np.nan, walk(n))):
            # Any elements, and not only maxima.
            peaks = np.unique(RNG.integers(0, n, 200))
            for wlen, part in ((None, 0.5), (2, 0.21), (3, 0.0), (64.5, 1.0), (129, 1.7), (1000, 0.5)):
                same("peak_prominences", x, peaks, wlen)
                same("peak_widths", x, peaks, part, None, wlen)
                same("peak_widths", x, peaks, part)
    x, peaks = walk(300), np.array([20, 77, 200], np.int32)
    same("peak_widths", x, peaks, 0.4, quietly(theirs.peak_prominences, x, peaks, 31)[0])
    same("peak_widths", x, peaks, 0.4, (np.array([1.0, 2, 0]), np.array([0, 60, 190]), np.array([30, 299, 200])))
    same("peak_prominences", x, np.array([], int))
    same("peak_widths", x, np.array([], int))


@pytest.mark.filterwarnings("ignore:some peaks")
def test_errors_of_peaks():
    x, host = cp.asarray(walk(30)), walk(30)
    peaks = np.array([3, 9])
    for name, args, options in [
        ("find_peaks", (np.ones((2, 3)),), {}),
        ("find_peaks", (host,), {"distance": 0.5}),
        ("find_peaks", (host,), {"prominence": 0, "wlen": 1}),
        ("find_peaks", (host,), {"height": np.ones(7)}),
        ("find_peaks", (host,), {"height": (None, np.ones(7))}),
        ("find_peaks", (host,), {"width": 0, "rel_height": -1}),
        ("peak_prominences", (host, np.array([[1, 2]])), {}),
        ("peak_prominences", (host, np.array([1, 30])), {}),
        ("peak_prominences", (host, np.array([-1])), {}),
        ("peak_prominences", (host, peaks, 0), {}),
        ("peak_widths", (host, peaks, -0.1), {}),
        ("peak_widths", (host, peaks, 0.5, (np.ones(2), np.array([4, 0]), np.array([9, 12]))), {}),
        ("peak_widths", (host, peaks, 0.5, (np.ones(3), np.array([4, 0]), np.array([9, 12]))), {}),
        ("argrelmin", (host,), {"order": 0}),
        ("argrelmin", (host,), {"order": 1.5}),
        ("argrelmin", (host,), {"mode": "no mode"}),
    ]:
        with pytest.raises(ValueError):
            getattr(theirs, name)(*args, **options)
        with pytest.raises(ValueError):
            same_args = [cp.asarray(a) if isinstance(a, np.ndarray) else tuple(map(cp.asarray, a)) if isinstance(a, tuple) else a for a in args]
            getattr(ours, name)(*same_args, **options)
    with pytest.raises(TypeError):
        ours.peak_prominences(x, cp.asarray([1.0]))
    with pytest.raises(TypeError):
        ours.find_peaks(host)
    for module, y in ((theirs, host), (ours, x)):
        with pytest.raises(IndexError):
            module.argrelmax(y, axis=1)


def test_relative_extrema():
    for dtype in ("bool", "uint64", "float16", "float64", "complex128"):
        x = RNG.integers(0, 2 if dtype == "bool" else 6, (5, 12, 4)).astype(dtype)
        for axis, order, mode in ((0, 1, "clip"), (1, 2, "wrap"), (-1, 3, "clip"), (1, 40, "wrap"), (-1, 1, "wrap")):
            same("argrelmin", x, axis, order, mode)
            same("argrelmax", x, axis, order, mode)
    x = np.where(RNG.random(300) < 0.1, np.nan, walk(300))
    for comparator, device in (
        (np.less_equal, cp.less_equal),
        (np.greater_equal, np.greater_equal),
        (operator.lt, operator.lt),
        (np.not_equal, cp.not_equal),
        (lambda a, b: a > b + 1, lambda a, b: a > b + 1),
    ):
        for order, mode in ((1, "clip"), (5, "wrap")):
            equal(ours.argrelextrema(cp.asarray(x), device, 0, order, mode), theirs.argrelextrema(x, comparator, 0, order, mode))
    x = np.asfortranarray(walk(120).reshape(10, 12))[:, ::-2]
    same("argrelmax", x, 1)
    equal(ours.argrelmax(cp.asarray(np.asfortranarray(walk(0).reshape(0, 3)))), theirs.argrelmax(np.zeros((0, 3))))


def test_find_peaks_cwt():
    t = np.arange(0, 8 * np.pi, 0.05)
    waves = np.sin(t) + 0.3 * np.sin(3.1 * t)
    noisy = waves + 0.2 * RNG.standard_normal(t.size)
    for x in (waves, noisy, noisy.astype("float32"), np.zeros(20)):
        for widths in (np.arange(1, 10), [3], 4, np.arange(2, 8) / 2):
            for options in ({}, {"min_snr": 2}, {"noise_perc": 30}, {"gap_thresh": 1}, {"min_length": 2}, {"window_size": 11}, {"max_distances": np.ones(9)}):
                want, got = theirs.find_peaks_cwt(x, widths, **options), ours.find_peaks_cwt(cp.asarray(x), widths, **options)
                assert isinstance(got, cp.ndarray) and got.dtype == np.int64
                np.testing.assert_array_equal(got.get(), want, err_msg=str((x.dtype, widths, options)))

    def gaussian(points, width):
        return np.exp(-(((np.arange(points) - (points - 1) / 2) / width) ** 2))

    got = ours.find_peaks_cwt(cp.asarray(noisy), [2, 4], lambda n, a: cp.asarray(gaussian(n, a)))
    np.testing.assert_array_equal(got.get(), theirs.find_peaks_cwt(noisy, [2, 4], gaussian))
    for arguments in ((np.zeros((2, 9)), [1]), (np.zeros(9), [[1, 2]]), (np.zeros(0), [1]), (np.zeros(9), []), (np.zeros(9), [1, 2], None, [1])):
        with pytest.raises(Exception) as wanted:
            theirs.find_peaks_cwt(*arguments)
        with pytest.raises(wanted.type):
            ours.find_peaks_cwt(cp.asarray(arguments[0]), *arguments[1:])
