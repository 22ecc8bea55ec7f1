"""Functions of matrices: `expm`, `expm_multiply`, `inv`, `matrix_power`, and norms: `norm`, `onenormest`."""

import math

import numpy

import cuprum

from .._arithmetic import is_sparse
from .._construct import eye_array
from .._utils import is_integer, repeated_product
from ._interface import LinearOperator, aslinearoperator
from ._systems import floating, square

__all__ = ['expm', 'expm_multiply', 'matrix_power', 'norm', 'onenormest']


def _check_square(name, A):
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f'{name}: expected A to be like a square matrix, not of shape {A.shape}')


def matrix_power(A, power):
    """Returns a square sparse matrix to an integer power, by repeated squaring. Raises TypeError for a matrix that is not square,
    ValueError for an exponent that is negative or no integer. SciPy's function."""
    rows, columns = A.shape
    if rows != columns:
        raise TypeError(f'matrix_power: sparse matrix is not square: {A.shape}')
    if not is_integer(power):
        raise ValueError(f'matrix_power: exponent must be an integer, not {power!r}')
    power = int(power)
    if power < 0:
        raise ValueError(f'matrix_power: exponent must be >= 0, not {power}')
    if power == 0:
        return eye_array(rows, dtype=A.dtype)
    return repeated_product(A, power)


def expm(A):
    """Returns the exponential of a square matrix; of a sparse one it is sparse, in the same format.

    It is computed by the dense `cupyx.scipy.linalg.expm`, since hardly any element of it is zero: it needs the memory of dense matrices.
    For products with vectors use `expm_multiply`. SciPy's function.
    """
    from cuprum.cupyx.scipy.linalg import expm as dense_expm

    if not is_sparse(A):
        A = cuprum.asarray(A)
    _check_square('expm', A)
    dense = A.toarray() if is_sparse(A) else A
    dense = dense_expm(dense.astype(floating(dense.dtype), copy=False))
    if not is_sparse(A):
        return dense
    return A._class(A.format if A.format in ('csr', 'csc') else 'csr')(dense)


def _one_norm(A):
    """Returns the largest sum of magnitudes of a column, on the host; an estimate for an operator."""
    if isinstance(A, LinearOperator):
        return float(onenormest(A))
    if 0 in A.shape:
        return 0.0
    return float(abs(A).sum(axis=0).max())


# Terms of the Taylor series, and the largest norm of a step.
_TERMS, _MOST_NORM = 60, 3.5


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):
    """Returns the exponential of A times a vector or matrix B, without forming the exponential.

    A is a square matrix or operator. With `start`, `stop`, `num` (50 by default) and `endpoint` the result has a first axis of
    `exp(t A) B` for each t of `linspace(start, stop, num, endpoint)`. `traceA` is the trace of A, by whose mean its diagonal is shifted; of
    an operator it is zero unless it is passed. SciPy's function; A. H. Al-Mohy, N. J. Higham, "Computing the Action of the Matrix
    Exponential", 2011, with steps of a 1-norm of at most 3.5 and terms up to the precision.
    """
    if is_sparse(A) or isinstance(A, (LinearOperator, cuprum.ndarray)):
        _check_square('expm_multiply', A)
    else:
        A = cuprum.asarray(A)
        _check_square('expm_multiply', A)
    B = B.toarray() if is_sparse(B) else cuprum.asarray(B)
    if B.ndim not in (1, 2) or B.shape[0] != A.shape[1]:
        raise ValueError(f'expm_multiply: shapes of matrices A {A.shape} and B {B.shape} are incompatible')
    op, n = aslinearoperator(A), A.shape[0]
    dtype = floating(op.dtype, B.dtype)
    if traceA is None:
        traceA = 0 if isinstance(A, LinearOperator) or n == 0 else A.trace()
    traceA = complex(traceA)
    if dtype.kind != 'c':
        traceA = traceA.real
    mean = traceA / max(n, 1)
    if isinstance(A, LinearOperator) or mean == 0:
        size = _one_norm(A)
    elif is_sparse(A):
        size = _one_norm(A - mean * eye_array(n, dtype=dtype, format='csr'))
    else:
        size = _one_norm(A - mean * cuprum.eye(n, dtype=dtype))
    size += abs(mean) if isinstance(A, LinearOperator) else 0

    def multiply(X):
        product = op.matvec(X) if X.ndim == 1 else op.matmat(X)
        return cuprum.asarray(product).astype(dtype, copy=False) - mean * X

    def advance(F, t):
        if t == 0:
            return F.copy()
        steps = max(1, math.ceil(abs(t) * size / _MOST_NORM)) if math.isfinite(size) else 1
        h = t / steps
        eps, factor = float(numpy.finfo(dtype).eps) / 2, cuprum.exp(cuprum.asarray(mean * h, dtype=dtype))
        for _ in range(steps):
            term = F
            for k in range(1, _TERMS):
                term = multiply(term) * (h / k)
                F = F + term
                # The sizes are compared every few terms: a comparison waits for the device.
                if k % 6 == 0 and float(abs(term).max()) * 2 <= eps * float(abs(F).max()):
                    break
            F = factor * F
        return F

    F = B.astype(dtype, copy=False)
    if start is None and stop is None and num is None and endpoint is None:
        return advance(F, 1.0)
    given = {'num': 50 if num is None else num, 'endpoint': True if endpoint is None else endpoint}
    times = numpy.linspace(0.0 if start is None else start, 1.0 if stop is None else stop, **given)
    out = cuprum.empty((len(times), *F.shape), dtype)
    before = 0.0
    for k, t in enumerate(times):
        F = advance(F, float(t) - before)
        out[k], before = F, float(t)
    return out


