"""Reductions of sparse arrays: sums, means, extrema and their indices, counts."""

import math

import numpy

import cuprum

from ._utils import check_axis, sum_dtype


class Reductions:
    """Reductions of all formats. Their results are dense but for `max` and `min` along an axis."""

    # Arrays of results.

    def _keeps_axes(self):
        """Tests for a matrix, whose reductions have two axes."""
        from ._matrix import spmatrix

        return isinstance(self, spmatrix)

    def _reduced(self, op, axes, dtype=None):
        """Returns a dense reduction along axes, all for None, without these axes."""
        core = self._sparse
        if axes is None:
            return core.reduce(op, None, dtype)
        if len(axes) > 1:
            flat, shape = self._grouped(axes)
            return flat._sparse.reduce(op, 1, dtype).reshape(shape)
        return core.reduce(op, axes[0], dtype)

    def _grouped(self, axes):
        """Returns the array as one of two axes, of which the second runs through `axes`, and the shape of the others."""
        others = [axis for axis in range(self.ndim) if axis not in axes]
        shape = tuple(self.shape[axis] for axis in others)
        moved = self.transpose((*others, *axes))
        return moved.reshape(math.prod(shape), math.prod(self.shape[axis] for axis in axes)), shape

    def _with_axes(self, result, axes):
        """Gives a result along one axis of a matrix its two axes back."""
        if axes is None or not self._keeps_axes():
            return result
        return result[None, :] if axes[0] == 0 else result[:, None]

    # Sums.

    def sum(self, axis=None, dtype=None, out=None):
        """Adds the elements, all of them or those along axes.

        The dtype is that of NumPy's sum. The result has the shape without the axes; that of a matrix has two axes unless `axis` is
        None. `out` takes the result. Raises ValueError for an axis out of range and for `out` of another shape.
        """
        axes = check_axis(axis, self.ndim)
        result = numpy.dtype(dtype) if dtype is not None else sum_dtype(self.dtype)
        if axes is None and result.kind in 'biu' and self.dtype.kind in 'fc' and self._format != 'dia':
            # The elements are cast, then added.
            return _put(self._summed_data().astype(result).sum(dtype=result), out)
        total = self._reduced('sum', axes, result)
        return _put(self._with_axes(total, axes), out)

    def mean(self, axis=None, dtype=None, out=None):
        """Returns the arithmetic mean of the elements, all of them or those along axes: of integers float64, else of their dtype.

        Shapes and errors are those of `sum`; ZeroDivisionError of no elements.
        """
        axes = check_axis(axis, self.ndim)
        inner = numpy.dtype('float64') if self.dtype.kind in 'biu' else self.dtype
        count = math.prod(self.shape if axes is None else (self.shape[a] for a in axes))
        scaled = self.astype(inner, copy=False) * (1.0 / count)
        result = scaled.sum(axis=axis, dtype=inner, out=out)
        return result if dtype is None or out is not None else result.astype(dtype, copy=False)

    # Counts.

    def _getnnz(self, axis=None):
        if axis is None:
            return self.nnz
        return self._count(axis, None)

    def count_nonzero(self, axis=None):
        """Counts the elements that are not zero, all of them or those along an axis. It adds duplicates in place.

        The result is an array without axes for `axis` of None. NotImplementedError for an axis of a DIA array.
        """
        if axis is None:
            return cuprum.count_nonzero(self._summed_data())
        return self._count(axis, self._summed_data() != 0)

    def _count(self, axis, chosen):
        """Counts stored elements, or those of them that are chosen, along an axis."""
        if isinstance(axis, (tuple, list, str)) and self.ndim > 1:
            raise TypeError(f'axis is {axis!r}: an integer is needed')
        if isinstance(axis, (tuple, list, str)) or int(axis) != axis or not -self.ndim <= axis < self.ndim or self.ndim > 2:
            raise ValueError(f'axis {axis} is out of bounds for an array of {self.ndim} axes')
        if self.ndim == 1:
            return self.nnz if chosen is None else cuprum.count_nonzero(chosen)
        other = 1 - int(axis) % 2
        index = self._indices_along(other)
        return cuprum.bincount(index if chosen is None else index[chosen], minlength=self.shape[other])

    def _indices_along(self, axis):
        """Returns the index of each stored element along an axis."""
        return self.tocoo(copy=False).coords[axis]


