"""Groups of threads that wait for one another: `cupyx.jit.cg`."""

from ._names import Builtin

__all__ = ['sync', 'this_grid', 'this_thread_block']

this_grid = Builtin('this_grid')
this_thread_block = Builtin('this_thread_block')
sync = Builtin('cg_sync')


def __getattr__(name):
    if name in ('memcpy_async', 'wait', 'wait_prior'):
        from ..._not_yet import NotYet, sentence
        raise NotYet(sentence(f'cupyx.jit.cg.{name}'))
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
