"""Tests of indexing against NumPy."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import cuprum as cp
from cuprum import cupyx
from same import equal, same

H = np.arange(60).reshape(3, 4, 5)

KEYS = [
    0,
    -1,
    3,
    -4,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(5, 1),
    slice(None, None, 0),
    None,
    ...,
    (0, 1),
    (0, ..., 1),
    (..., None),
    (slice(None), None, 1),
    (0, 0, 0),
    (0, 0, 0, 0),
    [0, 2],
    [],
    ([0, 1], [1, 2]),
    ([0, 1], slice(None), [1, 2]),
    (slice(None), [0, 1]),
    np.array([0, -1]),
    np.array([[0, 1], [2, 0]]),
    np.int64(1),
    np.uint8(2),
    (np.int64(1), 2),
    True,
    False,
    np.True_,
    (True, 0),
    H > 30,
    H[:, :, 0] > 20,
    np.array([True, False, True]),
    (np.array([True, False, True]), 0),
    [True, False, True],
    1.0,
    "a",
    (0, "a"),
    np.array([1.0]),
    np.array(1),
    (1, [[0], [1]]),
    np.array([True, False]),
    [0, 7],
    (slice(np.int64(0), np.int64(2)),),
    ((0, 1),),
    [[0, 1], [1, 2]],
    range(1, 3),
    (range(2), range(1, 3)),
    range(0),
    b"a",
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: repr(key)[:40].replace("\n", ""))
def test_get(key):
    if isinstance(key, list) and key == [0, 7]:
        # The index is found to be out of bounds at the next synchronisation.
        with pytest.raises(IndexError):
            cp.asarray(H)[key].get()
        return
    same(lambda xp, a: a[key], H)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: repr(key)[:40].replace("\n", ""))
@pytest.mark.parametrize("value", [7, 2.5, np.float32(3), np.array(4)], ids=["int", "float", "float32", "0-d"])
def test_set(key, value):
    if isinstance(key, list) and key == [0, 7]:
        return

    def put(xp, a):
        a = a.copy()
        a[key] = value
        return a

    same(put, H)


def test_set_to_arrays():
    def put(xp, a):
        a = a.copy()
        a[0] = a[1]
        a[1, :, 1:3] = xp.arange(2)
        a[a > 50] = 0
        a[[0, 2], 1] = [[9], [8]]
        a[:, 0] = [1, 2, 3, 4, 5]
        return a

    same(put, H)
    same(lambda xp, a: a.__setitem__(0, xp.arange(3)), H.copy())
    same(lambda xp, a: a.__setitem__(0, H[1]), H.copy())


@pytest.mark.parametrize("dtype", ["b", "B"])
@pytest.mark.parametrize("value", [np.int64(300), np.int64(-1), np.float64(300.5), np.float64("nan"), 300], ids=repr)
def test_scalars_that_do_not_fit(dtype, value):
    """NumPy casts its scalars to unsigned integers, and rejects those that do not fit in signed ones."""
    with np.errstate(invalid="ignore"):
        for key in (0, slice(None)):
            same(lambda xp, a: a.__setitem__(key, value) or a, np.ones(3, dtype))
        same(lambda xp, a: a.fill(value) or a, np.ones(3, dtype))


def test_our_arrays_as_indices():
    a = cp.asarray(H)
    equal(a[cp.array([0, 2])], H[[0, 2]])
    equal(a[cp.asarray(H > 30)], H[H > 30])
    equal(a[cp.array(1)], H[1])
    equal(a[[cp.array(0), cp.array(2)]], H[[0, 2]])
    assert [10, 20, 30][cp.array(1)] == 20


def test_ufunc_at():
    a = cp.zeros(4)
    cp.add.at(a, [0, 0, 3], 1)
    equal(a, np.array([2.0, 0, 0, 1]))
    b = cp.zeros((3, 4))
    host = np.zeros((3, 4))
    for xp, x in ((cp, b), (np, host)):
        xp.add.at(x, (slice(None), [1, 1]), 2)
        xp.subtract.at(x, (0, slice(2)), 1)
    equal(b, host)
    c = cp.zeros(3)
    c.scatter_add([0, 0], 2)
    c.scatter_max([1], 5)
    c.scatter_min([2], -1)
    equal(c, np.array([4.0, 5, -1]))


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64, np.complex64, np.complex128, np.int32])
@pytest.mark.parametrize(('n', 'size'), [(5000, 300), (70_000, 20_000)])
def test_additions_in_any_order(dtype, n, size):
    rng = np.random.default_rng(5)
    indices = rng.integers(-size, size, n)
    values, host = (8 * rng.standard_normal((2, m)) for m in (n, size))
    values, host = ((x[0] + 1j * x[1] if np.dtype(dtype).kind == 'c' else x[0]).astype(dtype) for x in (values, host))
    a = cp.array(host)
    cp.add.at(a, cp.array(indices), cp.array(values), order='any')
    # Every addition is rounded once, in whatever order.
    want, magnitude, additions = host.astype(np.complex128), abs(host.astype(np.complex128)), np.zeros(size)
    np.add.at(want, indices, values)
    np.add.at(magnitude, indices, abs(values.astype(np.complex128)))
    np.add.at(additions, indices, 1)
    unit = 0 if dtype == np.int32 else np.finfo(dtype).eps
    assert (abs(cp.asnumpy(a) - want) <= unit * additions * magnitude).all()


def test_the_order_of_additions():
    a, values = cp.zeros(4, dtype=np.float32), cp.array([1, 2, 3], dtype=np.float32)
    cupyx.scatter_add(a, cp.array([1, 1, -1]), values, order='any')
    cp.add.at(a, cp.array([1, 1, -1]), values, order='deterministic')
    equal(a, np.array([0, 6, 0, 6], np.float32))
    cp.maximum.at(a, cp.array([0, 1]), 2, order='any')
    with pytest.raises(ValueError, match='ufunc.at: order is deterministic or any, not "C"'):
        cp.add.at(a, [0], 1, order='C')
    with pytest.raises(IndexError, match='add.at: index 7 at position 1'):
        cp.add.at(a, cp.array([1, 7, 1]), values, order='any')
        cp.cuda.Device().synchronize()
    equal(a, np.array([2, 6, 0, 6], np.float32))


@given(hnp.basic_indices((3, 4, 5), allow_newaxis=True))
def test_basic_indices(key):
    same(lambda xp, a: a[key], H)
    same(lambda xp, a: xp.ascontiguousarray(a[key]), H)


@given(hnp.integer_array_indices((3, 4, 5), result_shape=hnp.array_shapes(max_dims=2, max_side=3)))
def test_arrays_of_indices(key):
    same(lambda xp, a: a[key], H)


@given(hnp.arrays(bool, (3, 4)), st.integers(-3, 3))
def test_masks(mask, value):
    def put(xp, a):
        a = a.copy()
        a[mask] = value
        return a

    same(lambda xp, a: a[mask], H)
    same(put, H)


def _walked(a):
    """Tests the indices of an iterator over elements."""
    it, visited = a.flat, []
    for _ in range(7):
        visited.append((it.index, it.coords, float(next(it))))
    return visited


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a: a.flat[None],
        lambda xp, a: a.flat[1, 2],
        lambda xp, a: a.flat[1, ...],
        lambda xp, a: a.flat[9999],
        lambda xp, a: a.flat.__setitem__((None, 1), 1),
        lambda xp, a: a.flat[-1],
        lambda xp, a: a.flat[()],
        lambda xp, a: a.flat[...],
        lambda xp, a: a.flat[[[1, 2], [3, 4]]],
        lambda xp, a: a.flat[xp.asarray([0, 5])],
        lambda xp, a: a.flat[(a > 5).ravel()],
        lambda xp, a: a.flat[xp.asarray([3, 1]).flat],
        lambda xp, a: xp.asarray(a.T.flat),
        lambda xp, a: xp.array(a.flat, dtype="float32"),
        lambda xp, a: a.flat == a.T.copy().flat,
        lambda xp, a: a.T.flat < 7,
        lambda xp, a: _walked(a.T),
    ],
)
def test_elements_in_one_axis(call):
    same(call, H)


# The cast of floats beyond the integer range depends on the processor in NumPy.
NUMBERS = [
    7,
    300,
    -1,
    2.5,
    70000.0,
    -1.5,
    float("nan"),
    float("inf"),
    2 + 1j,
    True,
    [1, 2, 3],
    [1.5, 2.5, 3.5],
    [70000.0, 1, 2],
    [300, 1, 2],
    [-1, 0, 1],
    [float("nan"), 1, 2],
    [2**63, 1, 2],
    [1 + 1j, 2, 3],
    (1, 2, 3),
]


def _written(write):
    def call(xp, a):
        a = a.copy()
        write(xp, a)
        return a

    return call


@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", "f4", "c8", "?"])
@pytest.mark.parametrize("value", NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "write",
    [
        lambda v: lambda xp, a: a.__setitem__(..., v),
        lambda v: lambda xp, a: a.__setitem__(xp.asarray([True, True, True]), v),
        lambda v: lambda xp, a: xp.place(a, xp.asarray([True, False, True]), v),
        lambda v: lambda xp, a: xp.putmask(a, xp.asarray([True, False, True]), v),
        lambda v: lambda xp, a: xp.put(a, xp.asarray([2, 1, 0]), v),
        lambda v: lambda xp, a: xp.put_along_axis(a, xp.asarray([2, 1, 0]), v, 0),
    ],
    ids=["all", "mask", "place", "putmask", "put", "put_along_axis"],
)
def test_numbers_that_are_written_must_fit(write, value, dtype):
    same(_written(write(value)), np.zeros(3, dtype))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "c8", "?"])
@pytest.mark.parametrize("value", [7, 300, -1, 2.5, -1.5, 2 + 1j, True, [1, 2, 3]], ids=repr)
def test_new_arrays_are_filled_with_what_is_cast(value, dtype):
    if dtype == "u1" and value == -1.5:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(lambda xp, a: xp.full(3, value, dtype), np.zeros(3))
        same(lambda xp, a: xp.full_like(a, value, dtype=dtype), np.zeros(3))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0), (0, 2), (0, 0, 5), (0, 0, 0), (3, 2, 0), (2, 0), (0, 3), (3, 0, 4)])
def test_masks_without_elements(shape):
    host = np.arange(30.0).reshape(3, 2, 5)

    def read(xp, a):
        return a[xp.empty(shape, bool)]

    def written(xp, a):
        a = a.copy()
        a[xp.empty(shape, bool)] = 1
        xp.add.at(a, xp.empty(shape, bool), 1)
        return a

    same(read, host)
    same(written, host)
    if len(shape) == 1:
        same(lambda xp, a: a[:, xp.empty(shape, bool)], host)
        same(lambda xp, a: a[xp.empty(shape, bool), xp.empty(shape, bool)], host)
    same(lambda xp, a: a[xp.ones(1, bool)], np.ones(0))
    same(lambda xp, a: a[xp.ones(0, bool)], np.ones(1))


def test_diag_indices_of_a_float():
    # NumPy's are floats, which are no indices.
    assert [at.tolist() for at in cp.diag_indices(3.0)] == [[0, 1, 2]] * 2
    assert cp.ones((3, 3))[cp.diag_indices(2.5, 2)].shape == (3,)
