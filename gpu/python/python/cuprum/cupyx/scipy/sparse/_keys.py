"""Keys of `A[key]`: what an index selects, checked against the shape."""

import dataclasses
import operator

import numpy

import cuprum

from ._arithmetic import is_sparse
from ._utils import broadcast_shapes, is_integer


@dataclasses.dataclass
class Key:
    """A parsed key: an integer, a slice or a one or more dimensional integer array for each axis of the array."""

    # One part for each axis. Arrays are on the device, or on the host as they were given.
    parts: tuple
    # The shape of `A[key]`.
    shape: tuple
    # The axes whose parts are integers or arrays, and those whose parts are arrays.
    pointed: list
    arrays: list
    # The positions of new axes in the result.
    new_axes: list

    def adjacent(self):
        """Tests for arrays and integers in consecutive axes: their axes then stay where they are, else they come first."""
        return len(self.pointed) == self.pointed[-1] - self.pointed[0] + 1


def parse(key, shape, most_axes=2):
    """Parses the key of an array of a shape.

    Raises IndexError for too many parts, an integer or an array of the host out of range, a mask of another shape, index arrays
    that cannot be broadcast together, and index arrays of more than `most_axes` axes. Values of arrays on the device are checked
    by the kernels that use them.
    """
    given = key if isinstance(key, tuple) else (key,)
    parts = [_part(one, len(shape)) for one in given]
    consumed = sum(0 if part is None or part is Ellipsis else _axes_of(part) for part in parts)
    if consumed > len(shape):
        raise IndexError(f'too many indices: the array has {len(shape)} axes, but {consumed} were indexed')
    ellipses = [at for at, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    whole = [slice(None)] * (len(shape) - consumed)
    at = ellipses[0] if ellipses else len(parts)
    return _checked(parts[:at] + whole + parts[at + 1 :], shape, most_axes)


def _part(one, ndim):
    """Returns a part of a key: None, an ellipsis, a slice, an integer, a boolean or an integer array."""
    if one is None or one is Ellipsis or isinstance(one, slice):
        return one
    if is_sparse(one):
        if one.dtype.kind != 'b':
            raise IndexError('a sparse array is an index only if it is a mask: it must be of booleans')
        return one
    if is_integer(one):
        return operator.index(one)
    if isinstance(one, (cuprum.ndarray, numpy.ndarray)):
        return one
    try:
        return numpy.asarray(one)
    except TypeError:
        return cuprum.asarray(one)


def _axes_of(part):
    """Returns the number of axes that a part indexes."""
    return part.ndim if getattr(part, 'dtype', None) == bool else 1


def _checked(parts, shape, most_axes):
    index, lengths, pointed, arrays, new_axes = [], [], [], [], []
    for part in parts:
        axis = len(index)
        if part is None:
            new_axes.append(len(lengths))
            lengths.append(1)
        elif isinstance(part, slice):
            index.append(part)
            lengths.append(len(range(*part.indices(shape[axis]))))
        elif getattr(part, 'dtype', None) == bool and part.ndim:
            masked = shape[axis : axis + part.ndim]
            if tuple(part.shape) != tuple(masked):
                raise IndexError(f'boolean index has shape {tuple(part.shape)}, the axes have {tuple(masked)}')
            arrays += range(axis, axis + part.ndim)
            pointed += range(axis, axis + part.ndim)
            index += part.nonzero()
        elif isinstance(part, int):
            index.append(_integer(part, shape[axis]))
            pointed.append(axis)
        elif part.ndim == 0:
            raise IndexError(f'only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are indices, not {part!r}')
        else:
            index.append(_array(part, shape[axis], most_axes))
            pointed.append(axis)
            arrays.append(axis)
    if arrays:
        try:
            common = broadcast_shapes(*(tuple(index[axis].shape) for axis in arrays))
        except ValueError:
            shapes = ' '.join(str(tuple(index[axis].shape)) for axis in arrays)
            raise IndexError(f'shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}') from None
        adjacent = len(pointed) == pointed[-1] - pointed[0] + 1
        at = pointed[0] if adjacent or len(arrays) == 1 else 0
        lengths[at:at] = common
    return Key(tuple(index), tuple(lengths), pointed, arrays, new_axes)


def _integer(at, length):
    if not -length <= at < length:
        raise IndexError(f'index {at} is out of bounds for an axis of length {length}')
    return at % length


def _array(part, length, most_axes):
    if part.ndim > most_axes:
        raise IndexError(f'an index array has {part.ndim} axes: at most {most_axes} are supported')
    if part.size and part.dtype.kind not in 'iu':
        raise IndexError(f'an index array has dtype {part.dtype}: integers or booleans are needed')
    if isinstance(part, numpy.ndarray) and part.size:
        least, most = int(part.min()), int(part.max())
        if most >= length or least < -length:
            raise IndexError(f'index {most if most >= length else least} is out of bounds for an axis of length {length}')
    return part


def on_device(part, length):
    """Returns an index array on the device, counted from the start. Negative values out of range stay as they are: the kernels report them."""
    a = cuprum.asarray(part)
    if a.size == 0:
        return a.astype(numpy.int64)
    if a.dtype.kind == 'u':
        return a
    # The length may be out of range of the dtype.
    a = a.astype(numpy.int64, copy=False)
    return cuprum.where((a < 0) & (a >= -length), a + length, a)


def selector(part, length):
    """Returns what the core selects along an axis for a part of a key; an index array as one axis."""
    if isinstance(part, int):
        return (part, 1, 1)
    if isinstance(part, slice):
        span = range(*part.indices(length))
        return None if span == range(length) else (span.start if len(span) else 0, span.step, len(span))
    a = cuprum.asarray(part).ravel()
    return a if a.size else (0, 1, 0)
