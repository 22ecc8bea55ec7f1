"""Arrays over devices: `cupyx.distributed.array` against NumPy, on two to four devices."""

import copy
import random

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx.distributed import array as distributed
from cuprum.cupyx.distributed.array import DistributedArray, distributed_array, make_2d_index_map, matmul

DEVICES = 4
pytestmark = pytest.mark.usefixtures('several_devices')


def count():
    return min(DEVICES, cp.cuda.runtime.getDeviceCount())


# Overlapping chunks, chunks with steps, and several chunks of a device; devices modulo their number.
MAPS = [
    {0: (slice(5), slice(5)), 1: (slice(5), slice(3, None)), 2: (slice(3, None), slice(None, None, 2)), 3: (slice(3, None), slice(1, None, 2))},
    {0: [slice(None, None, 2), (1, slice(4))], 1: slice(1, None, 2)},
    {k: (slice(2 * k, 2 * k + 2),) for k in range(4)},
]


def on_devices(index_map):
    out = {}
    for device, index in index_map.items():
        out.setdefault(device % count(), []).extend(index if isinstance(index, list) else [index])
    return out


def spread(a, index_map=0, mode='replica'):
    return distributed_array(a, on_devices(MAPS[index_map]), mode)


@pytest.fixture
def a():
    return np.random.default_rng(0).integers(-9, 9, (8, 8))


@pytest.mark.parametrize('mode', ['replica', 'sum', 'prod', 'max', 'min'])
@pytest.mark.parametrize('source', [np.asarray, cp.asarray, list])
def test_creation_and_collection(a, mode, source):
    for index_map in range(3):
        d = spread(source(a), index_map, mode)
        assert (d.shape, d.dtype, d.mode, d.size, d.ndim, len(d)) == ((8, 8), a.dtype, mode, 64, 2, 8)
        np.testing.assert_array_equal(d.get(), a)
        np.testing.assert_array_equal(d.to_device(1).get(), a)
        assert d.devices == list(on_devices(MAPS[index_map]))
        for device, chunks in d.change_mode('replica').all_chunks().items():
            for chunk, index in zip(chunks, d.index_map[device]):
                assert chunk.device.id == device and all(isinstance(s, slice) for s in index)
                np.testing.assert_array_equal(chunk.get(), a[index])


def test_parts_of_a_sum_are_combined(a):
    chunks = {0: slice(0, 5), 1: slice(3, 8)}
    parts = distributed_array(a, chunks).change_mode('sum')
    np.testing.assert_array_equal(parts.all_chunks()[1][0].get(), np.where(np.arange(3, 8)[:, None] < 5, 0, a[3:]))
    # Each device adds its own number to its parts.
    out = np.zeros((4, 4))
    handle = type(parts._handle).from_chunks((4, 4), [(slice(0, 3), cp.full((3, 4), 1.0)), (slice(1, 4), cp.full((3, 4), 2.0))], 'sum')
    out[:3] += 1
    out[1:] += 2
    np.testing.assert_array_equal(DistributedArray._of(handle).get(), out)


