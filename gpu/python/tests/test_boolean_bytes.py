"""Tests of booleans whose bytes are neither 0 nor 1, written by other code: each function treats nonzero bytes as
True."""

import numpy as np
import pytest

import cuprum as cp

BYTES = np.array([[0, 5, 1, 0], [255, 128, 0, 2]], dtype='u1')
TRUE = BYTES != 0

CALLS = {
    'cast': lambda xp, b: b.astype('i1'),
    'copy': lambda xp, b: b.copy(),
    'sum': lambda xp, b: b.sum(),
    'sum of columns': lambda xp, b: b.sum(0),
    'mean': lambda xp, b: b.mean(),
    'maximum': lambda xp, b: b.max(0),
    'count': lambda xp, b: xp.asarray(xp.count_nonzero(b, axis=1)),
    'scan': lambda xp, b: b.cumsum(),
    'add': lambda xp, b: b + xp.ones(4, int),
    'equal': lambda xp, b: b == xp.ones(4, bool),
    'not': lambda xp, b: ~b,
    'and': lambda xp, b: b & xp.ones(4, bool),
    'exclusive or': lambda xp, b: b ^ b[::-1],
    'sort': lambda xp, b: xp.sort(b, axis=None),
    'unique': lambda xp, b: xp.unique(b),
    'join': lambda xp, b: xp.concatenate([b, b]),
    'join many': lambda xp, b: xp.stack([b[0]] * 9),
    'take': lambda xp, b: xp.take(b, xp.asarray([3, 1, 0]), axis=1),
    'rows at indices': lambda xp, b: b[xp.asarray([1, 0, 1])],
    'columns at indices': lambda xp, b: b[:, xp.asarray([[3], [1]])],
    'elements at indices': lambda xp, b: b[xp.asarray([1, 0, 1]), xp.asarray([0, 1, 3])],
    'elements of a mask': lambda xp, b: b[xp.asarray(TRUE)],
    'mask': lambda xp, b: xp.arange(8).reshape(2, 4)[b],
    'where': lambda xp, b: xp.where(b, 3, 4),
    'bits': lambda xp, b: xp.packbits(b),
    'product': lambda xp, b: b @ b.T,
    'products of a batch': lambda xp, b: xp.vecdot(b, b[:, ::-1]),
}


def given(layout):
    """Returns the bytes as booleans in a layout, and their values."""
    b, true = cp.asarray(BYTES).view(bool), TRUE
    return {'dense': (b, true), 'strided': (b[:, ::-1], true[:, ::-1]), 'broadcast': (cp.broadcast_to(b[1], (2, 4)), np.broadcast_to(true[1], (2, 4)))}[layout]


def bytes_of(a):
    return a.view('u1') if a.dtype == bool else a


@pytest.mark.parametrize('layout', ['dense', 'strided', 'broadcast'])
@pytest.mark.parametrize('name', CALLS)
def test_what_is_not_0_is_true(name, layout):
    b, true = given(layout)
    got, expected = CALLS[name](cp, b).get(), np.asarray(CALLS[name](np, true))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(bytes_of(np.ascontiguousarray(got)), bytes_of(np.ascontiguousarray(expected)))


def test_the_bytes_themselves_stay():
    a = cp.asarray(BYTES)
    a.view(bool).sum()
    np.testing.assert_array_equal(a.get(), BYTES)
    np.testing.assert_array_equal(a.view(bool).view('u1').get(), BYTES)


def test_in_place():
    b = cp.asarray(BYTES).view(bool)
    b |= cp.asarray([True, False, False, False])
    np.testing.assert_array_equal(b.view('u1').get(), [[1, 1, 1, 0], [1, 1, 0, 1]])


def test_booleans_of_the_host():
    host = BYTES.view(bool)
    assert int(cp.asarray(host).sum()) == 5
    b = cp.zeros((2, 4), bool)
    b.set(host)
    assert int(b.sum()) == 5


def test_booleans_that_a_kernel_writes():
    kernel = cp.RawKernel('extern "C" __global__ void f(unsigned char *p) { p[threadIdx.x] = 2 * threadIdx.x; }', 'f')
    b = cp.zeros(4, bool)
    kernel((1,), (4,), (b,))
    assert b.astype('i1').tolist() == [0, 1, 1, 1]


def test_booleans_that_another_library_writes():
    b = cp.from_dlpack(cp.asarray(BYTES).view(bool))
    assert int(b.sum()) == 5
    shared = cp.zeros(3, bool)
    # Code with access to the memory may write any byte.
    cp.from_dlpack(shared).view('u1')[...] = 7
    assert int(shared.sum()) == 3
