"""Tests of functions and ufuncs against NumPy's."""

import inspect
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import cuprum as cp
from same import equal, same

H = np.arange(6.0).reshape(2, 3)

CALLS = {
    "asarray": lambda xp: xp.asarray([[1, 2], [3, 4.5]]),
    "asarray dtype": lambda xp: xp.asarray([1, 2], "f2"),
    "array ndmin": lambda xp: xp.array([1, 2], ndmin=3),
    "array of tuple": lambda xp: xp.array(((True, False), (False, True))),
    "array ragged": lambda xp: xp.array([[1], [1, 2]]),
    "array empty": lambda xp: xp.array([]),
    "array big": lambda xp: xp.array([2**63]),
    "scalar": lambda xp: xp.array(3),
    "arange": lambda xp: xp.arange(5),
    "arange two": lambda xp: xp.arange(2, 8),
    "arange float": lambda xp: xp.arange(0, 1, 0.25),
    "arange dtype": lambda xp: xp.arange(3, dtype="u1"),
    "arange strong": lambda xp: xp.arange(np.int32(3)),
    "arange keyword": lambda xp: xp.arange(1, stop=5, step=2),
    "zeros": lambda xp: xp.zeros((2, 3)),
    "zeros int": lambda xp: xp.zeros(3, dtype=int),
    "zeros negative": lambda xp: xp.zeros(-1),
    "ones": lambda xp: xp.ones(shape=2, dtype=bool),
    "full": lambda xp: xp.full((2,), 3.5),
    "full dtype": lambda xp: xp.full(2, 7, dtype="i2"),
    "full strong": lambda xp: xp.full(2, np.float32(1)),
    "full list": lambda xp: xp.full((2, 2), [1, 2]),
    "zeros_like": lambda xp: xp.zeros_like(xp.asarray(H), shape=(4,), dtype="i4"),
    "full_like": lambda xp: xp.full_like(xp.asarray(H), [1, 2, 3]),
    "eye": lambda xp: xp.eye(3, 4, 1),
    "linspace": lambda xp: xp.linspace(0, 1, 5),
    "where": lambda xp: xp.where(xp.asarray(H) > 2, xp.asarray(H), 0),
    "where alone": lambda xp: xp.where(xp.asarray(H) > 2),
    "where two": lambda xp: xp.where(xp.asarray(H) > 2, 1),
    "concatenate": lambda xp: xp.concatenate([xp.asarray(H), xp.asarray(H)], axis=1),
    "concatenate keyword": lambda xp: xp.concatenate(arrays=[xp.asarray(H)]),
    "stack": lambda xp: xp.stack((xp.asarray(H), xp.asarray(H)), axis=-1),
    "split": lambda xp: xp.split(xp.arange(6), 3),
    "split at": lambda xp: xp.array_split(xp.arange(7), [2, 5]),
    "meshgrid": lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2), indexing="ij"),
    "gradient": lambda xp: xp.gradient(xp.asarray(H)),
    "gradient spaced": lambda xp: xp.gradient(xp.asarray(H), 2.0, axis=1),
    "atleast": lambda xp: xp.atleast_2d(xp.arange(3), 1),
    "atleast one": lambda xp: xp.atleast_3d(xp.arange(3)),
    "clip": lambda xp: xp.clip(xp.asarray(H), 1, 3),
    "clip names": lambda xp: xp.clip(xp.asarray(H), min=1, max=3),
    "clip low": lambda xp: xp.clip(xp.asarray(H), None, 3),
    "sort": lambda xp: xp.sort(-xp.asarray(H), axis=0, stable=True),
    "var": lambda xp: xp.var(xp.asarray(H), correction=1),
    "pad": lambda xp: xp.pad(xp.asarray(H), ((1, 0), (0, 2)), constant_values=7),
    "pad mode": lambda xp: xp.pad(xp.asarray(H), 1, mode="edge"),
    "pad beyond int8": lambda xp: xp.pad(xp.ones(2, "b"), 1, constant_values=300),
    "pad beyond uint8": lambda xp: xp.pad(xp.ones(2, "B"), 1, constant_values=(-1, 300)),
    "pad beyond uint8, by axis": lambda xp: xp.pad(xp.ones((2, 2), "B"), 1, constant_values=[[300, 1], [1, 1]]),
    "pad of no axes, negative": lambda xp: xp.pad(xp.asarray(3), -1),
    "pad of no axes, not an integer": lambda xp: xp.pad(xp.asarray(3), (1, 1.5)),
    "integer quantiles, weibull": lambda xp: xp.quantile(xp.asarray(H).astype("b"), xp.array([0, 1], dtype="h"), method="weibull"),
    "integer quantiles, averaged": lambda xp: xp.nanquantile(xp.asarray(H).astype("f"), xp.array([1, 0], dtype="b"), axis=0, method="averaged_inverted_cdf"),
    "quantile of a boolean": lambda xp: xp.quantile(xp.asarray(H).astype("f"), True, method="interpolated_inverted_cdf"),
    "matrix_rank of no elements": lambda xp: xp.linalg.matrix_rank(xp.ones((0, 2)), tol=xp.array([0.1, 1])),
    "matrix_rank of no elements, relative": lambda xp: xp.linalg.matrix_rank(xp.ones((3, 0, 2)), rtol=xp.array([[0.1], [1]])),
    "percentile": lambda xp: xp.percentile(xp.asarray(H), [25, 50], axis=1),
    "histogram": lambda xp: xp.histogram(xp.asarray(H), bins=3, range=(0, 6)),
    "histogram edges": lambda xp: xp.histogram(xp.asarray(H), bins=[0, 2, 6]),
    "bincount": lambda xp: xp.bincount(xp.array([0, 2, 2])),
    "unique": lambda xp: xp.unique(xp.array([3, 1, 3]), return_counts=True),
    "result_type": lambda xp: xp.result_type(xp.asarray(H).astype("f4"), 3, np.int8),
    "can_cast": lambda xp: (xp.can_cast("i4", "f8"), xp.can_cast(np.float64, np.int32, "same_kind")),
    "promote_types": lambda xp: xp.promote_types("i4", np.float32),
    "mgrid": lambda xp: xp.mgrid[0:2, 1:4],
    "mgrid line": lambda xp: xp.mgrid[0:4],
    "mgrid counted": lambda xp: xp.mgrid[0:1:3j, 0:2],
    "ogrid": lambda xp: xp.ogrid[0:2, 1:4],
    "r_": lambda xp: xp.r_[1:4, 0, xp.array([7, 8])],
    "r_ axis": lambda xp: xp.r_["-1", xp.asarray(H), xp.asarray(H)],
    "c_": lambda xp: xp.c_[xp.arange(3), xp.arange(3)],
    "apply_along_axis": lambda xp: xp.apply_along_axis(lambda x: x * 2 - x.sum(), 0, xp.asarray(H)),
    "apply_over_axes": lambda xp: xp.apply_over_axes(xp.sum, xp.asarray(H), [0, 1]),
    "piecewise": lambda xp: xp.piecewise(xp.asarray(H), [xp.asarray(H) < 2, xp.asarray(H) > 3], [-1.0, lambda x: x * 2, 0.5]),
    "fromfunction": lambda xp: xp.fromfunction(lambda i, j: i + j, (2, 3), dtype=int),
    "nonzero": lambda xp: xp.nonzero(xp.asarray(H)),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(xp.arange(3), xp.asarray(H)),
    "ix_": lambda xp: xp.ix_([0, 1], [2]),
    "isposinf": lambda xp: xp.isposinf(xp.array([np.inf, -np.inf, 1.0])),
    "array_equal": lambda xp: xp.array_equal(xp.asarray(H), xp.asarray(H)) and True,
    "size": lambda xp: (xp.size(xp.asarray(H)), xp.size(xp.asarray(H), 1), xp.ndim(3), xp.shape([[1, 2]])),
    "take_along_axis": lambda xp: xp.take_along_axis(xp.asarray(H), xp.argsort(-xp.asarray(H), axis=1), 1),
    "dot out": lambda xp: xp.dot(xp.asarray(H), xp.asarray(H).T, out=xp.zeros((2, 2))),
    "unknown keyword": lambda xp: xp.sum(xp.asarray(H), foo=1),
    "too many": lambda xp: xp.argsort(xp.asarray(H), 0, None, None, 5, 6, 7),
    "positional only": lambda xp: xp.add(x1=1, x2=2),
    "missing": lambda xp: xp.take(xp.asarray(H)),
    "twice": lambda xp: xp.sum(xp.asarray(H), a=1),
    "axis": lambda xp: xp.sum(xp.asarray(H), axis=2),
    "rolled": lambda xp: xp.roll(xp.asarray(H), (1, 2), axis=(0, 1)),
    "trapezoid": lambda xp: xp.trapezoid(xp.asarray(H), dx=2),
    "trapezoid of points with more axes": lambda xp: xp.trapezoid(xp.arange(3.0), xp.arange(12.0).reshape(2, 3, 2) ** 2),
    "trapezoid of points with more axes, the first": lambda xp: xp.trapezoid(xp.arange(2.0), xp.arange(8.0).reshape(2, 2, 2), axis=0),
    "fromfunction without a dtype": lambda xp: xp.fromfunction(lambda i, j: i + j, (2, 3), dtype=None),
    "cov of three axes": lambda xp: xp.cov(xp.ones((0, 3)), xp.ones((2, 3, 2))),
    "vector_norm along an axis that is missing": lambda xp: xp.linalg.vector_norm(xp.ones((2, 3)), axis=(0, 5)),
    "vector_norm along an axis twice": lambda xp: xp.linalg.vector_norm(xp.ones((2, 3)), axis=(0, -2)),
    "vector_norm of a scalar along axes": lambda xp: xp.linalg.vector_norm(xp.ones(()), axis=(0, 1)),
    "repeat of nothing": lambda xp: (xp.repeat(xp.ones(0), []), xp.ones((2, 0)).repeat([], axis=1)),
    "linspace step": lambda xp: xp.linspace(0, 2, 5, retstep=True)[0],
    "logspace": lambda xp: xp.round(xp.logspace(0, 2, 3)),
    "tile": lambda xp: xp.tile(xp.asarray(H), (2, 1)),
    "select": lambda xp: xp.select([xp.asarray(H) > 3, xp.asarray(H) > 1], [xp.asarray(H), -xp.asarray(H)], 9.0),
    "insert": lambda xp: xp.insert(xp.arange(4), 2, 9),
    "delete": lambda xp: xp.delete(xp.arange(4), [1, 2]),
    "delete slice": lambda xp: xp.delete(xp.asarray(H), slice(0, None, 2), 1),
    "delete mask": lambda xp: xp.delete(xp.arange(3), [True, False, True]),
    "delete last": lambda xp: xp.delete(xp.asarray(H), slice(None, None, -2)),
    "insert slice": lambda xp: xp.insert(xp.arange(4), slice(1, 3), [8, 9]),
    "cov": lambda xp: xp.cov(xp.asarray(H)),
    "rot90": lambda xp: xp.rot90(xp.asarray(H)),
    "diff": lambda xp: xp.diff(xp.asarray(H), axis=0),
    "interp": lambda xp: xp.interp(xp.array([0.5, 1.5]), xp.array([0.0, 1.0, 2.0]), xp.array([0.0, 10.0, 30.0])),
    "lexsort": lambda xp: xp.lexsort(xp.array([[1, 0, 1], [2, 1, 1]])),
    "unravel_index": lambda xp: xp.unravel_index(xp.array([1, 5]), (2, 3)),
    "poly1d": lambda xp: (xp.poly1d([1, 2, 3]) * xp.poly1d([1, 0, -1])).c,
    "poly1d call": lambda xp: xp.poly1d([1, 2, 3])(xp.arange(3)),
    "poly1d text": lambda xp: (str(xp.poly1d([1, 2, 3])), repr(xp.poly1d([1.5, 2]))),
    "poly1d order": lambda xp: (xp.poly1d([0, 0, 1, 2]).order, bool(xp.poly1d([1, 2]) == xp.poly1d([1, 2]))),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    # NumPy returns a list for several arrays; here it is a tuple.
    same(lambda xp: tuple(r) if isinstance(r := CALLS[name](xp), list) else r, rtol=1e-12)


