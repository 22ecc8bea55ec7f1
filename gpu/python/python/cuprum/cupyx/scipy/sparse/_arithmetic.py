"""Arithmetic of sparse arrays: sums, products, quotients, powers and functions of elements."""

import math
import operator

import numpy

import cuprum

from ._utils import broadcast_shapes, dense_operand, is_scalar


def is_sparse(x):
    """Tests for a sparse array of this package."""
    return isinstance(x, Arithmetic)


class Arithmetic:
    """Operators of all formats; `*` and `**` are those of arrays, which `spmatrix` replaces."""

    # Sums.

    def _sum_with(self, other, function, left):
        """Returns the sum or the difference with another operand, on the `left` or on the right."""
        if not is_sparse(other) and is_scalar(other):
            if other == 0:
                return -self.copy() if left and function is cuprum.subtract else self.copy()
            raise NotImplementedError(
                f'{function.__name__}: a number that is not zero changes every element: make a dense array of the sparse one with toarray()'
            )
        if is_sparse(other):
            if other.shape != self.shape:
                raise ValueError(f'inconsistent shapes {self.shape} and {other.shape}')
            return self._sum_with_sparse(other, function.__name__)
        if not isinstance(other, (list, tuple)) and (dense := dense_operand(other)) is not NotImplemented:
            dense = cuprum.broadcast_to(dense, self.shape)
            if function is cuprum.add:
                # Duplicates are added in the dtype of the result.
                promoted = self._new(self._sparse.astype(cuprum.promote_types(self.dtype, dense.dtype)), self._one_axis)
                return promoted.toarray() + dense
            return dense - self.toarray() if left else self.toarray() - dense
        return NotImplemented

    def _sum_with_sparse(self, other, name):
        return self._binary(other, name)

    def _binary(self, other, name):
        """Returns a function of the elements of two arrays of one shape, in CSR format or, of a CSC array, in CSC format."""
        if self.ndim > 2:
            width = math.prod(self.shape)
            flat = self.reshape(1, width)._binary(other.reshape(1, width), name).tocoo(copy=False).reshape(self.shape)
            return flat._new(flat._sparse.with_index_dtype(numpy.int64))
        own = self._compressed()
        left, right = own._sparse, other._sparse if other._format == own._format else other._two_axes(own._format)
        if left.dtype != right.dtype:
            # Duplicates are added in the dtype in which the function computes.
            dtype = cuprum.promote_types(left.dtype, right.dtype)
            left, right = (core if core.dtype == dtype else core.astype(dtype) for core in (left, right))
        return own._new(left.binary(name, right), own._one_axis)

    def _compressed(self):
        """Returns the array in CSR or CSC format: itself if it is in one of them."""
        return self if self._format in ('csr', 'csc') else self.tocsr()

    def __add__(self, other):
        return self._sum_with(other, cuprum.add, False)

    def __radd__(self, other):
        return self._sum_with(other, cuprum.add, True)

    def __sub__(self, other):
        return self._sum_with(other, cuprum.subtract, False)

    def __rsub__(self, other):
        return self._sum_with(other, cuprum.subtract, True)

    def __iadd__(self, other):
        return NotImplemented

    def __isub__(self, other):
        return NotImplemented

    # Products of elements.

    def __mul__(self, other):
        return self.multiply(other)

    def __rmul__(self, other):
        return self.multiply(other)

    def _mul_scalar(self, other):
        return self._with_data(self.data * other)

    def multiply(self, other):
        """Multiplies by a number, or by the elements of a sparse or dense array, to whose shape the array is broadcast.

        The result is sparse, in COO format where `other` is dense; an array of one element times a dense one is dense. Raises
        ValueError for shapes that cannot be broadcast together.
        """
        if is_scalar(other):
            return self._mul_scalar(other)
        if is_sparse(other):
            return self._multiply_sparse(other)
        dense = dense_operand(other)
        return dense if dense is NotImplemented else self._multiply_dense(dense)

    def _multiply_sparse(self, other):
        if self.ndim > 2 or other.ndim > 2:
            if self.shape != other.shape:
                raise ValueError(f'multiply: shapes {self.shape} and {other.shape} differ: arrays of more than two axes are not broadcast')
            return self._binary(other, 'multiply')
        if self.shape == other.shape:
            return self._binary(other, 'multiply')
        if other.shape in ((1,), (1, 1)):
            scaled = self._compressed()._mul_scalar(other.toarray().reshape(()))
            return scaled.reshape(1, self.shape[0]) if self.ndim == 1 and other.ndim == 2 else scaled
        if self.shape in ((1,), (1, 1)):
            return other._mul_scalar(self.data.sum(dtype=self.dtype))
        try:
            shape = broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(f'multiply: inconsistent shapes {self.shape} and {other.shape}') from None
        whole, part = (self, other) if self.shape == shape else (other, self)
        if whole.shape != shape:
            # A column times a row.
            whole = self if self.ndim == 2 and self.shape[1] == 1 else other
            format = whole._compressed()._format
        else:
            by_rows = part.ndim == 2 and part.shape[1] == 1
            format = 'csr' if by_rows else whole._compressed()._format
        cores = [x._two_axes(format).broadcast_to(shape) for x in (self, other)]
        return whole._new(cores[0].binary('multiply', cores[1]))

    def _multiply_dense(self, other):
        if other.ndim > 2 or self.ndim > 2:
            if self.ndim > 2 and self.shape != other.shape:
                raise ValueError(f'multiply: shapes {self.shape} and {other.shape} differ: arrays of more than two axes are not broadcast')
            if self.ndim <= 2:
                return self.toarray() * other
        try:
            shape = broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(f'multiply: inconsistent shapes {self.shape} and {other.shape}') from None
        if other.size == 1:
            return self._compressed()._mul_scalar(other.reshape(())).reshape(shape)
        if self.shape in ((1,), (1, 1)):
            return (self.data.sum(dtype=self.dtype) * other).reshape(shape)
        coo = (self.tocsr() if self._format == 'coo' and self.ndim < 3 else self).tocoo(copy=False)
        core = coo._sparse
        if self.shape != shape:
            core = (core if self.ndim == 2 else core.reshape((1, *self.shape))).broadcast_to(shape)
        data = core.data() * core.gather_dense(cuprum.broadcast_to(other, shape))
        return coo._new(core.with_data(data))

    def __imul__(self, other):
        return self._scale_in_place(other) if is_scalar(other) else NotImplemented

    def __itruediv__(self, other):
        return self._scale_in_place(1.0 / other) if is_scalar(other) else NotImplemented

    def _scale_in_place(self, factor):
        data = self.data
        data *= factor
        self._sparse = self._sparse.with_data(data)
        return self

    # Products of matrices.

    def __matmul__(self, other):
        if is_scalar(other):
            raise ValueError('matmul: an operand without axes has no product of matrices, use * instead')
        return self._matmul(other)

    def __rmatmul__(self, other):
        if is_scalar(other):
            raise ValueError('matmul: an operand without axes has no product of matrices, use * instead')
        return self._rmatmul(other)

    def dot(self, other):
        """Returns the product of matrices; times a number, the product of elements."""
        return self * other if is_scalar(other) else self @ other

    def _matmul(self, other):
        if is_scalar(other):
            return self._mul_scalar(other)
        if not is_sparse(other):
            other = dense_operand(other)
            if other is NotImplemented:
                return other
        if self.ndim > 2 or (other.ndim > 2 and (3 in self._axes or is_sparse(other))):
            from . import _batches

            return _batches.matmul(self, other)
        inner = self.shape[-1]
        if other.ndim > 2:
            raise ValueError(f'matmul: the dense operand has {other.ndim} axes: a sparse array is multiplied with one or two')
        if other.shape[0] != inner:
            raise ValueError(f'matmul: shapes {self.shape} and {other.shape} do not match: {inner} (dim {self.ndim - 1}) != {other.shape[0]} (dim 0)')
        if is_sparse(other):
            return self._matmul_sparse(other)
        core = self._sparse if self.ndim == 2 or self._one_axis else self._two_axes('csr')
        made = core.matmul_dense(other)
        return made[0] if self.ndim == 1 else made

    def _matmul_sparse(self, other):
        own = self._compressed()
        right = other._two_axes(own._format)
        if other.ndim == 1:
            right = right.transpose(None).to_format(own._format)
        made = own._new(own._sparse.matmul(right))
        if self.ndim == 2 and other.ndim == 2:
            return made
        if self.ndim == 1 and other.ndim == 1:
            return made.toarray().reshape(())
        return made.reshape((*self.shape[:-1], *other.shape[1:]))

    def _rmatmul(self, other):
        if is_scalar(other):
            return self._mul_scalar(other)
        other = dense_operand(other)
        if other is NotImplemented:
            return other
        if self.ndim > 2 or other.ndim > 2:
            from . import _batches

            return _batches.rmatmul(self, other)
        if other.shape[-1] != self.shape[0]:
            raise ValueError(f'matmul: shapes {other.shape} and {self.shape} do not match: {other.shape[-1]} (dim {other.ndim - 1}) != {self.shape[0]} (dim 0)')
        if self.ndim == 1:
            return self._matmul(other.T).T
        return self._sparse.rmatmul_dense(other)

    # Quotients.

    def __truediv__(self, other):
        floats = cuprum.can_cast(self.dtype, 'float64')
        if is_scalar(other):
            own = self.astype('float64', copy=False) if floats else self
            return own._mul_scalar(1 / other)
        if is_sparse(other):
            if other.shape != self.shape:
                raise ValueError(f'inconsistent shapes {self.shape} and {other.shape}')
            own = self.astype('float64', copy=False) if floats else self
            # Duplicates are added in the dtype of the quotient, which is cast to that of the dividend, as in SciPy.
            dtype = cuprum.promote_types(own.dtype, other.dtype)
            dividend, divisor = (self._new(a._sparse.astype(dtype), a._one_axis).toarray() for a in (own, other))
            return (dividend / divisor).astype(own.dtype, copy=False)
        dense = dense_operand(other)
        return dense if dense is NotImplemented else self.multiply(1 / dense)

    def __rtruediv__(self, other):
        return NotImplemented

    # Powers.

    def __pow__(self, other):
        return self.power(other)

    def power(self, n, dtype=None):
        """Raises the elements to a power, in `dtype` if it is given.

        Raises NotImplementedError for an exponent that is no number, and for zero, of which every element is 1.
        """
        if not is_scalar(n):
            raise NotImplementedError('power: the exponent must be a number')
        if not n:
            raise NotImplementedError('power: every element to the power of zero is 1: use cuprum.ones(A.shape, A.dtype)')
        data = self._summed_data()
        return self._with_data((data if dtype is None else data.astype(dtype, copy=False)) ** n)

    # Functions of elements.

    def __neg__(self):
        if self.dtype.kind == 'b':
            raise NotImplementedError('negative: booleans have no negative: convert the array with astype')
        return self._with_data(-self.data)

    def __abs__(self):
        return self._with_data(abs(self._summed_data()))

    def __round__(self, ndigits=0):
        return self._with_data(cuprum.around(self._summed_data(), ndigits))

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        """Calls the operator or the method that is the function of NumPy's or of this package for sparse arrays."""
        if method != '__call__' or kwargs:
            return NotImplemented
        return call_ufunc(function.__name__, inputs)


