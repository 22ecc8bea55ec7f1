"""Tests of `cupyx.optimizing.optimize`: the scopes, the cache by key, and its file."""

import threading

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx import optimizing

QUICK = dict(timeout=60, max_total_time_per_trial=0)


def kernels():
    return (cp.ElementwiseKernel('T x', 'T y', 'y = x * x', 'squared'), cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'total'))


def test_results_are_the_same_and_found_once():
    square, total = kernels()
    x = cp.asarray(np.sin(np.arange(5000, dtype=np.float32)))
    squares, sums = square(x), total(x.reshape(50, 100), axis=1)
    with optimizing.optimize(key='found once', **QUICK) as found:
        for _ in range(2):
            assert (square(x) == squares).all()
            assert (total(x.reshape(50, 100), axis=1) == sums).all()
        assert len(found) == 2
    # Later scopes with the same key use the stored results, whatever their parameters.
    with optimizing.optimize(key='found once', max_trials=1) as again:
        assert again is found and again.key == 'found once'
    square(x[:7])
    assert len(found) == 2


def test_raw_kernels_look_among_the_blocks_that_are_given(tmp_path):
    bump = cp.RawKernel(
        r'''extern "C" __global__ void bump(float *x, int n) {
        extern __shared__ float room[];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        room[threadIdx.x] = 1;
        if (i < n) x[i] += room[threadIdx.x];
    }''',
        'bump',
    )
    x = cp.arange(100, dtype=np.float32)

    def grid(block):
        return (-(-100 // block),)

    def tune():
        return bump.tune((64, 32, 2048), (x, 100), grid, shared_mem=lambda block: 4 * block)

    assert tune() == 64
    with optimizing.optimize(key='raw', path=tmp_path / 'blocks', **QUICK) as found:
        block = tune()
        assert block in (32, 64) and tune() == block and len(found) == 1
    assert (x == cp.arange(100)).all()
    bump(grid(block), (block,), (x, 100), shared_mem=4 * block)
    assert (x == cp.arange(1, 101)).all()
    with pytest.raises(ValueError, match='1 to 1024'):
        bump.tune((4096,), (x, 100), grid)


def test_the_file_is_read_and_written(tmp_path):
    square, _ = kernels()
    path = tmp_path / 'blocks'
    with optimizing.optimize(key='file', path=path, **QUICK) as found:
        square(cp.arange(100))
    text = path.read_text()
    assert not found.is_dirty and len(text.splitlines()) == 3
    # Without new results the file is unchanged. New results are not written if the file is read-only.
    path.write_text(text + '\n'.join(['00' * 32 + ' 64', '']))
    before = path.read_text()
    with optimizing.optimize(key='file', path=str(path)):
        square(cp.arange(100))
    with optimizing.optimize(key='file', path=path, readonly=True, **QUICK) as found:
        assert len(found) == 2
        square(cp.arange(101))
        assert found.is_dirty
    assert path.read_text() == before
    with pytest.raises(ValueError, match='other'):
        with optimizing.optimize(key='other', path=path):
            pass
    # A scope that ends with an exception writes nothing.
    with pytest.raises(KeyError):
        with optimizing.optimize(key='raises', path=tmp_path / 'none'):
            raise KeyError
    assert not (tmp_path / 'none').exists()
    with pytest.warns(UserWarning, match='readonly'):
        with optimizing.optimize(key='missing', path=tmp_path / 'none', readonly=True):
            pass
    path.write_text('nonsense')
    with pytest.raises(ValueError, match='none of block sizes'):
        with optimizing.optimize(key='file', path=path):
            pass


def test_scopes_are_their_threads_and_lie_in_one_another():
    square, _ = kernels()
    with optimizing.optimize(key='outer', **QUICK) as outer:
        thread = threading.Thread(target=lambda: square(cp.arange(10)))
        thread.start()
        thread.join()
        with optimizing.optimize(key='inner', **QUICK) as inner:
            square(cp.arange(10))
        assert (len(outer), len(inner)) == (0, 1)
        square(cp.arange(10))
        assert len(outer) == 1


@pytest.mark.parametrize('wrong', [dict(max_trials=0), dict(timeout=-1), dict(key=3), dict(unknown=1), dict(timeout=float('nan'))])
def test_what_makes_no_sense_is_rejected(wrong):
    with pytest.raises((TypeError, ValueError)):
        with optimizing.optimize(**{'key': f'rejected {wrong}', **wrong}):
            pass
