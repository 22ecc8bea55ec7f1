"""Functions of arrays over devices that need whole axes, contractions and selection by arrays, against NumPy."""

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx.distributed.array import DistributedArray, distributed_array

DEVICES = 3
pytestmark = pytest.mark.usefixtures('several_devices')


def n_devices():
    return min(DEVICES, cp.cuda.runtime.getDeviceCount())


def maps(shape):
    """Rows, columns, and overlapping chunks with a step."""
    n = n_devices()
    rows = {k: slice(shape[0] * k // n, shape[0] * (k + 1) // n) for k in range(n)}
    if len(shape) == 1:
        return [rows, {0: slice(None, None, 2), 1: slice(1, None, 2)}]
    columns = {k: (slice(None), slice(shape[1] * k // n, shape[1] * (k + 1) // n)) for k in range(n)}
    mixed = {0: [slice(None, None, 2)], 1: [slice(1, None, 2), (slice(2), slice(2))]}
    return [rows, columns, mixed]


def spread(a, which=0, mode='replica'):
    return distributed_array(a, maps(a.shape)[which], mode)


@pytest.fixture
def a():
    return np.random.default_rng(0).normal(size=(6, 8))


def close(result, expected, **options):
    assert isinstance(result, DistributedArray)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result.get(), expected, **({'rtol': 1e-12, 'atol': 1e-12} | options))


@pytest.mark.parametrize('which', [0, 1, 2])
def test_transforms(a, which):
    for mode in ('replica', 'sum'):
        d = spread(a, which, mode)
        for name, options in [('fft', {}), ('rfft', {'axis': 0}), ('fft2', {}), ('rfftn', {'norm': 'ortho'}), ('fftn', {'s': (4, 10), 'axes': (0, 1)})]:
            close(getattr(cp.fft, name)(d, **options), getattr(np.fft, name)(a, **options))
    d = spread(a, which)
    close(np.fft.ifft(d, 5, axis=0), np.fft.ifft(a, 5, axis=0))
    close(cp.fft.irfftn(cp.fft.rfftn(d)), a)
    close(cp.fft.fftshift(d, 1), np.fft.fftshift(a, 1))


@pytest.mark.parametrize('which', [0, 1, 2])
def test_functions_along_an_axis(a, which):
    d = spread(a, which)
    close(cp.argsort(d, axis=0), np.argsort(a, axis=0))
    close(cp.diff(d), np.diff(a))
    close(cp.roll(d, 2, axis=0), np.roll(a, 2, axis=0))
    close(cp.repeat(d, 2, axis=1), np.repeat(a, 2, axis=1))
    close(cp.median(d, axis=1), np.median(a, axis=1))
    close(cp.quantile(d, 0.3, axis=0, keepdims=True), np.quantile(a, 0.3, axis=0, keepdims=True))
    close(cp.linalg.norm(d), np.asarray(np.linalg.norm(a)))
    close(np.linalg.norm(d, axis=1), np.linalg.norm(a, axis=1))


@pytest.mark.parametrize('which', [0, 1, 2])
def test_contractions(a, which):
    b = np.random.default_rng(1).normal(size=(8, 5))
    d, e = spread(a, which), spread(b, which)
    for text, operands in {'ij,jk->ik': (d, e), 'ij,jk': (d, e), 'ij,jk->': (d, e), 'ij->j': (d,), 'ij,kj->ki': (d, d), '...j,jk->k...': (d, e)}.items():
        expected = np.einsum(text, *({id(d): a, id(e): b}[id(operand)] for operand in operands))
        close(cp.einsum(text, *operands), np.asarray(expected))
    close(cp.tensordot(d, e, 1), np.tensordot(a, b, 1))
    close(np.tensordot(d, d, ([0, 1], [0, 1])), np.tensordot(a, a, ([0, 1], [0, 1])))
    close(cp.inner(d, d), np.inner(a, a))
    close(cp.vdot(d, d), np.asarray(np.vdot(a, a)))
    close(cp.trace(spread(a[:, :6], which)), np.asarray(np.trace(a[:, :6])))
    close(cp.einsum('ii->i', spread(a[:, :6], which)), np.einsum('ii->i', a[:, :6]))
    close(cp.einsum('ij,i->j', spread(a, which, 'sum'), spread(a[:, 0])), np.einsum('ij,i->j', a, a[:, 0]))


def test_a_contraction_moves_nothing_where_operands_are_divided_alike(a):
    d = spread(a, 0)
    rows = cp.einsum('ij,ij->i', d, d)
    assert rows.mode == 'replica' and rows.devices == d.devices
    assert cp.einsum('ij,ik->jk', d, d).mode == 'sum'


@pytest.mark.parametrize('which', [0, 1, 2])
def test_selection_by_indices(a, which):
    d = spread(a, which, 'sum')
    indices = np.array([5, 0, -1, 3, 3])
    close(cp.take(d, indices, axis=0), np.take(a, indices, axis=0))
    close(np.take(d, indices, axis=1), np.take(a, indices, axis=1))
    close(d[indices], a[indices])
    close(d[1:5, [1, 7, 2]], a[1:5, [1, 7, 2]])
    close(d[..., None, cp.asarray(indices)], a[..., None, indices])
    close(d.take([[0, 1], [2, 5]], axis=0), a.take([[0, 1], [2, 5]], axis=0))
    close(d[[]], a[[]])
    close(cp.compress([True, False, True], d, axis=1), np.compress([True, False, True], a, axis=1))
    line = spread(a[:, 0], min(which, 1))
    close(line[[4, 4, 0]], a[[4, 4, 0], 0])
    for key, message in [([6], 'index 6 is out of bounds for axis 0 with size 6'), ([0.5], 'must be of integer')]:
        with pytest.raises(IndexError, match=message):
            d[key]
    with pytest.raises(NotImplementedError, match='several arrays'):
        d[[0], [1]]


@pytest.mark.parametrize('which', [0, 1, 2])
def test_selection_by_booleans(a, which):
    d = spread(a, which)
    close(d[d > 0.5], a[a > 0.5])
    close(d[a > 9], a[a > 9])
    rows = a[:, 0] > 0
    close(d[rows], a[rows])
    close(d[cp.asarray(rows)], a[rows])
    close(d[:, a[0] > 0], a[:, a[0] > 0])
    for found, expected in zip(cp.nonzero(d > 0), np.nonzero(a > 0), strict=True):
        close(found, expected)
    with pytest.raises(IndexError, match='boolean index did not match'):
        d[np.ones((6, 7), bool)]


@pytest.mark.parametrize('kind', ['normal', 'equal', 'descending', 'nan'])
def test_sorting_of_one_axis(kind):
    generator = np.random.default_rng(2)
    x = {
        'normal': generator.normal(size=1001),
        'equal': generator.integers(0, 3, 1001),
        'descending': np.arange(1001)[::-1].astype('f4'),
        'nan': np.where(generator.random(1001) < 0.5, np.nan, generator.normal(size=1001)),
    }[kind]
    for which in (0, 1):
        d = spread(x, which)
        result = cp.sort(d)
        np.testing.assert_array_equal(result.get(), np.sort(x))
        assert result.index_map == d.index_map and result.dtype == x.dtype
