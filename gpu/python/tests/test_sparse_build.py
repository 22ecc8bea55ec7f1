"""Tests of sparse arrays: constructors, conversions, attributes, files."""

import copy
import io
import pickle

import numpy as np
import pytest

import cuprum as cp
from sparse_same import CLASSES, COMPRESSED, DTYPES, FORMATS, INDEXED, STRUCTURES, both, equal, of, ours, same, scipy_array, some, theirs

CONVERSIONS = ["coo", "csr", "csc", "dia"]


@pytest.mark.parametrize("to", CONVERSIONS)
@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_formats(name, to, structure):
    same(lambda sp, xp, a: a.asformat(to), scipy_array(name, structure), structure=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("to", CONVERSIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_dtypes(format, to, dtype):
    for structure in ("duplicates", "unsorted"):
        same(lambda sp, xp, a: getattr(a, f"to{to}")(copy=True), scipy_array(f"{format}_array", structure, dtype), structure=True)


@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_dense(name, structure):
    a = scipy_array(name, structure)
    same(lambda sp, xp, a: np.asarray(a.toarray()) if xp is np else a.toarray(), a)
    same(lambda sp, xp, a: a.todense(), a)
    same(lambda sp, xp, a: a.toarray(order="F"), a)
    same(lambda sp, xp, a: a.toarray(out=xp.ones(a.shape)), a)
    same(lambda sp, xp, a: a.toarray(out=xp.ones((7, 7))), a)
    assert of(a).toarray(order="F").flags.f_contiguous


@pytest.mark.parametrize("name, dtype", some(CLASSES, DTYPES))
def test_from_dense(name, dtype):
    dense = scipy_array("coo_array", "random", dtype).toarray()
    same(lambda sp, xp: getattr(sp, name)(xp.asarray(dense)), structure=True)
    same(lambda sp, xp: getattr(sp, name)(xp.asarray(dense), dtype="float32"), structure=True) if dtype != "complex128" else None
    same(lambda sp, xp: getattr(sp, name)(dense.tolist()), structure=True)


def test_arguments():
    """Returns valid and invalid constructor calls for all classes."""
    d, i, p = np.array([1.0, 2, 3]), np.array([0, 2, 1]), np.array([0, 2, 3])
    calls = [
        lambda c: c((3, 4)),
        lambda c: c((3, 4), dtype="int8"),
        lambda c: c((0, 2)),
        lambda c: c((3,)),
        lambda c: c((2, 3, 4)),
        lambda c: c((-1, 3)),
        lambda c: c((d, (i, i))),
        lambda c: c((d, (i, i)), shape=(5, 5)),
        lambda c: c((d, (i, i)), shape=(2, 2)),
        lambda c: c((d, (i, i), 3)),
        lambda c: c((d, i, p)),
        lambda c: c((d, i, p), shape=(2, 4)),
        lambda c: c((d, i, p), shape=(2, 2, 2)),
        lambda c: c((d[:2], i, p), shape=(2, 4)),
        lambda c: c((d, i, p[:2]), shape=(2, 4)),
        lambda c: c((d, (i[:2], i)), shape=(4, 4)),
        lambda c: c(5),
        lambda c: c([1, 2, 0]),
        lambda c: c(np.ones((2, 2, 2))),
        lambda c: c("text"),
        lambda c: c(([], ([], []))),
        lambda c: c(([], ([], [])), shape=(2, 2)),
        lambda c: c((d[None], [0]), shape=(3, 3)),
        lambda c: c((d[None], [0])),
        lambda c: c((np.ones((2, 3)), [0, 0]), shape=(3, 3)),
        lambda c: c((np.ones((2, 3)), [0]), shape=(3, 3)),
        lambda c: c((np.ones((2, 3)), [0, 1]), shape=(3, 3)),
        lambda c: c(np.eye(3), shape=(3, 4)),
        lambda c: c(np.eye(3), shape=(2, 2)),
        lambda c: c((3, 4), dtype=object),
        lambda c: c((2, 2), maxprint=3),
        lambda c: c(np.eye(2), copy=True),
    ]
    for name in CLASSES:
        for at, call in enumerate(calls):
            # `(data, [0])` is an index array of no axes, for which SciPy fails by accident where it is no DIA array.
            if at in (22, 23, 24, 25, 26) and name[:3] != "dia":
                continue
            try:
                same(lambda sp, xp: call(getattr(sp, name)))
            except AssertionError as e:
                raise AssertionError(f"{name}, call {at}: {e}") from e


@pytest.mark.parametrize("name, other", some(CLASSES, CLASSES))
def test_from_sparse(name, other):
    same(lambda sp, xp, a: getattr(sp, name)(a), scipy_array(other, "duplicates"))
    same(lambda sp, xp, a: getattr(sp, name)(a, dtype="complex64", copy=True), scipy_array(other))
    # SciPy's arrays are on the host.
    equal(getattr(ours, name)(scipy_array(other)), getattr(theirs, name)(scipy_array(other)))


@pytest.mark.parametrize("name", CLASSES)
def test_attributes(name):
    mine, judge = both(name, "duplicates")
    for attribute in ("shape", "ndim", "nnz", "size", "dtype", "format", "maxprint"):
        assert getattr(mine, attribute) == getattr(judge, attribute), attribute
    assert repr(mine) == repr(judge)
    assert str(mine) == str(judge)
    assert mine.device == mine.data.device
    assert ours.issparse(mine) and not ours.issparse(judge) and not ours.issparse(mine.toarray())
    assert ours.isspmatrix(mine) is name.endswith("matrix") and isinstance(mine, ours.sparray) is name.endswith("array")
    for format in FORMATS:
        assert getattr(ours, f"isspmatrix_{format}")(mine) is (name == f"{format}_matrix")
    for part in {"coo": ("row", "col", "data"), "dia": ("offsets", "data")}.get(name[:3], ("indices", "indptr", "data")):
        equal(getattr(mine, part), getattr(judge, part))
    same(lambda sp, xp, a: (a.real, a.imag, a.T, a.conj(), a.conjugate(copy=False)), scipy_array(name, "random", "complex128"))
    same(lambda sp, xp, a: (a.real, a.imag, a.conj()), judge)
    with pytest.raises(TypeError):
        len(mine)
    with pytest.raises(ValueError):
        bool(mine)
    assert bool(of(scipy_array(name, "one")))
    with pytest.raises(TypeError, match="toarray"):
        cp.asarray(mine)
    with pytest.raises(TypeError, match="toarray"):
        np.asarray(mine)


def test_text_of_many_elements():
    a = theirs.csr_array(np.arange(1, 101.0).reshape(10, 10))
    assert str(of(a)) == str(a)
    a.maxprint = 5
    mine = of(a)
    mine.maxprint = 5
    assert str(mine) == str(a)


@pytest.mark.parametrize("name", [name for name in CLASSES if name.endswith("matrix")])
def test_methods_of_matrices(name):
    a = scipy_array(name, "square", "complex128")
    same(lambda sp, xp, a: (a.getH(), a.getformat(), a.getmaxprint(), a.get_shape(), a.getnnz(), a.asfptype()), a)
    same(lambda sp, xp, a: scipy_array(name, dtype="int32").asfptype() if xp is np else of(scipy_array(name, dtype="int32")).asfptype())
    equal(of(a).H, a.getH())
    equal(of(a).A, a.toarray())

    def reshaped(sp, xp, a):
        a.shape = (2, 8)
        return a

    same(reshaped, a)
    for at in (0, -1, 3, 4, -5):
        same(lambda sp, xp, a: a.getrow(at), a)
        same(lambda sp, xp, a: a.getcol(at), a)


@pytest.mark.parametrize("name", CLASSES)
def test_copies(name):
    mine, judge = both(name, "duplicates")
    for made in (mine.copy(), copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine)), mine.get()):
        if theirs.issparse(made):
            assert type(made) is type(judge)
            np.testing.assert_array_equal(made.toarray(), judge.toarray())
        else:
            equal(made, judge, structure=True)
    before = mine.toarray()
    other = mine.copy()
    other.data[:] = 0
    assert (mine.toarray() == before).all()
    mine.data[:] = 1
    mine.data *= 2
    judge.data[:] = 1
    judge.data *= 2
    equal(mine, judge)
    mine.data = cp.full_like(mine.data, 3)
    judge.data = np.full_like(judge.data, 3)
    equal(mine, judge)


