"""BSR arrays: the dense blocks of each block row, one after the other."""

import numpy

import cuprum

from cuprum import _cuprum

from ._base import CLASSES, Sparse, clipped, sparray
from ._compressed import Pointers, _integers
from ._matrix import spmatrix
from ._reduce import Extrema
from ._utils import as_array, check_shape, data_dtype, get_index_dtype, is_scipy_sparse, is_shape


class BsrBase(Pointers, Extrema, Sparse):
    """Methods of BSR arrays."""

    _format = 'bsr'

    def __init__(self, arg1, shape=None, dtype=None, copy=False, blocksize=None, *, maxprint=None):
        if blocksize is not None and not (isinstance(blocksize, (tuple, list)) and is_shape(blocksize)):
            raise ValueError(f'{type(self).__name__}: blocksize must be two integers, not {blocksize!r}')
        self._given = None if blocksize is None else tuple(int(n) for n in blocksize)
        super().__init__(arg1, shape, dtype, copy, maxprint=maxprint)
        del self._given

    def _core_of(self, arg1, shape, dtype, copy):
        if is_scipy_sparse(arg1):
            from ._convert import from_scipy

            arg1 = from_scipy(arg1, isinstance(self, sparray))
        if isinstance(arg1, Sparse):
            core = arg1.tobsr(blocksize=self._given, copy=copy)._sparse
            core = core if dtype is None else core.astype(dtype)
        elif isinstance(arg1, tuple) and is_shape(arg1):
            return self._empty(check_shape((arg1,)), data_dtype(dtype, float))
        else:
            return super()._core_of(arg1, shape, dtype, copy)
        return core if shape is None else self._of_shape(core, check_shape((shape,)))

    def _empty(self, lengths, dtype):
        height, width = self._given or (1, 1)
        if 0 in (height, width) or lengths[0] % height or lengths[1] % width:
            raise ValueError(f'{type(self).__name__}: the shape {lengths} must be a multiple of the block size {(height, width)}')
        rows = lengths[0] // height
        index = get_index_dtype(maxval=max(rows, lengths[1] // width, height, width))
        return _cuprum.Sparse.bsr(cuprum.zeros((0, height, width), dtype), cuprum.zeros(0, index), cuprum.zeros(rows + 1, index), lengths)

    def _of_shape(self, core, lengths):
        return core if lengths == tuple(core.shape) else _cuprum.Sparse.bsr(core.data(), core.indices(), core.indptr(), lengths)

    def _core_of_parts(self, parts, shape, dtype, copy):
        if len(parts) == 2:
            coo = CLASSES['coo', isinstance(self, sparray)](parts, shape=shape, dtype=dtype)
            return coo.tobsr(blocksize=self._given)._sparse
        if len(parts) != 3:
            raise ValueError(
                f'unrecognized {type(self).__name__} constructor input: a tuple of {len(parts)} is neither (data, (row, col)) nor (data, indices, indptr)'
            )
        data, indices, indptr = (as_array(part, copy=copy) for part in parts)
        if data.ndim != 3:
            raise ValueError(f'{type(self).__name__}: data has shape {data.shape}: it must have three axes, blocks and their rows and columns')
        height, width = data.shape[1:]
        if self._given not in (None, (height, width)):
            raise ValueError(f'{type(self).__name__}: blocksize is {self._given}, the blocks of data have shape {(height, width)}')
        if indices.ndim != 1 or indptr.ndim != 1 or indptr.size == 0:
            raise ValueError(f'{type(self).__name__}: indices and indptr must have one axis, and indptr one element more than there are block rows')
        if shape is None:
            if indices.size == 0:
                raise ValueError(f'{type(self).__name__}: unable to infer the shape without indices: give shape')
            lengths = ((indptr.size - 1) * height, (int(indices.max()) + 1) * width)
        else:
            lengths = check_shape((shape,))
        arrays = () if isinstance(self, spmatrix) and max(*lengths, data.size) < 2**31 else (indices, indptr)
        index = get_index_dtype(arrays, maxval=max(1, *lengths, height, width))
        data = data if dtype is None else data.astype(dtype, copy=False)
        return _cuprum.Sparse.bsr(data, _integers('indices', indices, index), _integers('indptr', indptr, index), lengths)

    def _core_of_dense(self, a, shape, dtype):
        if a.ndim != 2:
            raise ValueError(f'{type(self).__name__}: a dense array of {a.ndim} axes has no bsr format')
        coo = CLASSES['coo', isinstance(self, sparray)](a, dtype=dtype)
        core = coo.tobsr(blocksize=self._given)._sparse
        return core if shape is None else self._of_shape(core, check_shape((shape,)))

    @property
    def blocksize(self):
        """Numbers of rows and columns of a block."""
        return tuple(self.data.shape[1:])

    def _index_bound(self):
        return self.shape[1] // max(1, self.blocksize[1])

    def _stored_text(self):
        height, width = self.blocksize
        return f'{self.nnz} stored elements (blocksize={height}x{width})'

    # Conversions.

    def tobsr(self, blocksize=None, copy=False):
        """Returns the array with blocks of `blocksize` rows and columns, by default itself. ValueError for one that does not divide the shape."""
        if blocksize in (None, self.blocksize):
            return self.copy() if copy else self
        return self.tocsr().tobsr(blocksize=blocksize)

    def _in_blocks(self, a, width=None):
        """Returns an array in blocks of this one's height, and of a width."""
        height, own = self.blocksize
        return a.tobsr(blocksize=(height, own if width is None else width), copy=False)

    # Arithmetic: results have blocks. Those of sums and of products of elements are not zero throughout.

    def _sum_with_sparse(self, other, name):
        return self._in_blocks(self.tocsr()._sum_with_sparse(other, name))

    def _multiply_sparse(self, other):
        made = self.tocsr()._multiply_sparse(other)
        is_column = other.ndim == 2 and other.shape[1] == 1 != other.shape[0]
        return self._in_blocks(made) if made.shape == self.shape and (not is_column or self.shape == other.shape) else made

    def _multiply_dense(self, other):
        made = super()._multiply_dense(other)
        return self._in_blocks(made) if other.size == 1 and made.shape == self.shape else made

    def _matmul_sparse(self, other):
        made = self.tocsr()._matmul_sparse(other)
        if other.ndim != 2:
            return made
        height, inner = self.blocksize
        right = other.tobsr(blocksize=(inner, other.blocksize[1] if other._format == 'bsr' else 1), copy=False)
        # Each product of two blocks is stored, also one of zeros: an element of each makes its block.
        structure = self._structure().matmul(right._structure()).to_format('coo')
        row, column = structure.coords()
        product, width = made.tocoo(copy=False), right.blocksize[1]
        zeros = cuprum.zeros(row.size, made.dtype)
        data = cuprum.concatenate([product.data, zeros])
        coords = [cuprum.concatenate([product.coords[0], row * height]), cuprum.concatenate([product.coords[1], column * width])]
        return self._new(_cuprum.Sparse.coo(data, coords, made.shape).to_blocks((height, width)))

    def _structure(self):
        """Returns the core of a CSR matrix with a one for each block."""
        count = self.indices.size
        shape = tuple(n // max(1, side) for n, side in zip(self.shape, self.blocksize))
        return _cuprum.Sparse.csr(cuprum.ones(count, dtype=numpy.int64), self.indices, self.indptr, shape)

    # Counts and elements.

    def _getnnz(self, axis=None):
        if axis is not None:
            raise NotImplementedError('getnnz: a BSR array counts no elements along an axis: use tocsr()')
        return self.nnz

    def count_nonzero(self, axis=None):
        """Counts the elements that are not zero. NotImplementedError for an axis: use `tocsr()`."""
        if axis is not None:
            raise NotImplementedError('count_nonzero: a BSR array counts no elements along an axis: use tocsr()')
        return super().count_nonzero()

    def __getitem__(self, key):
        raise NotImplementedError('a BSR array is not indexed: use tocsr()')

    def __setitem__(self, key, x):
        raise NotImplementedError('elements of a BSR array are not assigned: use tocsr()')

    def _resize(self, lengths):
        height, width = self.blocksize
        if len(lengths) != 2 or lengths[0] % height or lengths[1] % width:
            raise ValueError(f'resize: the shape {lengths} is not divided by blocks of {height} rows and {width} columns')
        coo = self._sparse.to_format('coo')
        self._sparse = clipped(coo.coords(), coo.data(), lengths).to_blocks(self.blocksize).with_index_dtype(self.indices.dtype)

    def _set_diagonal(self, values, k, length):
        rows = self.tocsr()
        rows._set_diagonal(values, k, length)
        self._sparse = self._in_blocks(rows)._sparse

    def _row(self, i):
        return self.tocsr()._row(i)

    def _column(self, j):
        return self.tocsr()._column(j)


class bsr_array(BsrBase, sparray):
    """Sparse array in block sparse row format, of two axes.

    It is made of a dense array, of a sparse array of any format (SciPy's, too, which is copied from the host), of a shape for an
    array without elements, of `(data, (row, col))`, whose duplicates are added, or of `(data, indices, indptr)`, where block row `i` has
    the blocks `data[k]` in the block columns `indices[k]`, for `k` from `indptr[i]` up to `indptr[i + 1]`. All blocks have `blocksize`
    rows and columns, which divide the shape; by default a size that few zeros fill. `shape` defaults to the largest indices, `dtype` to that
    of the data. `copy` copies arrays that would be shared. Raises ValueError for arguments that do not fit together.

    It is SciPy's class of the same name, with every dtype of this package, float16 and bfloat16 among them.
    """


class bsr_matrix(spmatrix, BsrBase):
    """Sparse matrix in block sparse row format. Its arguments are those of `bsr_array`; `*` is the product of matrices."""


def isspmatrix_bsr(x):
    """Tests for a `bsr_matrix`."""
    return isinstance(x, bsr_matrix)


CLASSES.update({('bsr', True): bsr_array, ('bsr', False): bsr_matrix})
