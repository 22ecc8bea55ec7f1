"""Sparse arrays with a regular structure: identities, diagonals, triangles, Kronecker products; axes moved."""

import operator

import numpy

import cuprum

from ._base import CLASSES, family
from ._utils import get_index_dtype, is_integer, is_scalar


def coo_of(a, as_array):
    """Returns an operand as a COO array, or matrix."""
    return CLASSES['coo', as_array](a)


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """Returns an array of shape (m, n) with ones on diagonal number `k`, in DIA format by default."""
    return _eye(m, n, k, dtype, format, True)


def eye(m, n=None, k=0, dtype=float, format=None):
    """Returns a matrix of shape (m, n) with ones on diagonal number `k`, in DIA format by default; `eye_array` returns an array."""
    return _eye(m, n, k, dtype, format, False)


def identity(n, dtype='d', format=None):
    """Returns the identity matrix of shape (n, n), in DIA format by default."""
    return eye(n, n, dtype=dtype, format=format)


def _eye(m, n, k, dtype, format, as_array):
    m, n = int(m), int(m if n is None else n)
    if m == n and k == 0 and format in ('csr', 'csc', 'coo'):
        index = cuprum.arange(n + 1, dtype=get_index_dtype(maxval=n))
        ones, column = cuprum.ones(n, dtype=dtype), index[:n]
        parts = (ones, (column, column)) if format == 'coo' else (ones, column, index)
        return CLASSES[format, as_array](parts, shape=(n, n))
    ones = cuprum.ones((1, max(0, min(m + k, n))), dtype=dtype)
    make = diags_array if as_array else diags
    return make(ones, offsets=[k], shape=(m, n), dtype=dtype).asformat(format)


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=numpy._NoValue):
    """Returns an array with given diagonals, in DIA format by default.

    `diagonals` has an array, or one number for all elements, for each of `offsets`; an offset of k > 0 starts at column k. `shape`
    defaults to a square that holds the first diagonal. `dtype` defaults to a floating-point dtype, float64 for integers; None is the one
    to which the diagonals are promoted. Raises ValueError for another length or number of diagonals, and for an offset outside of the shape.
    """
    if is_scalar(offsets):
        if len(diagonals) and not is_scalar(diagonals[0]):
            raise ValueError('diags: several diagonals need an offset each')
        diagonals = [cuprum.atleast_1d(cuprum.asarray(diagonals))]
    else:
        diagonals = [cuprum.atleast_1d(cuprum.asarray(d)) for d in diagonals]
    offsets = [_offset(k) for k in numpy.atleast_1d(_on_host(offsets))]
    if len(diagonals) != len(offsets):
        raise ValueError(f'diags: there are {len(diagonals)} diagonals and {len(offsets)} offsets')
    if shape is None:
        m = len(diagonals[0]) + abs(offsets[0])
        shape = m, m
    m, n = (operator.index(length) for length in shape)
    if dtype is numpy._NoValue:
        dtype = cuprum.common_type(*diagonals)
    elif dtype is None:
        dtype = cuprum.result_type(*diagonals)
    width = max(0, max((min(m + k, n - k) + max(0, k) for k in offsets), default=0))
    data = cuprum.zeros((len(offsets), width), dtype=dtype)
    for row, (diagonal, k) in enumerate(zip(diagonals, offsets)):
        length, first = min(m + k, n - k, m, n), max(0, k)
        if length < 0:
            raise ValueError(f'diags: offset {k} is outside of the shape {(m, n)}')
        if diagonal.shape[-1] < length and diagonal.shape[-1] != 1:
            raise ValueError(f'diags: diagonal {k} of the shape {(m, n)} has {length} elements, {diagonal.shape[-1]} are given')
        data[row, first : first + length] = diagonal[..., :length]
    return CLASSES['dia', True]((data, offsets), shape=(m, n)).asformat(format)


def _offset(k):
    try:
        return operator.index(k)
    except TypeError:
        raise TypeError(f'diags: offsets must be integers, not {k!r}') from None


def _on_host(x):
    return x.get() if isinstance(x, cuprum.ndarray) else x


def diags(diagonals, offsets=0, shape=None, format=None, dtype=numpy._NoValue):
    """Returns a matrix with given diagonals; `diags_array`, whose arguments it has, returns an array."""
    made = diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)
    return CLASSES['dia', False](made).asformat(format)


def spdiags(data, diags, m=None, n=None, format=None):
    """Returns a matrix of shape (m, n) whose diagonals are rows of an array: column `j` of a row is in column `j` of the matrix.

    `m` may be the shape; without both the matrix is square.
    """
    if m is None and n is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return CLASSES['dia', False]((data, diags), shape=(m, n)).asformat(format)


def _triangle(A, k, format, compare):
    coo = coo_of(A, family(A))
    inside = compare(coo.row.astype(numpy.int64) + k, coo.col)
    made = type(coo)((coo.data[inside], (coo.row[inside], coo.col[inside])), shape=coo.shape, dtype=coo.dtype)
    return made.asformat(format)