NEW_VALUES = {
    "coo": ["a.tocsr()", "a.asformat('csc')", "a.tobsr(blocksize=(1, 1))", "a.reshape((1, 20), copy=True)", "ours.csr_array(a)"],
    "csr": ["a.tocoo()", "a.tobsr()", "a.tobsr((1, 1))", "a.asformat('bsr', copy=True)", "ours.bsr_matrix(a, copy=True)", "a.reshape((2, 10), copy=True)"],
    "csc": ["a.tocoo()", "a.tocsr()", "a.T.tocoo()", "ours.expand_dims(a, axis=0)"],
    "bsr": ["a.tocoo()", "a.tocsr()", "a.tobsr(copy=True)"],
}
SELECTIONS = ["a[:]", "a[...]", "a[:, :]", "a[0:4]", "a[:, 0:5]", "ours.vstack([a])", "ours.hstack([a])", "ours.bmat([[a]])"]


@pytest.mark.parametrize("format", NEW_VALUES)
def test_results_with_values_of_their_own(format):
    # Elements in the order of rows, so that no conversion has to move them, and one on the diagonal.
    a = ours.csr_array(cp.array([[1.0, 2, 0, 0, 3], [0, 0, 0, 0, 0], [4, 0, 0, 0, 0], [0, 0, 0, 0, 5]]))
    a = a.tobsr((1, 1)) if format == "bsr" else a.asformat(format, copy=True)
    if format != "bsr":
        a.sum_duplicates()
    before = a.toarray().tolist()
    for expression in NEW_VALUES[format] + (SELECTIONS if format in ("csr", "csc") else SELECTIONS[-3:]):
        made = eval(expression, {"a": a, "ours": ours})
        assert abs(made).sum() == 15
        made.data[...] = 9
        assert a.toarray().tolist() == before, expression


