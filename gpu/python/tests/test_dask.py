"""dask.array over arrays of the device: chunks are ours, and stay ours."""

import subprocess
import sys

import numpy as np
import pytest

import cuprum as cp

dask = pytest.importorskip('dask', reason='dask is not installed: dask.array over our arrays is not tested')
da = pytest.importorskip('dask.array', reason='dask.array is not installed')


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


def test_edges_on_the_host(chunked):
    edges = np.linspace(-2, 2, 5)
    expected, _ = np.histogram(HOST, edges)
    for bins in (edges, cp.asarray(edges)):
        same(da.histogram(chunked, bins=bins)[0], expected)
    assert isinstance(np.concatenate([cp.ones(2), np.ones(2)]), cp.ndarray)
    with pytest.raises(TypeError, match='host'):
        np.add(cp.ones(2), np.ones(2))


def test_lists_of_indices(chunked):
    same(chunked[[0, 3, 5]], HOST[[0, 3, 5]])
    same(chunked[:, np.array([7, 0])], HOST[:, [7, 0]])
    same(da.take(chunked, [1, 2], axis=1), HOST[:, 1:3])


def test_matrices(chunked):
    matrix = HOST.T @ HOST + 8 * np.eye(8)
    a = da.from_array(cp.asarray(matrix), chunks=4, asarray=False)
    b = da.from_array(cp.asarray(HOST[:8, :2].copy()), chunks=(4, 2), asarray=False)
    same(da.linalg.cholesky(a, lower=True), np.linalg.cholesky(matrix))
    same(da.linalg.solve(a, b, assume_a='pos'), np.linalg.solve(matrix, HOST[:8, :2]))
    same(da.linalg.lstsq(chunked.rechunk((4, 8)), chunked[:, 0].rechunk(4))[0], np.eye(8)[0])


@pytest.mark.parametrize('first, second', [('dask', 'cuprum'), ('cuprum', 'dask')])
def test_imports_in_either_order(first, second):
    program = f'''
import sys
import {first}
assert '{second}' not in sys.modules
import {second}, dask.array as da, cuprum as cp
from dask.sizeof import sizeof
x = da.from_array(cp.arange(6.), chunks=3, asarray=False)
assert x.mean().compute() == 2.5 and sizeof(cp.ones(9)) == 72
'''
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert done.returncode == 0 and 'Traceback' not in done.stderr, done.stderr
