"""Tests of sparse arrays: `A[key]`, `A[key] = x`, iteration."""

import numpy as np
import pytest

import cuprum as cp
from sparse_same import INDEXED, equal, of, ours, same, scipy_array, some, theirs

MASK = np.array([True, False, True, True])
KEYS = {
    "int": 1,
    "negative": -1,
    "ints": (1, 2),
    "negative ints": (-1, -5),
    "numpy int": np.int32(2),
    "too large": 4,
    "too small": -5,
    "second too large": (0, 5),
    "slice": slice(1, 3),
    "step": slice(None, None, 2),
    "backwards": slice(None, None, -1),
    "empty": slice(2, 2),
    "far": slice(1, 99),
    "all": slice(None),
    "ellipsis": Ellipsis,
    "row": (1, slice(None)),
    "column": (slice(None), 2),
    "row part": (2, slice(1, 4)),
    "row steps": (0, slice(None, None, 2)),
    "row back": (0, slice(4, 0, -2)),
    "column part": (slice(1, 3), -1),
    "column back": (slice(None, None, -1), 1),
    "block": (slice(1, 3), slice(0, 3)),
    "block steps": (slice(None, None, 2), slice(4, None, -1)),
    "ellipsis column": (Ellipsis, 1),
    "row ellipsis": (1, Ellipsis),
    "list": [0, 2],
    "list back": [3, -1, 0, 0],
    "array": np.array([1, 3]),
    "list out": [0, 4],
    "list under": [0, -5],
    "empty list": [],
    "rows of column": ([0, 2], 1),
    "rows and part": ([0, 2], slice(1, 4)),
    "rows and steps": ([2, 0], slice(None, None, -1)),
    "columns": (slice(None), [0, 4, 1]),
    "columns of rows": (slice(0, 2), [3, 3]),
    "columns of row": (1, [4, 0, 1]),
    "pairs": ([0, 1, 3], [1, 1, 4]),
    "pairs of one": ([0, 1, 3], [2]),
    "pairs wrong": ([0, 1, 3], [2, 1]),
    "outer": np.ix_([0, 3], [1, 4, 1]),
    "grid": (np.array([[0], [3]]), np.array([1, 4])),
    "table": (np.array([[0, 1], [2, 3]]), np.array([[1, 1], [0, 4]])),
    "table and int": (np.array([[0, 1], [2, 3]]), 1),
    "int and table": (1, np.array([[0, 1], [2, 3]])),
    "table of rows": np.array([[0, 1], [2, 3]]),
    "mask of rows": MASK,
    "mask list": MASK.tolist(),
    "mask and int": (MASK, 1),
    "columns of mask": (slice(None), np.array([True, False, False, True, True])),
    "mask wrong": np.array([True, False]),
    "mask": np.arange(20).reshape(4, 5) % 3 == 0,
    "no mask": np.zeros((4, 5), bool),
    "mask of two wrong": np.ones((5, 4), bool),
    "too many": (0, 0, 0),
    "new axis": None,
    "row of new axis": (None, 1),
    "new last": (1, None),
    "new axes": (None, slice(None), slice(None)),
    "two ellipses": (Ellipsis, Ellipsis),
    "text": "a",
    "float": 1.0,
    "floats": 1.5,
    "empty pairs": ([], []),
    "slices of numpy": slice(np.int64(1), np.int64(3)),
}


@pytest.mark.parametrize("name, key", some(INDEXED, KEYS, 2))
def test_get(name, key):
    if name[:3] == "csr" and key == "rows and steps":
        # SciPy takes the columns of such a slice for those of pairs.
        key = "rows and part"
    for structure in ("random", "duplicates"):
        same(lambda sp, xp, a: a[KEYS[key]], scipy_array(name, structure))


