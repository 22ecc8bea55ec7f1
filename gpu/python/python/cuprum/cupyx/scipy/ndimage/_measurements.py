"""Connected components, and statistics of the elements with each label."""

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import array, host
from ._morphology import _binary_structure


def _real(x, name='input'):
    x = array(x, name)
    if x.dtype.kind == 'c':
        raise TypeError(f'Complex type not supported: `{name}` is {x.dtype}')
    return x


def label(input, structure=None, output=None):
    """Labels the connected components of the elements that are not 0, in the order of their first elements.

    Returns the labels and their number, which synchronises; only the number if `output` is an array.
    """
    input = _real(input)
    structure = _binary_structure(input.ndim, 1) if structure is None else host(structure, bool)
    if structure.ndim != input.ndim:
        raise RuntimeError(f'structure and input must have equal rank: {structure.ndim} axes for {input.ndim}')
    if any(n != 3 for n in structure.shape):
        raise ValueError(f'structure dimensions must be equal to 3, not {structure.shape}')
    own = isinstance(output, cuprum.ndarray)
    if own:
        if output.shape != input.shape:
            raise ValueError(f'output of shape {output.shape} does not have the shape of the input, {input.shape}')
    elif isinstance(output, numpy.ndarray):
        raise TypeError('Unsupported type numpy.ndarray: `output` is on the host, pass an array of the device')
    else:
        default = numpy.int64 if input.size >= 2**31 - 2 else numpy.int32
        output = cuprum.empty(input.shape, default if output is None else output)
    if output.dtype.kind == 'c':
        raise TypeError(f'No matching signature found: `output` is {output.dtype}')
    flat = structure.ravel().tolist()
    if input.size == 0:
        return 0 if own else (output, 0)
    if flat != flat[::-1]:
        raise AssertionError('Structuring element is not symmetric: pass one that is the same when reversed along all axes')
    # Booleans are true where there is a component, of as many components as a byte counts.
    labels = cuprum.empty(input.shape, numpy.uint8) if output.dtype.kind == 'b' else output
    try:
        count = _cuprum.label_components(input, flat, labels)
    except ValueError as error:
        raise RuntimeError(f'insufficient bit-depth in requested output type: {error}') from None
    if labels is not output:
        output[...] = labels
    return count if own else (output, count)


def watershed_ift(input, markers, structure=None, output=None):
    """Watershed from markers: the label of the marker from which the path with the least largest step leads to an element.

    It is computed on the host, which synchronises. Elements at the ends of different rows are no neighbours, unlike SciPy's.
    """
    input, markers = array(input), array(markers, 'markers')
    if input.dtype not in (numpy.uint8, numpy.uint16):
        raise TypeError(f'only 8 and 16 unsigned inputs are supported: `input` is {input.dtype}')
    structure = _binary_structure(input.ndim, 1) if structure is None else host(structure, bool)
    if structure.ndim != input.ndim:
        raise RuntimeError(f'structure and input must have equal rank: {structure.ndim} axes for {input.ndim}')
    if any(n != 3 for n in structure.shape):
        raise RuntimeError(f'structure dimensions must be equal to 3, not {structure.shape}')
    if input.shape != markers.shape:
        raise RuntimeError(f'input and markers must have equal shape: {input.shape} and {markers.shape}')
    if markers.dtype.kind not in 'iu':
        raise RuntimeError(f'marker should be of integer type: it is {markers.dtype}')
    if isinstance(output, cuprum.ndarray):
        if output.dtype.kind not in 'iu':
            raise RuntimeError(f'output should be of integer type: it is {output.dtype}')
        if output.shape != input.shape:
            raise RuntimeError(f'output shape not correct: {output.shape} for an input of {input.shape}')
    elif isinstance(output, numpy.ndarray):
        raise TypeError('Unsupported type numpy.ndarray: `output` is on the host, pass an array of the device')
    else:
        output = cuprum.empty(input.shape, markers.dtype if output is None else output)
    _cuprum.label_watershed(input, markers, structure.ravel().tolist(), output)
    return output


