"""Names of CuPy's private modules that programs use, with the results that they expect.

CuPy's private modules have functions of their own under names that are public ones elsewhere:
`cupy._core.internal.prod` is a product of Python integers. Names that are not here do not exist, so that no program
gets another function under such a name.
"""

import math
import operator
import os
import sys
import warnings

import numpy as np

from cuprum import _environment

__all__ = ['MODULES', 'find', 'holds']


class PerformanceWarning(RuntimeWarning):
    """A warning of slow code."""


def prod(sequence):
    """Multiplies integers: returns a Python integer."""
    return math.prod(sequence)


def get_size(size):
    """Returns a shape as a tuple: from `None`, an integer or a sequence."""
    if size is None:
        return ()
    if isinstance(size, (tuple, list)):
        return tuple(size)
    if isinstance(size, (int, np.integer)):
        return (size,)
    raise ValueError(f'get_size: the size is {size!r}: it must be None, an integer or a sequence of integers')


def normalize_axis_index(axis, ndim):
    """Returns an axis counted from the front."""
    at = operator.index(axis)
    if not -ndim <= at < ndim:
        raise np.exceptions.AxisError(at, ndim)
    return at % ndim


def normalize_axis_indices(axes, ndim, sort_axes=True):
    """Returns axes counted from the front, all of them for `None`, sorted unless `sort_axes` is false."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    found = tuple(normalize_axis_index(axis, ndim) for axis in axes)
    if len(set(found)) < len(found):
        raise ValueError(f'the axes {axes} name an axis twice')
    return tuple(sorted(found)) if sort_axes else found


_TYPES = {
    '?': 'bool',
    'b': 'signed char',
    'B': 'unsigned char',
    'h': 'short',
    'H': 'unsigned short',
    'i': 'int',
    'I': 'unsigned int',
    'l': 'long',
    'L': 'unsigned long',
    'q': 'long long',
    'Q': 'unsigned long long',
    'e': 'float16',
    'f': 'float',
    'd': 'double',
    'F': 'complex<float>',
    'D': 'complex<double>',
}


def get_typename(dtype):
    """Returns the name of a dtype in CUDA C++."""
    dtype = np.dtype(dtype)
    if dtype.char not in _TYPES:
        raise ValueError(f'get_typename: {dtype} has no name in CUDA C++')
    # NumPy's long is CUDA's long long, which has 64 bits everywhere.
    return _TYPES[{'l': 'q', 'L': 'Q'}.get(dtype.char, dtype.char)]


def get_dtype(dtype):
    """Returns the dtype of a name, a type or a dtype."""
    return np.dtype(dtype)


def is_shutting_down():
    """Returns whether the interpreter is shutting down."""
    return sys.is_finalizing()


def experimental(api_name):
    """Warns that a function may change."""
    warnings.warn(f'{api_name} is experimental: it may change', FutureWarning, stacklevel=3)


def get_rocm_path():
    """Returns `None`: AMD GPUs are not supported."""
    return None


# CuPy's numbers of the accelerator libraries of its routines. They do not affect the choice of kernels here.
_ACCELERATORS = {'cub': 1, 'cutensor': 2, 'cutensornet': 3}


def _numbers(accelerators):
    numbers = []
    for accelerator in accelerators:
        number = _ACCELERATORS.get(accelerator, accelerator)
        if number not in _ACCELERATORS.values():
            raise ValueError(f'{accelerator!r} is none of {sorted(_ACCELERATORS)}')
        numbers.append(number)
    return numbers


def _initial():
    """Returns the accelerators of `CUPY_ACCELERATORS`, by default CuPy's."""
    names = os.environ.get('CUPY_ACCELERATORS', 'cub').split(',')
    return _numbers(name.strip() for name in names if name.strip())


_chosen = {'routine': _initial(), 'reduction': _initial()}


def set_routine_accelerators(accelerators):
    """Stores the accelerators of routines, without effect."""
    _chosen['routine'] = _numbers(accelerators)


def get_routine_accelerators():
    """Returns the accelerators of routines."""
    return list(_chosen['routine'])


def set_reduction_accelerators(accelerators):
    """Stores the accelerators of reductions, without effect."""
    _chosen['reduction'] = _numbers(accelerators)


def get_reduction_accelerators():
    """Returns the accelerators of reductions."""
    return list(_chosen['reduction'])


_AXES = {'_normalize_axis_index': normalize_axis_index, '_normalize_axis_indices': normalize_axis_indices}
_ACCELERATED = {
    function.__name__: function for function in (get_reduction_accelerators, get_routine_accelerators, set_reduction_accelerators, set_routine_accelerators)
}

# The contents of each module. A string is the name of a public object.
MODULES = {
    'cupy._core': {
        'get_size': get_size,
        **_ACCELERATED,
        'ndarray': 'ndarray',
        'ufunc': 'ufunc',
        'ElementwiseKernel': 'ElementwiseKernel',
        'ReductionKernel': 'ReductionKernel',
    },
    'cupy._core._accelerator': {**_ACCELERATED, 'ACCELERATOR_CUB': 1, 'ACCELERATOR_CUTENSOR': 2, 'ACCELERATOR_CUTENSORNET': 3},
    'cupy._core._dtype': {'get_dtype': get_dtype},
    'cupy._core._kernel': {'ElementwiseKernel': 'ElementwiseKernel', 'ufunc': 'ufunc'},
    'cupy._core._reduction': {'ReductionKernel': 'ReductionKernel'},
    'cupy._core._scalar': {'get_typename': get_typename},
    'cupy._core.core': {'ndarray': 'ndarray', '_ndarray_base': 'ndarray', 'array': 'array', 'min_scalar_type': 'min_scalar_type'},
    'cupy._core.dlpack': {'from_dlpack': 'from_dlpack', 'fromDlpack': 'fromDlpack'},
    'cupy._core.internal': {'get_size': get_size, 'prod': prod, **_AXES},
    'cupy._core.raw': {'RawKernel': 'RawKernel', 'RawModule': 'RawModule'},
    'cupy._environment': {'get_cuda_path': _environment.get_cuda_path, 'get_nvcc_path': _environment.get_nvcc_path, 'get_rocm_path': get_rocm_path},
    'cupy._util': {
        'PerformanceWarning': PerformanceWarning,
        'clear_memo': 'clear_memo',
        'experimental': experimental,
        'is_shutting_down': is_shutting_down,
        'memoize': 'memoize',
        **_AXES,
    },
}


def holds(module):
    """Returns whether this table has all names of a module."""
    return module in MODULES or module.startswith('cupy._core.')


def find(module, name):
    """Returns the object of a name in a private module.

    Raises KeyError if there is none.
    """
    found = MODULES[module][name]
    if isinstance(found, str):
        import cuprum

        return getattr(cuprum, found)
    return found
