"""The array API standard 2025.12: its versions, and the inspection of the namespace."""

import numpy as np

import cuprum

__all__ = ['VERSION', 'namespace_of']

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
