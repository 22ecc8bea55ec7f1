"""What a kernel in Python finds under `jit`. These names mean something in a kernel alone."""

__all__ = []


class Builtin:
    """A function or a value of kernels."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f'jit.{self.name} is called in a kernel alone')

    def __repr__(self):
        return f'<cupyx.jit {self.name}>'


class Dim3(Builtin):
    """A place or a size with x, y and z."""


threadIdx, blockIdx, blockDim, gridDim = (Dim3(n) for n in ('threadIdx', 'blockIdx', 'blockDim', 'gridDim'))
warpsize = Builtin('warpsize')
grid, gridsize, laneid = Builtin('grid'), Builtin('gridsize'), Builtin('laneid')
syncthreads, syncwarp = Builtin('syncthreads'), Builtin('syncwarp')
shared_memory, range = Builtin('shared_memory'), Builtin('range')

SHUFFLES = {f'shfl{way}_sync': f'__shfl{way}_sync' for way in ('', '_up', '_down', '_xor')}
shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = (Builtin(n) for n in SHUFFLES)

# What C++ calls them, and the dtypes that they are of.
ATOMICS = {
    'atomic_add': ('atomicAdd', ('int32', 'uint32', 'int64', 'uint64', 'float32', 'float64')),
    'atomic_sub': ('atomicSub', ('int32', 'uint32')),
    'atomic_exch': ('atomicExch', ('int32', 'uint32', 'uint64', 'float32')),
    'atomic_min': ('atomicMin', ('int32', 'uint32', 'int64', 'uint64')),
    'atomic_max': ('atomicMax', ('int32', 'uint32', 'int64', 'uint64')),
    'atomic_inc': ('atomicInc', ('uint32',)),
    'atomic_dec': ('atomicDec', ('uint32',)),
    'atomic_cas': ('atomicCAS', ('int32', 'uint32', 'uint64')),
    'atomic_and': ('atomicAnd', ('int32', 'uint32', 'uint64')),
    'atomic_or': ('atomicOr', ('int32', 'uint32', 'uint64')),
    'atomic_xor': ('atomicXor', ('int32', 'uint32', 'uint64')),
}
(atomic_add, atomic_sub, atomic_exch, atomic_min, atomic_max, atomic_inc, atomic_dec, atomic_cas, atomic_and, atomic_or,
 atomic_xor) = (Builtin(n) for n in ATOMICS)
