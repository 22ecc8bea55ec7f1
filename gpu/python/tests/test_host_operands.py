"""Tests of scalars, lists and host arrays as operands: NumPy's values, dtypes and errors, on either side."""

import operator

import numpy as np
import pytest

import cuprum as cp
from same import equal, same

NUMBERS = {
    "int": 2,
    "float": 1.5,
    "complex": 1j,
    "bool": True,
    "int8": np.int8(2),
    "uint16": np.uint16(2),
    "float32": np.float32(1.5),
    "float64": np.float64(1.5),
    "complex64": np.complex64(1j),
    "0-d": np.array(2.0),
    "0-d int": np.array(2, "h"),
    "list": [1, 2, 3],
    "tuple": (1.5, 2, 3),
    "range": range(3),
}


def alike(call, *host):
    same(call, *host, rtol=1e-6)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("dtype", "bfd")
def test_operators_take_what_numpy_takes(kind, dtype):
    a, other = np.arange(1, 4).astype(dtype), NUMBERS[kind]
    for of in (operator.add, operator.mul, operator.eq):
        alike(lambda xp, a: of(a, other), a)
        alike(lambda xp, a: of(other, a), a)


def test_an_array_without_axes_multiplies_a_list():
    for other in ([1, 2], (1, 2), range(2), []):
        same(lambda xp, a: a * other, np.array(2))
        same(lambda xp, a: other * a, np.array(2))


def test_the_rule_of_arrays_of_the_host():
    a, h = cp.arange(3.0), np.arange(3.0)
    rejected = (
        lambda: a + h,
        lambda: h + a,
        lambda: a == h,
        lambda: cp.add(a, h),
        lambda: a.__iadd__(h),
        lambda: a @ h,
        lambda: cp.sin(h),
        lambda: cp.matmul(a, h),
        lambda: cp.add(a, 1, where=h > 1),
        lambda: cp.add.outer(a, h),
        lambda: cp.add(a, 1, out=h),
        lambda: cp.sum(a, out=np.zeros(())),
        lambda: cp.copyto(h, a),
        lambda: cp.put(h, 0, a),
        lambda: cp.place([1, 2, 3], [0, 1, 0], 1),
    )
    for call in rejected:
        with pytest.raises(TypeError):
            call()
    taken = (
        lambda xp, a: xp.sum(h),
        lambda xp, a: xp.concatenate([a, h]),
        lambda xp, a: xp.where(a > 1, h, a),
        lambda xp, a: xp.clip(a, 0, h),
        lambda xp, a: xp.isclose(a, h),
        lambda xp, a: xp.dot(a, h),
        lambda xp, a: a.take(np.array([2, 0])),
        lambda xp, a: a[np.array([2, 0])],
        lambda xp, a: xp.stack([h, a]),
        lambda xp, a: xp.append(a, h),
        lambda xp, a: xp.searchsorted(a, h),
        lambda xp, a: xp.ravel(h),
        lambda xp, a: xp.add.reduce(h),
        lambda xp, a: xp.einsum("i,i", a, h),
        lambda xp, a: xp.zeros_like(h),
        lambda xp, a: xp.sum([1, 2]),
        lambda xp, a: xp.interp(0.5, h, a),
        lambda xp, a: xp.broadcast_arrays(a, h[:1]),
        lambda xp, a: xp.linspace(0, h, 3),
    )
    for call in taken:
        alike(call, h)
    assert cp.allclose(a, h) and cp.array_equal(a, h)
    same(lambda xp, a: a.__setitem__(a > 1, h[:1]) or a, h.copy())
    same(lambda xp, a: a.__setitem__(slice(1, None), h[:2]) or a, h.copy())
    same(lambda xp, a: xp.add.at(a, [0, 0], h[1:]) or a, h.copy())
    assert cp.fuse(lambda x: cp.sum(x))(h).item() == 3


class OnDevice:
    """An array of another library."""

    def __init__(self, a):
        self.a = a

    def __cupy_get_ndarray__(self):
        return self.a


def test_objects_that_are_arrays_of_the_device():
    one = OnDevice(cp.array([1, 2], "h"))
    equal(cp.asarray([one, one]), np.array([[1, 2], [1, 2]], "h"))
    equal(cp.array([[one], [one]]), np.array([[[1, 2]], [[1, 2]]], "h"))
    equal(cp.arange(5)[one], np.array([1, 2]))
    equal(cp.arange(5)[[one, one]], np.array([[1, 2], [1, 2]]))
    equal(cp.ones(2) + one, np.array([2.0, 3.0]))
    assert cp.min_scalar_type([one]) == np.int16


def test_lists_of_arrays():
    f = cp.asfortranarray(cp.ones((2, 3)))
    assert cp.array([f, f]).strides == cp.asarray([[f, f]])[0].strides == (48, 24, 8)
    parts = [cp.ones(2, "b"), cp.ones(2, "H"), cp.ones(2, "f")]
    assert cp.array(parts).dtype == np.float64 and cp.block(parts).dtype == np.float32


