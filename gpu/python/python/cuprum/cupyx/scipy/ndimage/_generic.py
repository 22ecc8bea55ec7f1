"""Filters by functions of the user.

A reduction kernel, and a function that takes an axis, are called once for all windows of a part of the input, which are gathered on the device.
A function of a single window runs on the host: `generic_filter` and `generic_filter1d` copy the windows there and the results back.
"""

import math
import operator

import numpy

import cuprum

from .._axes import normalize_axis
from ._arguments import array, check_origin, is_sequence, mode_number, output_array, real_array, warn_ignored_size
from ._filters import window_of

# The modes of `pad`, by the number of a border rule.
_PAD = ['symmetric', 'reflect', 'edge', 'wrap', 'constant']
# Bytes of the windows that are gathered at once.
_BATCH = 2**28


def _padded(input, sizes, origins, mode, cval):
    """Continues the input by what windows of all axes reach."""
    widths = [(n // 2 + origin, (n - 1) // 2 - origin) for n, origin in zip(sizes, origins)]
    options = {'constant_values': cval} if _PAD[mode] == 'constant' else {}
    return cuprum.pad(input, widths, mode=_PAD[mode], **options)


def generic_filter(
    input, function, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, extra_arguments=(), extra_keywords=None, *, axes=None
):
    """Filters by a function of the elements of a window, as a 1-D array: a Python function, which runs on the host, or a `ReductionKernel`."""
    warn_ignored_size(size, footprint)
    if isinstance(function, cuprum.RawKernel):
        raise NotImplementedError('generic_filter takes a Python function or a ReductionKernel, not a RawKernel: write it as a ReductionKernel')
    input = real_array(input)
    footprint, origins = window_of(input, size, footprint, origin, axes)
    output = output_array(output, input)
    if input.size == 0:
        return output
    if is_sequence(mode):
        raise RuntimeError('A sequence of modes is not supported by generic_filter: pass one mode')
    source = input.astype(float)
    padded = _padded(source, footprint.shape, origins, mode_number(mode), cval)
    windows = cuprum.lib.stride_tricks.sliding_window_view(padded, footprint.shape)
    inside = None if footprint.all() else cuprum.asarray(footprint)
    extra = extra_keywords or {}
    rows = max(1, _BATCH // max(1, 8 * footprint.size * math.prod(input.shape[1:])))
    result = output if not cuprum.may_share_memory(output, input) else cuprum.empty_like(output)
    for start in range(0, input.shape[0], rows) if input.ndim else [None]:
        part = slice(start, start + rows) if input.ndim else ()
        chosen = windows[part]
        lead = chosen.shape[: input.ndim]
        chosen = chosen.reshape(math.prod(lead), footprint.size) if inside is None else chosen[..., inside].reshape(math.prod(lead), -1)
        if isinstance(function, cuprum.ReductionKernel):
            values = function(chosen, axis=1)
        else:
            values = cuprum.asarray([float(function(row, *extra_arguments, **extra)) for row in cuprum.asnumpy(chosen)])
        result[part] = values.reshape(lead).astype(output.dtype)
    if result is not output:
        output[...] = result
    return output


def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0, extra_arguments=(), extra_keywords=None):
    """Filters lines by a Python function `function(line, results, ...)` on the host, whose line is continued at both ends."""
    if not callable(function) or isinstance(function, (cuprum.RawKernel, cuprum.ReductionKernel)):
        raise NotImplementedError('generic_filter1d takes a Python function, which runs on the host')
    input = real_array(input)
    output = output_array(output, input)
    if filter_size < 1:
        raise RuntimeError(f'invalid filter size {filter_size}: it must be at least 1')
    axis = normalize_axis(axis, input.ndim)
    size = operator.index(filter_size)
    origin = check_origin(origin, size)
    sizes, origins = [1] * input.ndim, [0] * input.ndim
    sizes[axis], origins[axis] = size, origin
    lines = cuprum.asnumpy(_padded(input.astype(float), sizes, origins, mode_number(mode), cval))
    lines = numpy.moveaxis(lines, axis, -1)
    results = numpy.zeros(lines.shape[:-1] + (input.shape[axis],))
    for index in numpy.ndindex(lines.shape[:-1]):
        line, result = numpy.ascontiguousarray(lines[index]), numpy.zeros(input.shape[axis])
        function(line, result, *extra_arguments, **(extra_keywords or {}))
        results[index] = result
    output[...] = cuprum.asarray(numpy.moveaxis(results, -1, axis)).astype(output.dtype)
    return output


_VECTORIZED = {
    'reflect': 'symmetric',
    'grid-mirror': 'symmetric',
    'mirror': 'reflect',
    'nearest': 'edge',
    'wrap': 'wrap',
    'grid-wrap': 'wrap',
    'constant': 'constant',
    'grid-constant': 'constant',
    'valid': None,
}


def _integers(values, name, lowest=None):
    values = tuple(values)
    if not all(numpy.asarray(v).dtype.kind in 'iu' and (lowest is None or v >= lowest) for v in values):
        raise ValueError(f'All elements of `{name}` must be {"positive " if lowest else ""}integers, not {values}.')
    return tuple(int(v) for v in values)


def vectorized_filter(input, function, *, size=None, footprint=None, output=None, mode='reflect', cval=None, origin=None, axes=None, batch_memory=2**30):
    """Filters by a function of many windows at once, `function(windows, axis=axes)`, which takes and returns device arrays."""
    input = array(input)
    if not callable(function):
        raise ValueError('`function` must be a callable.')
    if (size is None) == (footprint is None):
        raise ValueError('Either `size` or `footprint` must be provided.' if size is None else 'Either `size` or `footprint` may be provided, not both.')
    if axes is None:
        axes = tuple(range(-input.ndim, 0))
    axes = (axes,) if numpy.isscalar(axes) else tuple(axes)
    n = len(axes)
    if n > input.ndim:
        raise ValueError(f'The length of `axes`, {n}, may not exceed the dimensionality of `input`, {input.ndim}.')
    call = function
    if size is not None:
        size = _integers((size,) * n if numpy.isscalar(size) else size, 'size', 1)
    else:
        footprint = cuprum.asarray(footprint, dtype=bool)
        size = footprint.shape

        def call(windows, axis):
            return function(windows[..., footprint], axis=-1)

    if len(size) != n:
        raise ValueError(f'`axes` must be compatible with the dimensionality of the window: there are {n} axes and {len(size)} sizes.')
    origin = (0,) * n if origin is None else _integers((origin,) * n if numpy.isscalar(origin) else origin, 'origin')
    if len(origin) != n:
        raise ValueError(f'`origin` must be an integer or a tuple of {n} integers, one for each axis.')
    if not isinstance(mode, str) or mode not in _VECTORIZED:
        raise ValueError(f'`mode` must be one of {set(_VECTORIZED)}, not {mode!r}.')
    pad = _VECTORIZED[mode]
    if pad is None and any(origin):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    if cval is not None and pad != 'constant':
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    cval = 0.0 if cval is None else cval
    if cuprum.asarray(cval).dtype.kind not in 'iufc':
        raise ValueError('`cval` must include only numbers.')
    memory = numpy.asarray(batch_memory)
    if memory.ndim != 0 or memory.dtype.kind not in 'iuf' or memory <= 0:
        raise ValueError(f'`batch_memory` must be positive number, not {batch_memory!r}.')
    core = tuple(range(-n, 0))
    input = cuprum.moveaxis(input, axes, core)
    if output is not None:
        output = cuprum.moveaxis(output, axes, core)
    if pad is not None:
        widths = [(0, 0)] * (input.ndim - n) + [(k // 2 + o, (k - 1) // 2 - o) for k, o in zip(size, origin)]
        input = cuprum.pad(input, widths, mode=pad, **({'constant_values': cval} if pad == 'constant' else {}))
    windows = cuprum.lib.stride_tricks.sliding_window_view(input, size, core)
    result = _in_batches(call, windows, core, output, batch_memory)
    return cuprum.moveaxis(result, core, axes)


def _in_batches(call, windows, core, output, batch_memory):
    """Calls a function for parts of the windows along the first axis, each of limited size."""
    if not core:
        return call(windows, axis=core)
    rows = windows.shape[0]
    batch = min(rows, int(batch_memory // max(1, math.prod(windows.shape[1:]) * windows.dtype.itemsize)))
    if batch < 1 and rows:
        raise ValueError('`batch_memory` is insufficient for minimum chunk size.')
    if batch == rows and output is None:
        return call(windows, axis=core)
    for start in range(0, rows, max(batch, 1)):
        part = slice(start, start + batch)
        values = call(windows[part], axis=core)
        if output is None:
            output = cuprum.empty(windows.shape[: -len(core)], values.dtype)
        output[part] = values
    return output
