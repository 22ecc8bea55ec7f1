"""Collective operations on arrays of several processes, one device each: CuPy's `cupyx.distributed`.

# in each of n processes:
comm = cupyx.distributed.init_process_group(n, rank)
comm.all_reduce(gradient, total)
"""

from ..._not_yet import lacking as _lacking
from ._init import init_process_group
from ._nccl import NCCLBackend

__all__ = ['NCCLBackend', 'init_process_group']

__getattr__ = _lacking(__name__)
