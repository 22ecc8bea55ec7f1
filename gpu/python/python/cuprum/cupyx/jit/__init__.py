"""Kernels in Python: `cupyx.jit`.

A function in a subset of Python is translated from its syntax tree to CUDA C++ for the types of its arguments, and
compiled as a `RawKernel`.
"""

from . import cg
from ._interface import rawkernel
from ._names import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_dec,
    atomic_exch,
    atomic_inc,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xor,
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    laneid,
    range,
    shared_memory,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadIdx,
    warpsize,
)

__all__ = [
    'atomic_add',
    'atomic_and',
    'atomic_cas',
    'atomic_dec',
    'atomic_exch',
    'atomic_inc',
    'atomic_max',
    'atomic_min',
    'atomic_or',
    'atomic_sub',
    'atomic_xor',
    'blockDim',
    'blockIdx',
    'cg',
    'grid',
    'gridDim',
    'gridsize',
    'laneid',
    'range',
    'rawkernel',
    'shared_memory',
    'shfl_down_sync',
    'shfl_sync',
    'shfl_up_sync',
    'shfl_xor_sync',
    'syncthreads',
    'syncwarp',
    'threadIdx',
    'warpsize',
]
