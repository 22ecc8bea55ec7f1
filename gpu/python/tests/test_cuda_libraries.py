"""Tests of `cupy.cuda.cub`, `thrust`, `nvtx` and `profiler`: their names, their results compared with NumPy's, their errors."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import cuprum as cp
from cuprum.cuda import cub, nvtx, profiler, thrust

DATA = np.random.default_rng(3).integers(-9, 10, (4, 5, 6))


@pytest.mark.parametrize('dtype', ['b', 'i', 'q', 'f', 'd', 'F'])
@pytest.mark.parametrize('name', ['SUM', 'PROD', 'MIN', 'MAX', 'ARGMIN', 'ARGMAX'])
def test_reductions_of_all_elements_keep_the_dtype(name, dtype):
    a = (DATA[0, :2] % 3 + 1).astype(dtype)
    out = cub.device_reduce(cp.array(a), getattr(cub, f'CUPY_CUB_{name}'), ())
    keywords = {'dtype': a.dtype} if name in ('SUM', 'PROD') else {}
    expected = getattr(np, name.lower())(a, **keywords)
    assert out.shape == () and out.dtype == expected.dtype and out.get() == expected
    kept = cub.device_reduce(cp.array(a), getattr(cub, f'CUPY_CUB_{name}'), (), keepdims=True)
    assert kept.shape == (1, 1) and kept.get() == expected


@pytest.mark.parametrize('axes', [((2,), (0, 1)), ((1, 2), (0,)), ((0,), (1, 2)), ((0, 1, 2), ())])
def test_reductions_over_axes(axes):
    x = cp.array(DATA.astype('h'))
    for op, name in ((cub.CUPY_CUB_SUM, 'sum'), (cub.CUPY_CUB_MAX, 'max')):
        keywords = {'dtype': 'h'} if name == 'sum' else {}
        expected = getattr(DATA.astype('h'), name)(axis=axes[0], **keywords)
        got = cub.device_segmented_reduce(x, op, *axes)
        assert got.dtype == np.int16 and np.array_equal(got.get(), expected)
        out = cp.empty(expected.shape, 'h')
        assert cub.device_segmented_reduce(x, op, *axes, out=out) is out and np.array_equal(out.get(), expected)


def test_scans_are_in_place():
    a = DATA.astype('d')
    x = cp.array(a)
    assert np.array_equal(cub.device_scan(x, cub.CUPY_CUB_CUMSUM).get(), a.cumsum().reshape(a.shape))
    assert np.array_equal(x.get(), a.cumsum().reshape(a.shape))
    y = cp.array([1, 2, 3, 4])
    assert cub.device_scan(y, cub.CUPY_CUB_CUMPROD).tolist() == [1, 2, 6, 24]
    z = cp.array(a).T
    assert np.array_equal(cub.device_scan(z, cub.CUPY_CUB_CUMSUM).get(), a.T.cumsum().reshape(a.T.shape))
    assert np.array_equal(z.get(), a.T)
    assert cub.device_scan(cp.empty((0, 2)), cub.CUPY_CUB_CUMSUM).shape == (0, 2)


def test_bins_exclude_their_upper_edges():
    x = cp.array([-1.0, 0, 0.5, 1, 1.5, 2, 9])
    y = cp.zeros(2, 'i')
    assert cub.device_histogram(x, cp.array([0.0, 1, 2]), y) is y and y.tolist() == [2, 2]
    with pytest.raises(ValueError, match='y has 3 elements'):
        cub.device_histogram(x, cp.array([0.0, 1, 2]), cp.zeros(3, 'i'))


def test_products_of_sparse_matrices():
    a = np.array([[0.0, 2, 0], [1, 0, 3]])
    m = cp.scipy.sparse.csr_matrix(cp.array(a))
    got = cub.device_csrmv(2, 3, 3, m.data, m.indptr, m.indices, cp.array([1.0, 2, 3]))
    assert got.tolist() == (a @ [1, 2, 3]).tolist()
    with pytest.raises(ValueError, match='the 3 elements of a row'):
        cub.device_csrmv(2, 3, 3, m.data, m.indptr, m.indices, cp.ones(2))


def test_operations_that_a_function_does_not_have():
    with pytest.raises(ValueError, match='op is 5: it must be one of CUPY_CUB_SUM'):
        cub.device_reduce(cp.ones(3), cub.CUPY_CUB_CUMSUM, ())
    with pytest.raises(ValueError, match='op is 3'):
        cub.device_segmented_reduce(cp.ones(3), cub.CUPY_CUB_ARGMIN, (0,), ())
    with pytest.raises(ValueError, match='op is 0'):
        cub.device_scan(cp.ones(3), cub.CUPY_CUB_SUM)
    with pytest.raises(ValueError, match='must be the axes of an array of 2 dimensions'):
        cub.device_segmented_reduce(cp.ones((2, 3)), cub.CUPY_CUB_SUM, (1,), ())
    with pytest.raises(ValueError, match='has no elements'):
        cub.device_reduce(cp.ones(0), cub.CUPY_CUB_MIN, ())
    assert cub.can_use_device_reduce(cub.CUPY_CUB_SUM, np.dtype('f'), ())
    assert not cub.can_use_device_reduce(cub.CUPY_CUB_SUM, np.dtype('f'), (), np.dtype('d'))
    assert cub.can_use_device_segmented_reduce(cub.CUPY_CUB_MAX, np.dtype('f'), 2, (1,))


@pytest.mark.parametrize('dtype', ['b', 'B', 'i', 'q', 'f', 'd'])
def test_sorts_by_address(dtype):
    a = np.random.default_rng(5).integers(0, 100, (3, 40)).astype(dtype)
    x, index = cp.array(a), cp.empty(a.shape, 'q')
    thrust.argsort(x.dtype, index.data.ptr, x.data.ptr, 0, x.shape)
    assert np.array_equal(index.get(), a.argsort(axis=-1, kind='stable')) and np.array_equal(x.get(), a)
    thrust.sort(x.dtype, x.data.ptr, 0, x.shape)
    assert np.array_equal(x.get(), np.sort(a))
    keys, order = cp.array(a), cp.empty(40, 'q')
    thrust.lexsort(keys.dtype, order.data.ptr, keys.data.ptr, 3, 40)
    assert np.array_equal(order.get(), np.lexsort(a))


def test_the_modules_are_those_of_cupy():
    program = """
