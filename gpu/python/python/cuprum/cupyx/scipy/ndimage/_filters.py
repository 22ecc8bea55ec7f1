"""Filters by weights, means, minima, maxima and ranks."""

import functools
import numbers
import operator

import numpy

import cuprum
from cuprum import _cuprum

from .._axes import normalize_axis
from ._arguments import (
    CONSTANT,
    array,
    check_axes,
    check_origin,
    check_sizes,
    expand,
    host,
    is_sequence,
    mode_number,
    output_array,
    pair,
    real_array,
    sequence,
    spread,
    warn_ignored_size,
    window_origins,
)


def _output(output, input, is_complex=False):
    """Returns the array of results, which is real if the input is and `is_complex` is false."""
    result = output_array(output, input, is_complex)
    if result.dtype.kind == 'c' and not is_complex and input.dtype.kind != 'c':
        raise RuntimeError(f'array type {result.dtype!r} not supported: the results of this input are real')
    return result


def _check_complex_output(output, input):
    """Rejects a real dtype of the results of a complex input."""
    if input.dtype.kind == 'c' and isinstance(output, (type, str, numpy.dtype)) and numpy.dtype(output).kind != 'c':
        raise RuntimeError(f'output must have complex dtype, not {numpy.dtype(output)}')


def _weights_window(weights, axis, mode, cval, origin):
    return axis, 'weights', len(weights), weights, origin, mode, cval


def _parts(input, weights, output, run):
    """Computes sums of products of complex numbers from those of their parts: `run(input, weights, output, part of cval)`."""
    if weights.dtype.kind != 'c':
        run(input, weights, output, None)
        return
    real, imag = numpy.ascontiguousarray(weights.real), numpy.ascontiguousarray(weights.imag)
    if input.dtype.kind != 'c':
        parts = [cuprum.empty(input.shape, output.real.dtype) for _ in range(2)]
        run(input, real, parts[0], 0)
        run(input, imag, parts[1], 0)
        output.real[...], output.imag[...] = parts
        return
    # (a + b i) (c + d i), each product rounded to the dtype of a part.
    products = {}
    for part, source in enumerate((input.real, input.imag)):
        for other, factor in enumerate((real, imag)):
            products[part, other] = cuprum.empty(input.shape, output.real.dtype)
            run(source, factor, products[part, other], part)
    output.real[...] = products[0, 0] - products[1, 1]
    output.imag[...] = products[0, 1] + products[1, 0]


def _check_cval(input, weights, cval):
    if weights.dtype.kind == 'c' and input.dtype.kind != 'c' and numpy.iscomplexobj(cval):
        raise ValueError(f'`cval` is {cval!r}, and the input is real: a complex constant continues complex inputs only')


def correlate1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0):
    """Correlates along an axis with a sequence of weights."""
    input, weights = array(input), host(weights)
    is_complex = input.dtype.kind == 'c' or weights.dtype.kind == 'c'
    weights = weights.conj().astype(complex) if weights.dtype.kind == 'c' else weights.astype(float)
    output = _output(output, input, is_complex)
    _check_cval(input, weights, cval)
    if weights.ndim != 1 or weights.size < 1:
        raise RuntimeError('no filter weights given: they must be a sequence of at least one number')
    axis = normalize_axis(axis, input.ndim)
    origin, mode, cval = check_origin(origin, len(weights), False), mode_number(mode), pair(cval, input)

    def run(source, factors, out, part):
        value = cval if part is None else (cval[part], 0.0)
        _cuprum.window_axes(source, [_weights_window(factors.tolist(), axis, mode, value, origin)], out)

    _parts(input, weights, output, run)
    return output


def _mirrored(origin, size):
    """Returns the origin of a window whose elements are in the opposite order."""
    return -origin - (1 - size % 2)


def convolve1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0):
    """Convolves along an axis with a sequence of weights."""
    weights = host(weights)[::-1].conj()
    if weights.ndim != 1 or weights.size < 1:
        raise RuntimeError('no filter weights given: they must be a sequence of at least one number')
    return correlate1d(input, weights, axis, output, mode, cval, _mirrored(origin, len(weights)))


