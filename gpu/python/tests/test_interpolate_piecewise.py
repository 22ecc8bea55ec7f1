"""Piecewise polynomials in one and several variables, and cubic interpolants, compared with SciPy's."""

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.interpolate as ours
from interpolate_same import knots, numbers, same, same_errors

theirs = pytest.importorskip("scipy.interpolate")

X = knots(9)
# Points inside, at knots, outside, and NaN.
POINTS = np.concatenate([X, X[:-1] + 0.3, [X[0] - 0.7, X[-1] + 1.9, np.nan]])
BOUNDARIES = ["not-a-knot", "natural", "clamped", "periodic", ((1, 0.3), (2, 0.1)), ("not-a-knot", (1, -0.2))]


def conditions(bc, shape):
    if isinstance(bc, str):
        return bc
    return tuple(c if isinstance(c, str) else (c[0], np.full(shape, c[1])) for c in bc)


@pytest.mark.parametrize("shape, dtype", [((9,), "f8"), ((9,), "f4"), ((9, 2), "c16"), ((9, 2, 2), "f8")])
def test_cubic_splines(shape, dtype):
    for bc in BOUNDARIES:
        y = numbers(2, shape, dtype)
        if bc == "periodic":
            y[-1] = y[0]
        bc = conditions(bc, shape[1:])
        one, two = ours.CubicSpline(X, cp.asarray(y), bc_type=bc), theirs.CubicSpline(X, y, bc_type=bc)
        same(one.c, two.c, about=bc)
        assert one.extrapolate == two.extrapolate
        for nu, extrapolate in ((0, None), (1, False), (2, "periodic"), (4, True)):
            same(one(POINTS, nu, extrapolate), two(POINTS, nu, extrapolate), about=(bc, nu))


def test_short_and_long_cubic_splines():
    for n in (2, 3, 4):
        for bc in [*BOUNDARIES, ("not-a-knot", "natural")]:
            y = numbers(n, n)
            if bc == "periodic":
                y[-1] = y[0]
            bc = conditions(bc, ())
            same(ours.CubicSpline(X[:n], y, bc_type=bc).c, theirs.CubicSpline(X[:n], y, bc_type=bc).c, about=(n, bc))
    x, y = knots(1000), numbers(5, 1000)
    for bc in ("not-a-knot", "natural"):
        same(ours.CubicSpline(x, y, bc_type=bc).c, theirs.CubicSpline(x, y, bc_type=bc).c)
    # The spline through a cubic polynomial is the polynomial.
    cubic = np.polynomial.Polynomial([1, -2, 0.5, 0.25])
    np.testing.assert_allclose(cp.asnumpy(ours.CubicSpline(X, cubic(X))(POINTS[:-1])), cubic(POINTS[:-1]), rtol=1e-12)


def test_axes_of_values_and_points():
    y = numbers(3, (2, 9, 3))
    for axis in (1, -2):
        for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator"):
            one, two = (getattr(m, name)(X, y, axis=axis) for m in (ours, theirs))
            for points in (1.5, POINTS[:6].reshape(2, 3)):
                same(one(points), two(points), about=name)
            same(one.derivative()(POINTS[:4]), two.derivative()(POINTS[:4]))
            same(one.integrate(0.5, 3.0), two.integrate(0.5, 3.0))


