"""Window functions of `scipy.signal.windows`, compared with SciPy's."""

import inspect

import numpy as np
import pytest

import cuprum as cp

pytest.importorskip("scipy", minversion="1.17")
import scipy.signal as theirs  # noqa: E402

ours = cp.scipy.signal
PLAIN = "barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen triang taylor tukey exponential".split()
WITH_PARAMETERS = [
    ("chebwin", 100),
    ("chebwin", 47.5),
    ("exponential", None, 3.5),
    ("gaussian", 2.5),
    ("general_cosine", [0.5, 0.3, 0.1, 0.05, 0.03, 0.02]),
    ("general_cosine", [1.0]),
    ("general_gaussian", 1.5, 3.0),
    ("general_gaussian", 0.3, 7),
    ("general_hamming", 0.7),
    ("kaiser", 0.0),
    ("kaiser", 8.6),
    ("kaiser", 40),
    ("taylor", 6, 45, False),
    ("taylor", 1),
    ("taylor", 9, 60),
    ("tukey", 0.0),
    ("tukey", 0.1),
    ("tukey", 0.77),
    ("tukey", 1.5),
]


def close(got, want, what, error=4e-15):
    assert isinstance(got, cp.ndarray) and got.shape == want.shape and got.dtype == want.dtype, (what, got.shape, want.shape)
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=error * max(1, np.abs(want).max(initial=0)), err_msg=str(what))


def test_windows():
    assert sorted(ours.windows.__dict__.keys() & set(theirs.windows.__all__)) == sorted(theirs.windows.__all__)
    for name, *parameters in [(name,) for name in PLAIN] + WITH_PARAMETERS:
        for n in (0, 1, 2, 3, 4, 7, 16, 51):
            for sym in (True, False):
                args = [np.array(p) if isinstance(p, list) else p for p in parameters]
                want = getattr(theirs.windows, name)(n, *args, sym=sym)
                close(getattr(ours.windows, name)(n, *parameters, sym=sym), want, (name, n, parameters, sym))
    close(ours.windows.hann(5.0), theirs.windows.hann(5), "a length as a float")
    close(ours.windows.exponential(9, 2.5, 3, False), theirs.windows.exponential(9, 2.5, 3, False), "exponential")
    close(ours.windows.general_cosine(6, cp.asarray([0.5, 0.5])), theirs.windows.hann(6), "device weights")
    for n in (-2, 0, 2, 10, 64):
        close(ours.windows.kaiser_bessel_derived(n, 6.5), theirs.windows.kaiser_bessel_derived(n, 6.5), n)
    # A long window, and an odd one.
    for n in (4096, 5001):
        close(ours.windows.flattop(n, False), theirs.windows.flattop(n, False), n)
        # The polynomial is cosh((n - 1) arccosh(x)) near x = 1: an error of eps in x changes its value by (n - 1)^2 eps / arccosh(10^(at / 20)),
        # and the last digit of a cosine differs between processors.
        close(ours.windows.chebwin(n, 80), theirs.windows.chebwin(n, 80), n, n * n * 2.3e-16 / np.arccosh(1e4))


def test_signatures():
    for name in theirs.windows.__all__:
        want = [p for p in inspect.signature(getattr(theirs.windows, name)).parameters.values() if p.name not in ("xp", "device")]
        got = list(inspect.signature(getattr(ours.windows, name)).parameters.values())
        assert [(p.name, p.default) for p in got] == [(p.name, p.default) for p in want], name
    assert ours.get_window is ours.windows.get_window


