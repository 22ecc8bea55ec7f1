"""Interpolation on triangulations, compared with SciPy's."""

import numpy as np
import pytest

from interpolate_same import numbers, same

theirs = pytest.importorskip("scipy.interpolate")
# The triangulation is a class of another package.
Delaunay = getattr(pytest.importorskip("cuprum.cupyx.scipy.spatial"), "Delaunay", None)
if Delaunay is None:
    pytest.skip("there is no triangulation", allow_module_level=True)
from cuprum.cupyx.scipy.interpolate import _triangles as ours  # noqa: E402

RNG = np.random.default_rng(3)
SITES = RNG.random((80, 2))
POINTS = RNG.random((5, 20, 2)) * 1.1 - 0.05


def test_linear_and_smooth():
    for v in (numbers(1, 80), numbers(2, (80, 2), "c16")):
        for rescale in (False, True):
            one, two = (m.LinearNDInterpolator(SITES, v, rescale=rescale) for m in (ours, theirs))
            same(one(POINTS), two(POINTS), 1e-11)
            one = ours.CloughTocher2DInterpolator(SITES, v, rescale=rescale, tol=1e-12)
            two = theirs.CloughTocher2DInterpolator(SITES, v, rescale=rescale, tol=1e-13, maxiter=4000)
            same(one(POINTS), two(POINTS), 1e-9)
    one, two = (m.LinearNDInterpolator((SITES[:, 0], SITES[:, 1]), v, fill_value=-1) for m in (ours, theirs))
    same(one([0.5, 0.2], [[0.1], [7.0]]), two([0.5, 0.2], [[0.1], [7.0]]), 1e-11)


def test_errors():
    for call in (
        lambda m: m.LinearNDInterpolator(SITES, numbers(1, 79)),
        lambda m: m.LinearNDInterpolator(SITES[:, :1], numbers(1, 80)),
        lambda m: m.LinearNDInterpolator(SITES, numbers(1, 80))(POINTS[..., :1]),
    ):
        for module in (ours, theirs):
            with pytest.raises(ValueError):
                call(module)
