"""Tests of the `signature` parameter of ufuncs and of `resolve_dtypes` against NumPy."""

import inspect

import numpy as np
import pytest

import cuprum as cp
from same import same

i4, i8, f2, f4, f8, u1 = map(np.dtype, ("i4", "i8", "f2", "f4", "f8", "u1"))

CALLS = {
    "letters": lambda xp: xp.add(xp.array([1]), 1, signature="ii->i"),
    "bytes": lambda xp: xp.add(xp.array([1]), 1, sig=b"dd->d"),
    "dtypes": lambda xp: xp.add(xp.array([1]), xp.array([2], "u1"), signature=(i4, "i4", np.int32)),
    "classes of dtypes": lambda xp: xp.add(xp.array([1]), 2, signature=(np.dtypes.Float64DType, None, None)),
    "none of them": lambda xp: xp.add(xp.array([1]), 2, sig=(None, None, None)),
    "nothing": lambda xp: xp.add(xp.array([1]), 2, signature=None),
    "the result alone": lambda xp: xp.add(xp.array([1]), 2, signature=(None, None, "f4")),
    "an operand alone": lambda xp: xp.multiply(xp.array([1], "i1"), 2, signature=("f4", None, None)),
    "float16 of bytes": lambda xp: xp.divide(xp.array([1, 2], "i1"), 2, signature="ee->e"),
    "a comparison": lambda xp: xp.equal(xp.array([1, 2], "i1"), 2, signature="dd->?"),
    "two results": lambda xp: xp.divmod(xp.array([7]), 2, sig="dd->dd"),
    "another kind": lambda xp: xp.add(xp.array([1.5]), 1, signature="ii->i"),
    "another kind by force": lambda xp: xp.add(xp.array([1.5]), 1.5, sig="ii->i", casting="unsafe"),
    "to an array": lambda xp: xp.add(xp.array([1.5]), 1.5, xp.zeros(1), sig="ii->i", casting="unsafe"),
    "under a mask": lambda xp: xp.negative(xp.array([1, 2]), out=xp.zeros(2), signature="d->d", where=xp.array([True, False])),
    "one letter": lambda xp: xp.add(xp.array([1]), 1, sig="i"),
    "one dtype": lambda xp: xp.add(xp.array([1]), 1, sig=("i4",)),
    "one nothing": lambda xp: xp.add(xp.array([1]), 1, sig=(None,)),
    "a number": lambda xp: xp.add(xp.array([1]), 1, signature=1.5),
    "no letters": lambda xp: xp.add(xp.array([1]), 1, signature="%^->#"),
    "half an arrow": lambda xp: xp.add(xp.array([1]), 1, signature="ii>i"),
    "too few dtypes": lambda xp: xp.add(xp.array([1]), 1, signature=(None, "f8")),
    "no text": lambda xp: xp.add(xp.array([1]), 1, signature=b"\xff\xff->i"),
    "with a dtype": lambda xp: xp.add(xp.array([1]), 1, sig="ii->i", dtype="f4"),
    "both names": lambda xp: xp.add(xp.array([1]), 1, sig="ii->i", signature="ii->i"),
    "no loop": lambda xp: xp.equal(xp.array([1]), 2, signature="dd->d"),
    "no loop for the rest": lambda xp: xp.add(xp.array([1], "f2"), xp.array([2], "u8"), sig=("e", "d", None)),
    "no casting": lambda xp: xp.add(xp.array([1]), 1, signature="dd->d", casting="some"),
    "resolve": lambda xp: xp.add.resolve_dtypes((i4, f4, None)),
    "resolve, result given": lambda xp: xp.add.resolve_dtypes((i4, i4, None), signature=(None, None, "f4")),
    "resolve, of a number": lambda xp: (xp.add.resolve_dtypes((f4, int, None)), xp.add.resolve_dtypes((u1, float, None))),
    "resolve, of an imaginary number": lambda xp: xp.multiply.resolve_dtypes((complex, f4, None)),
    "resolve, no casting": lambda xp: xp.add.resolve_dtypes((i4, f4, None), casting="no"),
    "resolve, comparison": lambda xp: xp.equal.resolve_dtypes((i4, i8, None)),
    "resolve, two results": lambda xp: xp.divmod.resolve_dtypes((u1, i4, None, None)),
    "resolve, one operand": lambda xp: (xp.sqrt.resolve_dtypes((i4, None)), xp.sqrt.resolve_dtypes((int, None))),
    "resolve, quotient": lambda xp: (xp.divide.resolve_dtypes((i4, int, None)), xp.true_divide.resolve_dtypes((u1, f2, None))),
    "resolve, into": lambda xp: xp.add.resolve_dtypes((i4, i4, f4)),
    "resolve, into less": lambda xp: xp.add.resolve_dtypes((f4, f4, i4)),
    "resolve, reduction": lambda xp: xp.add.resolve_dtypes((None, np.dtype("i2"), None), reduction=True),
    "resolve, unsigned reduction": lambda xp: xp.multiply.resolve_dtypes((None, np.dtype("u2"), None), reduction=True),
    "resolve, reduction of truth": lambda xp: xp.add.resolve_dtypes((None, np.dtype("?"), None), reduction=True),
    "resolve, reduction of float16": lambda xp: xp.add.resolve_dtypes((None, f2, None), reduction=True),
    "resolve, extreme": lambda xp: xp.maximum.resolve_dtypes((None, np.dtype("i2"), None), reduction=True),
    "resolve, reduction into": lambda xp: xp.add.resolve_dtypes((i4, i4, i4), reduction=True),
    "resolve, too few": lambda xp: xp.add.resolve_dtypes((i4, i4)),
    "resolve, no operand": lambda xp: xp.add.resolve_dtypes((i4, None, f4)),
    "resolve, names": lambda xp: xp.add.resolve_dtypes(("i4", "i4", None)),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_in_numpy(name):
    same(CALLS[name])


def test_no_number_is_cut():
    with pytest.raises(TypeError, match="cannot be cast to int32"):
        cp.add(cp.array([1]), 1.5, signature="ii->i")


def test_dtypes_are_those_of_numpy():
    assert all(isinstance(dtype, np.dtype) for dtype in cp.add.resolve_dtypes((i4, f4, None)))


@pytest.mark.parametrize("name", ["sin", "add", "frexp", "divmod"])
def test_keywords_are_those_of_numpy(name):
    def keywords(f):
        return {p.name: p.default for p in inspect.signature(f).parameters.values() if p.kind is p.KEYWORD_ONLY}

    expected = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}
    assert keywords(getattr(cp, name)) == expected
