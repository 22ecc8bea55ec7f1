"""Tests of kernels in Python."""

import math
import os

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx import jit


@jit.rawkernel()
def copied(x, y, size):
    """Copies."""
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def test_a_loop_over_a_grid():
    x, y = cp.arange(1000, dtype=np.float32), cp.zeros(1000, dtype=np.float32)
    copied((4,), (32,), (x, y, np.uint32(1000)))
    np.testing.assert_array_equal(y.get(), x.get())
    z = cp.zeros(2000, dtype=np.float32)[::2]
    copied[4, 32](x, z, 1000)
    np.testing.assert_array_equal(z.get(), x.get())
    assert len(copied.cached_codes) == 2 and copied.__name__ == 'copied'
    with pytest.raises(RuntimeError, match='2 kinds'):
        copied.cached_code


SCALE = 3


@jit.rawkernel(device=True)
def clipped(x, low):
    if x < low:
        return low
    return x


@jit.rawkernel()
def elements(x, out):
    i, j = jit.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        a, b = x[i, j], SCALE
        a, b = b, a
        value = math.sqrt(b * b) if j % 2 == 0 else -b // 2
        out[i, j] = clipped(value, 1.5) + cp.float32(a)


def test_axes_branches_constants_and_functions():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for given in (cp.array(x), cp.array(x.T.copy()).T):
        out = cp.zeros((3, 4), dtype=np.float32)
        elements((1, 1), (4, 4), (given, out))
        even = np.arange(4) % 2 == 0
        np.testing.assert_array_equal(out.get(), np.maximum(np.where(even, x, -x // 2), 1.5) + 3)


@jit.rawkernel()
def summed(x, out):
    room = jit.shared_memory(np.float32, 64)
    t = jit.threadIdx.x
    total = np.float32(0)
    for i in range(jit.grid(1), len(x), jit.gridsize(1)):
        total += x[i]
    room[t] = total
    jit.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            room[t] += room[t + step]
        jit.syncthreads()
        step >>= 1
    if t == 0:
        jit.atomic_add(out, 0, room[0])


@jit.rawkernel()
def rotated(x):
    value = x[jit.laneid() % jit.warpsize]
    for _i in jit.range(5, unroll=True):
        value += jit.shfl_xor_sync(0xFFFFFFFF, value, 1 << _i)
    jit.syncwarp()
    x[jit.threadIdx.x] = value


@jit.rawkernel(mode='numpy')
def wide(out):
    out[0] = 7 // -2
    out[1] = -7 % 3
    out[2] = 1 / 3
    out[3] = 2**10


@jit.rawkernel()
def met(x, y):
    block = jit.blockIdx.x
    x[block] = block + 1
    grid = jit.cg.this_grid()
    jit.cg.sync(grid)
    y[block] = x[1 - block]


def test_threads_work_together():
    out = cp.zeros(1, dtype=np.float32)
    summed((2,), (64,), (cp.arange(500, dtype=np.float32), out))
    assert float(out[0]) == 500 * 499 / 2
    x = cp.arange(32, dtype=np.int32)
    rotated((1,), (32,), (x,))
    assert x.tolist() == [496] * 32
    out = cp.zeros(4)
    wide((1,), (1,), (out,))
    assert out.tolist() == [-4, 2, 1 / 3, 1024]
    y = cp.zeros(2, dtype=np.int32)
    met((2,), (1,), (cp.zeros(2, dtype=np.int32), y))
    assert y.tolist() == [2, 1]


@jit.rawkernel()
def staged(x, y):
    """Copies 64 numbers to shared memory and writes them in reverse; the second half is copied asynchronously."""
    block = jit.cg.this_thread_block()
    room = jit.shared_memory(np.float32, 64)
    jit.cg.memcpy_async(block, room, 0, x, 0, 128, aligned_size=16)
    jit.cg.memcpy_async(block, room, 32, x, 32, np.int64(128))
    jit.cg.wait_prior(block, 1)
    at = jit.threadIdx.x
    y[31 - at] = room[at]
    jit.cg.wait(block)
    y[63 - at] = room[32 + at]


@jit.rawkernel()
def hasty(x, y):
    block = jit.cg.this_thread_block()
    room = jit.shared_memory(np.float32, 64)
    jit.cg.memcpy_async(block, room, 0, x, 0, 256)
    y[jit.threadIdx.x] = room[jit.threadIdx.x]


def test_copies_that_are_waited_for():
    # At every alignment: of 16 bytes, of 4, and of neither if the elements are bytes.
    for first in range(3):
        x, y = cp.arange(70, dtype=np.float32)[first : first + 64], cp.zeros(64, dtype=np.float32)
        staged[1, 32](x, y)
        expected = x.get()
        np.testing.assert_array_equal(y.get(), np.concatenate([expected[31::-1], expected[:31:-1]]))
    # The simulator detects a missing wait.
    if os.environ['CUPRUM_DEVICE'].startswith('sim'):
        with pytest.raises(RuntimeError, match='cp.async'):
            hasty[1, 32](cp.zeros(64, dtype=np.float32), cp.zeros(64, dtype=np.float32))
            cp.cuda.Device().synchronize()
    assert isinstance(staged.cached_code, str)


@jit.rawkernel()
def listing(x):
    y = [1, 2]


@jit.rawkernel()
def strayed(x):
    x[0] = nowhere


@jit.rawkernel()
def atomic(x):
    jit.atomic_add(x, 0, 1)


@jit.rawkernel()
def four_axes(x):
    x[0] = jit.grid(4)


@jit.rawkernel()
def planar(x):
    assert x.dtype == np.int16, 'the type is known during translation'
    assert x.ndim == 2


def test_what_is_not_in_the_subset_is_rejected_at_its_line():
    x = cp.zeros(3, dtype=np.int16)
    for kernel, error, said in (
        (listing, TypeError, 'List is not in the subset'),
        (strayed, NameError, 'nowhere has no value'),
        (atomic, TypeError, 'and not of int16'),
        (four_axes, ValueError, 'not 4'),
        (planar, AssertionError, 'x.ndim == 2 is false'),
    ):
        with pytest.raises(error, match=said):
            kernel((1,), (1,), (x,))
    with pytest.raises(TypeError, match=r'test_jit.py:\d+'):
        listing((1,), (1,), (x,))
    with pytest.raises(TypeError, match='takes 3 positional arguments but 1'):
        copied((1,), (1,), (x,))
    with pytest.raises(TypeError, match='str is no argument'):
        copied((1,), (1,), (x, x, 'a'))
    with pytest.raises(RuntimeError, match='in a kernel alone'):
        jit.syncthreads()
    with pytest.raises(RuntimeError, match='kernels call it'):
        clipped((1,), (1,), (1, 2))