def test_lists_of_our_arrays():
    a, b = cp.arange(3), cp.arange(3.0)
    equal(cp.asarray([a, b]), np.array([np.arange(3), np.arange(3.0)]))
    equal(cp.array([[a, a], [b, b]]), np.array([[np.arange(3)] * 2, [np.arange(3.0)] * 2]))
    equal(cp.array([a[0], 5]), np.array([0, 5]))


def test_what_is_given_back_as_it_is():
    a = cp.asarray(H)
    assert cp.asarray(a) is a and cp.ascontiguousarray(a) is a and cp.asarray(a, dtype="f8") is a
    assert cp.array(a) is not a and cp.array(a, copy=False) is a and a.astype("f8", copy=False) is a
    assert cp.asfortranarray(a) is not a and cp.atleast_1d(a) is a
    assert cp.add(a, 1, out=a) is a and cp.sum(a, 0, out=(b := cp.zeros(3))) is b
    assert cp.reshape(a, (6,)).base is a and cp.ravel(a).base is a and cp.transpose(a).base is a
    assert cp.asarray(np.asfortranarray(H)).flags.f_contiguous


def test_modules():
    a = cp.asarray(H)
    assert cp.get_array_module(a) is cp and cp.get_array_module(H, 3) is np and cp.get_array_module(3, a) is cp
    assert isinstance(cp.asnumpy(a), np.ndarray) and cp.asnumpy([1, 2]).tolist() == [1, 2] and cp.asnumpy(H) is H
    assert cp.isscalar(3) and not cp.isscalar(a) and cp.may_share_memory(a, a[0]) and not cp.may_share_memory(a, a + 1)
    assert cp.float32 is np.float32 and cp.pi is np.pi and cp.newaxis is None and cp.dtype is np.dtype