def find_objects(input, max_label=0):
    """Smallest boxes of the labels from 1: a list of tuples of slices, or None for a label that does not occur. Synchronises."""
    input = _real(input)
    if input.dtype.kind not in 'iu' and not (input.dtype.kind == 'b' and max_label >= 1):
        raise TypeError(f'{input.dtype} labels cannot be interpreted as integers: pass an array of integers')
    if max_label < 1:
        max_label = int(input.max())
    return _cuprum.label_boxes(input, max(int(max_label), 0))


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """Dictionary of the values of an integer array, with the indices of each along all axes as device arrays. Synchronises.

    With `adaptive_index_dtype` indices are of the smallest signed integer dtype that the shape fits in, otherwise of int64.
    """
    arr = array(arr, 'arr')
    if arr.dtype.kind not in 'iu':
        raise ValueError(f"Parameter 'arr' must be an integer array, not one of {arr.dtype}")
    if arr.size == 0:
        return {}
    flat = arr.ravel()
    order = cuprum.argsort(flat, kind='stable')
    values, counts = (cuprum.asnumpy(x) for x in cuprum.unique(flat, return_counts=True))
    coordinates = cuprum.unravel_index(order, arr.shape)
    if adaptive_index_dtype:
        dtype = numpy.min_scalar_type(-max(arr.shape))
        coordinates = [x.astype(dtype) for x in coordinates]
    ends = numpy.cumsum(counts)
    ignored = None if ignore_value is None else arr.dtype.type(ignore_value)
    result = {}
    for value, end, count in zip(values, ends.tolist(), counts.tolist()):
        if ignored is None or value != ignored:
            result[value] = tuple(x[end - count : end] for x in coordinates)
    return result


def _broadcast(input, labels):
    labels = array(labels, 'labels')
    try:
        return cuprum.broadcast_arrays(input, labels)
    except ValueError:
        raise ValueError(f'input and labels must have the same shape (excepting dimensions with width 1), not {input.shape} and {labels.shape}') from None


def _mask(labels, index):
    return labels > 0 if index is None else labels == index


def _is_group(labels, index):
    """Tests for one group of elements: all, those with a positive label, or those with one label."""
    return labels is None or index is None or numpy.isscalar(index) or getattr(index, 'ndim', None) == 0


def _group(input, labels, index):
    """Returns the elements of one group."""
    if labels is None:
        return input
    input, labels = _broadcast(input, labels)
    return input[_mask(labels, index)]


def _index(index):
    return cuprum.asarray(index)


def _statistic(name, input, labels, index):
    labels = array(labels, 'labels')
    _broadcast(input, labels)
    return _cuprum.label_statistic(name, input, labels, _index(index))


def sum_labels(input, labels=None, index=None):
    """Sums of the elements with each label, in float64 and in an order that does not change."""
    input = array(input)
    if _is_group(labels, index):
        return _group(input, labels, index).sum()
    return _statistic('sum_labels', input, labels, index)


def sum(input, labels=None, index=None):
    """Sums of the elements with each label; the former name of `sum_labels`."""
    return sum_labels(input, labels, index)


def _quotient(total, count):
    """Returns a sum by the number of its elements, which is a float64 in SciPy."""
    return cuprum.true_divide(total, float(count), dtype=numpy.result_type(total.dtype, float))


def mean(input, labels=None, index=None):
    """Means of the elements with each label."""
    input = array(input)
    if _is_group(labels, index):
        group = _group(input, labels, index)
        return _quotient(group.sum(), group.size)
    return _statistic('mean', input, labels, index)


def variance(input, labels=None, index=None):
    """Variances of the elements with each label: the mean square of the differences from the mean."""
    input = array(input)
    if _is_group(labels, index):
        group = _group(input, labels, index)
        apart = group - group.mean()
        return _quotient((apart * apart.conj()).sum(), group.size)
    return _statistic('variance', input, labels, index)


def standard_deviation(input, labels=None, index=None):
    """Standard deviations of the elements with each label."""
    if _is_group(labels, index):
        return cuprum.sqrt(variance(input, labels, index))
    return _statistic('standard_deviation', array(input), labels, index)


def _sorted_groups(input, labels, index):
    """Returns the elements, their positions in the order of their labels and values, and the ranges of positions of a list of labels.

    Complex numbers have the order of their real parts, and of their imaginary parts where these are equal.
    """
    input, labels = _broadcast(input, labels)
    values, labels, index = input.ravel(), labels.ravel(), _index(index)
    order = cuprum.argsort(values, kind='stable')
    order = order[cuprum.argsort(labels[order], kind='stable')]
    ordered = labels[order]
    return values, order, *(cuprum.searchsorted(ordered, index.ravel(), side=side).reshape(index.shape) for side in ('left', 'right'))


