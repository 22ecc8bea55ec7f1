"""Radar signals and filter banks of `cuprum.cupyx.signal`, compared with their definitions in NumPy."""

import numpy as np
import pytest
import scipy.signal

import cuprum as cp
from cuprum.cupyx import signal

RNG = np.random.default_rng(17)


def threshold_of(x, guards, references, pfa):
    """Returns the thresholds by the mean of the cells around each cell."""
    out = np.zeros(x.shape)
    reach = [g + r for g, r in zip(guards, references)]
    for at in np.ndindex(*x.shape):
        if any(i < r or i + r >= n for i, r, n in zip(at, reach, x.shape)):
            continue
        around = x[tuple(slice(i - r, i + r + 1) for i, r in zip(at, reach))]
        inner = x[tuple(slice(i - g, i + g + 1) for i, g in zip(at, guards))]
        n = around.size - inner.size
        out[at] = (around.sum() - inner.sum()) / n * n * (pfa ** (-1 / n) - 1)
    return out


def test_cfar():
    np.testing.assert_allclose(signal.cfar_alpha(1e-3, 20), 20 * (1e-3 ** (-1 / 20) - 1))
    for shape, guards, references in (((40,), (2,), (5,)), ((13,), (0,), (6,)), ((12, 17), (1, 2), (3, 1)), ((9, 9), (0, 1), (2, 0))):
        for dtype in ('float64', 'float32', 'int32'):
            x = (RNG.random(shape) ** 8 * 100).astype(dtype)
            cells = [c[0] if len(shape) == 1 else c for c in (guards, references)]
            threshold, found = signal.ca_cfar(cp.asarray(x), *cells, pfa=0.05)
            expected = threshold_of(x.astype(float), guards, references, 0.05)
            assert threshold.dtype == ('float32' if dtype == 'float32' else 'float64') and found.dtype == bool
            np.testing.assert_allclose(threshold.get(), expected, rtol=1e-6 if dtype == 'float32' else 1e-10)
            np.testing.assert_array_equal(found.get(), x > threshold.get())
    with pytest.raises(ValueError):
        signal.ca_cfar(cp.zeros(10), 2, 3)
    for x, cells in ((cp.zeros((9, 9, 9)), (1, 1, 1)), (cp.zeros((9, 9)), 1), (cp.zeros((9, 9)), (1,)), (cp.zeros(9), (1, 1))):
        with pytest.raises(TypeError):
            signal.ca_cfar(x, cells, cells)


def test_freq_shift():
    for dtype, result in (('float64', 'complex128'), ('complex64', 'complex64'), ('int16', 'complex128'), ('float32', 'complex64')):
        x = (RNG.random(50) * 9 - 4).astype(dtype)
        found = signal.freq_shift(cp.asarray(x), 3.0, 40.0)
        assert found.dtype == result
        expected = x * np.exp(-2j * np.pi * 3 / 40 * np.arange(50))
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12 if result == 'complex128' else 2e-6)


def test_convolve1d3o():
    for shape in ((3, 3, 3), (1, 1, 1), (2, 4, 3)):
        for dtype in ('float64', 'complex128', 'int32'):
            x, h = ((RNG.random(n) * 9).astype(dtype) for n in (12, shape))
            n = 12 - max(shape) + 1
            expected = np.zeros(n, dtype)
            for a, b, c in np.ndindex(*shape):
                w, v, u = (x[m - 1 - k : m - 1 - k + n] for m, k in zip(shape, (a, b, c)))
                expected += h[a, b, c] * w * v * u
            found = signal.convolve1d3o(cp.asarray(x), cp.asarray(h))
            assert found.dtype == dtype
            np.testing.assert_allclose(found.get(), expected, rtol=1e-11)
    for args in ((cp.zeros((3, 3)), cp.zeros((1, 1, 1))), (cp.zeros(3), cp.zeros((1, 1)))):
        with pytest.raises(ValueError):
            signal.convolve1d3o(*args)
    for options in ({'mode': 'full'}, {'mode': 'same'}, {'method': 'fft'}):
        with pytest.raises(NotImplementedError):
            signal.convolve1d3o(cp.zeros(5), cp.zeros((2, 2, 2)), **options)


def test_channelize_poly():
    for n, taps, channels in ((64, 12, 4), (50, 13, 3), (5, 24, 2), (96, 8, 8)):
        for dtype in ('float64', 'float32', 'complex64', 'complex128'):
            part = RNG.standard_normal
            x, h = ((part(size) + (1j * part(size) if dtype[0] == 'c' else 0)).astype(dtype) for size in (n, taps))
            found = signal.channelize_poly(cp.asarray(x), cp.asarray(h), channels)
            each, blocks = taps // channels, n // channels
            expected = np.zeros((channels, blocks), complex)
            for i in range(blocks):
                v = np.zeros(channels, complex)
                for t in range(min(each, i + 1)):
                    block = x[(i - t) * channels : (i - t + 1) * channels][::-1]
                    v += np.conj(h[t * channels : (t + 1) * channels]) * np.conj(block)
                expected[:, i] = np.conj(np.fft.fft(v))
            assert found.dtype == ('complex64' if dtype in ('float32', 'complex64') else 'complex128')
            np.testing.assert_allclose(found.get(), expected, atol=1e-4 if found.dtype == 'complex64' else 1e-11)
    with pytest.raises(ValueError):
        signal.channelize_poly(cp.zeros(9), cp.zeros(2), 3)


def test_pulses():
    x = RNG.standard_normal((6, 32)) + 1j * RNG.standard_normal((6, 32))
    template = RNG.standard_normal(9)
    for window in (None, 'hann', ('kaiser', 4.0), cp.asarray(RNG.random(9)), lambda f: 1 - abs(f)):
        for normalize, nfft in ((False, None), (True, 48), (True, 20)):
            found = signal.pulse_compression(cp.asarray(x), cp.asarray(template), normalize, window, nfft)
            w = 1.0 if window is None else window.get() if isinstance(window, cp.ndarray) else None
            if w is None:
                w = window(np.fft.fftfreq(9)) if callable(window) else scipy.signal.get_window(window, 9, False)
            t = template * w
            t = t / np.linalg.norm(t) if normalize else t
            n = nfft or 32
            expected = np.fft.ifft(np.fft.fft(x, n) * np.conj(np.fft.fft(t, n)), n)
            np.testing.assert_allclose(found.get(), expected, atol=1e-11)
    for window in (None, 'hamming', cp.asarray(RNG.random(6))):
        for nfft in (None, 10):
            w = 1.0 if window is None else window.get() if isinstance(window, cp.ndarray) else scipy.signal.get_window(window, 6, False)
            expected = np.fft.fft(x * np.broadcast_to(w, 6)[:, None], nfft, axis=0)
            np.testing.assert_allclose(signal.pulse_doppler(cp.asarray(x), window, nfft).get(), expected, atol=1e-11)
    for call in (lambda: signal.pulse_doppler(cp.zeros(3)), lambda: signal.pulse_compression(cp.zeros(3), cp.zeros(2))):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError):
        signal.pulse_doppler(cp.zeros((3, 4)), cp.zeros(4))
