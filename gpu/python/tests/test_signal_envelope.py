"""Envelopes of `cupyx.scipy.signal` against SciPy's."""

import itertools

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx.scipy import signal

pytest.importorskip('scipy', minversion='1.17')
import scipy.signal as expected  # noqa: E402

RNG = np.random.default_rng(3)
BANDS = [(1, None), (None, None), (2, 4), (-3, 3), (0, 3), (-3, -1), (0, None), (None, -2), (5, 6)]


def same(x, *args, **options):
    found, wanted = signal.envelope(cp.asarray(x), *args, **options), expected.envelope(x, *args, **options)
    if args and args[0][0] == 0 and options.get('residual', 'lowpass'):
        # SciPy has no rest of a band that begins at 0.
        found, wanted = found[0], wanted[0].real
        found = found.real
    assert isinstance(found, cp.ndarray) and found.dtype == wanted.dtype and found.shape == wanted.shape, (x.dtype, x.shape, args, options)
    tolerance = 50 * np.finfo(wanted.dtype).eps
    # The rest of a band is a difference of numbers of the size of the signal.
    size = max(np.abs(x).max(initial=1e-300) ** (2 if options.get('squared') else 1), np.abs(wanted).max(initial=0))
    np.testing.assert_allclose(found.get(), wanted, rtol=tolerance, atol=tolerance * size, err_msg=str((args, options)))


def test_bands_and_lengths():
    for n, dtype in itertools.product((12, 13), ('float64', 'complex128')):
        x = RNG.standard_normal(n) + (1j * RNG.standard_normal(n) if dtype == 'complex128' else 0)
        for band, n_out, residual in itertools.product(BANDS, (None, 5, 6, 12, 20, 21), ('lowpass', 'all', None)):
            same(x, band, n_out=n_out, residual=residual)
            same(x, band, n_out=n_out, residual=residual, squared=True)


def test_dtypes_axes_and_short_signals():
    for dtype in ('float32', 'float64', 'complex64', 'int32', 'uint8'):
        x = (100 * RNG.standard_normal((3, 16, 4))).astype(dtype)
        for axis in (0, 1, 2, -1, -3):
            same(x, axis=axis)
            same(x, (0, 2) if x.shape[axis] > 3 else (0, 1), axis=axis, residual='all')
    for n in (1, 2, 3):
        same(RNG.standard_normal(n), (None, None))
        same(RNG.standard_normal(n), (0, None), residual='all')


def test_the_rest_of_a_band_that_begins_at_0():
    for x in (RNG.standard_normal(12), RNG.standard_normal(13), RNG.standard_normal(13) + 1j):
        spectrum, k = np.fft.fft(x), np.round(np.fft.fftfreq(x.size) * x.size)
        inside = abs(k) < 3 if x.dtype.kind == 'f' else (k >= 0) & (k < 3)
        found = signal.envelope(cp.asarray(x), (0, 3), residual='all')[1].get()
        np.testing.assert_allclose(found, np.fft.ifft(np.where(inside, 0, spectrum)), atol=1e-12)


def test_errors():
    x = RNG.standard_normal(12)
    for args, options in (
        ((x, (5, 2)), {}),
        ((x, (-7, 3)), {}),
        ((x, (0, 7)), {}),
        ((x, 3), {}),
        ((x, (1, 2, 3)), {}),
        ((x, (1.0, 3)), {}),
        ((x,), {'residual': 'band'}),
        ((x,), {'n_out': 0}),
        ((x,), {'n_out': 5.0}),
        ((x,), {'axis': 1}),
        ((np.zeros(0),), {}),
        ((np.zeros(()),), {}),
    ):
        with pytest.raises(Exception) as wanted:
            expected.envelope(*args, **options)
        with pytest.raises(wanted.type):
            signal.envelope(cp.asarray(args[0]), *args[1:], **options)
