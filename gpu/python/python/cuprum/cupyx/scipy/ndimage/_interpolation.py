"""Splines through the elements of images, and their values at coordinates."""

import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._arguments import array, host, output_array, pair, sequence

# Numbers of the modes, as those of `SampleMode` in the library.
MODES = {'constant': 0, 'nearest': 1, 'mirror': 2, 'reflect': 3, 'grid-mirror': 3, 'wrap': 4, 'grid-wrap': 5, 'grid-constant': 6}


def _order(order, lowest=0):
    order = operator.index(order)
    if not lowest <= order <= 5:
        raise RuntimeError(f'spline order not supported: {order} is not from {lowest} to 5')
    return order


def _mode(mode):
    try:
        return MODES[mode]
    except (KeyError, TypeError):
        raise RuntimeError(f'boundary mode {mode!r} is not supported: use one of {", ".join([*MODES, "opencv"])}') from None


def _spline(input, order, mode, cval, prefilter):
    cval = pair(cval)
    if cval[1] and input.dtype.kind != 'c':
        raise TypeError(f'`cval` is complex, and the input is {input.dtype}: pass a real number')
    return order, _mode(mode), cval, bool(prefilter)


def _image(input, *shapes):
    input = array(input)
    if input.ndim < 1 or any(len(shape) < 1 for shape in shapes):
        raise RuntimeError('input and output rank must be > 0')
    return input


def _framed(input, cval):
    """Returns the input with one element of a constant at each border: mode 'opencv' interpolates between it and the image."""
    return cuprum.pad(input, 1, 'constant', constant_values=cval)


def spline_filter1d(input, order=3, axis=-1, output=numpy.float64, mode='mirror'):
    """Coefficients along an axis of the spline through the elements."""
    order = _order(order)
    input = array(input)
    output = output_array(output, input, input.dtype.kind == 'c')
    if order < 2:
        output[...] = input
        return output
    mode = _mode(mode)
    _cuprum.spline_axes(input, [normalize_axis(axis, input.ndim)], order, mode, output)
    return output


def spline_filter(input, order=3, output=numpy.float64, mode='mirror'):
    """Coefficients of the spline through the elements."""
    order = _order(order, 2)
    input = array(input)
    output = output_array(output, input, input.dtype.kind == 'c')
    if input.ndim == 0:
        output[...] = input
        return output
    _cuprum.spline_axes(input, list(range(input.ndim)), order, _mode(mode), output)
    return output


def map_coordinates(input, coordinates, output=None, order=3, mode='constant', cval=0.0, prefilter=True):
    """Values of an image at an array of coordinates, whose first axis has one for each axis of the image."""
    order = _order(order)
    input, coordinates = array(input), cuprum.asarray(coordinates)
    if coordinates.dtype.kind == 'c':
        raise TypeError(f'coordinates are {coordinates.dtype}: complex ones are not supported')
    _image(input, coordinates.shape[1:])
    if coordinates.shape[0] != input.ndim:
        raise RuntimeError(f'invalid shape for coordinate array: {coordinates.shape} does not begin with the {input.ndim} axes of the input')
    output = output_array(output, input, input.dtype.kind == 'c', coordinates.shape[1:])
    if mode == 'opencv':
        input, coordinates, mode = _framed(input, cval), coordinates.astype(float) + 1, 'constant'
    _cuprum.sample_array(input, coordinates, _spline(input, order, mode, cval, prefilter), output)
    return output


def geometric_transform(
    input, mapping, output_shape=None, output=None, order=3, mode='constant', cval=0.0, prefilter=True, extra_arguments=(), extra_keywords=None
):
    """Values of an image at coordinates that a Python function returns for each index of the result.

    The function runs on the host, once for each element; with an array of coordinates `map_coordinates` stays on the device.
    """
    input = array(input)
    output_shape = tuple(input.shape if output_shape is None else output_shape)
    _image(input, output_shape)
    extra = extra_keywords or {}
    coordinates = numpy.empty((input.ndim, *output_shape))
    for index in numpy.ndindex(*output_shape):
        coordinates[(slice(None), *index)] = mapping(index, *extra_arguments, **extra)
    return map_coordinates(input, coordinates, output, order, mode, cval, prefilter)


def _inverted(matrix, offset):
    """Returns the map from indices of results to coordinates of a matrix as OpenCV has it: from coordinates (x, y) of the image to results."""
    n = len(offset)
    whole = numpy.eye(n + 1)
    whole[:n, :n], whole[:n, n] = (numpy.diag(matrix) if matrix.ndim == 1 else matrix), offset
    whole = numpy.linalg.inv(whole)[:n]
    order = [1, 0, *range(2, n)] if n > 1 else [0]
    return whole[:, :n][order][:, order], whole[order, n]