def tril(A, k=0, format=None):
    """Returns the elements on and below diagonal number `k`, in COO format by default."""
    return _triangle(A, k, format, operator.ge)


def triu(A, k=0, format=None):
    """Returns the elements on and above diagonal number `k`, in COO format by default."""
    return _triangle(A, k, format, operator.le)


def find(A):
    """Returns the rows, the columns and the values of the elements that are not zero; duplicates are added. It synchronises."""
    coo = coo_of(A, True).copy()
    coo.sum_duplicates()
    nonzero = coo.data != 0
    return coo.row[nonzero], coo.col[nonzero], coo.data[nonzero]


def kron(A, B, format=None):
    """Returns the Kronecker product, in COO format by default. The result is an array if an operand is one."""
    A, B = coo_of(A, family(A, B)), coo_of(B, family(A, B))
    lead = A.ndim - B.ndim
    ones = [(1,) * max(0, -lead) + A.shape, (1,) * max(0, lead) + B.shape]
    shape = tuple(a * b for a, b in zip(*ones))
    if 0 in (A.nnz, B.nnz):
        return type(A)(shape).asformat(format)
    ours, theirs = (x if x.shape == full else x.reshape(full) for x, full in zip((A, B), ones))
    index = get_index_dtype(ours.coords, maxval=max(shape))
    coords = [(a.astype(index)[:, None] * n + b).ravel() for a, b, n in zip(ours.coords, theirs.coords, theirs.shape)]
    data = (ours.data[:, None] * theirs.data).ravel()
    return type(A)((data, coords), shape=shape).asformat(format)


def kronsum(A, B, format=None):
    """Returns the Kronecker sum of square matrices: ``kron(I, A) + kron(B, I)``, in CSR format by default.

    Raises ValueError for operands that are not square.
    """
    as_array = family(A, B)
    A, B = coo_of(A, as_array), coo_of(B, as_array)
    for name, x in (('A', A), ('B', B)):
        if x.ndim != 2 or x.shape[0] != x.shape[1]:
            raise ValueError(f'kronsum: {name} has shape {x.shape}: a square matrix is needed')
    dtype = numpy.dtype(cuprum.result_type(A.dtype, B.dtype))
    inner, outer = (_eye(n, n, 0, dtype, 'coo', as_array) for n in (B.shape[0], A.shape[0]))
    return (kron(inner, A, 'coo') + kron(B, outer, 'coo')).asformat(format)


# Axes.


def expand_dims(A, /, *, axis=0):
    """Returns a COO array with a new axis of length 1. Raises ValueError for an axis out of range."""
    if not is_integer(axis):
        raise ValueError(f'expand_dims: axis must be an integer, not {axis!r}')
    at = axis if axis >= 0 else axis + A.ndim + 1
    if not 0 <= at <= A.ndim:
        raise ValueError(f'expand_dims: axis {axis} is out of range for an array of {A.ndim} axes')
    coo = coo_of(A, True)
    expanded = coo.reshape(*A.shape[:at], 1, *A.shape[at:], copy=True)
    return expanded._new(expanded._sparse.with_index_dtype(coo.coords[0].dtype))


def permute_dims(A, axes=None, copy=False):
    """Returns a COO array with its axes in the order `axes`, by default in reverse order; itself if the order does not change.

    Raises ValueError for axes that are no permutation, TypeError for axes that are no integers.
    """
    ndim = A.ndim
    if axes is None:
        axes = range(ndim)[::-1]
    axes = list(axes)
    if len(axes) != ndim:
        raise ValueError(f'permute_dims: {len(axes)} axes are given for an array of {ndim}')
    if not all(is_integer(axis) for axis in axes):
        raise TypeError(f'permute_dims: axes must be integers, not {axes}')
    axes = [operator.index(axis) for axis in axes]
    if any(not -ndim <= axis < ndim for axis in axes):
        raise ValueError(f'permute_dims: an axis of {axes} is out of range for an array of {ndim} axes')
    axes = [axis % ndim for axis in axes]
    if len(set(axes)) != ndim:
        raise ValueError(f'permute_dims: axes {axes} has a repeated entry')
    if axes == list(range(ndim)):
        return A.copy() if copy else A
    coo = A.tocoo(copy=copy)
    return coo._new(coo._sparse.transpose(axes))


def swapaxes(A, axis1, axis2):
    """Returns a COO array with two axes exchanged. Raises ValueError for an axis out of range."""
    if any(not -A.ndim <= axis < A.ndim for axis in (axis1, axis2)):
        raise ValueError(f'swapaxes: an axis of {axis1}, {axis2} is out of range for an array of {A.ndim} axes')
    axes = list(range(A.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(A, axes, copy=True)


def matrix_transpose(A):
    """Returns the array with its last two axes exchanged: `A.mT`. Raises ValueError for an array of one axis."""
    return A.mT
