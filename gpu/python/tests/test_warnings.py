"""Tests of warnings that dtypes and shapes determine: NumPy's, one for each call."""

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


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: c(xp).sum(dtype=float),
        lambda xp: xp.cumsum(c(xp), dtype="f"),
        lambda xp: xp.mean(c(xp), dtype=float),
        lambda xp: xp.add.reduce(c(xp), dtype=float),
        lambda xp: xp.trace(xp.ones((2, 2), complex), dtype=float),
        lambda xp: xp.zeros(3).__setitem__(slice(None), c(xp)),
        lambda xp: xp.zeros(3).__setitem__([0, 1, 2], c(xp)),
        lambda xp: xp.zeros(3).fill(xp.array(1j)),
        lambda xp: xp.asarray(c(xp), dtype="f"),
        lambda xp: xp.array(c(xp), dtype="f"),
        lambda xp: xp.asarray(np.ones(3, complex), dtype="f"),
        lambda xp: xp.copyto(xp.zeros(3), c(xp), casting="unsafe"),
        lambda xp: xp.add(c(xp), c(xp), out=xp.zeros(3), casting="unsafe"),
        lambda xp: xp.add(c(xp), c(xp), dtype=float, casting="unsafe"),
        lambda xp: c(xp).astype(float),
        lambda xp: xp.full(2, 1j, dtype=float),
        lambda xp: xp.astype(c(xp), float),
        # None of these discards anything.
        lambda xp: c(xp).sum(),
        lambda xp: xp.absolute(c(xp), out=xp.zeros(3)),
        lambda xp: c(xp).astype(bool),
        lambda xp: c(xp).sum(dtype="F"),
        lambda xp: xp.zeros_like(c(xp), dtype=float),
        lambda xp: xp.equal(c(xp), c(xp), out=xp.zeros(3), casting="unsafe"),
        lambda xp: xp.copyto(xp.zeros(3, "F"), c(xp), casting="unsafe"),
    ],
)
def test_imaginary_parts_are_discarded(call):
    (found, count), (wanted, _) = categories(call, cp), categories(call, np)
    assert found == wanted and count == len(wanted)


def mask(xp):
    return xp.array([True, False, True])


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.zeros(3).__setitem__(0, xp.array(1j)),
        lambda xp: xp.zeros(3).__setitem__(mask(xp), c(xp)[:2]),
        lambda xp: xp.zeros(3, "b").__setitem__(slice(None), c(xp)),
        lambda xp: xp.zeros(3, bool).__setitem__(slice(None), c(xp)),
        lambda xp: xp.zeros(3).__setitem__(0, np.complex128(1j)),
        lambda xp: xp.zeros(3).__setitem__(0, 1j),
        lambda xp: xp.zeros(3).__setitem__(slice(None), [1j, 2, 3]),
        lambda xp: xp.zeros(3).flat.__setitem__(0, xp.array(1j)),
        lambda xp: xp.place(xp.zeros(3), mask(xp), c(xp)[:2]),
        lambda xp: xp.place(xp.zeros(3), mask(xp), [1j]),
        lambda xp: xp.putmask(xp.zeros(3), mask(xp), c(xp)),
        lambda xp: xp.putmask(xp.zeros(3), mask(xp), 1j),
        lambda xp: xp.copyto(xp.zeros(3), c(xp)),
        lambda xp: xp.copyto(xp.zeros(3), c(xp), casting="unsafe", where=mask(xp)),
        lambda xp: xp.copyto(xp.zeros(3), 1j),
        lambda xp: xp.copyto(xp.zeros(3), np.complex128(1j), casting="unsafe"),
        lambda xp: xp.zeros(3).fill(1j),
        lambda xp: xp.zeros(3, int).fill(xp.array(1j)),
        lambda xp: xp.put(xp.zeros(3), [0, 1], 1j),
        lambda xp: xp.zeros(3).__iadd__(c(xp)),
        lambda xp: xp.add.at(xp.zeros(3, complex), [0], 1j),
        lambda xp: xp.full_like(xp.zeros(3), c(xp)),
        lambda xp: setattr(c(xp), "real", c(xp)),
        lambda xp: setattr(c(xp), "imag", c(xp)),
        lambda xp: xp.asarray([1j, 2], dtype=float),
        lambda xp: xp.add.accumulate(c(xp), dtype=float),
        lambda xp: xp.nancumsum(c(xp), dtype=float),
        lambda xp: xp.round(c(xp), out=xp.zeros(3)),
        lambda xp: xp.concatenate([c(xp)], out=xp.zeros(3)),
        lambda xp: xp.matmul(c(xp), c(xp), out=xp.zeros(())),
    ],
)
def test_assignments_of_complex_numbers(call):
    """Returns NumPy's warning, or its error if it raises one."""

    def outcome(xp):
        raised = []

        def guarded(xp):
            try:
                call(xp)
            except Exception as error:
                raised.append(next(k for k in type(error).__mro__ if k.__module__ == "builtins"))

        return *categories(guarded, xp), raised

    assert outcome(cp) == outcome(np)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.var(xp.ones(2), ddof=2),
        lambda xp: xp.ones((3, 2)).std(axis=1, ddof=5),
        lambda xp: xp.nanvar(xp.ones(2), ddof=2),
        lambda xp: xp.mean(xp.ones(0)),
        lambda xp: xp.ones((0, 2)).mean(axis=0),
        lambda xp: xp.median(xp.ones(0)),
        lambda xp: xp.average(xp.ones(0)),
        lambda xp: xp.nanmean(xp.ones(0)),
        lambda xp: xp.cov(xp.ones((2, 4)), ddof=5),
        lambda xp: xp.cov(xp.ones((4, 1)), rowvar=True),
        lambda xp: xp.var(xp.ones(1)),
        lambda xp: xp.ones((0, 2)).mean(axis=1),
        lambda xp: xp.var(xp.ones((3, 2)), axis=0, ddof=2),
        lambda xp: xp.cov(xp.ones((4, 1)), rowvar=False),
    ],
)
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
