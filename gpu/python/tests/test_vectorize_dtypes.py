"""Tests of operators of translated functions for every dtype, compared with NumPy's on arrays."""

import math
import warnings

import numpy as np
import pytest

import cuprum as cp

REAL = '?bBhHiIlLefd'
X, Y = np.array([0, 1, 3, 7, 5, 2, 100]), np.array([1, 2, 0, 3, 5, 39, 7])


def operands(dtype):
    x, y = X, Y
    if dtype in 'bhilefd':
        x, y = np.concatenate([X, -X]), np.concatenate([Y, Y])
    return x.astype(dtype), y.astype(dtype)


def same(ours, expected, rtol=0):
    expected = np.asarray(expected)
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(ours.get(), expected, rtol=rtol)


def arithmetic(x, y):
    return x + y, x * y, x / y, x // y, x % y, x**y, +x if x < y else x, abs(x)


def logic(x, y):
    return x < y, x <= y, x == y, x != y, x > y, x >= y, not x, x and y, x or y, x if y else 1, 0 < x <= 5, x in (1, 7)


def bits(x, y):
    return ~x, x & y, x | y, x ^ y, x << y, x >> y


@pytest.mark.parametrize('dtype', REAL)
def test_operators(dtype):
    x, y = operands(dtype)
    ours = cp.asarray(x), cp.asarray(y)
    with np.errstate(all='ignore'):
        plus = x if dtype == '?' else np.positive(x)
        expected = x + y, x * y, x / y, x // y, x % y, x ** np.abs(y), plus, abs(x)
        made = cp.vectorize(arithmetic if dtype != '?' else lambda x, y: (x + y, x * y, x / y, x // y, x % y, x**y, x, abs(x)))(*ours)
    for k, (one, other) in enumerate(zip(made, expected, strict=True)):
        # pow is not rounded correctly.
        same(one, other, rtol=4 * np.finfo(dtype).eps if k == 5 and dtype in 'efd' else 0)
    truth = x.astype(bool)
    expected = (
        x < y,
        x <= y,
        x == y,
        x != y,
        x > y,
        x >= y,
        ~truth,
        np.where(truth, y, x),
        np.where(truth, x, y),
        np.where(y.astype(bool), x, x.dtype.type(1)) if dtype != '?' else np.where(y, x, 1),
        (0 < x) & (x <= 5),
        (x == 1) | (x == 7),
    )
    for one, other in zip(cp.vectorize(logic)(*ours), expected, strict=True):
        same(one, other)
    if dtype not in 'efd':
        for one, other in zip(cp.vectorize(bits)(*ours), (~x, x & y, x | y, x ^ y, x << y, x >> y), strict=True):
            same(one, other)
    if dtype != '?':
        same(cp.vectorize(lambda x: -x)(ours[0]), -x)


@pytest.mark.parametrize('dtype', 'FD')
def test_operators_of_complex_numbers(dtype):
    x = np.array([1 + 2j, 3, -1j, 2 - 1j, 0, 2 + 3j]).astype(dtype)
    y = np.array([2, 3 - 1j, -1j, 2 + 1j, 1, 2 + 1j]).astype(dtype)
    ours = cp.asarray(x), cp.asarray(y)
    made = cp.vectorize(lambda x, y: (x + y, x * y, x / y, x**y, x.real, y.imag, abs(x), -x))(*ours)
    for one, other in zip(made, (x + y, x * y, x / y, x**y, x.real, y.imag, abs(x), -x), strict=True):
        same(one, other, rtol=8 * np.finfo(dtype).eps)
    truth = x.astype(bool)
    made = cp.vectorize(lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, not x, x and y, x if x else 1))(*ours)
    expected = x < y, x <= y, x > y, x >= y, x == y, ~truth, np.where(truth, y, x), np.where(truth, x, x.dtype.type(1))
    for one, other in zip(made, expected, strict=True):
        same(one, other)
    with pytest.warns(np.exceptions.ComplexWarning):
        same(cp.vectorize(lambda x: np.float32(x))(ours[0]), x.real.astype('f'))


@pytest.mark.parametrize(
    'function, dtype',
    [
        (lambda x: -x, '?'),
        (lambda x: x - x, '?'),
        (lambda x: ~x, 'd'),
        (lambda x: x << 1, 'f'),
        (lambda x: x // x, 'D'),
        (lambda x: x % x, 'F'),
        (lambda x: ~x, 'F'),
        (lambda x: float(x), 'D'),
    ],
    ids=['-?', '?-?', '~d', 'f<<', 'D//', 'F%', '~F', 'float'],
)
def test_what_numpy_has_not_is_a_type_error(function, dtype):
    with pytest.raises(TypeError):
        cp.vectorize(function)(cp.ones(3, dtype=dtype))


def test_powers_of_integers_are_integers():
    x = np.arange(54)
    same(cp.vectorize(lambda x: x**2)(cp.asarray(x)), x**2)
    power = cp.vectorize(lambda x, y: x**y)
    same(power(cp.array([3, 3, 2, -3]), cp.array([1, 39, 64, 41])), np.array([3, 3, 2, -3]) ** np.array([1, 39, 64, 41]))
    # NumPy raises for these; the result is the integer part of the quotient.
    same(power(cp.array([2, 1, -1, -1, 0]), cp.array([-1, -5, -3, -2, -1])), np.array([0, 1, -1, 1, 0]))
    # pow of floats is not rounded correctly.
    same(cp.vectorize(lambda x: x**0.5)(cp.array([4, 9])), np.array([2.0, 3.0]), rtol=4 * np.finfo('d').eps)


def test_every_operation_of_float16_is_rounded():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0.5, 3, (2, 200)).astype('e')
    same(cp.vectorize(lambda x, y: x * y + x * y * y)(cp.asarray(x), cp.asarray(y)), x * y + x * y * y)
    same(cp.vectorize(lambda x: x * 0.1)(cp.asarray(x)), x * np.float16(0.1))
    z = rng.uniform(-60000, 60000, 200)
    same(cp.vectorize(lambda z: np.float16(z))(cp.asarray(z)), z.astype('e'))


def test_python_numbers_take_the_dtype_of_what_they_meet():
    for dtype in 'bBef':
        x = np.arange(4).astype(dtype)
        same(cp.vectorize(lambda x: 2 * x + 1)(cp.asarray(x)), 2 * x + 1)
        same(cp.vectorize(lambda x: x + 0.5)(cp.asarray(x)), x + 0.5)

    def loops(x):
        total = 0
        for k in range(3):
            total += x * k
        return total

    same(cp.vectorize(loops)(cp.arange(3, dtype='f')), np.arange(3, dtype='f') * 3)

    def widens(x):
        s = 0
        for k in range(3):
            s += x * 0.5
        return s

    same(cp.vectorize(widens)(cp.arange(3)), np.array([0, 1.5, 3]))
    same(cp.vectorize(lambda x: x < 300)(cp.arange(3, dtype='B')), np.ones(3, bool))
    same(cp.vectorize(lambda x, y: x < y)(cp.array([-1, 5]), cp.array([1, 5], dtype='L')), np.array([True, False]))
    with pytest.raises(OverflowError, match='300 out of bounds for uint8'):
        cp.vectorize(lambda x: x + 300)(cp.arange(3, dtype='B'))


def test_functions_have_the_dtypes_of_numpy():
    for dtype in 'bhief':
        x = np.arange(1, 5).astype(dtype)
        made = cp.vectorize(lambda x: (np.sqrt(x), np.floor(x), np.minimum(x, 2), np.square(x), np.where(x > 2, x, 0), np.isfinite(x)))(cp.asarray(x))
        for one, other in zip(made, (np.sqrt(x), np.floor(x), np.minimum(x, 2), np.square(x), np.where(x > 2, x, 0), np.isfinite(x)), strict=True):
            same(one, other)
    x = np.array([-1.5, 2.5, np.nan, np.inf])
    made = cp.vectorize(lambda x: (math.floor(x) if x < 9 else 0, round(x) if x < 9 else 0, np.maximum(x, 1), np.fmax(x, 1), np.sign(x)))(cp.asarray(x))
    with np.errstate(all='ignore'):
        expected = np.array([-2, 2, 0, 0]), np.array([-2, 2, 0, 0]), np.maximum(x, 1), np.fmax(x, 1), np.sign(x)
    for one, other in zip(made, expected, strict=True):
        same(one, other)


def of_local_type(x):
    t = np.dtype('i2').type
    return t(x)


def of_type_in_a_branch(x):
    if x > 1:
        t = np.dtype('i2').type
    else:
        t = np.dtype('i4').type
    return t(x)


def test_constants_that_are_made_within():
    same(cp.vectorize(of_local_type)(cp.arange(3.0)), np.arange(3, dtype='i2'))
    with pytest.raises(TypeError):
        cp.vectorize(of_type_in_a_branch)(cp.arange(3.0))


def test_lambdas_on_one_line():
    first, second = cp.vectorize(lambda x: x + 1), cp.vectorize(lambda x: x if x > 1 else -x)
    same(first(cp.arange(3)), np.arange(1, 4))
    same(second(cp.arange(3)), np.array([0, -1, 2]))
    apart = cp.vectorize(lambda x, y: x + y)
    same(apart(cp.arange(3), 1), np.arange(1, 4))
    # Without source code the error says so.
    with pytest.raises(ValueError, match='source of <lambda> is not available'):
        cp.vectorize(eval('lambda x: x if x > 1 else -x'))(cp.arange(3))


def test_no_warning_is_given_where_nothing_is_lost():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        cp.vectorize(lambda x: x * 2)(cp.arange(3))


@pytest.mark.parametrize('condition', [True, False, np.True_, np.array(True), cp.array(False)])
def test_piecewise_of_one_bool(condition):
    x = cp.arange(3.0)
    host = condition.get() if isinstance(condition, cp.ndarray) else condition
    same(cp.piecewise(x, condition, [-1, 1]), np.where(np.asarray(host), -1.0, 1.0) * np.ones(3))
