"""Tests of the Fourier transforms that kernels of the library's own compute: powers of two along strided axes, and rows with a factor."""

import numpy as np
import pytest

import cuprum as cp

CASES = [
    # shape, axis, dtype, inverse, norm
    ((8192, 35), 0, 'complex64', False, None),
    ((8192, 32), 0, 'complex64', True, None),
    ((16384, 17), 0, 'complex64', True, 'ortho'),
    ((65536, 16), 0, 'complex64', False, 'forward'),
    ((4096, 65), 0, 'complex128', False, None),
    ((3, 4096, 24), 1, 'complex128', True, None),
    ((2, 8192, 20), 1, 'complex64', False, None),
    ((1030, 256), 1, 'complex64', True, None),
    ((515, 512), -1, 'complex128', True, None),
    ((260, 1024), 1, 'complex64', False, 'forward'),
    ((129, 2048), 1, 'complex128', True, 'ortho'),
]


def numbers(shape, dtype):
    parts = np.random.default_rng(7).standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


def check(result, expected, dtype):
    """The error is bounded as in the harness, by the logarithm of the length."""
    bound = 8 * np.finfo(dtype).eps * np.abs(expected).max()
    assert result.dtype == dtype and result.shape == expected.shape
    np.testing.assert_allclose(result.get(), expected, rtol=0, atol=bound)


@pytest.mark.parametrize('shape, axis, dtype, inverse, norm', CASES)
def test_passes_agree_with_numpy(shape, axis, dtype, inverse, norm):
    host = numbers(shape, dtype)
    ours, theirs = (cp.fft.ifft, np.fft.ifft) if inverse else (cp.fft.fft, np.fft.fft)
    expected = theirs(host.astype('complex128'), axis=axis, norm=norm)
    check(ours(cp.asarray(host), axis=axis, norm=norm), expected, dtype)


@pytest.mark.parametrize('axis', [0, 1])
def test_transposed_and_cut_operands(axis):
    host = numbers((40, 8192), 'complex64')
    a = cp.asarray(host)
    expected = np.fft.fft(host.astype('complex128').T, axis=axis)
    check(cp.fft.fft(a.T, axis=axis), expected, 'complex64')
    cut = slice(None, None, 2) if axis else slice(0, 33)
    check(cp.fft.fft(a[cut].T, axis=0), np.fft.fft(host[cut].astype('complex128').T, axis=0), 'complex64')


def test_the_operand_may_be_overwritten():
    host = numbers((8192, 33), 'complex64')
    a = cp.asarray(host)
    result = cp.scipy.fft.fft(a, axis=0, overwrite_x=True)
    check(result, np.fft.fft(host.astype('complex128'), axis=0), 'complex64')


def test_results_are_those_of_the_library_with_a_plan():
    host = numbers((8192, 33), 'complex64')
    a = cp.asarray(host)
    plan = cp.scipy.fft.get_fft_plan(a, axes=0)
    with_plan, without = cp.scipy.fft.fft(a, axis=0, plan=plan), cp.scipy.fft.fft(a, axis=0)
    check(with_plan, without.get(), 'complex64')


def test_roots_of_unity_are_exact_at_the_axes():
    # The transform of an impulse at 1 is the roots themselves.
    a = cp.zeros((8192, 32), 'complex128')
    a[1] = 1
    roots = cp.fft.fft(a, axis=0)[:, 0].get()
    quarter = 2048
    assert (roots[0], roots[quarter], roots[2 * quarter], roots[3 * quarter]) == (1, -1j, -1, 1j)
    angle = 2 * np.pi * np.arange(8192, dtype=np.longdouble) / 8192 * (np.longdouble(4) * np.arctan(np.longdouble(1)) / np.pi)
    exact = np.cos(angle) - 1j * np.sin(angle)
    # Three products, each of a root that is rounded once: 3 (sqrt(5) + sqrt(1/2)) 2^-53.
    assert np.abs(roots - exact).max() <= 3 * (5**0.5 + 0.5**0.5) * 2.0**-53