def _complex_extrema(input, labels, index):
    """Returns the minima, the maxima and their positions; 0 for labels that do not occur."""
    values, order, first, after = _sorted_groups(input, labels, index)
    found = after > first
    positions = [cuprum.where(found, order[x], 0) for x in (cuprum.where(found, first, 0), cuprum.where(found, after - 1, 0))]
    return *(cuprum.where(found, values[x], 0).astype(input.dtype) for x in positions), *positions


def _complex_median(input, labels, index):
    values, order, first, after = _sorted_groups(input, labels, index)
    count = after - first
    middle = (values[order[cuprum.where(count > 0, first + x // 2, 0)]] for x in (count - 1, count))
    low, high = middle
    return cuprum.where(count > 0, (low + high) / 2, numpy.nan).astype(input.dtype)


def minimum(input, labels=None, index=None):
    """Minima of the elements with each label; 0 for a label that does not occur."""
    input = array(input)
    if _is_group(labels, index):
        return _group(input, labels, index).min()
    if input.dtype.kind == 'c':
        return _complex_extrema(input, labels, index)[0]
    return _statistic('minimum', input, labels, index)


def maximum(input, labels=None, index=None):
    """Maxima of the elements with each label; 0 for a label that does not occur."""
    input = array(input)
    if _is_group(labels, index):
        return _group(input, labels, index).max()
    if input.dtype.kind == 'c':
        return _complex_extrema(input, labels, index)[1]
    return _statistic('maximum', input, labels, index)


def median(input, labels=None, index=None):
    """Medians of the elements with each label; NaN for a label that does not occur."""
    input = array(input)
    if _is_group(labels, index):
        return cuprum.median(_group(input, labels, index))
    if input.dtype.kind == 'c':
        return _complex_median(input, labels, index)
    return _statistic('median', input, labels, index)


def _coordinates(positions, shape):
    """Returns a list of tuples of coordinates; reading the positions synchronises."""
    positions = cuprum.asnumpy(positions).ravel()
    return list(zip(*numpy.unravel_index(positions, shape))) if shape else [()] * positions.size


def _group_position(input, labels, index, name):
    """Returns the coordinates of an extreme of one group."""
    if labels is None:
        position = getattr(cuprum, name)(input)
        return _coordinates(position, input.shape)[0]
    input, labels = _broadcast(input, labels)
    positions = cuprum.flatnonzero(_mask(labels, index))
    position = positions[getattr(cuprum, name)(input.ravel()[positions])]
    return _coordinates(position, input.shape)[0]


def minimum_position(input, labels=None, index=None):
    """Coordinates of the first minimum of the elements with each label: a tuple, or a list of them. Synchronises."""
    input = array(input)
    if _is_group(labels, index):
        return _group_position(input, labels, index, 'argmin')
    if input.dtype.kind == 'c':
        positions = _complex_extrema(input, labels, index)[2]
    else:
        positions = _statistic('minimum_position', input, labels, index)
    return _coordinates(positions, _broadcast(input, labels)[0].shape)


def maximum_position(input, labels=None, index=None):
    """Coordinates of a maximum of the elements with each label: a tuple, or a list of them. Synchronises.

    Of several maxima it is the first, or, with a list of labels, the last.
    """
    input = array(input)
    if _is_group(labels, index):
        return _group_position(input, labels, index, 'argmax')
    if input.dtype.kind == 'c':
        positions = _complex_extrema(input, labels, index)[3]
    else:
        positions = _statistic('maximum_position', input, labels, index)
    return _coordinates(positions, _broadcast(input, labels)[0].shape)


def extrema(input, labels=None, index=None):
    """Minima and maxima of the elements with each label, and their coordinates. Synchronises."""
    input = array(input)
    if _is_group(labels, index):
        group = _group(input, labels, index)
        positions = (_group_position(input, labels, index, name) for name in ('argmin', 'argmax'))
        return group.min(), group.max(), *positions
    labels = array(labels, 'labels')
    shape = _broadcast(input, labels)[0].shape
    extrema = _complex_extrema if input.dtype.kind == 'c' else _cuprum.label_extrema
    low, high, *positions = extrema(input, labels, _index(index))
    return low, high, *(_coordinates(x, shape) for x in positions)


def center_of_mass(input, labels=None, index=None):
    """Centres of mass of the elements with each label: a tuple of coordinates, or a list of them. Synchronises."""
    input = array(input)
    if input.dtype.kind == 'c':
        return _complex_centre(input, labels, index)
    one = _is_group(labels, index)
    if labels is None:
        labels, index = cuprum.zeros((), numpy.int32), [0]
    elif index is None:
        labels, index = array(labels, 'labels') > 0, [1]
    elif one:
        index = [index]
    found = cuprum.asnumpy(_statistic('center_of_mass', input, labels, index))
    # As SciPy's for a list of labels with several axes.
    rows = found if found.ndim == 2 else numpy.moveaxis(found, -1, 0).T
    centres = list(zip(*rows.T)) if rows.ndim == 2 else [tuple(x) for x in rows]
    return centres[0] if one else centres


def _complex_centre(input, labels, index):
    """Centre of mass of complex numbers, along one axis after another."""
    total = sum_labels(input, labels, index)
    columns = []
    for axis, n in enumerate(input.shape):
        coordinates = cuprum.arange(n, dtype=float).reshape((n,) + (1,) * (input.ndim - axis - 1))
        columns.append(cuprum.asnumpy(sum_labels(input * coordinates, labels, index) / total))
    return tuple(x[()] for x in columns) if _is_group(labels, index) else [tuple(x) for x in numpy.array(columns).T]


def histogram(input, min, max, bins, labels=None, index=None):
    """Histograms of the elements with each label between `min` and `max`: a row of counts for each label of a list.

    A label that does not occur has counts of 0.
    """
    edges = numpy.linspace(min, max, bins + 1)
    if (edges[1:] < edges[:-1]).any():
        raise ValueError(f'bins must increase monotonically: `min` is {min}, `max` is {max}')
    input = array(input)
    if labels is None:
        if index is not None:
            raise ValueError('index without defined labels: pass `labels`, too')
        labels, one, index = cuprum.zeros((), numpy.int32), True, [0]
    else:
        one = _is_group(labels, index)
        labels = array(labels, 'labels')
        if index is None:
            labels, index = labels > 0, [1]
        elif one:
            index = [index]
    _broadcast(input, labels)
    counts = _cuprum.label_histogram(input, edges.tolist(), labels, _index(index))
    return counts[0] if one else counts


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """Results of a Python function of the elements with each label.

    The function is called on the host for each label, with device arrays, and each call may synchronise.
    """
    input = array(input)
    positions = cuprum.arange(input.size).reshape(input.shape) if pass_positions else None

    def call(select):
        arguments = [input] if positions is None else [input, positions]
        return func(*(select(x) for x in arguments))

    if labels is None:
        if index is not None:
            raise ValueError('index without defined labels: pass `labels`, too')
        return call(lambda x: x.ravel())
    input, labels = _broadcast(input, labels)
    if positions is not None:
        positions = cuprum.broadcast_to(positions, input.shape)
    if index is None:
        mask = labels > 0
        return call(lambda x: x[mask])
    one = numpy.isscalar(index)
    index = numpy.atleast_1d(host(index))
    if (index.astype(labels.dtype).astype(index.dtype) != index).any():
        raise ValueError(f"Cannot convert index values from <{index.dtype}> to <{labels.dtype}> (labels' type) without loss of precision")
    flat = labels.ravel()
    order = cuprum.argsort(flat, kind='stable')
    ordered, wanted = flat[order], cuprum.asarray(index.astype(labels.dtype).ravel())
    ends = [cuprum.asnumpy(cuprum.searchsorted(ordered, wanted, side=side)).tolist() for side in ('left', 'right')]
    input = input.ravel()[order]
    positions = None if positions is None else positions.ravel()[order]
    results = {k: call(lambda x: x[first:last]) for k, (first, last) in enumerate(zip(*ends)) if first < last}
    dtype = numpy.dtype(out_dtype)
    out = numpy.empty(index.size, dtype)
    out[:] = default
    if dtype.kind != 'O':
        out = cuprum.asarray(out)
    for k, result in results.items():
        out[k] = result
    out = out.reshape(index.shape)
    return out[0] if one else out
