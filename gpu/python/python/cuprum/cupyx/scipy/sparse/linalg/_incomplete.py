"""Incomplete factorisations without fill-in on the device: `ilu0`, `ic0`."""

from cuprum import _cuprum

from .._base import CLASSES, sparray, wrap
from ._direct import matrix, right_sides, singular
from ._interface import LinearOperator

__all__ = ['IncompleteFactors', 'ic0', 'ilu0']


class IncompleteFactors(LinearOperator):
    """Incomplete factors without fill-in of a square sparse matrix, which `ilu0` and `ic0` return; SciPy has no such class.

    As an operator it is the inverse of the product of its factors, so that it is the preconditioner `M` of an iterative solver, whose
    iterations are still repeated on the device. With a permutation matrix `P` that has ones at `(perm, arange(n))`, `L @ U` has the
    elements of `P @ A @ P.T` at its entries.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError('IncompleteFactors: cannot create an instance: use ilu0 or ic0')

    @classmethod
    def _of(cls, core, as_array):
        new = object.__new__(cls)
        LinearOperator.__init__(new, core.dtype, core.shape)
        new.args = ()
        new._core, new._class = core, CLASSES['csr', as_array]
        return new

    @property
    def nnz(self):
        """Number of stored elements: those of the matrix for `ilu0`, those of its lower triangle for `ic0`."""
        return self._core.nnz

    @property
    def perm(self):
        """Position of each row and column of the matrix in the factors, of int32; None in the order of the matrix."""
        return self._core.permutation()

    @property
    def L(self):
        """Lower triangular factor, in compressed rows: with a unit diagonal for `ilu0`."""
        return wrap(self._class, self._core.lower(), False)

    @property
    def U(self):
        """Upper triangular factor, in compressed rows: the conjugate transpose of `L` for `ic0`."""
        return wrap(self._class, self._core.upper(), False)

    def solve(self, rhs, trans='N'):
        """Returns the solution of the system of the factors for a vector or a matrix of right-hand sides, in the dtype of the factors.

        `trans` is 'N' for the matrix, 'T' for its transpose and 'H' for its conjugate transpose. It runs on the device without a transfer.
        Raises ValueError for another number of rows, TypeError for a dtype that cannot be cast safely to that of the factors.
        """
        return self._core.solve(right_sides(rhs), trans)

    def _matvec(self, x):
        return self.solve(x)

    def _rmatvec(self, x):
        return self.solve(x, 'H')

    _matmat, _rmatmat = _matvec, _rmatvec


def _factors(name, A, order, cholesky):
    A = matrix(name, A, ('csr', 'csc'), f'{name} converted its input to CSC format')
    core = singular(lambda: _cuprum.IncompleteFactors(A._sparse, order, cholesky))
    return IncompleteFactors._of(core, isinstance(A, sparray))


def ilu0(A, order='natural'):
    """Returns the incomplete LU factors without fill-in, ILU(0), of a square sparse matrix: an `IncompleteFactors` operator, for `M=`.

    The factors have the pattern of the matrix, in float32, float64, complex64 or complex128. The factorisation and the solutions run on
    the device, and their bits are the same in each run. `order` is 'natural' for the order of the matrix, or 'colored' for that of the
    colours of its graph, in which far more rows are independent, and an iterative solver needs more iterations. Raises RuntimeError for a
    pivot that is zero or not finite, with its row, ValueError for a matrix that is not square or of a 16-bit dtype. SciPy has `spilu`,
    with a threshold, instead; Y. Saad, 2003.
    """
    return _factors('ilu0', A, order, False)


def ic0(A, order='natural'):
    """Returns the incomplete Cholesky factor without fill-in, IC(0), of a Hermitian sparse matrix: an `IncompleteFactors` operator.

    The lower triangle is read, and the factor has its pattern. It exists for M-matrices; to other positive definite ones a multiple of the
    diagonal may have to be added. `order` and the other properties are those of `ilu0`. Raises RuntimeError for a pivot that is not a
    positive number, with its row, ValueError for a matrix that is not square or of a 16-bit dtype. SciPy has no such function;
    J. A. Meijerink, H. A. van der Vorst, 1977.
    """
    return _factors('ic0', A, order, True)
