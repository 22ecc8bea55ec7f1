"""Linear algebra: `numpy.linalg`."""

from numpy.linalg import LinAlgError

from cuprum._not_yet import lacking as _lacking
from cuprum.linalg._power import matrix_power
from cuprum.linalg._standard import cross, diagonal, matmul, matrix_norm, matrix_transpose, outer, tensordot, trace, vecdot, vector_norm

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.linalg import (
    cholesky, cond, det, eig, eigh, eigvals, eigvalsh, inv, lstsq, matrix_rank, multi_dot, norm, pinv, qr, slogdet, solve, svd, svdvals, tensorinv,
    tensorsolve,
)
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
