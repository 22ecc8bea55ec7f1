"""Interpolation on triangulations, compared with SciPy's."""

import numpy as np
import pytest

from interpolate_same import numbers, same

theirs = pytest.importorskip("scipy.interpolate")
# The triangulation is a class of another package.
Delaunay = getattr(pytest.importorskip("cuprum.cupyx.scipy.spatial"), "Delaunay", None)
if Delaunay is None:
    pytest.skip("there is no triangulation", allow_module_level=True)
import cuprum.cupyx.scipy.interpolate as package  # noqa: E402
from cuprum.cupyx.scipy.interpolate import _triangles as ours  # noqa: E402

RNG = np.random.default_rng(3)
SITES = RNG.random((80, 2))
POINTS = RNG.random((5, 20, 2)) * 1.1 - 0.05
IN_SPACE = RNG.random((60, 3))


def test_linear_and_smooth():
    for v, rescale in ((numbers(1, 80), False), (numbers(2, (80, 2), "c16"), True)):
        one, two = (m.LinearNDInterpolator(SITES, v, rescale=rescale) for m in (ours, theirs))
        same(one(POINTS), two(POINTS), 1e-11)
        one = ours.CloughTocher2DInterpolator(SITES, v, rescale=rescale, tol=1e-12)
        two = theirs.CloughTocher2DInterpolator(SITES, v, rescale=rescale, tol=1e-13, maxiter=4000)
        same(one(POINTS), two(POINTS), 1e-9)
    one, two = (m.LinearNDInterpolator((SITES[:, 0], SITES[:, 1]), v, fill_value=-1) for m in (ours, theirs))
    same(one([0.5, 0.2], [[0.1], [7.0]]), two([0.5, 0.2], [[0.1], [7.0]]), 1e-11)


@pytest.mark.parametrize("ndim", [3, 4])
def test_linear_of_more_dimensions(ndim):
    sites = RNG.random((30, ndim))
    points = RNG.random((2, 20, ndim)) * 1.1 - 0.05
    for v in (numbers(1, 30), numbers(2, (30, 2), "c16")):
        for rescale in (False, True):
            one, two = (m.LinearNDInterpolator(sites, v, rescale=rescale) for m in (ours, theirs))
            same(one(points), two(points), 1e-11)
    with pytest.raises(ValueError):
        ours.CloughTocher2DInterpolator(sites, v)


def test_griddata():
    v = numbers(1, 80)
    for method in ("nearest", "linear", "cubic"):
        for options in ({}, {"fill_value": -3.0}, {"rescale": True}):
            one, two = (m.griddata(SITES, v, POINTS, method, **options) for m in (package, theirs))
            same(one, two, 1e-5 if method == "cubic" else 1e-11, (method, options))
        # Separate coordinates.
        grid = np.mgrid[0:1:5j, 0:1:4j]
        one, two = (m.griddata(tuple(SITES.T), numbers(2, (80, 3)), tuple(grid), method) for m in (package, theirs))
        same(one, two, 1e-5 if method == "cubic" else 1e-11, method)
        # Points of one coordinate, in any order.
        x = RNG.permutation(20) + 0.25 * RNG.random(20)
        for points, xi in ((x, POINTS[0, :, 0] * 25 - 2), (x[:, None], POINTS[..., 0] * 20), ((x,), (POINTS[0, :, 1] * 20,))):
            one, two = (m.griddata(points, numbers(3, 20), xi, method) for m in (package, theirs))
            same(one, two, 1e-10, method)
    sites = RNG.random((40, 3))
    for method in ("nearest", "linear"):
        one, two = (m.griddata(sites, v[:40], IN_SPACE, method) for m in (package, theirs))
        same(one, two, 1e-11, method)
    for call in (
        lambda m: m.griddata(sites, v[:40], IN_SPACE, "cubic"),
        lambda m: m.griddata(SITES, v, POINTS, "quintic"),
        lambda m: m.griddata(SITES, v[:7], POINTS),
        lambda m: m.griddata(x, v[:20], (x, x)),
    ):
        for module in (package, theirs):
            with pytest.raises(ValueError):
                call(module)


def test_errors():
    for call in (
        lambda m: m.LinearNDInterpolator(SITES, numbers(1, 79)),
        lambda m: m.LinearNDInterpolator(SITES[:, :1], numbers(1, 80)),
        lambda m: m.LinearNDInterpolator(SITES, numbers(1, 80))(POINTS[..., :1]),
    ):
        for module in (ours, theirs):
            with pytest.raises(ValueError):
                call(module)
