"""The types of kernels in Python, and how two of them meet."""

import numpy as np

__all__ = ['Array', 'C_NAMES', 'GridGroup', 'Group', 'Shared', 'ThreadBlockGroup', 'dtype_of_number', 'promoted']

C_NAMES = {
    'bool': 'bool', 'int8': 'signed char', 'uint8': 'unsigned char', 'int16': 'short', 'uint16': 'unsigned short', 'int32': 'int',
    'uint32': 'unsigned int', 'int64': 'long long', 'uint64': 'unsigned long long', 'float16': 'float16', 'float32': 'float',
    'float64': 'double', 'complex64': 'complex<float>', 'complex128': 'complex<double>',
}


class Array:
    """An array: its dtype, its number of axes, and whether it lies in C order."""

    def __init__(self, dtype, ndim, dense):
        self.dtype, self.ndim, self.dense = dtype, ndim, dense
        self.key = ('array', dtype.name, ndim, dense)

    def c(self):
        return f'CArray<{C_NAMES[self.dtype.name]}, {self.ndim}, {str(self.dense).lower()}>'


class Shared:
    """An array that the threads of a block share."""

    ndim = 1

    def __init__(self, dtype):
        self.dtype = dtype


class Group:
    """A group of threads."""


class ThreadBlockGroup(Group):
    """The threads of a block."""


class GridGroup(Group):
    """The threads of a cooperative launch."""


def dtype_of_number(value, mode):
    """The dtype of a number of Python's: 64 bits as NumPy has it, or as C has it the least."""
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(bool)
    if isinstance(value, np.generic):
        return value.dtype
    if isinstance(value, int):
        small = mode == 'cuda' and -(1 << 31) <= value < 1 << 31
        return np.dtype('int32' if small else 'int64' if value < 1 << 63 else 'uint64')
    if isinstance(value, float):
        return np.dtype('float32' if mode == 'cuda' else 'float64')
    if isinstance(value, complex):
        return np.dtype('complex64' if mode == 'cuda' else 'complex128')
    return None


def promoted(a, b, mode):
    """The type in which two meet: NumPy's, or C's."""
    if mode == 'numpy' or a == b and a.itemsize >= 4:
        return np.promote_types(a, b)
    kinds = 'biufc'
    if 'c' in (a.kind, b.kind) or a.kind == b.kind == 'f':
        return np.promote_types(*(t if t.kind in 'fc' else np.dtype('float32') for t in (a, b)))
    if 'f' in (a.kind, b.kind):
        return a if a.kind == 'f' else b
    # Integers: at least as wide as int, and unsigned where one of the width is.
    width = max(4, a.itemsize, b.itemsize)
    unsigned = any(t.kind == 'u' and t.itemsize == width for t in (a, b))
    assert a.kind in kinds and b.kind in kinds
    return np.dtype(f'{"u" if unsigned else "i"}{width}')
