"""Functions of linear algebra with other rules than in the main namespace: those of the array API standard, which
NumPy has in `numpy.linalg` with the same parameters."""

from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

import cuprum
from cuprum._call_signatures import renamed

__all__ = ['complete', 'complete_main', 'complete_scipy']


class EigResult(NamedTuple):
    """The result of `eig`."""

    eigenvalues: 'cuprum.ndarray'
    eigenvectors: 'cuprum.ndarray'


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: 'cuprum.ndarray'
    eigenvectors: 'cuprum.ndarray'


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: 'cuprum.ndarray'
    R: 'cuprum.ndarray'


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: 'cuprum.ndarray'
    logabsdet: 'cuprum.ndarray'


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: 'cuprum.ndarray'
    S: 'cuprum.ndarray'
    Vh: 'cuprum.ndarray'


def cross(x1, x2, /, *, axis=-1):
    """Returns the cross product of vectors of three elements along an axis."""
    x1, x2 = _operand(x1), _operand(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f'cross: vectors of three elements are expected, and there are {x1.shape[axis]} and {x2.shape[axis]}')
    return cuprum.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    """Returns the diagonals of matrices, which are in the last two axes."""
    return cuprum.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x, /, *, offset=0, dtype=None):
    """Returns the sums along the diagonals of matrices, which are in the last two axes."""
    return cuprum.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def matmul(x1, x2, /):
    """Returns the matrix product."""
    return cuprum.matmul(x1, x2)


def matrix_transpose(x, /):
    """Transposes the last two axes."""
    return cuprum.matrix_transpose(x)


def outer(x1, x2, /):
    """Returns the outer product of two vectors."""
    x1, x2 = _operand(x1), _operand(x2)
    for x in (x1, x2):
        if x.ndim != 1:
            raise ValueError(f'outer: vectors are expected, and there is an array with {x.ndim} axes')
    return cuprum.multiply(x1[:, None], x2[None, :])


def vecdot(x1, x2, /, *, axis=-1):
    """Returns the inner product along an axis, of which the first operand is conjugated."""
    return cuprum.vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """Contracts axes of both arrays: the sums of products of their elements."""
    return cuprum.tensordot(x1, x2, axes=axes)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Returns the norm of vectors: of all elements, or along axes."""
    x = _operand(x)
    if axis is None:
        result = cuprum.linalg.norm(x.ravel(), ord)
        return result.reshape((1,) * x.ndim) if keepdims else result
    if not isinstance(axis, tuple):
        return cuprum.linalg.norm(x, ord, axis, keepdims)
    axes = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
    others = [n for n in range(x.ndim) if n not in axes]
    # The axes of the norm are merged, at the end.
    flat = x.transpose(*others, *axes).reshape(*(x.shape[n] for n in others), -1)
    result = cuprum.linalg.norm(flat, ord, -1)
    return result.reshape([1 if n in axes else length for n, length in enumerate(x.shape)]) if keepdims else result


def matrix_norm(x, /, *, keepdims=False, ord='fro'):
    """Returns the norm of matrices, which are in the last two axes."""
    return cuprum.linalg.norm(x, None if ord == 'fro' else ord, (-2, -1), keepdims)


# Exponents beyond the library's integers are split into steps of this power.
STEP = 2**62


def _matrix_power(own):
    def matrix_power(a, n):
        """Raises a square matrix to the power `n`: an integer of any size."""
        try:
            return own(a, n)
        except OverflowError:
            n = int(n)
        if n < 0:
            a, n = cuprum.linalg.inv(a), -n
        steps, rest = divmod(n, STEP)
        return cuprum.matmul(matrix_power(own(a, STEP), steps), own(a, rest))

    return matrix_power


WRITTEN = (cross, diagonal, trace, matmul, matrix_transpose, outer, tensordot, vecdot, vector_norm, matrix_norm)


def complete(linalg):
    """Adds missing names to the namespace of linear algebra; existing names are kept."""
    for function in WRITTEN:
        if function.__name__ not in linalg:
            function.__module__ = 'cuprum.linalg'
            linalg[function.__name__] = function
    linalg.setdefault('LinAlgError', LinAlgError)
    power = renamed(_matrix_power(linalg['matrix_power']), M='a')
    power.__module__, power.__qualname__ = 'cuprum.linalg', 'matrix_power'
    linalg['matrix_power'] = power


def _operand(a):
    return cuprum.asarray(a) if isinstance(a, (list, tuple)) or np.isscalar(a) else a


def _subscripts(operands):
    """Returns the subscripts as a string, and the arrays: from a string and arrays, or from arrays each with a list
    of numbers."""
    if not operands:
        raise ValueError('einsum: there is no operand')
    if isinstance(operands[0], str):
        return operands[0], [_operand(a) for a in operands[1:]]
    letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    arrays = [_operand(a) for a in (operands[:-1:2] if len(operands) % 2 else operands[::2])]
    lists = list(operands[1::2]) + ([operands[-1]] if len(operands) % 2 else [])
    if any(axis is not Ellipsis and not 0 <= axis < len(letters) for axes in lists for axis in axes):
        raise ValueError('einsum: an axis is an Ellipsis or a number from 0 to 51')
    texts = [''.join('...' if axis is Ellipsis else letters[axis] for axis in axes) for axes in lists]
    named = ','.join(texts[: len(arrays)])
    return (f'{named}->{texts[-1]}' if len(operands) % 2 else named), arrays


def complete_main(namespace):
    """Wraps functions of the main namespace with NumPy's signatures."""
    own = namespace['einsum']

    def einsum(*operands, out=None, dtype=None, casting='safe', order='K', optimize=False):
        """Computes sums of products over labelled axes: `einsum('ij,jk->ik', a, b)`, or `einsum(a, [0, 1], b, [1,
        2], [0, 2])`."""
        order = order.upper() if isinstance(order, str) else order
        if order not in ('K', 'A', 'C', 'F'):
            raise ValueError(f"einsum: order is {order!r}: it must be one of 'K', 'A', 'C' and 'F'")
        subscripts, arrays = _subscripts(operands)
        result = own(subscripts, arrays, out, dtype, casting, optimize)
        if out is not None or result.base is not None:
            # `order` does not apply to a view.
            return result
        if order == 'A':
            order = 'F' if all(cuprum.asarray(a).flags.f_contiguous for a in arrays) else 'C'
        return cuprum.asarray(result, order=order) if order in 'CF' else result

    def einsum_path(*operands, optimize='greedy', einsum_call=False):
        """Returns the order in which `einsum` contracts its operands: a list that begins with `'einsum_path'`, and
        a description."""
        subscripts, arrays = _subscripts(operands)
        arrays = [cuprum.asarray(a) for a in arrays]
        if isinstance(optimize, tuple) and optimize and isinstance(optimize[0], str) and optimize[0] != 'einsum_path':
            # A memory limit after the name does not affect pairwise contractions.
            optimize = optimize[0]
        if optimize is False or optimize is None:
            path, description = [tuple(range(len(arrays)))], f'contraction: {subscripts}\nall operands at once\n'
        else:
            steps = optimize if isinstance(optimize, (str, bool)) else [list(step) for step in optimize if step != 'einsum_path']
            path, description = cuprum._cuprum.einsum_path(subscripts, arrays, steps)
        return ['einsum_path', *map(tuple, path)], description

    for function in (einsum, einsum_path):
        function.__module__, function.__qualname__ = 'cuprum', function.__name__
        namespace[function.__name__] = function