@pytest.mark.parametrize("other", [..., object(), int, None, "a", b"a", np._NoValue])
def test_what_is_equal_to_no_element(other):
    a = cp.zeros((2, 3))
    assert (a == other).tolist() == (other == a).tolist() == [[False] * 3] * 2
    assert (a != other).tolist() == (other != a).tolist() == [[True] * 3] * 2


def test_objects_that_compare_are_not_guessed_at():
    class Equal:
        def __eq__(self, other):
            return NotImplemented

        __hash__ = None

    for other in (Equal(), {1: 2}, {1}):
        with pytest.raises(TypeError):
            cp.ones(2) == other


SCALARS = [np.int8(3), np.uint8(2), np.float32(1.5), np.int64(1), np.complex128(1j), 2, 1.5]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: f"{type(s).__name__}")
def test_numbers_of_numpy_keep_their_dtype(scalar):
    for dtype in "bBf":
        same(lambda xp, a: xp.add.outer(a, scalar), np.ones(2, dtype))
        for casting in ("no", "equiv", "safe", "same_kind") if isinstance(scalar, np.generic) else ():
            same(lambda xp, a: xp.less(a, scalar, casting=casting), np.ones(2, dtype))
        same(lambda xp, a: xp.where(a > 0, a, scalar), np.ones(2, dtype))
        same(lambda xp, a: xp.select([a > 0, a > 0], [a, scalar]), np.ones(2, dtype))


def test_numbers_that_are_written():
    for value in (np.uint16(1000), np.int8(-3), np.float64(2.5), np.float64(1000), np.float64("nan"), 7, 1000, np.array(1000, "H")):
        for key in (0, slice(None)):
            same(lambda xp, b: b.__setitem__(key, value) or b, np.zeros(2, "b"))
    same(lambda xp, b: b.__setitem__([0], np.uint16(1000)) or b, np.zeros(2, "b"))
    same(lambda xp, b: xp.full(2, np.uint16(1000), "b"), np.zeros(2, "b"))
    for name in ("place", "putmask"):
        same(lambda xp, b: getattr(xp, name)(b, xp.asarray([True, False]), np.int32(-2)) or b, np.zeros(2, "f"))


def test_numbers_of_python_are_weak_in_lists():
    for number in (2, -1, 2.5, 300, True):
        same(lambda xp, a: xp.concatenate([a, number], axis=None), np.ones(2, "b"))
        same(lambda xp, a: xp.choose(xp.asarray([0, 1]), [a, number]), np.ones(2, "i"))
        same(lambda xp, a: xp.union1d(a, number), np.ones(2, "h"))
        same(lambda xp, a: xp.stack([a, xp.asarray(number)]), np.ones((), "b"))
    same(lambda xp, a: xp.union1d(2, a), np.ones(2, "L"))


def test_integers_alone():
    for name in ("absolute", "negative", "positive", "square", "sign", "sqrt", "logical_not"):
        alike(lambda xp: getattr(xp, name)(2**64 - 1))


def test_lists_of_indices_without_elements():
    same(lambda xp, a: a.take([]), np.arange(3))
    same(lambda xp, a: xp.take(a, [], axis=0), np.arange(3))
    same(lambda xp, a: xp.put(a, [], []) or a, np.arange(3))
    same(lambda xp, a: a[[]], np.arange(3))


@pytest.mark.parametrize("where", [0, 2, -1, 2.5, 1j, True, np.int8(0), np.array(1), [1, 0, 2]], ids=repr)
def test_masks_that_are_numbers(where):
    host = np.arange(3.0)
    same(lambda xp, a: xp.copyto(a, 7, where=where) or a, host)
    same(lambda xp, a: xp.sum(a, where=where), host)
    same(lambda xp, a: xp.add(a, 1, where=where, out=xp.zeros(3)), host)
    with pytest.raises(TypeError):
        cp.sum(cp.ones(3), where=cp.ones(3, int))


def test_copyto_takes_numbers_of_numpy():
    for dtype in "bfd":
        for value in (np.array(1.0), np.array([1.0]), np.float64(1), [1.0, 2.0], 1):
            for casting in ("same_kind", "unsafe"):
                same(lambda xp, a: xp.copyto(a, value, casting=casting) or a, np.zeros(2, dtype))


def test_dtypes_of_several_arrays():
    for call in (
        lambda xp, *a: xp.einsum("i,i,i", *a),
        lambda xp, *a: xp.block(list(a)),
        lambda xp, *a: xp.array(a),
        lambda xp, *a: xp.diff(a[0], prepend=a[1], append=a[2]),
        lambda xp, *a: xp.hstack(a),
        lambda xp, *a: xp.block([[[1, 2], [3, 4]]]),
    ):
        same(call, np.ones(2, "b"), np.ones(2, "H"), np.ones(2, "f"))
