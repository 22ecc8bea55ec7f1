"""Tests of NumPy's functions on device arrays, and of NumPy arrays as operands."""

import numpy as np
import pytest

import cuprum as cp


def same(ours, theirs):
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_array_equal(cp.asnumpy(ours), theirs)
    assert ours.dtype == np.asarray(theirs).dtype


A = np.array([[1.0, -2.0, 3.5], [4.0, 0.25, -6.0]])
B = np.array([2.0, 0.5, -1.0])


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "hypot", "less", "floor_divide", "copysign"])
def test_a_ufunc_of_two_is_ours(name):
    f = getattr(np, name)
    ours = f(cp.asarray(A), cp.asarray(B))
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_array_max_ulp(ours.get(), f(A, B), 1) if name == "hypot" else same(ours, f(A, B))


@pytest.mark.parametrize("name", ["negative", "absolute", "sqrt", "isfinite", "floor", "square"])
def test_a_ufunc_of_one_is_ours(name):
    f = getattr(np, name)
    with np.errstate(invalid="ignore"):
        same(f(cp.asarray(A)), f(A))


def test_numbers_stand_beside_arrays():
    a = cp.arange(3, dtype=np.float32)
    for result in (np.add(a, 1), np.multiply(2.5, a), np.add(np.float32(2), a)):
        assert isinstance(result, cp.ndarray) and result.dtype == np.float32
    assert (np.float64(2) * a).dtype == np.float64
    same(np.float32(2) * a, np.float32(2) * np.arange(3, dtype=np.float32))


def test_out_is_a_tuple_or_an_array():
    a, out = cp.asarray(A), cp.empty((2, 3))
    assert np.add(a, 1, out=out) is out
    same(out, A + 1)
    assert np.subtract(a, 1, out=(out,)) is out
    same(out, A - 1)
    first, second = np.divmod(a, 2.0)
    same(first, np.divmod(A, 2.0)[0])
    same(second, np.divmod(A, 2.0)[1])


def test_methods_of_ufuncs_are_ours():
    a = cp.asarray(A)
    same(np.add.reduce(a, axis=1), np.add.reduce(A, axis=1))
    same(np.multiply.outer(a, cp.asarray(B)), np.multiply.outer(A, B))
    same(np.add.accumulate(a, axis=0), np.add.accumulate(A, axis=0))
    target = cp.zeros(3)
    np.add.at(target, cp.array([0, 0, 2]), 1.0)
    same(target, np.array([2.0, 0.0, 1.0]))


def test_numpy_arrays_are_rejected():
    a = cp.asarray(A)
    for call in (lambda: a + B, lambda: B + a, lambda: np.add(a, B), lambda: np.add(B, a), lambda: np.add(A, 1, out=a)):
        with pytest.raises(TypeError, match="asarray"):
            call()
    same(np.concatenate([a, A]), np.concatenate([A, A]))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.sum(a),
        lambda np, a: np.sum(a, axis=0, keepdims=True),
        lambda np, a: np.mean(a, axis=-1),
        lambda np, a: np.concatenate([a, a], axis=1),
        lambda np, a: np.stack([a, a]),
        lambda np, a: np.vstack((a, a)),
        lambda np, a: np.where(a > 0, a, 0),
        lambda np, a: np.clip(a, 0, 2),
        lambda np, a: np.transpose(a),
        lambda np, a: np.reshape(a, (3, 2)),
        lambda np, a: np.argsort(a, axis=0),
        lambda np, a: np.sort(a),
        lambda np, a: np.cumsum(a),
        lambda np, a: np.dot(a, a.T),
        lambda np, a: np.linalg.norm(a),
        lambda np, a: np.unique(a),
        lambda np, a: np.zeros_like(a),
        lambda np, a: np.full_like(a, 3),
        lambda np, a: np.broadcast_to(a, (2, 2, 3)),
        lambda np, a: np.max(a, axis=1),
        lambda np, a: np.std(a),
        lambda np, a: np.tril(a),
        lambda np, a: np.ravel(a),
        lambda np, a: np.count_nonzero(a, axis=0),
    ],
)
def test_functions_of_numpy_are_ours(call):
    ours, theirs = call(np, cp.asarray(A)), call(np, A)
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=1e-15)


def test_what_is_not_ours_is_rejected():
    a = cp.asarray(A)
    with pytest.raises(TypeError, match="no implementation found"):
        np.busday_count(a, a)
    assert np.shape(a) == (2, 3) and np.ndim(a) == 2 and np.size(a) == 6


def test_copies_to_the_host_are_explicit():
    with pytest.raises(TypeError, match="asnumpy|get"):
        np.asarray(cp.asarray(A))
    np.testing.assert_array_equal(cp.asarray(A).get(), A)


def test_objects_with_numpys_protocols_come_in():
    class Interface:
        __array_interface__ = A.__array_interface__

    class Method:
        def __array__(self, dtype=None, copy=None):
            return A

    for thing in (Interface(), Method(), memoryview(A), bytearray(b"\x01\x02")):
        np.testing.assert_array_equal(cp.asnumpy(cp.asarray(thing)), np.asarray(thing))


def test_pandas_round_trip():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1.5, 2.5, np.nan])
    a = cp.asarray(series)
    assert a.dtype == np.float64
    pandas.testing.assert_series_equal(pandas.Series(cp.asnumpy(a)), series)
    frame = pandas.DataFrame({"x": [1, 2], "y": [3, 4]})
    same(cp.asarray(frame), frame.to_numpy())