@pytest.mark.parametrize("name", INDEXED)
def test_get_with_arrays_of_the_device(name):
    a = scipy_array(name)
    for key in (np.array([2, 0, -1]), MASK, (np.array([0, 2]), np.array([1, -1])), (slice(None), np.array([3, 1])), np.arange(20).reshape(4, 5) % 3 == 0):
        same(lambda sp, xp, a: a[tuple(xp.asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else xp.asarray(key)], a)
    same(lambda sp, xp, a: a[a > 0], a)
    same(lambda sp, xp, a: a[sp.csr_array(xp.ones((2, 2)))], a)
    if name == "coo_matrix":
        return
    mine = of(a)
    with pytest.raises(IndexError):
        found = mine[cp.array([0, 9])]
        found.toarray().get()
    # One index beyond the first element of an axis, which must not count from the end twice.
    for key in ((cp.array([-5]), cp.array([0])), (cp.array([0]), cp.array([-6])), (cp.array([[-5]]), cp.array([[0]]))):
        with pytest.raises(IndexError):
            found = mine[key]
            (found.toarray() if ours.issparse(found) else found).get()
        for value in (7.0, ours.csr_array(cp.array([[7.0]]))):
            before = mine.toarray().tolist()
            with pytest.raises(IndexError):
                mine[key] = value
                mine.toarray().get()
            assert mine.toarray().tolist() == before
    if name == "csr_array":
        # The length of an axis need not be in range of the dtype of the indices.
        wide = ours.csr_array((2, 300))
        wide[cp.array([1]), cp.array([-1], "int8")] = 3.0
        assert wide[1, 299] == 3


@pytest.mark.parametrize("name, dtype", some(INDEXED, ["bool", "int32", "complex128"]))
def test_dtypes(name, dtype):
    a = scipy_array(name, "duplicates", dtype)
    for key in ((0, 1), 0, (slice(1, 3), slice(None)), ([0, 2], [1, 0]), [1, 2]):
        same(lambda sp, xp, a: a[key], a)


def changed(key, value):
    def f(sp, xp, a):
        x = value(sp, xp) if callable(value) else value
        a[key] = x
        return a

    return f


SETS = [
    "int",
    "ints",
    "negative ints",
    "second too large",
    "slice",
    "step",
    "backwards",
    "empty",
    "all",
    "ellipsis",
    "row",
    "column",
    "row back",
    "column part",
    "block",
    "block steps",
    "list",
    "rows of column",
    "rows and part",
    "columns",
    "columns of row",
    "pairs",
    "outer",
    "grid",
    "table",
    "mask of rows",
    "mask",
    "no mask",
    "mask and int",
    "list out",
    "too many",
    "empty pairs",
]


@pytest.mark.parametrize("name, key", some(INDEXED, SETS, 2))
def test_set(name, key):
    if name[:3] == "coo" and key == "outer":
        # Of equal indices SciPy's COO keeps the first.
        key = "grid"
    a = scipy_array(name, "duplicates")
    shape = np.zeros((4, 5))[KEYS[key]].shape if key not in ("second too large", "list out", "too many") else ()
    # SciPy's COO takes no scalar for an index of no elements.
    for value in (7.0, 0.0, np.float32(2), 3):
        if name[:3] == "coo" and 0 in shape:
            continue
        same(changed(KEYS[key], value), a)
    same(changed(KEYS[key], lambda sp, xp: xp.asarray(np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape))), a)
    same(changed(KEYS[key], lambda sp, xp: xp.ones((9, 9))), a) if 0 not in shape else None
    if len(shape) == 2 and 0 not in shape:
        sparse = theirs.coo_array(np.arange(np.prod(shape)).reshape(shape) % 3 * 1.0)
        same(changed(KEYS[key], lambda sp, xp: sparse if xp is np else of(sparse)), a)
        same(changed(KEYS[key], lambda sp, xp: sp.csr_array(xp.ones((1, 1)))), a)
        same(changed(KEYS[key], lambda sp, xp: sp.csr_array(xp.asarray(np.arange(shape[1]) * 1.0)[None])), a)
        same(changed(KEYS[key], lambda sp, xp: sp.csr_array(xp.ones((7, 7)))), a)


@pytest.mark.parametrize("name", [name for name in INDEXED if name[:3] != "coo"])
def test_set_keeps_the_last_of_equal_indices(name):
    same(changed(([0, 0, 1], [1, 1, 2]), [1.0, 2.0, 3.0]), scipy_array(name))
    same(changed(([0, 0], [0, 0]), [4.0, 5.0]), scipy_array(name))


@pytest.mark.parametrize("name", INDEXED)
def test_set_elements_of_other_dtypes(name):
    for dtype, value in (("int32", 2.7), ("float32", 3), ("complex128", 1j), ("bool", 5), ("int32", True)):
        same(changed((1, 1), value), scipy_array(name, "random", dtype))
    same(changed((1, 1), [1.0, 2.0]), scipy_array(name))
    same(changed((0, slice(0, 2)), [[1.0], [2.0]]), scipy_array(name)) if name[:3] != "coo" else None


def test_set_warns():
    a = ours.csr_matrix(cp.eye(3))
    with pytest.warns(ours.SparseEfficiencyWarning):
        a[0, 1] = 2
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a[0, 1] = 3


@pytest.mark.parametrize("name", INDEXED)
def test_iteration(name):
    a = scipy_array(name)
    same(lambda sp, xp, a: tuple(a), a)


@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_dia_has_no_elements(kind):
    a = scipy_array(f"dia_{kind}")
    same(lambda sp, xp, a: a[0, 0], a)
    same(lambda sp, xp, a: tuple(a), a)
    same(changed((0, 0), 1), a)


def test_one_axis():
    dense = np.array([0, 2.0, 0, -1, 0, 3])
    for name in ("csr_array", "coo_array"):
        a = getattr(theirs, name)(dense)
        for key in (
            1,
            -1,
            6,
            slice(1, 4),
            slice(None, None, -2),
            [0, 1, 1],
            [[0, 1], [3, 5]],
            np.array([True, False] * 3),
            None,
            (None, 1),
            (0, 0),
            Ellipsis,
            (slice(None), None),
            [],
        ):
            same(lambda sp, xp, a: a[key], a)
        for key, value in ((1, 5), (slice(1, 4), 2), ([0, 4], [1, 2]), (np.array([True, False] * 3), 9), (7, 1), (slice(None), dense[::-1])):
            same(changed(key, value), a)
        same(lambda sp, xp, a: tuple(a), a) if name == "csr_array" else None


