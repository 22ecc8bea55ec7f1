"""Linear algebra of sparse matrices and linear operators: `cupyx.scipy.sparse.linalg`.

Direct and iterative solvers of systems of equations, solvers of least-squares problems, eigenvalues and singular values, functions of matrices and
norms. An operator is a sparse or dense matrix of the device, or a `LinearOperator`.
"""

from ._direct import BatchedLU, Cholesky, MatrixRankWarning, SuperLU, cholesky, factorized, inertia, inv, spilu, splu, splu_batch, spsolve, spsolve_triangular
from ._eigen import ArpackError, ArpackNoConvergence, eigs, eigsh, svds
from ._funm import funm_multiply_krylov
from ._incomplete import IncompleteFactors, ic0, ilu0
from ._interface import LinearOperator, aslinearoperator
from ._iterative import bicg, bicgstab, cg, cgs, gmres, minres, qmr, tfqmr
from ._laplacian_nd import LaplacianNd
from ._least_squares import lsmr, lsqr
from ._lobpcg import lobpcg
from ._matrix_functions import expm, expm_multiply, matrix_power, norm, onenormest
from ._recycled import gcrotmk, lgmres
from ._structure import is_sptriangular, spbandwidth, use_solver

__all__ = [
    'ArpackError',
    'ArpackNoConvergence',
    'BatchedLU',
    'Cholesky',
    'IncompleteFactors',
    'LaplacianNd',
    'LinearOperator',
    'MatrixRankWarning',
    'SuperLU',
    'aslinearoperator',
    'bicg',
    'bicgstab',
    'cg',
    'cgs',
    'cholesky',
    'eigs',
    'eigsh',
    'expm',
    'expm_multiply',
    'factorized',
    'funm_multiply_krylov',
    'gcrotmk',
    'gmres',
    'ic0',
    'ilu0',
    'inertia',
    'inv',
    'is_sptriangular',
    'lgmres',
    'lobpcg',
    'lsmr',
    'lsqr',
    'matrix_power',
    'minres',
    'norm',
    'onenormest',
    'qmr',
    'spbandwidth',
    'spilu',
    'splu',
    'splu_batch',
    'spsolve',
    'spsolve_triangular',
    'svds',
    'tfqmr',
    'use_solver',
]


def __getattr__(name):
    from cuprum import _not_yet

    if name in _not_yet.known_names().get('cupyx.scipy.sparse.linalg', ()):
        raise _not_yet.NotYet(_not_yet.sentence(f'cupyx.scipy.sparse.linalg.{name}'))
    raise AttributeError(f"module 'cupyx.scipy.sparse.linalg' has no attribute {name!r}")
