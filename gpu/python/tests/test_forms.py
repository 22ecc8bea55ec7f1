"""Tests of the forms of arguments and results in NumPy and CuPy: each call is made with NumPy and the library."""

import operator

import numpy as np
import pytest

import cuprum as cp
from cuprum import cupyx
from same import same

H = np.arange(6.0).reshape(2, 3)

CALLS = {
    "product of a vector and a number": lambda xp: xp.vecdot(xp.asarray(H), xp.array(7)),
    "close by arrays": lambda xp: xp.isclose(xp.array([1, 2.5, xp.inf, xp.nan]), xp.array([1.5, 2, xp.inf, xp.nan]), xp.array([0, 1, 0, 0]), 0.5),
    "close by an array, nan to nan": lambda xp: xp.isclose(xp.asarray(H), xp.asarray(H) * xp.nan, atol=xp.array([1.0, 2, 3]), equal_nan=True),
    "close by a number of NumPy's": lambda xp: xp.isclose(xp.float32(2**-149), xp.float32(0), atol=np.float64(2**-150)),
    "all close by arrays": lambda xp: bool(xp.allclose(xp.asarray(H), xp.asarray(H) + 1, xp.zeros(3), xp.array([1, 1, 2]))),
    "shape of booleans": lambda xp: xp.zeros((True, 3)),
    "shape of one boolean": lambda xp: xp.empty(True),
    "shape of booleans in a list": lambda xp: xp.full([2, False], 1),
    "reshape by a boolean": lambda xp: xp.reshape(xp.asarray(H), (True, -1)),
    "reshape by a boolean among others": lambda xp: xp.asarray(H).reshape(True, -1),
    "ndarray of booleans": lambda xp: xp.ndarray((True, 2)),
    "broadcast to booleans": lambda xp: xp.broadcast_to(xp.asarray(H), (True, 2, 3)),
    "arange by names": lambda xp: xp.arange(start=1, stop=4),
    "arange of a stop": lambda xp: xp.arange(stop=3),
    "ogrid": lambda xp: isinstance(xp.ogrid[0:2, 0:3], tuple),
    "mgrid of numbers of NumPy's": lambda xp: xp.mgrid[np.float64(0) : np.float64(1) : np.complex128(3j)],
    "order of another dtype": lambda xp: xp.zeros_like(xp.asarray(H).T, dtype="f4", order="A").strides,
    "order of another shape": lambda xp: xp.zeros_like(xp.ones((2, 3, 4)).transpose(2, 0, 1), shape=(5, 6, 7)).strides,
    "squeeze a scalar": lambda xp: xp.squeeze(xp.array(3), axis=-1),
    "squeeze too far": lambda xp: xp.squeeze(xp.array(3), axis=1),
    "split at an array": lambda xp: xp.split(xp.arange(6), xp.array([2, 4])),
    "trim either end": lambda xp: xp.trim_zeros(xp.array([0, 1, 0]), "B"),
    "pad each axis": lambda xp: xp.pad(xp.asarray(H), ((1,), (2,))),
    "pad by an array": lambda xp: xp.pad(xp.asarray(H), xp.array([1, 2])),
    "axes in lists of one": lambda xp: xp.tensordot(xp.asarray(H), xp.asarray(H), axes=((0,), (0,))),
    "pad by axes": lambda xp: xp.pad(xp.asarray(H), {-1: (1, 2), 0: 1}),
    "pad of another mode": lambda xp: xp.pad(xp.asarray(H), 1, "mean", constant_values=1),
    "pad of no mode": lambda xp: xp.pad(xp.asarray(H), 1, "some"),
    "stack lists of lists": lambda xp: xp.concatenate([[[1, 2]], [[3, 4]]]),
    "astype of nothing": lambda xp: xp.asarray([1]).astype(None),
    "conj of booleans": lambda xp: xp.array([True]).conj(),
    "square of booleans": lambda xp: xp.array([True, False]) ** 2,
    "powers": lambda xp: (xp.asarray(H) ** 1, xp.asarray(H) ** 0.5, (xp.asarray(H) + 1) ** -1),
    "equal to nothing": lambda xp: (xp.asarray(H) == None, xp.asarray(H) != "a"),  # noqa: E711
    "compared by a number": lambda xp: (np.float32(2) < xp.asarray(H), np.int64(2) == xp.asarray(H)),
    "one result given": lambda xp: xp.modf(xp.asarray(H) / 4, xp.zeros((2, 3))),
    "results in no tuple": lambda xp: xp.modf(xp.asarray(H), out=xp.zeros((2, 3))),
    "identity": lambda xp: (xp.add.identity, xp.multiply.identity, xp.logical_and.identity, xp.maximum.identity),
    "subok": lambda xp: xp.add(xp.asarray(H), 1, subok=True),
    "strong share": lambda xp: xp.quantile(xp.ones(3, "f4"), np.float64(0.5)),
    "norm by name": lambda xp: (xp.linalg.norm(xp.asarray(H), "fro"), xp.linalg.norm(xp.asarray(H), "nuc").round(9)),
    "norm of no name": lambda xp: xp.linalg.norm(xp.asarray(H), "some"),
    "norm of a vector": lambda xp: xp.linalg.norm(xp.ones(3), "fro"),
    "points as coordinates": lambda xp: xp.histogramdd((xp.arange(4.0), xp.arange(4.0)), bins=2),
    "edges for both axes": lambda xp: xp.histogram2d([1.0, 2], [1.0, 3], [0, 2, 4]),
    "bins of axes in an array": lambda xp: (xp.histogram2d([1.0, 2], [1.0, 3], xp.array([2, 3])), xp.histogramdd([[1.0, 2], [1, 3]], np.array([2, 3]))),
    "bins of too few axes": lambda xp: xp.histogramdd([[1.0, 2], [1, 3]], [2]),
    "ddof": lambda xp: xp.cov(xp.asarray(H), ddof=1.5),
    "ddof twice": lambda xp: xp.var(xp.asarray(H), ddof=1, correction=1),
    "polynomials": lambda xp: xp.polyadd(xp.poly1d([1, 2]), xp.array([3])).coeffs,
    "polynomial of a polynomial": lambda xp: xp.polyval(xp.array([1, 0, 2]), xp.poly1d([1, 1])).coeffs,
    "polynomial of a matrix": lambda xp: xp.poly(xp.diag(xp.array([1.0, 2.0]))).round(9),
    "series by zero": lambda xp: xp.polynomial.polynomial.polydiv(xp.array([1.0]), xp.array([0.0])),
    "no lines": lambda xp: xp.apply_along_axis(lambda a: a.sum(), 0, xp.ones((0, 2))),
    "flat in turns": lambda xp: _filled(xp.zeros((2, 3)).T),
    "empty indices": lambda xp: xp.ix_([], [1])[0],
    "membership by no way": lambda xp: xp.isin(xp.array([1]), xp.array([1]), kind="some"),
    "as it is": lambda xp: xp.lib.stride_tricks.as_strided(xp.asarray(H)),
    "unique by names": lambda xp: xp.unique_counts(xp.array([1, 1])).counts,
    "cast to no dtype": lambda xp: xp.can_cast("i4", None),
    "cast of no dtype": lambda xp: xp.can_cast(None, "i4"),
    "vecdot along axes": lambda xp: xp.vecdot(xp.asarray(H), xp.asarray(H), axes=[(0,), (0,), ()]),
    "no index before an end that is none": lambda xp: xp.asarray(H)[0.0:, 0.0],
    "an end that is none": lambda xp: xp.asarray(H)[0:, 0.0:],
    "added at the only element": lambda xp: _added_at_no_index(xp.array(3)),
    "ones in another order": lambda xp: xp.ones((2, 3), "u1", "F"),
    "zeros of truth": lambda xp: xp.zeros((0, 2), "?"),
    "flags": lambda xp: xp.ones(3).flags == xp.ones(3).flags and xp.ones((2, 2)).flags["CONTIGUOUS"],
    "ends by position": lambda xp: xp.clip(xp.arange(3), 1),
    "upper end by name": lambda xp: xp.clip(xp.arange(3), a_max=1),
    "ends of the array API": lambda xp: (xp.clip(xp.arange(3), min=1), xp.clip(xp.arange(3)), xp.arange(3).clip(1)),
    "nothing given on": lambda xp: xp.sum(xp.asarray(H), axis=0, initial=np._NoValue, where=np._NoValue, keepdims=np._NoValue),
    "results of methods in a tuple": lambda xp: (
        xp.maximum.reduce(xp.asarray(H), out=(xp.zeros(3),)),
        xp.maximum.accumulate(xp.asarray(H), out=(xp.zeros((2, 3)),)),
        xp.maximum.reduceat(xp.asarray(H), [0], out=(xp.zeros((1, 3)),)),
    ),
    "results of methods in too large a tuple": lambda xp: xp.maximum.reduce(xp.asarray(H), out=(xp.zeros(3),) * 2),
    "no mask": lambda xp: (xp.max(xp.asarray(H), where=True), xp.asarray(H).min(0, where=True), xp.maximum.reduce(xp.asarray(H), where=True)),
    "mask without an initial value": lambda xp: xp.max(xp.asarray(H), where=xp.array(True)),
    "mask in a list": lambda xp: xp.add(xp.asarray(H), 1, out=xp.zeros((2, 3)), where=[[1], [0]]),
    "mask of a reduction in a list": lambda xp: xp.add.reduce(xp.asarray(H), where=[1, 0, 1]),
    "mask of integers": lambda xp: xp.add(xp.asarray(H), 1, out=xp.zeros((2, 3)), where=xp.array([1, 0, 1])),
    "results in too large a tuple": lambda xp: xp.add(xp.asarray(H), 1, out=(xp.zeros((2, 3)),) * 2),
    "modes by number": lambda xp: (xp.correlate(xp.ones(3), xp.ones(2), 2), xp.convolve(xp.ones(3), xp.ones(2), mode=1)),
    "mode beyond": lambda xp: xp.convolve(xp.ones(3), xp.ones(2), -1),
    "window of a float": lambda xp: (xp.hanning(5.0), xp.kaiser(np.array(4.0), 2.5).round(9), xp.bartlett(np.float32(3))),
    "share of truth": lambda xp: (xp.quantile(xp.array([1.0, 2]), False), xp.percentile(xp.array([1.0, 2]), True)),
    "count nothing": lambda xp: (xp.bincount([]), xp.bincount([], minlength=3)),
    "insert at floats": lambda xp: xp.insert(xp.arange(3), xp.array([1.0, 2.0]), [7, 8]),
    "insert at no floats": lambda xp: xp.insert(xp.arange(3), xp.array([], dtype=float), []),
    "delete at no floats": lambda xp: xp.delete(xp.arange(3), xp.array([], dtype=float)),
    "delete at a boolean": lambda xp: xp.delete(xp.arange(3), True),
    "delete by too few": lambda xp: xp.delete(xp.arange(5), [False] * 4),
    "insert nothing": lambda xp: xp.insert(xp.arange(3), [], 9),
    "insert at indices": lambda xp: (xp.insert(xp.arange(3), [1, -1], 9), xp.insert(xp.arange(3), slice(0, 2), 9)),
    "delete a slice of columns": lambda xp: xp.delete(xp.asfortranarray(xp.asarray(H)), slice(0, None, 2), 0).strides,
    "delete slices": lambda xp: [xp.delete(xp.asarray(H), s, axis) for s in (slice(None, None, -2), slice(1, -1), slice(9, 9)) for axis in (None, 0, -1)],
    "delete a slice without a step": lambda xp: xp.delete(xp.asarray(H), slice(0, 2, 0)),
    "delete a slice of no axis": lambda xp: xp.delete(xp.asarray(H), slice(0, 2), 5),
    "delete at floats": lambda xp: xp.delete(xp.arange(3), [1.0, 2.0]),
    "delete at rows of indices": lambda xp: (xp.delete(xp.arange(5), [[0, 1], [2, 1]]), xp.delete(xp.arange(5), xp.array([[0, 1], [2, 1]]))),
    "delete nothing": lambda xp: xp.delete(xp.arange(5), []),
    "delete by truth": lambda xp: xp.delete(xp.arange(3), [True, False, True]),
    "stack a generator": lambda xp: xp.hstack(xp.ones(1) for _ in range(2)),
    "stack rows of a generator": lambda xp: xp.vstack(xp.ones(1) for _ in range(2)),
    "stack an array": lambda xp: (xp.vstack(xp.asarray(H)), xp.column_stack(xp.asarray(H))),
    "pieces by one condition": lambda xp: xp.piecewise(xp.array([1, 2]), [True, False], [7]),
    "pieces of a number": lambda xp: xp.piecewise(xp.array(3), [True, False], [4, 5]),
    "pieces by conditions": lambda xp: xp.piecewise(xp.array([0, 1.0]), [xp.array([True, False]), xp.array([False, True])], [1, 2]),
    "requirements": lambda xp: xp.require(xp.broadcast_to(xp.ones(3), (2, 3)), None, ["W", "A", "E"]).flags.writeable,
    "weights in rows": lambda xp: xp.cov(xp.asarray(H), fweights=xp.ones((2, 3), int)),
    "too many weights": lambda xp: xp.cov(xp.asarray(H), aweights=xp.ones(4)),
    "weights": lambda xp: xp.cov(xp.asarray(H), rowvar=False, aweights=xp.ones(2)),
    "dtypes of another byte order": lambda xp: (xp.promote_types(">i4", "?"), xp.can_cast(">i4", "<i4", "no"), xp.result_type(np.dtype(">f4"), 3)),
    "dtypes that no array has": lambda xp: (xp.promote_types("M8[s]", "M8[ms]"), xp.can_cast("i4", "O")),
    "condition by name": lambda xp: (xp.linalg.cond(xp.diag(xp.array([1.0, 4])), "fro"), xp.linalg.cond(xp.diag(xp.array([1.0, 4])), "nuc")),
    "condition of singular matrices": lambda xp: xp.linalg.cond(xp.stack([xp.zeros((2, 2)), xp.eye(2), xp.array([[1.0, 2], [2, 4]])]), 1),
    "condition of nothing but zeros": lambda xp: (xp.linalg.cond(xp.zeros((2, 2))), xp.linalg.cond(xp.zeros((2, 2)), -2)),
    "conditions of no matrices": lambda xp: [xp.linalg.cond(xp.ones((0, 3, 3)), p) for p in (None, -2, 1, "fro")],
    "smallest dtypes": lambda xp: [xp.mintypecode(of) for of in ("fd", ["f", "F"], ["i", "e"], [xp.ones(2, "F"), "d"], ["f8"], [])],
    "norms of what is broadcast": lambda xp: [
        xp.linalg.norm(xp.broadcast_to(xp.ones((1, 4, 1), t), (3, 4, 2)), p, axis=2).strides for t in ("i1", "f8") for p in (None, 1, 2, xp.inf)
    ],
    "no condition": lambda xp: xp.linalg.cond(xp.eye(2), "some"),
    "singular hermitian matrix": lambda xp: abs(xp.linalg.svd(xp.diag(xp.array([0.0, -3])), hermitian=True)[2]),
    "vectors in lists": lambda xp: (xp.linalg.cross([1, 2, 3], [4, 5, 6]), xp.linalg.outer([1, 2], [3, 4]), xp.linalg.vector_norm([3.0, 4])),
    "norms of no rows": lambda xp: (xp.linalg.matrix_norm(xp.zeros((0, 2)), ord=2), xp.linalg.norm(xp.zeros((2, 0)), np.inf)),
    "least norm of no columns": lambda xp: xp.linalg.norm(xp.zeros((2, 0)), -1),
    "blocks": lambda xp: xp.block([[xp.ones((2, 2)), xp.zeros((2, 1))], [xp.ones((1, 3))]]),
    "block of nothing": lambda xp: xp.block([]),
    "block of empty rows": lambda xp: xp.block([[], []]),
    "block of unlike depths": lambda xp: xp.block([xp.ones(2), [xp.ones(2)]]),
    "block of a tuple": lambda xp: xp.block((xp.ones(2), xp.ones(2))),
    "block of a tuple in a list": lambda xp: xp.block([xp.ones(2), (xp.ones(2),)]),
    "block of an array": lambda xp: (xp.block(xp.asarray(H)), xp.block(1)),
    "fold nothing to nothing": lambda xp: xp.subtract.reduce(xp.zeros((0, 0)), axis=1),
    "extreme of nothing for nothing": lambda xp: xp.maximum.reduce(xp.zeros((0, 0, 5)), axis=1),
    "no extremes": lambda xp: (xp.maximum.reduce(xp.zeros((0, 5)), axis=1), xp.divide.reduce(xp.zeros((0, 0, 5)), axis=1, initial=1)),
    "copy of no class": lambda xp: xp.copy(xp.asarray(H), subok=False),
    "finite in an order": lambda xp: xp.asarray_chkfinite([[1, 2], [3, 4]], dtype="f4", order="F").strides,
    "indices and elements": lambda xp: [(at, float(x)) for at, x in xp.ndenumerate(xp.asarray(H))],
    "broadcast too many": lambda xp: xp.broadcast(*[xp.ones(1)] * 65),
    "power of a series": lambda xp: (xp.polynomial.Polynomial([1, 2]) ** 2.0).coef,
    "broken power of a series": lambda xp: xp.polynomial.Polynomial([1, 2]) ** 1.5,
    "product in place": lambda xp: operator.imatmul(xp.ones((2, 2)), xp.asarray(H)[:, :2]),
    "product of vectors in place": lambda xp: operator.imatmul(xp.ones(3), xp.ones(3)),
    "product with a vector in place": lambda xp: operator.imatmul(xp.ones((3, 3)), xp.ones(3)),
    "partition in NumPy's way": lambda xp: (
        xp.partition(xp.array([3, 1, 2]), 1, kind="introselect"),
        xp.argpartition(xp.array([3, 1, 2]), 1, kind="introselect"),
    ),
    "method of partition in NumPy's way": lambda xp: xp.array([3, 1, 2]).argpartition(1, kind="introselect"),
    "partition by quicksort": lambda xp: xp.partition(xp.array([3, 1, 2]), 1, kind="quicksort"),
    "argpartition by quicksort": lambda xp: xp.array([3, 1, 2]).argpartition(1, kind="quicksort"),
    "partition by a number": lambda xp: xp.partition(xp.array([3, 1, 2]), 1, kind=1),
    "partition in no way": lambda xp: xp.asarray([3, 1, 2]).partition(1, kind="some"),
    "names of flags": lambda xp: [getattr(xp.asarray(H).T.flags, name) for name in ("contiguous", "fortran", "aligned", "forc")],
    "flags by names": lambda xp: [xp.asarray(H).flags[name] for name in ("A", "ALIGNED", "FORTRAN")],
    "more axes than there can be": lambda xp: xp.ones((1,) * 10)[(xp.zeros((1,) * 60, int),) * 2],
    "chained as a sequence": lambda xp: operator.concat(xp.ones(2), xp.ones(2)),
}


