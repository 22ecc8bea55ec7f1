"""Warnings that dtypes and shapes decide: NumPy's, one for each call."""

import warnings

import numpy as np
import pytest

import cuprum as cp


def categories(call, xp):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(xp)
    return {w.category for w in found}, len(found)


def c(xp):
    return xp.ones(3, complex)


@pytest.mark.parametrize("call", [
    lambda xp: c(xp).sum(dtype=float), lambda xp: xp.cumsum(c(xp), dtype="f"), lambda xp: xp.mean(c(xp), dtype=float),
    lambda xp: xp.add.reduce(c(xp), dtype=float), lambda xp: xp.trace(xp.ones((2, 2), complex), dtype=float),
    lambda xp: xp.zeros(3).__setitem__(slice(None), c(xp)), lambda xp: xp.zeros(3).__setitem__([0, 1, 2], c(xp)),
    lambda xp: xp.zeros(3).fill(xp.array(1j)), lambda xp: xp.asarray(c(xp), dtype="f"), lambda xp: xp.array(c(xp), dtype="f"),
    lambda xp: xp.asarray(np.ones(3, complex), dtype="f"), lambda xp: xp.copyto(xp.zeros(3), c(xp), casting="unsafe"),
    lambda xp: xp.add(c(xp), c(xp), out=xp.zeros(3), casting="unsafe"), lambda xp: xp.add(c(xp), c(xp), dtype=float, casting="unsafe"),
    lambda xp: c(xp).astype(float), lambda xp: xp.full(2, 1j, dtype=float), lambda xp: xp.astype(c(xp), float),
    # None of these discards anything.
    lambda xp: c(xp).sum(), lambda xp: xp.absolute(c(xp), out=xp.zeros(3)), lambda xp: c(xp).astype(bool), lambda xp: c(xp).sum(dtype="F"),
    lambda xp: xp.zeros_like(c(xp), dtype=float), lambda xp: xp.equal(c(xp), c(xp), out=xp.zeros(3), casting="unsafe"),
    lambda xp: xp.copyto(xp.zeros(3, "F"), c(xp), casting="unsafe"),
])
def test_imaginary_parts_are_discarded(call):
    (found, count), (wanted, _) = categories(call, cp), categories(call, np)
    assert found == wanted and count == len(wanted)


@pytest.mark.parametrize("call", [
    lambda xp: xp.var(xp.ones(2), ddof=2), lambda xp: xp.ones((3, 2)).std(axis=1, ddof=5), lambda xp: xp.nanvar(xp.ones(2), ddof=2),
    lambda xp: xp.mean(xp.ones(0)), lambda xp: xp.ones((0, 2)).mean(axis=0), lambda xp: xp.median(xp.ones(0)),
    lambda xp: xp.average(xp.ones(0)), lambda xp: xp.nanmean(xp.ones(0)), lambda xp: xp.cov(xp.ones((2, 4)), ddof=5),
    lambda xp: xp.cov(xp.ones((4, 1)), rowvar=True), lambda xp: xp.var(xp.ones(1)), lambda xp: xp.ones((0, 2)).mean(axis=1),
    lambda xp: xp.var(xp.ones((3, 2)), axis=0, ddof=2), lambda xp: xp.cov(xp.ones((4, 1)), rowvar=False),
])
def test_too_few_elements(call):
    (found, count), (wanted, _) = categories(call, cp), categories(call, np)
    assert found == wanted and count == len(wanted)


def test_a_warning_that_is_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z = cp.zeros(3)
        with pytest.raises(np.exceptions.ComplexWarning):
            z[:] = cp.full(3, 1 + 1j)
        assert z.tolist() == [0, 0, 0]
