"""Comparison of sparse arrays and of calls of both libraries, with SciPy as the reference."""

import os
import warnings

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.sparse as ours

pytest.importorskip("scipy", minversion="1.17")
import scipy.sparse as theirs  # noqa: E402

FORMATS = ["coo", "csr", "csc", "dia"]
CLASSES = [f"{format}_{kind}" for format in FORMATS for kind in ("matrix", "array")]
COMPRESSED = [name for name in CLASSES if name[:3] in ("csr", "csc")]
INDEXED = [name for name in CLASSES if name[:3] != "dia"]
DTYPES = ["bool", "uint8", "int32", "float32", "float64", "complex128"]


def some(names, others, step=5):
    """Pairs of both, one of each `step`: each name meets different ones of the others. CUPRUM_SPARSE_TESTS=all gives all pairs."""
    step = 1 if os.environ.get("CUPRUM_SPARSE_TESTS") == "all" else step
    return [(name, other) for i, name in enumerate(names) for j, other in enumerate(others) if (i + j) % step == 0]


def entries(structure):
    """Returns the shape, the rows and columns of stored elements, and the positions among them of zero values."""
    rng = np.random.default_rng(7)
    if structure == "random":
        at = rng.permutation(20)[:9]
        return (4, 5), at // 5, at % 5, []
    if structure == "empty rows":
        return (6, 3), np.array([1, 1, 4]), np.array([0, 2, 2]), []
    if structure == "duplicates":
        return (4, 5), np.array([0, 3, 0, 2, 3, 0]), np.array([1, 4, 1, 0, 4, 3]), []
    if structure == "explicit zeros":
        return (4, 5), np.array([0, 0, 1, 2, 3]), np.array([0, 3, 2, 2, 4]), [1, 3]
    if structure == "unsorted":
        return (3, 4), np.array([2, 0, 0, 2, 1]), np.array([3, 2, 0, 1, 1]), []
    if structure == "no rows":
        return (0, 4), np.array([], int), np.array([], int), []
    if structure == "one":
        return (1, 1), np.array([0]), np.array([0]), []
    if structure == "square":
        at = rng.permutation(16)[:7]
        return (4, 4), at // 4, at % 4, []
    if structure == "full":
        return (3, 4), np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3), []
    raise ValueError(structure)


STRUCTURES = ["random", "empty rows", "duplicates", "explicit zeros", "unsorted", "no rows", "one", "square", "full"]


def values(n, dtype, zeros=()):
    """Returns small exact numbers of a dtype, of both signs if it is signed."""
    rng = np.random.default_rng(3)
    data = rng.integers(1, 9, n)
    if np.dtype(dtype).kind in "ifc":
        data = data * rng.choice([-1, 1], n)
    data = data + 1j * rng.integers(-3, 4, n) if np.dtype(dtype).kind == "c" else data
    data = data / (2 if np.dtype(dtype).kind in "fc" else 1)
    data = data.astype(dtype)
    data[list(zeros)] = 0
    return data


def scipy_array(name, structure="random", dtype="float64"):
    """Returns SciPy's array of a class: COO with its elements in the given order, CSR and CSC with duplicates and
    unsorted indices unchanged."""
    shape, row, col, zeros = entries(structure)
    data = values(len(row), dtype, zeros)
    format, cls = name[:3], getattr(theirs, name)
    if format == "coo":
        return cls((data, (row, col)), shape=shape)
    if format == "dia":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cls(theirs.coo_array((data, (row, col)), shape=shape).todia())
    major, minor = (row, col) if format == "csr" else (col, row)
    order = np.argsort(major, kind="stable")
    indptr = np.append(0, np.cumsum(np.bincount(major, minlength=shape[format == "csc"])))
    return cls((data[order], minor[order].astype("int32"), indptr.astype("int32")), shape=shape)


def of(a):
    """Returns the library's array of the same class with the same components; host arrays become device arrays."""
    if isinstance(a, (tuple, list)):
        return type(a)(of(x) for x in a)
    if isinstance(a, np.ndarray):
        return cp.asarray(a)
    if not theirs.issparse(a):
        return a
    cls = getattr(ours, type(a).__name__)
    if a.format == "coo":
        return cls((a.data, tuple(a.coords)), shape=a.shape)
    if a.format == "dia":
        return cls((a.data, a.offsets), shape=a.shape)
    return cls((a.data, a.indices, a.indptr), shape=a.shape)


def both(name, structure="random", dtype="float64"):
    a = scipy_array(name, structure, dtype)
    return of(a), a


def equal(got, expected, exact=True, structure=False):
    """Fails if class, dtype, shape or elements differ. With `structure` the number of stored elements is compared,
    too."""
    if isinstance(expected, tuple):
        assert isinstance(got, tuple) and len(got) == len(expected), (got, expected)
        for one, other in zip(got, expected):
            equal(one, other, exact, structure)
        return
    if theirs.issparse(expected):
        assert type(got).__name__ == type(expected).__name__, (type(got), type(expected))
        assert got.shape == expected.shape, (got.shape, expected.shape)
        assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
        if structure:
            assert got.nnz == expected.nnz, (got.nnz, expected.nnz)
        got, expected = got.toarray(), expected.toarray()
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, cp.ndarray), (type(got), expected)
        assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
        assert got.shape == expected.shape, (got.shape, expected.shape)
        compared = np.testing.assert_array_equal if exact else lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
        compared(got.get(), np.asarray(expected))
        return
    if isinstance(expected, (bool, int, float, complex)):
        assert got == expected, (got, expected)
        return
    assert got is expected or got == expected, (got, expected)


def plain(error):
    """Returns Python's class from which an exception is derived."""
    return next(c for c in type(error).__mro__ if c.__module__ == "builtins" or c is np.exceptions.AxisError)


def same(f, *arrays, exact=True, structure=False):
    """Calls `f(sparse, numpy, *arrays)` with both libraries. If SciPy raises, the library must raise the same class
    of exception."""
    mine = of(list(arrays))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = f(theirs, np, *[a.copy() if hasattr(a, "copy") else a for a in arrays])
        except Exception as e:
            try:
                got = f(ours, cp, *mine)
            except plain(e):
                return
            except Exception as other:
                raise AssertionError(f"SciPy: {e!r}, here: {other!r}") from other
            raise AssertionError(f"SciPy: {e!r}, here: {got!r}")
        equal(f(ours, cp, *mine), expected, exact, structure)
