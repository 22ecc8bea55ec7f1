"""CSR and CSC arrays: the stored elements of each row, or of each column, one after the other."""

import warnings

import numpy

import cuprum

from cuprum import _cuprum

from ._base import CLASSES, Sparse, sparray, wrap
from ._index import Indexing
from ._matrix import spmatrix
from ._reduce import Extrema
from ._utils import as_array, check_shape, get_index_dtype, is_scipy_sparse, on_host


class Pointers:
    """Methods of the formats that compress an axis: the arrays of indices and pointers, and their order."""

    def _set_parts(self, data, indices, indptr):
        build = getattr(_cuprum.Sparse, self._format)
        self._sparse = build(data, indices, indptr, tuple(self._sparse.shape))

    def _parts(self):
        return self.data, self.indices, self.indptr

    @property
    def indices(self):
        """Column of each stored element of a CSR array, row of each of a CSC array, block column of each block of a BSR array."""
        return self._sparse.indices()

    @indices.setter
    def indices(self, values):
        self._set_parts(self.data, cuprum.asarray(values), self.indptr)

    @property
    def indptr(self):
        """Position of the first stored element, or block, of each row or column, and their number at the end."""
        return self._sparse.indptr()

    @indptr.setter
    def indptr(self, values):
        self._set_parts(self.data, self.indices, cuprum.asarray(values))

    # What is assigned to the flags of the order, with the core for which it counts.
    _assigned = (None, {})

    def _flag(self, name):
        core, flags = self._assigned
        return flags.get(name) if core is self._sparse else None

    def _assign_flags(self, **flags):
        core, known = self._assigned
        self._assigned = self._sparse, (known if core is self._sparse else {}) | flags

    @property
    def has_sorted_indices(self):
        """True if the indices of each row, or column, are in order. It may synchronise; a value that is assigned is believed."""
        known = self._flag('sorted')
        return self._sparse.has_sorted_indices() if known is None else known

    @has_sorted_indices.setter
    def has_sorted_indices(self, value):
        self._assign_flags(sorted=bool(value))

    @property
    def has_canonical_format(self):
        """True if indices are sorted and none is repeated in a row, or column. It may synchronise; a value that is assigned is believed."""
        if self._flag('sorted') is False:
            return False
        known = self._flag('canonical')
        return self._sparse.has_canonical_format() if known is None else known

    @has_canonical_format.setter
    def has_canonical_format(self, value):
        self._assign_flags(canonical=bool(value), **({'sorted': True} if value else {}))

    def sort_indices(self):
        """Sorts the indices of each row, or column, in place."""
        if not self._flag('sorted'):
            self._sparse = self._sparse.sort_indices()
            self._assigned = None, {}

    def sorted_indices(self):
        """Returns a copy with sorted indices."""
        sorted_copy = self.copy()
        sorted_copy.sort_indices()
        return sorted_copy

    def sum_duplicates(self):
        """Sorts the indices and adds elements of the same index, in place."""
        if not (self._flag('canonical') and self._flag('sorted')):
            self._sparse = self._sparse.sum_duplicates()
            self._assigned = None, {}

    def eliminate_zeros(self):
        """Drops the stored elements that are zero, in place."""
        self._sparse = self._sparse.eliminate_zeros()

    def prune(self):
        """Does nothing: the arrays have no room for more than the stored elements. It is there for programs that call it."""

    def _index_bound(self):
        """Returns the number of columns, or of rows, that indices count."""
        return self._swap(tuple(self._sparse.shape))[1]

    def check_format(self, full_check=True):
        """Checks that indices are in range and in the order that the pointers say.

        Raises ValueError where they are not. It synchronises.
        """
        indices, indptr = self.indices, self.indptr
        width = self._index_bound()
        if full_check and indices.size:
            if int(indices.max()) >= width or int(indices.min()) < 0:
                raise ValueError(f'check_format: indices must be from 0 to {width - 1}')
            if int(cuprum.diff(indptr).min()) < 0:
                raise ValueError('check_format: indptr must not decrease')


