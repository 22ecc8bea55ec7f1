"""Arrays over the devices of one process: CuPy's `cupyx.distributed.array`.

a = cupyx.distributed.array.distributed_array(numpy.arange(8.0), {0: slice(0, 4), 1: slice(4, 8)})
(cuprum.sqrt(a) * 2).sum().get()
"""

from ...._not_yet import lacking as _lacking
from ._array import DistributedArray, distributed_array, make_2d_index_map, matmul
from ._calls import call_function, is_concerned

__all__ = ['DistributedArray', 'call_function', 'distributed_array', 'is_concerned', 'make_2d_index_map', 'matmul']

__getattr__ = _lacking(__name__)
