"""Creation of arrays of structured dtypes, datetime64 and timedelta64."""

import operator

import numpy as np

import cuprum

from . import _layout
from ._array import empty, layout_in, unsupported, upload, wrap
from ._layout import layout_of, resolve_order


def _native(dtype):
    """Returns the dtype of new elements: dates are in native byte order, and structures as they are described."""
    return dtype.newbyteorder('=') if dtype.kind in 'Mm' else dtype


def _dtype(name, dtype):
    dtype = _native(np.dtype(dtype))
    if not (_layout.is_nonnumeric(dtype) or _layout.is_numeric(dtype)):
        raise unsupported(name, dtype)
    return dtype


def _with_unit(dtype, value):
    """Returns the dtype of an array that is filled with a value: a date without a unit takes the value's."""
    if dtype.kind in 'Mm' and np.datetime_data(dtype)[0] == 'generic':
        return np.asarray(value, dtype=dtype).dtype
    return dtype


def _filled(name, shape, value, dtype, order, like=None):
    dtype = _dtype(name, dtype if dtype is not None else np.asarray(value).dtype)
    dtype = _with_unit(dtype, value) if not isinstance(value, cuprum.ndarray) else dtype
    new = empty(shape, dtype, order, like)
    new[...] = value
    return new


def _on(device, create):
    if device is None:
        return create()
    with device if isinstance(device, cuprum.cuda.Device) else cuprum.cuda.Device(device):
        return create()


def new_empty(shape, dtype=None, order='C', *, device=None):
    """Returns an uninitialised array of a structured dtype or of dates, of this shape and memory order."""
    return _on(device, lambda: empty(shape, _dtype('empty', dtype), order.upper()))


def zeros(shape, dtype=None, order='C', *, device=None):
    """Returns an array of a structured dtype or of dates whose bytes are zeros."""
    return _on(device, lambda: _filled('zeros', shape, np.zeros((), dtype), dtype, order.upper()))


def ones(shape, dtype=None, order='C', *, device=None):
    """Returns an array whose elements are 1 in every field."""
    return _on(device, lambda: _filled('ones', shape, np.ones((), dtype), dtype, order.upper()))


def full(shape, fill_value, dtype=None, order='C', *, device=None):
    """Returns an array whose elements are `fill_value`, in its dtype unless one is passed."""
    if dtype is None and isinstance(fill_value, cuprum.ndarray):
        dtype = fill_value.dtype
    return _on(device, lambda: _filled('full', shape, fill_value, dtype, order.upper()))


def _like(name, a, value, dtype, order, shape, device):
    a = a if isinstance(a, cuprum.ndarray) else asarray(a)
    dtype = a.dtype if dtype is None else _dtype(name, dtype)
    layout = layout_in(a)
    order, shape = resolve_order(order, layout), a.shape if shape is None else shape

    def create():
        if not _layout.is_nonnumeric(dtype):
            return getattr(cuprum, name)(cuprum.empty(a.shape, dtype, 'C'), *(() if value is None else (value,)), shape=shape)
        new = empty(shape, dtype, order, layout)
        if value is not None:
            new[...] = value
        return new

    return _on(device, create)


def empty_like(prototype, dtype=None, order='K', subok=None, shape=None, *, device=None):
    return _like('empty_like', prototype, None, dtype, order, shape, device)


def _constant_like(name, constant):
    def function(a, dtype=None, order='K', subok=None, shape=None, *, device=None):
        to = np.dtype(dtype if dtype is not None else a.dtype)
        if _layout.is_numeric(to):
            return getattr(cuprum, name[:-5])(a.shape if shape is None else shape, to)
        return _like(name, a, constant((), to), dtype, order, shape, device)

    return function


zeros_like = _constant_like('zeros_like', np.zeros)
ones_like = _constant_like('ones_like', np.ones)


def full_like(a, fill_value, dtype=None, order='K', subok=None, shape=None, *, device=None):
    """Returns an array of the shape and dtype of `a` whose elements are `fill_value`."""
    return _like('full_like', a, fill_value, dtype, order, shape, device)


def _imported(a, interface):
    """Returns an array of another library without a copy of its bytes."""
    dtype = np.dtype(interface['typestr'])
    if dtype.kind == 'V' and interface.get('descr'):
        dtype = np.lib.format.descr_to_dtype([tuple(field) if isinstance(field, list) else field for field in interface['descr']])
    shape = tuple(interface['shape'])
    strides = interface.get('strides') or _layout.dense_strides(shape, dtype.itemsize)

    class Bytes:
        owner = a
        __cuda_array_interface__ = {**interface, 'shape': (*shape, dtype.itemsize), 'typestr': '|u1', 'descr': [('', '|u1')], 'strides': (*strides, 1)}

    parts = cuprum.asarray(Bytes())
    return wrap(layout_of(parts.data.ptr, shape, tuple(strides), dtype), parts, fresh=True)


def _holds_arrays(object, depth=0):
    if isinstance(object, cuprum.ndarray):
        return True
    return isinstance(object, (list, tuple)) and depth < 32 and any(_holds_arrays(item, depth + 1) for item in object)


