"""COO arrays: the indices and the value of each stored element, of any number of axes."""

import math
import operator

import numpy

import cuprum

from cuprum import _cuprum

from . import _keys
from ._arithmetic import is_sparse
from ._base import CLASSES, Sparse, clipped, sparray
from ._matrix import spmatrix
from ._reduce import Extrema
from ._utils import as_array, assigned_value, check_axis, check_indices, check_shape, data_dtype, get_index_dtype, is_scalar


class CooBase(Extrema, Sparse):
    """Methods of COO arrays."""

    _format = 'coo'
    _axes = range(1, 65)

    def _core_of_parts(self, parts, shape, dtype, copy):
        try:
            data, coords = parts
        except ValueError as e:
            raise TypeError(f'{type(self).__name__}: a tuple of {len(parts)} is not (data, coords)') from e
        given, coords = coords, [as_array(index, copy=copy) for index in coords]
        if shape is None:
            if any(index.size == 0 for index in coords):
                raise ValueError(f'{type(self).__name__}: unable to infer the shape without indices: give shape')
            if any(index.dtype.kind not in 'iu' for index in coords):
                raise TypeError(f'{type(self).__name__}: unable to infer the shape from indices that are no integers: give shape')
            shape = tuple(int(index.max()) + 1 for index in coords)
        lengths = check_shape((shape,), allow_nd=self._axes)
        data = as_array(data, copy=copy)
        if dtype is not None:
            data = data.astype(dtype, copy=False)
        data_dtype(data.dtype)
        if len(coords) != len(lengths):
            raise ValueError(f'{type(self).__name__}: there are {len(coords)} index arrays for {len(lengths)} axes')
        for axis, (index, length) in enumerate(zip(given, lengths)):
            check_indices(index, axis, length)
        small = isinstance(self, spmatrix) and max(lengths, default=0) < 2**31 and all(a.dtype.kind in 'iu' or not a.size for a in coords)
        index = numpy.int64 if len(lengths) > 2 else get_index_dtype(() if small else coords, maxval=max(lengths))
        return _cuprum.Sparse.coo(data, [a.astype(index, copy=False) for a in coords], lengths)

    def _core_of_dense(self, a, shape, dtype):
        if isinstance(self, spmatrix) and a.ndim != 2:
            raise TypeError(f'{type(self).__name__}: an array of two axes is needed, not of {a.ndim}')
        if shape is not None and check_shape((shape,), allow_nd=self._axes) != a.shape:
            raise ValueError(f'{type(self).__name__}: the dense array has shape {a.shape}, not {shape}')
        core = super()._core_of_dense(a, None, dtype)
        return core if a.ndim < 3 else core.with_index_dtype(numpy.int64)

    def _parts(self):
        return self.data, self.coords

    @property
    def coords(self):
        """Indices of the stored elements along each axis, a tuple of arrays."""
        return tuple(self._sparse.coords())

    @coords.setter
    def coords(self, values):
        coords = [cuprum.asarray(index) for index in values]
        self._sparse = _cuprum.Sparse.coo(self.data, coords, self.shape)

    @property
    def row(self):
        """Row of each stored element; zeros of an array of one axis."""
        return self.coords[-2] if self.ndim > 1 else cuprum.zeros_like(self.col)

    @row.setter
    def row(self, values):
        if self.ndim < 2:
            raise ValueError('row: an array of one axis has no rows to set')
        coords = self.coords
        self.coords = (*coords[:-2], values, coords[-1])

    @property
    def col(self):
        """Column of each stored element."""
        return self.coords[-1]

    @col.setter
    def col(self, values):
        self.coords = (*self.coords[:-1], values)

    def tocoo(self, copy=False):
        """Returns the array itself, or a copy of it."""
        return self.copy() if copy else self

    @property
    def has_canonical_format(self):
        """True if indices are sorted and none is repeated. It may synchronise. What is assigned to it is not read."""
        return self._sparse.has_canonical_format()

    @has_canonical_format.setter
    def has_canonical_format(self, value):
        pass

    def _count(self, axis, chosen):
        if self.ndim < 3:
            return super()._count(axis, chosen)
        (axis,) = check_axis(operator.index(axis), self.ndim)
        index = [index if chosen is None else index[chosen] for at, index in enumerate(self.coords) if at != axis]
        lengths = [n for at, n in enumerate(self.shape) if at != axis]
        return cuprum.bincount(_flat(index, lengths), minlength=math.prod(lengths)).reshape(lengths)

    def sum_duplicates(self):
        """Sorts the elements by their indices and adds those of the same indices, in place."""
        self._sparse = self._sparse.sum_duplicates()

    def eliminate_zeros(self):
        """Drops the stored elements that are zero, in place."""
        self._sparse = self._sparse.eliminate_zeros()

    def _resize(self, lengths):
        coo = self
        if len(lengths) > self.ndim:
            # Elements keep their positions in C order.
            at = self.col.astype(numpy.int64)
            width = max(1, lengths[1])
            coords = [at // width, at % width]
        else:
            if len(lengths) < self.ndim:
                coo = self.reshape(-1)
            coords = coo.coords
        self._sparse = clipped(coords, coo.data, lengths)

    def _set_diagonal(self, values, k, length):
        row, col = self.coords
        keep = (col.astype(numpy.int64) - row != k) | ((col if k < 0 else row) >= length)
        at = cuprum.arange(length, dtype=row.dtype)
        dtype = cuprum.result_type(self.dtype, values.dtype) if values.ndim else self.dtype
        data = cuprum.concatenate([self.data[keep].astype(dtype), cuprum.broadcast_to(values.astype(dtype), (length,))])
        coords = [cuprum.concatenate([row[keep], at - min(k, 0)]), cuprum.concatenate([col[keep], at + max(k, 0)])]
        self._sparse = _cuprum.Sparse.coo(data, [index.astype(row.dtype, copy=False) for index in coords], self.shape)

    def _row(self, i):
        return self.tocsr()._row(i)

    def _column(self, j):
        return self.tocsr()._column(j)

    # Products of more than two axes.

    def dot(self, other):
        """Returns the product along the last axis and the last but one of `other`; times a number, the product of elements.

        Raises ValueError for shapes that do not match.
        """
        if is_scalar(other):
            return self * other
        if not is_sparse(other):
            other = cuprum.asarray(other)
        if self.ndim < 3 and other.ndim < 3:
            return self @ other
        return self.tensordot(other, ([self.ndim - 1], [max(0, other.ndim - 2)]))

    def _sum_with_sparse(self, other, name):
        if self.ndim < 3:
            return super()._sum_with_sparse(other, name)
        # The elements of both: those of equal indices add up where the array is converted.
        other = other.tocoo(copy=False)
        data = other.data if name == 'add' else -other.data
        dtype = cuprum.promote_types(self.dtype, other.dtype)
        data = cuprum.concatenate([self.data.astype(dtype, copy=False), data.astype(dtype, copy=False)])
        coords = [cuprum.concatenate([a, b]) for a, b in zip(self.coords, other.coords)]
        return self._new(_cuprum.Sparse.coo(data, coords, self.shape))

    def tensordot(self, other, axes=2):
        """Returns the sum of products along pairs of axes: dense where `other` is dense.

        `axes` is a number of axes, the last ones of this array and the first ones of `other`, or a pair of lists. Raises ValueError for
        lengths that differ.
        """
        from ._batches import tensordot

        return tensordot(self, other, axes)

    # Indexing.

    def __getitem__(self, key):
        key = _keys.parse(key, self.shape, 64)
        chosen, positions, array_coords = self._matches(key)
        if key.shape == ():
            return self.data[chosen].sum(dtype=self.dtype)
        coords = [positions[axis][chosen] for axis in positions]
        data = self.data[chosen]
        if key.arrays:
            entries, inner = _joined([array_coords[axis][chosen] for axis in key.arrays], *self._array_keys(key))
            data, coords = data[entries], [index[entries] for index in coords]
            at = key.pointed[0] if key.adjacent() or len(key.arrays) == 1 else 0
            coords[at:at] = inner
        for at in key.new_axes:
            coords.insert(at, cuprum.zeros(data.shape, dtype=numpy.int64))
        return coo_array((data, coords), shape=key.shape, dtype=self.dtype)

    def _array_keys(self, key):
        """Returns the index arrays of a key on the device, broadcast together, and the lengths of their axes."""
        for axis in key.arrays:
            part, length = key.parts[axis], self.shape[axis]
            if isinstance(part, cuprum.ndarray) and part.size and bool(((part >= length) | (part < -length)).any()):
                raise IndexError(f'an index is out of bounds for axis {axis} of length {length}')
        arrays = [_keys.on_device(key.parts[axis], self.shape[axis]) for axis in key.arrays]
        return cuprum.broadcast_arrays(*arrays), [self.shape[axis] for axis in key.arrays]

    def _matches(self, key):
        """Returns a mask of the elements that the integers and slices of a key select, the positions in these slices, and the indices
        along the axes of arrays."""
        chosen = cuprum.ones(self.data.shape, dtype=bool)
        positions, array_coords = {}, {}
        for axis, (part, index) in enumerate(zip(key.parts, self.coords)):
            if isinstance(part, int):
                chosen &= index == part
            elif isinstance(part, slice):
                start, stop, step = part.indices(self.shape[axis])
                if (start, stop, step) != (0, self.shape[axis], 1):
                    inside = (index >= start) & (index < stop) if step > 0 else (index <= start) & (index > stop)
                    chosen &= inside & ((index - start) % step == 0)
                positions[axis] = (index - start) // step
            else:
                array_coords[axis] = index
        return chosen, positions, array_coords

    def __setitem__(self, key, x):
        key = _keys.parse(key, self.shape, 64)
        shape = tuple(n for at, n in enumerate(key.shape) if at not in key.new_axes)
        values, inner = _assigned(x, shape, self.dtype)
        if values is None:
            return
        chosen, _, array_coords = self._matches(key)
        at = key.pointed[0] if key.arrays and (key.adjacent() or len(key.arrays) == 1) else 0
        arrays = []
        if key.arrays:
            arrays, lengths = self._array_keys(key)
            stored = _flat([array_coords[axis] for axis in key.arrays], lengths)
            chosen &= cuprum.isin(stored, _flat([a.ravel() for a in arrays], lengths))
        array_axes = arrays[0].ndim if arrays else 0
        of_arrays, of_slices = inner[at : at + array_axes], [*inner[:at], *inner[at + array_axes :]]
        coords = []
        for axis, part in enumerate(key.parts):
            if isinstance(part, int):
                coords.append(cuprum.full(values.shape, part, dtype=numpy.int64))
            elif isinstance(part, slice):
                start, _, step = part.indices(self.shape[axis])
                coords.append(start + of_slices.pop(0) * step)
            else:
                coords.append(arrays[key.arrays.index(axis)][tuple(of_arrays)])
        keep = ~chosen
        data, kept = self.data[keep], [index[keep] for index in self.coords]
        if values.size:
            # Of equal positions the last one counts; the elements elsewhere, duplicates among them, stay.
            new = _cuprum.Sparse.zeros(self.shape, self.dtype, 'coo').set_points(coords, values)
            data = cuprum.concatenate([data, new.data()])
            kept = [cuprum.concatenate([a.astype(numpy.int64, copy=False), b.astype(numpy.int64, copy=False)]) for a, b in zip(kept, new.coords())]
        self._sparse = _cuprum.Sparse.coo(data, kept, self.shape)


def _flat(coords, lengths):
    """Returns the positions of indices in an array of these lengths in C order."""
    flat = cuprum.zeros(coords[0].shape, dtype=numpy.int64)
    for index, length in zip(coords, lengths):
        flat = flat * length + index
    return flat


def _joined(coords, arrays, lengths):
    """Finds for each stored element the positions in index arrays that select it.

    Returns the numbers of the elements, repeated for each position, and the positions along the axes of the arrays. The keys are sorted
    once, and each element finds the range of its own among them.
    """
    wanted = _flat([a.ravel() for a in arrays], lengths)
    order = cuprum.argsort(wanted, kind='stable')
    in_order, own = wanted[order], _flat(coords, lengths)
    first = cuprum.searchsorted(in_order, own, side='left')
    counts = cuprum.searchsorted(in_order, own, side='right') - first
    entries = cuprum.repeat(cuprum.arange(own.size), counts)
    ends = cuprum.cumsum(counts)
    offsets = cuprum.arange(entries.size) - (ends - counts)[entries]
    return entries, list(cuprum.unravel_index(order[first[entries] + offsets], arrays[0].shape))


def _assigned(x, shape, dtype):
    """Returns the nonzero values of what is assigned to elements of a shape, and their positions; None for nothing."""
    if is_sparse(x):
        if 0 in x.shape:
            return None, None
        coo = x.tocoo(copy=True)
        coo.sum_duplicates()
        lengths = coo.shape
        while len(lengths) > len(shape) and 1 in (lengths[0], lengths[-1]):
            lengths = lengths[1:] if lengths[0] == 1 else lengths[:-1]
        lengths = (1,) * (len(shape) - len(lengths)) + lengths
        if len(lengths) != len(shape) or any(n not in (1, m) for n, m in zip(lengths, shape)):
            raise ValueError(f'shape mismatch: a sparse array of shape {x.shape} cannot be assigned to elements of shape {shape}')
        if not shape:
            return coo.data.astype(dtype, copy=False), []
        core = CLASSES['coo', True](coo).reshape(lengths)._sparse
        core = core.broadcast_to(shape) if lengths != shape else core
        return core.data().astype(dtype, copy=False), list(core.coords())
    x = assigned_value(x, dtype)
    if x.size == 0:
        return None, None
    if x.shape != shape:
        x = cuprum.broadcast_to(x.squeeze(), shape)
    if shape == ():
        return x.ravel(), []
    coords = x.nonzero()
    return x[coords], list(coords)


class coo_array(CooBase, sparray):
    """Sparse array of coordinates: the indices of each stored element, along any number of axes.

    It is made of a dense array, of a sparse array of any format (SciPy's, too, which is copied from the host), of a shape for an
    array without elements, or of `(data, coords)`, where `coords` has an array of indices for each axis. Elements of the same indices add
    up where the array is converted. `shape` defaults to the largest indices, `dtype` to that of the data. `copy` copies arrays that would
    be shared. Raises ValueError for arguments that do not fit together.

    It is SciPy's class of the same name, with every dtype of this package, float16 and bfloat16 among them.
    """


class coo_matrix(spmatrix, CooBase):
    """Sparse matrix of coordinates. Its arguments are those of `coo_array`; `*` is the product of matrices."""

    _axes = (2,)

    def __getitem__(self, key):
        """Raises TypeError: a matrix of coordinates is not indexed."""
        raise TypeError("'coo_matrix' object is not subscriptable: use tocsr(), or a coo_array")

    def __setitem__(self, key, value):
        """Raises TypeError: a matrix of coordinates is not indexed."""
        raise TypeError("'coo_matrix' object does not support item assignment: use tocsr(), or a coo_array")


def isspmatrix_coo(x):
    """Tests for a `coo_matrix`."""
    return isinstance(x, coo_matrix)


CLASSES.update({('coo', True): coo_array, ('coo', False): coo_matrix})