def test_ufunc_objects():
    assert isinstance(cp.add, cp.ufunc) and (cp.add.nin, cp.add.nout, cp.add.nargs) == (2, 1, 3)
    assert cp.add.__name__ == "add" and "dd->d" in cp.add.types and cp.add.ntypes == len(cp.add.types)
    assert repr(cp.add) == "<ufunc 'cuprum_add'>" and cp.abs is cp.absolute and "x1" in cp.add.__doc__
    a = np.arange(5)
    same(lambda xp, a: xp.add.reduce(a), a)
    same(lambda xp, a: xp.add.accumulate(a), a)
    same(lambda xp, a: xp.multiply.outer(a, a), a)
    same(lambda xp, a: xp.add.reduceat(a, [0, 2]), a)
    same(lambda xp, a: xp.add(a, 1, dtype="f4"), a)
    same(lambda xp, a: xp.add(a, 1, where=a > 2, out=xp.zeros(5, int)), a)
    same(lambda xp, a: xp.divmod(a, 3), a)
    same(lambda xp, a: xp.divmod(a, 3, xp.zeros(5, int), xp.zeros(5, int)), a)
    same(lambda xp, a: xp.frexp(a), a.astype(float))
    same(lambda xp, a: xp.add(a, a, out=(xp.zeros(5, int),)), a)
    same(lambda xp, a: xp.add(a, a, casting="no", dtype="f4"), a)
    same(lambda xp, a: xp.sqrt(a, order="C"), a)
    same(lambda xp: xp.add(1, 2).dtype)


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecdot", "vecmat"])
def test_functions_of_vectors_and_matrices_are_ufuncs(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    attributes = "nin nout nargs identity signature __name__".split()
    assert isinstance(ours, cp.ufunc) and [getattr(ours, a) for a in attributes] == [getattr(theirs, a) for a in attributes]
    # NumPy also has more integers of the same size, long doubles and objects.
    assert set(theirs.types) - set(ours.types) == {k * 2 + "->" + k for k in "gGO"} and ours.ntypes == len(ours.types)
    dtypes = (np.dtype("i4"), np.dtype("f4"), None)
    assert ours.resolve_dtypes(dtypes) == theirs.resolve_dtypes(dtypes)
    a = np.arange(9).reshape(3, 3)
    same(lambda xp, a: getattr(xp, name)(a, a, out=(xp.zeros(theirs(a, a).shape, int),)), a)
    same(lambda xp, a: getattr(xp, name)(a, a, signature="dd->d"), a)
    same(lambda xp, a: getattr(xp, name)(a, a, sig=(None, None, "f4"), casting="unsafe"), a)
    same(lambda xp, a: getattr(xp, name).reduce(a), a)
    same(lambda xp, a: getattr(xp, name).accumulate(a), a)
    same(lambda xp, a: getattr(xp, name).reduceat(a, [0]), a)
    same(lambda xp, a: getattr(xp, name).outer(a, a), a)
    same(lambda xp, a: getattr(xp, name).at(a, [0], a), a)


def test_parameters_are_those_of_numpy():
    wrong = []
    for name, function in vars(cp).items():
        other = getattr(np, name, None)
        if name[0] == "_" or not callable(other) or isinstance(other, type) or isinstance(function, (cp.ufunc, type)):
            continue
        try:
            theirs, ours = inspect.signature(other).parameters, inspect.signature(function).parameters
        except (TypeError, ValueError):
            continue
        if any(p.kind == p.VAR_KEYWORD for p in ours.values()):
            continue
        missing = [n for n, p in theirs.items() if n not in ours and n not in LEFT_OUT and p.kind != p.VAR_POSITIONAL]
        if missing and name not in OTHERS:
            wrong.append((name, missing))
    assert not wrong


# `like` and `subok` refer to host classes, `signature` and `axes` to loops; `kwargs` are written out here.
LEFT_OUT = {"like", "subok", "kwargs", "signature", "axes", "start_or_stop", "device", "order"}
# Functions with parameters that have no meaning on a device.
OTHERS = {"vecdot", "show_config", "matmul", "load", "save", "asarray_chkfinite", "min_scalar_type", "dot", "matvec", "vecmat", "outer"}

dtypes = st.sampled_from("?bBhHiIlLefdFD")
scalars = st.sampled_from([True, 3, 2.5, 1j, np.float32(2), np.int8(3), np.float64(0.5), np.uint8(7), np.complex64(1j)])


@given(dtypes, dtypes)
def test_promotion_of_arrays(one, other):
    same(lambda xp, a, b: xp.add(a, b).dtype, np.ones(2, one), np.ones(2, other))
    same(lambda xp, a, b: xp.true_divide(a, b).dtype, np.ones(2, one), np.ones(2, other))


@given(dtypes, scalars)
def test_promotion_of_scalars(one, scalar):
    same(lambda xp, a: (a * scalar).dtype, np.ones(2, one))
    same(lambda xp, a: (scalar * a) if xp is np and not isinstance(scalar, np.generic) else a * scalar, np.ones(2, one))
    same(lambda xp, a: xp.result_type(a, scalar), np.ones(2, one))
    same(lambda xp, a: xp.maximum(a, scalar), np.ones(2, one))


shapes = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)


