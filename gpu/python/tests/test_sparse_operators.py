"""Tests of sparse arrays: operators, products, comparisons, elementwise functions."""

import operator

import numpy as np
import pytest

import cuprum as cp
from sparse_same import CLASSES, DTYPES, STRUCTURES, equal, of, ours, same, scipy_array, some, theirs, values

SUMS = [operator.add, operator.sub]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def second(name, shape, dtype="float64"):
    """Returns another array of a shape, with about half of its elements stored."""
    rng = np.random.default_rng(11)
    dense = values(shape[0] * shape[1], dtype).reshape(shape) * rng.integers(0, 2, shape).astype(dtype)
    return getattr(theirs, name)(dense.astype(dtype))


@pytest.mark.parametrize("name, structure", some(CLASSES, STRUCTURES))
def test_sums(name, structure):
    a = scipy_array(name, structure)
    for kind in ("coo", "csr", "csc", "dia"):
        b = second(f"{kind}_{name[4:]}", a.shape)
        for op in SUMS:
            same(lambda sp, xp, a, b: op(a, b), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", DTYPES)
def test_dtypes_of_sums_and_products(dtype, other):
    a, b = scipy_array("csr_array", "duplicates", dtype), second("csc_array", (4, 5), other)
    x = b.toarray()
    for op in (operator.add, operator.sub, lambda a, b: a.multiply(b), lambda a, b: a @ b.T, lambda a, b: a.maximum(b)):
        if op is operator.sub and dtype == other == "bool":
            continue
        same(lambda sp, xp, a, b: op(a, b), a, b)
    for op in (operator.add, lambda a, x: a.multiply(x), lambda a, x: a @ x.T, lambda a, x: a @ x[0], lambda a, x: x.T @ a, lambda a, x: x.T[0] @ a):
        same(lambda sp, xp, a, x: op(a, x), a, x)
    same(lambda sp, xp, a: a * np.dtype(other).type(3), a)


@pytest.mark.parametrize("name", CLASSES)
def test_scalars(name):
    of_class = CLASSES.index(name)
    for dtype in ("bool", "uint8", "int32", "float32", "complex128")[of_class % 3 :: 3]:
        a = scipy_array(name, "duplicates", dtype)
        for scalar in (0, 2, -1.5, 2j, True, np.float64(2), np.float32(0), np.int8(3)):
            if dtype == "uint8" and scalar == -1.5:
                continue
            calls = [
                lambda a: a * scalar,
                lambda a: scalar * a,
                lambda a: a.multiply(scalar),
                lambda a: a + scalar,
                lambda a: scalar + a,
                lambda a: a - scalar,
                lambda a: scalar - a,
                lambda a: scalar @ a,
                lambda a: a @ scalar,
                lambda a: a.dot(scalar),
            ]
            for call in calls:
                same(lambda sp, xp, a: call(a), a)
        for scalar in (2, 4.0, np.float32(2), 2j, np.int16(4)):
            same(lambda sp, xp, a: a / scalar, a)
            same(lambda sp, xp, a: scalar / a, a)
        same(lambda sp, xp, a: a * xp.asarray(2.0), a)
    same(lambda sp, xp, a: a / 0, scipy_array(name, "one"))


@pytest.mark.parametrize("name", CLASSES)
def test_in_place(name):
    def changed(op, other):
        def f(sp, xp, a):
            a = op(a, of(other) if xp is cp else other)
            return a

        return f

    for dtype in ("int32", "float32"):
        a = scipy_array(name, "random", dtype)
        for op in (operator.iadd, operator.isub, operator.imul, operator.itruediv):
            for other in (2, 2.5, 0, np.ones((4, 5), dtype), second("csr_array", (4, 5), dtype)):
                if op is operator.itruediv and (not np.isscalar(other) or other == 0):
                    continue
                same(changed(op, other), a)
        mine = of(a)
        view = mine
        view *= 2
        assert view is mine and (mine.toarray() == cp.asarray(a.toarray()) * 2).all()


@pytest.mark.parametrize("name, structure", some(CLASSES, ["random", "duplicates", "no rows", "one", "square"]))
def test_dense(name, structure):
    a = scipy_array(name, structure)
    m, n = a.shape
    rng = np.random.default_rng(5)
    for shape in [(m, n), (1, n), (m, 1), (n,), (1, 1), (1,), (m + 1, n), (2, m, n), ()]:
        x = rng.integers(-4, 5, shape) / 2
        for call in (lambda a, x: a + x, lambda a, x: a - x, lambda a, x: a.multiply(x)):
            same(lambda sp, xp, a, x: call(a, x), a, np.asarray(x))
        if name.endswith("array"):
            same(lambda sp, xp, a, x: a * x, a, np.asarray(x))
        if shape and not (name[:3] == "dia" and structure == "no rows"):
            # SciPy's matrices have no operators of dense arrays on the left: NumPy's own are asked.
            same(lambda sp, xp, a, x: a.__radd__(x), a, x)
            same(lambda sp, xp, a, x: a.__rsub__(x), a, x)
    for shape in [(n, 3), (n, 1), (n,), (n + 1,), (n + 1, 2), (2, n, 3)]:
        x = rng.integers(-4, 5, shape) / 2
        if name == "coo_array" and m == 1 and len(shape) == 1:
            # SciPy returns a number for a product of one row.
            continue
        same(lambda sp, xp, a, x: a @ x, a, x)
        same(lambda sp, xp, a, x: a.dot(x), a, x) if name[:3] != "coo" else None
        if name.endswith("matrix"):
            same(lambda sp, xp, a, x: a * x, a, x)
    for shape in [(3, m), (1, m), (m,), (m + 1,), (2, m + 1)]:
        x = rng.integers(-4, 5, shape) / 2
        if name == "coo_array" and n == 1 and len(shape) == 1:
            continue
        same(lambda sp, xp, a, x: x @ a, a, x)
        if name.endswith("matrix"):
            same(lambda sp, xp, a, x: a.__rmul__(x), a, x)
    same(lambda sp, xp, a: a @ [1.0] * n, a)
    same(lambda sp, xp, a: a.multiply([[2.0]]), a)


@pytest.mark.parametrize("name", CLASSES)
def test_division_of_arrays(name):
    a = scipy_array(name)
    x = np.arange(1, 21.0).reshape(4, 5)
    same(lambda sp, xp, a, x: a / x, a, x)
    same(lambda sp, xp, a, x: x / a, a, x)
    for dtype in DTYPES[1:5]:
        b = second("csr_array", (4, 5), dtype)
        same(lambda sp, xp, a, b: a / b, scipy_array(name, "random", dtype), b)
    same(lambda sp, xp, a, b: a / b, a, second("csr_array", (5, 4)))


@pytest.mark.parametrize("name, structure", some(CLASSES, ["random", "duplicates", "square", "no rows", "one"]))
def test_products(name, structure):
    a = scipy_array(name, structure)
    for kind in ("coo", "csr", "csc", "dia"):
        other = f"{kind}_{name[4:]}"
        b = second(other, (a.shape[1], 3))
        same(lambda sp, xp, a, b: a @ b, a, b)
        same(lambda sp, xp, a, b: b.T @ a.T, a, b)
        if name.endswith("matrix"):
            same(lambda sp, xp, a, b: a * b, a, b)
        same(lambda sp, xp, a, b: a @ b, a, second(other, (a.shape[1] + 1, 3)))
        for shape in [a.shape, (1, a.shape[1]), (a.shape[0], 1), (1, 1), (2, 7)]:
            c = second(other, shape)
            same(lambda sp, xp, a, c: a.multiply(c), a, c)
            same(lambda sp, xp, a, c: c.multiply(a), a, c)


@pytest.mark.parametrize("name", CLASSES)
def test_powers(name):
    for dtype in ("int32", "float32", "complex128"):
        a = scipy_array(name, "square", dtype)
        for n in (2, 3, 1, 0, -1, 2.5, 0.5):
            if dtype == "int32" and n == -1 or isinstance(n, float) and dtype != "complex128":
                continue
            same(lambda sp, xp, a: a**n, a, exact=False)
            same(lambda sp, xp, a: a.power(n), a, exact=False)
        same(lambda sp, xp, a: a.power(2, dtype="complex64"), a)
        same(lambda sp, xp, a: a ** [1, 2], a)
    same(lambda sp, xp, a: a**2, scipy_array(name))


@pytest.mark.parametrize("name, structure", some(CLASSES, ["duplicates", "explicit zeros", "no rows"]))
def test_elements(name, structure):
    a = scipy_array(name, structure) / 8
    if a.format != name[:3]:
        a = a.asformat(name[:3])
    for method in [
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "ceil",
        "deg2rad",
        "expm1",
        "floor",
        "rad2deg",
        "rint",
        "sign",
        "sin",
        "sinh",
        "tan",
        "tanh",
        "trunc",
    ]:
        same(lambda sp, xp, a: getattr(a, method)(), a, exact=False)
    for method in ("sqrt", "log1p"):
        same(lambda sp, xp, a: getattr(abs(a), method)(), a, exact=False)
    same(lambda sp, xp, a: (-a, abs(a), round(a, 1)), a, exact=False)
    same(lambda sp, xp, a: -a, scipy_array(name, structure, "bool"))


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_namespaces(name):
    """Tests NumPy's and the library's functions on sparse arrays."""
    judge = abs(scipy_array(name, "random"))
    mine, x = of(judge), cp.ones((4, 5))
    for function in ("sqrt", "sin", "floor"):
        expected = getattr(judge, function)()
        equal(getattr(cp, function)(mine), expected, exact=False)
        equal(getattr(np, function)(mine), expected, exact=False)
    equal(np.float64(2) * mine, np.float64(2) * judge)
    equal(cp.add(x, mine), np.asarray(x.get() + judge.toarray()))
    equal(x + mine, np.asarray(x.get() + judge.toarray()))
    equal(x - mine, np.asarray(x.get() - judge.toarray()))
    equal(cp.ones(4) @ mine, np.ones(4) @ judge.toarray())
    equal(cp.matmul(cp.ones(4), mine), np.ones(4) @ judge.toarray())
    equal(cp.dot(cp.ones(4), mine), np.ones(4) @ judge.toarray())
    equal(cp.sum(mine), judge.sum())
    equal(np.sum(mine), judge.sum())
    y = cp.ones((4, 5))
    y += mine
    y -= mine * 2
    equal(y, np.asarray(1 - judge.toarray()))
    with pytest.raises(TypeError):
        y = cp.ones((4, 5), "int32")
        y += mine
    equal(x == mine, x.get() == judge.toarray())
    equal(x < mine, x.get() < judge.toarray())
    for wrong in (lambda: cp.exp(mine), lambda: np.cos(mine), lambda: mine + np.ones((4, 5)), lambda: np.ones((4, 5)) @ mine, lambda: cp.stack([mine])):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("name, structure", some(CLASSES, ["random", "duplicates", "explicit zeros", "no rows"]))
def test_comparisons(name, structure):
    a = scipy_array(name, structure)
    others = [second(f"{kind}_{name[4:]}", a.shape) for kind in ("coo", "csr", "csc")]
    for op in COMPARISONS:
        for scalar in (0, 1, -2.5, np.nan, np.float32(2)):
            same(lambda sp, xp, a: op(a, scalar), a)
        for b in others:
            same(lambda sp, xp, a, b: op(a, b), a, b, structure=True)
        same(lambda sp, xp, a, x: op(a, x), a, others[0].toarray())
        same(lambda sp, xp, a, b: op(a, b), a, second("csr_array", (7, 2)))
    for method in ("maximum", "minimum"):
        for scalar in (0, 1, -2.5, np.float32(2)):
            same(lambda sp, xp, a: getattr(a, method)(scalar), a)
        for b in others:
            same(lambda sp, xp, a, b: getattr(a, method)(b), a, b)
        same(lambda sp, xp, a, x: getattr(a, method)(x), a, others[0].toarray())
        same(lambda sp, xp, a, b: getattr(a, method)(b), a, second("csr_array", (7, 2)))


def test_warnings():
    a = ours.csr_matrix(cp.eye(3))
    for call in (lambda: a == 0, lambda: a != 1, lambda: a <= a, lambda: a.maximum(1), lambda: a.minimum(-1)):
        with pytest.warns(ours.SparseEfficiencyWarning):
            call()


def test_one_axis():
    dense = np.array([0, 2.0, 0, -1, 0])
    for name in ("coo_array", "csr_array"):
        a, b = getattr(theirs, name)(dense), getattr(theirs, name)(dense[::-1].copy())
        m = theirs.csr_array(np.arange(15.0).reshape(5, 3))
        for call in (
            lambda a, b: a + b,
            lambda a, b: a - b,
            lambda a, b: a.multiply(b),
            lambda a, b: a @ b,
            lambda a, b: a > b,
            lambda a, b: a.maximum(b),
            lambda a, b: a * 3,
            lambda a, b: -a,
            lambda a, b: a.power(2),
            lambda a, b: a.sum(),
            lambda a, b: a.max(),
            lambda a, b: a.argmin(),
            lambda a, b: a.tocsr(),
            lambda a, b: a.tocoo(),
            lambda a, b: a.T,
            lambda a, b: a.reshape(1, 5),
            lambda a, b: a.count_nonzero(),
            lambda a, b: a.nnz,
            lambda a, b: a.mean(),
            lambda a, b: a.toarray(),
            lambda a, b: a.tocsc(),
            lambda a, b: a.diagonal(),
        ):
            same(lambda sp, xp, a, b: call(a, b), a, b)
        same(lambda sp, xp, a, m: a @ m, a, m)
        same(lambda sp, xp, a, m: m.T @ a, a, m)
        for x in (np.arange(5.0), np.ones((5, 2)), np.ones((5, 1)), np.ones(4)):
            same(lambda sp, xp, a, x: a @ x, a, x)
            same(lambda sp, xp, a, x: a + x, a, x) if x.ndim == 1 else None
        same(lambda sp, xp, a, x: x @ a, a, np.ones((2, 5)))
        same(lambda sp, xp, a, x: x @ a, a, np.ones(5))


def test_more_axes():
    rng = np.random.default_rng(2)
    dense = rng.integers(-3, 4, (2, 3, 4)) * rng.integers(0, 2, (2, 3, 4)) / 2
    a, b = theirs.coo_array(dense), theirs.coo_array(dense[::-1, :, ::-1].copy())
    for call in (
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * 2,
        lambda a, b: a.multiply(b),
        lambda a, b: a > b,
        lambda a, b: a >= 1,
        lambda a, b: a.maximum(b),
        lambda a, b: a.reshape(6, 4),
        lambda a, b: a.transpose((2, 0, 1)),
        lambda a, b: a.T,
        lambda a, b: a @ b.transpose((0, 2, 1)),
        lambda a, b: a.tensordot(b, axes=([1, 2], [1, 2])),
        lambda a, b: a.tensordot(b, axes=3),
        lambda a, b: a.dot(b.transpose((0, 2, 1))),
        lambda a, b: a.tocsr(),
        lambda a, b: a.todia(),
        lambda a, b: a != 0,
    ):
        same(lambda sp, xp, a, b: call(a, b), a, b)
    for x in (np.arange(4.0), np.ones((4, 2)), np.ones((2, 4, 3)), np.ones((1, 4, 3)), np.ones(3), np.ones((3, 4, 3)), np.ones((3, 3))):
        same(lambda sp, xp, a, x: a @ x, a, x)
    for x in (np.ones((5, 3)), np.ones((2, 5, 3))):
        same(lambda sp, xp, a, x: x @ a, a, x)
    same(lambda sp, xp, a, x: a.multiply(x), a, dense)
    same(lambda sp, xp, a, x: a.tensordot(x, axes=1), a, np.ones((4, 2)))
    # Sums over no elements are zeros of the shape that is left.
    none, wide = theirs.coo_array((3, 0, 2)), theirs.coo_array((0, 5))
    for axes in (3, ([0, 1, 2], [0, 1, 2]), ([1, 2], [1, 2])):
        same(lambda sp, xp, a: a.tensordot(a, axes=axes), none)
    same(lambda sp, xp, a, b: a.tensordot(b, axes=([1], [0])), none, wide)
    same(lambda sp, xp, a, x: a.tensordot(x, axes=([1], [0])), none, np.ones((0, 5)))
    same(lambda sp, xp, a, x: a.dot(x), a, np.ones((2, 4, 3)))
