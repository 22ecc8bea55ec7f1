"""Direct solvers: `spsolve`, `splu`, `splu_batch`, `spilu`, `factorized`, `spsolve_triangular`, `inv`, `cholesky`, `inertia`."""

import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._arithmetic import is_sparse
from .._base import CLASSES, sparray
from .._utils import SparseEfficiencyWarning, is_scipy_sparse

__all__ = [
    'BatchedLU',
    'Cholesky',
    'MatrixRankWarning',
    'SuperLU',
    'cholesky',
    'factorized',
    'inertia',
    'inv',
    'spilu',
    'splu',
    'splu_batch',
    'spsolve',
    'spsolve_triangular',
]

# The options of SuperLU's C library: those without an effect here are accepted.
OPTIONS = frozenset(
    'Fact Equil ColPerm Trans IterRefine DiagPivotThresh PivotGrowth ConditionNumber RowPerm SymmetricMode PrintStat ReplaceTinyPivot '
    'SolveInitialized RefineInitialized ILU_Norm ILU_MILU ILU_DropTol ILU_FillTol ILU_FillFactor ILU_DropRule PanelSize Relax'.split()
)


class MatrixRankWarning(UserWarning):
    """Warns of a singular matrix, for which `spsolve` returns NaN; SciPy's class."""


def matrix(name, A, formats=('csc',), message=None):
    """Returns the matrix of a system; ValueError for one that is not square. A matrix of another format is converted with a warning."""
    if not is_sparse(A):
        if not is_scipy_sparse(A):
            _warn(message or f'{name} converted its input to CSC format')
        A = CLASSES['csc', True](A)
    elif A.format not in formats:
        _warn(message or f'{name} converted its input to CSC format')
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        rule = 'matrix must be square' if name.startswith('spsolve') else 'can only factor square matrices'
        raise ValueError(f'{name}: {rule} (has shape {A.shape})')
    return A


def _warn(message):
    warnings.warn(message, SparseEfficiencyWarning, stacklevel=4)


def right_sides(b):
    return b if isinstance(b, cuprum.ndarray) else cuprum.asarray(b)


class _Factors:
    """Factors of a matrix, which a function creates."""

    def __init__(self, *args, **kwargs):
        raise TypeError(f'{type(self).__name__}: cannot create an instance: use {self._maker}')

    @classmethod
    def _of(cls, core, as_array):
        new = cls.__new__(cls)
        new._core, new._class = core, CLASSES['csc', as_array]
        return new

    @property
    def shape(self):
        """Shape of the matrix."""
        return tuple(self._core.shape)


class SuperLU(_Factors):
    """LU factors of a square sparse matrix, which `splu` and `spilu` return; SciPy's class of the same name.

    With permutation matrices `Pr` and `Pc` that have ones at `(perm_r, arange(n))` and `(arange(n), perm_c)`, `Pr @ A @ Pc` is `L @ U`.
    The factors are stored on the device, and on the host for `refactor`. With cuDSS on a GPU they are in that library's memory, and `L`,
    `U`, `perm_r` and `perm_c` are computed by the host when they are read first.
    """

    _maker = 'splu or spilu'

    @property
    def nnz(self):
        """Number of stored elements of both factors."""
        return self._core.nnz

    @property
    def perm_r(self):
        """Position of each row of the matrix among the pivots, of int32."""
        return self._core.permutations()[0]

    @property
    def perm_c(self):
        """Position of each column of the matrix among the pivots, of int32."""
        return self._core.permutations()[1]

    def _factor(self, core):
        from .._base import wrap

        return wrap(self._class, core, False)

    @property
    def L(self):
        """Lower triangular factor with a unit diagonal, in compressed columns."""
        return self._factor(self._core.lower())

    @property
    def U(self):
        """Upper triangular factor, in compressed columns."""
        return self._factor(self._core.upper())

    def solve(self, rhs, trans='N'):
        """Returns the solution of the system for a vector or a matrix of right-hand sides, in the dtype of the factors.

        `trans` is 'N' for the matrix, 'T' for its transpose and 'H' for its conjugate transpose. It runs on the device without a transfer.
        Raises ValueError for another number of rows, TypeError for a dtype that cannot be cast safely to that of the factors.
        """
        return self._core.solve(right_sides(rhs), trans)

    def refactor(self, A):
        """Factors another matrix of the same pattern in place, with the same order and pivots, in about half of the time.

        Pivots that are too small for the new values are chosen again. Raises ValueError for another pattern, RuntimeError for a singular
        matrix, after which the factors are undefined. SciPy's class has no such method.
        """
        A = A if is_sparse(A) else CLASSES['csc', True](A)
        singular(lambda: self._core.refactor(A._sparse))


