"""Tests of matrices with NaN and infinity: the values and exceptions that NumPy gives with every LAPACK."""

import numpy as np
import pytest
from same import on_host, same

import cuprum as cp

inf, nan = np.inf, np.nan
INFINITE = {
    "one": [[inf, 1], [1, 2]],
    "all": [[inf, inf], [inf, inf]],
    "diagonal": [[inf, 0], [0, inf]],
    "above": [[1, inf], [0, 1]],
    "negative": [[-inf, 1], [1, 2]],
    "wide": [[1, inf, 2], [3, 4, 5]],
    "single": [[inf]],
    "batch": [[[1, 2], [3, 4]], [[inf, 1], [1, 1]]],
    "complex": [[inf + 1j, 1], [1, 2j]],
}
UNKNOWN = {
    "one": [[nan, 1], [1, 2]],
    "all": [[nan, nan], [nan, nan]],
    "below": [[1, 2], [nan, 3]],
    "above": [[1, nan], [2, 3]],
    "with infinity": [[inf, nan], [1, 2]],
    "wide": [[1, nan, 2], [3, 4, 5]],
    "single": [[nan]],
    "batch": [[[1, 2], [3, 4]], [[nan, 1], [1, 1]]],
    "complex": [[nan + 1j, 1], [1, 2j]],
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        lambda xp, a: xp.linalg.cond(a),
        lambda xp, a: xp.linalg.cond(a, 2),
        lambda xp, a: xp.linalg.cond(a, -2),
        lambda xp, a: xp.linalg.svd(a, compute_uv=False),
        lambda xp, a: xp.linalg.svdvals(a),
        lambda xp, a: xp.linalg.norm(a, 2, axis=(-2, -1)),
        lambda xp, a: xp.linalg.norm(a, -2, axis=(-2, -1)),
        lambda xp, a: xp.linalg.norm(a, "nuc", axis=(-2, -1)),
        lambda xp, a: xp.linalg.norm(a, axis=(-2, -1)),
        lambda xp, a: xp.linalg.norm(a, 1, axis=(-2, -1)),
        lambda xp, a: xp.linalg.norm(a, -inf, axis=(-2, -1)),
        lambda xp, a: xp.linalg.matrix_rank(a),
        lambda xp, a: xp.linalg.matrix_rank(a, tol=1e-3),
        lambda xp, a: xp.linalg.eigvals(a),
        lambda xp, a: tuple(xp.linalg.eig(a)),
        lambda xp, a: xp.linalg.lstsq(a, xp.ones(a.shape[0]), rcond=None),
        lambda xp, a: xp.linalg.matrix_power(a, 2),
        lambda xp, a: xp.linalg.matrix_power(a, 3),
    ],
)
@pytest.mark.parametrize("matrix", [*INFINITE.values(), *UNKNOWN.values()], ids=[*INFINITE, *(f"nan {name}" for name in UNKNOWN)])
def test_values_and_exceptions(matrix, f):
    same(lambda xp, a: on_host(f(xp, a)), np.array(matrix), rtol=1e-12)


@pytest.mark.parametrize("matrix", INFINITE.values(), ids=INFINITE)
def test_singular_vectors_of_infinite_matrices(matrix):
    """LAPACK leaves NaN, zeros or unit vectors there; the finite matrices of a batch are unaffected."""
    a = cp.asarray(np.array(matrix))
    u, s, vh = (x.get() for x in cp.linalg.svd(a, full_matrices=False))
    pinv = cp.linalg.pinv(a).get()
    for x in (u, s, vh, pinv):
        assert np.isnan(x[-1] if a.ndim == 3 else x).all()
    if a.ndim == 3:
        np.testing.assert_allclose(u[0] * s[0] @ vh[0], a[0].get(), rtol=1e-12)
