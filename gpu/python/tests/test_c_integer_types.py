"""Tests of dtypes named by C's integer types: `long` and `long long` have the same size, and both are int64."""

import ctypes

import numpy as np
import pytest

import cuprum as cp
from same import equal, same

SIGNED = [np.longlong, 'q', 'l', 'p', 'long', 'longlong', np.dtype('q'), np.dtype('long'), np.long, np.intp, ctypes.c_longlong, ctypes.c_long]
UNSIGNED = [np.ulonglong, 'Q', 'L', 'P', np.dtype('Q'), np.ulong, np.uintp, ctypes.c_ulonglong, ctypes.c_size_t]
NARROW = [np.intc, np.uintc, 'i', 'intc', ctypes.c_int, ctypes.c_uint]
ALL = SIGNED + UNSIGNED + NARROW

WITH_A_DTYPE = {
    'zeros': lambda xp, d: xp.zeros(2, d),
    'full': lambda xp, d: xp.full(2, 3, dtype=d),
    'arange': lambda xp, d: xp.arange(3, dtype=d),
    'array': lambda xp, d: xp.array([1, 2], d),
    'eye': lambda xp, d: xp.eye(2, dtype=d),
    'like': lambda xp, d: xp.ones_like(xp.ones(2), dtype=d),
    'astype': lambda xp, d: xp.arange(3.0).astype(d),
    'view': lambda xp, d: xp.zeros(2, d).view(d),
    'ufunc': lambda xp, d: xp.add(xp.ones(2, 'b'), 1, dtype=d),
    'sum': lambda xp, d: xp.sum(xp.ones(3, 'b'), dtype=d),
    'cumsum': lambda xp, d: xp.ones(3, 'b').cumsum(dtype=d),
    'out': lambda xp, d: xp.add(xp.ones(2, 'b'), 1, out=xp.zeros(2, d)),
    'out of a sum': lambda xp, d: xp.sum(xp.ones((2, 2), 'b'), 0, out=xp.zeros(2, d)),
    'dtype': lambda xp, d: xp.dtype(d) == np.dtype(d),
    'can_cast': lambda xp, d: xp.can_cast(d, 'i8'),
    'promote': lambda xp, d: xp.promote_types(d, 'b') == np.promote_types(d, 'b'),
    'iinfo': lambda xp, d: int(xp.iinfo(d).max),
    'numpy scalar': lambda xp, d: xp.ones(2, 'b') + np.dtype(d).type(3),
}


@pytest.mark.parametrize('name', WITH_A_DTYPE)
def test_every_function_takes_the_dtypes(name):
    for dtype in ALL:
        same(lambda xp: WITH_A_DTYPE[name](xp, dtype))


def test_dtypes_of_arrays_equal_them():
    for dtype in ALL:
        a = cp.zeros(2, dtype)
        assert a.dtype == np.dtype(dtype) and np.dtype(dtype) == a.dtype
    assert cp.zeros(2, 'q').dtype == np.longlong and cp.zeros(2, 'l').dtype == np.longlong and cp.zeros(2, 'Q').dtype == np.ulonglong


def test_host_arrays_of_them_are_operands():
    for dtype in ALL:
        host = np.arange(6, dtype=dtype).reshape(2, 3)
        equal(cp.asarray(host), host)
        equal(cp.asarray(host[:, ::2]), host[:, ::2])
        equal(cp.asarray(host, dtype='l'), host.astype('l'))
        same(lambda xp: xp.arange(8)[xp.asarray(host)])
        same(lambda xp: xp.take(xp.arange(8), host))
        if np.dtype(dtype).kind == 'i':
            equal(cp.from_dlpack(host), host)
        a = cp.zeros((2, 3))
        a[...] = host
        equal(a, host.astype(float))
        out = np.zeros((2, 3), dtype)
        assert cp.asarray(host).get(out=out) is out
        np.testing.assert_array_equal(out, host)
