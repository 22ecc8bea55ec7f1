"""Tests of sparse arrays where other libraries fail: counts beyond 32 bits, many duplicates, products of many terms, repeated calls."""

import numpy as np
import pytest

import cuprum as cp
from sparse_same import equal, of, ours, same, theirs

RNG = np.random.default_rng(5)


def sparse_values(shape, density=0.2, dtype="float64"):
    stored = RNG.random(shape) < density
    return (RNG.integers(-4, 5, shape) * stored).astype(dtype)


def test_product_with_the_own_transpose():
    """The sums of a product of 300 terms each, dense and sparse."""
    x = theirs.csr_array(sparse_values((300, 40), 0.3))
    same(lambda sp, xp, x: x.T @ x, x, structure=True)
    same(lambda sp, xp, x: x.tocsc().T @ x.tocsc(), x, structure=True)


def test_product_of_full_matrices():
    """Every element of a dense matrix in CSR format: 27,000 products for 900 results."""
    a = theirs.csr_array(RNG.integers(1, 5, (30, 30)).astype("float32"))
    same(lambda sp, xp, a: a @ a, a, structure=True)


def test_cancelled_sums_are_not_stored():
    a = theirs.csr_array(np.array([[1.0, 1.0], [2.0, 0.0]]))
    b = theirs.csr_array(np.array([[1.0, 3.0], [-1.0, 0.0]]))
    same(lambda sp, xp, a, b: a @ b, a, b, structure=True)
    same(lambda sp, xp, a, b: a.tocsc() @ b.tocsc(), a, b, structure=True)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_products_and_sums_repeat_to_the_bit(dtype):
    """Additions have one order: rows of one element, and one of 500."""
    dense = RNG.random((60, 500)).astype(dtype) * (RNG.random((60, 500)) < 0.02)
    dense[7] = RNG.random(500)
    a = of(theirs.csr_array(dense))
    x, y = cp.asarray(RNG.random((500, 3)).astype(dtype)), cp.asarray(RNG.random((3, 60)).astype(dtype))
    calls = [lambda: a @ x, lambda: y @ a, lambda: a @ x[:, 0], lambda: a.sum(0), lambda: a.sum(1), lambda: (a @ a.T).toarray()]
    for call in calls:
        first = call().get().tobytes()
        assert all(call().get().tobytes() == first for _ in range(3))


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128"])
@pytest.mark.parametrize("longest", [3, 40])
def test_products_of_many_even_rows(dtype, longest):
    """Rows of nearly equal lengths, which blocks multiply together, with vectors and with matrices of several widths and orders."""
    rows = 9000 // longest
    lengths = RNG.integers(longest - 1, longest + 1, rows)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([np.sort(RNG.choice(300, k, replace=False)) for k in lengths])
    a = theirs.csr_array((RNG.integers(-4, 5, pointers[-1]).astype(dtype), columns, pointers), shape=(rows, 300))
    mine = of(a)
    for x in (RNG.integers(-4, 5, 300), *(RNG.integers(-4, 5, (300, k)) for k in (1, 3, 8, 70))):
        x = x.astype(dtype)
        for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=-1)[..., ::2], x[::-1]):
            layout = cp.repeat(cp.asarray(given), 2, axis=-1)[..., ::2] if given.strides[-1] > given.strides[0] else cp.asarray(given)
            equal(mine @ layout, a @ given)
    y = RNG.integers(-4, 5, (2, rows)).astype(dtype)
    equal(cp.asarray(y) @ mine, y @ a)
    equal(mine.T @ cp.asarray(y[0]), a.T @ y[0])


