"""Tests of sparse arrays: forms of arguments, index dtypes and structures of results that few programs meet, compared with SciPy."""

import numpy as np
import pytest

import cuprum as cp
from sparse_same import CLASSES, COMPRESSED, both, of, ours, same, scipy_array, theirs


def index_dtypes(a):
    return [str(part.dtype) for part in (a.coords if a.format == "coo" else (a.indices, a.indptr))]


@pytest.mark.parametrize("name", [name for name in CLASSES if name[:3] != "dia"])
def test_index_dtypes_of_empty_lists_and_of_floats(name):
    forms = [
        lambda sp, xp: getattr(sp, name)(([], ([], [])), shape=(2, 3)),
        lambda sp, xp: getattr(sp, name)((xp.zeros(0), (xp.zeros(0, "int64"), xp.zeros(0, "int64"))), shape=(2, 3)),
        lambda sp, xp: getattr(sp, name)(([1, 2], ([0.0, 1.0], [1.0, 0.0])), shape=(2, 2)),
        lambda sp, xp: getattr(sp, name)(([1, 2], (xp.asarray([0, 1], "int8"), xp.asarray([1, 0], "uint8")))),
    ]
    for form in forms:
        same(form)
        assert index_dtypes(form(ours, cp)) == index_dtypes(form(theirs, np))


@pytest.mark.parametrize("name", COMPRESSED)
def test_indices_of_floats_are_truncated_with_a_warning(name):
    parts = [1, 2, 3], [0.0, 2.0, 1.0], [0, 2, 3]
    for pieces in (parts, (parts[0], [0, 2, 1], [0.0, 2.0, 3.0])):
        with pytest.warns(UserWarning, match="truncated to integers"):
            getattr(ours, name)(pieces)
        same(lambda sp, xp: getattr(sp, name)(pieces), structure=True)
    with pytest.raises(ValueError, match="integers are needed"):
        getattr(ours, name)(([1, 2], cp.asarray([0j, 1j]), [0, 1, 2]), shape=(2, 2))


def test_a_matrix_has_two_axes():
    for one in (lambda sp, xp: sp.coo_array(xp.ones(3)), lambda sp, xp: sp.csr_array(xp.ones(3))):
        same(lambda sp, xp: sp.coo_matrix(one(sp, xp)))
        same(lambda sp, xp: sp.csc_array(one(sp, xp)))


def test_expand_dims_keeps_the_index_dtype():
    for axis in (0, 1, -1):
        got, expected = (sp.expand_dims(sp.coo_array(xp.eye(2)), axis=axis) for sp, xp in ((ours, cp), (theirs, np)))
        assert got.shape == expected.shape and index_dtypes(got) == index_dtypes(expected)


def test_blocks_have_one_or_two_axes():
    for stack in ("hstack", "vstack"):
        with pytest.raises(ValueError, match="3 axes"):
            getattr(ours, stack)([ours.coo_array(cp.ones((2, 3, 4)))] * 2)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_counts_of_more_axes(axis):
    values = np.arange(24).reshape(2, 3, 4) % 5
    got = ours.coo_array(cp.asarray(values)).count_nonzero(axis=axis)
    np.testing.assert_array_equal(got.get(), np.count_nonzero(values, axis=axis))


@pytest.mark.parametrize("axis", [3, -4])
def test_counts_along_an_axis_that_is_not_there(axis):
    with pytest.raises(ValueError, match="out of range"):
        ours.coo_array(cp.ones((2, 3, 4))).count_nonzero(axis=axis)


def test_duplicates_of_booleans_are_added_before_a_division():
    for name in ("csr_array", "csc_matrix"):
        same(lambda sp, xp, a: a / a, scipy_array(name, "duplicates", "bool"))


def diagonals(rng, m, n):
    """Returns a DIA array of random offsets, whose rows of data are shorter or longer than the array is wide."""
    offsets = rng.choice(np.arange(-m + 1, n), rng.integers(1, min(4, m + n)), replace=False)
    return theirs.dia_array((rng.integers(0, 3, (len(offsets), rng.integers(1, n + 2))).astype(float), offsets), shape=(m, n))


def test_products_of_diagonals_have_the_diagonals_of_scipy():
    rng = np.random.default_rng(0)
    compared = 0
    while compared < 60:
        m, k, n = rng.integers(1, 7, 3)
        a, b = diagonals(rng, m, k), diagonals(rng, k, n)
        try:
            expected = a @ b
        except (RuntimeError, ValueError):
            # SciPy has no product where no sum of two offsets is inside of it.
            assert (of(a) @ of(b)).nnz == 0
            continue
        got, compared = of(a) @ of(b), compared + 1
        assert got.format == "dia" and np.array_equal(got.offsets.get(), expected.offsets)
        assert np.array_equal(got.data.get(), expected.data) and got.nnz == expected.nnz


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_attributes(name):
    for dtype in ("float64", "complex128"):
        a, b = both(name, dtype=dtype)
        for function in ("shape", "ndim", "size", "iscomplexobj", "isrealobj"):
            assert getattr(cp, function)(a) == getattr(np, function)(b)
        same(lambda sp, xp, a: xp.real(a), b)
        same(lambda sp, xp, a: xp.imag(a), b)


def test_products_of_elements_keep_blocks():
    a = theirs.bsr_array(np.kron([[1, 0, 2], [0, 0, 0]], [[1.0, 2], [0, 4]]), blocksize=(2, 2))
    for other in (np.ones((1, 1)), np.ones(1)):
        same(lambda sp, xp, a, b: a.multiply(b), a, other, structure=True)
    for other in (theirs.csr_array(np.arange(6.0)[None]), theirs.csc_matrix(np.arange(4.0)[:, None]), theirs.coo_array([[3.0]])):
        same(lambda sp, xp, a, b: a.multiply(b), a, other)


def test_orders_and_limits_of_linear_algebra():
    from cuprum.cupyx.scipy.sparse import linalg
    from scipy.sparse import linalg as host

    a = theirs.csr_array(np.diag(np.arange(1.0, 9)))
    for module, x in ((linalg, of(a)), (host, a)):
        with pytest.raises(ValueError):
            module.norm(x, "nuc")
        with pytest.raises(NotImplementedError):
            module.norm(x, -2)
        with pytest.raises(ValueError, match="maxiter must be positive"):
            module.eigsh(x, k=2, maxiter=0)
        assert module.matrix_power(x, 0).format == "dia"
