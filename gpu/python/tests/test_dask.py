"""dask.array over arrays of the device: chunks are ours, and stay ours."""

import numpy as np
import pytest

import cuprum as cp
from cuprum import _dask as cuprum_dask

dask = pytest.importorskip('dask', reason='dask is not installed: dask.array over our arrays is not tested')
da = pytest.importorskip('dask.array', reason='dask.array is not installed')


# What the entry point of an installed package does.
cuprum_dask.register()

needs_tensordot = pytest.mark.skipif(not hasattr(cp, 'tensordot'), reason='there is no tensordot yet')


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler='synchronous'):
        yield


HOST = np.random.default_rng(1).normal(size=(12, 8))


@pytest.fixture
def chunked():
    return da.from_array(cp.asarray(HOST), chunks=(4, 4), asarray=False)


def same(lazy, expected, rtol=1e-9):
    computed = lazy.compute()
    assert isinstance(computed, cp.ndarray), type(computed)
    np.testing.assert_allclose(cp.asnumpy(computed), expected, rtol=rtol, atol=1e-12)


def test_meta(chunked):
    assert isinstance(chunked._meta, cp.ndarray) and chunked._meta.size == 0
    assert isinstance((chunked + 1)._meta, cp.ndarray)
    assert isinstance(chunked.sum(axis=0)._meta, cp.ndarray)
    assert chunked.dtype == np.float64


def test_map_blocks(chunked):
    same(chunked.map_blocks(lambda block: cp.exp(block) - 1), np.exp(HOST) - 1)
    same(chunked.map_blocks(cp.sin), np.sin(HOST))


def test_from_numpy_chunks():
    same(da.from_array(HOST, chunks=4).map_blocks(cp.asarray), HOST)


def test_elementwise(chunked):
    same(chunked * 2 + chunked, HOST * 3)
    same(np.sqrt(abs(chunked)), np.sqrt(abs(HOST)))
    same(da.where(chunked > 0, chunked, 0), np.where(HOST > 0, HOST, 0))
    same(da.maximum(chunked, 0.5), np.maximum(HOST, 0.5))


@pytest.mark.parametrize('name', ['sum', 'mean', 'std', 'var', 'min', 'max', 'prod', 'argmax', 'argmin', 'any', 'all'])
@pytest.mark.parametrize('axis', [None, 0, 1])
def test_reductions(chunked, name, axis):
    same(getattr(chunked, name)(axis=axis), getattr(HOST, name)(axis=axis))


@needs_tensordot
def test_tensordot(chunked):
    same(da.tensordot(chunked, chunked, axes=((0,), (0,))), np.tensordot(HOST, HOST, axes=((0,), (0,))))
    same(chunked.dot(chunked.T), HOST @ HOST.T)


def test_matmul(chunked):
    same(chunked @ chunked.T, HOST @ HOST.T)


def test_shapes(chunked):
    same(chunked.T, HOST.T)
    same(chunked.rechunk((4, 8)).reshape(96), HOST.reshape(96))
    same(chunked.rechunk((4, 8)).reshape(2, 6, 8), HOST.reshape(2, 6, 8))
    same(chunked[2:9, ::2], HOST[2:9, ::2])
    same(chunked.rechunk((6, 2)), HOST)
    same(da.concatenate([chunked, chunked]), np.concatenate([HOST, HOST]))
    same(da.stack([chunked, chunked]), np.stack([HOST, HOST]))
    same(chunked[chunked[:, 0] > 0], HOST[HOST[:, 0] > 0])
    same(da.flip(chunked, 0), np.flip(HOST, 0))


def test_cumulative(chunked):
    same(chunked.cumsum(axis=0), HOST.cumsum(axis=0))
    same(da.diff(chunked, axis=1), np.diff(HOST, axis=1))


def test_ordered(chunked):
    line = chunked.ravel()
    # Dask's percentiles of chunks are merged, so that they are near those of the whole.
    expected = da.percentile(da.from_array(HOST, chunks=(4, 4)).ravel(), [10, 50, 90], method='linear').compute()
    same(da.percentile(line, [10, 50, 90], method='linear'), expected)
    same(da.topk(line, 3), np.sort(HOST.ravel())[::-1][:3])
    counts, edges = da.histogram(line, bins=4, range=(-2, 2))
    expected, _ = np.histogram(HOST, bins=4, range=(-2, 2))
    same(counts, expected)


def test_overlap(chunked):
    smooth = lambda a: a + cp.roll(a, 1, axis=0)
    host = da.from_array(HOST, chunks=(4, 4)).map_overlap(lambda a: a + np.roll(a, 1, axis=0), depth=1, boundary='nearest')
    same(chunked.map_overlap(smooth, depth=1, boundary='nearest'), host.compute())