def _gaussian_weights(sigma, order, truncate, radius):
    sigma, order = float(sigma), operator.index(order)
    if sigma * sigma == 0.0:
        raise ZeroDivisionError(f'the standard deviation of a Gaussian is {sigma}: it must not be 0')
    if radius is None:
        radius = int(truncate * sigma + 0.5)
    if not isinstance(radius, numbers.Integral) or radius < 0:
        raise ValueError(f'Radius must be a nonnegative integer, not {radius!r}.')
    if order < 0:
        raise ValueError(f'order must be non-negative, not {order}')
    # NumPy's exponentials have the bits of SciPy's weights, on which truncated sums depend.
    x, variance = numpy.arange(-int(radius), int(radius) + 1), sigma * sigma
    gaussian = numpy.exp(-0.5 / variance * x**2)
    gaussian = gaussian / gaussian.sum()
    if order == 0:
        return gaussian
    # The polynomial q of a derivative: q' - q x / sigma**2.
    q = numpy.array([1.0])
    for _ in range(order):
        lower, higher = numpy.append(q[1:] * numpy.arange(1, q.size), [0.0, 0.0]), numpy.append(0.0, q * (1.0 / -variance))
        q = lower + higher
    # A correlation uses the weights in the opposite order.
    return ((x[:, None] ** numpy.arange(order + 1)).dot(q) * gaussian)[::-1]


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, *, radius=None):
    """Filters along an axis with a Gaussian, or with its derivative of an order."""
    return correlate1d(input, _gaussian_weights(sigma, order, truncate, radius), axis, output, mode, cval, 0)


def gaussian_filter(input, sigma, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, *, radius=None, axes=None):
    """Filters along axes with a Gaussian, or with its derivatives."""
    input = array(input)
    is_complex = input.dtype.kind == 'c'
    _check_complex_output(output, input)
    output = _output(output, input, is_complex)
    axes = check_axes(axes, input.ndim)
    n = len(axes)
    lists = sequence(order, n, 'order'), sequence(sigma, n, 'sigma'), sequence(mode, n, 'mode'), sequence(radius, n, 'radius')
    cval = pair(cval, input)
    windows = []
    for axis, order, sigma, mode, radius in zip(axes, *lists):
        if sigma > 1e-15:
            weights = _gaussian_weights(sigma, order, truncate, radius).tolist()
            windows.append(_weights_window(weights, axis, mode_number(mode), cval, 0))
    _cuprum.window_axes(input, windows, output)
    return output


def _edges(input, axis, output, mode, cval, smooth):
    input = array(input)
    axis = normalize_axis(axis, input.ndim)
    _check_complex_output(output, input)
    output = _output(output, input, input.dtype.kind == 'c')
    modes, cval = sequence(mode, input.ndim, 'mode'), pair(cval, input)
    axes = [axis, *(other for other in range(input.ndim) if other != axis)]
    windows = [_weights_window([-1.0, 0.0, 1.0] if k == axis else smooth, k, mode_number(modes[k]), cval, 0) for k in axes]
    _cuprum.window_axes(input, windows, output)
    return output


def prewitt(input, axis=-1, output=None, mode='reflect', cval=0.0):
    """Prewitt filter: the difference along an axis, averaged along the others."""
    return _edges(input, axis, output, mode, cval, [1.0, 1.0, 1.0])


def sobel(input, axis=-1, output=None, mode='reflect', cval=0.0):
    """Sobel filter: the difference along an axis, smoothed along the others."""
    return _edges(input, axis, output, mode, cval, [1.0, 2.0, 1.0])


def _over_axes(input, output, mode, axes, derivative, add, finish):
    """Adds up derivatives along axes in the output."""
    input = array(input)
    result = _output(output, input)
    axes = check_axes(axes, input.ndim)
    # The input is read again for each axis.
    source = input.copy() if len(axes) > 1 and cuprum.may_share_memory(input, result) else input
    if not axes:
        result[...] = input
        return result
    modes = sequence(mode, len(axes), 'mode')
    first = derivative(source, axes[0], result, modes[0])
    if first is not None and first is not result:
        result = first
    add(result, None)
    for axis, mode in zip(axes[1:], modes[1:]):
        add(result, derivative(source, axis, result.dtype, mode))
    finish(result)
    return result


def _add(result, part):
    if part is not None:
        result += part


def _add_square(result, part):
    if part is None:
        cuprum.multiply(result, result, result)
    else:
        cuprum.multiply(part, part, part)
        result += part