def test_more_axes():
    rng = np.random.default_rng(9)
    dense = rng.integers(-3, 4, (3, 4, 5)) * rng.integers(0, 2, (3, 4, 5)) * 1.0
    a = theirs.coo_array(dense)
    for key in (
        0,
        (1, 2),
        (1, 2, 3),
        (slice(None), 1),
        (Ellipsis, 2),
        (slice(None, None, -1), slice(1, 3), slice(4, 0, -2)),
        [0, 2],
        ([0, 1], [2, 3]),
        ([0, 1], slice(None), [2, 3]),
        (slice(None), [0, 1], [2, 3]),
        (None, 1),
        dense > 0,
        dense[0] > 0,
        ([0, 0, 2], [1, 1, 3], [0, 0, 4]),
        np.array([[0, 1], [2, 0]]),
        (9,),
        (0, [0, 9]),
        (0, 0, 0, 0),
    ):
        same(lambda sp, xp, a: a[key], a)
    for key, value in ((0, 2.0), ((1, 2), 1.0), ((1, 2, 3), 5.0), ((slice(None), 1), 0.0), (([0, 1], [2, 3]), 4.0), ((slice(None), [0, 1], [2, 3]), 3.0)):
        same(changed(key, value), a)
    same(changed(0, lambda sp, xp: xp.ones((4, 5))), a)
    same(changed((slice(None), 0), lambda sp, xp: xp.asarray(np.arange(15.0).reshape(3, 5))), a)


def test_large_shapes():
    """Elements of an array of more elements than 32-bit integers count."""
    row, col = np.array([0, 3_000_000, 5_999_999]), np.array([0, 10, 4_999_999])
    a = theirs.csr_array((np.array([1.0, 2, 3]), (row, col)), shape=(6_000_000, 5_000_000))
    same(lambda sp, xp, a: a[3_000_000, 10], a)
    mine = of(a)
    mine[1, 4_999_998] = 4
    equal(mine[[0, 1, 5_999_999], :][:, [0, 4_999_998, 4_999_999]], theirs.csr_array(np.array([[1.0, 0, 0], [0, 4, 0], [0, 0, 3]])))


def uneven(rows, many, few, dtype="complex128"):
    """Returns a matrix whose first half of rows have `many` entries each and the others `few`."""
    lengths = np.repeat([many, few], rows // 2)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([np.sort(np.random.default_rng(n).permutation(200)[:n]) for n in lengths])
    values = np.arange(1, len(columns) + 1) % 100 + 1
    return theirs.csr_array((values.astype(dtype), columns, pointers), shape=(rows, 200))


def test_slices_of_many_entries():
    """Room for the entries of a slice is that of average rows: it fits, has not the room, or has much more than is needed."""
    a = uneven(3000, 90, 10)
    for key in (slice(5, 2900), slice(0, 1600), slice(1400, 3000)):
        same(lambda sp, xp, a: a[key], a, structure=True)
        same(lambda sp, xp, a: a[key].sum(axis=0), a)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
def test_many_rows_of_about_equal_lengths(dtype):
    a = uneven(2200, 5, 4, dtype) if dtype != "float16" else uneven(2200, 5, 4, "float32")
    mine = of(a).astype(dtype)
    rows = np.random.default_rng(1).integers(-2200, 2200, 1500)
    for key in (rows, slice(None, None, 2), slice(None, None, -1), slice(2199, 3, -2)):
        found, want = mine[cp.asarray(key) if isinstance(key, np.ndarray) else key], a[key]
        equal(found.indptr, want.indptr)
        equal(found.indices, want.indices)
        equal(found.astype("complex128").data, want.astype("complex128").data)
    with pytest.raises(IndexError, match="2200"):
        mine[cp.asarray(np.append(rows, 2200))].toarray().get()


@pytest.mark.parametrize("length", [7, 2047, 2048, 2049])
def test_lists_of_columns(length):
    a = theirs.csr_array(scipy_array("csr_array", "random"))
    wide = theirs.hstack([a] * 9, format="csr")
    columns = np.random.default_rng(length).integers(-wide.shape[1], wide.shape[1], length)
    found, want = of(wide)[:, cp.asarray(columns)], wide[:, columns]
    equal(found.toarray(), want.toarray())
    assert found.nnz == want.nnz
    found, want = of(wide)[:, cp.asarray(np.sort(columns))], wide[:, np.sort(columns)]
    equal(found.toarray(), want.toarray())
    with pytest.raises(IndexError):
        of(wide)[:, cp.asarray(np.append(columns, wide.shape[1]))].toarray().get()