def test_products_of_short_and_of_unsorted_rows():
    """Up to 32 products a row, whose sums may be zero; columns in any order, and twice."""
    dense = sparse_values((200, 60), 0.06)
    a = theirs.csr_array(dense)
    b = theirs.csr_array(sparse_values((60, 90), 0.05))
    same(lambda sp, xp, a, b: a @ b, a, b, structure=True)
    for dtype in ("float32", "complex128", "bool"):
        equal((of(a.astype(dtype)) @ of(b.astype(dtype))).toarray(), (a.astype(dtype) @ b.astype(dtype)).toarray())
    backwards = theirs.csr_array((np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 2, 5, 0]), np.array([0, 3, 4])), shape=(2, 6))
    twice = of(backwards)
    equal((twice @ twice.T).toarray(), (backwards @ backwards.T).toarray())
    other = theirs.csr_array((np.array([1.0, 2.0, 3.0]), np.array([3, 1, 3]), np.array([0, 3, 3, 3, 3, 3, 3])), shape=(6, 4))
    equal((twice @ of(other)).toarray(), (backwards @ other).toarray())


def test_operands_of_a_product_stay():
    """A vector with gaps between its elements, and one that is read backwards."""
    a = theirs.csr_array(sparse_values((20, 30)))
    mine = of(a)
    long = np.arange(60.0)
    for part in (slice(None, None, 2), slice(None, None, -2)):
        x = cp.asarray(long)
        equal(mine @ x[part], a @ long[part])
        assert (x.get() == long).all() and (mine.toarray().get() == a.toarray()).all()


def test_sixty_thousand_entries_with_duplicates():
    row, col = RNG.integers(0, 300, 60_000), RNG.integers(0, 150, 60_000)
    a = theirs.coo_array((RNG.integers(-9, 10, 60_000).astype("float64"), (row, col)), shape=(300, 150))
    same(lambda sp, xp, a: a.tocsr(), a, structure=True)
    same(lambda sp, xp, a: a.tocsc(), a, structure=True)


def test_duplicates_are_added_in_their_order():
    """Sums of float32 whose result depends on the order."""
    data = np.array([1e8, 1.0, -1e8, 1.0, 3.0], "float32")
    a = theirs.coo_array((data, ([1, 1, 1, 1, 0], [2, 2, 2, 2, 0])), shape=(2, 3))
    same(lambda sp, xp, a: a.tocsr(), a)
    same(lambda sp, xp, a: a.toarray(), a)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "uint64"])
def test_integers_and_booleans(dtype):
    a = theirs.csr_array(np.abs(sparse_values((6, 9))).astype(dtype))
    for call in (
        lambda a: a @ a.T,
        lambda a: a + a,
        lambda a: a.multiply(a),
        lambda a: a.sum(0),
        lambda a: a.max(1),
        lambda a: a.T.tocsr(),
        lambda a: a.toarray(),
    ):
        same(lambda sp, xp, a: call(a), a)


@pytest.mark.parametrize("dtype", ["bool", "int8"])
@pytest.mark.parametrize("format", ["coo", "csr", "csc"])
def test_sums_of_duplicates(format, dtype):
    """Along an axis all stored elements are added in int64, in all the elements are those of the dense array."""
    a = theirs.coo_array((np.array([100, 100, 1, 1], dtype), ([0, 0, 0, 1], [1, 1, 2, 2])), shape=(2, 3))
    if format != "coo":
        pointers = [0, 3, 4] if format == "csr" else [0, 0, 2, 4]
        a = getattr(theirs, f"{format}_array")((a.data, a.col if format == "csr" else a.row, np.array(pointers)), shape=(2, 3))
    for axis in (None, 0, 1):
        same(lambda sp, xp, a: a.sum(axis), a)


def test_one_long_row_and_one_long_column():
    dense = np.zeros((40, 700))
    dense[3], dense[:, 5] = RNG.integers(-4, 5, 700), RNG.integers(-4, 5, 40)
    for format in ("csr", "csc"):
        a = getattr(theirs, f"{format}_array")(dense)
        for call in (
            lambda a: a.sum(0),
            lambda a: a.sum(1),
            lambda a: a.max(0),
            lambda a: a.min(1),
            lambda a: a.toarray(),
            lambda a: a[[3, 0, 3]],
            lambda a: a[:, [5, 699, 5]],
            lambda a: a[:, 100:600:7],
        ):
            same(lambda sp, xp, a: call(a), a, structure=True)


