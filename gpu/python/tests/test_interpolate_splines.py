"""B-splines, their construction, smoothing splines and `interp1d`, compared with SciPy's."""

import warnings

import numpy as np
import pytest

import cuprum as cp
import cuprum.cupyx.scipy.interpolate as ours
from interpolate_same import knots, numbers, same, same_errors

theirs = pytest.importorskip("scipy.interpolate")
SCIPY = tuple(int(part) for part in pytest.importorskip("scipy").__version__.split(".")[:2])

X = knots(15)
POINTS = np.concatenate([X, X[:-1] + 0.3, [X[0] - 0.7, X[-1] + 1.9, np.nan]])


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_interpolating_splines(dtype):
    for k in (0, 1, 2, 3, 4, 5, 7):
        for bc in (None, "periodic", "natural", "clamped", "pairs"):
            if bc and (k < 2 or (k != 3 and bc != "periodic") or (bc == "periodic" and dtype == "c16")):
                continue
            y = numbers(k, (15, 2), dtype)
            if bc == "periodic":
                y[-1] = y[0]
            if bc == "pairs":
                bc = ([(1, np.full(2, 0.3))], [(2, np.full(2, 0.1))])
            one, two = (m.make_interp_spline(X, y, k, bc_type=bc) for m in (ours, theirs))
            same(one.t, two.t, about=(k, bc))
            same(one.c, two.c, 1e-11 if k < 6 else 1e-9, (k, bc))
            two.c = np.ascontiguousarray(cp.asnumpy(one.c))
            for nu in sorted({0, min(k, 1), k}):
                for extrapolate in (True, False, "periodic"):
                    same(one(POINTS, nu, extrapolate), two(POINTS, nu, extrapolate), 1e-11, (k, bc, nu, extrapolate))
            if k:
                same(one.derivative().c, two.derivative().c, 1e-11)
            same(one.antiderivative(2).c, two.antiderivative(2).c, 1e-11)
    for n in (4, 5, 6, 40):
        y = np.append(numbers(n, n - 1), 0)
        y[-1] = y[0]
        x = knots(n)
        same(ours.make_interp_spline(x, y, 3, bc_type="periodic").c, theirs.make_interp_spline(x, y, 3, bc_type="periodic").c, 1e-11, n)
    x, y = knots(700), numbers(3, (2, 700))
    for k in (3, 4, 5):
        same(ours.make_interp_spline(x, y, k, axis=1)(x[:50] + 0.1), theirs.make_interp_spline(x, y, k, axis=1)(x[:50] + 0.1), 1e-11)


def test_knots_integrals_and_conversions():
    y = numbers(1, 15)
    for k in (1, 2, 3, 5):
        one, two = (m.make_interp_spline(X, y, k) for m in (ours, theirs))
        for limits in ((0.5, 3.1), (3.1, 0.5), (-1, 33.0)):
            for extrapolate in (True, False):
                same(one.integrate(*limits, extrapolate), two.integrate(*limits, extrapolate), 1e-11, (k, limits))
        same(ours.PPoly.from_spline(one).c, theirs.PPoly.from_spline(two).c, 1e-11)
        same(ours.BSpline.design_matrix(X, one.t, k).toarray(), theirs.BSpline.design_matrix(X, two.t, k).toarray())
        for m in (1, 2):
            more = one.insert_knot(2.2, m), two.insert_knot(2.2, m)
            same(more[0].t, more[1].t)
            same(more[0].c, more[1].c, 1e-11)
        for ext in (0, 1, 3):
            tck = tuple(cp.asnumpy(part) for part in one.tck[:2])
            same(ours.splev(POINTS[:-1], (*one.tck,), 1, ext), theirs.splev(POINTS[:-1], (*tck, k), 1, ext), 1e-11)
        padded = (tck[0], np.append(tck[1], np.zeros(k + 1)), k)
        for name in ("splder", "splantider"):
            for one_of, two_of in zip(getattr(ours, name)(padded, 1)[:2], getattr(theirs, name)(padded, 1)[:2]):
                same(one_of, two_of, 1e-11)
    one, two = (m.BSpline.basis_element([0, 1, 2, 3.5, 4], False) for m in (ours, theirs))
    same(one(POINTS), two(POINTS))
    for bc in ("not-a-knot", "natural", "clamped", "periodic"):
        y[-1] = y[0]
        one, two = (m.BSpline.from_power_basis(m.CubicSpline(X, y, bc_type=bc), bc) for m in (ours, theirs))
        same(one(POINTS), two(POINTS), 1e-11, bc)