def test_hermite_and_local_interpolants():
    for shape in ((9,), (9, 2)):
        y, slopes = numbers(6, shape), numbers(7, shape)
        y[3] = y[4]
        same(ours.CubicHermiteSpline(X, y, slopes).c, theirs.CubicHermiteSpline(X, y, slopes).c)
        same(ours.PchipInterpolator(X, y).c, theirs.PchipInterpolator(X, y).c)
        for method in ("akima", "makima"):
            one, two = (m.Akima1DInterpolator(X, y, method=method) for m in (ours, theirs))
            same(one.c, two.c, about=method)
            same(one(POINTS), two(POINTS))
        same(ours.PchipInterpolator(X[:2], y[:2]).c, theirs.PchipInterpolator(X[:2], y[:2]).c)
        same(ours.pchip_interpolate(X, y, POINTS, 1), theirs.pchip_interpolate(X, y, POINTS, 1))
        same(ours.pchip_interpolate(X, y, POINTS, [0, 2])[1], theirs.pchip_interpolate(X, y, POINTS, [0, 2])[1])


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
def test_polynomials_of_intervals(name):
    for k, falling, dtype in ((0, False, "f8"), (1, True, "f8"), (3, False, "c16"), (5, True, "f8"), (8, False, "f8")):
        c, x = numbers(k, (k + 1, 8, 2), dtype), X[::-1] if falling else X
        one, two = (getattr(m, name)(c, x) for m in (ours, theirs))
        points = POINTS if name == "PPoly" else POINTS[:-3]
        for nu in sorted({0, min(k, 1), min(k, 3)}):
            for extrapolate in (False, True, "periodic"):
                same(one(points, nu, extrapolate), two(points, nu, extrapolate), 1e-11, (k, falling, nu, extrapolate))
        for nu in (1, 2):
            same(one.derivative(nu).c, two.derivative(nu).c, 1e-11)
            same(one.antiderivative(nu).c, two.antiderivative(nu).c, 1e-11)
        if not falling:
            for limits in ((X[1], X[5]), (X[5], X[1]), (X[0], X[-1]), (0.2, 0.2)):
                same(one.integrate(*limits), two.integrate(*limits), 1e-11, limits)
            same(one.integrate(-3.0, 17.2, "periodic"), two.integrate(-3.0, 17.2, "periodic"), 1e-11)
        longer = numbers(8, (k + 2, 2, 2), dtype)
        more = x[-1] + np.array([1, 2.0]) * (-1 if falling else 1)
        one.extend(longer, more)
        two.extend(longer, more)
        same(one.c, two.c)
        same(one.x, two.x)


def test_conversions_of_polynomials():
    c = numbers(9, (4, 8, 2))
    same(ours.BPoly.from_power_basis(ours.PPoly(c, X)).c, theirs.BPoly.from_power_basis(theirs.PPoly(c, X)).c)
    same(ours.PPoly.from_bernstein_basis(ours.BPoly(c, X)).c, theirs.PPoly.from_bernstein_basis(theirs.BPoly(c, X)).c, 1e-11)
    derivatives = [[1, 2, 3.0], [2, 1.0], [0, 1, 2, 3.0], [5.0, 4.0]]
    for orders in (None, 3, [2, 3, 2]):
        same(ours.BPoly.from_derivatives([0, 1, 3, 4], derivatives, orders).c, theirs.BPoly.from_derivatives([0, 1, 3, 4], derivatives, orders).c)


def test_roots():
    for k in (1, 2, 3, 5):
        c = numbers(k, (k + 1, 8, 2))
        for y in (0.0, 0.25):
            for extrapolate in (True, False):
                one, two = (m.PPoly(c, X).solve(y, extrapolate=extrapolate) for m in (ours, theirs))
                for j in range(2):
                    # Those of an interval are in increasing order, which SciPy's are not.
                    same(cp.sort(one[j]), np.sort(two[j]), 1e-9, (k, y))
        for discontinuity in (True, False):
            one, two = (m.PPoly(c[..., 0], X).roots(discontinuity) for m in (ours, theirs))
            same(cp.sort(one), np.sort(two), 1e-9)
    y = np.sin(X)
    same(ours.CubicSpline(X, y).roots(), theirs.CubicSpline(X, y).roots(), 1e-10)


def test_polynomials_of_several_variables():
    c, axes = numbers(1, (3, 4, 5, 6, 2)), (knots(6), knots(7))
    xi = np.random.default_rng(1).random((4, 3, 2)) * 8 - 1
    for dtype in (float, complex):
        one, two = (m.NdPPoly(c.astype(dtype), axes) for m in (ours, theirs))
        for nu in (None, (1, 0), (1, 2), (4, 0)):
            for extrapolate in (True, False):
                same(one(xi, nu, extrapolate), two(xi, nu, extrapolate), 1e-11, nu)
    one, two = ours.NdPPoly(c, axes), theirs.NdPPoly(c, axes)
    same(one.derivative((1, 1)).c, two.derivative((1, 1)).c)
    same(one.antiderivative((1, 2)).c, two.antiderivative((1, 2)).c, 1e-11)
    same(one.integrate(((0.3, 2.5), (1.2, 0.4))), two.integrate(((0.3, 2.5), (1.2, 0.4))), 1e-11)
    same(one.integrate_1d(0.3, 2.5, 1).c, two.integrate_1d(0.3, 2.5, 1).c, 1e-11)