import cupy
from cupy.cuda import cub, nvtx, profiler, thrust
from cupy.cuda.nvtx import Mark, MarkC, RangePop, RangePush, RangePushC
assert cub.available and thrust.available and nvtx.available
cupy.cuda.get_nvcc_path(); cupy.cuda.get_cuda_path()
with cupy.cuda.profile():
    RangePush('a', 2); RangePushC('b', 0xff00ff00); Mark('m'); MarkC('n', 0xff112233); RangePop(); RangePop()
print(cub.get_build_version(), thrust.get_build_version())
"""
    done = subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', '-c', program], capture_output=True, text=True, timeout=60)
    assert done.stdout == 'None None\n', done.stderr
    with pytest.raises(NotImplementedError, match='start and stop need none'):
        profiler.initialize('a', 'b', 0)


# It notes what it is called with.
LIBRARY = r"""
#include <stdint.h>
#include <stdio.h>
typedef struct { uint16_t version, size; uint32_t category; int32_t color_type; uint32_t color; int32_t payload_type, reserved;
                 uint64_t payload; int32_t message_type; const char *message; } Event;
static char notes[400];
static int end;
static void note(const char *call, const Event *e) {
    end += sprintf(notes + end, "%s %s %d %d %d %x;", call, e->message, e->version, e->size == sizeof(Event), e->color_type, e->color);
}
void nvtxMarkEx(const Event *e) { note("mark", e); }
int nvtxRangePushEx(const Event *e) { note("push", e); return 0; }
int nvtxRangePop(void) { end += sprintf(notes + end, "pop;"); return 0; }
const char *taken(void) { return notes; }
"""


@pytest.mark.skipif(not shutil.which('cc'), reason='there is no C compiler')
def test_marks_and_ranges_reach_the_library_with_their_colours(tmp_path, monkeypatch):
    source, library = tmp_path / 'nvtx.c', tmp_path / 'libnvtx.so'
    source.write_text(LIBRARY)
    subprocess.run(['cc', '-shared', '-fPIC', '-o', library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    monkeypatch.setattr(nvtx, '_library', lambda: loaded)
    nvtx.Mark('plain')
    nvtx.MarkC('m', 0xFF112233)
    nvtx.RangePush('first', 0)
    nvtx.RangePushC('r', 0xFF00FF00)
    nvtx.RangePop()
    loaded.taken.restype = ctypes.c_char_p
    notes = loaded.taken().decode().split(';')
    assert notes[0] == 'mark plain 3 1 0 0' and notes[1] == 'mark m 3 1 1 ff112233'
    assert notes[2].startswith('push first 3 1 1 ff') and notes[3:] == ['push r 3 1 1 ff00ff00', 'pop', '']