def affine_transform(
    input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode='constant', cval=0.0, prefilter=True, *, texture_memory=False, float64_coords=True
):
    """Values of an image at the coordinates `matrix @ index + offset`. Reading a matrix of the device synchronises.

    `texture_memory` and `float64_coords` are CuPy's hints and change nothing: coordinates are float64, and no texture unit rounds the weights.
    """
    order = _order(order)
    input = array(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, cuprum.ndarray) else input.shape
    output_shape = tuple(output_shape)
    _image(input, output_shape)
    output = output_array(output, input, input.dtype.kind == 'c', output_shape)
    n, matrix = input.ndim, host(matrix, float)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError(f'no proper affine matrix provided: shape {matrix.shape} is neither that of a diagonal nor of a matrix')
    if matrix.ndim == 2 and matrix.shape[1] == n + 1 and matrix.shape[0] in (n, n + 1):
        if matrix.shape[0] == n + 1 and not (matrix[n] == [0] * n + [1]).all():
            raise ValueError(f'the bottom row of a homogeneous matrix of shape {matrix.shape} is {[0] * n + [1]}, not {matrix[n].tolist()}')
        matrix, offset = matrix[:n, :n], matrix[:n, n]
    if matrix.shape[0] != n:
        raise RuntimeError(f'affine matrix has wrong number of rows: {matrix.shape[0]} for an input of {n} axes')
    if matrix.ndim == 2 and matrix.shape[1] != output.ndim:
        raise RuntimeError(f'affine matrix has wrong number of columns: {matrix.shape[1]} for an output of {output.ndim} axes')
    offset = numpy.asarray(sequence(offset, n, 'offset'), float)
    if mode == 'opencv':
        matrix, offset = _inverted(matrix, offset)
        input, offset, mode = _framed(input, cval), offset + 1, 'constant'
    spline = _spline(input, order, mode, cval, prefilter)
    if matrix.ndim == 1 and output.ndim == n:
        with numpy.errstate(divide='ignore', invalid='ignore'):
            before = offset / matrix
        _cuprum.sample_scaled(input, (before.tolist(), matrix.tolist(), [0.0] * n), spline, output)
    elif matrix.ndim == 1:
        raise RuntimeError(f'a diagonal maps as many axes as the input has, {n}, and the output has {output.ndim}')
    else:
        _cuprum.sample_affine(input, list(range(n)), (matrix.ravel().tolist(), offset.tolist()), spline, output)
    return output


def shift(input, shift, output=None, order=3, mode='constant', cval=0.0, prefilter=True):
    """Moves an image by numbers of elements."""
    order = _order(order)
    input = _image(input)
    n = input.ndim
    output = output_array(output, input, input.dtype.kind == 'c')
    before = [-float(s) for s in sequence(shift, n, 'shift')]
    after = [0.0] * n
    if mode == 'opencv':
        input, after, mode = _framed(input, cval), [1.0] * n, 'constant'
    _cuprum.sample_scaled(input, (before, [1.0] * n, after), _spline(input, order, mode, cval, prefilter), output)
    return output


def zoom(input, zoom, output=None, order=3, mode='constant', cval=0.0, prefilter=True, *, grid_mode=False):
    """Resamples an image by factors along its axes."""
    order = _order(order)
    input = _image(input)
    n, factors = input.ndim, sequence(zoom, input.ndim, 'zoom')
    shape = tuple(int(round(length * factor)) for length, factor in zip(input.shape, factors))
    output = output_array(output, input, input.dtype.kind == 'c', shape)
    if prefilter and all(factor == 1 for factor in factors):
        output[...] = input
        return output
    if mode == 'opencv':
        scales = [length / new if new > 1 else 0.0 for length, new in zip(input.shape, shape)]
        after = [(scale - 1) / 2 if new > 1 else 0.0 for scale, new in zip(scales, shape)]
        _cuprum.sample_scaled(input, ([0.0] * n, scales, after), _spline(input, order, 'nearest', cval, prefilter), output)
        return output
    if grid_mode and mode in ('constant', 'wrap'):
        warnings.warn(f'It is recommended to use mode grid-{mode} with grid_mode=True, not {mode}.', stacklevel=2)
    less, half = (0, 0.5) if grid_mode else (1, 0.0)
    scales = [(length - less) / (new - less) if new != less else 1.0 for length, new in zip(input.shape, shape)]
    _cuprum.sample_scaled(input, ([half] * n, scales, [-half] * n), _spline(input, order, mode, cval, prefilter), output)
    return output


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode='constant', cval=0.0, prefilter=True):
    """Rotates an image by an angle in degrees in the plane of two axes."""
    input = array(input)
    n, axes = input.ndim, list(axes)
    if n < 2:
        raise ValueError(f'input array should be at least 2D, and it has {n} axes')
    if len(axes) != 2:
        raise ValueError(f'axes should contain exactly two values, not {axes}')
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError(f'axes should contain only integer values, not {axes}')
    plane = sorted(int(axis) + n if axis < 0 else int(axis) for axis in axes)
    if plane[0] < 0 or plane[1] >= n or plane[0] == plane[1]:
        raise ValueError(f'invalid rotation plane specified: {axes} of {n} axes')
    order = _order(order)
    lengths, matrix, offsets = _cuprum.sample_rotation([input.shape[axis] for axis in plane], float(angle), bool(reshape))
    shape = list(input.shape)
    shape[plane[0]], shape[plane[1]] = lengths
    output = output_array(output, input, input.dtype.kind == 'c', tuple(shape))
    if mode == 'opencv':
        widths = [(1, 1) if axis in plane else (0, 0) for axis in range(n)]
        input = cuprum.pad(input, widths, 'constant', constant_values=cval)
        offsets, mode = [offset + 1 for offset in offsets], 'constant'
    rows = [0.0] * (2 * n)
    for k in range(4):
        rows[k // 2 * n + plane[k % 2]] = matrix[k]
    _cuprum.sample_affine(input, plane, (rows, list(offsets)), _spline(input, order, mode, cval, prefilter), output)
    return output
