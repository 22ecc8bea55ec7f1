"""The names of `jit` and their translations. They are meaningful only in a kernel."""

import numpy as np

from ._types import C_NAMES, GridGroup, Shared, ThreadBlockGroup
from ._values import BuiltinName, Value

__all__ = []


class Builtin(BuiltinName):
    """A function of kernels. `translate` calls it according to `build`."""

    def __init__(self, name, build=None, parameters=()):
        self.name, self._build, self._parameters = name, build, parameters

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f'jit.{self.name} is called in a kernel alone')

    def __repr__(self):
        return f'<cupyx.jit {self.name}>'

    def translate(self, t, node, args, keywords):
        """Returns the value of a call. `args` and `keywords` are syntax trees."""
        if self._build is None:
            t.fail(node, f'jit.{self.name} is no function')
        given = dict(zip(self._parameters, args))
        if len(args) > len(self._parameters):
            t.fail(node, f'jit.{self.name} takes {len(self._parameters)} arguments, and {len(args)} are passed')
        for name, value in keywords.items():
            if name not in self._parameters or name in given:
                t.fail(node, f'jit.{self.name} has no argument {name!r}, or has it already')
            given[name] = value
        return self._build(t, node, **given)


def builtin(*parameters, name=None):
    def wrap(build):
        return Builtin(name or build.__name__.rstrip('_'), build, parameters)

    return wrap


class Dim3(Builtin):
    """An index or a size with x, y and z."""


threadIdx, blockIdx, blockDim, gridDim = (Dim3(n) for n in ('threadIdx', 'blockIdx', 'blockDim', 'gridDim'))
warpsize = Builtin('warpsize')
warpsize.value = Value('32', np.dtype('int32'))


def _of_axes(name, one):
    def build(t, node, ndim):
        count = t.constant_of(ndim)
        if count not in (1, 2, 3):
            t.fail(node, f'jit.{name} is of 1, 2 or 3 axes, not {count!r}', ValueError if isinstance(count, int) else TypeError)
        values = [Value(f'({one.format(d=d)})', np.dtype('uint32')) for d in 'xyz'[:count]]
        return values[0] if count == 1 else Value('', None, items=values)

    return Builtin(name, build, ('ndim',))


grid = _of_axes('grid', 'threadIdx.{d} + blockIdx.{d} * blockDim.{d}')
gridsize = _of_axes('gridsize', 'blockDim.{d} * gridDim.{d}')


@builtin()
def laneid(t, node):
    return Value('((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32)', np.dtype('uint32'))


@builtin()
def syncthreads(t, node):
    return Value('__syncthreads()', None)


@builtin('mask')
def syncwarp(t, node, mask=None):
    return Value(f'__syncwarp({"~0u" if mask is None else t.cast(node, t.any(mask), np.dtype("uint32"))})', None)


@builtin('dtype', 'size', 'alignment')
def shared_memory(t, node, dtype, size, alignment=None):
    dtype, size = np.dtype(t.constant_of(dtype)), t.constant_of(size)
    if dtype.name not in C_NAMES:
        t.fail(node, f'shared memory of {dtype} is not supported')
    alignment = dtype.itemsize if alignment is None else t.constant_of(alignment) or dtype.itemsize
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        t.fail(node, f'the alignment {alignment!r} is no power of two')
    t.counter += 1
    c, name = C_NAMES[dtype.name], f'_s{t.counter}'
    if size is None:
        t.line(f'extern __shared__ __align__(16) char _room[]; {c} *{name} = ({c} *)_room;')
    else:
        t.line(f'__shared__ __align__({max(alignment, dtype.itemsize)}) char {name}_room[{int(size)} * sizeof({c})]; {c} *{name} = ({c} *){name}_room;')
    return Value(name, Shared(dtype))


range = Builtin('range')

SHUFFLES = ('', '_up', '_down', '_xor')


def _shuffle(way):
    name = f'shfl{way}_sync'

    def build(t, node, mask, var, val_id, width=None):
        value = t.number(node, t.any(var))
        lanes = '32' if width is None else t.cast(node, t.any(width), np.dtype('int32'))
        dtype = t.concrete(value.type)
        other, mask = t.cast(node, t.any(val_id), np.dtype('int32')), t.cast(node, t.any(mask), np.dtype('uint32'))
        text = t.text(value)
        if dtype.name == 'float16':
            # A shuffle transfers the value exactly.
            return Value(f'(float16)__{name}({mask}, (float)({text}), {other}, {lanes})', dtype)
        if dtype.kind == 'c' or dtype.name == 'complex64':
            t.fail(node, 'a shuffle moves no complex numbers: move the parts')
        return Value(f'({C_NAMES[dtype.name]})__{name}({mask}, {text}, {other}, {lanes})', value.type)

    return Builtin(name, build, ('mask', 'var', 'val_id', 'width'))


shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = map(_shuffle, SHUFFLES)

_WORDS = ('int32', 'uint32', 'int64', 'uint64')
# CUDA's names of the atomics, and the dtypes that the hardware supports.
ATOMICS = {
    'atomic_add': ('atomicAdd', (*_WORDS, 'float16', 'float32', 'float64')),
    'atomic_sub': ('atomicSub', ('int32', 'uint32')),
    'atomic_exch': ('atomicExch', (*_WORDS, 'float32')),
    'atomic_min': ('atomicMin', _WORDS),
    'atomic_max': ('atomicMax', _WORDS),
    'atomic_inc': ('atomicInc', ('uint32',)),
    'atomic_dec': ('atomicDec', ('uint32',)),
    'atomic_cas': ('atomicCAS', (*_WORDS, 'int16', 'uint16')),
    'atomic_and': ('atomicAnd', _WORDS),
    'atomic_or': ('atomicOr', _WORDS),
    'atomic_xor': ('atomicXor', _WORDS),
}
# CUDA defines these for signed 64-bit integers; for the other functions the unsigned versions are equivalent.
_SIGNED = ('atomicMin', 'atomicMax')


def _atomic(name):
    c_function, dtypes = ATOMICS[name]

    def build(t, node, array, index, value, alt_value=None):
        if (alt_value is not None) != (name == 'atomic_cas'):
            t.fail(node, f'jit.{name} takes {4 if name == "atomic_cas" else 3} arguments')
        lvalue = t.element(node, t.any(array), index)
        dtype = lvalue.type
        if dtype.name not in dtypes:
            t.fail(node, f'jit.{name} is of {", ".join(dtypes)}, and not of {dtype}')
        values = [t.cast(node, t.any(v), dtype) for v in (value, alt_value) if v is not None]
        if dtype.name == 'float16':
            t.program.atomic_float16 = True
        of = {'int64': 'long long' if c_function in _SIGNED else 'unsigned long long', 'int16': 'unsigned short'}.get(dtype.name, C_NAMES[dtype.name])
        given = ', '.join(f'({of})({v})' for v in values)
        return Value(f'({C_NAMES[dtype.name]}){c_function}(({of} *)&{lvalue.text}, {given})', dtype)

    return Builtin(name, build, ('array', 'index', 'value', 'alt_value'))


(atomic_add, atomic_sub, atomic_exch, atomic_min, atomic_max, atomic_inc, atomic_dec, atomic_cas, atomic_and, atomic_or, atomic_xor) = map(_atomic, ATOMICS)


def _group(name, type):
    def build(t, node):
        t.program.groups = True
        return Value(f'cooperative_groups::{name}()', type())

    return Builtin(name, build)


this_grid, this_thread_block = _group('this_grid', GridGroup), _group('this_thread_block', ThreadBlockGroup)


@builtin('group')
def sync(t, node, group):
    return Value(f'{t.group(node, group)}.sync()', None)


@builtin('group', 'dst', 'dst_idx', 'src', 'src_idx', 'size', 'aligned_size')
def memcpy_async(t, node, group, dst, dst_idx, src, src_idx, size, aligned_size=None):
    t.program.copies = True
    to, given = (t.element(node, t.any(a), i).text for a, i in ((dst, dst_idx), (src, src_idx)))
    bytes = t.cast(node, t.any(size), np.dtype('uint64'))
    aligned = None if aligned_size is None else t.constant_of(aligned_size)
    if aligned is not None:
        bytes = f'cooperative_groups::aligned_size_t<{int(aligned)}>({bytes})'
    return Value(f'cooperative_groups::memcpy_async({t.group(node, group)}, (void *)&{to}, (const void *)&{given}, {bytes})', None)


def _wait(t, node, group, step=None):
    t.program.copies = True
    newest = 0 if step is None else t.constant_of(step)
    if not isinstance(newest, int) or newest < 0:
        t.fail(node, 'the number of copies that may remain is a constant')
    return Value(f'cooperative_groups::wait_prior<{newest}>({t.group(node, group)})', None)


wait, wait_prior = Builtin('wait', _wait, ('group',)), Builtin('wait_prior', _wait, ('group', 'step'))
