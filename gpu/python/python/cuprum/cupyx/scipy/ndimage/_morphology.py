"""Binary and grey morphology."""

import operator

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import CONSTANT, array, check_axes, check_origin, expand, host, output_array, sequence, warn_ignored_size, window_origins
from ._filters import _mirrored, extreme_filter


def _binary_structure(rank, connectivity):
    if rank < 1:
        return numpy.array(True)
    steps = numpy.abs(numpy.indices([3] * rank) - 1).sum(0)
    return steps <= max(connectivity, 1)


def generate_binary_structure(rank, connectivity):
    """Structure of size 3 along each axis: the elements at most `connectivity` steps along axes from the centre."""
    return cuprum.asarray(_binary_structure(rank, connectivity))


def iterate_structure(structure, iterations, origin=None):
    """Dilates a structure with itself, so that it acts as several iterations of it."""
    structure = array(structure, 'structure')
    if iterations < 2:
        return structure.copy()
    more = iterations - 1
    out = cuprum.zeros([n + more * (n - 1) for n in structure.shape], bool)
    out[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)] = structure != 0
    out = binary_dilation(out, structure, iterations=more)
    if origin is None:
        return out
    return out, [iterations * o for o in sequence(origin, structure.ndim, 'origin')]


def _structure(structure, axes):
    return _binary_structure(axes, 1) if structure is None else host(structure)


def _erode(input, structure, iterations, mask, output, border_value, origin, invert, axes):
    """Erodes an image, or, with `invert`, its complement; `structure` is an array of the host."""
    try:
        iterations = operator.index(iterations)
    except TypeError:
        raise TypeError(f'iterations parameter should be an integer, not {iterations!r}') from None
    input = array(input)
    if input.dtype.kind == 'c':
        raise TypeError(f'Complex type not supported: `input` is {input.dtype}, and a binary image is true where it is not 0')
    axes = check_axes(axes, input.ndim)
    structure = structure.astype(bool)
    if structure.ndim != len(axes):
        raise RuntimeError(f'structure and input must have same dimensionality: {structure.ndim} axes for {len(axes)}')
    structure = expand(structure, input.ndim, axes, 'structure')
    if structure.size < 1:
        raise RuntimeError(f'structure must not be empty: its shape is {structure.shape}')
    if mask is not None:
        mask = array(mask, 'mask')
        if mask.shape != input.shape:
            raise RuntimeError(f'mask and input must have equal sizes, not {mask.shape} and {input.shape}')
        mask = mask.astype(bool, copy=False)
    origins = window_origins(origin, input.ndim, axes)
    origins = [check_origin(origin, n) for origin, n in zip(origins, structure.shape)]
    if isinstance(output, cuprum.ndarray) and output.dtype.kind == 'c':
        raise TypeError(f'Complex output type not supported: `output` is {output.dtype}')
    if not isinstance(output, (cuprum.ndarray, numpy.ndarray)):
        output = bool
    output = output_array(output, input)
    window = list(structure.shape), structure.ravel().tolist(), None, origins, [CONSTANT] * input.ndim, (float(bool(operator.index(border_value))), 0.0)
    _cuprum.window_erode(input, window, mask, bool(invert), max(iterations, 0), output)
    return output


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *, axes=None):
    """Erosion: true where all elements of the structure are."""
    input = array(input)
    n = len(check_axes(axes, input.ndim))
    return _erode(input, _structure(structure, n), iterations, mask, output, border_value, origin, False, axes)


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *, axes=None):
    """Dilation: true where an element of the structure is."""
    input = array(input)
    n = len(check_axes(axes, input.ndim))
    structure = _structure(structure, n)
    origins = sequence(origin, n, 'origin')
    if structure.ndim == n:
        origins = [_mirrored(o, size) for o, size in zip(origins, structure.shape)]
    structure = structure[(slice(None, None, -1),) * structure.ndim]
    return _erode(input, structure, iterations, mask, output, border_value, origins, True, axes)


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *, axes=None):
    """Opening: an erosion and a dilation, which removes objects smaller than the structure."""
    eroded = binary_erosion(input, structure, iterations, mask, None, border_value, origin, brute_force, axes=axes)
    return binary_dilation(eroded, structure, iterations, mask, output, border_value, origin, brute_force, axes=axes)


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *, axes=None):
    """Closing: a dilation and an erosion, which fills holes smaller than the structure."""
    dilated = binary_dilation(input, structure, iterations, mask, None, border_value, origin, brute_force, axes=axes)
    return binary_erosion(dilated, structure, iterations, mask, output, border_value, origin, brute_force, axes=axes)


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None):
    """Hit-or-miss transform: true where the first structure is in the image and the second in its complement."""
    input = array(input)
    n = len(check_axes(axes, input.ndim))
    hit = _structure(structure1, n)
    miss = ~hit.astype(bool) if structure2 is None else host(structure2)
    origin1 = sequence(origin1, n, 'origin')
    origin2 = origin1 if origin2 is None else sequence(origin2, n, 'origin')
    found = _erode(input, hit, 1, None, None, 0, origin1, False, axes)
    result = _erode(input, miss, 1, None, output, 0, origin2, True, axes)
    cuprum.logical_not(result, result)
    if isinstance(output, cuprum.ndarray):
        cuprum.logical_and(found, output, output)
        return None
    return cuprum.logical_and(found, result)


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    """Dilation within a mask until nothing changes."""
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """Fills the holes of objects: what is connected with the border stays false."""
    input = array(input)
    mask = cuprum.logical_not(input)
    outside = cuprum.zeros(mask.shape, bool)
    result = binary_dilation(outside, structure, -1, mask, output, 1, origin, axes=axes)
    cuprum.logical_not(result, result)
    return None if isinstance(output, cuprum.ndarray) else result