def _added_at_no_index(a):
    (np if isinstance(a, np.ndarray) else cp).add.at(a, (), 1)
    return a


def _filled(a):
    a.flat[:] = [1, 2]
    return a


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_as_in_numpy(call):
    same(call)


def test_the_imaginary_part_of_real_arrays_has_the_layout_of_new_zeros():
    for a in (cp.ones((2, 3)), cp.ones((2, 3)).T):
        assert a.imag.flags.forc and cp.imag(a).strides == a.strides


def test_sizes_of_axes():
    a = cp.ones((2, 3, 4))
    assert [cp.size(a), cp.size(a, 1), cp.size(a, (0, -1)), cp.size(a, ())] == [24, 3, 8, 1]
    with pytest.raises(np.exceptions.AxisError):
        cp.size(a, 3)
    with pytest.raises(ValueError, match="twice"):
        cp.size(a, (0, -3))


def test_integers_beyond_all_dtypes_are_named():
    with pytest.raises(OverflowError, match=f"integer {2**200} is out of bounds for int64"):
        cp.arange(3) + 2**200
    with pytest.raises(OverflowError, match=f"integer {2**200} has more than 128 bits"):
        cp.sqrt(2**200)


def test_options_are_named_as_in_python():
    with pytest.raises(ValueError, match="begin with by `initial`"):
        cp.divide.reduce(cp.ones((0, 3)))