def norm(x, ord=None, axis=None):
    """Returns the norm of a sparse matrix, or of its rows or columns.

    `ord` of a matrix is None or 'fro' (Frobenius), 1 and -1 (columns), inf and -inf (rows) or 2 (the largest singular value); of the
    rows or columns along an `axis` it is None, 0, inf, -inf or a number. Raises TypeError for an operand that is not sparse,
    NotImplementedError for -2, ValueError for other orders. SciPy's function.
    """
    if not is_sparse(x):
        raise TypeError('norm: input is not sparse. use cupy.linalg.norm')
    if axis is None and ord in (None, 'fro', 'f'):
        data = x._summed_data()
        return cuprum.linalg.norm(data.ravel()) if x.format != 'dia' else cuprum.linalg.norm(x.tocoo(copy=False).data)
    x = x.tocsr()
    axes = (0, 1) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(not is_integer(a) for a in axes):
        raise TypeError(f'norm: axis must be None, an integer or a tuple of integers, not {axis!r}')
    if any(not -2 <= a < 2 for a in axes):
        raise ValueError(f'norm: Invalid axis {axis} for an array with shape {x.shape}')
    axes = tuple(int(a) % 2 for a in axes)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes)
    if len(axes) != 1:
        raise ValueError('norm: Improper number of dimensions to norm.')
    axis = axes[0]
    if ord == math.inf:
        return _dense(abs(x).max(axis=axis))
    if ord == -math.inf:
        return _dense(abs(x).min(axis=axis))
    if ord == 0:
        return _dense((x != 0).astype(cuprum.int64).sum(axis=axis))
    if ord == 1:
        return _dense(abs(x).sum(axis=axis))
    if ord in (2, None):
        return cuprum.sqrt(_dense(abs(x).power(2).sum(axis=axis)))
    if isinstance(ord, str):
        raise ValueError(f'norm: Invalid norm order for vectors: {ord!r}')
    return cuprum.power(_dense(abs(x).power(ord).sum(axis=axis)), 1 / ord)


def _dense(x):
    return (x.toarray() if is_sparse(x) else x).ravel()


def _matrix_norm(x, ord, axes):
    if axes[0] == axes[1]:
        raise ValueError('norm: Duplicate axes given.')
    if ord == -2:
        raise NotImplementedError('norm: the order -2 is not implemented for sparse matrices')
    if ord == 2:
        from ._eigen import svds

        return svds(x, 1, return_singular_vectors=False)[0]
    if ord in (None, 'f', 'fro'):
        return cuprum.linalg.norm(x._summed_data())
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(f'norm: Invalid norm order for matrices: {ord!r}')
    sums = _dense(abs(x).sum(axis=axes[0] if abs(ord) == 1 else axes[1]))
    return sums.max() if ord > 0 else sums.min()


def onenormest(A, t=2, itmax=5, compute_v=False, compute_w=False):
    """Returns a lower bound of the 1-norm of a square matrix or operator, which is the norm itself for a matrix and nearly always for
    an operator.

    With `compute_v` also a vector v of unit 1-norm with that norm of the product, with `compute_w` also A v, as a tuple. `t` is the number of
    columns of the iteration, `itmax` the most iterations. An operator needs products with its conjugate transpose. SciPy's function;
    N. J. Higham, F. Tisseur, "A Block Algorithm for Matrix 1-Norm Estimation", 2000.
    """
    op = square('onenormest', A)
    n = op.shape[0]
    if n <= 4 * t or not isinstance(A, LinearOperator):
        if isinstance(A, LinearOperator):
            A = cuprum.asarray(op.matmat(cuprum.eye(n, dtype=op.dtype)))
        sums = abs(A).sum(axis=0).ravel()
        best = int(sums.argmax())
    else:
        best = _largest_column(op, n, t, itmax)
    v = cuprum.zeros(n, floating(op.dtype))
    v[best] = 1
    w = cuprum.asarray(op.matvec(v))
    estimate = abs(w).sum()
    return (estimate, *([v] if compute_v else []), *([w] if compute_w else [])) if compute_v or compute_w else estimate


def _largest_column(op, n, t, itmax):
    """Returns the column of an operator whose sum of magnitudes is the largest that the block iteration finds."""
    rng = numpy.random.default_rng(0)
    X = numpy.ones((n, t)) / n
    X[:, 1:] = rng.choice([-1.0, 1.0], (n, t - 1)) / n
    dtype = floating(op.dtype)
    tried, best, best_sum = set(), 0, -1.0
    chosen = None
    X = cuprum.asarray(X).astype(dtype)
    for _ in range(max(itmax, 2)):
        Y = cuprum.asarray(op.matmat(X))
        sums = cuprum.asnumpy(abs(Y).sum(axis=0))
        if chosen is not None:
            k = int(sums.argmax())
            if sums[k] <= best_sum:
                break
            best, best_sum = chosen[k], float(sums[k])
        size = abs(Y)
        signs = cuprum.where(size == 0, 1, Y / cuprum.where(size == 0, 1, size))
        heights = cuprum.asnumpy(abs(cuprum.asarray(op.rmatmat(signs))).max(axis=1))
        order = [int(j) for j in numpy.argsort(-heights, kind='stable') if int(j) not in tried][:t]
        if not order or (chosen is not None and heights.max() <= heights[best]):
            break
        tried.update(order)
        chosen = order
        X = cuprum.zeros((n, len(order)), dtype)
        X[cuprum.asarray(order), cuprum.arange(len(order))] = 1
    return best
