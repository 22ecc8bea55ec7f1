"""Structure of sparse matrices and the choice of a solver: `is_sptriangular`, `spbandwidth`, `use_solver`."""

from .._arithmetic import is_sparse
from .._compressed import csr_matrix

__all__ = ['is_sptriangular', 'spbandwidth', 'use_solver']


def spbandwidth(A):
    """Returns the distances of the farthest stored elements below and above the main diagonal, `(below, above)`, 0 for none.

    Explicit zeros count. Waits for the device, but for a DIA array reads the offsets of its diagonals alone. SciPy's function, which
    raises ValueError for a matrix without elements.
    """
    if not is_sparse(A):
        A = csr_matrix(A)
    if A.ndim != 2:
        raise ValueError(f'spbandwidth: a matrix of two axes is needed, not {A.ndim}')
    if A.format == 'dia':
        distances = A.offsets
    else:
        coo = A.tocoo(copy=False)
        # An int32 difference cannot overflow: both indices are not negative.
        distances = coo.col - coo.row
    if distances.size == 0:
        return 0, 0
    return max(-int(distances.min()), 0), max(int(distances.max()), 0)


def is_sptriangular(A):
    """Returns whether a sparse matrix is lower triangular and whether it is upper triangular, by its stored elements.

    Explicit zeros count. Waits for the device. SciPy's function.
    """
    below, above = spbandwidth(A)
    return above == 0, below == 0


def use_solver(**kwargs):
    """Accepts SciPy's choice of a direct solver and does nothing: there is no UMFPACK to choose.

    `useUmfpack` and `assumeSortedIndices` are SciPy's keywords, which have no effect there either unless scikits.umfpack is installed.
    `spsolve` uses cuDSS if it is installed. Raises TypeError for another keyword. SciPy's function.
    """
    unknown = set(kwargs) - {'useUmfpack', 'assumeSortedIndices'}
    if unknown:
        raise TypeError(f'use_solver: unexpected keyword {sorted(unknown)[0]!r}: useUmfpack and assumeSortedIndices are known')
