"""Tests of a sample of kernels with the other installed versions of NVRTC: those that CUPRUM_NVRTC_VERSION has
downloaded."""

import glob
import os
import subprocess
import sys

import pytest

ROOT = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache'), 'cuprum')
FOLDERS = sorted({os.path.dirname(file) for file in glob.glob(os.path.join(ROOT, 'nvrtc-*', 'libnvrtc.so.*'))})

SAMPLE = r'''
import numpy as np, cuprum as cp
ones = cp.ones(4, bool)
assert int(ones.sum()) == 4 and float(ones.mean()) == 1 and int(cp.count_nonzero(ones)) == 4
assert int(cp.arange(9, dtype='b').sum()) == 36 and int(cp.arange(9, dtype='B').sum()) == 36
assert int(cp.linalg.matrix_rank(cp.eye(3))) == 3 and float(cp.nanmedian(cp.arange(5.))) == 2
assert (cp.ones((4, 8), 'b') @ cp.ones((8, 4), 'b')).tolist() == [[8] * 4] * 4
x = np.arange(1., 40.)
assert cp.sort(cp.array(x[::-1])).tolist() == x.tolist() and np.allclose(cp.sin(cp.array(x) * 1j).get(), np.sin(x * 1j))
text = 'extern "C" __global__ void f(int *x) { x[0] = __dp4a(x[1], x[2], x[0]) + __dp2a_lo(x[1], x[2], 0) + %s; }'
y = cp.array([1, 0x01020304, 0x01010101], dtype='i')
cp.RawKernel(text % 1, 'f')((1,), (1,), (y,))
assert int(y[0]) == 1 + (1 + 2 + 3 + 4) + (0x0304 + 0x0102) + 1
assert cp.vectorize(lambda x: x ** 2 if x > 1 else -x)(cp.arange(4)).tolist() == [0, -1, 4, 9]
'''


@pytest.mark.skipif(not FOLDERS, reason='no other NVRTC is there')
@pytest.mark.skipif(not os.environ.get('CUPRUM_DEVICE', 'sim').startswith('sim'), reason='the driver decides on a GPU')
@pytest.mark.parametrize('folder', FOLDERS or [None], ids=lambda f: os.path.basename(f or 'none'))
def test_a_sample_compiles_and_runs(folder, tmp_path):
    program = tmp_path / 'sample.py'
    program.write_text(SAMPLE)
    done = subprocess.run([sys.executable, program], env={**os.environ, 'CUPRUM_NVRTC': folder}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