class Extrema:
    """Extrema of the formats that have them."""

    def max(self, axis=None, out=None, *, explicit=False):
        """Returns the largest element, or those along an axis as a sparse array in COO format.

        With `explicit` only the stored elements count. NaN is the largest. Raises ValueError of no elements, and for `out`.
        """
        return self._extremum('max', axis, out, explicit)

    def min(self, axis=None, out=None, *, explicit=False):
        """Returns the smallest element, or those along an axis as a sparse array in COO format.

        With `explicit` only the stored elements count. NaN is the smallest. Raises ValueError of no elements, and for `out`.
        """
        return self._extremum('min', axis, out, explicit)

    def nanmax(self, axis=None, out=None, *, explicit=False):
        """Returns the largest element without regard to NaN: otherwise it is `max`."""
        return self._extremum('nanmax', axis, out, explicit)

    def nanmin(self, axis=None, out=None, *, explicit=False):
        """Returns the smallest element without regard to NaN: otherwise it is `min`."""
        return self._extremum('nanmin', axis, out, explicit)

    def argmax(self, axis=None, out=None, *, explicit=False):
        """Returns the index of the first largest element of all in C order, or the indices along an axis: a dense array of int64.

        With `explicit` only the stored elements count. Raises ValueError of no elements, and for `out`.
        """
        return self._index_of_extremum('argmax', axis, out, explicit)

    def argmin(self, axis=None, out=None, *, explicit=False):
        """Returns the index of the first smallest element of all in C order, or the indices along an axis: a dense array of int64.

        With `explicit` only the stored elements count. Raises ValueError of no elements, and for `out`.
        """
        return self._index_of_extremum('argmin', axis, out, explicit)

    def _checked_axes(self, name, axis, out):
        if out is not None:
            raise ValueError(f'{name}: out is not supported for sparse arrays: leave it out')
        axes = check_axis(axis, self.ndim)
        if 0 in (self.shape if axes is None else (self.shape[a] for a in axes)):
            raise ValueError(f'{name}: an array of shape {self.shape} has no element along axis {axis}')
        return axes

    def _extremum(self, op, axis, out, explicit):
        axes = self._checked_axes(op, axis, out)
        if self.ndim == 2 and axes is not None and not explicit:
            return self._new(self._sparse.reduce_sparse(op, axes[0], self._keeps_axes()))
        if explicit:
            found = self._explicit_extremum(op, axes)
        else:
            found = self._reduced(op, axes)
        if axes is None:
            return found
        made = self._class('coo')(self._with_axes(found, axes), dtype=self.dtype)
        return made if self.ndim < 3 else made._new(made._sparse.with_index_dtype(numpy.int64))

    def _explicit_extremum(self, op, axes):
        """Returns the extremum of stored elements; zero where none is stored."""
        function = {'max': cuprum.maximum, 'min': cuprum.minimum, 'nanmax': cuprum.fmax, 'nanmin': cuprum.fmin}[op]
        if axes is None:
            data = self._summed_data().ravel()
            return function.reduce(data) if data.size else cuprum.zeros((), dtype=self.dtype)
        rows = self._rows_along(axes)
        found = cuprum.zeros(rows.shape[0], dtype=self.dtype)
        stored = cuprum.flatnonzero(cuprum.diff(rows.indptr))
        if stored.size:
            found[stored] = function.reduceat(rows.data, rows.indptr[stored])
        return found.reshape([n for axis, n in enumerate(self.shape) if axis not in axes])

    def _rows_along(self, axes):
        """Returns the array in CSR format with the elements along axes in the rows, canonical."""
        if self.ndim > 2 or len(axes) > 1:
            rows = self._grouped(axes)[0].tocsr()
        elif axes[0] == self.ndim - 1:
            rows = self.tocsr().copy()
        else:
            rows = self.transpose().tocsr().copy()
        rows.sum_duplicates()
        return rows

    def _index_of_extremum(self, op, axis, out, explicit):
        axes = self._checked_axes(op, axis, out)
        if explicit:
            return self._explicit_index(op, axes)
        return self._with_axes(self._reduced(op, axes), axes)

    def _explicit_index(self, op, axes):
        if axes is None:
            if self.nnz == 0:
                raise ValueError(f'{op}: no element is stored: leave explicit out')
            flat = self.tocoo(copy=True)
            flat.sum_duplicates()
            return getattr(flat.data, op)()
        rows = self._rows_along(axes)
        found = cuprum.zeros(rows.shape[0], dtype=numpy.int64)
        counts = cuprum.diff(rows.indptr)
        stored = cuprum.flatnonzero(counts)
        if stored.size:
            extremum = cuprum.maximum if op == 'argmax' else cuprum.minimum
            starts = rows.indptr[stored]
            best = cuprum.repeat(extremum.reduceat(rows.data, starts), counts[stored])
            index = cuprum.where((rows.data == best) | (rows.data != rows.data), rows.indices, rows.shape[1])
            found[stored] = cuprum.minimum.reduceat(index, starts)
        others = [n for axis, n in enumerate(self.shape) if axis not in axes]
        return self._with_axes(found.reshape(others), axes)


def _put(result, out):
    """Returns the result, or puts it into `out` and returns that."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f'out has shape {out.shape}, the result {result.shape}')
    out[...] = result
    return out
