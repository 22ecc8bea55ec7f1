"""Tests of sparse arrays: sums, means, extrema, counts, diagonals."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest

from sparse_same import CLASSES, COMPRESSED, DTYPES, INDEXED, STRUCTURES, same, scipy_array, some, theirs, values

AXES = [None, 0, 1, -1, -2, (0,), (0, 1), (1, 0), 2, (0, 0), (), "0", 1.5]


def plain(a):
    """Returns a dense result of SciPy's as an array instead of a `numpy.matrix`."""
    return np.asarray(a) if isinstance(a, np.matrix) else a


@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_sums(name, structure):
    a = scipy_array(name, structure)
    for axis in AXES:
        same(lambda sp, xp, a: plain(a.sum(axis=axis)), a)
        same(lambda sp, xp, a: plain(a.mean(axis=axis)), a, exact=False)
    for method in ("trace", "count_nonzero", "nonzero"):
        same(lambda sp, xp, a: getattr(a, method)() if method != "count_nonzero" else int(a.count_nonzero()), a)


@pytest.mark.parametrize("name, dtype", some(CLASSES, DTYPES + ["int8", "uint16"]))
def test_dtypes_of_sums(name, dtype):
    a = scipy_array(name, "duplicates" if dtype != "bool" else "random", dtype)
    for axis in (None, 0, 1):
        for to in (None, "int64", "float32", "complex128"):
            # A float sum near an integer is cut to one of two, by its last bit.
            if to == "int64" and np.dtype(dtype).kind in "fc" or dtype == "complex128" and to == "float32":
                continue
            same(lambda sp, xp, a: plain(a.sum(axis=axis, dtype=to)), a)
            same(lambda sp, xp, a: plain(a.mean(axis=axis, dtype=to)), a, exact=False) if to != "int64" else None

    def into(shape):
        def f(sp, xp, a):
            out = xp.zeros(shape, "complex128")
            made = a.sum(axis=0, out=out.view(np.matrix) if xp is np and name.endswith("matrix") else out)
            return plain(made)

        return f

    same(into((1, 5) if name.endswith("matrix") else (5,)), a)
    same(into((3, 3)), a)


@pytest.mark.parametrize("name, structure", some(INDEXED, STRUCTURES))
def test_extrema(name, structure):
    a = scipy_array(name, structure)
    for axis in AXES:
        for method in ("max", "min", "nanmax", "nanmin"):
            for explicit in (False, True):
                same(lambda sp, xp, a: getattr(a, method)(axis=axis, explicit=explicit), a)
        for method in ("argmax", "argmin"):
            # Among equal elements SciPy counts explicit zeros by their position among the stored ones.
            for explicit in (False, True) if structure != "explicit zeros" else ():
                same(lambda sp, xp, a: _index(getattr(a, method)(axis=axis, explicit=explicit)), a)
    for method in ("max", "argmin"):
        same(lambda sp, xp, a: getattr(a, method)(out=xp.zeros(3)), a)


def _index(found):
    return plain(found) if getattr(found, "ndim", 0) else int(found)


@pytest.mark.parametrize("name, dtype", some(COMPRESSED, ["bool", "uint8", "int32", "float32"]))
def test_dtypes_of_extrema(name, dtype):
    a = scipy_array(name, "full", dtype)
    for axis in (None, 0, 1):
        for method in ("max", "min"):
            same(lambda sp, xp, a: getattr(a, method)(axis=axis), a)
        for method in ("argmax", "argmin"):
            same(lambda sp, xp, a: _index(getattr(a, method)(axis=axis)), a)


@pytest.mark.parametrize("name", COMPRESSED)
def test_nan(name):
    a = getattr(theirs, name)(np.array([[np.nan, 1, 2], [0, np.nan, 0], [-1, -2, -3], [0, 0, 0.0]]))
    for axis in (None, 0, 1):
        for method in ("max", "min", "nanmax", "nanmin"):
            same(lambda sp, xp, a: getattr(a, method)(axis=axis), a)


@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_counts(name, structure):
    a = scipy_array(name, structure)
    for axis in (None, 0, 1, -1, -2, 2):
        same(lambda sp, xp, a: _count(a._getnnz(axis)), a)
        same(lambda sp, xp, a: _count(a.count_nonzero(axis)), a)


def _count(found):
    # SciPy counts in int32 if no stored element is zero, else in int64.
    return found.astype("int64") if getattr(found, "ndim", 0) else int(found)


@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_diagonals(name, structure):
    a = scipy_array(name, structure)
    for k in (0, 1, -1, 3, -3, 9, -9):
        same(lambda sp, xp, a: a.diagonal(k), a)
        same(lambda sp, xp, a: a.trace(k), a)


@pytest.mark.parametrize("name", CLASSES)
def test_setdiag(name):
    def changed(values, k):
        def f(sp, xp, a):
            a.setdiag(values, k)
            return a

        return f

    for structure in ("random", "duplicates", "square", "one", "no rows"):
        a = scipy_array(name, structure)
        for k in (0, 1, -2, 5, -5):
            for new in (7.0, [1.0, 2.0], np.arange(1.0, 9.0), [], [3.0], 0.0):
                if name[:3] == "dia" and structure == "no rows":
                    continue
                same(changed(new, k), a)


def test_more_axes():
    rng = np.random.default_rng(4)
    dense = values(24, "float64").reshape(2, 3, 4) * rng.integers(0, 2, (2, 3, 4))
    a = theirs.coo_array(dense)
    for axis in (None, 0, 1, 2, -1, (0, 1), (1, 2), (2, 0), (0, 1, 2), 3):
        same(lambda sp, xp, a: a.sum(axis=axis), a)
        same(lambda sp, xp, a: a.mean(axis=axis), a, exact=False)
        for method in ("max", "min"):
            same(lambda sp, xp, a: getattr(a, method)(axis=axis), a)
            same(lambda sp, xp, a: getattr(a, method)(axis=axis, explicit=True), a)
        for method in ("argmax", "argmin"):
            same(lambda sp, xp, a: _index(getattr(a, method)(axis=axis)), a)


def test_repeated_reductions_along_the_compressed_axis():
    # From the second one on the order of the entries by the other axis is remembered.
    host = theirs.random(70, 50, density=0.2, format='coo', random_state=1)
    host.data = np.where(np.arange(host.nnz) % 3 == 0, -host.data, host.data)
    for name, axis in (('csr', 0), ('csc', 1)):
        for dtype in ('f', 'D', 'i2', '?'):
            a = getattr(theirs, f'{name}_array')(host.astype(dtype) if dtype != 'i2' else (host * 100).astype(dtype))
            b = getattr(sparse, f'{name}_array')(a)
            for _ in range(3):
                np.testing.assert_allclose(b.sum(axis).get(), a.sum(axis), rtol=1e-5, atol=1e-6)
                if dtype != 'D':
                    assert (b.max(axis).toarray().get() == a.max(axis).toarray()).all()
                    assert (b.argmin(axis).get() == a.toarray().argmin(axis)).all()
    b = sparse.csr_array((cp.asarray(np.tile(host.data, 2)), cp.asarray(np.concatenate([host.col, host.col])), cp.asarray([0, 2 * host.nnz])), shape=(1, 50))
    for _ in range(3):
        np.testing.assert_allclose(b.sum(0).get(), np.asarray(2 * host.sum(0)).ravel(), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(b.max(0).toarray().get().ravel(), np.maximum(np.asarray(2 * host.sum(0)).ravel(), -np.inf), rtol=1e-12, atol=1e-12)
