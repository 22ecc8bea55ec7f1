"""Tests of values in kernels in Python: types, host constants, tuples, device functions."""

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx import jit

ONE = ((1,), (1,))
MISSING, FLAG, WORD, TYPE, UNROLL, TABLE = None, True, 'add', np.dtype('i2'), 4, (5, 7)


@jit.rawkernel()
def operators(x, y, out):
    out[0] = x[0] ** y[0]
    out[1] = x[1] ** y[1]
    out[2] = x[2] % y[2]
    out[3] = x[2] // y[2]
    out[4] = -x[3]
    out[5] = ~x[3]
    out[6] = x[0] ** 2


def test_integer_operators():
    for dtype in ('int32', 'int64', 'uint64', 'uint8'):
        x = np.array([3, 2, 7, 1], dtype)
        y = np.array([39, 70, 4, 0], dtype)
        out = cp.zeros(7, dtype=dtype)
        operators(*ONE, (cp.array(x), cp.array(y), out))
        expected = np.stack([x[0:1] ** y[0:1], x[1:2] ** y[1:2], x[2:3] % y[2:3], x[2:3] // y[2:3], -x[3:], ~x[3:], x[:1] ** 2]).ravel()
        np.testing.assert_array_equal(out.get(), expected)


@jit.rawkernel()
def widened(x, out):
    s = 0
    for k in range(3):
        s += x[k] * 0.5
    out[0] = s
    for i in range(jit.threadIdx.x, 2):
        out[1] += i + 1
    for i in range(x.size - 2):
        out[2] += i + 1
    for i in range(1, -3, -2):
        out[3] = out[3] * 10 + i


def test_variables_hold_all_that_is_assigned():
    out = cp.zeros(4)
    widened(*ONE, (cp.array([0.0, 1.0, 2.0]), out))
    assert out.tolist() == [1.5, 3, 1, 9]


@jit.rawkernel()
def unsigned(y):
    y[0] = jit.threadIdx.x - 1
    y[1] = jit.blockDim.x - 2
    y[2] = jit.gridDim.x - jit.blockIdx.x
    y[3] = jit.grid(1) - 1


def test_indices_of_threads_are_unsigned():
    y = cp.zeros(4, dtype=np.int64)
    unsigned(*ONE, (y,))
    assert y.tolist() == [2**32 - 1, 2**32 - 1, 1, 2**32 - 1]


@jit.rawkernel()
def constants(x):
    if MISSING is None and MISSING == None:  # noqa: E711
        x[0] = cp.dtype(TYPE).type(7)
    else:
        x[0] = nowhere
    if not FLAG or MISSING is not None:
        nowhere()
    if WORD != 'add':
        nowhere()
    elif x.dtype == np.float64:
        x[1] = cp.inf
    total = 0
    for k in jit.range(5, unroll=UNROLL):
        total += k
    for k in jit.range(2, unroll=MISSING):
        total += TABLE[1] + len(TABLE)
    x[2] = total
    x[3] = 1 if FLAG else nowhere
    x[4] = x[3] if x.ndim == 2 else 2.5


def test_constants_of_the_host_decide_at_translation():
    x = cp.zeros(5)
    constants(*ONE, (x,))
    assert x.tolist() == [7, np.inf, 28, 1, 2.5]


@jit.rawkernel()
def parts(x, out):
    g = jit.cg.this_thread_block()
    d = g.group_dim()
    out[0] = d.x
    s = x.shape
    out[1] = s[0] * 10 + s[-1]
    pair = (x[1, 2], d.y + 1)
    for k in range(2):
        pair = (pair[1], pair[0] + 1)
    out[2], out[3] = pair
    rows, columns = x.shape
    out[4] = rows * columns + len(s)
    i, j = jit.grid(2)
    where = jit.grid(2)
    out[5] = i + j + where[0]
    a = b = 3
    out[6] = a + b
    out[7] = g.thread_index().z + g.group_index().x + g.dim_threads().x + g.num_threads() + g.thread_rank()


@jit.rawkernel()
def of_grid(out):
    grid = jit.cg.this_grid()
    out[0] = grid.dim_blocks().x * 10 + grid.block_index().y
    out[1] = grid.num_blocks() + grid.num_threads() + grid.block_rank() + grid.thread_rank()
    out[2] = grid.is_valid()
    jit.cg.sync(grid)


def test_tuples_and_triples():
    out = cp.zeros(8)
    parts(*ONE, (cp.arange(6.0).reshape(2, 3), out))
    assert out.tolist() == [1, 23, 6, 3, 8, 0, 6, 2]
    out = cp.zeros(3)
    of_grid(*ONE, (out,))
    assert out.tolist() == [10, 2, 1]


def make(n):
    @jit.rawkernel(device=True)
    def add(x):
        return x + n

    return add


def chain(n):
    @jit.rawkernel(device=True)
    def link(x):
        if n == 0:
            return x
        return chain(n - 1)(x) * 2

    return link


def endless(n):
    @jit.rawkernel(device=True)
    def link(x):
        return endless(n + 1)(x)

    return link


@jit.rawkernel(device=True)
def recursive(x):
    return recursive(x - 1)


def helper(x, y):
    """Has no decorator."""
    return make(3)(x) if y == 3 else x * y


@jit.rawkernel()
def calls(x):
    x[0] = make(10)(x[0]) + make(20)(x[0])
    x[1] = chain(5)(x[1])
    x[2] = helper(x[2], 4)


@jit.rawkernel()
def without_end(x):
    x[0] = endless(0)(x[0])


@jit.rawkernel()
def calls_itself(x):
    x[0] = recursive(x[0])


def test_device_functions():
    x = cp.ones(3)
    calls(*ONE, (x,))
    assert x.tolist() == [32, 32, 4]
    for kernel, said in ((without_end, 'without end'), (calls_itself, 'calls itself')):
        with pytest.raises(ValueError, match=said):
            kernel(*ONE, (x,))


@jit.rawkernel()
def shared(x):
    if FLAG:
        s = jit.shared_memory(np.float32, 4, alignment=16)
    else:
        s = jit.shared_memory(np.float32, 4)
    s[jit.threadIdx.x] = x[jit.threadIdx.x]
    jit.syncthreads()
    x[jit.threadIdx.x] = s[3 - jit.threadIdx.x]


@jit.rawkernel(device=True)
def bump(v):
    v[0] += 3
    return 1


@jit.rawkernel()
def once(v, x, y):
    v[bump(v)] += 10
    y[()] = x[()]
    y[()] += 1
    jit.atomic_add(y, (), 1)


def test_shared_memory_and_elements():
    x = cp.arange(4, dtype='f')
    shared((1,), (4,), (x,))
    assert x.tolist() == [3, 2, 1, 0]
    v, y = cp.zeros(2, dtype=int), cp.zeros(())
    once(*ONE, (v, cp.array(2.5), y))
    assert v.tolist() == [3, 10] and float(y) == 4.5


@jit.rawkernel()
def atomics(x, y, z):
    jit.atomic_add(x, 0, 1.5)
    jit.atomic_cas(y, 0, 2, 9)
    jit.atomic_max(z, 0, 5)


def test_atomics_of_16_bits():
    x, y, z = cp.zeros(1, dtype='e'), cp.full(1, 2, dtype=np.uint16), cp.zeros(1, dtype=np.int64)
    atomics((1,), (4,), (x, y, z))
    assert (x.tolist(), y.tolist(), z.tolist()) == ([6.0], [9], [5])


@jit.rawkernel()
def rebound(x):
    for k in range(2):
        t = np.dtype('i2')
    x[0] = t.type(1)


@jit.rawkernel()
def odd_unroll(x):
    for k in jit.range(2, unroll=WORD):
        x[0] = k


@jit.rawkernel()
def too_many(x):
    x[0, 1] = 2


@pytest.mark.parametrize('kernel, said', [(rebound, 'in a branch or a loop'), (odd_unroll, 'unroll is True'), (too_many, 'has 1 indices')])
def test_what_is_no_kernel_is_a_type_error(kernel, said):
    with pytest.raises(TypeError, match=said):
        kernel(*ONE, (cp.zeros(3),))


@jit.rawkernel(device=True)
def counted(a):
    a[0] += 1
    return a[0], 2.5


@jit.rawkernel(device=True)
def passed_on(a):
    return counted(a)


@jit.rawkernel()
def of_two_values(a, out):
    out[0], out[1] = counted(a)
    both = passed_on(a)
    out[2] = both[0]
    out[3] = both[1]
    out[4] = counted(a)[-2]
    if counted(a)[0] > 3:
        out[5] = 1


@jit.rawkernel()
def of_a_third(a, out):
    out[0] = counted(a)[2]


@jit.rawkernel()
def as_a_number(a, out):
    out[0] = counted(a)


def test_device_functions_return_tuples():
    a, out = cp.zeros(1, int), cp.zeros(6)
    of_two_values(*ONE, (a, out))
    # Each call counts once.
    assert out.tolist() == [1, 2.5, 2, 2.5, 3, 1] and a.item() == 4
    for kernel, said in ((of_a_third, 'a constant from -2 to 1'), (as_a_number, 'is no number')):
        with pytest.raises(TypeError, match=said):
            kernel(*ONE, (a, out))