class Compressed(Pointers, Extrema, Indexing, Sparse):
    """Methods of CSR and CSC arrays."""

    def _core_of_parts(self, parts, shape, dtype, copy):
        if len(parts) == 2:
            coo = CLASSES['coo', isinstance(self, sparray)](parts, shape=shape, dtype=dtype)
            if coo.ndim not in self._axes:
                raise ValueError(f'{type(self).__name__}: an array of {coo.ndim} axes has no {self._format} format')
            self._one_axis = coo.ndim == 1
            core = coo._two_axes(self._format).sum_duplicates()
            # Indices of no elements keep the dtype in which they are given.
            given = coo.coords[0].dtype
            return core if core.indices().dtype == given else core.with_index_dtype(given)
        if len(parts) != 3:
            raise ValueError(
                f'unrecognized {type(self).__name__} constructor input: a tuple of {len(parts)} is neither (data, (row, col)) nor (data, indices, indptr)'
            )
        given, (data, indices, indptr) = parts[2], (as_array(part, copy=copy) for part in parts)
        if any(a.ndim != 1 for a in (data, indices, indptr)):
            raise ValueError(f'{type(self).__name__}: data, indices and indptr must have one axis')
        if indptr.size == 0:
            raise ValueError(f'{type(self).__name__}: indptr is empty: it has one element more than there are rows')
        if shape is None:
            if indices.size == 0:
                raise ValueError(f'{type(self).__name__}: unable to infer the shape without indices: give shape')
            lengths = self._swap((len(indptr) - 1, int(indices.max()) + 1))
        else:
            lengths = check_shape((shape,), allow_nd=self._axes)
        if on_host(given) and indices.size == data.size:
            data, indices = self._pruned(given, data, indices)
        self._one_axis = len(lengths) == 1
        two = (1, *lengths) if self._one_axis else lengths
        arrays = () if isinstance(self, spmatrix) and max(two, default=0) < 2**31 and data.size < 2**31 else (indices, indptr)
        index = get_index_dtype(arrays, maxval=max(*two, data.size))
        build = _cuprum.Sparse.csr if self._format == 'csr' else _cuprum.Sparse.csc
        return build(data if dtype is None else data.astype(dtype, copy=False), _integers('indices', indices, index), _integers('indptr', indptr, index), two)

    def _pruned(self, indptr, data, indices):
        """Returns the elements up to the last pointer of the host; ValueError for a first or a last pointer that is wrong."""
        first, last = (int(numpy.asarray(indptr)[at]) for at in (0, -1))
        if first != 0:
            raise ValueError(f'{type(self).__name__}: indptr[0] is {first}: row pointers begin at 0')
        if last > indices.size:
            raise ValueError(f'{type(self).__name__}: indptr ends at {last}: there are {indices.size} indices')
        return (data, indices) if last == indices.size else (data[:last], indices[:last])

    def _core_of(self, arg1, shape, dtype, copy):
        core = super()._core_of(arg1, shape, dtype, copy)
        if shape is None or not (isinstance(arg1, Sparse) or is_scipy_sparse(arg1)):
            return core
        lengths = check_shape((shape,), allow_nd=self._axes)
        self._one_axis = len(lengths) == 1
        return self._reshaped_minor(core, (1, *lengths)[-2:])

    def _reshaped_minor(self, core, lengths):
        """Returns a core with another length of the axis that is not compressed."""
        own = tuple(core.shape)
        if lengths == own:
            return core
        if self._swap(lengths)[0] != self._swap(own)[0]:
            raise ValueError(f'{type(self).__name__}: indptr of an array of shape {own} does not fit the shape {lengths}')
        build = _cuprum.Sparse.csr if self._format == 'csr' else _cuprum.Sparse.csc
        return build(core.data(), core.indices(), core.indptr(), lengths)

    def _core_of_dense(self, a, shape, dtype):
        if a.ndim not in self._axes:
            raise ValueError(f'{type(self).__name__}: a dense array of {a.ndim} axes has no {self._format} format')
        self._one_axis = a.ndim == 1
        core = super()._core_of_dense(a[None, :] if self._one_axis else a, shape, dtype)
        if shape is None:
            return core
        lengths = check_shape((shape,), allow_nd=self._axes)
        if len(lengths) != a.ndim:
            raise ValueError(f'{type(self).__name__}: a dense array of shape {a.shape} has another number of axes than the shape {lengths}')
        return self._reshaped_minor(core, (1, *lengths)[-2:])

    def _indices_along(self, axis):
        return self.indices if self._swap((0, 1))[1] == axis else super()._indices_along(axis)

    def _getnnz(self, axis=None):
        if axis is not None and self.ndim == 2 and axis in (0, 1, -1, -2) and self._swap((0, 1))[1] == axis % 2:
            return cuprum.diff(self.indptr)
        return super()._getnnz(axis)


