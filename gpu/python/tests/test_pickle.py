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
