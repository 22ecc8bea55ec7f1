"""Tests of dask.array with device arrays: chunks remain on the device."""

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
    # Dask merges the percentiles of chunks, which are only approximately those of the whole.
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


GENERAL = np.random.default_rng(2).normal(size=(8, 8)) + 4 * np.eye(8)
NUMBERS = np.random.default_rng(3).integers(0, 6, size=20)
VALUES = np.random.default_rng(4).normal(size=20)
LIMITS = [(-2, 2), (0, 4)]
EDGES = [np.linspace(-2, 2, 4), np.array([0.0, 0.5, 4.0])]


def on_host(host, chunks):
    return da.from_array(host, chunks=chunks)


def on_device(host, chunks):
    return da.from_array(cp.asarray(host), chunks=chunks, asarray=False)


def compare(function, of_host=0):
    """Compares the result of a Dask function on device chunks with that on NumPy's; the final results stay on the
    host."""
    results, expected = function(on_device), function(on_host)
    results, expected = ((x if isinstance(x, (tuple, list)) else [x]) for x in (results, expected))
    assert len(results) == len(expected)
    for n, (one, other) in enumerate(zip(results, expected)):
        one, other = dask.compute(one, other)
        assert isinstance(one, np.ndarray if n >= len(results) - of_host else cp.ndarray), type(one)
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(cp.asnumpy(one), other, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize(
    'function',
    [
        lambda array: da.linalg.lu(array(GENERAL, 4)),
        lambda array: da.linalg.inv(array(GENERAL, 4)),
        lambda array: da.linalg.solve(array(GENERAL, 4), array(HOST[:8, :2].copy(), (4, 2))),
        lambda array: da.linalg.solve(array(GENERAL, 4), array(HOST[:8, 0].copy(), 4)),
        lambda array: da.linalg.solve_triangular(array(np.tril(GENERAL), 4), array(HOST[:8, 0].copy(), 4), lower=True),
    ],
    ids=['lu', 'inv', 'solve', 'solve-vector', 'solve_triangular'],
)
def test_factors(function):
    compare(function)


@pytest.mark.parametrize('density', [False, True])
@pytest.mark.parametrize(
    'options',
    [{'bins': 4, 'range': (-2, 2)}, {'bins': EDGES[0]}, {'bins': [-2.0, 0.0, 3.0]}, {'bins': EDGES[0], 'weights': VALUES**2}],
    ids=['range', 'edges', 'list', 'weights'],
)
def test_histogram(options, density):
    compare(
        lambda array: da.histogram(
            array(VALUES, 5), density=density, **{name: array(value, 5) if name == 'weights' else value for name, value in options.items()}
        ),
        of_host=1,
    )


@pytest.mark.parametrize('density', [False, True])
@pytest.mark.parametrize('options', [{'bins': [3, 4], 'range': LIMITS}, {'bins': EDGES}], ids=['range', 'edges'])
def test_histograms_of_two_variables(options, density):
    compare(lambda array: da.histogram2d(array(VALUES, 5), array(VALUES**2, 5), density=density, **options), of_host=2)
    rows = np.stack([VALUES, VALUES**2], axis=1)
    compare(lambda array: da.histogramdd(array(rows, (5, 2)), density=density, **options)[0])
    compare(lambda array: da.histogramdd((array(VALUES, 5), array(VALUES**2, 5)), density=density, **options)[0])


def test_edges_on_the_device():
    compare(lambda array: da.histogram(array(VALUES, 5), bins=array(EDGES[0], 4), density=True))


@pytest.mark.parametrize(
    'function',
    [
        lambda array: da.nonzero(array(NUMBERS, 5)),
        lambda array: da.nonzero(array(HOST > 0, 4)),
        lambda array: da.where(array(HOST > 0, 4)),
        lambda array: da.argwhere(array(HOST > 0, 4)),
        lambda array: da.flatnonzero(array(HOST > 0, 4)),
        lambda array: da.unique(array(NUMBERS, 5)),
        lambda array: da.unique(array(NUMBERS, 5), return_index=True, return_inverse=True, return_counts=True),
        lambda array: da.unique(array(NUMBERS.reshape(4, 5), (2, 5)), return_inverse=True),
        lambda array: da.union1d(array(NUMBERS, 5), array(NUMBERS + 3, 5)),
        lambda array: da.isin(array(NUMBERS, 5), [1, 2]),
        lambda array: da.bincount(array(NUMBERS, 5), weights=array(VALUES, 5), minlength=9),
        lambda array: [da.argtopk(array(VALUES, 5), 3), da.topk(array(HOST, 4), -2, axis=0)],
        lambda array: da.insert(array(HOST, 4), [1, 2], 2.0, axis=1),
        lambda array: [da.nanquantile(array(HOST, (4, 8)), 0.5, axis=1), da.nanpercentile(array(HOST, (4, 8)), [5, 50], axis=1)],
    ],
    ids=[
        'nonzero',
        'nonzero-2d',
        'where',
        'argwhere',
        'flatnonzero',
        'unique',
        'unique-all',
        'unique-2d',
        'union1d',
        'isin',
        'bincount',
        'topk',
        'insert',
        'nanquantile',
    ],
)
def test_against_chunks_of_numpy(function):
    compare(function)


def test_array_backend():
    """Dask creates device arrays in a program whose configuration names CuPy as the array backend."""
    program = '''
import cupy, dask.array, numpy
with dask.config.set({'array.backend': 'cupy'}):
    x = dask.array.ones((4, 4), chunks=2) + dask.array.arange(4, chunks=2)
    assert isinstance(x.compute(), cupy.ndarray) and x.sum().compute() == 40
    assert isinstance(dask.array.random.default_rng(1).normal(size=4, chunks=2).compute(), cupy.ndarray)
x = dask.array.from_array(numpy.ones(4), chunks=2).to_backend('cupy')
assert isinstance(x.compute(), cupy.ndarray) and isinstance(x.to_backend('numpy').compute(), numpy.ndarray)
'''
    done = subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', '-c', program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


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
assert x.nonzero()[0].compute().tolist() == [1, 2, 3, 4, 5] and da.argwhere(x).compute().shape == (5, 1)
assert da.unique(x).compute().tolist() == x.compute().tolist()
'''
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert done.returncode == 0 and 'Traceback' not in done.stderr, done.stderr
