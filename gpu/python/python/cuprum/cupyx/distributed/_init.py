"""Formation of a group of processes."""

import os

from ._nccl import NCCLBackend
from ._store import DEFAULT_HOST, DEFAULT_PORT

_BACKENDS = {'nccl': NCCLBackend}


def init_process_group(n_devices, rank, *, backend='nccl', host=None, port=None, use_mpi=False):
    """Forms a group of `n_devices` processes, one device each, and returns the object whose methods are their collective operations.

    The process of rank 0 listens at `host` and `port` (the variables `CUPYX_DISTRIBUTED_HOST` and `CUPYX_DISTRIBUTED_PORT`, or
    127.0.0.1 and 13333); the others connect to it, and wait for it. With `use_mpi` mpi4py distributes the id of the group instead. The
    device is the current one of each process. A host that is not this machine takes a token that all processes have in
    `CUPRUM_STORE_TOKEN`.

    Differences from CuPy: a process that does not come, that ends, or that does not call what others call is an error after
    `CUPRUM_COLLECTIVES_TIMEOUT` seconds at most, which names its rank. The process of rank 0 supervises the others.
    """
    if n_devices <= 0:
        raise ValueError(f'init_process_group: n_devices is {n_devices}: a group has one process at least')
    if not 0 <= rank < n_devices:
        raise ValueError(f'init_process_group: rank is {rank}: the ranks of {n_devices} processes are 0 to {n_devices - 1}')
    if backend not in _BACKENDS:
        raise ValueError(f"init_process_group: backend is {backend!r}: 'nccl' is the only one")
    if host is None:
        host = os.environ.get('CUPYX_DISTRIBUTED_HOST', DEFAULT_HOST)
    if port is None:
        port = int(os.environ.get('CUPYX_DISTRIBUTED_PORT', DEFAULT_PORT))
    return _BACKENDS[backend](n_devices, rank, host=host, port=port, use_mpi=use_mpi)
