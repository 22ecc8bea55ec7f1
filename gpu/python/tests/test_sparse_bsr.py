"""Tests of sparse arrays of dense blocks against SciPy's."""

import io

import numpy as np
import pytest

import cuprum as cp
from sparse_same import equal, of, ours, same, scipy_array, theirs

CLASSES = ["bsr_array", "bsr_matrix"]


def blocks(name, blocksize=(2, 2), dtype="float64"):
    """Returns SciPy's array of 4 rows and 6 columns, with unsorted blocks, one of zeros and one that is repeated."""
    data = np.arange(24).reshape(4, 2, 3) % 5 - 2
    data[2] = 0
    a = getattr(theirs, name)((data.astype(dtype), [1, 0, 1, 1], [0, 2, 4]), shape=(4, 6))
    return a if blocksize == (2, 3) else type(a)(a.toarray(), blocksize=blocksize)


def stored(a):
    return [x.get() if isinstance(x, cp.ndarray) else x for x in (a.data, a.indices, a.indptr)]


def same_blocks(got, want):
    equal(got, want, structure=True)
    assert got.blocksize == want.blocksize
    for mine, host in zip(stored(got), stored(want)):
        np.testing.assert_array_equal(mine, host)
        assert mine.dtype == host.dtype


@pytest.mark.parametrize("name", CLASSES)
def test_constructors(name):
    dense = blocks(name).toarray()
    csr, coo = theirs.csr_array(dense), theirs.coo_array(dense)
    for arguments, options in (
        ((dense,), {}),
        ((dense,), {"blocksize": (2, 3)}),
        ((csr,), {"blocksize": (1, 1)}),
        ((csr,), {"blocksize": (2, 2), "dtype": "float32"}),
        ((blocks(name),), {}),
        ((blocks(name),), {"blocksize": (4, 1)}),
        ((blocks(name),), {"copy": True}),
        (((4, 6),), {}),
        (((4, 6),), {"blocksize": (2, 3), "dtype": "int8"}),
        (((coo.data, coo.coords),), {"shape": (4, 6), "blocksize": (2, 2)}),
        ((([[[1.0, 2.0]], [[3.0, 4.0]]], [1, 0], [0, 1, 2]),), {}),
        ((([[[1.0, 2.0]], [[3.0, 4.0]]], [1, 0], [0, 1, 2]),), {"shape": (2, 6)}),
    ):
        want = getattr(theirs, name)(*arguments, **options)
        same_blocks(getattr(ours, name)(*(of(x) if theirs.issparse(x) or isinstance(x, np.ndarray) else x for x in arguments), **options), want)
        # An array of the host moves as it is.
        same_blocks(getattr(ours, name)(want), want)
    for arguments, options in (
        ((dense,), {"blocksize": (3, 3)}),
        ((dense,), {"blocksize": (0, 1)}),
        (((4, 6),), {"blocksize": (3, 1)}),
        ((([1.0], [0], [0, 1]),), {}),
        ((([[[1.0, 2.0]]], [0], [0, 1]),), {"blocksize": (2, 2)}),
        ((([[[1.0, 2.0]]], [0], [0, 1]),), {"shape": (2, 2)}),
        ((np.zeros(3),), {}) if name == "bsr_array" else (((1.0, 2.0, 3.0, 4.0),), {}),
    ):
        same(lambda sp, xp: getattr(sp, name)(*arguments, **options))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("blocksize", [(2, 2), (2, 3), (1, 1)])
def test_methods(name, blocksize):
    a, other = blocks(name, blocksize), scipy_array(name.replace("bsr", "csr"))
    other = type(other)(np.vstack([other.toarray().T[:4], np.zeros((0, 4))]) @ np.eye(4, 6))
    for call in (
        lambda a, b: (a.tocsr(), a.tocsc(), a.tocoo(), a.todia(), a.asformat("csr")),
        lambda a, b: (a.T, a.transpose(copy=True), a.conj(), a.copy(), -a, abs(a), a.real, a.sin(), a.astype("int16")),
        lambda a, b: (a * 2, a / 4, a + b, b + a, a - a, a.multiply(b), a.multiply(a), a.maximum(b), a.minimum(-1)),
        lambda a, b: (a != b, a < b, a > 1, a == a),
        lambda a, b: (a @ b.T, b.T @ a, a @ a.T, a.power(2)),
        lambda a, b: (a.diagonal(1), a.nonzero(), a.count_nonzero(), a.max(0), a.min(), a.argmax(1)),
        lambda a, b: (a.nnz, a.format, repr(a), a.blocksize, a.has_sorted_indices, a.has_canonical_format),
        lambda a, b: (a.tobsr(), a.tobsr((2, 2)), a.tobsr((4, 1)), b.tobsr(), b.tobsr((2, 3)), b.tocoo().tobsr((1, 2))),
        lambda a, b: (a.reshape(2, 12), a.trace(), b.asformat("bsr")),
    ):
        same(lambda sp, xp, a, b: call(a, b), a, other, structure=True)
    same(lambda sp, xp, a, x, y: (a @ x, a @ y, x[:4] @ a, a + y[:4], a.multiply(y[:4])), a, np.arange(6.0), np.arange(36.0).reshape(6, 6))
    for call in (
        lambda a: a[0],
        lambda a: a[0, 0],
        lambda a: a.__setitem__((0, 0), 1),
        lambda a: list(a),
        lambda a: a.count_nonzero(0),
        lambda a: a.tobsr((3, 3)),
    ):
        same(lambda sp, xp, a: call(a), a)


def test_structure_in_place():
    for change in ("sum_duplicates", "sort_indices", "eliminate_zeros", "prune", "check_format"):
        for blocksize in ((2, 3), (2, 2)):
            a = blocks("bsr_array", blocksize)
            mine = of(a)
            getattr(mine, change)()
            getattr(a, change)()
            same_blocks(mine, a)
    for lengths in ((2, 3), (6, 9), (3, 3)):

        def resized(sp, xp, a):
            a.resize(*lengths)
            return a

        same(resized, blocks("bsr_array", (2, 3)))
    a = of(blocks("bsr_array", (2, 3)))
    a.data[0] = 9
    assert float(a.toarray()[0, 3]) == 9


def test_host_files_and_dtypes():
    a = blocks("bsr_array", (2, 3))
    mine = of(a)
    back = mine.get()
    assert type(back) is theirs.bsr_array and back.blocksize == (2, 3)
    np.testing.assert_array_equal(back.toarray(), a.toarray())
    file = io.BytesIO()
    ours.save_npz(file, mine)
    file.seek(0)
    same_blocks(ours.load_npz(file), a)
    assert ours.isspmatrix_bsr(of(blocks("bsr_matrix"))) and not ours.isspmatrix_bsr(mine)
    for dtype in ("bool", "int8", "float16", "complex64"):
        one = ours.bsr_array(mine, dtype=dtype)
        assert one.dtype == dtype
        np.testing.assert_array_equal((one @ cp.ones(6, dtype)).astype("complex64").get(), (one.tocsr() @ cp.ones(6, dtype)).astype("complex64").get())
    for call in (lambda sp: sp.eye(4, format="bsr"), lambda sp: sp.hstack([sp.eye(4), sp.eye(4)], format="bsr")):
        same_blocks(call(ours), call(theirs))
