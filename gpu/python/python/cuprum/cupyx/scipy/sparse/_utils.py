"""Arguments of sparse arrays (scalars, dense operands, shapes, axes, dtypes of indices) and powers of matrices."""

import math
import operator
import sys

import numpy

import cuprum

INT32_MAX = numpy.iinfo(numpy.int32).max


class SparseWarning(Warning):
    """Warning of sparse arrays."""


class SparseEfficiencyWarning(SparseWarning):
    """Warning of an operation that another format or function does with less work."""


def is_scalar(x):
    """Tests for a number, or an array without axes."""
    return numpy.isscalar(x) or (isinstance(x, (cuprum.ndarray, numpy.ndarray)) and x.ndim == 0)


def is_integer(x):
    """Tests for an integer, or an array of one without axes. A float with an integral value raises ValueError."""
    if isinstance(x, (list, tuple)) or getattr(x, 'ndim', 0) != 0:
        return False
    try:
        operator.index(x)
        return True
    except TypeError:
        pass
    try:
        integral = bool(int(x) == x)
    except (TypeError, ValueError, OverflowError):
        return False
    if integral:
        raise ValueError(f'a sparse array takes integers as indices and lengths, not {x!r}: convert it with int()')
    return False


def is_scipy_sparse(x):
    """Tests for a sparse array of SciPy's, on the host; SciPy is not imported for it."""
    scipy_sparse = sys.modules.get('scipy.sparse')
    return scipy_sparse is not None and scipy_sparse.issparse(x)


def dense_operand(x):
    """Returns the array of a dense operand, and NotImplemented for an object that is none."""
    if isinstance(x, cuprum.ndarray):
        return x
    if isinstance(x, numpy.ndarray):
        raise TypeError('Unsupported type numpy.ndarray: its elements are on the host, make an array of it with cuprum.asarray')
    if isinstance(x, (list, tuple, range)) or hasattr(x, '__cuda_array_interface__') or hasattr(x, '__cupy_get_ndarray__'):
        return cuprum.asarray(x)
    return NotImplemented


def as_array(x, dtype=None, copy=None):
    """Returns an array on the device of what a constructor is given; `dtype` is that of the result."""
    return cuprum.array(x, dtype=dtype, copy=True) if copy else cuprum.asarray(x, dtype=dtype)


def assigned_value(x, dtype):
    """Returns what is assigned to elements as an array of their dtype; a value of the host that it does not represent raises."""
    if not isinstance(x, cuprum.ndarray) and not hasattr(x, '__cuda_array_interface__') and not hasattr(x, '__cupy_get_ndarray__'):
        x = numpy.asarray(x, dtype=dtype)
    return cuprum.asarray(x).astype(dtype, copy=False)


def on_host(x):
    """Tests for an argument whose values are on the host."""
    return not isinstance(x, cuprum.ndarray) and not hasattr(x, '__cuda_array_interface__')


def check_indices(given, axis, length):
    """Raises ValueError for an index of the host that is out of range; those of the device are checked by a kernel."""
    if not on_host(given):
        return
    try:
        a = numpy.asarray(given)
    except TypeError:
        return
    if a.size and (a.max() >= length or a.min() < 0):
        index = a.max() if a.max() >= length else a.min()
        raise ValueError(f'index {index} is out of bounds for axis {axis} with size {length}')


def data_dtype(dtype, default=None):
    """Returns the dtype of data that a constructor is given; ValueError for one that is not numeric."""
    dtype = numpy.dtype(default if dtype is None else dtype)
    if dtype.char not in '?bBhHiIlLqQefdFD' and dtype.name != 'bfloat16':
        raise ValueError(f'a sparse array has no elements of dtype {dtype}: use a boolean, integer, floating-point or complex dtype')
    return dtype


def sum_dtype(dtype):
    """Returns the dtype in which elements of a dtype are added."""
    if dtype.kind == 'u':
        return numpy.dtype(numpy.uint64)
    return numpy.dtype(numpy.int64) if dtype.kind in 'bi' else dtype


def get_index_dtype(arrays=(), maxval=None, check_contents=False):
    """Returns the dtype for indices: int32 where it holds them, else int64.

    `arrays` are index arrays, whose own dtypes count; with `check_contents` an int64 array whose values int32 holds counts as
    int32, which copies two values to the host. `maxval` is the largest value that is to be stored. It is SciPy's function.
    """
    if maxval is not None and maxval > INT32_MAX:
        return numpy.int64
    for a in (arrays,) if isinstance(arrays, (cuprum.ndarray, numpy.ndarray)) else arrays:
        a = a if isinstance(a, cuprum.ndarray) else numpy.asarray(a)
        if numpy.can_cast(a.dtype, numpy.int32):
            continue
        if check_contents and a.dtype.kind in 'iu' and (a.size == 0 or (int(a.max()) <= INT32_MAX and int(a.min()) >= -INT32_MAX - 1)):
            continue
        if check_contents and a.size == 0:
            continue
        return numpy.int64
    return numpy.int32


