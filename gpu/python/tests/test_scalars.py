"""Tests of arrays of one element as scalars, and of scalars as arrays."""

import numpy as np
import pytest

import cuprum as cp
from same import same

ONES = [np.array(3), np.array([2.5]), np.array(True), np.array([[1 + 2j]]), np.array(7, "u1"), np.array(1.5, "e")]


@pytest.mark.parametrize("one", ONES, ids=lambda a: str(a.dtype))
@pytest.mark.parametrize("f", [bool, complex, str, repr, lambda a: a.item(), lambda a: a.tolist()])
def test_conversions(one, f):
    same(lambda xp, a: f(a), one)


@pytest.mark.parametrize("f", [int, float])
def test_numbers(f):
    for one in ONES:
        if one.dtype.kind != "c":
            assert f(cp.asarray(one.item())) == f(one.item())
        same(lambda xp, a: f(a), one)
    with pytest.raises(TypeError):
        f(cp.asarray(ONES[3]))
    with pytest.raises(TypeError):
        f(cp.arange(2))


def test_truth():
    for host in (np.arange(2), np.array([]), np.zeros(1), np.array(0.0), np.array([0j])):
        same(lambda xp, a: bool(a), host)


def test_index():
    assert range(9)[cp.array(3)] == 3 and ([0, 1] * cp.array(2)).tolist() == [0, 2]
    with pytest.raises(TypeError):
        range(9)[cp.array(3.0)]
    with pytest.raises(TypeError):
        range(9)[cp.array([3])]


def test_reductions_are_arrays_without_axes():
    a = cp.arange(3.0).sum()
    assert isinstance(a, cp.ndarray) and a.shape == () and a.ndim == 0
    assert isinstance(cp.arange(3)[1], cp.ndarray)
    assert f"{a:.1f}" == "3.0"


def test_numbers_of_python_are_weak():
    for dtype in "bBhHefF":
        a = cp.ones(2, dtype)
        assert (a + 1).dtype == a.dtype and (2 * a).dtype == a.dtype
    assert (cp.ones(2, "f") + 1.5).dtype == np.float32 and (cp.ones(2, "f") + np.float64(1.5)).dtype == np.float64
    assert (cp.ones(2, "f") + cp.array(1.5)).dtype == np.float64
    for dtype, number in (("B", 300), ("B", -1), ("b", 200)):
        with pytest.raises(OverflowError):
            cp.ones(2, dtype) + number
    assert (cp.arange(3, dtype="B") < 300).all() and (cp.arange(3) == 2**70).get().tolist() == [False] * 3


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = cp.arange(4).astype("bfloat16")
    assert a.dtype == np.dtype(ml_dtypes.bfloat16) and a.get().dtype == ml_dtypes.bfloat16
    assert cp.asarray(a.get()).dtype == a.dtype and (a + 1).dtype == a.dtype and a.sum().item() == 6.0


def test_byte_order():
    a = cp.asarray(np.array([1, 2], ">i4"))
    assert a.dtype == np.dtype("<i4") and a.get().tolist() == [1, 2]
    with pytest.raises(TypeError):
        cp.zeros(2, ">i4")
