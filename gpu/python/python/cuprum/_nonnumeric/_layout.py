"""Layouts of arrays in device memory, computed by NumPy.

A layout is a NumPy array with the dtype, the shape, the strides and the address of a device array. NumPy computes
views of it (fields, slices, transposed axes) without reading an element; the memory is not host memory, so that
reading one is an invalid access. Every function here therefore requests views only: `copy=False`, and an `...` in
each index.
"""

import math

import numpy as np

from cuprum._cuprum import view_of_memory

# Letters of the dtypes that kernels support.
NUMERIC = frozenset('?bBhHiIlLqQefdFD')


class _Memory:
    """An object that passes an address to NumPy."""

    __slots__ = ('__array_interface__',)


def is_numeric(dtype):
    """Tests whether kernels support a dtype."""
    return dtype.char in NUMERIC and dtype.isnative or dtype.name == 'bfloat16'


def is_nonnumeric(dtype):
    """Tests whether arrays can be created in a dtype that kernels do not support: structures, raw bytes and dates."""
    return dtype.kind in 'MmV' and dtype.name != 'bfloat16' and not dtype.hasobject and dtype.itemsize > 0 and dtype.subdtype is None


def has_padding(dtype):
    """Tests whether a dtype has bytes that belong to no field."""
    if dtype.subdtype is not None:
        return has_padding(dtype.subdtype[0])
    if dtype.names is None:
        return False
    parts = [dtype.fields[name][0] for name in dtype.names]
    return sum(part.itemsize for part in parts) < dtype.itemsize or any(map(has_padding, parts))


def layout_of(address, shape, strides, dtype):
    """Returns the layout of elements at an address."""
    memory = _Memory()
    memory.__array_interface__ = {
        'version': 3,
        'shape': shape,
        'strides': strides,
        'typestr': f'|V{dtype.itemsize}',
        # NumPy rejects null pointers, which an array without elements may have.
        'data': (address or 64, False),
    }
    layout = np.asarray(memory)
    return layout if layout.dtype == dtype else layout.view(dtype)


def address_of(layout):
    """Returns the address of the first element."""
    return layout.__array_interface__['data'][0]


def dense_strides(shape, itemsize, order='C', like=None):
    """Returns the strides of a new array: in the order C or F, or in the order of the axes of `like`."""
    axes = list(range(len(shape)))
    if order == 'F':
        axes.reverse()
    elif order == 'K' and like is not None and len(like.shape) == len(shape):
        axes.sort(key=lambda axis: -abs(like.strides[axis]))
    strides, step = [0] * len(shape), itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def resolve_order(order, layout):
    """Returns the order C, F or K of a copy for one of NumPy's orders."""
    order = 'C' if order is None else order.upper()
    if order not in ('C', 'F', 'A', 'K'):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if order == 'A':
        return 'F' if layout.flags.f_contiguous and not layout.flags.c_contiguous else 'C'
    return order


def elements(of, layout):
    """Returns the elements of a layout as an array of numbers: in their own dtype, which is numeric and aligned."""
    return view_of_memory(of, address_of(layout), layout.dtype, layout.shape, layout.strides)


def words(of, layout, width=None):
    """Returns the bytes of each element along a last axis, as the widest unsigned integers that divide and align them."""
    itemsize, address = layout.dtype.itemsize, address_of(layout)
    if width is None:
        width = word_width(layout)
    return view_of_memory(of, address, f'u{width}', (*layout.shape, itemsize // width), (*layout.strides, width))


def word_width(layout):
    """Returns the bytes of the widest integer as which all elements can be loaded."""
    return math.gcd(8, layout.dtype.itemsize, address_of(layout), *layout.strides)


def key_for_words(key):
    """Returns an index of elements for an array with an additional last axis."""
    key = key if isinstance(key, tuple) else (key,)
    return (*key, slice(None)) if any(part is Ellipsis for part in key) else (*key, Ellipsis)
