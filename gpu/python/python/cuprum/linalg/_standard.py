"""Functions of linear algebra with other rules than in the main namespace: those of the array API standard, which
NumPy has in `numpy.linalg` with the same parameters."""

import numpy as np

import cuprum
from cuprum._decorators import set_module

__all__ = ['cross', 'diagonal', 'matmul', 'matrix_norm', 'matrix_transpose', 'outer', 'tensordot', 'trace', 'vecdot', 'vector_norm']


def _operand(a):
    return cuprum.asarray(a) if isinstance(a, (list, tuple)) or np.isscalar(a) else a


@set_module('cuprum.linalg')
def cross(x1, x2, /, *, axis=-1):
    """Returns the cross product of vectors of three elements along an axis."""
    x1, x2 = _operand(x1), _operand(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f'cross: vectors of three elements are expected, and there are {x1.shape[axis]} and {x2.shape[axis]}')
    return cuprum.cross(x1, x2, axis=axis)


@set_module('cuprum.linalg')
def diagonal(x, /, *, offset=0):
    """Returns the diagonals of matrices, which are in the last two axes."""
    return cuprum.diagonal(x, offset, axis1=-2, axis2=-1)


@set_module('cuprum.linalg')
def trace(x, /, *, offset=0, dtype=None):
    """Returns the sums along the diagonals of matrices, which are in the last two axes."""
    return cuprum.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


@set_module('cuprum.linalg')
def matmul(x1, x2, /):
    """Returns the matrix product."""
    return cuprum.matmul(x1, x2)


@set_module('cuprum.linalg')
def matrix_transpose(x, /):
    """Transposes the last two axes."""
    return cuprum.matrix_transpose(x)


@set_module('cuprum.linalg')
def outer(x1, x2, /):
    """Returns the outer product of two vectors."""
    x1, x2 = _operand(x1), _operand(x2)
    for x in (x1, x2):
        if x.ndim != 1:
            raise ValueError(f'outer: vectors are expected, and there is an array with {x.ndim} axes')
    return cuprum.multiply(x1[:, None], x2[None, :])


@set_module('cuprum.linalg')
def tensordot(x1, x2, /, *, axes=2):
    """Contracts axes of both arrays: the sums of products of their elements."""
    return cuprum.tensordot(x1, x2, axes=axes)


@set_module('cuprum.linalg')
def vecdot(x1, x2, /, *, axis=-1):
    """Returns the inner product along an axis, of which the first operand is conjugated."""
    return cuprum.vecdot(x1, x2, axis=axis)


@set_module('cuprum.linalg')
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


@set_module('cuprum.linalg')
def matrix_norm(x, /, *, keepdims=False, ord='fro'):
    """Returns the norm of matrices, which are in the last two axes."""
    return cuprum.linalg.norm(x, None if ord == 'fro' else ord, (-2, -1), keepdims)
