"""Arrays of structured dtypes, datetime64 and timedelta64: their bytes are on the device, described by NumPy's
dtype."""

import operator

import numpy as np

import cuprum
from cuprum._cuprum import NonNumeric, view_of_memory

from . import _layout
from ._layout import address_of, dense_strides, key_for_words, layout_of, resolve_order, word_width, words

BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def unsupported(name, dtype):
    """Returns the error of a function that is not defined for a dtype, or not implemented yet."""
    if dtype.names is not None:
        cure = "use its fields: a['name']"
    elif dtype.kind in 'Mm':
        cure = "use a.view('i8')"
    elif _layout.is_numeric(dtype.newbyteorder('=')):
        cure = 'its elements are not aligned or not in native byte order: use a.copy(), or asarray(a.get()) for the byte order'
    else:
        cure = 'use a.view(dtype) or a.get()'
    return TypeError(f'{name}: {dtype} is not supported: {cure}')


class NoLoop(TypeError):
    """An error for operands for which an elementwise function has no loop."""


class NonNumericArray(NonNumeric):
    """An array of a structured dtype, of datetime64 or timedelta64, or of elements that are not aligned."""

    __module__ = 'cuprum'
    _cuprum_array_ = True

    # Attributes.

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._layout.dtype

    @property
    def shape(self):
        """The lengths of the axes."""
        return self._layout.shape

    @shape.setter
    def shape(self, shape):
        raise AttributeError('the shape of such an array cannot be set: use reshape')

    @property
    def strides(self):
        """The bytes from an element to the next along each axis."""
        return self._layout.strides

    @property
    def ndim(self):
        """The number of axes."""
        return self._layout.ndim

    @property
    def size(self):
        """The number of elements."""
        return self._layout.size

    @property
    def itemsize(self):
        """The bytes of one element."""
        return self._layout.itemsize

    @property
    def nbytes(self):
        """The bytes of all elements."""
        return self._layout.nbytes

    @property
    def flags(self):
        """The flags: contiguous, owner of its memory, writeable."""
        flags = self._layout.flags
        return self._flags(flags.c_contiguous, flags.f_contiguous)

    @property
    def T(self):
        """The axes in reverse order."""
        return wrap(self._layout.T, self)

    @property
    def mT(self):
        """The last two axes exchanged."""
        return wrap(self._layout.mT, self)

    @property
    def __cuda_array_interface__(self):
        interface = dict(words(self, self._layout, 1).__cuda_array_interface__)
        interface.update(shape=self.shape, typestr=self.dtype.str, descr=self.dtype.descr, strides=None if self._layout.flags.c_contiguous else self.strides)
        return interface

    # Views.

    def __getitem__(self, key):
        if isinstance(key, str) or isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return wrap(self._layout[key], self)
        parts = key if isinstance(key, tuple) else (key,)
        if all(isinstance(part, BASIC) and not isinstance(part, bool) for part in parts):
            # The ellipsis makes NumPy return a view instead of reading an element.
            return wrap(self._layout[parts if Ellipsis in parts else (*parts, ...)], self)
        chosen = words(self, self._layout)[key_for_words(key)]
        return of_words(chosen, self.dtype)

    def __setitem__(self, key, value):
        if isinstance(key, str) or isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            self[key][...] = value
            return
        if self.flags.writeable is False:
            raise ValueError('assignment destination is read-only')
        source = operand(value, self.dtype, 'assignment')
        layout = layout_in(source)
        width = min(word_width(self._layout), word_width(layout))
        words(self, self._layout, width)[key_for_words(key)] = words(source, layout, width)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError('iteration over a 0-d array')
        return (self[at] for at in range(len(self)))

    def __len__(self):
        if self.ndim == 0:
            raise TypeError('len() of unsized object')
        return self.shape[0]

    def view(self, dtype=None, type=None):
        """Returns the same bytes as elements of another dtype."""
        if type is not None:
            raise unsupported('view: the parameter `type`', self.dtype)
        if dtype is None:
            return wrap(self._layout[...], self)
        return wrap(self._layout.view(dtype), self)

    def transpose(self, *axes):
        """Returns the axes in another order: a view."""
        return wrap(self._layout.transpose(*axes), self)

    def swapaxes(self, axis1, axis2):
        """Two axes exchanged: a view."""
        return wrap(self._layout.swapaxes(axis1, axis2), self)

    def squeeze(self, axis=None):
        """Returns the array without axes of length 1: a view."""
        return wrap(self._layout.squeeze(axis), self)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """Returns the elements of diagonals: a view."""
        return wrap(self._layout.diagonal(offset, axis1, axis2), self)

    def reshape(self, *shape, order='C', copy=None):
        """Returns the elements in another shape: a view if possible."""
        if len(shape) == 1:
            shape = shape[0]
        order = resolve_order(order, self._layout)
        if copy is not True:
            try:
                return wrap(np.reshape(self._layout, shape, order=order, copy=False), self)
            except ValueError:
                # Either the shape does not fit, which the copy's reshape reports, or there is no view.
                if copy is False:
                    raise
        copied = self.copy(order)
        return wrap(np.reshape(copied._layout, shape, order=order, copy=False), copied, fresh=True)

    def ravel(self, order='C'):
        """Returns the elements along one axis: a view if possible."""
        if order == 'K':
            axes = sorted(range(self.ndim), key=lambda axis: -abs(self.strides[axis]))
            return self.transpose(axes).reshape(-1)
        return self.reshape(-1, order=order)

    def flatten(self, order='C'):
        """Returns the elements along one axis: a copy."""
        line = self.ravel(order)
        return line if line.base is None else line.copy()

    # Copies.

    def copy(self, order='C'):
        """Returns a copy, whose elements are aligned."""
        order = resolve_order(order, self._layout)
        new = empty(self.shape, self.dtype, order, self._layout)
        source, target = self._layout, layout_in(new)
        width = min(word_width(source), word_width(target))
        words(new, target, width)[...] = words(self, source, width)
        return new

    def __copy__(self):
        return self.copy('K')

    def __deepcopy__(self, memo):
        return self.copy('K')

    def __reduce__(self):
        return cuprum.asarray, (self.get(),)

    def astype(self, dtype, order='K', casting='unsafe', subok=None, copy=True):
        """Returns the elements in another dtype."""
        from . import _dates, _fields

        dtype = np.dtype(dtype)
        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype} to {dtype} according to the rule '{casting}'")
        if dtype == self.dtype:
            return self.copy(order) if copy else self
        if self.dtype.kind in 'Mm':
            return _dates.astype(self, dtype)
        if self.dtype.names is not None and dtype.names is not None:
            return _fields.astype(self, dtype)
        if _layout.is_numeric(dtype) and dtype == self.dtype.newbyteorder('='):
            # The bytes of each number in reverse order; a complex one is two.
            numbers = 2 if dtype.kind == 'c' else 1
            swapped = words(self, self._layout, 1).reshape(-1, numbers, self.itemsize // numbers)[..., ::-1]
            return cuprum.ascontiguousarray(swapped).reshape(-1, self.itemsize).view(dtype).reshape(self.shape)
        raise unsupported(f'astype to {dtype}', self.dtype)

    def get(self, stream=None, order='C', out=None, blocking=True):
        """Returns a copy on the host."""
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype):
            raise ValueError(f'get: out is of {out.dtype} and shape {out.shape}: {self.dtype} and {self.shape} are needed')
        fortran = out is None and resolve_order(order, self._layout) == 'F'
        source = self.T if fortran else self
        if not source.flags.c_contiguous:
            dense = empty(source.shape, np.dtype(f'V{self.itemsize}'))
            dense[...] = source.view(dense.dtype)
            source = dense
        host = words(source, source._layout).get(stream=stream)
        host = host.reshape(-1).view(self.dtype).reshape(source.shape)
        if out is None:
            return host.T if fortran else host
        out[...] = host
        return out

    def tolist(self):
        """Returns the elements as nested lists of Python."""
        return self.get().tolist()

    def tobytes(self, order='C'):
        """Returns the bytes of the elements."""
        return self.get().tobytes(order)

    def item(self, *args):
        """Returns an element as a Python object."""
        return self.get().item(*args)

    def to_device(self, device, /, *, stream=None):
        """Returns the array on a device: itself if it is already there, otherwise a copy."""
        moved = words(self, self._layout).to_device(device, stream=stream)
        return self if moved.device == self.device else of_words(moved, self.dtype)

    def fill(self, value):
        """Sets all elements."""
        self[...] = value

    def take(self, indices, axis=None, out=None, mode='raise'):
        """Returns the elements at indices."""
        return cuprum.take(self, indices, axis=axis, out=out, mode=mode)

    def repeat(self, repeats, axis=None):
        """Repeats each element."""
        return cuprum.repeat(self, repeats, axis=axis)

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            'Implicit conversion to a NumPy array is not allowed: the elements are on the device. '
            'Use the method get() or cuprum.asnumpy() to copy them to the host'
        )

    def __dlpack__(self, **options):
        raise unsupported('__dlpack__', self.dtype)

    def __dlpack_device__(self):
        raise unsupported('__dlpack_device__', self.dtype)

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, spec):
        return format(self.get(), spec)

    def __bool__(self):
        if self.size != 1:
            raise ValueError('The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()')
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __contains__(self, value):
        return bool((self == value).any())

    __hash__ = None