def _integers(name, a, dtype):
    """Returns an index array in a dtype. Floating-point numbers are truncated, with a warning; ValueError for other elements."""
    if a.dtype.kind not in 'iu' and a.size:
        if a.dtype.kind != 'f':
            raise ValueError(f'{name} has dtype {a.dtype}: integers are needed')
        warnings.warn(f'{name} has dtype {a.dtype}: its values are truncated to integers', UserWarning, stacklevel=4)
    return a.astype(dtype, copy=False)


class CsrBase(Compressed):
    """Methods of CSR arrays."""

    _format = 'csr'
    _axes = (1, 2)

    @staticmethod
    def _swap(pair):
        return pair

    def __iter__(self):
        if self.ndim == 1:
            yield from self.toarray()
            return
        rows, columns = self.shape
        for row in range(rows):
            core = self._sparse.select((row, 1, 1), None)
            yield wrap(type(self), core, one_axis=isinstance(self, sparray))


class CscBase(Compressed):
    """Methods of CSC arrays."""

    _format = 'csc'

    @staticmethod
    def _swap(pair):
        return pair[1], pair[0]

    def __iter__(self):
        yield from self.tocsr()


class csr_array(CsrBase, sparray):
    """Sparse array in compressed sparse row format, of one axis or two.

    It is made of a dense array, of a sparse array of any format (SciPy's, too, which is copied from the host), of a shape for an
    array without elements, of `(data, (row, col))`, whose duplicates are added, or of `(data, indices, indptr)`, where row `i` has the
    columns `indices[indptr[i]:indptr[i + 1]]`. `shape` defaults to the largest indices, `dtype` to that of the data. `copy` copies arrays
    that would be shared. Raises ValueError for arguments that do not fit together.

    It is SciPy's class of the same name, with every dtype of this package, float16 and bfloat16 among them.
    """


class csr_matrix(spmatrix, CsrBase):
    """Sparse matrix in compressed sparse row format. Its arguments are those of `csr_array`; `*` is the product of matrices."""

    _axes = (2,)


class csc_array(CscBase, sparray):
    """Sparse array in compressed sparse column format, of two axes.

    Its arguments are those of `csr_array`; in `(data, indices, indptr)` column `j` has the rows `indices[indptr[j]:indptr[j + 1]]`.
    """


class csc_matrix(spmatrix, CscBase):
    """Sparse matrix in compressed sparse column format. Its arguments are those of `csc_array`; `*` is the product of matrices."""


def isspmatrix_csr(x):
    """Tests for a `csr_matrix`."""
    return isinstance(x, csr_matrix)


def isspmatrix_csc(x):
    """Tests for a `csc_matrix`."""
    return isinstance(x, csc_matrix)


CLASSES.update({('csr', True): csr_array, ('csr', False): csr_matrix, ('csc', True): csc_array, ('csc', False): csc_matrix})
