"""Sparse arrays of blocks."""

import numbers

import numpy

import cuprum
from cuprum import _cuprum

from ._base import CLASSES, issparse, sparray, wrap
from ._utils import get_index_dtype


def bmat(blocks, format=None, dtype=None):
    """Returns the matrix of blocks, given as rows of sparse or dense matrices and None for zeros, in COO format by default.

    Blocks that are all CSR, or all CSC, give that format. The result is an array if a block is one. Raises ValueError for blocks whose
    lengths do not agree.
    """
    blocks = _grid(blocks)
    return _block(blocks, format, dtype, _family(blocks))


def block_array(blocks, *, format=None, dtype=None):
    """Returns the array of blocks: `bmat`, whose result is an array always."""
    return _block(_grid(blocks), format, dtype, True)


def hstack(blocks, format=None, dtype=None):
    """Joins sparse arrays side by side: `bmat` of one row."""
    if issparse(blocks):
        raise ValueError('hstack: blocks is a sparse array: give a list of them')
    blocks = [list(blocks)]
    return _block(blocks, format, dtype, _family(blocks))


def vstack(blocks, format=None, dtype=None):
    """Joins sparse arrays one below the other: `bmat` of one column."""
    if issparse(blocks):
        raise TypeError('vstack: blocks is a sparse array: give a list of them')
    blocks = [[block] for block in blocks]
    return _block(blocks, format, dtype, _family(blocks))


def _family(blocks):
    return any(isinstance(block, sparray) for row in blocks for block in row)


def _grid(blocks):
    try:
        rows = [list(row) if isinstance(row, (list, tuple)) or (isinstance(row, numpy.ndarray) and row.dtype == object) else None for row in blocks]
    except TypeError:
        rows = [None]
    if None in rows or len({len(row) for row in rows}) != 1:
        raise ValueError('bmat: blocks must be a list of lists of the same length')
    return rows


def _two_lengths(a):
    return (1, *a.shape)[-2:]


def _block(blocks, format, dtype, as_array):
    if not blocks or not blocks[0]:
        raise ValueError('bmat: there are no blocks')
    formats = {block.format if issparse(block) else None for row in blocks for block in row}
    if formats in ({'csr'}, {'csc'}) and format in (None, *formats):
        # First the blocks whose rows, or columns, are joined, then the others.
        (same,) = formats
        axis = int(same == 'csr')
        grid = blocks if axis else list(zip(*blocks))
        made = _joined([_joined(list(part), same, axis, as_array) for part in grid], same, 1 - axis, as_array)
        if len(blocks) == len(blocks[0]) == 1:
            # The result of one block shares no memory with it either.
            made = made.copy()
        return made if dtype is None else made.astype(dtype, copy=False)
    coos = [[None if block is None else CLASSES['coo', True](block) for block in row] for row in blocks]
    most = max((block.ndim for row in coos for block in row if block is not None), default=0)
    if most > 2:
        raise ValueError(f'bmat: a block has {most} axes: blocks have one or two')
    heights, widths = [0] * len(blocks), [0] * len(blocks[0])
    for i, row in enumerate(coos):
        for j, block in enumerate(row):
            if block is None:
                continue
            height, width = _two_lengths(block)
            for lengths, at, new in ((heights, i, height), (widths, j, width)):
                if lengths[at] not in (0, new):
                    what = 'rows' if lengths is heights else 'columns'
                    raise ValueError(f'bmat: block [{i}, {j}] of shape {block.shape} has {new} {what}, a block before it {lengths[at]}')
                lengths[at] = new
    shape = sum(heights), sum(widths)
    present = [(i, j, block) for i, row in enumerate(coos) for j, block in enumerate(row) if block is not None]
    if dtype is None:
        dtype = cuprum.result_type(*(block.dtype for _, _, block in present)) if present else numpy.float64
    index = get_index_dtype([block.col for _, _, block in present], maxval=max(shape))
    parts = [[cuprum.empty(0, dtype)], [cuprum.empty(0, index)], [cuprum.empty(0, index)]]
    for i, j, block in present:
        parts[0].append(block.data.astype(dtype, copy=False))
        parts[1].append(block.row.astype(index) + sum(heights[:i]))
        parts[2].append(block.col.astype(index) + sum(widths[:j]))
    data, row, col = (cuprum.concatenate(part) for part in parts)
    made = CLASSES['coo', as_array]((data, (row, col)), shape=shape)
    if format is None and formats in ({'csr'}, {'csc'}):
        (format,) = formats
    return made.asformat(format)


def _joined(blocks, format, axis, as_array):
    """Returns CSR or CSC arrays joined along an axis, in their format."""
    if len(blocks) == 1:
        return wrap(CLASSES[format, as_array], blocks[0]._two_axes(format))
    cores = [block._two_axes(format) for block in blocks]
    lengths = {core.shape[1 - axis] for core in cores}
    if len(lengths) > 1:
        what = 'rows' if axis else 'columns'
        raise ValueError(f'bmat: the blocks have {sorted(lengths)} {what}: they must have the same number')
    return wrap(CLASSES[format, as_array], _cuprum.Sparse.stack(cores, axis, format))


def block_diag(mats, format=None, dtype=None):
    """Returns the block diagonal matrix of sparse arrays, dense arrays, lists and numbers, in COO format by default.

    The result is an array if a block is a sparse array. An array of one axis is a row.
    """
    as_array = any(isinstance(a, sparray) for a in mats)
    rows, columns, data, given, height, width = [], [], [], [], 0, 0
    for a in mats:
        if isinstance(a, (list, numbers.Number)) or getattr(a, 'ndim', None) == 0:
            a = CLASSES['coo', True](cuprum.atleast_2d(cuprum.asarray(a)))
        if issparse(a):
            coo = a.tocoo(copy=False)
            row, column, values = coo.row, coo.col, coo.data
            given.append(row)
        else:
            # All elements of a dense block are stored.
            a = cuprum.asarray(a)
            row, column = cuprum.divmod(cuprum.arange(a.size), max(1, _two_lengths(a)[1]))
            values = a.ravel()
        rows.append(row.astype(numpy.int64) + height)
        columns.append(column.astype(numpy.int64) + width)
        data.append(values)
        height, width = (total + n for total, n in zip((height, width), _two_lengths(a)))
    index = get_index_dtype(given, maxval=max(height, width))
    row, column = (cuprum.concatenate(part).astype(index) for part in (rows, columns))
    made = CLASSES['coo', as_array]((cuprum.concatenate(data), (row, column)), shape=(height, width), dtype=dtype)
    return made.asformat(format)