def test_barycentric_and_newton_polynomials():
    nodes = np.cos(np.arange(9) * np.pi / 8)
    points = np.append(np.linspace(-1, 1, 11), nodes[3]).reshape(3, 4)
    for y in (numbers(1, 9), numbers(2, (9, 2), "c16")):
        one, two = (m.BarycentricInterpolator(nodes, y) for m in (ours, theirs))
        same(one(points), two(points))
        same(one.derivative(points, 2), two.derivative(points, 2), 1e-11)
        same(one.derivatives(points, 3), two.derivatives(points, 3), 1e-11)
        same(ours.barycentric_interpolate(nodes, y, points, der=[0, 1]), theirs.barycentric_interpolate(nodes, y, points, der=[0, 1]), 1e-11)
        one.add_xi([0.05], y[:1])
        two.add_xi([0.05], y[:1])
        same(one(points), two(points), 1e-11)
        for x in (nodes, np.array([0, 0, 0, 1, 1, 2, 3, 3, 3.0]) / 3):
            one, two = (m.KroghInterpolator(x, y) for m in (ours, theirs))
            same(one(points), two(points), 1e-11)
            same(one.derivatives(points), two.derivatives(points), 1e-9)
            same(one.derivative(points, 2), two.derivative(points, 2), 1e-10)
            same(ours.krogh_interpolate(x, y, points, [0, 2]), theirs.krogh_interpolate(x, y, points, [0, 2]), 1e-10)


def test_errors():
    y = numbers(4, 9)
    same_errors(
        [
            lambda m: m.CubicSpline(X, y[:8]),
            lambda m: m.CubicSpline(X[::-1], y),
            lambda m: m.CubicSpline(X, np.where(y == y[2], np.nan, y)),
            lambda m: m.CubicSpline(X, y, bc_type="open"),
            lambda m: m.CubicSpline(X, y, bc_type="periodic"),
            lambda m: m.CubicSpline(X, y, bc_type=((3, 0.0), "natural")),
            lambda m: m.CubicSpline(X, y, bc_type=((1, [0.0]), "natural")),
            lambda m: m.CubicSpline(X + 0j, y),
            lambda m: m.PchipInterpolator(X, y + 0j),
            lambda m: m.Akima1DInterpolator(X, y, method="other"),
            lambda m: m.Akima1DInterpolator(X, y).extend(np.zeros((4, 1)), [20.0]),
            lambda m: m.PPoly(np.zeros((2, 7)), X),
            lambda m: m.PPoly(np.zeros(8), X),
            lambda m: m.PPoly(np.zeros((2, 8)), X, axis=1),
            lambda m: m.PPoly(np.zeros((2, 8)), np.sin(X)),
            lambda m: m.PPoly(np.zeros((2, 8)), X)(X, -1),
            lambda m: m.PPoly(np.zeros((2, 8), complex), X).roots(),
            lambda m: m.PPoly(np.zeros((2, 8)), X).extend(np.zeros((2, 1)), [X[3]]),
            lambda m: m.BPoly.from_derivatives([0, 1], [1.0, 2.0]),
            lambda m: m.BPoly.from_derivatives([0, 1], [[1.0], [2.0]], 4),
            lambda m: m.NdPPoly(np.zeros((2, 2, 3)), (X, X)),
            lambda m: m.BarycentricInterpolator(X, y[:3]),
            lambda m: m.KroghInterpolator(X, y[:3]),
        ]
    )


def test_polynomials_at_scalars():
    from scipy import interpolate as theirs

    x, y = np.arange(5.0), np.array([1.0, 3, 2, 5, 4])
    for name in ('BarycentricInterpolator', 'KroghInterpolator'):
        found, expected = getattr(ours, name)(cp.asarray(x), cp.asarray(y)), getattr(theirs, name)(x, y)
        for point in (0.5, 1, np.float32(2.5), np.array(1.5)):
            assert found(point).shape == ()
            np.testing.assert_allclose(found(point).get(), expected(point), rtol=1e-12)
            np.testing.assert_allclose(found.derivative(point).get(), expected.derivative(point), rtol=1e-9)


def test_polynomials_of_one_variable_that_is_left():
    from scipy import interpolate as theirs

    c, x, y = np.arange(1.0, 2 * 3 * 2 * 4 + 1).reshape(2, 3, 2, 4), np.arange(3.0), np.arange(5.0)
    points = np.array([0.5, 1.5, 1.75])
    found = ours.NdPPoly(cp.asarray(c), (cp.asarray(x), cp.asarray(y))).integrate_1d(0, 1, 1)
    expected = theirs.NdPPoly(c, (x, y)).integrate_1d(0, 1, 1)
    np.testing.assert_allclose(found(points).get(), expected(points), rtol=1e-12)


def test_barycentric_points_are_distinct():
    for points in ([0.0, 1, 1, 2], [2.0, 0, 2]):
        with pytest.raises(ValueError, match='distinct'):
            ours.BarycentricInterpolator(cp.asarray(points), cp.ones(len(points)))
