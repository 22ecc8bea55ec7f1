"""Grids, splines of several variables, and scattered points, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.interpolate as ours
from interpolate_same import knots, numbers, same, same_errors

theirs = pytest.importorskip("scipy.interpolate")
from scipy.sparse.linalg import spsolve  # noqa: E402

GRID = [knots(6), knots(7)[::-1], knots(8)]
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_regular_grids(dtype):
    for rank in (1, 2, 3):
        xi = RNG.random((5, 6, rank)) * 7 - 1
        xi[0, 0] = np.nan
        xi[0, 1] = [axis[2] for axis in GRID[:rank]]
        xi[0, 2] = [(axis[2] + axis[3]) / 2 for axis in GRID[:rank]]
        for trailing in ((), (2,)):
            v = numbers(rank, (*map(len, GRID[:rank]), *trailing), dtype)
            for method in ("linear", "nearest", "slinear", "cubic", "quintic", "pchip"):
                if method == "pchip" and dtype == "c16":
                    continue
                splines = method in ("slinear", "cubic", "quintic")
                if splines and (trailing or dtype == "c16"):
                    # SciPy solves these by an iteration that stops early: below they are compared with one of each column.
                    continue
                exact = {"solver": spsolve} if splines else {}
                for fill in (np.nan, None, 3.0) if rank == 2 else (None,):
                    one = ours.RegularGridInterpolator(GRID[:rank], cp.asarray(v), method, False, fill)
                    two = theirs.RegularGridInterpolator(GRID[:rank], v, method, False, fill, **exact)
                    # SciPy's monotone polynomials of several variables raise for NaN.
                    points = xi[1:] if method == "pchip" else xi
                    same(one(points), two(points), 1e-11, (rank, trailing, method, fill))
    v = numbers(9, (6, 7, 2), "c16")
    xi = RNG.random((9, 2)) * 4
    both = ours.RegularGridInterpolator(GRID[:2], v, "cubic", False, None)(xi)
    for j in range(2):
        for part in ("real", "imag"):
            column = theirs.RegularGridInterpolator(GRID[:2], getattr(v[..., j], part).copy(), "cubic", False, None, solver=spsolve)
            same(getattr(both[:, j], part).copy(), column(xi), 1e-11)
    nu = (1, 0)
    one = ours.RegularGridInterpolator(GRID[:2], v[..., 0].real.copy(), "cubic", False, None)
    two = theirs.RegularGridInterpolator(GRID[:2], v[..., 0].real.copy(), "cubic", False, None, solver=spsolve)
    same(one(xi, nu=nu), two(xi, nu=nu), 1e-11)


def test_grids_of_other_ranks_layouts_and_dtypes():
    axes = [np.arange(n, dtype=float) for n in (2, 3, 1, 4, 2)]
    v = np.asfortranarray(numbers(1, (2, 3, 1, 4, 2)))
    xi = RNG.random((20, 5)) * [1, 2, 0, 3, 1]
    for method in ("linear", "nearest"):
        same(ours.RegularGridInterpolator(axes, cp.asarray(v, order="F"), method)(xi), theirs.RegularGridInterpolator(axes, v, method)(xi))
    many = [np.arange(2.0)] * 9
    v = numbers(2, (2,) * 9)
    points = RNG.random((3, 9))
    same(ours.RegularGridInterpolator(many, v)(points), theirs.RegularGridInterpolator(many, v)(points))
    same(
        ours.interpn((axes[1], axes[3]), np.arange(12).reshape(3, 4), ([0.5, 1.0], [[1.5], [2.25]])),
        theirs.interpn((axes[1], axes[3]), np.arange(12).reshape(3, 4), ([0.5, 1.0], [[1.5], [2.25]])),
    )
    same(ours.interpn((axes[3],), np.arange(4.0), [0.5, 2.5]), theirs.interpn((axes[3],), np.arange(4.0), [0.5, 2.5]))


def test_splines_of_several_variables():
    t = (np.r_[[0] * 3, 0.3, 0.6, [1] * 3], np.r_[[0] * 4, 0.5, [1] * 4])
    xi = RNG.random((4, 3, 2)) * 1.4 - 0.2
    for dtype in ("f8", "c16"):
        c = numbers(1, (5, 5, 2), dtype)
        one, two = (m.NdBSpline(t, c, (2, 3)) for m in (ours, theirs))
        for nu in (None, (1, 0), (1, 2)):
            for extrapolate in (True, False):
                same(one(xi, nu=nu, extrapolate=extrapolate), two(xi, nu=nu, extrapolate=extrapolate), 1e-11, nu)
        same(one.derivative((1, 1))(xi), two.derivative((1, 1))(xi), 1e-11)
    points = xi.reshape(-1, 2)
    same(ours.NdBSpline.design_matrix(points, t, (2, 3)).toarray(), theirs.NdBSpline.design_matrix(points, t, (2, 3)).toarray(), 1e-11)


def test_radial_basis_functions():
    y, x = RNG.random((40, 2)), RNG.random((15, 2))
    for kernel in ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian"):
        for neighbors, smoothing, d in ((None, 0.0, numbers(1, 40)), (None, 0.1, numbers(2, (40, 5), "c16")), (9, 0.1, numbers(3, (40, 2)))):
            one, two = (m.RBFInterpolator(y, d, neighbors, smoothing, kernel, epsilon=3.0)(x) for m in (ours, theirs))
            # The systems are ill-conditioned: both solve them with rounding errors of their own.
            same(one, two, 1e-8, (kernel, neighbors))
    for ndim in (1, 3, 4):
        y, x = RNG.random((30, ndim)), RNG.random((7, ndim))
        for degree in (-1, 0, 1, 2):
            if ndim == 4 and degree == 2:
                continue
            one, two = (
                m.RBFInterpolator(y, y[:, 0] ** 2, kernel="gaussian", epsilon=2.0, degree=degree, smoothing=np.full(30, 0.01))(x) for m in (ours, theirs)
            )
            same(one, two, 1e-8, (ndim, degree))


def test_nearest_points():
    for ndim in (2, 3, 5):
        y, x = RNG.random((300, ndim)), RNG.random((4, 10, ndim))
        for d in (numbers(1, 300), numbers(2, (300, 2), "c16")):
            for rescale in (False, True):
                same(ours.NearestNDInterpolator(y, d, rescale)(x), theirs.NearestNDInterpolator(y, d, rescale)(x))
    y, x = y[:, :2], x[..., :2]
    arguments = ([0.5, 0.2], [[0.1], [0.9]])
    same(ours.NearestNDInterpolator(y, d)(*arguments), theirs.NearestNDInterpolator(y, d)(*arguments))
    same(ours.NearestNDInterpolator(y, d)(x, distance_upper_bound=0.02), theirs.NearestNDInterpolator(y, d)(x, distance_upper_bound=0.02))


def test_errors():
    v, y, d = numbers(1, (6, 7)), RNG.random((20, 2)), numbers(2, 20)
    same_errors(
        [
            lambda m: m.RegularGridInterpolator(GRID[:2], v, "other"),
            lambda m: m.RegularGridInterpolator(GRID[:3], v),
            lambda m: m.RegularGridInterpolator(GRID[1:3], v),
            lambda m: m.RegularGridInterpolator((GRID[0], np.sin(GRID[1])), v),
            lambda m: m.RegularGridInterpolator(GRID[:2], v, fill_value=1j),
            lambda m: m.RegularGridInterpolator(GRID[:2], v)([[0.5, 99.0]]),
            lambda m: m.RegularGridInterpolator(GRID[:2], v)([[0.5, np.nan]]),
            lambda m: m.RegularGridInterpolator(GRID[:2], v)([[0.5, 1.0, 2.0]]),
            lambda m: m.RegularGridInterpolator((GRID[0][:3], GRID[1]), v[:3], "cubic"),
            lambda m: m.RegularGridInterpolator(GRID[:2], v)([[0.5, 1.0]], nu=(1, 0)),
            lambda m: m.interpn(GRID[:2], v, [[0.5, 1.0]], method="other"),
            lambda m: m.NdBSpline(([0, 0, 1, 1.0],), np.zeros(3), 1),
            lambda m: m.NdBSpline([[0, 0, 1, 1.0]], np.zeros(2), 1),
            lambda m: m.NdBSpline(([0, 0, 1, 1.0],), np.zeros(2), 1)([[0.5, 0.5]]),
            lambda m: m.RBFInterpolator(y[:, 0], d),
            lambda m: m.RBFInterpolator(y, d[:9]),
            lambda m: m.RBFInterpolator(y, d, kernel="other"),
            lambda m: m.RBFInterpolator(y, d, kernel="gaussian"),
            lambda m: m.RBFInterpolator(y, d, degree=-2),
            lambda m: m.RBFInterpolator(y, d, neighbors=2),
            lambda m: m.RBFInterpolator(y, d, smoothing=np.zeros(3)),
            lambda m: m.RBFInterpolator(y * [1, 0], d),
            lambda m: m.RBFInterpolator(y, d)(y[:, :1]),
            lambda m: m.NearestNDInterpolator(y, d[:9]),
            lambda m: m.NearestNDInterpolator(y[:, 0], d),
            lambda m: m.NearestNDInterpolator(y, d)(RNG.random((3, 3))),
        ]
    )


def test_nearest_values_of_integers_are_floats():
    from scipy import interpolate as theirs

    x, points = np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([[0.2, 0.1], [0.9, 0.3]])
    found, expected = ours.NearestNDInterpolator(cp.asarray(x), cp.arange(3)), theirs.NearestNDInterpolator(x, np.arange(3))
    for options in ({}, {'distance_upper_bound': 0.25}):
        result = found(cp.asarray(points), **options)
        assert result.dtype == expected(points, **options).dtype
        np.testing.assert_array_equal(result.get(), expected(points, **options))
