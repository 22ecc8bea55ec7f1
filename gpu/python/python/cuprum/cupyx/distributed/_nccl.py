"""The collective operations of a group of processes by NCCL, on dense and sparse arrays."""

import cuprum

from ... import _cuprum
from ...cuda.nccl import NCCL_UNIQUE_ID_BYTES, _call
from . import _store


def _is_sparse(array):
    return hasattr(array, 'indptr') or (hasattr(array, 'row') and hasattr(array, 'col'))


def _dense(name, array):
    if not isinstance(array, cuprum.ndarray):
        raise TypeError(f'{name}: an array of the device is needed, not {type(array).__name__}')
    return array


class NCCLBackend:
    """The collective operations of a group of `n_devices` processes, with the current device as the rank `rank`.

    Operations are queued on `stream`, or on the current stream. All processes call the same ones in the same order. Elements of an array
    may have any layout and dtype; see `cuprum.cuda.nccl` for what NCCL combines. `init_process_group` creates one.
    """

    def __init__(self, n_devices, rank, host=_store.DEFAULT_HOST, port=_store.DEFAULT_PORT, use_mpi=False):
        self._n_devices, self.rank = n_devices, rank
        if use_mpi:
            from mpi4py import MPI

            world = MPI.COMM_WORLD
            own = _call(_cuprum.nccl_unique_id) if world.Get_rank() == 0 else None
            n_devices, self.rank = world.Get_size(), world.Get_rank()
            self._n_devices = n_devices
            group_id = world.bcast(own, root=0)
        elif rank == 0:
            group_id = _call(_cuprum.nccl_unique_id, host)
            _store.serve(host, port, n_devices, group_id)
        else:
            group_id = _store.fetch(host, port, n_devices, rank, NCCL_UNIQUE_ID_BYTES)
        self._core = _call(_cuprum.Communicator, n_devices, group_id, self.rank)

    def _run(self, stream, function, *args):
        if stream is None:
            return _call(function, *args)
        with stream:
            return _call(function, *args)

    def all_reduce(self, in_array, out_array, op='sum', stream=None):
        """Combines `in_array` of all processes in `out_array` of all."""
        if _is_sparse(in_array):
            self._reduce_sparse('all_reduce', in_array, out_array, None, op, stream)
        else:
            self._run(stream, self._core.all_reduce, _dense('all_reduce', in_array), _dense('all_reduce', out_array), op)

    def reduce(self, in_array, out_array, root=0, op='sum', stream=None):
        """Combines `in_array` of all processes in `out_array` of the process `root`."""
        if _is_sparse(in_array):
            self._reduce_sparse('reduce', in_array, out_array, root, op, stream)
        else:
            out = out_array if self.rank == root else None
            self._run(stream, self._core.reduce, _dense('reduce', in_array), out, root, op)

    def broadcast(self, in_out_array, root=0, stream=None):
        """Copies `in_out_array` of the process `root` to that of all."""
        if _is_sparse(in_out_array):
            self._move_sparse(in_out_array, in_out_array, root, range(self._n_devices), stream)
        else:
            self._run(stream, self._core.broadcast, _dense('broadcast', in_out_array), root)

    def reduce_scatter(self, in_array, out_array, count, op='sum', stream=None):
        """Combines `in_array` of all processes, of which each gets its part of `count` elements in `out_array`."""
        if _is_sparse(in_array) or _is_sparse(out_array):
            raise RuntimeError('reduce_scatter: a sparse array has no parts of `count` elements: use reduce and scatter')
        size = count * self._n_devices
        self._run(stream, self._core.reduce_scatter, _part('reduce_scatter', in_array, size), _part('reduce_scatter', out_array, count), op)

    def all_gather(self, in_array, out_array, count, stream=None):
        """Copies `count` elements of `in_array` of all processes to `out_array` of all, in the order of the ranks. Sparse arrays go to a list."""
        if _is_sparse(in_array):
            for root in range(self._n_devices):
                self._move_sparse(in_array, out_array[root], root, range(self._n_devices), stream)
            return
        size = count * self._n_devices
        self._run(stream, self._core.all_gather, _part('all_gather', in_array, count), _part('all_gather', out_array, size))

    def send(self, array, peer, stream=None):
        """Sends an array to the process `peer`, which receives one of this size and dtype."""
        if _is_sparse(array):
            for part in _pack(array):
                self._run(stream, self._core.send, part, peer)
        else:
            self._run(stream, self._core.send, _dense('send', array), peer)

    def recv(self, out_array, peer, stream=None):
        """Receives an array from the process `peer`."""
        if _is_sparse(out_array):
            _unpack(out_array, lambda part: self._run(stream, self._core.recv, part, peer))
        else:
            self._run(stream, self._core.recv, _dense('recv', out_array), peer)

    def send_recv(self, in_array, out_array, peer, stream=None):
        """Sends `in_array` to the process `peer`, and receives `out_array` from it."""
        if _is_sparse(in_array):
            self._exchange_sparse(in_array, peer, out_array, peer, stream)
            return
        with _Group():
            self.send(in_array, peer, stream)
            self.recv(out_array, peer, stream)

    def scatter(self, in_array, out_array, root=0, stream=None):
        """Copies to each process its part of `in_array` of the process `root`: along the first axis, or of a list of sparse arrays."""
        if _is_sparse(out_array):
            for rank in range(self._n_devices):
                mine = in_array[rank] if self.rank == root else out_array
                self._move_sparse(mine, out_array, root, [rank], stream)
            return
        mine = in_array if self.rank == root else None
        self._run(stream, self._core.scatter, mine, _dense('scatter', out_array), root)

    def gather(self, in_array, out_array, root=0, stream=None):
        """Copies `in_array` of all processes to `out_array` of the process `root`: along the first axis, or to a list of sparse arrays."""
        if _is_sparse(in_array):
            for rank in range(self._n_devices):
                out = out_array[rank] if self.rank == root else in_array
                self._move_sparse(in_array, out, rank, [root], stream)
            return
        out = out_array if self.rank == root else None
        self._run(stream, self._core.gather, _dense('gather', in_array), out, root)

    def all_to_all(self, in_array, out_array, stream=None):
        """Sends to each process its part of `in_array`, and receives one of each in `out_array`: along the first axis, or of lists."""
        if not isinstance(in_array, cuprum.ndarray):
            for shift in range(self._n_devices):
                to, of = (self.rank + shift) % self._n_devices, (self.rank - shift) % self._n_devices
                if shift == 0:
                    _copy_sparse(in_array[to], out_array[of])
                    continue
                self._exchange_sparse(in_array[to], to, out_array[of], of, stream)
            return
        self._run(stream, self._core.all_to_all, in_array, _dense('all_to_all', out_array))

    def barrier(self):
        """Waits until all processes have called it, and their work before it has completed."""
        _call(self._core.barrier)

    def stop(self):
        """Ends the membership of this process."""
        _call(self._core.destroy)

    def _exchange_sparse(self, array, to, out, of, stream):
        """Sends a sparse array to one process and receives one from another: sizes first, then the parts."""
        parts = _pack(array)
        sizes = cuprum.empty(2, 'int64')
        with _Group():
            self._run(stream, self._core.send, parts[0], to)
            self._run(stream, self._core.recv, sizes, of)
        received = _parts_of(out, sizes)
        with _Group():
            for part in parts[1:]:
                self._run(stream, self._core.send, part, to)
            for part in received:
                self._run(stream, self._core.recv, part, of)
        _set_parts(out, received)

    def _move_sparse(self, array, out, root, ranks, stream):
        """Copies a sparse array of one process to some."""
        if self.rank == root:
            for rank in ranks:
                if rank != root:
                    self.send(array, rank, stream)
                elif out is not array:
                    _copy_sparse(array, out)
        elif self.rank in ranks:
            self.recv(out, root, stream)

    def _reduce_sparse(self, name, array, out, root, op, stream):
        """Combines the sparse arrays of all processes in the order of the ranks."""
        if op not in ('sum', 'prod', 'max', 'min'):
            raise ValueError(f"{name}: op is {op!r}: sparse arrays are combined by 'sum', 'prod', 'max' or 'min'")
        total, other = None, array.copy()
        for rank in range(self._n_devices):
            readers = range(self._n_devices) if root is None else [root]
            self._move_sparse(array, other, rank, readers, stream)
            if self.rank in readers:
                own = array if rank == self.rank else other
                total = own.copy() if total is None else _combined(total, own, op)
        if total is not None:
            _copy_sparse(total.asformat(out.format), out)


