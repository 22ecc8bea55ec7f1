"""Tests of pickling of arrays and functions."""

import pickle

import numpy as np
import pytest

import cuprum as cp
from same import equal


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_arrays(protocol, dtype):
    host = np.arange(6).reshape(2, 3).astype(dtype)
    equal(pickle.loads(pickle.dumps(cp.asarray(host), protocol)), host)


def test_layouts():
    a = cp.arange(6.0).reshape(2, 3)
    assert pickle.loads(pickle.dumps(a.T)).flags.f_contiguous
    equal(pickle.loads(pickle.dumps(a[:, ::2])), a[:, ::2].get())
    equal(pickle.loads(pickle.dumps(a[0, 0])), np.array(0.0))


def test_functions():
    for f in (cp.sum, cp.add, cp.linalg.norm, cp.asarray):
        assert pickle.loads(pickle.dumps(f)) is f


def test_built_in_functions():
    for f in (cp.eye, cp.tri, cp.union1d, cp.diag_indices):
        assert type(f) is type(len) and pickle.loads(pickle.dumps(f)) is f


def test_kernels_are_compiled_again():
    square = cp.ElementwiseKernel(
        "T x", "T y", "y = f(x) + c", "square", preamble="template <class T> __device__ T f(T x) { return x * x; }", loop_prep="int c = 3;", return_tuple=True
    )
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total", reduce_type="double")
    lowest = cp.ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", None, "lowest")
    five = cp.RawModule(code='extern "C" __global__ void five(long long *x) { *x = 5; }').get_function("five")
    a = cp.arange(3)
    for _ in range(2):
        assert square(a)[0].tolist() == [3, 4, 7] and square.nargs == 2
        assert (total(a).item(), lowest(a).item()) == (3, 0)
        five((1,), (1,), (out := cp.zeros(1, np.int64),))
        assert out.item() == 5
        # They are copied after they have been compiled.
        square, total, lowest, five = pickle.loads(pickle.dumps((square, total, lowest, five)))
