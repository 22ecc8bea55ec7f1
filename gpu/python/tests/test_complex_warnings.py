"""Tests of casts of complex numbers to real dtypes: NumPy's warning, its exception, and the stored values."""

import warnings

import numpy as np
import pytest

import cuprum as cp

HOST = np.array([[1 + 2j, 3 - 1j, -2 + 0.5j], [4j, 1 - 1j, 2 + 2j]])


def c2(xp):
    return xp.asarray(HOST)


def c1(xp):
    return xp.asarray(HOST[0])


def indices(xp):
    return xp.asarray(np.array([0, 2]))


def outcome(call, xp):
    """Returns the class of a call's exception, or its warnings and its result."""
    result = error = None
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = call(xp)
        except Exception as e:
            error = next(c for c in type(e).__mro__ if c.__module__ == "builtins")
    if error:
        return error
    result = cp.asnumpy(result)
    # Releases differ in what they deprecate.
    return {w.category for w in found} - {DeprecationWarning}, result.dtype, result.tolist()


def compare(call):
    assert outcome(call, cp) == outcome(call, np)


FOLDS = ["sum", "prod", "mean", "max", "min", "nansum", "nanprod", "nanmean", "nanmax", "nanmin", "median", "nanmedian", "any"]
SCANS = ["cumsum", "cumprod", "nancumsum", "nancumprod"]


@pytest.mark.parametrize("out", ["d", "e", "l", "?", "F"])
@pytest.mark.parametrize("name", [*FOLDS, *SCANS, "cumulative_sum", "cumulative_prod"])
def test_out_of_reductions(name, out):
    shape = (2,) if name in FOLDS else (2, 3)

    def call(xp, **options):
        result = xp.zeros(shape, out)
        getattr(xp, name)(c2(xp), axis=1, out=result, **options)
        return result

    compare(call)
    if name not in ("max", "min", "nanmax", "nanmin", "median", "nanmedian", "any"):
        compare(lambda xp: call(xp, dtype="D"))


@pytest.mark.parametrize("out", ["d", "l", "F"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_and", "subtract"])
def test_methods_of_ufuncs(name, out):
    def stored(shape, call):
        def run(xp):
            result = xp.ones(shape, out)
            call(getattr(xp, name), xp, result)
            return result

        compare(run)

    stored((2,), lambda f, xp, result: f.reduce(c2(xp), axis=1, out=result))
    stored((2, 3), lambda f, xp, result: f.accumulate(c2(xp), axis=1, out=result))
    stored((2, 2), lambda f, xp, result: f.reduceat(c2(xp), indices(xp), axis=1, out=result))
    stored((3, 3), lambda f, xp, result: f.outer(c1(xp), c1(xp), out=result, casting="unsafe"))
    stored((3, 3), lambda f, xp, result: f.outer(c1(xp), c1(xp), out=result))
    for value in (2 + 1j, np.complex64(2 + 1j), [1j, 2]):
        stored((3,), lambda f, xp, result: f.at(result, indices(xp), value))


@pytest.mark.parametrize("out", ["d", "l", "F"])
@pytest.mark.parametrize(
    "shape, call",
    [
        ((), lambda xp, out: xp.trace(c2(xp), out=out)),
        ((2,), lambda xp, out: xp.take(c1(xp), indices(xp), out=out)),
        ((2,), lambda xp, out: xp.choose(indices(xp) // 2, [c1(xp)[:2], c1(xp)[1:]], out=out)),
        ((2,), lambda xp, out: xp.compress(xp.asarray(np.array([True, False, True])), c1(xp), out=out)),
        ((2, 3), lambda xp, out: xp.concatenate([c2(xp)], out=out, casting="unsafe")),
        ((1, 3), lambda xp, out: xp.stack([c1(xp)], out=out, casting="unsafe")),
        ((2,), lambda xp, out: xp.matmul(c2(xp), c1(xp), out=out, casting="unsafe")),
        ((3,), lambda xp, out: xp.einsum("i,i->i", c1(xp), c1(xp), out=out, casting="unsafe")),
        ((3,), lambda xp, out: xp.absolute(c1(xp), out=out, casting="unsafe")),
        ((3,), lambda xp, out: xp.add(1.0, xp.ones(3), out=out, dtype="D", casting="unsafe")),
    ],
)
def test_out_of_other_functions(shape, call, out):
    def run(xp):
        result = xp.zeros(shape, out)
        call(xp, result)
        return result

    compare(run)


VALUES = {
    "array": c1,
    "one element": lambda xp: c1(xp)[:1],
    "no axes": lambda xp: xp.asarray(np.array(1 + 2j)),
    "number": lambda xp: 2 + 1j,
    "scalar": lambda xp: np.complex64(2 + 1j),
    "list": lambda xp: [1j, 2, 3],
    "host array": lambda xp: np.array([1j, 2, 3]),
    "flat": lambda xp: c1(xp).flat,
    "empty": lambda xp: c1(xp)[:0],
}

ASSIGNMENTS = {
    "flat": lambda xp, a, v: setattr(a, "flat", v),
    "flat[1]": lambda xp, a, v: a.flat.__setitem__(1, v),
    "flat[:]": lambda xp, a, v: a.flat.__setitem__(slice(None), v),
    "flat[indices]": lambda xp, a, v: a.flat.__setitem__([0, 2], v),
    "a[:]": lambda xp, a, v: a.__setitem__(slice(None), v),
    "put": lambda xp, a, v: xp.put(a, indices(xp), v),
    "insert": lambda xp, a, v: xp.insert(a, [0, 1, 2], v),
    "put_along_axis": lambda xp, a, v: xp.put_along_axis(a, xp.arange(3), v, 0),
    "full": lambda xp, a, v: xp.full(3, v, dtype=a.dtype),
    "full_like": lambda xp, a, v: xp.full_like(a, v),
    "asarray": lambda xp, a, v: xp.asarray(v, dtype=a.dtype),
    "copyto": lambda xp, a, v: xp.copyto(a, v, casting="unsafe"),
}


@pytest.mark.parametrize("dtype", ["d", "l", "F"])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_values_that_are_stored(name, value, dtype):
    def call(xp):
        a = xp.zeros(3, dtype)
        result = ASSIGNMENTS[name](xp, a, VALUES[value](xp))
        return a if result is None else result

    compare(call)


@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("value", VALUES)
def test_parts_that_are_set(value, part):
    if value in ("number", "list") and np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("NumPy 2.5 raises TypeError where 2.4 warns")

    def call(xp):
        z = xp.ones(3, "D")
        setattr(z, part, VALUES[value](xp))
        return z

    compare(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.pad(xp.ones(2), 1, constant_values=1j),
        lambda xp: xp.pad(xp.ones(2), 1, mode="linear_ramp", end_values=np.complex64(1j)),
        lambda xp: xp.gradient(xp.ones(3), 1 + 1j),
        lambda xp: xp.hstack([c1(xp), c1(xp)], dtype="d", casting="unsafe"),
        lambda xp: xp.absolute(c1(xp), dtype="d", casting="unsafe"),
    ],
)
def test_results_of_a_real_dtype(call):
    compare(call)


@pytest.mark.parametrize("value", [300, [300, 1, 2], np.int64(300), 2.5, [], np.ones((2, 2)), float("nan")])
@pytest.mark.parametrize("key", [0, slice(None), [0, 2], ...])
def test_values_of_flat(key, value):
    """Python numbers must fit in the dtype, scalars and arrays are cast; one element takes one number."""

    def call(xp):
        a = xp.ones(3, "b")
        a.flat[key] = value
        return a

    compare(call)
