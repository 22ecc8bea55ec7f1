"""Sparse arrays: functions that build them, and that join and move them."""

import numpy as np
import pytest

import cuprum as cp
from sparse_same import CLASSES, INDEXED, equal, of, ours, same, scipy_array, some, theirs

OUT = [None, "csr", "csc", "coo", "dia"]


@pytest.mark.parametrize("format", OUT)
def test_identities(format):
    for m, n, k in ((3, None, 0), (3, 4, 0), (4, 3, 1), (3, 3, -2), (0, 0, 0), (2, 5, 3), (2, 2, 5)):
        for dtype in (float, "int32", bool, "complex64"):
            same(lambda sp, xp: sp.eye(m, n, k=k, dtype=dtype, format=format), structure=True)
            same(lambda sp, xp: sp.eye_array(m, n, k=k, dtype=dtype, format=format), structure=True)
    same(lambda sp, xp: sp.identity(3, format=format))
    same(lambda sp, xp: sp.identity(3, dtype="int8", format=format))


@pytest.mark.parametrize("format", OUT)
def test_diagonals(format):
    d = [np.array([1.0, 2, 3]), np.array([4.0, 5])]
    for make in ("diags", "diags_array"):
        for given, options in (
            ([1.0, 2, 3], {}),
            (d[0], {"offsets": 1}),
            (d, {"offsets": [0, 1]}),
            (d, {"offsets": [0, -1]}),
            (d, {"offsets": (0, 1), "shape": (3, 5)}),
            ([1.0, -2.0, 1.0], {"offsets": [-1, 0, 1], "shape": (4, 4)}),
            (d, {"offsets": [0]}),
            (d, {}),
            ([d[0]], {"offsets": [7], "shape": (3, 3)}),
            ([d[1]], {"offsets": [0], "shape": (4, 4)}),
            ([[1, 2, 3]], {"offsets": [0]}),
            ([[1, 2, 3]], {"offsets": [0], "dtype": None}),
            (d, {"offsets": [0, 1], "dtype": "float32"}),
            (d, {"offsets": [0.5, 1]}),
            ([], {"offsets": []}),
        ):
            same(lambda sp, xp: getattr(sp, make)(of(given) if sp is ours else given, format=format, **options))
    data = np.arange(1.0, 9).reshape(2, 4)
    same(lambda sp, xp: sp.spdiags(xp.asarray(data), [0, 1], 4, 4, format=format))
    same(lambda sp, xp: sp.spdiags(xp.asarray(data), np.array([-1, 2]), (3, 5), format=format))
    same(lambda sp, xp: sp.spdiags(data, [0, 1], format=format))


@pytest.mark.parametrize("name", CLASSES)
def test_triangles(name):
    for structure in ("random", "duplicates", "no rows"):
        a = scipy_array(name, structure)
        for k in (0, 1, -2, 9):
            for format in (None, "csr"):
                same(lambda sp, xp, a: (sp.tril(a, k, format=format), sp.triu(a, k=k, format=format)), a, structure=True)
        same(lambda sp, xp, a: tuple(x.astype("float64") for x in sp.find(a)), a)
    same(lambda sp, xp: (sp.tril(xp.ones((3, 3))), sp.triu(xp.ones((3, 3)), 1), *sp.find(xp.eye(2))))


@pytest.mark.parametrize("name", CLASSES)
def test_kronecker(name):
    a, b = scipy_array(name, "random", "int32"), scipy_array(f"csr_{name[4:]}", "duplicates", "float32")
    for format in ("csr", "coo", "csc", "dia"):
        same(lambda sp, xp, a, b: sp.kron(a, b, format=format), a, b)
    same(lambda sp, xp, a, b: sp.kron(a, xp.ones((2, 2)), format="csr"), a, b)
    # SciPy's default is BSR where the second operand is nearly dense.
    np.testing.assert_array_equal(ours.kron(of(a), of(b)).toarray().get(), theirs.kron(a, b).toarray())
    square, other = scipy_array(name, "square"), scipy_array(f"csc_{name[4:]}", "one", "float32")
    for format in (None, "csr", "coo"):
        same(lambda sp, xp, a, b: sp.kronsum(a, b, format=format), square, other)
        same(lambda sp, xp, a, b: sp.kronsum(b, a, format=format), square, other)
    same(lambda sp, xp, a, b: sp.kronsum(a, b), a, square)
    same(lambda sp, xp: sp.kron(xp.eye(2), xp.ones((1, 2)), format="coo"))