def singular(call):
    """Calls a factorisation; RuntimeError for a singular matrix."""
    try:
        return call()
    except numpy.linalg.LinAlgError as e:
        raise RuntimeError(str(e)) from None


def _factored(name, A, permc_spec, diag_pivot_thresh, options, incomplete=None, deterministic=True):
    A = matrix(name, A)
    options = {} if options is None else dict(options)
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise TypeError(f'{name}: {unknown[0]!r} is no option of SuperLU')
    order = options.get('ColPerm', permc_spec)
    if order is None and options.get('SymmetricMode'):
        order = 'MMD_AT_PLUS_A'
    threshold = options.get('DiagPivotThresh', diag_pivot_thresh)
    threshold = None if threshold is None else float(threshold)
    core = singular(lambda: _cuprum.SuperLU(A._sparse, order, threshold, incomplete, bool(deterministic)))
    return SuperLU._of(core, isinstance(A, sparray))


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None, *, deterministic=True):
    """Returns the LU factors of a square sparse matrix, in float32, float64, complex64 or complex128: a `SuperLU` object.

    The factorisation runs on a GPU with cuDSS unless an order or a threshold is given, otherwise on the host, and solutions on the
    device. `permc_spec` is 'NATURAL', 'MMD_ATA', 'MMD_AT_PLUS_A' or 'COLAMD'; by default the order is that of A + A.T for a nearly symmetric pattern, otherwise COLAMD. An element on the diagonal is the pivot if it is
    at least `diag_pivot_thresh` times the largest of its column: by default 0.1 in the order of A + A.T, otherwise 1. Pivots that are not
    stable for a system with a known solution are chosen again. `relax` and `panel_size` have no effect. Results repeat to the bit unless
    `deterministic` is false: cuDSS, which is slower in its deterministic mode, solves for all right-hand sides in one call then. Raises
    RuntimeError for a singular matrix, ValueError for one that is not square or of a 16-bit dtype. SciPy's function, which has no
    `deterministic`.
    """
    return _factored('splu', A, permc_spec, diag_pivot_thresh, options, deterministic=deterministic)


class BatchedLU(_Factors):
    """LU factors of a batch of square sparse matrices of one pattern, which `splu_batch` returns; SciPy has no such class."""

    _maker = 'splu_batch'

    @property
    def dtype(self):
        """Dtype of the factors."""
        return self._core.dtype

    def solve(self, rhs, trans='N'):
        """Returns the solutions for right-hand sides of shape (batch, n) or (batch, n, k), one system for each matrix, on the device.

        `trans` is 'N' for the matrices, 'T' for their transposes and 'H' for their conjugate transposes. Raises ValueError for another
        shape, TypeError for a dtype that cannot be cast safely to that of the factors.
        """
        return self._core.solve(right_sides(rhs), trans)

    def refactor(self, values):
        """Factors other values of the pattern in place, of shape (batch, number of elements), with the same order and pivots.

        Pivots that are too small for a matrix are chosen again. Raises ValueError for another shape, RuntimeError for a singular matrix,
        after which the factors are undefined.
        """
        singular(lambda: self._core.refactor(right_sides(values)))


