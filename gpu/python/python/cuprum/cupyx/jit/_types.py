"""Types of values in translated functions, and their promotion."""

import math

import numpy as np

__all__ = [
    'Array',
    'C_NAMES',
    'Dim3Type',
    'GridGroup',
    'Group',
    'Results',
    'Shared',
    'ThreadBlockGroup',
    'WEAK',
    'c_name',
    'concrete',
    'dtype_of_number',
    'is_weak',
    'joined',
    'literal',
    'promoted',
    'same_type',
    'type_of_constant',
]

C_NAMES = {
    'bool': 'bool',
    'int8': 'signed char',
    'uint8': 'unsigned char',
    'int16': 'short',
    'uint16': 'unsigned short',
    'int32': 'int',
    'uint32': 'unsigned int',
    'int64': 'long long',
    'uint64': 'unsigned long long',
    'float16': 'float16',
    'float32': 'float',
    'float64': 'double',
    'complex64': 'complex<float>',
    'complex128': 'complex<double>',
}
# Weak types: Python numbers take the dtype of the NumPy operand that they are combined with.
WEAK = (int, float, complex)


def is_weak(type):
    return type is int or type is float or type is complex


def same_type(a, b):
    """Returns true if two types are the same. NumPy's dtypes equal the Python types of their names, which are weak
    here."""
    return is_weak(a) == is_weak(b) and a == b


class Array:
    """An array parameter: its dtype, its number of axes, and whether it is C-contiguous."""

    def __init__(self, dtype, ndim, dense):
        self.dtype, self.ndim, self.dense = dtype, ndim, dense
        self.key = ('array', dtype.name, ndim, dense)

    def c(self):
        return f'CArray<{C_NAMES[self.dtype.name]}, {self.ndim}, {str(self.dense).lower()}>'


class Shared:
    """A 1-D array in shared memory."""

    ndim = 1

    def __init__(self, dtype):
        self.dtype = dtype

    def __eq__(self, other):
        return isinstance(other, Shared) and self.dtype == other.dtype

    __hash__ = None

    def c(self):
        return f'{C_NAMES[self.dtype.name]} *'


class Dim3Type:
    """Three unsigned integers, `x`, `y` and `z`: CUDA's `dim3`."""

    def __eq__(self, other):
        return isinstance(other, Dim3Type)

    __hash__ = None

    def c(self):
        return 'dim3'


class Results:
    """The struct of the values that a device function returns."""

    def __init__(self, types):
        self.types = types


class Group:
    """A cooperative group of threads."""


class ThreadBlockGroup(Group):
    """The threads of a block."""

    def c(self):
        return 'cooperative_groups::thread_block'


class GridGroup(Group):
    """The threads of a cooperative launch."""

    def c(self):
        return 'cooperative_groups::grid_group'


def dtype_of_number(value, mode):
    """Returns the dtype of an argument that is a Python or NumPy number: 64 bits in mode 'numpy', C's smallest in
    mode 'cuda'."""
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


def type_of_constant(value, mode):
    """Returns the type of a host constant, or None if it is not a number."""
    dtype = dtype_of_number(value, mode)
    if dtype is None or dtype.name not in C_NAMES:
        return None
    if isinstance(value, (np.generic, bool)):
        return dtype
    # A weak integer that exceeds the default width has its own dtype.
    if isinstance(value, int) and dtype != concrete(int, mode):
        return dtype
    return next(weak for weak in WEAK if isinstance(value, weak))


def concrete(type, mode):
    """Returns the dtype in which a number of this type is stored."""
    if is_weak(type):
        return dtype_of_number(type(0), mode)
    return type


def c_name(type, mode):
    """Returns the C++ type of a variable."""
    type = concrete(type, mode)
    return C_NAMES[type.name] if isinstance(type, np.dtype) else type.c()


def literal(value, dtype, mode):
    """Returns a number as a C++ expression of a dtype. In mode 'numpy' an integer must be in range, as in NumPy."""
    c = C_NAMES[dtype.name]
    if dtype.kind == 'b':
        return str(bool(value)).lower()
    if dtype.kind == 'c':
        value = dtype.type(value)
        part = np.dtype(f'f{dtype.itemsize // 2}')
        return f'{c}({literal(value.real, part, mode)}, {literal(value.imag, part, mode)})'
    if dtype.kind == 'f':
        with np.errstate(over='ignore'):
            number = float(dtype.type(value))
        if math.isfinite(number):
            return f'({c})({number!r})'
        bits = {math.inf: '0x7f800000u', -math.inf: '0xff800000u'}.get(number, '0x7fc00000u')
        return f'({c})__uint_as_float({bits})'
    number, bits = int(value), 8 * dtype.itemsize
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        if mode == 'numpy' and not isinstance(value, (float, np.floating)):
            raise OverflowError(f'Python integer {number} out of bounds for {dtype}')
        number &= (1 << bits) - 1
        number -= (1 << bits) if dtype.kind == 'i' and number >> (bits - 1) else 0
    if number == -(1 << 63):
        return f'({c})(-{-(number + 1)}ll - 1)'
    return f'({c})({number}{"ull" if dtype.kind == "u" else "ll" if bits == 64 else ""})'


def promoted(a, b, mode):
    """Returns the dtype in which two dtypes are computed: NumPy's, or C's."""
    if mode == 'numpy' or a == b and a.itemsize >= 4:
        return np.promote_types(a, b)
    if 'c' in (a.kind, b.kind) or a.kind == b.kind == 'f':
        return np.promote_types(*(t if t.kind in 'fc' else np.dtype('float32') for t in (a, b)))
    if 'f' in (a.kind, b.kind):
        return a if a.kind == 'f' else b
    # Integers: at least as wide as int, and unsigned if an operand of that width is.
    width = max(4, a.itemsize, b.itemsize)
    unsigned = any(t.kind == 'u' and t.itemsize == width for t in (a, b))
    return np.dtype(f'{"u" if unsigned else "i"}{width}')


def joined(a, b, mode):
    """Returns the type of a variable for values of two types, or None if there is none."""
    if a is None or b is None:
        return b if a is None else a
    if is_weak(a) and is_weak(b):
        return WEAK[max(WEAK.index(a), WEAK.index(b))]
    if (is_weak(a) or isinstance(a, np.dtype)) and (is_weak(b) or isinstance(b, np.dtype)):
        if is_weak(a) or is_weak(b):
            strong, weak = (b, a) if is_weak(a) else (a, b)
            if strong.kind == 'b' and weak is int:
                return weak
            if mode == 'cuda' and weak is int and strong.kind in 'iu' and strong.itemsize < 4:
                return promoted(strong, concrete(int, mode), mode)
            return np.result_type(strong, weak(0))
        if mode == 'cuda' and a.kind == 'f' and b.kind in 'biu' or mode == 'cuda' and b.kind == 'f' and a.kind in 'biu':
            return promoted(a, b, mode)
        return np.promote_types(a, b)
    return a if type(a) is type(b) and a == b else None
