"""Functions of the array API standard 2025.12 in the main namespace beyond NumPy's names.

The functions here are composed of others. `complete` adds those that the namespace does not have by itself.
"""

from typing import NamedTuple

import numpy as np

import cuprum

__all__ = ['VERSION', 'complete', 'namespace_of']

VERSION = '2025.12'
VERSIONS = ('2021.12', '2022.12', '2023.12', '2024.12', '2025.12')


def namespace_of(api_version=None):
    """Returns the namespace of an array: `a.__array_namespace__(api_version=…)`."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f'the array API version {api_version!r} is not there; there are {", ".join(VERSIONS)}')
    return cuprum


class __array_namespace_info__:
    """The inspection API of the namespace: capabilities, devices, dtypes."""

    __module__ = 'cuprum'

    def capabilities(self):
        """Returns the capabilities: boolean indexing, results with data-dependent shapes, and the maximum number of
        axes."""
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}

    def default_device(self):
        """Returns the default device of new arrays."""
        return cuprum.cuda.Device()

    def devices(self):
        """Returns all devices on which arrays can be created."""
        return tuple(cuprum.cuda.Device(at) for at in range(cuprum.cuda.runtime.getDeviceCount()))

    def default_dtypes(self, *, device=None):
        """Returns the default dtypes."""
        _device(device)
        return {'real floating': np.dtype('float64'), 'complex floating': np.dtype('complex128'), 'integral': np.dtype('int64'), 'indexing': np.dtype('int64')}

    def dtypes(self, *, device=None, kind=None):
        """Returns the dtypes of one kind, of several, or all, by their names."""
        _device(device)
        if kind is None:
            kinds = tuple(KINDS)
        else:
            kinds = kind if isinstance(kind, tuple) else (kind,)
        for one in kinds:
            if one not in KINDS and one not in SUMS:
                raise ValueError(f'{one!r} is no kind of dtype; there are {", ".join([*KINDS, *SUMS])}')
        names = [name for one in kinds for part in SUMS.get(one, (one,)) for name in KINDS[part]]
        return {name: np.dtype(name) for name in names}


KINDS = {
    'bool': ('bool',),
    'signed integer': ('int8', 'int16', 'int32', 'int64'),
    'unsigned integer': ('uint8', 'uint16', 'uint32', 'uint64'),
    'real floating': ('float32', 'float64'),
    'complex floating': ('complex64', 'complex128'),
}
SUMS = {'integral': ('signed integer', 'unsigned integer'), 'numeric': ('signed integer', 'unsigned integer', 'real floating', 'complex floating')}


def _device(device):
    """Rejects an object that is no device."""
    if device is not None and not isinstance(device, (cuprum.cuda.Device, int)):
        raise ValueError(f'a device is a cuprum.cuda.Device or its number, not {device!r}')


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: 'cuprum.ndarray'
    indices: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'


def unique_all(x, /):
    """Returns the distinct values, their first indices, the inverse, and the counts."""
    values, indices, inverse, counts = cuprum.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return UniqueAllResult(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x, /):
    """Returns the distinct values, and their counts."""
    return UniqueCountsResult(*cuprum.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """Returns the distinct values, and the inverse: for each element the index of its value."""
    values, inverse = cuprum.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse.reshape(x.shape))


def unique_values(x, /):
    """Returns the distinct values, sorted."""
    return cuprum.unique(x, equal_nan=False)


def astype(x, dtype, /, *, copy=True, device=None):
    """Casts the array to another dtype: a copy, or without `copy` the array itself if it has the dtype."""
    _array(x, 'astype')
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def isdtype(dtype, kind):
    """Returns whether a dtype is of a kind, or of one of several."""
    return np.isdtype(dtype, kind)


def matrix_transpose(x, /):
    """Transposes the last two axes."""
    if x.ndim < 2:
        raise ValueError(f'matrix_transpose: an array with two axes or more is needed, and there are {x.ndim}')
    return cuprum.swapaxes(x, -1, -2)


def permute_dims(a, axes=None):
    """Permutes the axes; returns a view."""
    return cuprum.transpose(a, axes)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Concatenates arrays along an existing axis."""
    return cuprum.concatenate(arrays, axis=axis, out=out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0):
    """Splits the array along an axis, which is removed; returns views."""
    if x.ndim == 0:
        raise ValueError('unstack: an array with an axis is needed')
    return tuple(cuprum.moveaxis(x, axis, 0))


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Returns the cumulative sum along an axis; with `include_initial` it begins with a 0."""
    return _cumulative(cuprum.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Returns the cumulative product along an axis; with `include_initial` it begins with a 1."""
    return _cumulative(cuprum.cumprod, 1, x, axis, dtype, out, include_initial)


def _cumulative(scan, start, x, axis, dtype, out, include_initial):
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f'an axis is needed for an array with {x.ndim} axes')
        axis = 0
    if not include_initial:
        return scan(x, axis=axis, dtype=dtype, out=out)
    result = scan(x, axis=axis, dtype=dtype)
    shape = list(x.shape)
    shape[axis] = 1
    result = cuprum.concatenate([cuprum.full(shape, start, dtype=result.dtype), result], axis=axis)
    if out is None:
        return result
    out[...] = result
    return out


def _array(x, name):
    if not isinstance(x, cuprum.ndarray):
        raise TypeError(f'{name}: an array is expected, not {type(x).__name__}')


# Elementwise functions with other names in the standard than in older NumPy versions.
OTHER_NAMES = {
    'abs': 'absolute',
    'acos': 'arccos',
    'acosh': 'arccosh',
    'asin': 'arcsin',
    'asinh': 'arcsinh',
    'atan': 'arctan',
    'atan2': 'arctan2',
    'atanh': 'arctanh',
    'bitwise_invert': 'invert',
    'bitwise_left_shift': 'left_shift',
    'bitwise_right_shift': 'right_shift',
    'conj': 'conjugate',
    'divide': 'true_divide',
    'pow': 'power',
}

WRITTEN = (
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    astype,
    isdtype,
    matrix_transpose,
    permute_dims,
    concat,
    unstack,
    cumulative_sum,
    cumulative_prod,
)


def complete(namespace):
    """Adds the missing names of the standard to the main namespace; existing names are kept, except functions whose
    results have names in Python."""
    named = (unique_all, unique_counts, unique_inverse)
    for function in WRITTEN:
        if function in named or function.__name__ not in namespace:
            function.__module__ = 'cuprum'
            namespace[function.__name__] = function
    for name, numpys in OTHER_NAMES.items():
        if name not in namespace and numpys in namespace:
            namespace[name] = namespace[numpys]
    namespace['__array_api_version__'] = VERSION
    namespace['__array_namespace_info__'] = __array_namespace_info__