class _Group:
    """A group of calls."""

    def __enter__(self):
        _call(_cuprum.nccl_group_start)

    def __exit__(self, kind, value, traceback):
        _call(_cuprum.nccl_group_end)


def _part(name, array, count):
    """Returns the first `count` elements of an array."""
    array = _dense(name, array)
    if count > array.size:
        raise ValueError(f'{name}: the array has {array.size} elements, and {count} are needed')
    if array.size == count:
        return array
    if not array.flags.c_contiguous:
        # The elements of a copy would not be those of the array.
        raise ValueError(f'{name}: the array has {array.size} elements and is not C-contiguous: pass one of {count} elements')
    return array.reshape(-1)[:count]


def _fields(array):
    """Returns the names of the arrays of a sparse array."""
    return ('data', 'row', 'col') if array.format == 'coo' else ('data', 'indices', 'indptr')


def _pack(array):
    """Returns the sizes of a sparse array and its arrays."""
    if array.format not in ('coo', 'csr', 'csc'):
        raise TypeError(f'a sparse array of the format {array.format!r} cannot be sent: tocsr() makes one that can')
    parts = [getattr(array, name) for name in _fields(array)]
    return [cuprum.array([parts[0].size, parts[2].size], 'int64'), *parts]


def _parts_of(out, sizes):
    """Returns new arrays for the parts of a sparse array that is received."""
    n, last = (int(size) for size in sizes.get())
    old = [getattr(out, name) for name in _fields(out)]
    return [cuprum.empty(size, of.dtype) for size, of in zip((n, n, last), old)]


def _set_parts(out, parts):
    """Makes a sparse array that of its parts."""
    data, first, second = parts
    if out.format == 'coo':
        new = type(out)((data, (first, second)), shape=out.shape)
    else:
        new = type(out)((data, first, second), shape=out.shape)
    out.__dict__.update(new.__dict__)


def _unpack(out, receive):
    """Receives the parts of a sparse array."""
    sizes = cuprum.empty(2, 'int64')
    receive(sizes)
    parts = _parts_of(out, sizes)
    for part in parts:
        receive(part)
    _set_parts(out, parts)


def _copy_sparse(array, out):
    _set_parts(out, [part.copy() for part in _pack(array.asformat(out.format))[1:]])


def _combined(a, b, op):
    if op == 'sum':
        return a + b
    if op == 'prod':
        return a.multiply(b)
    return a.maximum(b) if op == 'max' else a.minimum(b)