def splu_batch(A, values, permc_spec=None, diag_pivot_thresh=None):
    """Returns the LU factors of a batch of square sparse matrices of one pattern, which is analysed once: a `BatchedLU` object.

    `A` has the pattern, in CSR, CSC or COO format without duplicates; its own values are not used. `values`, of shape (batch, A.nnz), has
    those of each matrix in the order of `A.data`. The first matrix is factored as by `splu`, the others with its order and pivots, by cuDSS
    or in several threads of the host; the systems of all matrices are solved at once on the device. With cuDSS the last bits of results
    may differ from run to run. Raises RuntimeError for a singular matrix, with its number, ValueError for shapes that do not fit and for
    16-bit dtypes. SciPy has no such function.
    """
    if not is_sparse(A):
        A = CLASSES['csc', True](A)
    core = singular(lambda: _cuprum.BatchedLU(A._sparse, right_sides(values), permc_spec, diag_pivot_thresh))
    return BatchedLU._of(core, isinstance(A, sparray))


def spilu(A, drop_tol=None, fill_factor=None, drop_rule=None, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    """Returns incomplete LU factors of a square sparse matrix, for a preconditioner: a `SuperLU` object.

    Entries whose magnitude is less than `drop_tol` (1e-4) times the largest of their column of a factor are dropped, and the smallest ones
    beyond `fill_factor` (10) times the number of entries of the matrix. `drop_rule`, `relax` and `panel_size` have no effect; the other
    arguments are those of `splu`. Raises RuntimeError for a singular matrix. SciPy's function, with other factors than SciPy's.
    """
    incomplete = (1e-4 if drop_tol is None else float(drop_tol), 10.0 if fill_factor is None else float(fill_factor))
    return _factored('spilu', A, permc_spec, diag_pivot_thresh, options, incomplete)


def factorized(A):
    """Returns a function that solves systems with a sparse matrix, which is factored once: `splu(A).solve`. SciPy's function."""
    return _factored('factorized', A, None, None, None).solve


def spsolve(A, b, permc_spec=None, use_umfpack=True, *, deterministic=True):
    """Returns the solution of a system with a square sparse matrix for a vector, a dense matrix or a sparse matrix `b`.

    The solution is a vector for a `b` of one column; for a sparse matrix it is sparse, in the class of A. Its dtype is float32, float64,
    complex64 or complex128. On a GPU with cuDSS it is factored there as by `splu`; the backward error of the solution is computed, and the
    solution refined. Otherwise the matrix is factored on the host as by `splu`; up to four right-hand sides are solved there, with iterative
    refinement, more of them on the device. `use_umfpack` has no effect; `deterministic` is that of `splu`. A singular matrix is a `MatrixRankWarning` and the solution NaN;
    RuntimeError if `b` is sparse. Raises ValueError for shapes that do not fit. SciPy's function.
    """
    A = matrix('spsolve', A, ('csc', 'csr'), 'spsolve requires A be CSC or CSR matrix format')
    sparse = is_sparse(b) or is_scipy_sparse(b)
    b = CLASSES['csc', True](b) if sparse and not is_sparse(b) else b if sparse else right_sides(b)
    n = A.shape[0]
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ValueError(f'spsolve: matrix - rhs dimension mismatch ({A.shape} - {b.shape})')
    vector = b.ndim == 1 or b.shape[1] == 1
    dtype = numpy.promote_types(numpy.promote_types(A.dtype, numpy.float32), b.dtype)
    if sparse and not vector:
        if b.format != 'csc':
            _warn_format()
        lu = singular(lambda: _cuprum.SuperLU(A._sparse.astype(dtype), permc_spec, deterministic=bool(deterministic)))
        x = lu.solve_sparse(b._sparse.astype(dtype))
        return A._new(x.to_format(A.format if A.format in ('csr', 'csc') else 'csc'))
    if sparse:
        b = b.toarray()
    b = b.reshape(n) if vector else b
    try:
        return _cuprum.sparse_solve(A._sparse, b, permc_spec, bool(deterministic))
    except numpy.linalg.LinAlgError:
        warnings.warn('Matrix is exactly singular', MatrixRankWarning, stacklevel=2)
        return cuprum.full(b.shape, numpy.nan, dtype)


def _warn_format():
    warnings.warn('spsolve is more efficient when sparse b is in the CSC matrix format', SparseEfficiencyWarning, stacklevel=3)


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """Returns the solution of a system with a sparse triangular matrix for a vector or a dense matrix `b`, on the device.

    Elements of the other triangle are ignored, and with `unit_diagonal` those on the diagonal. The solution is written to `b` for
    `overwrite_b`, if `b` has its dtype; `overwrite_A` has no effect. Two solutions of a system have the same bits. Raises LinAlgError for a
    zero on the diagonal, ValueError for shapes that do not fit. SciPy's function; W. Liu and others, 2016.
    """
    message = 'CSC or CSR matrix format is required. Converting to CSC matrix.'
    A = matrix('spsolve_triangular', A, ('csc', 'csr'), message)
    if is_sparse(b) or is_scipy_sparse(b):
        raise ValueError('spsolve_triangular: b must be a dense array of 1 or 2 dims, not a sparse one')
    b = right_sides(b)
    if b.ndim not in (1, 2):
        raise ValueError(f'spsolve_triangular: b must have 1 or 2 dims but its shape is {b.shape}')
    x = _cuprum.sparse_solve_triangular(A._sparse, b, bool(lower), bool(unit_diagonal))
    if overwrite_b and x.dtype == b.dtype:
        b[...] = x
        return b
    return x


def inv(A):
    """Returns the inverse of a sparse matrix, sparse, in the format of A if that is CSR or CSC.

    It is rarely needed: `splu(A).solve(b)` is faster and more accurate than `inv(A) @ b`. Raises TypeError for a dense array, RuntimeError
    for a singular matrix, ValueError for one that is not square. SciPy's function.
    """
    if not is_sparse(A):
        raise TypeError('inv: the input must be a sparse array; for a dense one use linalg.inv')
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f'inv: the matrix must be square, not of shape {A.shape}')
    core = singular(lambda: _cuprum.sparse_inverse(A._sparse))
    return A._new(core.to_format(A.format if A.format in ('csr', 'csc') else 'csc'))