# Functions that are zero at zero: the elements that are not stored stay zero.
_ZERO_AT_ZERO = [
    'arcsin',
    'arcsinh',
    'arctan',
    'arctanh',
    'ceil',
    'deg2rad',
    'expm1',
    'floor',
    'log1p',
    'rad2deg',
    'rint',
    'sign',
    'sin',
    'sinh',
    'sqrt',
    'tan',
    'tanh',
    'trunc',
]


def _elementwise(name):
    function = getattr(cuprum, name)

    def method(self):
        return self._with_data(function(self._summed_data()))

    method.__name__ = name
    method.__qualname__ = f'Arithmetic.{name}'
    method.__doc__ = f'Applies `cuprum.{name}` to the elements; the result has the same format and structure.'
    return method


for _name in _ZERO_AT_ZERO:
    setattr(Arithmetic, _name, _elementwise(_name))

# The operators that functions of two operands are.
_OPERATORS = {
    'add': 'add',
    'subtract': 'sub',
    'multiply': 'mul',
    'divide': 'truediv',
    'true_divide': 'truediv',
    'matmul': 'matmul',
    'power': 'pow',
    'equal': 'eq',
    'not_equal': 'ne',
    'less': 'lt',
    'less_equal': 'le',
    'greater': 'gt',
    'greater_equal': 'ge',
}
_REFLECTED = {'lt': 'gt', 'le': 'ge', 'gt': 'lt', 'ge': 'le', 'eq': 'eq', 'ne': 'ne'}
_METHODS = {'negative': '__neg__', 'absolute': '__abs__', 'conjugate': 'conjugate', 'conj': 'conjugate', **{name: name for name in _ZERO_AT_ZERO}}