def generic_laplace(input, derivative2, output=None, mode='reflect', cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """Laplacian by a function of second derivatives along an axis: `derivative2(input, axis, output, mode, cval, ...)`."""
    extra = extra_keywords or {}

    def derivative(source, axis, out, mode):
        return derivative2(source, axis, out, mode, cval, *extra_arguments, **extra)

    return _over_axes(input, output, mode, axes, derivative, _add, lambda result: None)


@functools.lru_cache(64)
def _second_differences(ndim, axes):
    """Shape, footprint and weights of the window of second differences along axes."""
    shape = [3 if axis in axes else 1 for axis in range(ndim)]
    steps = abs(numpy.indices(shape) - numpy.array([n // 2 for n in shape]).reshape([-1] + [1] * ndim)).sum(0)
    weights = numpy.select([steps == 0, steps == 1], [-2.0 * len(axes), 1.0])
    return shape, (steps < 2).ravel().tolist(), weights.ravel().tolist()


def laplace(input, output=None, mode='reflect', cval=0.0, *, axes=None):
    """Laplacian by second differences."""

    def second(input, axis, output, mode, cval):
        return correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval, 0)

    input = array(input)
    floating = (numpy.float32, numpy.float64)
    if input.dtype in floating and (output is None or (isinstance(output, cuprum.ndarray) and output.dtype in floating)):
        # The differences along all axes are one window, whose sums are rounded once. Integers wrap for each axis.
        filtered = check_axes(axes, input.ndim)
        if filtered:
            shape, footprint, weights = _second_differences(input.ndim, tuple(filtered))
            modes = spread([mode_number(m) for m in sequence(mode, len(filtered), 'mode')], input.ndim, filtered, 0)
            output = _output(output, input)
            window = shape, footprint, weights, [0] * input.ndim, modes, pair(cval, input)
            _cuprum.window_area(input, window, 'weighted', output)
            return output
    return generic_laplace(input, second, output, mode, cval, axes=axes)


def _gaussian_derivative(input, axis, output, mode, cval, order, sigma, **options):
    orders = [0] * input.ndim
    orders[axis] = order
    return gaussian_filter(input, sigma, orders, output, mode, cval, **options)


def _for_all_axes(sigma, input, axes):
    axes = check_axes(axes, array(input).ndim)
    return spread(sequence(sigma, len(axes), 'sigma'), array(input).ndim, axes, 0)


def gaussian_laplace(input, sigma, output=None, mode='reflect', cval=0.0, *, axes=None, **kwargs):
    """Laplacian by second derivatives of a Gaussian."""
    sigma = _for_all_axes(sigma, input, axes)

    def second(input, axis, output, mode, cval):
        return _gaussian_derivative(input, axis, output, mode, cval, 2, sigma, **kwargs)

    return generic_laplace(input, second, output, mode, cval, axes=axes)


def generic_gradient_magnitude(input, derivative, output=None, mode='reflect', cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """Magnitude of the gradient by a function of derivatives along an axis: `derivative(input, axis, output, mode, cval, ...)`."""
    extra = extra_keywords or {}

    def first(source, axis, out, mode):
        return derivative(source, axis, out, mode, cval, *extra_arguments, **extra)

    return _over_axes(input, output, mode, axes, first, _add_square, lambda result: cuprum.sqrt(result, result, casting='unsafe'))


def gaussian_gradient_magnitude(input, sigma, output=None, mode='reflect', cval=0.0, *, axes=None, **kwargs):
    """Magnitude of the gradient by derivatives of a Gaussian."""

    def first(input, axis, output, mode, cval):
        return _gaussian_derivative(input, axis, output, mode, cval, 1, sigma, **kwargs)

    return generic_gradient_magnitude(input, first, output, mode, cval, axes=axes)


def _correlate(input, weights, output, mode, cval, origin, axes, convolution):
    input, weights = array(input), host(weights)
    is_complex = input.dtype.kind == 'c' or weights.dtype.kind == 'c'
    if weights.dtype.kind == 'c':
        weights = (weights if convolution else weights.conj()).astype(complex)
    else:
        weights = weights.astype(float)
    _check_cval(input, weights, cval)
    axes = check_axes(axes, input.ndim)
    weights = expand(weights, input.ndim, axes, 'weights')
    check_sizes(weights.shape)
    origins = window_origins(origin, input.ndim, axes)
    if convolution:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [_mirrored(origin, n) for origin, n in zip(origins, weights.shape)]
    origins = [check_origin(origin, n, False) for origin, n in zip(origins, weights.shape)]
    output = _output(output, input, is_complex)
    if is_sequence(mode):
        raise RuntimeError('A sequence of modes is not supported: the window is not separable, pass one mode')
    modes, cval = [mode_number(mode)] * input.ndim, pair(cval, input)

    def run(source, factors, out, part):
        value = cval if part is None else (cval[part], 0.0)
        factors = factors.ravel()
        # Elements without a weight are not read: an infinity there does not matter.
        footprint = (numpy.abs(factors) > numpy.finfo(float).eps).tolist()
        window = list(weights.shape), footprint, factors.tolist(), origins, modes, value
        _cuprum.window_area(source, window, 'weighted', out)

    _parts(input, weights, output, run)
    return output


def correlate(input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Correlates with an array of weights."""
    return _correlate(input, weights, output, mode, cval, origin, axes, False)


def convolve(input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Convolves with an array of weights."""
    return _correlate(input, weights, output, mode, cval, origin, axes, True)


def _sized1d(op, input, size, axis, output, mode, cval, origin):
    axis = normalize_axis(axis, input.ndim)
    if size < 1:
        raise RuntimeError(f'incorrect filter size {size}: it must be at least 1')
    output = _output(output, input, input.dtype.kind == 'c')
    size = operator.index(size)
    window = axis, op, size, [], check_origin(origin, size), mode_number(mode), pair(cval, input)
    _cuprum.window_axes(input, [window], output)
    return output


def uniform_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0):
    """Mean of a number of elements along an axis."""
    return _sized1d('mean', array(input), size, axis, output, mode, cval, origin)


def minimum_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0):
    """Minimum of a number of elements along an axis."""
    return _sized1d('minimum', real_array(input), size, axis, output, mode, cval, origin)


def maximum_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0):
    """Maximum of a number of elements along an axis."""
    return _sized1d('maximum', real_array(input), size, axis, output, mode, cval, origin)


def _sized(op, input, size, output, mode, cval, origin, axes):
    """Applies windows of a size along each axis; `output` is an array."""
    n = len(axes)
    windows, cval = [], pair(cval, input)
    for axis, size, mode, origin in zip(axes, sequence(size, n, 'size'), sequence(mode, n, 'mode'), sequence(origin, n, 'origin')):
        if size > 1:
            size = int(size)
            windows.append((axis, op, size, [], check_origin(origin, size), mode_number(mode), cval))
    _cuprum.window_axes(input, windows, output)
    return output


def uniform_filter(input, size=3, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Mean of the elements in a box."""
    input = array(input)
    output = _output(output, input, input.dtype.kind == 'c')
    return _sized('mean', input, size, output, mode, cval, origin, check_axes(axes, input.ndim))


def extreme_filter(op, input, size, footprint, structure, output, mode, cval, origin, axes):
    """Minimum or maximum of the elements in a box, or of those of a footprint, less or plus a structure."""
    warn_ignored_size(size, footprint)
    input = real_array(input)
    if footprint is not None:
        footprint = host(footprint, bool)
        if structure is None and not footprint.any():
            raise ValueError('All-zero footprint is not supported: one of its elements must be true.')
    if structure is not None:
        structure = host(structure, float)
        footprint = numpy.ones(structure.shape, bool) if footprint is None else footprint
    elif footprint is None and size is None:
        raise RuntimeError('no footprint or filter size provided')
    elif footprint is not None and footprint.all():
        size, footprint = footprint.shape, None
    output = _output(output, input)
    axes = check_axes(axes, input.ndim)
    if footprint is None:
        return _sized(op, input, size, output, mode, cval, origin, axes)
    footprint = expand(footprint, input.ndim, axes, 'footprint')
    check_sizes(footprint.shape)
    origins = window_origins(origin, input.ndim, axes)
    origins = [check_origin(origin, n) for origin, n in zip(origins, footprint.shape)]
    if structure is not None:
        if structure.ndim != len(axes):
            raise RuntimeError(f'structure array has incorrect shape: it has {structure.ndim} axes, and {len(axes)} are filtered')
        structure = expand(structure, input.ndim, axes, 'structure')
        if structure.shape != footprint.shape:
            raise RuntimeError(f'structure array has incorrect shape {structure.shape}: that of the footprint is {footprint.shape}')
        structure = structure.ravel().tolist()
    if is_sequence(mode):
        raise RuntimeError('A sequence of modes is not supported for footprints that are no boxes: pass one mode')
    window = list(footprint.shape), footprint.ravel().tolist(), structure, origins, [mode_number(mode)] * input.ndim, pair(cval, input)
    _cuprum.window_area(input, window, op, output)
    return output


def minimum_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Minimum of the elements in a box or of a footprint."""
    return extreme_filter('minimum', input, size, footprint, None, output, mode, cval, origin, axes)


def maximum_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Maximum of the elements in a box or of a footprint."""
    return extreme_filter('maximum', input, size, footprint, None, output, mode, cval, origin, axes)


def window_of(input, size, footprint, origin, axes):
    """Returns the footprint and the origins of a window with all axes of the input."""
    axes = check_axes(axes, input.ndim)
    if footprint is not None:
        footprint = host(footprint, bool)
    elif size is None:
        raise RuntimeError('no footprint or filter size provided')
    else:
        sizes = [operator.index(n) for n in sequence(size, len(axes), 'size')]
        footprint = numpy.ones(sizes, bool)
    footprint = expand(footprint, input.ndim, axes, 'footprint')
    check_sizes(footprint.shape)
    origins = window_origins(origin, input.ndim, axes)
    return footprint, [check_origin(origin, n) for origin, n in zip(origins, footprint.shape)]


def _ranked(input, rank, size, footprint, output, mode, cval, origin, axes):
    """Element of the rank `rank(elements)` in a window."""
    warn_ignored_size(size, footprint)
    input = real_array(input)
    footprint, origins = window_of(input, size, footprint, origin, axes)
    if is_sequence(mode):
        axes = check_axes(axes, input.ndim)
        modes = spread([mode_number(m) for m in sequence(mode, len(axes), 'mode')], input.ndim, axes, CONSTANT)
    else:
        modes = [mode_number(mode)] * input.ndim
    elements = int(numpy.count_nonzero(footprint))
    rank = rank(elements)
    if rank < 0:
        rank += elements
    if not 0 <= rank < elements:
        raise RuntimeError(f'rank {rank} not within filter footprint size {elements}')
    output = _output(output, input)
    cval = pair(cval, input)
    if rank in (0, elements - 1):
        op = 'minimum' if rank == 0 else 'maximum'
        if is_sequence(mode) and not footprint.all():
            raise RuntimeError('A sequence of modes is not supported for footprints that are no boxes: pass one mode')
        if footprint.all():
            windows = [(axis, op, n, [], origins[axis], modes[axis], cval) for axis, n in enumerate(footprint.shape) if n > 1]
            _cuprum.window_axes(input, windows, output)
        else:
            _cuprum.window_area(input, (list(footprint.shape), footprint.ravel().tolist(), None, origins, modes, cval), op, output)
        return output
    if is_sequence(mode):
        raise RuntimeError('A sequence of modes is not supported by non-separable rank filters: pass one mode')
    _cuprum.window_rank(input, (list(footprint.shape), footprint.ravel().tolist(), None, origins, modes, cval), rank, output)
    return output


def rank_filter(input, rank, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Element of a rank in a window, counted from the smallest, or from the largest if it is negative."""
    rank = operator.index(rank)
    return _ranked(input, lambda elements: rank, size, footprint, output, mode, cval, origin, axes)


def median_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Median of a window; of an even number of elements the upper one."""
    return _ranked(input, lambda elements: elements // 2, size, footprint, output, mode, cval, origin, axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Percentile of a window; negative ones count from 100."""

    def rank(elements):
        share = percentile + 100.0 if percentile < 0.0 else percentile
        if not 0 <= share <= 100:
            raise RuntimeError(f'invalid percentile {percentile}: it must be from -100 to 100')
        return elements - 1 if share == 100.0 else int(float(elements) * share / 100.0)

    return _ranked(input, rank, size, footprint, output, mode, cval, origin, axes)
