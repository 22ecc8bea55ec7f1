"""`ShortTimeFFT` and dual windows against SciPy's."""

import numpy as np
import pytest
import scipy.signal as expected

import cuprum as cp
from cuprum.cupyx.scipy import signal

NUMBERS = 'T delta_f delta_t f_pts fac_magnitude fac_psd fs hop invertible k_min m_num m_num_mid mfft onesided_fft p_min'.split()


def same(found, wanted, tolerance=1e-12):
    found = cp.asnumpy(found) if isinstance(found, cp.ndarray) else np.asarray(found)
    assert found.shape == np.shape(wanted), (found.shape, np.shape(wanted))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=10 * tolerance)


def case(seed):
    """Returns SciPy's transform, the device's with the same arguments, and the generator of random numbers."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 12))
    hop = int(rng.integers(1, m + 1))
    win = np.abs(rng.random(m)) + 0.1
    win[: int(rng.integers(0, m // 2 + 1)) * int(rng.random() < 0.2)] = 0
    modes = ['twosided', 'centered', 'onesided', 'onesided2X']
    if rng.random() < 0.2:
        win = win + 1j * rng.random(m)
        modes = modes[:2]
    options = {'fft_mode': str(rng.choice(modes)), 'mfft': m + int(rng.integers(0, 4)), 'phase_shift': [None, 0, 1, -1][rng.integers(4)]}
    options['scale_to'] = 'psd' if options['fft_mode'] == 'onesided2X' else [None, 'magnitude', 'psd'][rng.integers(3)]
    if rng.random() < 0.3:
        options['dual_win'] = rng.random(m)
    return expected.ShortTimeFFT(win, hop, 3.0, **options), signal.ShortTimeFFT(win, hop, 3.0, **options), rng


@pytest.mark.parametrize('seed', range(30))
def test_segments_and_axes(seed):
    wanted, found, rng = case(seed)
    for name in NUMBERS:
        assert np.isclose(getattr(found, name), getattr(wanted, name)), name
    assert (found.fft_mode, found.phase_shift, found.scaling, found.lower_border_end) == (
        wanted.fft_mode,
        wanted.phase_shift,
        wanted.scaling,
        wanted.lower_border_end,
    )
    same(found.f, wanted.f)
    same(found.win, wanted.win)
    for n in (wanted.m_num, wanted.m_num + 7, 40):
        assert found.p_range(n) == wanted.p_range(n)
        assert (found.k_max(n), found.p_max(n), found.p_num(n)) == (wanted.k_max(n), wanted.p_max(n), wanted.p_num(n))
        assert found.upper_border_begin(n) == wanted.upper_border_begin(n)
        same(found.t(n, k_offset=2), wanted.t(n, k_offset=2))
        if wanted.fft_mode != 'twosided':
            for axes in ('tf', 'ft'):
                same(found.extent(n, axes), wanted.extent(n, axes))
                same(found.extent(n, axes, center_bins=True), wanted.extent(n, axes, center_bins=True))
    for k in range(-3, 9):
        for left in (True, False):
            assert found.nearest_k_p(k, left) == wanted.nearest_k_p(k, left)


@pytest.mark.parametrize('seed', range(30))
def test_transforms(seed):
    wanted, found, rng = case(seed)
    n = int(rng.integers(wanted.m_num, 40))
    shape = (2, n) if rng.random() < 0.6 else (n,)
    x = rng.random(shape)
    if not wanted.onesided_fft and rng.random() < 0.5:
        x = x + 1j * rng.random(shape)
    options = {'padding': str(rng.choice(['zeros', 'edge', 'even', 'odd'])), 'k_offset': int(rng.integers(-2, 3)) if rng.random() < 0.3 else 0, 'axis': -1}
    if x.ndim == 2 and rng.random() < 0.5:
        x, options['axis'] = x.T.copy(), 0
    y, trend = cp.asarray(x), [None, 'constant', 'linear'][rng.integers(3)]
    same(found.stft_detrend(y, trend, **options), wanted.stft_detrend(x, trend, **options))
    same(found.stft_detrend(y, lambda a: a - 2, **options), wanted.stft_detrend(x, lambda a: a - 2, **options))
    same(found.spectrogram(y, detr=trend, **options), wanted.spectrogram(x, detr=trend, **options))
    same(found.spectrogram(y, y[::-1], **options), wanted.spectrogram(x, x[::-1], **options))
    if not wanted.invertible:
        return
    spectra = wanted.stft(x, axis=options['axis'])
    at = {'f_axis': options['axis'] % x.ndim, 't_axis': x.ndim}
    whole = wanted.istft(spectra, **at)
    same(found.istft(cp.asarray(spectra), **at), whole, 1e-10)
    part = found.istft(cp.asarray(spectra), 1, n, **at)
    same(part, np.take(whole, range(1, n), axis=options['axis']), 1e-10)


def test_the_inverse_of_a_transform_is_the_signal():
    x = cp.random.default_rng(3).random((3, 1000))
    for transform in (
        signal.ShortTimeFFT.from_window('hann', 8.0, 64, 48, mfft=128),
        signal.ShortTimeFFT.from_window(('gaussian', 9), 8.0, 64, 33, fft_mode='centered', phase_shift=None),
        signal.ShortTimeFFT.from_win_equals_dual(np.hanning(66)[1:-1], 16, 8.0, scale_to='unitary'),
    ):
        assert cp.allclose(transform.istft(transform.stft(x), k1=1000), x, rtol=0, atol=1e-12)
    # A unitary transform keeps energy.
    assert np.isclose(
        float((abs(signal.ShortTimeFFT.from_win_equals_dual(np.ones(8), 8, 1.0, fft_mode='twosided', scale_to='unitary').stft(x)) ** 2).sum()),
        float((x**2).sum()),
    )


def test_constructors_and_dual_windows():
    rng = np.random.default_rng(4)
    for win in (rng.random(9) + 0.1, rng.random(6) + 1j * rng.random(6)):
        for hop in (1, 2, 4):
            options = {'fft_mode': 'twosided', 'mfft': 11}
            for scale in (None, 'magnitude', 'psd', 'unitary'):
                wanted = expected.ShortTimeFFT.from_win_equals_dual(win, hop, 2.0, scale_to=scale, **options)
                found = signal.ShortTimeFFT.from_win_equals_dual(win, hop, 2.0, scale_to=scale, **options)
                same(found.win, wanted.win)
                same(found.dual_win, wanted.dual_win)
                assert found.scaling == wanted.scaling
            wanted, found = (module.ShortTimeFFT.from_dual(win, hop, 2.0, **options) for module in (expected, signal))
            same(found.win, wanted.win)
            same(found.dual_win, wanted.dual_win)
            for scaled in (True, False):
                wanted, found = (
                    module.closest_STFT_dual_window(win, hop, rng_window, scaled=scaled) for module in (expected, signal) for rng_window in [abs(win)]
                )
                same(found[0], wanted[0])
                assert np.isclose(found[1], wanted[1])
    wanted, found = (module.ShortTimeFFT.from_window(('kaiser', 3), 2.0, 8, 5, symmetric_win=True) for module in (expected, signal))
    same(found.win, wanted.win)
    x = rng.random(50).astype('f')
    same(found.stft(cp.asarray(x)), wanted.stft(x), 1e-5)
    same(found.stft(cp.arange(50)), wanted.stft(np.arange(50)), 1e-10)
    assert found.stft(cp.asarray(x)).dtype == wanted.stft(x).dtype == 'D'
    assert found.istft(found.stft(cp.asarray(x))).dtype == wanted.istft(wanted.stft(x)).dtype == 'd'
    # SciPy stores transforms in double precision; those of a signal and a window in single precision have it here.
    found = signal.ShortTimeFFT(cp.asarray(wanted.win.astype('f')), 5, 2.0)
    assert found.stft(cp.asarray(x)).dtype == 'F' and found.istft(found.stft(cp.asarray(x))).dtype == 'f'


def test_rejected_arguments():
    win, x, s = np.hanning(9)[1:-1], np.arange(20.0), np.ones((4, 9))
    for call in (
        lambda m, a: m.ShortTimeFFT(a(win), 8, 1.0).dual_win,
        lambda m, a: m.ShortTimeFFT(a(win), 0, 1.0),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 0.0),
        lambda m, a: m.ShortTimeFFT(a(win[:0]), 3, 1.0),
        lambda m, a: m.ShortTimeFFT(a(win * np.inf), 3, 1.0),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, mfft=5),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, fft_mode='x'),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, fft_mode='onesided2X'),
        lambda m, a: m.ShortTimeFFT(a(win * 1j), 3, 1.0),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, scale_to='x'),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, phase_shift=9),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, dual_win=a(win[:3])),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).stft(a(x[:2])),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).stft(a(x), -9, 2),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).stft(a(x), padding='q'),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).stft(a(x * 1j)),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).stft_detrend(a(x), 'q'),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).istft(a(s), f_axis=0, t_axis=0),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).istft(a(s[:, :1])),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).istft(a(s), 5, 6),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).istft(a(s), 0, 500),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).istft(a(s[:3])),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).k_max(2),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0).extent(20, 'xx'),
        lambda m, a: m.ShortTimeFFT(a(win), 3, 1.0, fft_mode='twosided').extent(20),
    ):
        for module, array in ((expected, np.asarray), (signal, cp.asarray)):
            with pytest.raises(ValueError):
                call(module, array)