def _operator(name, symbol, reflected=False):
    function = getattr(cuprum, name)

    def method(self, other):
        equality = symbol in ('__eq__', '__ne__')
        if equality and (other is None or isinstance(other, str)):
            return cuprum.full(self.shape, symbol == '__ne__')
        try:
            return function(other, self) if reflected else function(self, other)
        except NoLoop:
            # Elements that cannot be compared are unequal.
            if equality:
                return cuprum.full(np.broadcast_shapes(self.shape, getattr(other, 'shape', ())), symbol == '__ne__')
            raise

    method.__name__ = symbol
    return method


def _in_place(name, symbol):
    function = getattr(cuprum, name)

    def method(self, other):
        self[...] = function(self, other)
        return self

    method.__name__ = symbol
    return method


def _not_supported(name):
    def method(self, *args, **kwargs):
        raise unsupported(name, self.dtype)

    method.__name__ = name
    return method


OPERATORS = {'add': 'add', 'subtract': 'sub', 'multiply': 'mul', 'true_divide': 'truediv', 'floor_divide': 'floordiv', 'remainder': 'mod'}
COMPARISONS = {'equal': '__eq__', 'not_equal': '__ne__', 'less': '__lt__', 'less_equal': '__le__', 'greater': '__gt__', 'greater_equal': '__ge__'}
# Methods of dates that are functions of the package.
METHODS = ('all', 'any', 'argmax', 'argmin', 'argsort', 'cumsum', 'max', 'mean', 'min', 'nonzero', 'ptp', 'searchsorted', 'sum')
# Attributes and methods that arrays of every dtype have.
INHERITED = frozenset(
    (
        'base',
        'data',
        'device',
        '__init__',
        '__new__',
        '__class__',
        '__class_getitem__',
        '__dir__',
        '__getattribute__',
        '__setattr__',
        '__delattr__',
        '__getstate__',
        '__init_subclass__',
        '__subclasshook__',
        '__sizeof__',
        '__doc__',
        '__module__',
        '__weakref__',
        '__dict__',
        '__reduce_ex__',
        '__array_function__',
        '__array_ufunc__',
        '__array_priority__',
        '__array_namespace__',
        '__array_finalize__',
        '__delitem__',
        '_flags',
    )
)


