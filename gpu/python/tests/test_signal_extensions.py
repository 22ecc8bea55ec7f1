"""Continuations of signals, states and systems as arguments of filters of `cupyx.scipy.signal`, against SciPy's."""

import itertools

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx.scipy import signal

pytest.importorskip('scipy', minversion='1.17')
import scipy.signal as expected  # noqa: E402

RNG = np.random.default_rng(5)
MODES = ['constant', 'symmetric', 'reflect', 'edge', 'wrap', 'smooth', 'line', 'antisymmetric', 'antireflect']


def move(x):
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


def same(name, *args, tolerance=1e-12, **options):
    found = getattr(signal, name)(*map(move, args), **options)
    wanted = getattr(expected, name)(*args, **options)
    assert isinstance(found, cp.ndarray) and (found.dtype, found.shape) == (wanted.dtype, wanted.shape), (name, options, found.dtype, wanted.dtype)
    tolerance = max(tolerance, 100 * float(np.finfo(wanted.dtype).eps))
    np.testing.assert_allclose(found.get(), wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max(initial=1e-300), err_msg=str((name, args[1:], options)))


def rejected(name, *args, **options):
    with pytest.raises(Exception) as wanted:
        getattr(expected, name)(*args, **options)
    with pytest.raises(wanted.type):
        getattr(signal, name)(*map(move, args), **options)


def test_upfirdn_continues_signals_by_all_rules():
    for mode, n, taps in itertools.product(MODES, (2, 5, 12), (1, 2, 3, 11, 40)):
        h = RNG.standard_normal(taps)
        for up, down in ((1, 1), (3, 2), (2, 5)):
            same('upfirdn', h, RNG.standard_normal(n), up, down, mode=mode)
    for mode in MODES:
        same('upfirdn', np.arange(1.0, 6), RNG.standard_normal((2, 6, 3)).astype('float32'), 2, 1, 1, mode)
        same('upfirdn', np.arange(1.0, 6), RNG.integers(0, 9, (4, 5)), 1, 2, 0, mode)
        same('upfirdn', np.arange(1.0, 6) * 1j, RNG.standard_normal(9) + 1j, 3, 1, mode=mode)
    rejected('upfirdn', 3.0, np.ones(4))
    rejected('upfirdn', [1.0], np.ones(4), mode='mirror')


def test_resample_poly_continues_signals_by_all_rules():
    for mode in MODES:
        for n, (up, down) in itertools.product((5, 30), ((3, 2), (2, 3), (1, 4))):
            same('resample_poly', RNG.standard_normal(n), up, down, padtype=mode)
        same('resample_poly', RNG.standard_normal((3, 12)), 2, 1, 1, padtype=mode)
    rejected('resample_poly', np.ones(9), 2, 1, padtype='none')


def test_systems_that_decimate():
    x = RNG.standard_normal((2, 300))
    for design in (('butter', 5, 0.2), ('cheby1', 4, 0.5, 0.3)):
        for zero_phase in (True, False):
            ours, theirs = (module.dlti(*getattr(module, design[0])(*design[1:], output='zpk')) for module in (signal, expected))
            found = signal.decimate(cp.asarray(x), 3, ftype=ours, zero_phase=zero_phase).get()
            np.testing.assert_allclose(found, expected.decimate(x, 3, ftype=theirs, zero_phase=zero_phase), rtol=1e-9, atol=1e-9)
    h = np.hanning(9) / np.hanning(9).sum()
    for zero_phase in (True, False):
        found = signal.decimate(cp.asarray(x), 4, ftype=signal.dlti(h, [1.0] + [0.0] * 8), zero_phase=zero_phase).get()
        np.testing.assert_allclose(found, expected.decimate(x, 4, ftype=expected.dlti(h, [1.0] + [0.0] * 8), zero_phase=zero_phase), rtol=1e-9, atol=1e-9)
    rejected('decimate', x, 3, -1)
    rejected('decimate', x, 3, ftype='other')


def test_states_and_sections():
    x = RNG.standard_normal(20)
    for b, a, states in (([1.0], [1.0], 1), ([1.0, 2], [1.0], 2), ([1.0], [1.0, 0.5], 0), ([1.0, 2], [1.0, 0.5], 2)):
        rejected('lfilter', b, a, x, zi=np.ones(states))
    sos = expected.butter(4, 0.3, output='sos')
    same('sosfilt_zi', sos * 2)
    rejected('sosfilt_zi', sos[0])
    same('symiirorder2', x, 0, 0, 1e-3)
    same('symiirorder2', RNG.standard_normal((3, 50)), 0.5, 0.0)
    # SciPy adds the terms of the first states in float16.
    half = 2 * float(np.finfo('float16').eps)
    same('symiirorder1', RNG.standard_normal(50).astype('float16'), 1.2, 0.3, tolerance=half)
    same('symiirorder2', RNG.standard_normal(50).astype('float16'), 0.3, 0.2, tolerance=half)
    for name in ('cspline2d', 'qspline2d'):
        same(name, RNG.standard_normal((50, 50)).astype('float16'), tolerance=half)


def test_whole_numbers_as_floats():
    x = RNG.standard_normal(30)
    same('savgol_filter', x, 5.0, 2, mode='nearest')
    same('savgol_filter', x, 5.0, 2, mode='wrap')
    rejected('savgol_filter', x, 5.5, 2)
    rejected('savgol_filter', x, 5, 2, 1.0)


def test_fill_values_of_integers():
    a, b = RNG.integers(0, 50, (4, 5)), RNG.integers(0, 9, (2, 3))
    for name in ('convolve2d', 'correlate2d'):
        same_integers(name, a, b, 'same', 'fill', 2.5)
        same_integers(name, a, b, 'full', 'fill', -3)
        for fill in (np.nan, 1j):
            rejected(name, a, b, 'full', 'fill', fill)
        rejected(name, a * 1.0, b * 1.0, 'full', 'fill', 1j)


def same_integers(name, *args):
    np.testing.assert_array_equal(getattr(signal, name)(*map(move, args)).get(), getattr(expected, name)(*args))
