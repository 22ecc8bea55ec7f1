"""DIA arrays: diagonals as rows of a dense array."""

import numpy

import cuprum

from cuprum import _cuprum

from ._arithmetic import is_sparse
from ._base import CLASSES, Sparse, sparray
from ._matrix import spmatrix
from ._utils import as_array, check_shape, data_dtype, get_index_dtype, is_scalar


class DiaBase(Sparse):
    """Methods of DIA arrays."""

    _format = 'dia'

    def _core_of_parts(self, parts, shape, dtype, copy):
        if len(parts) != 2:
            raise ValueError(f'unrecognized {type(self).__name__} constructor input: a tuple of {len(parts)} is not (data, offsets)')
        if shape is None:
            raise ValueError(f'{type(self).__name__}: the shape cannot be inferred from diagonals: give shape')
        lengths = check_shape((shape,))
        data = cuprum.atleast_2d(as_array(parts[0], copy=copy))
        data = data if dtype is None else data.astype(dtype, copy=False)
        data_dtype(data.dtype)
        offsets = cuprum.atleast_1d(as_array(parts[1], copy=copy)).astype(get_index_dtype(maxval=max(lengths)), copy=False)
        if offsets.ndim != 1 or data.ndim != 2 or data.shape[0] != offsets.size:
            raise ValueError(
                f'{type(self).__name__}: data of shape {data.shape} and offsets of shape {offsets.shape} do not match: data has a row for each offset'
            )
        if offsets.size != cuprum.unique(offsets).size:
            raise ValueError(f'{type(self).__name__}: offsets {offsets} has a repeated element')
        return _cuprum.Sparse.dia(data, offsets, lengths)

    def _dense_argument(self, arg1):
        a = super()._dense_argument(arg1)
        if a.ndim != 2:
            error = TypeError if isinstance(self, spmatrix) else ValueError
            raise error(f'{type(self).__name__}: a dense array of {a.ndim} axes has no dia format')
        return a

    def _core_of_dense(self, a, shape, dtype):
        if shape is not None and check_shape((shape,)) != a.shape:
            raise ValueError(f'{type(self).__name__}: the dense array has shape {a.shape}, not {shape}')
        return super()._core_of_dense(a, None, dtype)

    def _parts(self):
        return self.data, self.offsets

    def _stored_text(self):
        return f'{self.nnz} stored elements ({self.offsets.size} diagonals)'

    @property
    def offsets(self):
        """Number of the diagonal that each row of `data` holds: 0 is the main one, k starts at column k."""
        return self._sparse.offsets()

    @offsets.setter
    def offsets(self, values):
        self._sparse = _cuprum.Sparse.dia(self.data, cuprum.asarray(values), self.shape)

    def _getnnz(self, axis=None):
        if axis is not None:
            raise NotImplementedError('getnnz: a DIA array counts no elements along an axis: use tocsr()')
        return self.nnz

    def count_nonzero(self, axis=None):
        """Counts the elements that are not zero. NotImplementedError for an axis: use `tocsr()`."""
        if axis is not None:
            raise NotImplementedError('count_nonzero: a DIA array counts no elements along an axis: use tocsr()')
        return cuprum.count_nonzero(self.tocsr().data)

    def _resize(self, lengths):
        data, (rows, _) = self.data[:, : lengths[1]], self.shape
        if lengths[0] > rows:
            # Values below the last row were not elements.
            data = cuprum.where(self.offsets[:, None] + rows <= cuprum.arange(data.shape[1]), cuprum.zeros((), data.dtype), data)
        self._sparse = _cuprum.Sparse.dia(data, self.offsets, lengths)

    def _set_diagonal(self, values, k, length):
        first, offsets, data = max(k, 0), self.offsets, self.data
        at = cuprum.flatnonzero(offsets == k)
        new_rows = 0 if at.size else 1
        more = max(0, first + length - data.shape[1])
        data = cuprum.pad(data, ((0, new_rows), (0, more)))
        data[int(at[0]) if at.size else -1, first : first + length] = values.astype(data.dtype, copy=False)
        offsets = offsets if at.size else cuprum.append(offsets, k).astype(offsets.dtype)
        self._sparse = _cuprum.Sparse.dia(data, offsets, self.shape)

    def _row(self, i):
        return self.tocsr()._row(i)

    def _column(self, j):
        return self.tocsr()._column(j)

    def _sum_with_sparse(self, other, name):
        if other._format != 'dia':
            return other._binary(self, name) if name == 'add' else self._binary(other, name)
        return self._diagonals(other, getattr(cuprum, name))

    def _diagonals(self, other, function):
        """Returns a sum of two DIA arrays: the diagonals of both."""
        from_both = cuprum.union1d(self.offsets, other.offsets)
        width = min(self.shape[1], max(self.data.shape[1], other.data.shape[1]))

        def spread(a):
            data = cuprum.zeros((from_both.size, width), dtype=a.dtype)
            shown = a.data[:, :width]
            data[cuprum.searchsorted(from_both, a.offsets), : shown.shape[1]] = shown
            return data

        return self._of_diagonals(function(spread(self), spread(other)), from_both, self.shape)

    def _of_diagonals(self, data, offsets, shape):
        return self._new(_cuprum.Sparse.dia(data, offsets.astype(get_index_dtype(maxval=max(shape))), shape))

    def multiply(self, other):
        """Multiplies by a number, or by the elements of a sparse or dense array.

        The result is in DIA format where `other` is a number, dense, or a DIA array of the same shape; else it is that of a CSR array.
        """
        if is_scalar(other):
            return self._mul_scalar(other)
        if is_sparse(other):
            if other._format == 'dia' and other.shape == self.shape:
                return self._common_diagonals(other)
        elif isinstance(other, cuprum.ndarray) and other.ndim <= 2 and min(self.shape) > 1 and 0 not in other.shape:
            return self._multiply_diagonals(other)
        return super().multiply(other)

    def _multiply_diagonals(self, other):
        """Multiplies each diagonal by the elements of a dense array."""
        rows, columns = self.shape
        other = cuprum.atleast_2d(other)
        if other.shape[0] not in (1, rows) or other.shape[1] not in (1, columns):
            raise ValueError(f'multiply: inconsistent shapes {self.shape} and {other.shape}')
        width = min(self.data.shape[1], columns)
        column = cuprum.arange(width)
        row = (column - self.offsets[:, None]) % rows
        factors = other[row if other.shape[0] > 1 else 0, column if other.shape[1] > 1 else 0]
        return self._new(_cuprum.Sparse.dia(self.data[:, :width] * factors, self.offsets, self.shape))

    def _common_diagonals(self, other):
        """Returns the product of the elements of two DIA arrays: the diagonals that both have."""
        common = cuprum.intersect1d(self.offsets, other.offsets)
        width = min(self.data.shape[1], other.data.shape[1])

        def of(a):
            order = cuprum.argsort(a.offsets)
            return a.data[order[cuprum.searchsorted(a.offsets[order], common)], :width]

        return self._of_diagonals(of(self) * of(other), common, self.shape)

    def _matmul_sparse(self, other):
        made = super()._matmul_sparse(other)
        if other._format != 'dia':
            return made
        # Each sum of two offsets is stored, also a diagonal whose products are all zero.
        offsets = cuprum.unique(self.offsets.astype(numpy.int64)[:, None] + other.offsets.astype(numpy.int64))
        # Columns from `width` on have no elements.
        width = min(made.shape[1], other.data.shape[1])
        offsets = offsets[(offsets > -made.shape[0]) & (offsets < width)]
        product = made.tocoo(copy=False)
        row, column = product.coords
        data = cuprum.zeros((offsets.size, width), made.dtype)
        data[cuprum.searchsorted(offsets, column.astype(numpy.int64) - row), column] = product.data
        return self._of_diagonals(data, offsets, made.shape)


class dia_array(DiaBase, sparray):
    """Sparse array of diagonals, of two axes.

    It is made of a dense array, of a sparse array of any format (SciPy's, too, which is copied from the host), of a shape for an
    array without elements, or of `(data, offsets)` with `shape`: `data[i, j]` is the element of column `j` of diagonal `offsets[i]`. `dtype`
    defaults to that of the data. `copy` copies arrays that would be shared. Raises ValueError for arguments that do not fit together, and
    for an offset that is repeated.

    It is SciPy's class of the same name, with every dtype of this package, float16 and bfloat16 among them.
    """


class dia_matrix(spmatrix, DiaBase):
    """Sparse matrix of diagonals. Its arguments are those of `dia_array`; `*` is the product of matrices."""


def isspmatrix_dia(x):
    """Tests for a `dia_matrix`."""
    return isinstance(x, dia_matrix)


CLASSES.update({('dia', True): dia_array, ('dia', False): dia_matrix})