def _check_size(size, footprint, structure):
    if size is None and footprint is None and structure is None:
        raise ValueError('size, footprint, or structure must be specified')


def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Erosion: the minimum of the elements less the structure."""
    _check_size(size, footprint, structure)
    return extreme_filter('minimum', input, size, footprint, structure, output, mode, cval, origin, axes)


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Dilation: the maximum of the elements plus the mirrored structure."""
    _check_size(size, footprint, structure)
    mirrored = [None if w is None else host(w)[(slice(None, None, -1),) * host(w).ndim] for w in (footprint, structure)]
    input = array(input)
    n = len(check_axes(axes, input.ndim))
    if mirrored[0] is not None or mirrored[1] is not None:
        sizes = (mirrored[0] if mirrored[0] is not None else mirrored[1]).shape
    else:
        sizes = sequence(size, n, 'size')
    origins = [_mirrored(o, k) for o, k in zip(sequence(origin, n, 'origin'), sizes)] + [0] * (n - len(sizes))
    return extreme_filter('maximum', input, size, *mirrored, output, mode, cval, origins, axes)


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Opening: an erosion and a dilation."""
    warn_ignored_size(size, footprint)
    size = None if footprint is not None else size
    eroded = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_dilation(eroded, size, footprint, structure, output, mode, cval, origin, axes=axes)


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Closing: a dilation and an erosion."""
    warn_ignored_size(size, footprint)
    size = None if footprint is not None else size
    dilated = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_erosion(dilated, size, footprint, structure, output, mode, cval, origin, axes=axes)


def _own(input, output):
    """Returns the input, or a copy of it if the output would overwrite it."""
    input = array(input)
    return input.copy() if isinstance(output, cuprum.ndarray) and cuprum.may_share_memory(input, output) else input


def morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Difference of a dilation and an erosion."""
    input = _own(input, output)
    high = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    if isinstance(output, cuprum.ndarray):
        grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
        return cuprum.subtract(high, output, output)
    return high - grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)


def morphological_laplace(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Sum of a dilation and an erosion less twice the input."""
    input = _own(input, output)
    high = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    output = output if isinstance(output, cuprum.ndarray) else None
    low = grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    cuprum.add(high, low, low)
    cuprum.subtract(low, input, low)
    return cuprum.subtract(low, input, low)


def _difference(a, b, out):
    """Subtracts, or, for booleans, takes the exclusive or."""
    both = a.dtype.kind == b.dtype.kind == 'b'
    return (cuprum.bitwise_xor if both else cuprum.subtract)(a, b, out)


def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Input less its opening: bright details that the window does not fit in."""
    warn_ignored_size(size, footprint)
    size = None if footprint is not None else size
    input = _own(input, output)
    eroded = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    opened = grey_dilation(eroded, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _difference(input, opened, opened)


def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None):
    """Closing less the input: dark details that the window does not fit in."""
    warn_ignored_size(size, footprint)
    size = None if footprint is not None else size
    input = _own(input, output)
    dilated = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    closed = grey_erosion(dilated, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _difference(closed, input, closed)