def call_ufunc(name, operands):
    """Calls what a function of elements is for sparse arrays; NotImplemented for a function that sparse arrays do not have."""
    if len(operands) == 1 and name in _METHODS:
        return getattr(operands[0], _METHODS[name])()
    if len(operands) != 2:
        return NotImplemented
    left, right = operands
    if name in ('maximum', 'minimum'):
        return getattr(left, name)(right) if is_sparse(left) else getattr(right, name)(left)
    if name not in _OPERATORS:
        return NotImplemented
    operator = _OPERATORS[name]
    if is_sparse(left):
        return getattr(left, f'__{operator}__')(right)
    method = getattr(right, f'__{_REFLECTED[operator]}__' if operator in _REFLECTED else f'__r{operator}__', None)
    return NotImplemented if method is None else method(left)


# Functions of the main namespace that sparse arrays have as methods.
_FUNCTIONS = ('argmax', 'argmin', 'count_nonzero', 'diagonal', 'max', 'mean', 'min', 'nanmax', 'nanmin', 'nonzero', 'reshape', 'sum', 'trace', 'transpose')


# Functions of the main namespace that return an attribute, or test the dtype.
_ATTRIBUTES = {name: operator.attrgetter(name) for name in ('imag', 'ndim', 'real', 'shape', 'size')} | {
    'iscomplexobj': lambda a: a.dtype.kind == 'c',
    'isrealobj': lambda a: a.dtype.kind != 'c',
}


def call_function(name, args, kwargs):
    """Calls what a function of the main namespace is for sparse arrays; TypeError for one that takes dense arrays alone."""
    if name in _ATTRIBUTES and len(args) == 1 and not kwargs and is_sparse(args[0]):
        return _ATTRIBUTES[name](args[0])
    if name in _FUNCTIONS and is_sparse(args[0]) and hasattr(args[0], name):
        return getattr(args[0], name)(*args[1:], **kwargs)
    result = NotImplemented
    if not kwargs:
        result = call_ufunc('matmul' if name == 'dot' else name, args)
    if result is NotImplemented:
        raise TypeError(f'{name}: an argument is a sparse array, which the function does not support: make a dense one of it with toarray()')
    return result
