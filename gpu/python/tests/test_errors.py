"""Tests of invalid calls: NumPy's exception classes and the library's messages."""

import numpy as np
import pytest

import cuprum as cp


def test_what_is_no_operand():
    a = cp.arange(3)
    for other in ("a", b"a", object(), {}, None):
        for call in (lambda: a + other, lambda: a * other, lambda: other * a, lambda: a < other, lambda: cp.add(a, other)):
            with pytest.raises(TypeError):
                call()


class Asks:
    """An operand that takes precedence in operators."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "mine"


def test_others_are_asked():
    assert cp.arange(3) + Asks() == "mine"


def test_classes():
    a = cp.arange(6).reshape(2, 3)
    with pytest.raises(np.exceptions.AxisError):
        a.sum(axis=2)
    with pytest.raises(ValueError):
        a + cp.arange(4)
    with pytest.raises(IndexError):
        a[5]
    with pytest.raises(IndexError):
        a[0, 0, 0]
    with pytest.raises(OverflowError):
        a.astype("u1") + 300
    with pytest.raises(TypeError):
        cp.bitwise_and(a, 1.5)
    # As in CuPy: NumPy has no such error.
    with pytest.raises(ValueError):
        cp.zeros(2, dtype="U3")
    with pytest.raises(ValueError):
        cp.asarray(["a"])
    with pytest.raises(ValueError):
        cp.asarray(np.array([object()]))
    with pytest.raises(MemoryError):
        cp.empty(1 << 60, dtype="u1")
    assert issubclass(cp.OutOfMemoryError, MemoryError)


def test_messages_name_the_function_and_the_parameter():
    with pytest.raises(TypeError, match=r"take.*axis"):
        cp.take(cp.arange(3), cp.arange(2), axis="x")
    with pytest.raises(TypeError, match=r"sum\(\) got an unexpected keyword argument 'foo'"):
        cp.sum(cp.arange(3), foo=1)
    with pytest.raises(TypeError, match=r"take\(\) missing required argument: 'indices'"):
        cp.take(cp.arange(3))
    with pytest.raises(TypeError, match="'same_kind'"):
        cp.add(cp.arange(3), 1.5, out=cp.arange(3))
    with pytest.raises(ValueError, match="order"):
        cp.zeros(3).copy(order="Z")


def test_errors_of_kernels_are_reported_at_the_next_synchronisation():
    a = cp.arange(3)
    with pytest.raises(IndexError):
        a[cp.array([5])].get()
    # It is reported once.
    assert a.get().tolist() == [0, 1, 2]


def deeper_than_arrays():
    itself, beside, deep = [], [cp.ones(2)], [cp.ones(2)]
    itself.append(itself)
    beside.append(beside)
    for _ in range(100_000):
        deep = [deep]
    return {"itself": itself, "with an array": beside, "deep": deep}


@pytest.mark.parametrize("of", ["itself", "with an array", "deep"])
@pytest.mark.parametrize(
    "call",
    [
        cp.array,
        cp.asarray,
        cp.concatenate,
        cp.block,
        cp.sum,
        cp.select,
        cp.meshgrid,
        lambda x: cp.ones(3)[x],
        lambda x: cp.ones(3).__setitem__(0, x),
        lambda x: cp.pad(cp.ones(3), x),
        lambda x: cp.einsum("i,i", cp.ones(3), cp.ones(3), optimize=x),
    ],
)
def test_lists_that_no_array_is_deep_enough_for(call, of):
    with pytest.raises((ValueError, TypeError, IndexError, RecursionError)):
        call(deeper_than_arrays()[of])
