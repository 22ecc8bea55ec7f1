"""Products of COO arrays with more than two axes, as products of block diagonal matrices."""

import math
import operator

import numpy

import cuprum

from ._arithmetic import is_sparse
from ._base import CLASSES
from ._utils import broadcast_shapes


def _blocks(a, batch):
    """Returns a batch of sparse matrices, broadcast to the shape of a batch, as a block diagonal matrix."""
    coo = a.tocoo(copy=False)
    if coo.shape[:-2] != batch:
        coo = coo._new(coo._sparse.broadcast_to((*batch, *coo.shape[-2:])))
    count, rows, columns = math.prod(batch), *coo.shape[-2:]
    block, row, column = coo.reshape(count, rows, columns).coords
    return coo._class('coo')((coo.data, (block * rows + row, block * columns + column)), shape=(count * rows, count * columns))


def _of_blocks(product, batch, rows, columns):
    """Returns the blocks of a block diagonal matrix as a batch."""
    coo = product.tocoo(copy=False)
    row, column = (index.astype(numpy.int64) for index in coo.coords)
    coords = (row // rows, row % rows, column % columns)
    return coo._class('coo')((coo.data, coords), shape=(math.prod(batch), rows, columns)).reshape(*batch, rows, columns)


def _batch(left, right):
    try:
        return broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise ValueError(f'matmul: operands could not be broadcast together with shapes {left.shape} and {right.shape} of batches') from None


def _checked(left, right):
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(f'matmul: shapes {left.shape} and {right.shape} do not match: {left.shape[-1]} != {right.shape[-2]}')


def matmul(left, right):
    """Returns the product of a sparse array and a sparse or dense one, whose last two axes are those of matrices."""
    if right.ndim == 1:
        if right.shape[0] != left.shape[-1]:
            raise ValueError(f'matmul: shapes {left.shape} and {right.shape} do not match: {left.shape[-1]} != {right.shape[0]}')
        return matmul(left, right.reshape(right.shape[0], 1)).reshape(left.shape[:-1])
    if left.ndim == 1:
        made = matmul(left.reshape(1, left.shape[0]), right)
        return made.reshape(*made.shape[:-2], made.shape[-1])
    _checked(left, right)
    batch = _batch(left, right)
    blocks = _blocks(left, batch)
    rows, columns = left.shape[-2], right.shape[-1]
    if is_sparse(right):
        return _of_blocks(blocks @ _blocks(right, batch), batch, rows, columns)
    dense = cuprum.broadcast_to(right, (*batch, *right.shape[-2:])).reshape(-1, columns)
    return (blocks @ dense).reshape(*batch, rows, columns)


def rmatmul(right, left):
    """Returns the product of a dense array and a sparse one, whose last two axes are those of matrices."""
    if right.ndim < 3 and 3 not in right._axes:
        raise ValueError(f'matmul: the dense operand has {left.ndim} axes: a sparse array is multiplied with one or two')
    if left.ndim == 1:
        return rmatmul(right, left.reshape(1, -1))[..., 0, :]
    if right.ndim == 1:
        return rmatmul(right.reshape(right.shape[0], 1), left)[..., 0]
    return matmul(right.mT, left.mT).mT


def _axes_of(left, right, axes):
    """Returns the axes of both operands that `tensordot` sums over."""
    try:
        count = operator.index(axes)
    except TypeError:
        pass
    else:
        if not 1 <= count <= min(left.ndim, right.ndim):
            raise ValueError(f'tensordot: axes={axes} is out of bounds for operands of {left.ndim} and {right.ndim} axes')
        return list(range(left.ndim - count, left.ndim)), list(range(count))
    if not isinstance(axes, (tuple, list)):
        raise TypeError(f'tensordot: axes must be an integer or a pair of sequences, not {axes!r}')
    if len(axes) != 2:
        raise ValueError(f'tensordot: axes must be a pair of sequences, not {len(axes)} of them')
    pair = [[one] if isinstance(one, int) else list(one) for one in axes]
    if len(pair[0]) != len(pair[1]) or any(not -x.ndim <= axis < x.ndim for x, given in zip((left, right), pair) for axis in given):
        raise ValueError(f'tensordot: axes {axes} do not fit operands of {left.ndim} and {right.ndim} axes')
    return tuple([axis % x.ndim for axis in given] for x, given in zip((left, right), pair))


def tensordot(left, right, axes):
    """Returns the sum of products along pairs of axes."""
    right = CLASSES['coo', True](right) if is_sparse(right) else cuprum.asarray(right)
    left = CLASSES['coo', True](left)
    ours, theirs = _axes_of(left, right, axes)
    if any(left.shape[a] != right.shape[b] for a, b in zip(ours, theirs)):
        raise ValueError(f'tensordot: the axes {ours} of {left.shape} and {theirs} of {right.shape} differ in length')
    kept = [[axis for axis in range(x.ndim) if axis not in used] for x, used in ((left, ours), (right, theirs))]
    shape = (*(left.shape[a] for a in kept[0]), *(right.shape[b] for b in kept[1]))
    inner = math.prod(left.shape[a] for a in ours)
    rows = left.transpose((*kept[0], *ours)).reshape(math.prod(left.shape[a] for a in kept[0]), inner)
    columns = right.transpose((*theirs, *kept[1])).reshape(inner, math.prod(right.shape[b] for b in kept[1]))
    made = rows @ columns
    if not shape:
        return made.toarray().reshape(()) if is_sparse(made) else made.reshape(())
    return made.tocoo(copy=False).reshape(shape) if is_sparse(made) else made.reshape(shape)
