"""Groups of threads that wait for one another: `cupyx.jit.cg`."""

from ._names import Builtin
from ._types import GridGroup as _GridGroup, ThreadBlockGroup as _ThreadBlockGroup

__all__ = ['memcpy_async', 'sync', 'this_grid', 'this_thread_block', 'wait', 'wait_prior']

this_grid = Builtin('this_grid')
this_thread_block = Builtin('this_thread_block')
sync = Builtin('cg_sync')
memcpy_async = Builtin('memcpy_async')
wait = Builtin('wait')
wait_prior = Builtin('wait_prior')