def test_get_window():
    names = "brthan bart black blackharr bman rect halfcosine poisson flat hamm han sinc nutl parz taylorwin tri tuk".split()
    given = [*names, *PLAIN, "hann_symmetric", "hamming_periodic", 5.5, np.float32(3), ("general hamming", 0.6), ("kaiser bessel derived", 4.0)]
    given += [("ksr", 4.0), ("cheb", 60), ("gss", 3.0), ("ggs", 1.0, 2.0), ("tukey_symmetric", 0.3), ("poisson", None, 2.0), ("boxcar",)]
    for window in given:
        for fftbins in (True, False):
            if "bessel" in str(window) and fftbins:
                continue
            close(ours.get_window(window, 12, fftbins), theirs.get_window(window, 12, fftbins), (window, fftbins))
    close(ours.get_window(("general_cosine", [0.4, 0.6]), 9), theirs.get_window(("general_cosine", np.array([0.4, 0.6])), 9), "general_cosine")
    for wrong, n, fftbins in [
        ("no_window", 5, True),
        ("hann", 0, True),
        ("hann", 2.5, True),
        ("hann", 5, 1),
        (("hann", 1), 5, True),
        ("kaiser", 5, True),
        ((1, 2), 5, True),
        ([], 5, True),
        (("kbd", 3.0), 8, True),
        (("kbd", 3.0), 7, False),
        ("dpss", 8, True),
    ]:
        for module in (theirs, ours):
            with pytest.raises(ValueError):
                module.get_window(wrong, n, fftbins)
    for call in (
        lambda w: w.hann(-1),
        lambda w: w.hann(2.5),
        lambda w: w.kaiser(-3, 1.0),
        lambda w: w.kaiser_bessel_derived(5, 1.0),
        lambda w: w.kaiser_bessel_derived(4, 1.0, sym=False),
        lambda w: w.exponential(5, 2.0),
    ):
        for module in (theirs, ours):
            with pytest.raises(ValueError):
                call(module.windows)
    for module in (theirs, ours):
        with pytest.warns(UserWarning):
            module.windows.chebwin(8, 30)


def test_resampling_by_any_window():
    x = np.sin(np.arange(120.0) / 7) + np.arange(120.0) / 50
    for window in ("hann", "flattop", ("tukey", 0.3), ("gaussian", 20.0), 6.5, "hamm"):
        want, got = theirs.resample(x, 75, window=window), ours.resample(cp.asarray(x), 75, window=window)
        np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-12)
        want, got = theirs.resample_poly(x, 3, 2, window=window), ours.resample_poly(cp.asarray(x), 3, 2, window=window)
        np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-12)


def test_prolate_sequences():
    def same(*args, **options):
        want, got = theirs.windows.dpss(*args, **options), ours.windows.dpss(*args, **options)
        for one, two in zip(got, want) if options.get("return_ratios") else [(got, want)]:
            assert np.shape(one) == np.shape(two), (args, options)
            np.testing.assert_allclose(cp.asnumpy(one), two, rtol=0, atol=2e-12, err_msg=f"{args} {options}")

    for n, nw, count in ((1, 0.3, None), (5, 0.3, 1), (8, 2, None), (9, 2.5, 9), (64, 4, 7), (101, 2.5, 5), (512, 3, 4)):
        for sym in (True, False):
            for norm in (None, 2, "approximate", "subsample"):
                same(n, nw, count, sym, norm, return_ratios=True)
    same(20, 2.5)
    same(4000, 2.5, 4)
    close(ours.get_window(("dpss", 2.5), 33), theirs.get_window(("dpss", 2.5), 33), "by name")
    for args in ((5, 3), (5, 0), (5, -1), (5, 2, 6), (5, 2, 0), (1.5, 2), (5, 2, 2, True, "x"), (5, 2, 1.5)):
        with pytest.raises((ValueError, TypeError)) as want:
            theirs.windows.dpss(*args)
        with pytest.raises(want.type):
            ours.windows.dpss(*args)


def test_rejected_parameters():
    for call in (
        lambda m: m.windows.tukey(7, np.nan),
        lambda m: m.windows.taylor(7, nbar=0),
        lambda m: m.windows.dpss(1, 2, norm="bad"),
        lambda m: m.get_window("hann", None),
        lambda m: m.get_window("hann", "5"),
        lambda m: m.get_window("hann", 0),
    ):
        with pytest.raises((TypeError, ValueError)) as wanted:
            call(theirs)
        with pytest.raises(wanted.type):
            call(ours)