def _created(name, object, dtype, order, copy):
    dtype = None if dtype is None else np.dtype(dtype)
    interface = None if isinstance(object, (cuprum.ndarray, type)) else getattr(object, '__cuda_array_interface__', None)
    if interface is not None:
        object = _imported(object, interface)
    if isinstance(object, cuprum.ndarray):
        wanted = object.dtype if dtype is None else dtype
        if wanted != object.dtype:
            if copy is False:
                raise ValueError(f'{name}: an array of {object.dtype} cannot be one of {wanted} without a copy: leave copy at None')
            return object.astype(wanted)
        layout = object._layout
        order = order or 'K'
        fits = {'C': layout.flags.c_contiguous, 'F': layout.flags.f_contiguous, 'A': layout.flags.c_contiguous or layout.flags.f_contiguous, 'K': True}[
            order.upper()
        ]
        if copy is True or not fits:
            if copy is False:
                raise ValueError(f'{name}: the order {order} needs a copy: leave copy at None')
            return object.copy(order)
        return object
    if _holds_arrays(object):
        parts = [_created(name, item, dtype, order, None) for item in object]
        return cuprum.stack(parts)
    if copy is False:
        raise ValueError(f'{name}: elements of the host cannot be on the device without a copy: leave copy at None')
    host = np.array(object, dtype=dtype, order=order or 'K', copy=None)
    if not _layout.is_nonnumeric(_native(host.dtype)):
        raise unsupported(name, host.dtype)
    if host.dtype.kind in 'Mm' and not host.dtype.isnative:
        host = host.astype(_native(host.dtype))
    return upload(host)


def array(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, ndmax=0, blocking=False):
    """Returns an array of the elements of `object`, with at least `ndmin` axes; a copy unless `copy` is false."""
    result = _created('array', object, dtype, order, copy if copy is False else bool(copy))
    return result if result.ndim >= ndmin else result[(None,) * (ndmin - result.ndim) + (...,)]


def asarray(a, dtype=None, order=None, *, copy=None, device=None, blocking=False):
    """Returns `a` as an array of the device, itself where nothing changes."""
    return _on(device, lambda: _created('asarray', a, dtype, order, copy))


def ascontiguousarray(a, dtype=None):
    """Returns `a` as an array in C order with at least one axis."""
    return cuprum.atleast_1d(_created('ascontiguousarray', a, dtype, 'C', None))


def asfortranarray(a, dtype=None):
    """Returns `a` as an array in Fortran order with at least one axis."""
    return cuprum.atleast_1d(_created('asfortranarray', a, dtype, 'F', None))


def copy(a, order='K'):
    """Returns a copy of `a` in a memory order."""
    return asarray(a).copy(order)


def asnumpy(a, stream=None, order='C', out=None, *, blocking=True):
    """Copies an array to the host, into `out` if it is passed."""
    return a.get(stream, order, out, blocking)


def astype(x, dtype, /, *, copy=True, device=None):
    """Returns the elements of `x` cast to another dtype."""
    return x.astype(dtype, copy=copy)


def arange(start=None, stop=None, step=None, dtype=None, *, device=None):
    """Returns the dates or durations from `start` up to `stop`, which is excluded, in steps."""
    if stop is None:
        start, stop = None, start
    dtype = None if dtype is None else np.dtype(dtype)
    if start is None:
        start = np.timedelta64(0, np.datetime_data(np.asarray(stop).dtype))
    # NumPy decides on the unit: of a range without elements.
    dtype = np.arange(start, start, *(() if step is None else (step,)), dtype=dtype).dtype
    span = np.dtype(f'm8[{np.datetime_data(dtype)[1]}{np.datetime_data(dtype)[0]}]')
    first = np.asarray(start, dtype).astype('i8').item()
    if dtype.kind == 'M' and (isinstance(stop, (int, np.integer)) or np.asarray(stop).dtype.kind == 'm'):
        last = first + np.asarray(stop, span).astype('i8').item()
    else:
        last = np.asarray(stop, dtype).astype('i8').item()
    by = 1 if step is None else np.asarray(step, span).astype('i8').item()
    return _on(device, lambda: cuprum.arange(first, last, by, dtype='i8').view(dtype))


def ndim(a):
    """Returns the number of axes of `a`."""
    return a.ndim


def shape(a):
    """Returns the shape of `a`."""
    return a.shape


def size(a, axis=None):
    """Returns the number of elements of `a`, or its length along `axis`."""
    return a.size if axis is None else a.shape[operator.index(axis)]


CREATION = {
    'empty': new_empty,
    'zeros': zeros,
    'ones': ones,
    'full': full,
    'empty_like': empty_like,
    'zeros_like': zeros_like,
    'ones_like': ones_like,
    'full_like': full_like,
    'array': array,
    'asarray': asarray,
    'asanyarray': asarray,
    'ascontiguousarray': ascontiguousarray,
    'asfortranarray': asfortranarray,
    'copy': copy,
    'arange': arange,
    'astype': astype,
}
QUESTIONS = {'asnumpy': asnumpy, 'ndim': ndim, 'shape': shape, 'size': size}