def safely_cast_index_arrays(A, idx_dtype=numpy.int32, msg=''):
    """Returns the index arrays of a sparse array in another dtype.

    The result is `(indices, indptr)` of CSR, CSC and BSR, the coordinates of COO, the offsets of DIA. Raises ValueError where a value
    is too large for the dtype; `msg` is put in place of the dtype in its message. It is SciPy's function.
    """
    most, what = numpy.iinfo(idx_dtype).max, msg or f'dtype {numpy.dtype(idx_dtype)}'

    def cast(name, arrays):
        for a in arrays:
            if a.size and a.dtype.itemsize > numpy.dtype(idx_dtype).itemsize and int(a.max()) > most:
                raise ValueError(f'safely_cast_index_arrays: values of {name} are too large for {what}')
        return tuple(a.astype(idx_dtype, copy=False) for a in arrays)

    if A.format in ('csr', 'csc', 'bsr'):
        return cast('indices and indptr', (A.indices, A.indptr))
    if A.format == 'coo':
        return cast('coords', A.coords)
    if A.format == 'dia':
        return cast('offsets', (A.offsets,))[0]
    raise TypeError(f'safely_cast_index_arrays: the format {A.format!r} has no index arrays')


def check_shape(args, current=None, allow_nd=(2,)):
    """Returns the shape that a function is given, as one argument or as several.

    With `current`, the shape of an array that is reshaped, one length may be -1. Raises ValueError for a number of axes that
    is not in `allow_nd`, a negative length, or another number of elements; TypeError without any.
    """
    if not args:
        raise TypeError("function missing 1 required positional argument: 'shape'")
    if len(args) == 1:
        args = args[0] if hasattr(args[0], '__iter__') else args
    shape = tuple(operator.index(n) for n in args)
    if current is not None:
        shape = _without_unknown(shape, current)
    elif any(n < 0 for n in shape):
        raise ValueError(f"'shape' is {shape}: lengths cannot be negative")
    if len(shape) not in allow_nd:
        raise ValueError(f'shape {shape} has {len(shape)} axes: the format does not support that')
    return shape


def _without_unknown(shape, current):
    size, unknown = math.prod(current), [axis for axis, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ValueError('can only specify one unknown dimension')
    if unknown:
        rest = math.prod(n for n in shape if n >= 0)
        if rest == 0 or size % rest:
            raise ValueError(f'cannot reshape array of size {size} into shape {shape}')
        shape = tuple(size // rest if n < 0 else n for n in shape)
    if math.prod(shape) != size:
        raise ValueError(f'cannot reshape array of size {size} into shape {shape}')
    return shape


def is_shape(x, allow_nd=(2,)):
    """Tests for a tuple of lengths."""
    return len(x) in allow_nd and all(is_integer(n) for n in x)


def check_axis(axis, ndim):
    """Returns the axes of a reduction as a tuple of nonnegative integers, None for all.

    Raises ValueError for an axis that is out of range or repeated, TypeError for one that is no integer.
    """
    if axis is None:
        return None
    if isinstance(axis, tuple) and not axis:
        raise ValueError('axis is (): a sparse array is reduced along one axis at least')
    axes = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for one in axes:
        if isinstance(one, (bool, float, str)) or not is_integer(one):
            raise TypeError(f'axis must be an integer or a tuple of integers, not {axis!r}')
        one = operator.index(one)
        if not -ndim <= one < ndim:
            raise ValueError(f'axis {one} is out of range for an array of {ndim} axes')
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f'axis {axis} has a repeated entry')
    return None if len(found) == ndim else tuple(found)


def broadcast_shapes(*shapes):
    """Returns the shape to which shapes are broadcast; ValueError where there is none."""
    return numpy.broadcast_shapes(*shapes)


def repeated_product(matrix, exponent):
    """Returns the power of a matrix to a positive integer by repeated squaring; of exponent 1 a copy."""
    result, square = None, matrix
    while exponent:
        if exponent % 2:
            result = square if result is None else result @ square
        exponent //= 2
        if exponent:
            square = square @ square
    return result.copy() if result is matrix else result