def test_least_squares():
    x = np.sort(np.random.default_rng(1).random(200)) * 10
    w = 0.5 + np.random.default_rng(2).random(200)
    for k in (1, 2, 3, 5):
        t = np.r_[[x[0]] * (k + 1), np.linspace(1, 9, 6), [x[-1]] * (k + 1)]
        for weights, y in ((None, numbers(1, (200, 2))), (w, numbers(2, 200)), (w, numbers(3, 200, "c16"))):
            same(ours.make_lsq_spline(x, y, t, k, weights).c, theirs.make_lsq_spline(x, y, t, k, weights).c, 1e-11, k)
            if weights is not None and y.dtype.kind == "f":
                one, two = (m.LSQUnivariateSpline(x, y, t[k + 1 : -k - 1], weights, k=k) for m in (ours, theirs))
                same(one.get_coeffs(), two.get_coeffs(), 1e-11)
                assert abs(one.get_residual() / two.get_residual() - 1) < 1e-11


@pytest.mark.skipif(SCIPY >= (1, 18), reason="SciPy selects other knots since 1.18")
def test_smoothing_splines():
    x = knots(40)
    y = np.sin(x) + 0.1 * numbers(1, 40)
    w = 0.5 + np.random.default_rng(2).random(40)
    points = np.append(x[:-1] + 0.3, [-1.0, 99.0])
    for k in (1, 2, 3, 5):
        for s in (None, 0, 0.2, 2.0):
            for weights in (None, w) if k == 3 else (w,):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    one, two = (m.UnivariateSpline(x, y, weights, k=k, s=s) for m in (ours, theirs))
                same(one.get_knots(), two.get_knots(), about=(k, s))
                same(one.get_coeffs(), two.get_coeffs(), 1e-8, (k, s))
                for ext in (0, 1, 3):
                    same(one(points, ext=ext), two(points, ext=ext), 1e-8)
                assert abs(one.get_residual() - two.get_residual()) <= 1e-8
                same(one.derivative()(points), two.derivative()(points), 1e-8)
                assert abs(one.integral(1, 7.5) / two.integral(1, 7.5) - 1) < 1e-8
        one, two = (m.InterpolatedUnivariateSpline(x, y, k=k) for m in (ours, theirs))
        same(one.get_coeffs(), two.get_coeffs(), 1e-11)
        same(one.antiderivative()(points), two.antiderivative()(points), 1e-11)
        same(one.derivatives(2.5), two.derivatives(2.5), 1e-11)
    same(ours.InterpolatedUnivariateSpline(x, y).roots(), theirs.InterpolatedUnivariateSpline(x, y).roots(), 1e-9)
    for arguments in ({}, {"s": 0.3}, {"w": w}, {"k": 5, "s": 0.1}, {"task": -1, "t": [5.0, 11.0]}):
        one, two = (m.splrep(x, y, **arguments) for m in (ours, theirs))
        same(one[0], two[0], about=arguments)
        same(one[1], two[1], 1e-8, arguments)
    one = ours.UnivariateSpline(x, y)
    one.set_smoothing_factor(0.5)
    same(one(points), theirs.UnivariateSpline(x, y, s=0.5)(points), 1e-8)


def test_interp1d():
    every = [("f8", fill) for fill in (np.nan, "extrapolate", (-1, -2), 7.0)] + [("f4", np.nan), ("c16", (-1, -2)), ("i8", "extrapolate")]
    for kind in ("linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous", "next", 4):
        for dtype, fill in every:
            y = numbers(5, (15, 2), dtype)
            one, two = (m.interp1d(X[::-1], y, kind, axis=0, fill_value=fill, bounds_error=False) for m in (ours, theirs))
            # SciPy subtracts values of float32 in float32.
            same(one(POINTS), two(POINTS), 1e-6 if dtype == "f4" else 1e-11, (kind, dtype, fill))
    y = numbers(6, (2, 15))
    same(ours.interp1d(X, y)(POINTS[:6].reshape(2, 3)), theirs.interp1d(X, y)(POINTS[:6].reshape(2, 3)))


