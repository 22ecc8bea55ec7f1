"""What the array API standard 2025.12 asks of the main namespace beside NumPy's names.

The functions here are made of others. `complete` adds those that the namespace does not have by itself.
"""

from typing import NamedTuple

import numpy as np

import cuprum

__all__ = ['VERSION', 'complete', 'namespace_of']

VERSION = '2025.12'
VERSIONS = ('2021.12', '2022.12', '2023.12', '2024.12', '2025.12')


def namespace_of(api_version=None):
    """The namespace of an array: `a.__array_namespace__(api_version=…)`."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f'the array API version {api_version!r} is not there; there are {", ".join(VERSIONS)}')
    return cuprum


class __array_namespace_info__:
    """What the namespace says of itself: capabilities, devices, dtypes."""

    __module__ = 'cuprum'

    def capabilities(self):
        """What operations an array has: masks, results whose shape depends on values, and the most axes."""
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}

    def default_device(self):
        """The device that arrays are made on."""
        return cuprum.cuda.Device()

    def devices(self):
        """Every device that arrays can be made on."""
        return tuple(cuprum.cuda.Device(at) for at in range(cuprum.cuda.runtime.getDeviceCount()))

    def default_dtypes(self, *, device=None):
        """The dtypes that are taken where none is given."""
        _device(device)
        return {
            'real floating': np.dtype('float64'), 'complex floating': np.dtype('complex128'),
            'integral': np.dtype('int64'), 'indexing': np.dtype('int64')}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of one kind, of several, or all, by their names."""
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
SUMS = {
    'integral': ('signed integer', 'unsigned integer'),
    'numeric': ('signed integer', 'unsigned integer', 'real floating', 'complex floating'),
}


def _device(device):
    """Rejects what is no device."""
    if device is not None and not isinstance(device, (cuprum.cuda.Device, int)):
        raise ValueError(f'a device is a cuprum.cuda.Device or its number, not {device!r}')


class UniqueAllResult(NamedTuple):
    """What `unique_all` gives."""

    values: 'cuprum.ndarray'
    indices: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` gives."""

    values: 'cuprum.ndarray'
    counts: 'cuprum.ndarray'


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` gives."""

    values: 'cuprum.ndarray'
    inverse_indices: 'cuprum.ndarray'


def unique_all(x, /):
    """The values that occur, where each occurs first, which of them each element is, and how often each occurs."""
    values, indices, inverse, counts = cuprum.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return UniqueAllResult(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x, /):
    """The values that occur, and how often each does."""
    return UniqueCountsResult(*cuprum.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """The values that occur, and which of them each element is."""
    values, inverse = cuprum.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse.reshape(x.shape))


def unique_values(x, /):
    """The values that occur, in order."""
    return cuprum.unique(x, equal_nan=False)


def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype: a copy, or without `copy` the array itself where it has the dtype."""
    _array(x, 'astype')
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def isdtype(dtype, kind):
    """Whether a dtype is of a kind, or of one of several."""
    return np.isdtype(dtype, kind)


def matrix_transpose(x, /):
    """The array with its last two axes in the place of each other."""
    if x.ndim < 2:
        raise ValueError(f'matrix_transpose: an array with two axes or more is needed, and there are {x.ndim}')
    return cuprum.swapaxes(x, -1, -2)


def permute_dims(a, axes=None):
    """The array with its axes in another order; a view."""
    return cuprum.transpose(a, axes)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Arrays joined along an axis they have."""
    return cuprum.concatenate(arrays, axis=axis, out=out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0):
    """The parts at each index of an axis, which is gone; views."""
    if x.ndim == 0:
        raise ValueError('unstack: an array with an axis is needed')
    return tuple(cuprum.moveaxis(x, axis, 0))


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running sum along an axis; with `include_initial` it begins with a 0."""
    return _cumulative(cuprum.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running product along an axis; with `include_initial` it begins with a 1."""
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


# Elementwise functions that the standard calls otherwise than NumPy did.
OTHER_NAMES = {
    'abs': 'absolute', 'acos': 'arccos', 'acosh': 'arccosh', 'asin': 'arcsin', 'asinh': 'arcsinh', 'atan': 'arctan',
    'atan2': 'arctan2', 'atanh': 'arctanh', 'bitwise_invert': 'invert', 'bitwise_left_shift': 'left_shift',
    'bitwise_right_shift': 'right_shift', 'conj': 'conjugate', 'divide': 'true_divide', 'pow': 'power',
}

WRITTEN = (
    unique_all, unique_counts, unique_inverse, unique_values, astype, isdtype, matrix_transpose, permute_dims, concat,
    unstack, cumulative_sum, cumulative_prod)


def complete(namespace):
    """Adds to the main namespace what it lacks of the standard; what it has stays, but for functions whose results have names in
    Python."""
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