def test_many_diagonals(recwarn):
    column = ours.coo_array((cp.ones(101), (cp.arange(101), cp.zeros(101, int))))
    assert column.tocsr()[:100].todia().nnz == 100 and not recwarn.list
    with pytest.warns(ours.SparseEfficiencyWarning, match="101 diagonals"):
        column.todia()


@pytest.mark.parametrize("name, structure", some(INDEXED, STRUCTURES))
def test_in_place(name, structure):
    def changed(method):
        def f(sp, xp, a):
            getattr(a, method)()
            return a

        return f

    a = scipy_array(name, structure)
    same(changed("sum_duplicates"), a, structure=True)
    same(changed("eliminate_zeros"), a, structure=True)
    if name in COMPRESSED:
        same(changed("sort_indices"), a, structure=True)
        same(changed("prune"), a, structure=True)
        same(changed("check_format"), a)
        same(lambda sp, xp, a: a.sorted_indices(), a, structure=True)
        same(lambda sp, xp, a: (a.has_sorted_indices, a.has_canonical_format), a)
        mine = of(a)
        mine.sort_indices()
        judge = a.sorted_indices()
        equal((mine.indices, mine.indptr, mine.data), (judge.indices, judge.indptr, judge.data))


@pytest.mark.parametrize("name", CLASSES)
def test_shapes(name):
    a = scipy_array(name, "duplicates")
    for shape in [(2, 10), (20, 1), (4, 5), (-1, 2), (20,), (3, 3), (-1, -1), (2, 2, 5)]:
        same(lambda sp, xp, a: a.reshape(shape), a)
        same(lambda sp, xp, a: a.reshape(*shape, order="F"), a)
    same(lambda sp, xp, a: a.transpose(), a, structure=True)
    same(lambda sp, xp, a: a.transpose((1, 0), copy=True), a)
    for axes in [(0, 1), (1,), (0, 0)]:
        same(lambda sp, xp, a: a.transpose(axes), a)

    def resized(shape):
        def f(sp, xp, a):
            a.resize(*shape)
            return a

        return f

    for shape in [(2, 3), (6, 7), (4, 2), (9, 5)]:
        same(resized(shape), a)


