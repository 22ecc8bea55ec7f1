"""Methods of arrays over devices that NumPy's arrays have."""

import operator

import numpy as np

from . import _calls, _selection, _sorting


def _axes(axis):
    if axis is None:
        return None
    return [operator.index(axis)] if not isinstance(axis, (tuple, list)) else [operator.index(one) for one in axis]


def _reduction(name, has_dtype):
    def with_dtype(self, axis=None, dtype=None, out=None, keepdims=False):
        result = self._of(self._handle.reduce(name, _axes(axis), dtype, bool(keepdims), 0.0))
        return result if out is None else _calls._store(name, (result,), out)

    def without_dtype(self, axis=None, out=None, keepdims=False):
        return with_dtype(self, axis, None, out, keepdims)

    method = with_dtype if has_dtype else without_dtype
    method.__name__, method.__qualname__ = name, f'DistributedArray.{name}'
    method.__doc__ = f'Reduces along axes as `ndarray.{name}` does: each device its chunks, whose results are combined when they are needed.'
    return method


def _unsupported(name):
    def method(self, *args, **kwargs):
        raise NotImplementedError(
            f'{name}: it is not available for arrays over devices: use to_device() to collect the array on a device, or get() for the host'
        )

    method.__name__, method.__qualname__ = name, f'DistributedArray.{name}'
    method.__doc__ = 'Raises `NotImplementedError`: the elements have to be collected first.'
    return method


def _operator(name, is_reflected=False):
    def method(self, other):
        if other is None or isinstance(other, (str, bytes)):
            return NotImplemented
        inputs = (other, self) if is_reflected else (self, other)
        return _calls.call_function(name, inputs, {})

    return method