@pytest.mark.parametrize("name, format", some(CLASSES, [None, "csr", "csc", "coo"], 2))
def test_blocks(name, format):
    a, b = scipy_array(name), scipy_array(name, "duplicates", "float32")
    same(lambda sp, xp, a, b: sp.hstack([a, b, a], format=format), a, b)
    same(lambda sp, xp, a, b: sp.vstack([a, b], format=format), a, b)
    same(lambda sp, xp, a, b: sp.vstack([a, xp.ones((2, 5))], format=format, dtype="complex64"), a, b)
    same(lambda sp, xp, a, b: sp.bmat([[a, None], [None, b]], format=format), a, b)
    same(lambda sp, xp, a, b: sp.block_array([[a, b], [b, a]], format=format), a, b)
    same(lambda sp, xp, a, b: sp.bmat([[a, None], [b, None]], format=format), a, b)
    same(lambda sp, xp, a, b: sp.hstack([a, b.T], format=format), a, b)
    same(lambda sp, xp, a, b: sp.vstack([a, b.T], format=format), a, b)
    same(lambda sp, xp, a, b: sp.hstack((a,), format=format), a, b)
    same(lambda sp, xp, a, b: sp.block_diag([a, b, xp.ones((1, 2)), [[1.0, 2]], 5], format=format), a, b)
    same(lambda sp, xp, a, b: sp.block_diag((a, b), format=format, dtype="complex128"), a, b)


def test_blocks_that_do_not_fit():
    a = scipy_array("csr_matrix")
    same(lambda sp, xp, a: sp.bmat([a, a]), a)
    same(lambda sp, xp, a: sp.bmat([[None, None]]), a)
    same(lambda sp, xp, a: sp.block_array([[a, None], [None, a]]), a)


@pytest.mark.parametrize("name", INDEXED)
def test_axes(name):
    a = scipy_array(name)
    for axis in (0, 1, 2, -1, 3, 1.5):
        same(lambda sp, xp, a: sp.expand_dims(a, axis=axis), a) if name.endswith("array") else None
    for axes in (None, (0, 1), (1, 0), (-1, 0), (0, 0), (0,), (0, 5), (1.5, 0)):
        same(lambda sp, xp, a: sp.permute_dims(a, axes), a)
    for pair in ((0, 1), (-1, 0), (0, 0), (0, 2)):
        same(lambda sp, xp, a: sp.swapaxes(a, *pair), a)
    equal(ours.matrix_transpose(of(a)), a.T)
    equal(of(a).mT, a.T)


def test_more_axes():
    dense = np.arange(24.0).reshape(2, 3, 4)
    a = theirs.coo_array(dense)
    same(lambda sp, xp, a: (sp.expand_dims(a, axis=1), sp.swapaxes(a, 0, -1)), a)
    same(lambda sp, xp, a: sp.permute_dims(a, (2, 0, 1)), a)
    same(lambda sp, xp, a: sp.kron(a, a), a)
    same(lambda sp, xp, a: sp.kron(a, sp.coo_array(xp.ones(2))), a)
    np.testing.assert_array_equal(of(a).mT.toarray().get(), dense.transpose(0, 2, 1))


@pytest.mark.parametrize("density", [0, 0.01, 0.3, 1])
def test_random(density):
    for build in (
        lambda: ours.random(30, 40, density, random_state=3),
        lambda: ours.rand(30, 40, density, random_state=3),
        lambda: ours.random_array((30, 40), density=density, rng=3),
    ):
        a, b = build(), build()
        assert a.shape == (30, 40) and a.format == "coo" and a.nnz == round(1200 * density) and a.dtype == "float64"
        np.testing.assert_array_equal(a.toarray().get(), b.toarray().get())
        a.sum_duplicates()
        assert a.nnz == round(1200 * density)
        assert density == 0 or float(a.data.min()) >= 0 and float(a.data.max()) < 1
    assert ours.random(30, 40, density, format="csr", dtype="float32").dtype == "float32"
    assert ours.random_array((5, 6, 7), density=density, dtype="int16").ndim == 3
    assert isinstance(ours.random_array((9,), density=density), ours.coo_array)
    assert ours.random_array((50, 50), density=density, dtype="complex64", rng=cp.random.default_rng(1)).dtype == "complex64"


def test_random_values():
    a = ours.random(20, 20, 0.5, data_rvs=lambda n: cp.full(n, 3.0))
    assert set(a.data.get()) == {3.0}
    a = ours.random_array((20, 20), density=0.5, data_sampler=lambda size: cp.full(size, 2.0))
    assert set(a.data.get()) == {2.0}
    # Every position is taken about as often as any other.
    a = ours.random_array((60, 4, 5), density=0.25, rng=5)
    counts = sum(((a[at] != 0).toarray().get().astype(int) for at in range(60)), np.zeros((4, 5), int))
    assert counts.sum() == 300 and counts.min() > 2 and counts.max() < 40
    for density in (-0.1, 1.1):
        same(lambda sp, xp: sp.random(3, 3, density))
    with pytest.raises(ValueError):
        ours.random(3, 3, random_state="x")
