"""Tests of complex numbers in kernels in Python: arithmetic of both widths with all other dtypes, and comparisons."""

import itertools

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx import jit

WITH_COMPLEX = [pair for pair in itertools.product('fdFDil?', repeat=2) if {*pair} & {*'FD'}]
SCALARS = [np.float32(0.1), np.float64(0.1), np.complex64(0.1 + 0.2j), np.complex128(0.1 + 0.2j), 0.1, 2, 0.1 + 0.2j]


@jit.rawkernel(mode='numpy')
def calculated(x, y, real, out):
    i = jit.threadIdx.x
    out[0, i] = x[i] + y[i]
    out[1, i] = x[i] - y[i]
    out[2, i] = x[i] * y[i]
    out[3, i] = x[i] / y[i]
    out[4, i] = (x[i] + y[i]) * 0.1
    out[5, i] = (1 + 2j) * x[i] - y[i]
    out[6, i] = abs(x[i] + y[i])
    v = x[i]
    v += y[i]
    v *= y[i]
    out[7, i] = v
    real[0, i] = x[i] == y[i]
    real[1, i] = x[i] != y[i]
    real[2, i] = x[i] < y[i]
    real[3, i] = x[i] <= y[i]
    real[4, i] = x[i] > y[i]
    real[5, i] = x[i] >= y[i]


def added(x, y, out):
    out[0] = x[0] + y[0]
    out[1] = x[0] * 0.1
    out[2] = x[0] + 1j
    out[3] = y[0] * 16777217


@pytest.mark.parametrize('mode', ['numpy', 'cuda'])
@pytest.mark.parametrize('dtype', ['i', 'L'])
def test_integers_beside_complex64(mode, dtype):
    """complex64 cannot represent 32-bit integers: NumPy's loops compute in complex128, C++'s overloads in complex64."""
    x, y = np.array([16777217], dtype), np.array([0.1 + 0.3j], 'F')
    out = cp.zeros(4, 'D')
    jit.rawkernel(mode=mode)(added)[1, 1](cp.array(x), cp.array(y), out)
    if mode == 'numpy':
        expected = [x + y, x * 0.1, x + 1j, y * 16777217]
    else:
        expected = [x.astype('F') + y, x.astype('f') * np.float32(0.1), x.astype('F') + np.complex64(1j), y * 16777217]
    np.testing.assert_array_equal(out.get(), np.concatenate(expected))


def operands(dtype, order):
    x = np.array([1.25, -2.5, 3.1, 0.7])[::order]
    if dtype in 'FD':
        x = x + 0.3j * x[::-1]
    return x.astype(bool if dtype == '?' else dtype)


@pytest.mark.parametrize('left, right', WITH_COMPLEX)
def test_arithmetic_and_comparisons(left, right):
    x, y = operands(left, 1), operands(right, -1)
    # Numbers that are equal, and ones that differ only in the imaginary part.
    if {left, right} <= {*'FD'}:
        y[0], y[1] = x[0], x[1].real + 1j
    out, real = cp.zeros((8, 4), 'D'), cp.zeros((6, 4), bool)
    calculated[1, 4](cp.array(x), cp.array(y), real, out)
    with np.errstate(all='ignore'):
        expected = [x + y, x - y, x * y, x / y, (x + y) * 0.1, (1 + 2j) * x - y, abs(x + y), (x + y) * y]
    for got, one in zip(out.get(), expected):
        finite = np.isfinite(one)
        np.testing.assert_allclose(got[finite], one[finite], rtol=1e-6 if one.dtype.char in 'fF' else 1e-13, atol=1e-15)
    np.testing.assert_array_equal(real.get(), [x == y, x != y, x < y, x <= y, x > y, x >= y])


@jit.rawkernel(mode='numpy')
def with_a_scalar(x, s, out):
    i = jit.threadIdx.x
    out[0, i] = x[i] + s
    out[1, i] = s - x[i]
    out[2, i] = x[i] * s
    out[3, i] = s / x[i]


@pytest.mark.parametrize('scalar', SCALARS, ids=lambda s: type(s).__name__)
def test_scalars(scalar):
    strong = scalar if isinstance(scalar, np.generic) else np.asarray(scalar)[()]
    for dtype in 'fdFD':
        x = operands(dtype, 1)
        expected = np.array([x + strong, strong - x, x * strong, strong / x])
        out = cp.zeros((4, 4), 'D')
        with_a_scalar[1, 4](cp.array(x), scalar, out)
        np.testing.assert_allclose(out.get(), expected, rtol=1e-6 if expected.dtype.char in 'fF' else 1e-13)