def test_functions_of_elements(a):
    b = np.arange(64).reshape(8, 8) % 7 + 1
    for one, two in ((0, 0), (0, 1), (1, 2)):
        d, e = spread(a, one), spread(b, two, 'sum')
        for found, expected in (
            (cp.add(d, e), a + b),
            (np.subtract(d, e), a - b),
            (d * e - 3, a * b - 3),
            (2.5 / e, 2.5 / b),
            (d // e, a // b),
            (-d, -a),
            (abs(d) ** 2, abs(a) ** 2),
            (cp.cos(d), np.cos(a)),
            (d < e, a < b),
            ((d == 3) | (e != 2), (a == 3) | (b != 2)),
            (cp.where(d > 0, d, e), np.where(a > 0, a, b)),
            (cp.clip(d, -2, 2), np.clip(a, -2, 2)),
            (d.astype('f4').round(1), a.astype('f4')),
            (np.float32(2) * d, np.float32(2) * a),
        ):
            assert isinstance(found, DistributedArray) and found.dtype == expected.dtype
            np.testing.assert_allclose(found.get(), expected, rtol=1e-14)
    quotient, remainder = divmod(spread(a), spread(b, 1))
    np.testing.assert_array_equal(quotient.get(), a // b)
    np.testing.assert_array_equal(remainder.get(), a % b)


def test_operands_are_broadcast(a):
    d, row = spread(a), distributed_array(a[0], {0: slice(5), 1: slice(5, None)})
    np.testing.assert_array_equal((d + row).get(), a + a[0])
    np.testing.assert_array_equal((row + d[:, :1]).get(), a[0] + a[:, :1])
    with pytest.raises(ValueError, match=r'could not be broadcast together with shapes \(8, 8\) and \(3,\)'):
        d + row[:3]


def test_out_and_operators_in_place(a):
    d, e = spread(a), spread(a, 1)
    out = cp.multiply(d, 2, out=e)
    assert out is e and e.index_map.keys() == spread(a, 1).index_map.keys()
    np.testing.assert_array_equal(e.get(), 2 * a)
    d += e
    np.testing.assert_array_equal(d.get(), 3 * a)
    with pytest.raises(TypeError, match='same_kind'):
        cp.add(d, 0.5, out=e)


def test_kernels(a):
    f = a.astype('f4')
    kernel = cp.ElementwiseKernel('float32 x, float32 y', 'float32 z', 'z = (x - y) * (x - y)', 'squared_difference')
    np.testing.assert_array_equal(kernel(spread(f), spread(2 * f, 1)).get(), (f - 2 * f) ** 2)
    norm = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = a', '0', 'squared_norm')
    for index_map in range(3):
        for axis in (0, 1):
            np.testing.assert_array_equal(norm(spread(f, index_map), axis=axis).get(), (f * f).sum(axis))
    assert norm(spread(f), axis=-1, keepdims=True).shape == (8, 1)
    with pytest.raises(RuntimeError, match='squared_norm: axis is None'):
        norm(spread(f))


@pytest.mark.parametrize('index_map', range(3))
def test_reductions(a, index_map):
    d = spread(a, index_map, 'max')
    for name in ('sum', 'prod', 'max', 'min', 'any', 'all', 'mean', 'var', 'std', 'ptp', 'argmax', 'argmin'):
        for axis in (None, 0, -1):
            reference = getattr(np, name)(a, axis=axis)
            calls = [getattr(d, name)(axis=axis)]
            if axis == 0:
                calls += [getattr(cp, name)(d, axis=axis), getattr(np, name)(d, axis=axis)]
            for found in calls:
                assert (found.shape, found.dtype) == (reference.shape, reference.dtype), (name, axis)
                np.testing.assert_allclose(found.get(), reference, rtol=1e-14, err_msg=f'{name} {axis}')
        assert getattr(d, name)(axis=1, keepdims=True).shape == (8, 1)
    assert d.sum(axis=0).mode == 'sum' and d.max(axis=0).mode == 'max'
    assert float(d.sum()) == a.sum() and int(d.max()) == a.max()
    np.testing.assert_array_equal(np.add.reduce(d).get(), a.sum(0))
    for name in ('cumsum', 'cumprod', 'sort'):
        for axis in (0, 1):
            np.testing.assert_array_equal(getattr(cp, name)(d, axis=axis).get(), getattr(np, name)(a, axis=axis))
    assert d.sum(axis=0, dtype='f4').dtype == 'f4'
    with pytest.raises(np.exceptions.AxisError, match='axis 2 is out of bounds'):
        d.sum(axis=2)


def test_products_of_blocks_that_meet_copy_nothing():
    a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    last = min(2, count() - 1)
    left = make_2d_index_map([0, 2], [0, 1, 3], [[{0}, {1, last}]])
    right = make_2d_index_map([0, 1, 3], [0, 2, 4], [[{0}, {0}], [{1}, {last}]])
    c = distributed_array(a, left) @ distributed_array(b, right)
    assert c.mode == 'sum'
    chunks = c.all_chunks()
    assert [chunk.get().tolist() for chunk in chunks[0]] == [[[0, 0], [0, 0]], [[0, 0], [0, 0]]] or len(chunks[0]) == 2
    np.testing.assert_array_equal(chunks[0][0].get(), a[:, :1] @ b[:1, :2])
    np.testing.assert_array_equal(c.get(), a @ b)


def test_products_of_any_distribution(a):
    generator = random.Random(1)
    b = np.random.default_rng(1).integers(-9, 9, (8, 5))
    for one in range(3):
        columns = sorted(generator.sample(range(1, 5), 2))
        right = make_2d_index_map([0, 3, 8], [0, *columns, 5], [[{generator.randrange(count())} for _ in range(3)] for _ in range(2)])
        d, e = spread(a, one), distributed_array(b, right, 'sum')
        np.testing.assert_array_equal(matmul(d, e).get(), a @ b)
        np.testing.assert_array_equal((d @ e[:, 0]).get(), a @ b[:, 0])
        np.testing.assert_array_equal((e.T @ d).get(), b.T @ a)
    np.testing.assert_array_equal(np.matmul(d, d).get(), a @ a)
    with pytest.raises(ValueError, match='do not go together'):
        e @ d


def test_indices_and_permutations(a):
    for index_map in range(3):
        d = spread(a, index_map)
        for key in (3, slice(2, 7, 3), (slice(None, None, -1), 2), (..., slice(6, 1, -2)), (None, 1), (slice(8, 8),), (-1, -1)):
            np.testing.assert_array_equal(d[key].get(), a[key])
        np.testing.assert_array_equal(d.T.get(), a.T)
        np.testing.assert_array_equal(d.swapaxes(0, -1)[None].squeeze(0).get(), a.T)
    assert [row.tolist() for row in d] == a.tolist()
    assert copy.copy(d).index_map == d.index_map and d[1, 1].item() == a[1, 1]
    with pytest.raises(IndexError, match='8 is out of bounds for axis 0 with size 8'):
        d[8]


def test_halos_and_a_heat_equation():
    a = np.random.default_rng(2).random((12, 9))
    d = distributed_array(a, {0: slice(0, 5), 1: slice(5, 12)})
    padded = np.pad(a, 1, 'reflect')
    chunks = d.halo(1, 'reflect')
    np.testing.assert_array_equal(chunks[0][0].get(), padded[:7])
    np.testing.assert_array_equal(chunks[1][0].get(), padded[5:])
    assert [chunk[0].shape for chunk in d.halo((2, 0)).values()] == [(7, 9), (9, 9)]

    def step(u):
        inner = u[1:-1, 1:-1]
        return inner + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)

    for _ in range(3):
        a, d = step(np.pad(a, 1, 'edge')), d.map_overlap(step, 1)
    np.testing.assert_allclose(d.get(), a, rtol=1e-14)
    with pytest.raises(ValueError, match="mode is 'mirror'"):
        d.halo(1, 'mirror')


def test_bad_input_is_named(a):
    d = spread(a)
    for call, error, message in (
        (lambda: distributed_array(a, {0: slice(4)}), ValueError, r'leaves out the elements \[4:8, 0:8\]'),
        (lambda: distributed_array(a, {}), ValueError, 'no chunk'),
        (lambda: distributed_array(a, {99: slice(None)}), ValueError, 'index_map has the device 99: the devices are 0 to'),
        (lambda: distributed_array(a, [slice(None)]), TypeError, 'index_map is a list'),
        (lambda: distributed_array(a, {0: slice(None, None, -1)}), IndexError, 'steps must be positive'),
        (lambda: distributed_array(a, {0: slice(None)}, 'mean'), ValueError, "mode is 'mean'"),
        (lambda: d.reshard({0: slice(3)}), ValueError, 'reshard: .* leaves out'),
        (lambda: d + cp.asarray(a), RuntimeError, 'Mix `cupy.ndarray'),
        (lambda: cp.asarray(a) + d, RuntimeError, 'Mix `cupy.ndarray'),
        (lambda: cp.linalg.qr(d), (TypeError, NotImplementedError), 'qr|distributed'),
        (lambda: d.argpartition(2), NotImplementedError, 'argpartition'),
        (lambda: cp.linalg.svd(d), (TypeError, NotImplementedError), 'svd|Unsupported|distributed'),
        (lambda: np.asarray(d), TypeError, r'get\(\)'),
        (lambda: DistributedArray((3,)), TypeError, 'distributed_array'),
        (lambda: make_2d_index_map([0, 4, 4], [0, 2], [[{0}], [{1}]]), ValueError, 'i_partitions'),
        (lambda: make_2d_index_map([0, 4], [0, 2], [[{0}, {1}]]), ValueError, 'devices needs a set'),
        (lambda: matmul(d, 3), TypeError, 'b is a int'),
        (lambda: d.__setitem__(0, 1), NotImplementedError, 'never written'),
        (lambda: d.cumsum(), NotImplementedError, 'axis is None'),
    ):
        with pytest.raises(error, match=message):
            call()
    assert distributed.DistributedArray is DistributedArray
