"""Cooperative groups of threads: `cupyx.jit.cg`."""

from ._names import memcpy_async, sync, this_grid, this_thread_block, wait, wait_prior
from ._types import GridGroup as _GridGroup, ThreadBlockGroup as _ThreadBlockGroup

__all__ = ['memcpy_async', 'sync', 'this_grid', 'this_thread_block', 'wait', 'wait_prior']