def test_errors():
    y, t = numbers(4, 15), np.r_[[X[0]] * 4, X[2:-2], [X[-1]] * 4]
    same_errors(
        [
            lambda m: m.BSpline(t, y[:9], 3),
            lambda m: m.BSpline(t[::-1], y, 3),
            lambda m: m.BSpline(t, y, -1),
            lambda m: m.BSpline(t[:5], y, 3),
            lambda m: m.BSpline(np.full(8, 1.0), y, 3),
            lambda m: m.BSpline(t, y, 3)(X, -1),
            lambda m: m.BSpline.design_matrix(POINTS[:-1], t, 3),
            lambda m: m.BSpline.design_matrix(np.array([X[0], np.nan]), t, 3, True),
            lambda m: m.interp1d(X[[0, 0, 1]], y[:3], "zero"),
            lambda m: m.interp1d(X[[1, 0, 2]], y[:3], "zero", assume_sorted=True),
            lambda m: m.make_interp_spline(X, y[:9]),
            lambda m: m.make_interp_spline(X[::-1], y),
            lambda m: m.make_interp_spline(X, y, bc_type="periodic"),
            lambda m: m.make_interp_spline(X, y, bc_type="open"),
            lambda m: m.make_interp_spline(X, y, 3, t[:-1]),
            lambda m: m.make_interp_spline(X, y, 3, t, bc_type="natural"),
            lambda m: m.make_interp_spline(np.r_[0, X[1:]], np.r_[np.nan, y[1:]]),
            lambda m: m.make_lsq_spline(X, y, np.r_[[X[0] + 1] * 4, [X[-1]] * 4]),
            lambda m: m.make_lsq_spline(X, y[:3], t),
            lambda m: m.splder((t, np.append(y, np.zeros(4)), 3), 4),
            lambda m: m.UnivariateSpline(X, y, k=6),
            lambda m: m.UnivariateSpline(X[::-1], y),
            lambda m: m.UnivariateSpline(X, y, s=-1),
            lambda m: m.UnivariateSpline(X, y, ext=4),
            lambda m: m.LSQUnivariateSpline(X, y, [99.0]),
            lambda m: m.InterpolatedUnivariateSpline(X, y, k=2).roots(),
            lambda m: m.splrep(X, y, k=6),
            lambda m: m.interp1d(X, y, "other"),
            lambda m: m.interp1d(X, y[:3]),
            lambda m: m.interp1d(X, y)([-9.0]),
            lambda m: m.interp1d(X, y)([99.0]),
            lambda m: m.interp1d(X[:3], y[:3], "cubic"),
        ]
    )
    with pytest.raises(NotImplementedError, match="per=1"):
        ours.splrep(X, y, per=1)
    with pytest.raises(NotImplementedError, match="degree k = 32"):
        ours.BSpline(np.arange(80.0), np.zeros(47), 32)(1.0)


@pytest.mark.parametrize('kind', ['linear', 'nearest', 'previous', 'zero', 'cubic'])
def test_interp1d_at_scalars_and_of_float32(kind):
    from scipy import interpolate as theirs

    x, y = np.arange(6.0), np.array([1.0, 3, 2, 5, 4, 0])
    for point in (0.5, 3, np.float32(2.5), np.array(1.5)):
        found = ours.interp1d(cp.asarray(x), cp.asarray(y), kind)(point)
        assert found.shape == ()
        np.testing.assert_allclose(found.get(), theirs.interp1d(x, y, kind)(point), rtol=1e-12)
    for dtype in ('float32', 'complex64', 'float16'):
        points = np.array([0.5, 2.25], 'float32')
        expected = theirs.interp1d(x.astype('float32'), y.astype(dtype), kind)(points)
        found = ours.interp1d(cp.asarray(x.astype('float32')), cp.asarray(y.astype(dtype)), kind)(cp.asarray(points))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5)


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_smoothing_splines_of_values_that_are_not_finite_end(value):
    y = np.array([1.0, 2, value, 4, 5, 1, 2])
    assert np.isnan(ours.UnivariateSpline(cp.arange(7.0), cp.asarray(y), s=0.5)([0.5, 1.5]).get()).all()


def test_interp1d_rejects_points_outside_of_the_range_by_default():
    x, y = cp.arange(4.0), cp.arange(4.0)
    for value in (0.0, (1.0, 2.0), np.nan):
        with pytest.raises(ValueError):
            ours.interp1d(x, y, fill_value=value)(9.0)
    assert ours.interp1d(x, y, fill_value=5.0, bounds_error=False)(9.0).item() == 5.0


@pytest.mark.parametrize('kind', ['slinear', 'quadratic', 'cubic'])
def test_interp1d_of_nan(kind):
    from scipy import interpolate as theirs

    x, y = np.arange(6.0), np.array([1.0, 2, 3, np.nan, 5, 1])
    points = np.array([0.5, 1.5, 4.5])
    np.testing.assert_allclose(ours.interp1d(cp.asarray(x), cp.asarray(y), kind)(points).get(), theirs.interp1d(x, y, kind)(points), rtol=1e-12)