def _complete():
    """Adds the operators to the class; other methods of `ndarray` raise an error that names the dtype."""
    for name, short in OPERATORS.items():
        setattr(NonNumericArray, f'__{short}__', _operator(name, f'__{short}__'))
        setattr(NonNumericArray, f'__r{short}__', _operator(name, f'__r{short}__', reflected=True))
        setattr(NonNumericArray, f'__i{short}__', _in_place(name, f'__i{short}__'))
    for name, symbol in COMPARISONS.items():
        setattr(NonNumericArray, symbol, _operator(name, symbol))
    for name, symbol in (('negative', '__neg__'), ('positive', '__pos__'), ('absolute', '__abs__')):
        setattr(NonNumericArray, symbol, lambda self, function=getattr(cuprum, name): function(self))
    for name in METHODS:

        def method(self, *args, _function=getattr(cuprum, name), **kwargs):
            return _function(self, *args, **kwargs)

        method.__name__ = name
        setattr(NonNumericArray, name, method)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts the elements along an axis, in place."""
        if order is not None:
            raise unsupported('sort: the parameter `order`', self.dtype)
        self[...] = cuprum.sort(self, axis)

    NonNumericArray.sort = sort
    for name in dir(cuprum.ndarray):
        if name in vars(NonNumericArray) or name in INHERITED:
            continue
        if callable(getattr(cuprum.ndarray, name)):
            setattr(NonNumericArray, name, _not_supported(name))
        else:
            setattr(NonNumericArray, name, property(_not_supported(name)))


def layout_in(array):
    """Returns the layout of any array of the device."""
    if isinstance(array, NonNumericArray):
        return array._layout
    return layout_of(array.data.ptr, array.shape, array.strides, array.dtype)


def wrap(layout, of, fresh=False):
    """Returns an array of this layout in the memory of another, which is its base unless the memory is fresh and
    has no other references."""
    dtype = layout.dtype
    if _layout.is_numeric(dtype) and layout.flags.aligned:
        return view_of_memory(of, address_of(layout), dtype, layout.shape, layout.strides)
    parts = words(of, layout, 1)
    base = None if fresh else parts.base
    new = NonNumericArray.__new__(NonNumericArray, parts, base)
    new._layout = layout
    return new


def empty(shape, dtype, order='C', like=None):
    """Returns a new array whose elements are uninitialised."""
    shape = tuple(map(operator.index, shape)) if np.iterable(shape) else (operator.index(shape),)
    if any(length < 0 for length in shape):
        raise ValueError('negative dimensions are not allowed')
    strides = dense_strides(shape, dtype.itemsize, order, like)
    # Writing all fields leaves the bytes between them uninitialised, and copies of elements read these, too.
    create = cuprum.zeros if _layout.has_padding(dtype) else cuprum.empty
    memory = create(int(np.prod(shape, dtype=object)) * dtype.itemsize, dtype='u1')
    return wrap(layout_of(memory.data.ptr, shape, strides, dtype), memory, fresh=True)


def of_words(chosen, dtype):
    """Returns a new array of elements whose words are along the last axis."""
    if chosen.shape[-1] > 1 and chosen.strides[-1] != chosen.itemsize:
        chosen = cuprum.ascontiguousarray(chosen)
    layout = layout_of(chosen.data.ptr, chosen.shape[:-1], chosen.strides[:-1], dtype)
    return wrap(layout, chosen, fresh=True)


def upload(host):
    """Returns a copy of a host array on the device."""
    if host.flags.f_contiguous and not host.flags.c_contiguous:
        return upload(host.T).T
    host = np.ascontiguousarray(host).reshape(host.shape)
    memory = cuprum.asarray(host.reshape(-1).view('u1') if host.size else np.empty(0, 'u1'))
    return wrap(layout_of(memory.data.ptr, host.shape, host.strides, host.dtype), memory, fresh=True)


def operand(value, dtype, name):
    """Returns a value as an array of a dtype: a device array, or a scalar or a list on the host."""
    if isinstance(value, NonNumericArray):
        if value.dtype == dtype:
            return value
        if dtype.kind in 'Mm' and not np.can_cast(value.dtype, dtype, 'same_kind'):
            raise TypeError(f'{name}: {value.dtype} cannot be cast to {dtype} by the rule same_kind: use astype')
        return value.astype(dtype)
    if isinstance(value, cuprum.ndarray):
        if _layout.is_numeric(dtype) and np.can_cast(value.dtype, dtype, 'same_kind'):
            return value.astype(dtype)
        if dtype.kind == 'm' and value.dtype.kind in 'iu':
            return value.astype('i8').view(dtype)
        raise TypeError(f'{name}: an array of {value.dtype} cannot be cast to {dtype}: use view or astype')
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"Unsupported type <class 'numpy.ndarray'>: {name}: its elements are on the host, make an array of it with cuprum.asarray")
    return upload(np.asarray(value, dtype=dtype))
