"""Arguments of filters: arrays, outputs, axes, sequences for axes, and border modes, with SciPy's rules and exceptions."""

import numbers
import operator
import warnings
from collections.abc import Iterable

import numpy

import cuprum

# Numbers of the border rules, as those of `BorderRule` in the library.
MODES = {'reflect': 0, 'grid-mirror': 0, 'mirror': 1, 'nearest': 2, 'wrap': 3, 'grid-wrap': 3, 'constant': 4, 'grid-constant': 4}
REFLECT, CONSTANT = 0, 4


def array(x, name='input'):
    """Returns a device array; arrays of the host are rejected."""
    if isinstance(x, numpy.ndarray):
        raise TypeError(f'Unsupported type numpy.ndarray: `{name}` is on the host, make an array of it with cuprum.asarray')
    return cuprum.asarray(x)


def real_array(x, name='input'):
    """Returns a device array whose dtype has an order."""
    x = array(x, name)
    if x.dtype.kind == 'c':
        raise TypeError(f'`{name}` is {x.dtype}: this filter orders its elements, and complex numbers have no order')
    return x


def host(x, dtype=None):
    """Returns an array of the host: weights and footprints become parameters of the kernels. Reading a device array synchronises."""
    return numpy.asarray(cuprum.asnumpy(x) if isinstance(x, cuprum.ndarray) else x, dtype)


def is_sequence(x):
    """Tests for a sequence that is not a string."""
    return not isinstance(x, str) and numpy.iterable(x)


def sequence(x, length, name):
    """Returns a list of a value for each axis, from one value for all or a sequence."""
    if isinstance(x, cuprum.ndarray):
        x = cuprum.asnumpy(x)
    if not is_sequence(x):
        return [x] * length
    x = list(x)
    if len(x) != length:
        raise RuntimeError(f'`{name}` has {len(x)} values for {length} axes: pass one value, or one for each axis')
    return x


def mode_number(mode, table=MODES):
    """Returns the number of a border rule."""
    try:
        return table[mode]
    except (KeyError, TypeError):
        raise RuntimeError(f'boundary mode {mode!r} is not supported: use one of {", ".join(table)}') from None


def check_axes(axes, ndim):
    """Returns non-negative, distinct axes."""
    if axes is None:
        return tuple(range(ndim))
    if numpy.isscalar(axes):
        axes = (axes,)
    elif not isinstance(axes, Iterable):
        raise ValueError(f'axes must be an integer, integers or None, not {axes!r}')
    axes = tuple(operator.index(axis) for axis in axes)
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise numpy.exceptions.AxisError(axis, ndim)
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f'axes must be unique, not {axes}')
    return axes


def check_origin(origin, size, integral=True):
    """Returns an integral origin that is inside a window. Other numbers are rejected first, or, if `integral` is false, last."""
    if integral:
        origin = operator.index(origin)
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError(f'invalid origin {origin} of a window of {size}: it must be from {-(size // 2)} to {(size - 1) // 2}')
    return operator.index(origin)


def output_array(output, input, complex_output=False, shape=None):
    """Returns the array of results: the one that was passed, or a new one of a dtype."""
    shape = input.shape if shape is None else shape
    if output is None:
        dtype = numpy.promote_types(input.dtype, numpy.complex64) if complex_output else input.dtype
    elif isinstance(output, cuprum.ndarray):
        if output.shape != shape:
            raise RuntimeError(f'output of shape {output.shape} does not have the shape of the result, {shape}')
        if complex_output and output.dtype.kind != 'c':
            raise RuntimeError(f'output must have a complex dtype, not {output.dtype}')
        return output
    elif isinstance(output, numpy.ndarray):
        raise TypeError('Unsupported type numpy.ndarray: `output` is on the host, pass an array of the device')
    elif not isinstance(output, (type, str, numpy.dtype)):
        raise RuntimeError(f'output shape not correct: {output!r} is no array of shape {shape}, and no dtype')
    else:
        dtype = numpy.dtype(output)
        if isinstance(output, str):
            if complex_output and dtype.kind != 'c':
                raise RuntimeError(f'output must have a complex dtype, not {output!r}')
            if not issubclass(dtype.type, numpy.number):
                raise RuntimeError(f'output must have a numeric dtype, not {output!r}')
        elif complex_output and dtype.kind != 'c':
            warnings.warn('promoting specified output dtype to complex', stacklevel=4)
            dtype = numpy.promote_types(dtype, numpy.complex64)
    return cuprum.empty(shape, dtype)


def pair(cval, input=None):
    """Returns the parts of the constant beyond the borders of an input, which is real if the input is."""
    if isinstance(cval, (cuprum.ndarray, numpy.ndarray)):
        if cval.ndim:
            raise TypeError(f'only 0-dimensional arrays can be converted to Python scalars: `cval` has the shape {cval.shape}')
        cval = cval.item()
    if isinstance(cval, str) or (input is not None and input.dtype.kind != 'c' and isinstance(cval, numbers.Complex) and not isinstance(cval, numbers.Real)):
        raise TypeError(f'`cval` must be real number, not {type(cval).__name__}')
    cval = complex(cval)
    return cval.real, cval.imag


def expand(window, ndim, axes, name):
    """Returns a window with an axis for each of the input, from one with those that are filtered: its axes are in the order of the input's,
    whatever the order of `axes`, as in SciPy."""
    if window.ndim != len(axes):
        raise RuntimeError(f'{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})')
    if len(axes) == ndim:
        return window
    return numpy.expand_dims(window, tuple(axis for axis in range(ndim) if axis not in axes))


def spread(values, ndim, axes, default):
    """Returns a value for each axis of the input, from those of the filtered ones."""
    result = [default] * ndim
    for axis, value in zip(axes, values):
        result[axis] = value
    return result


def window_origins(origin, ndim, axes):
    """Returns the origins of a window with an axis for each of the input. Those of a window over all axes are in the order of the input's, as the
    axes of the window are, whatever the order of `axes`, as in SciPy."""
    origins = sequence(origin, len(axes), 'origin')
    return origins if len(axes) == ndim else spread(origins, ndim, axes, 0)


def check_sizes(shape):
    """Raises the error of a window without elements."""
    if 0 in shape:
        raise RuntimeError(f'a window of shape {tuple(shape)} has no elements: its sizes must be at least 1')


def warn_ignored_size(size, footprint):
    """Warns if both a size and a footprint are passed."""
    if size is not None and footprint is not None:
        warnings.warn('ignoring size because footprint is set', UserWarning, stacklevel=4)