def test_an_output_by_position():
    a, out = cp.arange(3.0), cp.zeros(3)
    assert cp.add(a, a, out) is out and out.tolist() == [0, 2, 4]
    assert cp.add(a, 1, None) is not out and cp.add(a, a, **{}).tolist() == [0, 2, 4]
    with pytest.raises(TypeError):
        cp.add(a, a, np.zeros(3))


def test_frequencies_have_a_dtype():
    assert cp.fft.fftfreq(4, dtype=cp.float32).dtype == cp.fft.rfftfreq(4, dtype=cp.float32).dtype == np.float32


def test_a_dtype_of_no_numbers_is_a_value():
    for rejected in (lambda: cp.array(np.array([None])), lambda: cp.zeros(2, "S3"), lambda: cp.array("text")):
        with pytest.raises(ValueError, match="Unsupported dtype"):
            rejected()


def test_a_function_pads():
    def ends(line, width, axis, options):
        line[: width[0]] = options["fill"]
        line[len(line) - width[1] :] = axis

    expected = np.pad(H, ((1, 0), (0, 2)), ends, fill=7)
    assert cp.pad(cp.asarray(H), ((1, 0), (0, 2)), ends, fill=7).tolist() == expected.tolist()


def test_indices_are_checked_where_cupy_synchronizes():
    for rejected in (
        lambda: cp.unravel_index(cp.array([6]), (2, 3)),
        lambda: cp.ravel_multi_index((cp.array([2]), cp.array([0])), (2, 3)),
        lambda: cp.choose(cp.array([2]), [cp.ones(1), cp.ones(1)]),
    ):
        with pytest.raises(ValueError):
            rejected()


def test_errors_of_matrices_when_a_program_asks():
    singular = cp.zeros((2, 2))
    with cupyx.errstate(linalg="raise"):
        for rejected in (cp.linalg.inv, cp.linalg.cholesky):
            with pytest.raises(np.linalg.LinAlgError):
                rejected(singular)
        with cupyx.errstate(linalg="ignore"):
            cp.linalg.inv(singular)
        assert cupyx.geterr()["linalg"] == "raise"
    cp.cuda.Device().synchronize()
