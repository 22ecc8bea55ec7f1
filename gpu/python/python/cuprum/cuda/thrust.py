"""Sorts of memory by its address: CuPy's `cupy.cuda.thrust`.

The functions have CuPy's names and parameters. The package's own kernels compute them, and not Thrust.
"""

import numpy as _np

import cuprum as _cuprum

from cuprum._not_yet import lacking as _lacking

__all__ = ["argsort", "available", "get_build_version", "lexsort", "sort"]

# Programs check it before they use the functions.
available = True


def _array(pointer, shape, dtype):
    """Returns the array at an address of the current device."""
    dtype, memory = _np.dtype(dtype), _cuprum.cuda
    shape = tuple(int(side) for side in shape)
    bytes = _np.prod(shape, dtype=_np.int64).item() * dtype.itemsize
    unowned = memory.UnownedMemory(int(pointer), bytes, None)
    return _cuprum.ndarray(shape, dtype, memptr=memory.MemoryPointer(unowned, 0))


def get_build_version():
    """Returns `None`: Thrust is not used."""
    return None


def sort(dtype, data_start, keys_start, shape):
    """Sorts an array in C order at the address `data_start` along its last axis. `keys_start` is the address of CuPy's
    work space, which is not needed."""
    _array(data_start, shape, dtype).sort(axis=-1)


def lexsort(dtype, idx_start, keys_start, k, n):
    """Writes the permutation that sorts `n` elements by `k` keys, the last one first, to the address `idx_start`."""
    _array(idx_start, (n,), _np.intp)[...] = _cuprum.lexsort(_array(keys_start, (k, n), dtype))


def argsort(dtype, idx_start, data_start, keys_start, shape):
    """Writes the permutations that sort an array along its last axis to the address `idx_start`. Unlike CuPy's, it leaves
    the array as it is. `keys_start` is the address of CuPy's work space, which is not needed."""
    _array(idx_start, shape, _np.intp)[...] = _array(data_start, shape, dtype).argsort(axis=-1)


__getattr__ = _lacking(__name__)
