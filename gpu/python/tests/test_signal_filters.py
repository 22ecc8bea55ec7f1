"""Linear filters, resampling and splines of `scipy.signal`, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp

pytest.importorskip("scipy", minversion="1.17")
import scipy.signal as theirs  # noqa: E402

ours = cp.scipy.signal
RNG = np.random.default_rng(7)


def noise(*shape, dtype="float64"):
    x = RNG.standard_normal(shape) * 10
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.standard_normal(shape)
    return x.astype(dtype)


def close(got, want, what="", scale=200):
    """Compares results to a number of roundings of the largest element."""
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for one, two in zip(got, want):
            close(one, two, what, scale)
        return
    assert isinstance(got, cp.ndarray) and got.shape == want.shape, (what, got.shape, want.shape)
    assert got.dtype == want.dtype, (what, got.dtype, want.dtype)
    eps = np.finfo(want.dtype).eps
    finite = np.abs(want[np.isfinite(want)])
    np.testing.assert_allclose(cp.asnumpy(got), want, rtol=scale * eps, atol=scale * eps * finite.max(initial=1e-300), err_msg=str(what))


def same(name, *args, scale=200, **options):
    def move(a):
        return cp.asarray(a) if isinstance(a, np.ndarray) and a.ndim else a

    want = getattr(theirs, name)(*args, **options)
    got = getattr(ours, name)(*map(move, args), **{k: move(v) for k, v in options.items()})
    close(got, want, (name, [getattr(a, "shape", a) for a in args], list(options)), scale)


@pytest.mark.parametrize("n", [1, 2, 17, 600, 4096, 9000])
def test_recurrences_of_any_length(n):
    x = noise(n)
    for b, a in [([1.0], [1, -0.9]), ([0.5, 1, 2], [2, -1.1, 0.3]), theirs.butter(6, 0.2), ([1, 2, 3.0], [1.0]), (np.arange(40.0), [1, 0.5])]:
        b, a = np.array(b, float), np.array(a, float)
        same("lfilter", b, a, x, scale=2000)
        same("lfilter", b, a, x, zi=noise(max(b.size, a.size) - 1), scale=2000)
    sos = theirs.ellip(6, 1, 60, 0.3, output="sos")
    same("sosfilt", sos, x, scale=2000)
    same("sosfilt", sos, x, zi=noise(3, 2), scale=2000)


def test_recurrences_of_very_long_lines():
    # More tiles than one scan of a block takes, and states that hardly decay.
    x = noise(256 * 4096 + 4 * 4096 + 5)
    want = theirs.lfilter([1.0], [1, -0.9999], x)
    close(ours.lfilter([1.0], [1, -0.9999], cp.asarray(x)), want, scale=1e5)


def test_recurrences_of_spans_of_tiles():
    # Lines with more tiles than a block scans by itself, which filters of many states have soonest. States last for several spans.
    sos = theirs.butter(8, 0.3, output="sos")
    sos = np.vstack([[[1e-5, 0, 0, 1, -0.99999, 0]], sos])
    x = noise(2048 * 549 + 5)
    same("sosfilt", sos, x, zi=noise(5, 2), scale=1e5)
    poles = np.append(0.5 * np.exp(1j * np.arange(4)), 0.99999 * np.exp(0.3j))
    same("lfilter", np.array([1e-5, 1e-5]), np.poly(poles), x, scale=1e5)
    # The states at the ends of all tiles but the last are those of whole spans.
    same("sosfilt", sos, x[: 2048 * (16 * 33 + 1)], scale=1e5)


def test_complex_coefficients():
    # Poles apart from each other: those of a cluster amplify roundings without bound.
    poles = lambda n: np.poly(0.9 * np.exp(1j * (np.linspace(-2.7, 2.7, n) + RNG.uniform(-0.1, 0.1, n))))  # noqa: E731
    any_of = lambda *shape: noise(*shape, dtype="complex128")  # noqa: E731
    for n in (1, 40, 5000):
        x = noise(n)
        for b, a in [
            (any_of(1), np.ones(1)),
            (any_of(4), poles(3)),
            (noise(3), (2 - 1j) * poles(2)),
            (any_of(40), np.ones(1)),
            (any_of(40), poles(3)),
            (any_of(3), poles(11)),
        ]:
            # The dtypes of the input are converted alike for all filters.
            others = (x.astype("float32"), any_of(n).astype("complex64"), np.arange(n)) if a.size == 4 else ()
            for y in (x, any_of(n), *others):
                same("lfilter", b, a, y, scale=1e4)
            if max(b.size, a.size) > 1:
                same("lfilter", b, a, x, zi=any_of(max(b.size, a.size) - 1), scale=1e4)
        sos = np.array([[*any_of(3), 1, *poles(2)[1:]] for _ in range(6)])
        same("sosfilt", sos, x, scale=1e5)
        same("sosfilt", sos, any_of(n), zi=any_of(6, 2), scale=1e5)
    b, a = any_of(3), poles(3)
    same("lfilter", b, a, any_of(4, 30, 2), 1, zi=any_of(1, 3, 2), scale=1e4)
    same("lfilter_zi", b, a)
    same("sosfilt_zi", sos)
    same("filtfilt", b, a, noise(3, 60), scale=1e5)
    same("sosfiltfilt", sos[:2], any_of(60), scale=1e5)
    single = ours.lfilter(b.astype("complex64"), a.astype("complex64"), cp.ones(9, "float32"))
    assert single.dtype == "complex64"


def test_filters_from_the_best_states():
    for b, a in (theirs.butter(4, 0.2), theirs.ellip(3, 1, 40, 0.3), ([0.25, 0.5, 0.25], [1.0]), ([2.0], [4.0])):
        b, a = np.array(b), np.array(a)
        for irlen in (None, 40, 150):
            for x, axis in ((noise(3, 200), -1), (noise(200, 3), 0), (noise(200), -1), (noise(200, dtype="complex128"), -1)):
                same("filtfilt", b, a, x, axis, method="gust", irlen=irlen, scale=1e4)
    with pytest.raises(ValueError, match="method"):
        ours.filtfilt([1.0], [1.0], cp.ones(9), method="other")


def test_axes_layouts_and_dtypes():
    b, a = theirs.butter(3, 0.3)
    x = noise(5, 40, 3)
    for axis in (0, 1, -1):
        same("lfilter", b, a, x, axis)
        same("sosfilt", theirs.butter(5, 0.3, output="sos"), x, axis)
    same("lfilter", b, a, x, 1, zi=noise(5, 3, 3))
    same("lfilter", b, a, x, 1, zi=noise(1, 3, 3))
    same("lfilter", np.ones(4), np.ones(1), x, 1, zi=noise(1, 3, 3))
    same("lfilter", np.ones(30), a, x, 1, zi=noise(5, 29, 3))
    same("lfilter", np.ones(60), a, x, 1, zi=noise(5, 59, 3))
    same("sosfilt", theirs.butter(4, 0.3, output="sos"), x, 1, zi=noise(2, 5, 2, 3))
    same("sosfilt", theirs.butter(21, 0.3, output="sos"), x, 1, zi=noise(11, 5, 2, 3), scale=2000)
    for dtype in ["float32", "complex64", "complex128"]:
        kind = np.zeros(0, dtype).real.dtype
        same("lfilter", b.astype(kind), a.astype(kind), noise(3, 50, dtype=dtype))
        same("sosfilt", theirs.butter(4, 0.3, output="sos").astype(kind), noise(50, dtype=dtype))
        same("lfilter", b.astype(kind), a.astype(kind), noise(50, dtype=dtype), zi=noise(3, dtype=dtype))
    same("lfilter", b, a, np.arange(20))
    same("lfilter", b, a, noise(20, dtype="float32"))
    y = cp.asarray(x)[::-1, ::2].transpose(2, 0, 1)
    close(ours.lfilter(b, a, y), theirs.lfilter(b, a, x[::-1, ::2].transpose(2, 0, 1)))


def test_every_number_of_states():
    # Lines of one segment, of several, and of several tiles, with a remainder.
    for order in (*range(1, 9), 12, 16):
        b, a = np.r_[1.0, RNG.standard_normal(order)], np.poly(RNG.uniform(-0.8, 0.8, order))
        for n in (700, 1100, 17000 if order <= 8 else 9000):
            x = noise(n)
            same("lfilter", b, a, x, zi=noise(order), scale=2000)
    for count in range(1, 9):
        sos = theirs.butter(2 * count, 0.3, output="sos")
        for n in (700, 34000):
            same("sosfilt", sos, noise(n), zi=noise(count, 2), scale=2000)
            same("sosfiltfilt", sos, noise(n), scale=2000)


def test_infinity_in_a_line_of_several_segments():
    # The filter keeps an infinity, and the elements before it are those of a finite line.
    for at in (3, 1500, 20000):
        x = noise(40000)
        x[at] = np.inf
        with np.errstate(all="ignore"):
            want = theirs.lfilter([1.0], [1.0, -1.0], x)
        got = cp.asnumpy(ours.lfilter([1.0], [1.0, -1.0], cp.asarray(x)))
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        np.testing.assert_allclose(got[:at], want[:at], rtol=1e-9, atol=1e-9)


def test_overflow_and_what_is_not_finite():
    for n in (1200, 9000):
        x = np.zeros(n)
        x[100] = 1
        got = cp.asnumpy(ours.lfilter([1.0], [1.0, -2.0], cp.asarray(x)))
        with np.errstate(all="ignore"):
            want = theirs.lfilter([1.0], [1.0, -2.0], x)
        assert (got[:100] == 0).all() and np.isinf(got[-1])
        np.testing.assert_array_equal(got, want)
    x = noise(300)
    x[70] = np.nan
    got, want = cp.asnumpy(ours.lfilter([1.0, 1], [1.0, -0.5], cp.asarray(x))), theirs.lfilter([1.0, 1], [1.0, -0.5], x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    x[70] = np.inf
    for b, a in [([1.0, 1], [1.0, -0.5]), ([1.0], [1.0, -0.5]), ([2.0, 1], [1.0])]:
        with np.errstate(all="ignore"):
            want = theirs.lfilter(b, a, x)
        got = cp.asnumpy(ours.lfilter(b, a, cp.asarray(x)))
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(want))


def test_many_coefficients():
    # A comb filter, whose state is a delay of 40 elements, and coefficients of both lengths.
    a = np.zeros(41)
    a[0], a[40] = 2, -1.5
    for n in (7, 300):
        x = noise(2, n)
        for b in (np.ones(1), np.ones(3), np.arange(60.0)):
            same("lfilter", b, a, x)
            same("lfilter", b, a, x, zi=noise(2, max(b.size, 41) - 1))
    same("lfilter", np.ones(1), a, noise(300, 2), 0)


def test_signals_without_elements():
    # No element changes a state. SciPy's lfilter reads memory next to it here, and its sosfilt raises an error.
    b, a = theirs.butter(3, 0.3)
    sos = theirs.butter(3, 0.3, output="sos")
    for shape, axis in (((0,), 0), ((2, 0), 1), ((0, 2), 0)):
        for dtype in ("float64", "complex128"):
            x = cp.zeros(shape, dtype)
            zi = 1 + np.arange(3.0).reshape([3 if n == axis else 1 for n in range(x.ndim)])
            found, last = ours.lfilter(b, a, x, axis, cp.asarray(zi))
            assert found.shape == shape and last.dtype == dtype
            np.testing.assert_array_equal(last.get(), np.broadcast_to(zi, [3 if n == axis else k for n, k in enumerate(shape)]))
            lengths = [2, *[2 if n == axis else k for n, k in enumerate(shape)]]
            zi = 1 + np.arange(float(np.prod(lengths))).reshape(lengths)
            found, last = ours.sosfilt(sos, x, axis, cp.asarray(zi))
            assert found.shape == shape and last.dtype == dtype
            np.testing.assert_array_equal(last.get(), zi)


def test_states():
    b, a = theirs.butter(4, 0.2)
    same("lfilter_zi", b, a)
    same("lfilter_zi", 2 * b, 2 * a)
    same("lfilter_zi", np.array([1.0, 2, 3]), np.array([1.0]))
    same("sosfilt_zi", theirs.butter(5, 0.2, output="sos"))
    same("lfiltic", b, a, noise(4), noise(4))
    same("lfiltic", b, a, noise(2))
    same("lfiltic", np.array([1.0, 2]), np.array([2.0, 1, 3]), noise(6), noise(1))


def test_both_ways():
    b, a = theirs.butter(3, 0.2)
    sos = theirs.butter(5, 0.2, output="sos")
    for x, axis in [(noise(200), -1), (noise(40, 3), 0), (noise(2, 5000), 1)]:
        for options in [{}, dict(padtype="even"), dict(padtype="constant", padlen=7), dict(padtype=None), dict(padlen=0)]:
            same("filtfilt", b, a, x, axis, scale=2000, **options)
            same("sosfiltfilt", sos, x, axis, scale=2000, **options)
    same("filtfilt", b.astype("f4"), a.astype("f4"), noise(60, dtype="f4"), scale=2000)
    same("filtfilt", np.ones(5) / 5, 1.0, noise(60))
    x = noise(13)
    same("filtfilt", b, a, x, scale=2000)


def test_division_and_trends():
    divisor = np.array([2.0, 1, 0.5])
    want = theirs.deconvolve(np.convolve(divisor, np.arange(1.0, 9)) + 0.25, divisor)
    close(ours.deconvolve(cp.asarray(np.convolve(divisor, np.arange(1.0, 9)) + 0.25), cp.asarray(divisor)), want)
    assert cp.asnumpy(ours.deconvolve(cp.asarray([1.0]), cp.asarray(divisor))[1]).tolist() == [1]
    for x in (noise(30), noise(4, 30)):
        same("detrend", x)
        same("detrend", x, type="constant")
        same("detrend", x, bp=[7, 20])
    same("detrend", noise(6, 4), 0)
    same("detrend", np.arange(10) ** 2)
    same("detrend", noise(20, dtype="f4"))


def test_analytic_signals():
    for n in (16, 17):
        same("hilbert", noise(3, n))
        same("hilbert", noise(n, 2), axis=0, N=20)
        same("hilbert2", noise(n, 5))
        same("hilbert2", noise(n, 5), 8)
    same("hilbert", noise(8, dtype="f4"))


def test_polynomial_filters():
    for args in [(5, 2), (7, 3, 1), (6, 2), (9, 4, 2, 0.5), (5, 2, 3), (5, 2, 0, 1.0, 1), (5, 2, 0, 1.0, None, "dot")]:
        want = theirs.savgol_coeffs(*args)
        np.testing.assert_allclose(cp.asnumpy(ours.savgol_coeffs(*args)), want, rtol=1e-12, atol=1e-14)
    for mode in ("interp", "mirror", "nearest", "wrap", "constant"):
        same("savgol_filter", noise(40), 7, 3, mode=mode, scale=1e4)
        same("savgol_filter", noise(12, 3), 5, 2, deriv=1, delta=0.5, axis=0, mode=mode, scale=1e4)
    same("savgol_filter", noise(3, 30, dtype="f4"), 11, 2)
    same("savgol_filter", np.arange(9), 4, 2, scale=1e4)


def test_rates():
    x = noise(4, 23)
    for up, down in [(1, 1), (3, 1), (1, 4), (3, 2), (2, 5), (7, 3)]:
        for h in (noise(1), noise(6), noise(31)):
            same("upfirdn", h, x, up, down)
    same("upfirdn", noise(5), x, 3, 2, axis=0)
    same("upfirdn", noise(5, dtype="f4"), noise(50, dtype="f4"), 3, 2)
    same("upfirdn", noise(5), noise(20, dtype="c16"), 3, 2)
    same("upfirdn", np.arange(5), np.arange(9), 2, 3)
    for mode in ("constant", "symmetric", "reflect", "edge", "wrap"):
        same("upfirdn", noise(9), x, 2, 3, mode=mode, cval=1.5 if mode == "constant" else 0)


def test_rates_of_several_tiles():
    # More tiles than blocks, so that a block has several, at both borders and between.
    for up, down in [(1, 1), (3, 2), (2, 5), (1, 8), (11, 7)]:
        for dtype in ("f8", "f4", "c16"):
            same("upfirdn", noise(41), noise(40000, dtype=dtype), up, down)
    x = noise(7, 9000)
    for mode in ("symmetric", "edge", "constant"):
        same("upfirdn", noise(9), x, 3, 2, mode=mode, cval=0.1 if mode == "constant" else 0)
        same("upfirdn", noise(9), x.astype("f4"), 3, 2, mode=mode, cval=0.5 if mode == "constant" else 0)
    # A constant that is no number of float32.
    same("upfirdn", noise(9), x.astype("f4"), 3, 2, cval=0.1)
    same("upfirdn", np.arange(5), np.arange(50000), 2, 3)
    same("resample_poly", noise(50000), 3, 2)
    same("savgol_filter", noise(50000), 11, 3)
    a = noise(2, 60000)
    want = theirs.upfirdn(noise(1) * 0 + [1.0, 2.0, 0.5], a[:, ::-3], 2, 3)
    np.testing.assert_allclose(ours.upfirdn([1.0, 2.0, 0.5], cp.asarray(a)[:, ::-3], 2, 3).get(), want, 1e-12, 1e-12)


def test_resampling():
    x = noise(3, 50)
    for up, down in [(3, 2), (2, 3), (1, 4), (4, 1), (2, 4), (5, 5), (160, 147)]:
        same("resample_poly", x, up, down, axis=1)
    for padtype in ("mean", "median", "minimum", "maximum", "edge", "reflect", "symmetric", "wrap"):
        same("resample_poly", x, 3, 2, axis=1, padtype=padtype)
    same("resample_poly", x, 3, 2, axis=1, cval=4.0)
    same("resample_poly", noise(60, 2), 3, 2)
    same("resample_poly", noise(60), 3, 2, window="hamming")
    same("resample_poly", noise(60), 3, 2, window=noise(12))
    same("resample_poly", noise(60, dtype="f4"), 3, 2)
    same("resample_poly", noise(60, dtype="c16"), 2, 3)
    # Large coprime factors: thousands of weights, of which a result needs few.
    same("resample_poly", noise(2, 40), 1001, 1000, axis=1)
    for n in (50, 51):
        for num in (20, 21, 50, 80, 81):
            same("resample", noise(n), num)
            same("resample", noise(2, n, dtype="c16"), num, axis=1)
    same("resample", noise(50), 20, window="hann", scale=1e3)
    same("resample", noise(50), 20, window=RNG.random(50))
    same("resample", noise(50), 20, np.arange(50.0))
    same("resample", noise(30, dtype="f4"), 20)


def test_rates_of_complex_weights():
    for weights in (np.array([1j]), np.array([1 - 2j, 3, 0.5j, 2]), np.array([1 + 1j, 2], "F")):
        for dtype in ("int32", "float32", "float64", "complex64", "complex128"):
            x = noise(3, 11, dtype=dtype) if dtype[0] in "fc" else np.arange(33, dtype=dtype).reshape(3, 11)
            same("upfirdn", weights, x, 3, 2)
            same("resample_poly", x, 3, 2, axis=1, window=weights[: 2 * ((weights.size - 1) // 2) + 1])


def test_decimation():
    same("decimate", noise(400), 4, scale=1e5)
    same("decimate", noise(3, 200), 3, axis=1, scale=1e5)
    # All remainders of the length, and lines of several segments.
    for n in (60, 61, 62, 2500, 2501):
        for q in (2, 3, 7):
            same("decimate", noise(n), q, scale=1e6)
            same("decimate", noise(2, n, dtype="complex128"), q, scale=1e6)
    same("decimate", noise(200), 5, ftype="fir")
    same("decimate", noise(200), 5, ftype="fir", zero_phase=False)
    same("decimate", noise(200), 2, 5, zero_phase=False, scale=1e5)
    same("decimate", np.arange(300), 4, scale=1e5)


def test_splines():
    x = noise(40)
    for name in ("cspline1d", "qspline1d"):
        same(name, x)
        same(name, x[:1])
        same(name, x[:4])
    same("cspline1d", x, 2.0, scale=1e4)
    at = RNG.uniform(-60, 90, 30)
    for name in ("cspline1d_eval", "qspline1d_eval"):
        same(name, x, at)
        same(name, x, at, 0.5, 3.0)
    same("gauss_spline", at, 3)
    for lamb in (0.0, 2.0):
        same("cspline2d", noise(30, 40), lamb, scale=2000)
    same("qspline2d", noise(30, 40))
    same("spline_filter", noise(30, 40), 1e-3)
    for precision in (-1.0, 1e-3):
        same("symiirorder1", x, 0.5, 0.4, precision)
        same("symiirorder1", noise(3, 60), 0.5, -0.4, precision)
        same("symiirorder2", noise(80), 0.5, 0.7, precision)
        same("symiirorder2", noise(3, 80), 0.5, 0.7, precision)
    same("symiirorder1", noise(40, dtype="f4"), np.float32(0.5), np.float32(0.4))


def test_errors():
    x = np.ones(20)
    calls = [
        ("lfilter", ([], [1.0], x), {}),
        ("lfilter", ([[1.0]], [1.0], x), {}),
        ("lfilter", ([1.0, 1], [1.0, 2], x), dict(zi=np.ones(3))),
        ("lfilter", ([1.0], [0.0, 1], x), {}),
        ("lfilter", ([1.0], [1.0], np.array(1.0)), {}),
        ("sosfilt", ([[1.0, 2]], x), {}),
        ("sosfilt", ([[1.0, 2, 3, 2, 1, 1]], x), {}),
        ("sosfilt", ([[1.0, 2, 3, 1, 1, 1]], x), dict(zi=np.ones((2, 2)))),
        ("filtfilt", ([1.0], [1.0, 0.5], x), dict(padlen=20)),
        ("filtfilt", ([1.0], [1.0, 0.5], x), dict(padtype="bad")),
        ("filtfilt", ([1.0], [1.0, 0.5], x), dict(method="bad")),
        ("detrend", (x,), dict(type="bad")),
        ("detrend", (x,), dict(bp=30)),
        ("hilbert", (x + 1j,), {}),
        ("hilbert", (x, 0), {}),
        ("hilbert2", (np.ones((3, 3)),), dict(axes=(0, 0))),
        ("savgol_coeffs", (3, 3), {}),
        ("savgol_filter", (x, 21, 2), {}),
        ("savgol_filter", (x, 5, 2), dict(mode="bad")),
        ("upfirdn", ([], x), {}),
        ("upfirdn", ([1.0], x, 0), {}),
        ("resample_poly", (x, 0, 1), {}),
        ("resample_poly", (x, 2, 1), dict(padtype="bad")),
        ("resample_poly", (x, 1.5, 1), {}),
        ("resample", (x, 5), dict(domain="bad")),
        ("decimate", (x, 2), dict(ftype="bad")),
        ("symiirorder1", (x, 1.0, 1.5), {}),
        ("qspline1d", (x, 1.0), {}),
    ]
    for name, args, options in calls:
        move = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        with pytest.raises(Exception) as want:
            getattr(theirs, name)(*args, **options)
        with pytest.raises(want.type):
            getattr(ours, name)(*move, **{k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()})
    with pytest.raises(NotImplementedError):
        ours.lfilter([1.0], np.ones(3000), cp.asarray(x))
