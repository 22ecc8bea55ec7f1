"""CuPy's linear algebra beyond SciPy's: `cupyx.linalg`."""

import cuprum
from cuprum.cupyx.scipy.linalg import cho_solve as _solve

__all__ = ['cho_solve', 'invh']


def cho_solve(c_and_lower, b, overwrite_b=False):
    """Solves systems of equations with Hermitian positive definite matrices, from their Cholesky factors.

    `c_and_lower` is the factor, of shape (..., M, M), and whether it is the lower triangle; the other triangle is
    not read. `b` has the shape (..., M) or (..., M, N). With `overwrite_b` the solutions are written to `b` if it
    has their dtype and shape.
    """
    c, lower = c_and_lower
    c, b = cuprum.asarray(c), cuprum.asarray(b)
    if c.ndim < 2 or c.shape[-1] != c.shape[-2]:
        raise cuprum.linalg.LinAlgError(f'cho_solve: the factor has the shape {c.shape}: its last two axes must be equal')
    vectors = b.ndim == c.ndim - 1
    if b.shape[: c.ndim - 1] != c.shape[:-1] or b.ndim > c.ndim:
        raise ValueError(f'cho_solve: b has the shape {b.shape}, the factor {c.shape}: give b of shape (..., M) or (..., M, N)')
    x = _solve((c, lower), b[..., None] if vectors else b, check_finite=False)
    x = x[..., 0] if vectors else x
    if overwrite_b and b.dtype == x.dtype:
        b[...] = x
        return b
    return x


def invh(a):
    """Returns the inverses of Hermitian positive definite matrices, by their Cholesky factors; only the lower
    triangles are read.

    A matrix that is not positive definite is reported by the next call that synchronises or, under
    ``cupyx.errstate(linalg='raise')``, by this one as LinAlgError.
    """
    a = cuprum.asarray(a)
    factor = cuprum.linalg.cholesky(a)
    unit = cuprum.broadcast_to(cuprum.eye(a.shape[-1], dtype=factor.dtype), factor.shape)
    return cho_solve((factor, True), unit)
