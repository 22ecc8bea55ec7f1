"""Linear algebra: `scipy.linalg`, with factors as pairs, checks, and permission to overwrite."""

import numpy as _np
from numpy.linalg import LinAlgError

import cuprum as _cuprum
from cuprum import kron, tri, tril, triu
from cuprum._cuprum.routines.cupyx.scipy.linalg import cho_factor as _cho_factor
from cuprum._cuprum.routines.cupyx.scipy.linalg import cho_solve as _cho_solve
from cuprum._cuprum.routines.cupyx.scipy.linalg import lstsq as _lstsq
from cuprum._cuprum.routines.cupyx.scipy.linalg import lu as _lu
from cuprum._cuprum.routines.cupyx.scipy.linalg import lu_factor as _lu_factor
from cuprum._cuprum.routines.cupyx.scipy.linalg import lu_solve as _lu_solve
from cuprum._cuprum.routines.cupyx.scipy.linalg import solve_triangular as _solve_triangular
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.linalg import (
    bandwidth, block_diag, circulant, companion, convolution_matrix, dft, expm, fiedler, fiedler_companion, hadamard, hankel, helmert, hilbert, invhilbert,
    khatri_rao, leslie, pascal, toeplitz,
)
# End of the routines.
# fmt: on


def _finite(check, *arrays):
    """Rejects infinities and NaNs, if requested. This synchronises."""
    for a in arrays:
        if check and not _cuprum.isfinite(_cuprum.asarray(a)).all():
            raise ValueError('array must not contain infs or NaNs')


def _lapack(a):
    """Returns an array in a dtype of LAPACK, as SciPy selects it: float32 for integers of 8 and 16 bits, booleans and float16."""
    a = _cuprum.asarray(a)
    narrow = a.dtype.kind in 'biuf' and a.dtype.itemsize <= 2
    return a.astype('float32') if narrow else a


def _with_vectors(a, b, solve):
    """Solves for right-hand sides that are matrices, or one vector for each matrix of a batch."""
    shape = _np.shape(a)
    if len(shape) > 2 and _np.shape(b) == shape[:-1]:
        return solve(_cuprum.asarray(b)[..., None])[..., 0]
    return solve(b)


def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    """Returns the least squares solution of minimum norm, the sums of squared residuals, the rank, and the singular
    values, which are `None` with the driver `gelsy`."""
    _finite(check_finite, a, b)
    driver = 'gelsd' if lapack_driver is None else lapack_driver
    if driver not in ('gelsd', 'gelsy', 'gelss'):
        raise ValueError(f'LAPACK driver "{driver}" is not found')
    a, b = _lapack(a), _lapack(b)
    if len(a.shape) == 2 and len(b.shape) in (1, 2) and a.shape[0] != b.shape[0]:
        raise ValueError(f'Shape mismatch: a and b should have the same number of rows ({a.shape[0]} != {b.shape[0]}).')
    results = _lstsq(a, b, cond, driver)
    return (*results, None) if driver == 'gelsy' else results


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """Returns the LU factorisation of matrices: a permutation, a lower and an upper triangle."""
    _finite(check_finite, a)
    return _lu(_lapack(a), permute_l, p_indices)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """Returns the LU factorisation of a square matrix with both triangles in one array, and the pivots, for
    `lu_solve`."""
    _finite(check_finite, a)
    return _lu_factor(_lapack(a))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solves linear systems with the factors of `lu_factor`. One vector for each matrix of a batch is a batch
    of vectors, as in CuPy."""
    lu, piv = lu_and_piv
    _finite(check_finite, lu, b)
    lu, b = _lapack(lu), _lapack(b)
    return _with_vectors(lu, b, lambda b: _lu_solve(lu, piv, b, trans))


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """Returns the Cholesky factor of a matrix and whether it is the lower triangle, for `cho_solve`."""
    _finite(check_finite, a)
    return _cho_factor(_lapack(a), lower)


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves linear systems with the factor of `cho_factor`."""
    c, lower = c_and_lower
    _finite(check_finite, c, b)
    return _cho_solve(_lapack(c), _lapack(b), lower)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """Solves linear systems with triangular matrices. One vector for each matrix of a batch is a batch of
    vectors, as in CuPy."""
    _finite(check_finite, a, b)
    a, b = _lapack(a), _lapack(b)
    trans = {'N': 0, 'T': 1, 'C': 2}.get(trans, trans)
    return _with_vectors(a, b, lambda b: _solve_triangular(a, b, trans, lower, unit_diagonal))


__getattr__ = _lacking(__name__)
