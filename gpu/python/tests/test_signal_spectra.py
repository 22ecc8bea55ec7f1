"""Spectra of `cupyx.scipy.signal` against SciPy's."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.signal as expected

import cuprum as cp
from cuprum.cupyx.scipy import signal

RNG = np.random.default_rng(5)


def close(found, wanted, dtype=np.float64):
    assert len(found) == len(wanted)
    tolerance = 2e-4 if np.dtype(dtype).char in 'fFe' else 1e-10
    for a, b in zip(found, wanted):
        a, b = cp.asnumpy(a), np.asarray(b)
        assert a.shape == b.shape, (a.shape, b.shape)
        scale = np.abs(b).max() if b.size else 1
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(scale, 1e-300))
        if a.dtype.kind == 'c' or b.dtype.itemsize == 4:
            assert a.dtype == b.dtype


def made(shape, dtype):
    x = RNG.standard_normal(shape) + 3
    if np.dtype(dtype).kind == 'c':
        x = x + 1j * RNG.standard_normal(shape)
    if np.dtype(dtype).kind == 'i':
        x = x * 10
    return x.astype(dtype)


def test_welch_with_all_options():
    for dtype in 'fdFDi':
        x = made((2, 45, 3), dtype)
        y = made((2, 40, 3), dtype)
        for detrend, scaling, average, sides in itertools.product(('constant', 'linear', False), ('density', 'spectrum'), ('mean', 'median'), (True, False)):
            options = dict(fs=3.0, nperseg=16, noverlap=5, nfft=17, detrend=detrend, scaling=scaling, average=average, return_onesided=sides, axis=1)
            close(signal.welch(cp.asarray(x), **options), expected.welch(x, **options), dtype)
            if average == 'mean' or scaling == 'density':
                close(signal.csd(cp.asarray(x), cp.asarray(y), **options), expected.csd(x, y, **options), dtype)
    for dtype in ('i1', 'u2', '?', 'e'):
        x = made(90, 'd').astype(dtype) if dtype != '?' else made(90, 'd') > 3
        # SciPy subtracts the mean of float16 in float16.
        close(signal.welch(cp.asarray(x), nperseg=32), expected.welch(x.astype('f') if dtype == 'e' else x, nperseg=32), 'f')
    x = made(300, 'd')
    options = dict(window=np.hanning(32), nfft=40)
    close(signal.welch(cp.asarray(x), **options), expected.welch(x, **options))
    options = dict(window=('kaiser', 4.0), nperseg=31, detrend=lambda v: v - 2)
    close(signal.welch(cp.asarray(x), **options), expected.welch(x, **options))
    close(signal.coherence(cp.asarray(x), cp.asarray(x[::-1]), nperseg=40), expected.coherence(x, x[::-1], nperseg=40))
    with pytest.warns(UserWarning, match='reduced to the length'):
        signal.welch(cp.asarray(x))[1] if x.size < 256 else signal.welch(cp.asarray(x[:20]))


def test_periodogram_of_lengths_and_long_segments():
    for dtype in 'fdF':
        x = made((2, 61), dtype)[:, ::-1]
        for nfft, axis in ((None, -1), (80, -1), (20, -1), (61, 1), (None, 0)):
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                options = dict(nfft=nfft, axis=axis, window='hann' if axis else 'boxcar')
                close(signal.periodogram(cp.asarray(x), **options), expected.periodogram(x, **options), dtype)
    # Segments that are divided among warps.
    x = made(40_000, 'd')
    for detrend in ('constant', 'linear'):
        close(signal.periodogram(cp.asarray(x), detrend=detrend), expected.periodogram(x, detrend=detrend))
    assert signal.periodogram(cp.zeros(0))[1].shape == (0,)


def test_spectrogram_modes():
    for dtype in 'fdD':
        x = made((90, 2), dtype)
        for mode in ('psd', 'complex', 'magnitude', 'angle', 'phase'):
            for options in (dict(nperseg=16, axis=0), dict(nperseg=15, noverlap=9, nfft=20, axis=0, scaling='spectrum', return_onesided=False)):
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    found = signal.spectrogram(cp.asarray(x), mode=mode, **options)
                    wanted = expected.spectrogram(x, mode=mode, **options)
                if mode in ('angle', 'phase'):
                    # The sign of a zero imaginary part is that of rounding.
                    turns = np.exp(1j * cp.asnumpy(found[2])), np.exp(1j * wanted[2])
                    big = np.abs(np.abs(cp.asnumpy(found[2])) - np.pi) > 1e-3 if mode == 'angle' else slice(None)
                    close([turns[0][big]], [turns[1][big]], 'f')
                    found, wanted = found[:2], wanted[:2]
                close(found, wanted, dtype)
    with pytest.raises(ValueError, match='unknown value for mode'):
        signal.spectrogram(cp.zeros(300), mode='power')


def test_stft_and_its_inverse():
    for dtype in 'fdFD':
        x = made((2, 70), dtype)
        for border, padded, scaling, n in itertools.product((None, 'zeros', 'even', 'odd', 'constant'), (True, False), ('spectrum', 'psd'), (16, 13)):
            options = dict(nperseg=n, boundary=border, padded=padded, scaling=scaling, fs=2.0, return_onesided=dtype in 'fd')
            found, wanted = signal.stft(cp.asarray(x), **options), expected.stft(x, **options)
            close(found, wanted, dtype)
            if border == 'zeros' and padded:
                inverse = dict(nperseg=n, scaling=scaling, fs=2.0, input_onesided=dtype in 'fd')
                back = signal.istft(cp.asarray(wanted[2]), **inverse)
                close(back, expected.istft(wanted[2], **inverse), dtype)
                close([back[1][:, :70]], [x], dtype)
    x = made((60, 2), 'd')
    options = dict(nperseg=12, noverlap=8, nfft=16, detrend='linear', axis=0)
    wanted = expected.stft(x, **options)
    close(signal.stft(cp.asarray(x), **options), wanted)
    inverse = dict(nperseg=12, noverlap=8, nfft=16, time_axis=2, freq_axis=0)
    close(signal.istft(cp.asarray(wanted[2]), **inverse), expected.istft(wanted[2], **inverse))
    rng = made((5, 4, 9), 'D')
    for inverse in (dict(time_axis=0, freq_axis=2), dict(boundary=False, window='boxcar'), dict(nperseg=7, window=np.hamming(7))):
        close(signal.istft(cp.asarray(rng), **inverse), expected.istft(rng, **inverse))
    with pytest.warns(UserWarning, match='NOLA'):
        signal.istft(cp.asarray(rng), boundary=False)


def test_conditions_of_windows():
    for window, n, overlap in itertools.product(('hann', 'boxcar', ('tukey', 0.25), 'hamming'), (20, 21), (0, 5, 10, 15)):
        assert signal.check_COLA(window, n, overlap) == expected.check_COLA(window, n, overlap)
        assert signal.check_NOLA(window, n, overlap) == expected.check_NOLA(window, n, overlap)


def test_irregular_samples():
    x, y, w = np.sort(RNG.random(40)) * 10, RNG.standard_normal(40), np.linspace(0.1, 5, 17)
    weights = RNG.random(40)
    for normalize, mean, of in itertools.product((False, True, 'amplitude'), (False, True), (None, weights)):
        options = dict(normalize=normalize, floating_mean=mean)
        found = signal.lombscargle(*map(cp.asarray, (x, y, w)), weights=None if of is None else cp.asarray(of), **options)
        close([found], [expected.lombscargle(x, y, w, weights=of, **options)])
    for period in (0.7, [0.5, 2.0]):
        close(signal.vectorstrength(cp.asarray(x), period), expected.vectorstrength(x, period))


def test_arguments_that_are_rejected_as_in_scipy():
    x = np.ones(100)
    for name, arguments, options in (
        ('welch', (x,), dict(nperseg=0)),
        ('welch', (x,), dict(nperseg=16, noverlap=16)),
        ('welch', (x,), dict(nperseg=16, nfft=8)),
        ('welch', (x,), dict(nperseg=16, scaling='power')),
        ('welch', (x,), dict(nperseg=16, average='max')),
        ('welch', (x,), dict(nperseg=16, window=np.ones(9))),
        ('csd', (np.ones((2, 9)), np.ones((3, 9))), {}),
        ('periodogram', (x,), dict(window=np.ones(9))),
        ('stft', (x,), dict(nperseg=16, boundary='mirror')),
        ('stft', (x,), dict(nperseg=16, scaling='density')),
        ('stft', (x,), dict(nperseg=16, window=np.ones((4, 4)))),
        ('istft', (x,), {}),
        ('istft', (np.ones((9, 9)),), dict(nperseg=0)),
        ('istft', (np.ones((9, 9)),), dict(time_axis=0, freq_axis=0)),
        ('istft', (np.ones((9, 9)),), dict(scaling='power')),
        ('check_COLA', ('hann', 0, 0), {}),
        ('check_COLA', ('hann', 9, 9), {}),
        ('check_NOLA', ('hann', 9, -1), {}),
        ('lombscargle', (x, x[:9], x), {}),
        ('vectorstrength', (x, -1.0), {}),
    ):
        with pytest.raises(Exception) as wanted:
            getattr(expected, name)(*arguments, **options)
        on_device = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        with pytest.raises(wanted.type):
            getattr(signal, name)(*on_device, **options)


def test_signals_of_single_and_double_precision():
    # Both spectra have double precision: rounding to single would show at 1e-8.
    x, y = made(100, 'd'), made(100, 'd')
    for other in (y > 3, y.astype('f'), y.astype('i1'), (y + 1j).astype('F')):
        for onesided in (True, False):
            if other.dtype.kind != 'c' or not onesided:
                options = dict(nperseg=16, return_onesided=onesided)
                # SciPy subtracts the mean of float32 in float32.
                wide = other.astype('D' if other.dtype.kind == 'c' else 'd')
                close(signal.csd(cp.asarray(x), cp.asarray(other), **options), expected.csd(x, wide, **options))
                close(signal.csd(cp.asarray(other), cp.asarray(x), **options), expected.csd(wide, x, **options))


def test_windows_of_zeros_and_short_spectra():
    x = made(8, 'd')
    for name in ('periodogram', 'welch'):
        with np.errstate(all='ignore'), warnings.catch_warnings():
            warnings.simplefilter('ignore')
            wanted = getattr(expected, name)(x, window=np.zeros(8))
        close(getattr(signal, name)(cp.asarray(x), window=np.zeros(8)), wanted)
    for shape, options in (((3, 9), dict(nperseg=4, input_onesided=False)), ((3, 5), dict(nperseg=6)), ((5, 2), dict(nperseg=7, input_onesided=False))):
        z = made(shape, 'D')
        with pytest.raises(ValueError):
            expected.istft(z, **options)
        with pytest.raises(ValueError):
            signal.istft(cp.asarray(z), **options)