def test_knots_of_splrep_and_values_that_are_not_finite():
    from scipy import interpolate as theirs

    x, y, knots = np.arange(8.0), np.array([1.0, 3, 2, 4, 1, 0, 2, 5]), [2.0, 4.5]
    found, expected = ours.splrep(cp.asarray(x), cp.asarray(y), t=knots), theirs.splrep(x, y, t=knots)
    np.testing.assert_allclose(found[0].get(), expected[0])
    np.testing.assert_allclose(found[1].get(), expected[1], atol=1e-12)
    y[3] = np.nan
    assert np.isnan(ours.InterpolatedUnivariateSpline(cp.asarray(x), cp.asarray(y))([0.5, 6.5]).get()).all()


@pytest.mark.parametrize("k", [1, 3, 5])
def test_integrals_zeros_derivatives_and_knots_of_fitpack(k):
    x = np.linspace(0, 9, 14)
    for s in (0.0, 0.5, 1e3):
        one, two = (m.splrep(x, np.sin(2 * x), k=k, s=s, full_output=1) for m in (ours, theirs))
        assert one[2] == two[2] and bool(one[3]) == bool(two[3])
    tck = theirs.splrep(x, np.sin(2 * x) + 0.1, k=k)
    t, c, _ = tck
    for a, b in ((0.3, 7.5), (7.5, 0.3), (-2, 20), (3, 3), (-5, -1), (11, 12)):
        assert isinstance(ours.splint(a, b, tck), float)
        np.testing.assert_allclose(ours.splint(a, b, tck), theirs.splint(a, b, tck), rtol=1e-11, atol=1e-13)
        one, two = ours.splint(a, b, tck, full_output=1), theirs.splint(a, b, tck, full_output=1)
        np.testing.assert_allclose(one[1].get()[: len(t) - k - 1], two[1][: len(t) - k - 1], rtol=1e-10, atol=1e-13)
    curve = (t, [c, 2 * c], k)
    np.testing.assert_allclose(ours.splint(1, 5, curve), theirs.splint(1, 5, curve), rtol=1e-11)
    spline = theirs.BSpline(t, c[: len(t) - k - 1], k)
    np.testing.assert_allclose(float(ours.splint(1, 5, ours.BSpline(*spline.tck))), theirs.splint(1, 5, spline), rtol=1e-11)
    if k == 3:
        same(ours.sproot(tck), theirs.sproot(tck), 1e-10)
        same(ours.sproot(ours.BSpline(*spline.tck)), theirs.sproot(spline), 1e-10)
        for one, two in zip(ours.sproot((t, [c, c + 0.2], k)), theirs.sproot((t, [c, c + 0.2], k))):
            same(one, two, 1e-10)
        with pytest.warns(RuntimeWarning, match="mest"):
            assert ours.sproot(tck, mest=2).shape == (2,)
    else:
        same_errors([lambda m: m.sproot(tck)])
    same(ours.spalde(1.7, tck), theirs.spalde(1.7, tck), 1e-10)
    for one, two in zip(ours.spalde(x[3:6] + 0.1, tck), theirs.spalde(x[3:6] + 0.1, tck)):
        same(one, two, 1e-10)
    for m in (1, 2):
        one, two = ours.insert(4.21, tck, m), theirs.insert(4.21, tck, m)
        assert one[2] == two[2]
        same(one[0], two[0])
        same(one[1][: len(one[0]) - k - 1], two[1][: len(two[0]) - k - 1], 1e-11)
    one, two = ours.insert(4.21, curve), theirs.insert(4.21, curve)
    same(one[1][1][:10], two[1][1][:10], 1e-11)
    same_errors(
        [
            lambda m: m.sproot((t[:7], c[:7], 3)),
            lambda m: m.spalde(1.0, m.BSpline(t, c[: len(t) - k - 1], k)),
            lambda m: m.spalde(99.0, tck),
            lambda m: m.splint(0, 1, m.BSpline(t, np.ones((len(t) - k - 1, 2)), k)),
        ]
    )


@pytest.mark.parametrize('ends', ['natural', 'clamped'])
def test_cubic_splines_of_two_points(ends):
    x, y, points = np.array([0.0, 1.5]), np.array([1.0, 3.0]), np.array([0.1, 0.7, 1.2])
    found = ours.make_interp_spline(cp.asarray(x), cp.asarray(y), bc_type=ends)(cp.asarray(points))
    s = points / 1.5
    np.testing.assert_allclose(found.get(), 1 + 2 * (s if ends == 'natural' else s**2 * (3 - 2 * s)), rtol=1e-12)