@pytest.mark.parametrize("name", CLASSES)
def test_astype(name):
    a = scipy_array(name, "duplicates", "int32")
    for dtype in ("int32", "uint8", "bool", "float32", "complex64"):
        same(lambda sp, xp, a: a.astype(dtype), a, structure=True)
    same(lambda sp, xp, a: a.astype("bool", casting="safe"), a)
    same(lambda sp, xp, a: a.astype("int32", copy=False), a)


@pytest.mark.parametrize("name", CLASSES)
def test_half(name):
    """SciPy has no float16: its float32 has the same values here."""
    judge = scipy_array(name, "random", "float32")
    mine = of(judge).astype("float16")
    assert mine.dtype == "float16" and mine.get().dtype == "float32"
    assert (mine + mine).dtype == mine.sum().dtype == (mine @ cp.ones(5, "float16")).dtype == "float16"
    np.testing.assert_array_equal((mine * 2 + mine).toarray().get(), judge.toarray() * 3)


def test_hosts_formats():
    mine, judge = both("csr_matrix", "square")
    for method in ("tolil", "todok"):
        made, expected = getattr(mine, method)(), getattr(judge, method)()
        assert type(made) is type(expected) and (made != expected).nnz == 0
    equal(ours.csr_array(judge.tolil()), theirs.csr_array(judge.tolil()))
    with pytest.raises(ValueError):
        mine.asformat("xyz")


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("name", CLASSES)
def test_files(name, compressed, tmp_path):
    mine, judge = both(name, "duplicates")
    ours.save_npz(tmp_path / "ours.npz", mine, compressed=compressed)
    theirs.save_npz(tmp_path / "theirs.npz", judge, compressed=compressed)
    equal(ours.load_npz(tmp_path / "theirs.npz"), judge, structure=True)
    equal(ours.load_npz(tmp_path / "ours.npz"), theirs.load_npz(tmp_path / "ours.npz"), structure=True)


def test_files_of_other_contents():
    np.savez(file := io.BytesIO(), a=np.arange(3))
    file.seek(0)
    with pytest.raises(ValueError):
        ours.load_npz(file)
    np.savez(file := io.BytesIO(), format=b"lil", shape=(4, 4), data=np.eye(4))
    file.seek(0)
    with pytest.raises(ValueError, match="lil"):
        ours.load_npz(file)
    with pytest.raises(TypeError):
        ours.save_npz(io.BytesIO(), cp.ones((2, 2)))
    a = of(theirs.coo_array(np.arange(24.0).reshape(2, 3, 4)))
    ours.save_npz(file := io.BytesIO(), a)
    file.seek(0)
    equal(ours.load_npz(file), theirs.coo_array(np.arange(24.0).reshape(2, 3, 4)))


def test_index_dtypes():
    """A matrix uses 32-bit indices if they fit; an array keeps 64-bit indices."""
    for kind in ("matrix", "array"):
        for name in ("int32", "int64"):
            index = np.array([0, 1], name)
            for build in (
                lambda sp: getattr(sp, f"coo_{kind}")((np.ones(2), (index, index)), shape=(3, 3)).col,
                lambda sp: getattr(sp, f"csr_{kind}")((np.ones(2), index, np.array([0, 1, 2], name)), shape=(2, 3)).indices,
                lambda sp: getattr(sp, f"csr_{kind}")(np.eye(3)).indptr,
            ):
                assert build(ours).dtype == build(theirs).dtype, (kind, name)
    same(lambda sp, xp: sp.get_index_dtype(maxval=2**31) is np.int64)
    assert ours.get_index_dtype((cp.arange(3),), check_contents=True) == np.int32
    assert ours.get_index_dtype((cp.arange(3),)) == np.int64
    indices, indptr = ours.safely_cast_index_arrays(ours.csr_array(cp.eye(3)), np.int64)
    assert indices.dtype == indptr.dtype == "int64"


def test_namespaces():
    import importlib
    import cuprum.scipy.sparse

    assert cuprum.scipy.sparse is ours and cp.scipy.sparse is ours and cp.cupyx.scipy.sparse is ours
    assert importlib.import_module("cuprum.cupyx.scipy.sparse") is ours
    assert cp.get_array_module(ours.csr_matrix((2, 2))) is cp
    for name in ours.__all__:
        assert getattr(ours, name).__doc__, name
    with pytest.raises(ValueError):
        ours.spmatrix()