def test_an_index_array_of_a_comparison():
    a = theirs.csr_array(sparse_values((5, 6), 0.5))
    same(lambda sp, xp, a: a[a > 1], a)
    same(lambda sp, xp, a: a[sp.csr_array(a.toarray() != 0)], a)


def test_more_columns_than_32_bits_count():
    """Three blocks of 2^30 columns: the third begins beyond int32."""
    part = theirs.csr_array((np.array([1.0, 2.0]), np.array([0, 2**30 - 1]), np.array([0, 1, 2])), shape=(2, 2**30))
    joined = ours.hstack([of(part)] * 3, format="csr")
    expected = theirs.hstack([part] * 3, format="csr")
    assert joined.shape == expected.shape == (2, 3 * 2**30)
    assert joined.indices.dtype == expected.indices.dtype == "int64"
    equal(joined.indices, expected.indices)
    equal(joined.sum(axis=1), expected.sum(axis=1))
    assert float(joined.sum()) == expected.sum() and float(joined.max()) == 2 and joined.nnz == 6
    equal((joined + joined).data, (expected + expected).data)
    equal(joined.tocoo().col, expected.tocoo().col)
    equal(joined[:, 2**31 - 5 :].indices, expected[:, 2**31 - 5 :].indices)


def test_indices_keep_their_dtype():
    """The results of operations on int64 indices have int64 indices."""
    for index in ("int32", "int64"):
        a = theirs.csr_array((np.array([1.0, 2, 3]), np.array([0, 2, 1], index), np.array([0, 2, 3], index)), shape=(2, 3))
        for call in (
            lambda a: a.tocoo().tocsr(),
            lambda a: a.tocoo().tocsc(),
            lambda a: a + a.tocsc(),
            lambda a: a @ a.T,
            lambda a: a[[1, 0]],
            lambda a: a[:, [2, 0]],
            lambda a: a.T.tocsr(),
        ):
            assert call(of(a)).indices.dtype == call(a).indices.dtype == index
        for call in (
            lambda sp, a: sp.kron(a, a, format="coo"),
            lambda sp, a: sp.vstack([a, a], format="coo"),
            lambda sp, a: a.reshape(3, 2),
            lambda sp, a: sp.tril(a),
        ):
            assert call(ours, of(a)).col.dtype == call(theirs, a).col.dtype == index


def test_diagonals_become_coordinates_by_rows():
    a = theirs.dia_array((np.arange(1.0, 16).reshape(3, 5), [2, -1, 0]), shape=(4, 5))
    mine = of(a)
    equal(mine.tocoo().coords, a.tocoo().coords)
    equal(mine.tocoo().data, a.tocoo().data)
    same(lambda sp, xp, a: a.tocsr(), a, structure=True)


def test_transposes_of_stencils():
    """Neighbouring rows have entries in few ranges of columns."""
    n = 70
    line = theirs.diags_array([1.0, -2.0, 3.0], offsets=[-1, 0, 1], shape=(n, n))
    a = theirs.kronsum(line, line, format="csr")
    a.data[:] = np.arange(a.nnz)
    same(lambda sp, xp, a: a.tocsc(), a, structure=True)
    same(lambda sp, xp, a: a.tocsc().tocsr(), a[:, 3000:], structure=True)


def test_products_whose_sample_of_rows_is_short():
    """The rows of which the number of entries is estimated have fewer than the others."""
    n = 1 << 15
    lengths = np.where(np.arange(n) % 8 == 0, 1, 5)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    columns = (np.arange(pointers[-1]) - np.repeat(pointers[:-1], lengths) + np.repeat(np.arange(n), lengths)) % n
    a = theirs.csr_array((np.arange(pointers[-1]) % 9 + 1.0, columns, pointers), shape=(n, n))
    b = theirs.csr_array((np.arange(n) % 4 + 1.0, np.arange(n)[::-1].copy(), np.arange(n + 1)), shape=(n, n))
    found, want = of(a) @ of(b), a @ b
    want.sort_indices()
    equal(found.indptr, want.indptr)
    equal(found.indices, want.indices)
    equal(found.data, want.data)