def inertia(A):
    """Returns the numbers of positive and of negative eigenvalues of a Hermitian sparse matrix, of which the lower triangle is read.

    They are the signs of the pivots of a factorisation, by cuDSS or on the host, with rows and columns in the same order: those of `A - sigma * I` tell how many
    eigenvalues are above and below sigma. Raises RuntimeError for a singular matrix and for one whose diagonal pivots are not stable, ValueError
    for one that is not square or of a 16-bit dtype. SciPy has no such function.
    """
    A = matrix('inertia', A, ('csc', 'csr'))
    return singular(lambda: _cuprum.sparse_inertia(A._sparse))


class Cholesky(_Factors):
    """Cholesky factor of a Hermitian, positive definite sparse matrix, which `cholesky` returns.

    With a permutation matrix `P` that has ones at `(perm, arange(n))`, `P @ A @ P.T` is `L @ L.conj().T`.
    """

    _maker = 'cholesky'

    @property
    def perm(self):
        """Position of each row and column of the matrix in the factor, of int32."""
        return self._core.permutation()

    @property
    def L(self):
        """Lower triangular factor, in compressed columns."""
        from .._base import wrap

        return wrap(self._class, self._core.lower(), False)

    def logdet(self):
        """Returns the logarithm of the determinant of the matrix, an array of no axes."""
        return self._core.logdet()

    def solve(self, b):
        """Returns the solution of the system for a vector or a matrix of right-hand sides, on the device. Raises ValueError for another
        number of rows, TypeError for a dtype that cannot be cast safely to that of the factor."""
        return self._core.solve(right_sides(b))

    def refactor(self, A):
        """Factors another matrix of the same pattern in place, in the same order. Raises ValueError for another pattern, LinAlgError for
        a matrix that is not positive definite, after which the factor is undefined."""
        A = A if is_sparse(A) else CLASSES['csc', True](A)
        self._core.refactor(A._sparse)


def cholesky(A):
    """Returns the Cholesky factor of a Hermitian, positive definite sparse matrix, of which the lower triangle is read: a `Cholesky` object.

    The rows and columns are in the order of an approximate minimum degree. The factorisation runs on a GPU with cuDSS, otherwise on the
    host, and solutions on the device. Raises LinAlgError for a matrix that is not positive definite, ValueError for one that is not square or of a 16-bit dtype. SciPy has no
    such function.
    """
    A = matrix('cholesky', A, ('csc', 'csr'))
    return Cholesky._of(_cuprum.Cholesky(A._sparse), isinstance(A, sparray))