class Methods:
    """The part of the class that follows NumPy's arrays."""

    __slots__ = ()
    __hash__ = None

    @property
    def ndim(self):
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self):
        """The number of bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """The number of bytes of all elements, each counted once."""
        return self.size * self.itemsize

    @property
    def T(self):
        """The array with the axes in reverse order."""
        return self.transpose()

    @property
    def mT(self):
        """The array with the last two axes exchanged."""
        return self.swapaxes(-1, -2)

    @property
    def real(self):
        """The real part."""
        return _calls.call_function('real', (self,), {})

    @property
    def imag(self):
        """The imaginary part."""
        return _calls.call_function('imag', (self,), {})

    sum = _reduction('sum', True)
    prod = _reduction('prod', True)
    max = _reduction('max', False)
    min = _reduction('min', False)
    any = _reduction('any', False)
    all = _reduction('all', False)
    mean = _reduction('mean', True)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        """Returns the variance along axes."""
        result = self._of(self._handle.reduce('var', _axes(axis), dtype, bool(keepdims), float(ddof)))
        return result if out is None else _calls._store('var', (result,), out)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        """Returns the standard deviation along axes."""
        result = _calls.call_function('sqrt', (self.var(axis, dtype, None, ddof, keepdims),), {})
        return result if out is None else _calls._store('std', (result,), out)

    def ptp(self, axis=None, out=None, keepdims=False):
        """Returns the range of the elements along axes."""
        result = self.max(axis, keepdims=keepdims) - self.min(axis, keepdims=keepdims)
        return result if out is None else _calls._store('ptp', (result,), out)

    def argmax(self, axis=None, dtype=None, out=None, keepdims=False):
        """Returns the indices of the maximum along an axis, or in the flattened array."""
        return self._argument('argmax', axis, dtype, out, keepdims)

    def argmin(self, axis=None, dtype=None, out=None, keepdims=False):
        """Returns the indices of the minimum along an axis, or in the flattened array."""
        return self._argument('argmin', axis, dtype, out, keepdims)

    def _argument(self, name, axis, dtype, out, keepdims):
        result = self._of(self._handle.argument(name, None if axis is None else operator.index(axis)))
        if keepdims:
            index = [None] * self.ndim if axis is None else [slice(None)] * self.ndim
            if axis is not None:
                index[axis] = None
            result = result[tuple(index)]
        if dtype is not None:
            result = result.astype(dtype)
        return result if out is None else _calls._store(name, (result,), out)

    def _along(self, name, axis, dtype, out):
        if axis is None:
            if self.ndim != 1:
                raise NotImplementedError(f'{name}: axis is None: an array over devices of {self.ndim} axes is not flattened, give an axis')
            axis = 0
        source = self if dtype is None else self.astype(dtype)
        result = self._of(source._handle.along(name, operator.index(axis)))
        if dtype is not None:
            result = result.astype(dtype)
        return result if out is None else _calls._store(name, (result,), out)

    def cumsum(self, axis=None, dtype=None, out=None):
        """Returns the cumulative sums along an axis."""
        return self._along('cumsum', axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """Returns the cumulative products along an axis."""
        return self._along('cumprod', axis, dtype, out)

    def sort(self, axis=-1, kind=None):
        """Returns the array sorted along an axis. Chunks are never written: it does not sort in place."""
        if axis in (0, -1) and _sorting.is_possible(self):
            return _sorting.sort(self)
        return self._of(self._handle.along('sort', operator.index(axis)))

    def astype(self, dtype, copy=True):
        """Returns the array converted to a dtype."""
        if np.dtype(dtype) == self.dtype:
            return self
        return _calls.elementwise(lambda chunk: chunk.astype(dtype), (self,), {}, 'astype')

    def copy(self, order='C'):
        """Returns the array itself: chunks are never written."""
        return self._of(self._handle)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def transpose(self, *axes):
        """Permutes the axes."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            (axes,) = axes
        return self._of(self._handle.transpose(list(axes) if axes else None))

    def swapaxes(self, axis1, axis2):
        """Exchanges two axes."""
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.transpose(order)

    def squeeze(self, axis=None):
        """Removes axes of one element."""
        gone = {k for k, n in enumerate(self.shape) if n == 1} if axis is None else {k % self.ndim for k in _axes(axis)}
        if any(self.shape[k] != 1 for k in gone):
            raise ValueError('squeeze: cannot select an axis to squeeze out which has size not equal to one')
        return self[tuple(0 if k in gone else slice(None) for k in range(self.ndim))]

    def clip(self, min=None, max=None, out=None):
        """Limits the elements to a range."""
        return _calls.call_function('clip', (self, min, max), {} if out is None else {'out': out})

    def round(self, decimals=0, out=None):
        """Rounds the elements."""
        return _calls.call_function('around', (self, decimals), {} if out is None else {'out': out})

    def conj(self):
        """Returns the complex conjugates."""
        return _calls.call_function('conjugate', (self,), {})

    conjugate = conj

    def dot(self, b, out=None):
        """Returns the dot product with an array of one or two axes."""
        if self.ndim == 0 or np.ndim(b) == 0:
            return self * b
        if self.ndim > 2 or b.ndim > 2:
            raise NotImplementedError('dot: arrays over devices have two axes at most here: use matmul')
        return _calls.product(self, b, out, {})

    def item(self, *args):
        """Returns an element as a Python scalar."""
        return self.get().item(*args)

    def tolist(self):
        """Returns the elements as nested lists of Python scalars."""
        return self.get().tolist()

    def tobytes(self, order='C'):
        """Returns the bytes of the elements."""
        return self.get().tobytes(order)

    def take(self, indices, axis=None, out=None):
        """Selects elements along an axis. Indices of a device are copied to the host, which distributes them."""
        return _selection.take(self, indices, axis, out)

    def compress(self, condition, axis=None, out=None):
        """Selects the slices along an axis for which a condition is true."""
        return _selection.compress(condition, self, axis, out)

    def nonzero(self):
        """Returns the indices of the elements that are not zero, an array for each axis. It waits for the devices."""
        return _selection.nonzero(self)

    def argsort(self, axis=-1):
        """Returns the indices that sort the array along an axis."""
        return _calls.call_function('argsort', (self,), {'axis': axis})

    def repeat(self, repeats, axis=None):
        """Repeats elements along an axis."""
        return _calls.call_function('repeat', (self, repeats), {'axis': axis})

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        """Sums the main diagonal of a square matrix."""
        return _calls.call_function('trace', (self, offset, axis1, axis2, dtype, out), {})

    def __getitem__(self, key):
        if _selection.is_basic(key):
            return self._of(self._handle.index(key))
        return _selection.index(self, key)

    def __setitem__(self, key, value):
        raise NotImplementedError('__setitem__: chunks of an array over devices are never written: use where(condition, x, y)')

    def __len__(self):
        if not self.shape:
            raise TypeError('len() of unsized object')
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError('iteration over a 0-d array')
        return (self[k] for k in range(self.shape[0]))

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __index__(self):
        return operator.index(self.get()[()])

    def __divmod__(self, other):
        return _calls.call_function('divmod', (self, other), {})

    def __pow__(self, other, modulo=None):
        return NotImplemented if modulo is not None else _calls.call_function('power', (self, other), {})

    def __abs__(self):
        return _calls.call_function('absolute', (self,), {})

    def __neg__(self):
        return _calls.call_function('negative', (self,), {})

    def __pos__(self):
        return _calls.call_function('positive', (self,), {})

    def __invert__(self):
        return _calls.call_function('invert', (self,), {})

    def __matmul__(self, other):
        return _calls.product(self, other, None, {})

    def __rmatmul__(self, other):
        return _calls.product(other, self, None, {})


_OPERATORS = {
    'add': 'add',
    'sub': 'subtract',
    'mul': 'multiply',
    'truediv': 'true_divide',
    'floordiv': 'floor_divide',
    'mod': 'remainder',
    'and': 'bitwise_and',
    'or': 'bitwise_or',
    'xor': 'bitwise_xor',
    'lshift': 'left_shift',
    'rshift': 'right_shift',
}
for _name, _function in _OPERATORS.items():
    setattr(Methods, f'__{_name}__', _operator(_function))
    setattr(Methods, f'__r{_name}__', _operator(_function, True))
setattr(Methods, '__rpow__', _operator('power', True))
for _name, _function in {'lt': 'less', 'le': 'less_equal', 'gt': 'greater', 'ge': 'greater_equal', 'eq': 'equal', 'ne': 'not_equal'}.items():
    setattr(Methods, f'__{_name}__', _operator(_function))

# Methods that would need elements of other chunks, or write chunks.
for _name in (
    'argpartition choose diagonal dump dumps fill flatten mdspan partition put ravel reduced_view reshape scatter_add scatter_max scatter_min '
    'searchsorted set toDlpack view'
).split():
    setattr(Methods, _name, _unsupported(_name))