def _finite(check, *arrays):
    """Rejects infinities and NaNs, if requested. This synchronises."""
    for a in arrays:
        if check and not cuprum.isfinite(cuprum.asarray(a)).all():
            raise ValueError('array must not contain infs or NaNs')


def _with_vectors(a, b, solve):
    """Solves for right-hand sides that are matrices, or one vector for each matrix of a batch."""
    shape = np.shape(a)
    if len(shape) > 2 and np.shape(b) == shape[:-1]:
        return solve(cuprum.asarray(b)[..., None])[..., 0]
    return solve(b)


def complete_scipy(linalg):
    """Wraps functions with SciPy's signatures: factors as a pair, checks and permission to overwrite."""
    own = {name: linalg[name] for name in ('lu', 'lu_factor', 'lu_solve', 'cho_factor', 'cho_solve', 'solve_triangular')}

    def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
        """Returns the LU factorisation of matrices: a permutation, a lower and an upper triangle."""
        _finite(check_finite, a)
        return own['lu'](a, permute_l, p_indices)

    def lu_factor(a, overwrite_a=False, check_finite=True):
        """Returns the LU factorisation of a square matrix with both triangles in one array, and the pivots, for
        `lu_solve`."""
        _finite(check_finite, a)
        return own['lu_factor'](a)

    def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
        """Solves linear systems with the factors of `lu_factor`. One vector for each matrix of a batch is a batch
        of vectors, as in CuPy."""
        lu, piv = lu_and_piv
        _finite(check_finite, lu, b)
        return _with_vectors(lu, b, lambda b: own['lu_solve'](lu, piv, b, trans))

    def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
        """Returns the Cholesky factor of a matrix and whether it is the lower triangle, for `cho_solve`."""
        _finite(check_finite, a)
        return own['cho_factor'](a, lower)

    def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
        """Solves linear systems with the factor of `cho_factor`."""
        c, lower = c_and_lower
        _finite(check_finite, c, b)
        return own['cho_solve'](c, b, lower)

    def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
        """Solves linear systems with triangular matrices. One vector for each matrix of a batch is a batch of
        vectors, as in CuPy."""
        _finite(check_finite, a, b)
        trans = {'N': 0, 'T': 1, 'C': 2}.get(trans, trans)
        return _with_vectors(a, b, lambda b: own['solve_triangular'](a, b, trans, lower, unit_diagonal))

    linalg.setdefault('LinAlgError', LinAlgError)
    for function in (lu, lu_factor, lu_solve, cho_factor, cho_solve, solve_triangular):
        function.__module__ = 'cuprum.scipy.linalg'
        function.__qualname__ = function.__name__
        linalg[function.__name__] = function
    # Functions of the main namespace that are in SciPy's `linalg`, too.
    for name in ('kron', 'tri', 'tril', 'triu'):
        linalg.setdefault(name, getattr(cuprum, name))