@given(shapes, st.sampled_from(["add", "multiply", "maximum", "less", "hypot", "arctan2", "copysign"]), st.booleans())
def test_binary_ufuncs(shapes, name, transposed):
    one, other = (np.arange(float(np.prod(s, dtype=int))).reshape(s) - 2 for s in shapes.input_shapes)
    one = one.T.copy().T if transposed else one
    same(lambda xp, a, b: getattr(xp, name)(a, b), one, other, rtol=1e-12)


@given(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3), st.data())
def test_reductions_along_axes(shape, data):
    axes = data.draw(st.none() | hnp.valid_tuple_axes(len(shape)))
    name = data.draw(st.sampled_from(["sum", "prod", "max", "mean", "any", "count_nonzero"]))
    keepdims = data.draw(st.booleans())
    host = np.arange(float(np.prod(shape, dtype=int))).reshape(shape) - 2
    if host.size == 0 and name == "mean":
        return
    # A reduction over no axes sometimes returns a Python number in NumPy; here it returns an array.
    same(lambda xp, a: xp.asarray(getattr(xp, name)(a, axis=axes, keepdims=keepdims)), host, rtol=1e-12)


SEVERAL = 'average expand_dims flip median nanmedian quantile percentile nanquantile nanpercentile'.split()
REDUCING = 'sum prod min max mean std var all any nansum nanprod nanmin nanmax nanmean nanstd nanvar count_nonzero ptp squeeze'.split()


@pytest.mark.parametrize('name', SEVERAL + REDUCING + ['argmax', 'argmin', 'nanargmax', 'nanargmin', 'linalg.norm', 'linalg.vector_norm'])
def test_sequences_of_axes(name):
    host = np.arange(6.0).reshape(1, 2, 3)[:, :1] + 1
    others = {name: (0.5,) for name in ('quantile', 'nanquantile')} | {name: (50,) for name in ('percentile', 'nanpercentile')}

    def outcome(xp, axis):
        a = xp.asarray(host)
        try:
            return operator.attrgetter(name)(xp)(a, *others.get(name, ()), axis=axis).shape
        except TypeError:
            return TypeError

    for axis in ([0], [0, 1], (0,), (0, 1), 0, np.int64(0), np.array(0)) + (() if name == 'expand_dims' else (np.array([0]),)):
        assert outcome(cp, axis) == outcome(np, axis), axis
    for method in {'sum', 'max', 'squeeze'} & {name}:
        for axis in ([0], np.array([0])):
            with pytest.raises(TypeError):
                getattr(cp.asarray(host), method)(axis=axis)
