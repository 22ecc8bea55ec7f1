"""Indexing of CSR and CSC arrays."""

import warnings

import numpy

import cuprum

from . import _keys
from ._arithmetic import is_sparse
from ._utils import SparseEfficiencyWarning, assigned_value


class Indexing:
    """`A[key]` and `A[key] = x` of the formats whose rows or columns are found by a pointer."""

    def __getitem__(self, key):
        if type(key) is slice and not self._one_axis:
            # Rows, which need no parsed key.
            return self._new(self._selected(_keys.selector(key, self._sparse.shape[0]), None))
        if type(key) is cuprum.ndarray and key.ndim == 1 and key.dtype.kind in 'iu' and not self._one_axis:
            # The kernels check a list on the device.
            return self._new(self._sparse.select(_keys.selector(key, None), None))
        key = _keys.parse(key, self.shape)
        if len(key.shape) > 2:
            raise IndexError(f'the result would have {len(key.shape)} axes: in {self._format} format it has at most two, use tocoo()')
        if self.ndim == 1:
            return self._get_of_one_axis(key)
        row, col = key.parts
        rows, cols = self.shape
        if isinstance(row, int) and isinstance(col, int) and key.shape == ():
            return self._sparse.points([cuprum.asarray(row), cuprum.asarray(col)])
        if len(key.arrays) == 2 and not _is_outer(row, col):
            return self._get_points(key)
        for array, other in ((row, col), (col, row)):
            if isinstance(other, slice) and getattr(array, 'ndim', 0) > 1:
                raise IndexError('an index array of two axes with a slice would give more than two axes')
        found = self._new(self._selected(_keys.selector(row, rows), _keys.selector(col, cols)))
        return self._shaped(found, key.shape)

    def _selected(self, rows, columns):
        """Returns the core of chosen rows and columns, a copy where all are chosen: None."""
        return self._sparse.copy() if rows is None and columns is None else self._sparse.select(rows, columns)

    def _shaped(self, found, shape):
        """Gives a result the shape that the key says; a matrix keeps two axes."""
        if self._keeps_axes() and len(shape) < 2:
            return found
        return found if found.shape == shape else found.reshape(shape)

    def _get_points(self, key):
        row, col = (_keys.on_device(part, n) for part, n in zip(key.parts, self.shape))
        row, col = cuprum.broadcast_arrays(row, col)
        if row.size == 0:
            empty = type(self)((1, 0) if row.ndim == 1 else row.shape, dtype=self.dtype)
            return self._shaped(empty, key.shape)
        values = self._sparse.points([row, col])
        if row.ndim == 2:
            return type(self)(values)
        if self._keeps_axes():
            return values.reshape(key.shape if len(key.shape) == 2 else (1, -1))
        return values.reshape(key.shape)

    def _get_of_one_axis(self, key):
        (part,) = key.parts
        (length,) = self.shape
        if isinstance(part, int) and key.shape == ():
            return self._sparse.points([cuprum.asarray(0), cuprum.asarray(part)])
        found = self._new(self._selected(None, _keys.selector(part, length)), one_axis=True)
        if found.shape == key.shape:
            return found
        found = found.reshape(key.shape)
        return found if key.new_axes else found.tocsr()

    def __setitem__(self, key, x):
        key = _keys.parse(key, self.shape)
        one = self.ndim == 1
        parts, shape = ((0, *key.parts), (1, *self.shape)) if one else (key.parts, self.shape)
        i, j = _positions(parts, shape)
        before = self.nnz
        if is_sparse(x) and not one:
            if 0 in x.shape:
                return
            self._set_sparse(i, j, x)
        else:
            x = x.toarray() if is_sparse(x) else assigned_value(x, self.dtype)
            if all(isinstance(part, int) for part in parts) and x.size != 1:
                raise ValueError('an element is set to one number, not to a sequence')
            i, j, x = _broadcast_value(i, j, x)
            if x.size:
                self._sparse = self._sparse.set_points([i.ravel(), j.ravel()], x.ravel())
        if self.nnz != before:
            warnings.warn(
                f'the assignment changed which elements a {type(self).__name__} stores, which builds it anew: assign many elements at once',
                SparseEfficiencyWarning,
                stacklevel=2,
            )

    def _set_sparse(self, i, j, x):
        """Sets elements to those of a sparse array: what it does not store becomes zero, and stays stored if it was."""
        i, j = cuprum.broadcast_arrays(*cuprum.atleast_2d(i, j))
        coo = x.tocoo(copy=True)
        if coo.ndim == 1:
            coo = coo.reshape(1, coo.shape[0])
        coo.sum_duplicates()
        if any(n not in (1, m) for n, m in zip(coo.shape, i.shape)):
            raise ValueError(f'shape mismatch: a sparse array of shape {x.shape} cannot be assigned to elements of shape {i.shape}')
        if coo.shape != i.shape:
            coo = coo._new(coo._sparse.broadcast_to(i.shape))
        row, col = self._sparse.to_format('coo').coords()
        width = self.shape[1]
        changed = cuprum.isin(row.astype(numpy.int64) * width + col, (i.astype(numpy.int64) * width + j).ravel())
        core = self._sparse.with_data(cuprum.where(changed, cuprum.zeros((), self.dtype), self.data))
        if coo.nnz:
            at = (coo.row, coo.col)
            core = core.set_points([i[at], j[at]], coo.data.astype(self.dtype, copy=False))
        self._sparse = core

    def _row(self, i):
        return self._line(i, 0)

    def _column(self, j):
        return self._line(j, 1)

    def _line(self, at, axis):
        if self.ndim == 1:
            raise ValueError('an array of one axis has no rows and columns: use A[j]')
        length = self.shape[axis]
        at = int(at)
        if not -length <= at < length:
            raise IndexError(f'index {at} is out of bounds for an axis of length {length}')
        select = (at % length, 1, 1)
        found = self._new(self._sparse.select(*((select, None) if axis == 0 else (None, select))))
        return found.tocsr() if axis == 0 else found


def _is_outer(row, col):
    """Tests for a column of row indices with a row of column indices: each row with each column."""
    return row.ndim == 2 and row.shape[1] == 1 and (col.ndim == 1 or col.shape[0] == 1)


def _positions(parts, shape):
    """Returns index arrays of the rows and of the columns of the elements that are set, which broadcast together."""
    row, col = parts

    def of(part, length):
        if isinstance(part, slice):
            return cuprum.arange(*part.indices(length))
        return cuprum.atleast_1d(_keys.on_device(part, length))

    i, j = of(row, shape[0]), of(col, shape[1])
    if isinstance(row, slice):
        i = i[:, None]
    if isinstance(col, slice):
        j = j[None, :]
        if i.ndim == 1:
            i = i[:, None]
    return i, j


def _broadcast_value(i, j, x):
    """Broadcasts positions and what is assigned to one shape."""
    i, j = cuprum.broadcast_arrays(i, j)
    squeezed = tuple(n for n in x.shape if n != 1)
    if squeezed == tuple(n for n in i.shape if n != 1):
        x = x.reshape(i.shape)
    else:
        x = cuprum.broadcast_to(x, i.shape)
    return i, j, x
