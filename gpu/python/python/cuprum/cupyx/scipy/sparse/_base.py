"""What all sparse arrays have: attributes, conversions, printing."""

import warnings

import numpy

import cuprum

from cuprum import _cuprum
from ._arithmetic import Arithmetic
from ._compare import Comparisons
from ._reduce import Reductions
from ._utils import SparseEfficiencyWarning, as_array, check_shape, data_dtype, is_scalar, is_scipy_sparse, is_shape

NAMES = {'coo': 'COOrdinate', 'csr': 'Compressed Sparse Row', 'csc': 'Compressed Sparse Column', 'bsr': 'Block Sparse Row', 'dia': 'DIAgonal'}

# The public class of each format, of matrices and of arrays: filled by the modules of the formats.
CLASSES = {}


class sparray:
    """Base class of sparse arrays, whose `*` multiplies elements and whose sums have one axis less: `isinstance(A, sparray)`."""

    def __class_getitem__(cls, item, /):
        """Returns the class, subscripted for annotations."""
        from types import GenericAlias

        return GenericAlias(cls, item)

    @property
    def shape(self):
        """Lengths of the axes."""
        return tuple(self._sparse.shape)[1 if self._one_axis else 0 :]


class Sparse(Arithmetic, Comparisons, Reductions):
    """Methods of all formats."""

    # The format, and the numbers of axes that it has.
    _format = None
    _axes = (2,)
    __array_priority__ = 101.0
    # The number of elements from which on `str` shows the first and the last ones only.
    maxprint = 50
    # For `get_array_module`.
    _cuprum_array_ = True
    __hash__ = None

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        if self._format is None:
            raise ValueError(f'{type(self).__name__} cannot be instantiated: use a class of a format, such as csr_matrix')
        self.maxprint = 50 if maxprint is None else maxprint
        self._one_axis = False
        dtype = None if dtype is None else data_dtype(dtype)
        self._sparse = self._core_of(arg1, shape, dtype, copy)

    def _core_of(self, arg1, shape, dtype, copy):
        """Returns the core of what the constructor is given."""
        if is_scipy_sparse(arg1):
            from ._convert import from_scipy

            arg1 = from_scipy(arg1, isinstance(self, sparray))
        if isinstance(arg1, Sparse):
            if arg1.ndim not in self._axes and (arg1.ndim > 2 or self._format == 'coo'):
                raise ValueError(f'{type(self).__name__}: a sparse array of {arg1.ndim} axes has no such class: use coo_array')
            same = arg1.asformat(self._format, copy=copy)
            self._one_axis = same._one_axis
            core = same._sparse
            return core if dtype is None else core.astype(dtype)
        if isinstance(arg1, tuple):
            if is_shape(arg1, self._axes):
                lengths = check_shape((arg1,), allow_nd=self._axes)
                self._one_axis = self._format == 'csr' and len(lengths) == 1
                core = _cuprum.Sparse.zeros((1, *lengths) if self._one_axis else lengths, data_dtype(dtype, float), self._format)
                return core if len(lengths) < 3 else core.with_index_dtype(numpy.int64)
            return self._core_of_parts(arg1, shape, dtype, copy)
        if is_scalar(arg1) and isinstance(self, sparray):
            raise ValueError(f'{type(self).__name__}: a sparse array is not made of a scalar: give an array of one axis or more')
        return self._core_of_dense(self._dense_argument(arg1), shape, dtype)

    def _dense_argument(self, arg1):
        """Returns the dense array that the constructor is given; of a matrix it has two axes."""
        try:
            a = as_array(arg1)
        except TypeError as e:
            raise ValueError(f'unrecognized {type(self).__name__} constructor input: {arg1!r}') from e
        return a if isinstance(self, sparray) else cuprum.atleast_2d(a)

    def _core_of_dense(self, a, shape, dtype):
        core = _cuprum.Sparse.from_dense(a, self._format)
        return core if dtype is None else core.astype(dtype)

    # Arrays of the same kind around a core.

    def _new(self, core, one_axis=False):
        """Returns an array of the core's format, a matrix where this one is a matrix."""
        own = type(self)
        cls = own if own._format == core.format else CLASSES[core.format, isinstance(self, sparray)]
        return wrap(cls, core, one_axis)

    def _class(self, format):
        return CLASSES[format, isinstance(self, sparray)]

    def _with_data(self, data):
        """Returns an array of the same structure with other values."""
        return self._new(self._sparse.with_data(data), self._one_axis)

    def _two_axes(self, format):
        """Returns the core in a format for two axes; an array of one axis is a row."""
        core = self._sparse
        if len(core.shape) == 1:
            core = core.reshape((1, core.shape[0]))
        if self._format == 'coo' and format in ('csr', 'csc') and core.nnz() == 0:
            # Indices of no elements have the dtype that the shape needs.
            return _cuprum.Sparse.zeros(tuple(core.shape), core.dtype, format)
        return core.to_format(format)

    def _summed_data(self):
        """Returns the values once the duplicates are added, in place."""
        if self._format != 'dia':
            self.sum_duplicates()
        return self.data

    # Attributes.

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self._sparse.dtype

    @property
    def format(self):
        """Name of the format: 'coo', 'csr', 'csc', 'bsr' or 'dia'."""
        return self._format

    @property
    def device(self):
        """Device that holds the elements."""
        return self.data.device

    @property
    def nnz(self):
        """Number of stored elements, explicit zeros and duplicates among them. It may synchronise."""
        return self._sparse.nnz()

    @property
    def size(self):
        """Number of stored elements: `nnz`."""
        return self.nnz

    @property
    def data(self):
        """Stored values: a view, whose elements may be assigned."""
        return self._sparse.data()

    @data.setter
    def data(self, values):
        self._sparse = self._sparse.with_data(cuprum.asarray(values))

    @property
    def T(self):
        """Transpose: `transpose()`."""
        return self.transpose()

    @property
    def mT(self):
        """Array with its last two axes exchanged. Raises ValueError for an array of one axis."""
        if self.ndim < 2:
            raise ValueError('mT: an array of one axis has no matrices to transpose')
        return self._transposed((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    @property
    def real(self):
        """Real parts, as a sparse array."""
        return self._with_data(self.data.real)

    @property
    def imag(self):
        """Imaginary parts, as a sparse array."""
        return self._with_data(self.data.imag)

    # Shapes.

    def reshape(self, *shape, order='C', copy=False):
        """Returns an array of another shape, in COO format; an array of the same shape is returned as it is, unless `copy` is true.

        Values that `copy` does not copy may be shared. `order` is that in which elements are read and written, 'C' or 'F'. Raises ValueError for another number of elements.
        """
        lengths = check_shape(shape, self.shape, range(1, 65))
        if lengths == self.shape:
            return self.copy() if copy else self
        if order not in ('C', 'F'):
            raise ValueError(f"reshape: order must be 'C' or 'F', not {order!r}")
        coo = self.tocoo(copy=copy)
        if len(lengths) not in coo._axes:
            raise ValueError(f'reshape: shape {lengths} has {len(lengths)} axes: a sparse matrix has two, use a sparse array')
        core = coo._sparse.reshape(lengths, order)
        return coo._new(core if len(lengths) < 3 else core.with_index_dtype(numpy.int64))

    def resize(self, *shape):
        """Changes the shape in place. Elements keep their indices; those outside of the new shape are dropped.

        A CSR array of one axis counts as a row. A COO array of one axis is laid out in rows of the new length, and one of two axes that
        becomes one of one axis is laid out in it. Raises ValueError for more than two axes.
        """
        lengths = check_shape(shape, allow_nd=self._axes)
        if self.ndim > 2 or len(lengths) > 2:
            raise ValueError(f'resize: shape {self.shape} cannot become {lengths}: one or two axes are needed')
        self._resize(lengths)

    def _resize(self, lengths):
        core, two = self._sparse, (1, *lengths)[-2:]
        coo = core.to_format('coo')
        self._sparse = clipped(coo.coords(), coo.data(), two).to_format(self._format)
        self._one_axis = len(lengths) == 1

    def transpose(self, axes=None, copy=False):
        """Returns the array with its axes in reverse order, or in the order `axes`.

        A CSR array becomes a CSC array and the other way round; no element moves unless `copy` is true. Raises ValueError for
        `axes` that are no permutation; a matrix takes (1, 0) alone.
        """
        if axes is not None:
            if is_scalar(axes):
                raise ValueError(f'transpose: axes is {axes!r}: a sequence with all axes is needed')
            axes = tuple(axes)
            if self._format == 'coo' and isinstance(self, sparray):
                if len(axes) != self.ndim:
                    raise ValueError(f"transpose: axes {axes} don't match an array of {self.ndim} axes")
                axes = tuple(axis + self.ndim if axis < 0 else axis for axis in axes)
                if sorted(axes) != list(range(self.ndim)):
                    raise ValueError(f'transpose: {axes} is no permutation of the axes')
            elif axes != (1, 0):
                raise ValueError(f'transpose: axes {axes}: a sparse array of this format has no other order of axes than (1, 0)')
        transposed = self._transposed(axes)
        return transposed.copy() if copy else transposed

    def _transposed(self, axes):
        if self.ndim == 1:
            return self
        return self._new(self._sparse.transpose(axes))

    # Values.

    def copy(self):
        """Returns a copy."""
        return self._new(self._sparse.copy(), self._one_axis)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, casting='unsafe', copy=True):
        """Returns the array with elements of another dtype; duplicates are added. Raises TypeError where `casting` forbids it."""
        dtype = data_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if not cuprum.can_cast(self.dtype, dtype, casting):
            raise TypeError(f'astype: elements of {self.dtype} cannot be cast to {dtype} by the rule {casting!r}')
        core = self._sparse.astype(dtype)
        return self._new(core if self._format == 'dia' else core.sum_duplicates(), self._one_axis)

    def _asfptype(self):
        if self.dtype.kind in 'fc':
            return self
        for dtype in 'fdFD':
            if cuprum.can_cast(self.dtype, dtype):
                return self.astype(dtype)
        raise TypeError(f'cannot upcast {self.dtype} to a floating-point dtype')

    def conjugate(self, copy=True):
        """Returns the complex conjugates; an array of real numbers itself, or a copy of it."""
        if self.dtype.kind == 'c':
            return self._with_data(self.data.conj())
        return self.copy() if copy else self

    def conj(self, copy=True):
        """Returns the complex conjugates: `conjugate`."""
        return self.conjugate(copy=copy)

    def nonzero(self):
        """Returns the indices of the elements that are not zero, an array for each axis. It synchronises."""
        coo = self.tocoo(copy=False)
        nonzero = coo.data != 0
        found = tuple(index[nonzero] for index in coo.coords)
        if self._format != 'csc':
            return found
        order = cuprum.argsort(found[0], kind='stable')
        return tuple(index[order] for index in found)

    def diagonal(self, k=0):
        """Returns diagonal number `k` as a dense array. Raises ValueError for an array that does not have two axes."""
        if self.ndim != 2:
            raise ValueError(f'diagonal: the array has {self.ndim} axes, two are needed')
        if k <= -self.shape[0] or k >= self.shape[1]:
            return cuprum.empty(0, dtype=self.dtype)
        return self._sparse.diagonal(k)

    def trace(self, offset=0):
        """Returns the sum of diagonal number `offset`."""
        return self.diagonal(k=offset).sum()

    def setdiag(self, values, k=0):
        """Sets diagonal number `k` to a number, or to the elements of an array as far as they reach, in place.

        Raises ValueError for a diagonal outside of the array.
        """
        if self.ndim != 2:
            raise ValueError(f'setdiag: the array has {self.ndim} axes, two are needed')
        rows, columns = self.shape
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise ValueError(f'setdiag: diagonal {k} is outside of an array of shape {self.shape}')
        values = cuprum.asarray(values)
        length = min(rows + min(k, 0), columns - max(k, 0))
        if values.ndim > 1:
            raise ValueError(f'setdiag: values has shape {values.shape}: a number or an array of one axis is needed')
        if values.ndim:
            length = min(length, values.size)
            values = values[:length]
        if length and (0 not in self.shape or self._format == 'dia'):
            self._set_diagonal(values, k, length)

    def _set_diagonal(self, values, k, length):
        values = cuprum.broadcast_to(values.astype(self.dtype, copy=False), (length,))
        self._sparse = self._sparse.setdiag(values, k)

    # Conversions.

    def toarray(self, order=None, out=None):
        """Returns a dense array, in which duplicates are added.

        `order` is 'C' or 'F'; the default is the one in which the format stores its elements. `out` is an array of this shape and
        dtype that takes the elements; ValueError for another one, or for both.
        """
        if order not in (None, 'C', 'F'):
            raise ValueError(f"toarray: order must be 'C' or 'F', not {order!r}")
        if out is None:
            dense = self._sparse.to_dense(order or ('F' if self._format == 'csc' else 'C'))
            return dense[0] if self._one_axis else dense
        if order is not None:
            raise ValueError('toarray: order and out cannot both be given')
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f'toarray: out has shape {out.shape} and dtype {out.dtype}, the array {self.shape} and {self.dtype}')
        out[...] = self.toarray()
        return out

    def todense(self, order=None, out=None):
        """Returns a dense array: `toarray`. Of a matrix it has two axes, too; it is no `numpy.matrix`."""
        return self.toarray(order=order, out=out)

    def asformat(self, format, copy=False):
        """Returns the array in another format, itself for None or its own unless `copy` is true. ValueError for an unknown format."""
        if format is None or format == self._format:
            return self.copy() if copy else self
        convert = getattr(self, f'to{format}', None) if format in ('coo', 'csr', 'csc', 'dia', 'bsr', 'lil', 'dok') else None
        if convert is None:
            raise ValueError(f"asformat: the format {format!r} is unknown: it is one of 'coo', 'csr', 'csc', 'bsr', 'dia', 'lil' and 'dok'")
        return convert(copy=copy)

    def tocsr(self, copy=False):
        """Returns the array in CSR format; duplicates of COO are added. ValueError for more than two axes."""
        if self.ndim > 2:
            raise ValueError(f'tocsr: the array has {self.ndim} axes, one or two are needed')
        if self._format == 'csr':
            return self.copy() if copy else self
        return self._new(self._converted('csr'), self.ndim == 1)

    def tocsc(self, copy=False):
        """Returns the array in CSC format; duplicates of COO are added. ValueError for another number of axes than two."""
        return self._of_two_axes('csc', copy)

    def todia(self, copy=False):
        """Returns the array in DIA format; duplicates are added. ValueError for another number of axes than two.

        More than 100 diagonals, each of which has a value for every column, give a SparseEfficiencyWarning.
        """
        made = self._of_two_axes('dia', copy)
        if self._format != 'dia' and made.offsets.size > 100:
            warnings.warn(f'todia: {made.offsets.size} diagonals need {made.data.size} values for {self.nnz} elements', SparseEfficiencyWarning, stacklevel=2)
        return made

    def _of_two_axes(self, format, copy):
        if self.ndim != 2:
            raise ValueError(f'to{format}: the array has {self.ndim} axes, two are needed')
        if self._format == format:
            return self.copy() if copy else self
        return self._new(self._converted(format))

    def _converted(self, format):
        """Returns the core in another format, with values of its own: those of coordinates in the order of rows are the values of CSR."""
        core = self._two_axes(format)
        shared = self._format == 'coo' and cuprum.may_share_memory(core.data(), self.data)
        return core.copy() if shared else core

    def tocoo(self, copy=True):
        """Returns the array in COO format. Without `copy` the values of a CSR, CSC or BSR array may be shared."""
        # Diagonals give their elements row by row, too: new arrays.
        core = (self._sparse.to_format('csr') if self._format == 'dia' else self._sparse).to_format('coo')
        coo = self._new(core.reshape(self.shape) if self._one_axis else core)
        return coo.copy() if copy and self._format != 'dia' else coo

    def tobsr(self, blocksize=None, copy=True):
        """Returns the array in BSR format, of blocks of `blocksize` rows and columns, by default of a size that few zeros fill.

        Duplicates are added unless the blocks have one element. Without `copy`, blocks of one element, if `blocksize` is given, may share
        memory with the array. Raises ValueError for another number of axes than two, and for a size that
        does not divide the shape. It synchronises.
        """
        if self.ndim != 2:
            raise ValueError(f'tobsr: the array has {self.ndim} axes, two are needed')
        rows = self._two_axes('csr')
        if blocksize is None:
            made, copy = self._new(rows.to_format('bsr')), True
        else:
            height, width = blocksize
            made = self._new(rows.to_blocks(check_shape(((height, width),))))
        # Blocks of one element are the values of the rows; others are new arrays.
        return made.copy() if copy and made.blocksize == (1, 1) and self._format in ('coo', 'csr') else made

    def todok(self, copy=False):
        """Returns an array of SciPy's in DOK format, on the host. It synchronises."""
        return self.get().todok()

    def tolil(self, copy=False):
        """Returns an array of SciPy's in LIL format, on the host. It synchronises."""
        return self.get().tolil()

    def get(self, stream=None):
        """Returns a copy on the host, an array of SciPy's class of the same name. It synchronises."""
        from ._convert import to_scipy

        return to_scipy(self, stream)

    # Python's protocols.

    def __len__(self):
        raise TypeError('the length of a sparse array is ambiguous: use shape[0] or nnz')

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError(
            'The truth value of an array with more than one element is ambiguous: '  # words: allow
            'use A.nnz, or any() and all() of a dense array'
        )

    __nonzero__ = __bool__

    def __iter__(self):
        for row in range(self.shape[0]):
            yield self[row]

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            f'{type(self).__name__} is a sparse array, which is not converted to a dense array implicitly: use the method toarray(), or get() for the host'
        )

    def __repr__(self):
        kind = 'array' if isinstance(self, sparray) else 'matrix'
        return f"<{NAMES[self._format]} sparse {kind} of dtype '{self.dtype}'\n\twith {self._stored_text()} and shape {self.shape}>"

    def _stored_text(self):
        return f'{self.nnz} stored elements'

    def __str__(self):
        coo, lines = self.tocoo(copy=False), [repr(self)]
        nnz = coo.nnz
        if nnz == 0:
            return lines[0]
        lines.append('  Coords\tValues')
        first = nnz if nnz <= self.maxprint else self.maxprint // 2
        parts = [slice(0, first)] + ([slice(nnz - (self.maxprint - first), nnz)] if first < nnz else [])
        for at, part in enumerate(parts):
            if at:
                lines.append('  :\t:')
            indices = zip(*(index[part].get().tolist() for index in coo.coords))
            lines += [f'  {index}\t{value}' for index, value in zip(indices, coo.data[part].get())]
        return '\n'.join(lines)

    def __reduce__(self):
        return _rebuild, (type(self), self._parts(), self.shape)


def clipped(coords, data, lengths):
    """Returns the core in COO format of the elements whose indices are inside of a shape."""
    inside = cuprum.ones(data.shape, dtype=bool)
    for index, length in zip(coords, lengths):
        inside &= index < length
    return _cuprum.Sparse.coo(data[inside], [index[inside] for index in coords], lengths)


def wrap(cls, core, one_axis=False):
    """Returns an array of a class around a core."""
    new = cls.__new__(cls)
    new.maxprint = 50
    new._one_axis = one_axis
    new._sparse = core
    return new


def _rebuild(cls, parts, shape):
    return cls(parts, shape=shape)


def issparse(x):
    """Tests for a sparse array or matrix of this package."""
    return isinstance(x, Sparse)


def family(*operands):
    """Tests for a sparse array, not a matrix, among operands: functions then return arrays."""
    return any(isinstance(x, sparray) for x in operands)
