"""Distance transforms."""

import numpy

import cuprum
from cuprum import _cuprum

from ._arguments import array, host, sequence

_TAXICAB = 'taxicab', 'cityblock', 'manhattan'


def _check_results(return_distances, return_indices, distances, indices):
    for name, x in (('distances', distances), ('indices', indices)):
        if x is not None and not isinstance(x, cuprum.ndarray):
            raise TypeError(f'`{name}` must be a device array, not {type(x).__name__}')
    if not return_distances and not return_indices:
        raise RuntimeError('at least one of return_distances/return_indices must be True')
    if distances is not None and not return_distances:
        raise RuntimeError('return_distances must be True if distances is supplied')
    if indices is not None and not return_indices:
        raise RuntimeError('return_indices must be True if indices is supplied')


def _check_array(x, shape, dtype, name, error):
    if x.shape != shape:
        raise error(f'{name} array has wrong shape: {x.shape}, not {shape}')
    if x.dtype != dtype:
        raise error(f'{name} array must be {numpy.dtype(dtype)}, not {x.dtype}')
    return x


def _transform(function, input, metric, structure, sampling, dtype, results, error=RuntimeError):
    return_distances, return_indices, distances, indices = results
    if input.ndim == 0:
        input = input.reshape(1)
    shape = (input.ndim, *input.shape)
    of_distances = of_indices = None
    if return_distances:
        of_distances = cuprum.empty(input.shape, dtype) if distances is None else _check_array(distances, input.shape, dtype, 'distances', error)
    if return_indices:
        of_indices = cuprum.empty(shape, numpy.int32) if indices is None else _check_array(indices, shape, numpy.int32, 'indices', error)
    if sampling is not None:
        sampling = [float(x) for x in sequence(sampling, input.ndim, 'sampling')]
    _cuprum.distance_transform(function, input, metric, structure, sampling, of_distances, of_indices)
    found = [x for x, passed in ((of_distances, distances), (of_indices, indices)) if x is not None and passed is None]
    return tuple(found) if len(found) == 2 else found[0] if found else None


def distance_transform_edt(
    input, sampling=None, return_distances=True, return_indices=False, distances=None, indices=None, *, block_params=None, float64_distances=True
):
    """Exact Euclidean distances of the elements from the nearest one that is 0, and the coordinates of that one.

    `block_params` is accepted and not used.
    """
    _check_results(return_distances, return_indices, distances, indices)
    input = array(input)
    results = return_distances, return_indices, distances, indices
    if float64_distances or not return_distances or distances is not None:
        return _transform('edt', input, 'euclidean', None, sampling, numpy.float64, results)
    found = _transform('edt', input, 'euclidean', None, sampling, numpy.float64, results)
    if isinstance(found, tuple):
        return found[0].astype(numpy.float32), found[1]
    return found.astype(numpy.float32)


def distance_transform_bf(input, metric='euclidean', sampling=None, return_distances=True, return_indices=False, distances=None, indices=None):
    """Distances of the elements from the nearest one that is 0 by a metric, and the coordinates of that one."""
    _check_results(return_distances, return_indices, distances, indices)
    metric = metric.lower()
    if metric in _TAXICAB:
        metric = 'taxicab'
    elif metric not in ('euclidean', 'chessboard'):
        raise RuntimeError(f'distance metric not supported: {metric!r} is none of euclidean, chessboard, {", ".join(_TAXICAB)}')
    dtype = numpy.float64 if metric == 'euclidean' else numpy.uint32
    results = return_distances, return_indices, distances, indices
    input = array(input)
    found = _transform('bf', input, metric, None, sampling, dtype, results)
    if input.ndim or found is None:
        return found
    # The distance of a single element has no axis, unlike that of `distance_transform_edt`, and there are no coordinates.
    found = [x for x in (found if isinstance(found, tuple) else (found,))]
    found = [x.reshape(()) if x.ndim == 1 else x.reshape(-1)[:0] for x in found]
    return tuple(found) if len(found) == 2 else found[0]


def distance_transform_cdt(input, metric='chessboard', return_distances=True, return_indices=False, distances=None, indices=None):
    """Chamfer distances of the elements from the nearest one that is 0, and the coordinates of that one."""
    _check_results(return_distances, return_indices, distances, indices)
    input = array(input)
    structure = None
    if isinstance(metric, str):
        if metric in _TAXICAB:
            metric = 'taxicab'
        elif metric != 'chessboard':
            raise ValueError(f'invalid metric provided: {metric!r} is none of chessboard, {", ".join(_TAXICAB)}')
    else:
        structure = host(metric)
        if any(n != 3 for n in structure.shape):
            raise ValueError(f'metric sizes must be equal to 3, not {structure.shape}')
        if structure.ndim != max(input.ndim, 1):
            raise RuntimeError(f'metric and input must have equal rank: {structure.ndim} axes for {input.ndim}')
        structure, metric = structure.astype(bool).ravel().tolist(), 'structure'
    results = return_distances, return_indices, distances, indices
    return _transform('cdt', input, metric, structure, None, numpy.int32, results, ValueError)
