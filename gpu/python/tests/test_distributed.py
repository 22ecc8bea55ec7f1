"""Collective operations: ranks that are threads with `cuda.nccl`, and processes with `cupyx.distributed`."""

import os
import socket
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import cuprum as cp
from cuprum.cuda import nccl
from cuprum.cupyx import distributed


def devices():
    return cp.cuda.runtime.getDeviceCount()


def in_threads(n, function):
    """Calls `function(rank)` in n threads, and returns the results."""
    results = [None] * n

    def run(rank):
        try:
            results[rank] = function(rank)
        except Exception as e:
            results[rank] = e

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def in_processes(n, text, **variables):
    """Runs a program as n processes with their ranks, and returns their outputs and errors."""
    program = textwrap.dedent(text)
    environment = os.environ | {'CUPYX_DISTRIBUTED_PORT': str(free_port()), 'CUPRUM_COLLECTIVES_TIMEOUT': '20', 'CUPRUM_SIM_DEVICES': str(n)}
    environment |= variables
    started = [
        subprocess.Popen([sys.executable, '-c', program, str(rank), str(n)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(n)
    ]
    return [process.communicate(timeout=120) for process in started]


def test_one_rank_has_all_functions_of_nccl():
    assert nccl.available and nccl.get_version() >= 20000 and nccl.get_build_version() > 0
    group_id = nccl.get_unique_id()
    assert len(group_id) == nccl.NCCL_UNIQUE_ID_BYTES == 128
    comm = nccl.NcclCommunicator(1, tuple(b - 256 if b > 127 else b for b in group_id), 0)
    assert (comm.rank_id(), comm.size(), comm.device_id()) == (0, 1, 0)
    a, b = cp.arange(4, dtype='f'), cp.zeros(4, 'f')
    stream = cp.cuda.Stream.null.ptr
    for function in (
        lambda: comm.allReduce(a.data.ptr, b.data.ptr, 4, nccl.NCCL_FLOAT, nccl.NCCL_SUM, stream),
        lambda: comm.reduce(a.data.ptr, b.data.ptr, 4, nccl.NCCL_FLOAT, nccl.NCCL_MAX, 0, stream),
        lambda: comm.broadcast(a.data.ptr, b.data.ptr, 4, nccl.NCCL_FLOAT, 0, stream),
        lambda: comm.reduceScatter(a.data.ptr, b.data.ptr, 4, nccl.NCCL_FLOAT, nccl.NCCL_SUM, stream),
        lambda: comm.allGather(a.data.ptr, b.data.ptr, 4, nccl.NCCL_FLOAT, stream),
    ):
        b[...] = -1
        function()
        np.testing.assert_array_equal(b.get(), np.arange(4))
    b[...] = -1
    nccl.groupStart()
    comm.send(a.data.ptr, 4, nccl.NCCL_FLOAT, 0, stream)
    comm.recv(b.data.ptr, 4, nccl.NCCL_FLOAT, 0, stream)
    nccl.groupEnd()
    np.testing.assert_array_equal(b.get(), np.arange(4))
    comm.bcast(b.data.ptr, 4, nccl.NCCL_FLOAT, 0, stream)
    comm.check_async_error()
    part = comm.commSplit(0, 0)
    assert part.size() == 1 and part.rank_id() == 0
    comm.destroy()
    with pytest.raises(nccl.NcclError, match='destroyed'):
        comm.bcast(b.data.ptr, 4, nccl.NCCL_FLOAT, 0, stream)
    with pytest.raises(ValueError, match='128 bytes'):
        nccl.NcclCommunicator(1, (1, 2), 0)


def test_ranks_in_threads():
    if cp.cuda.is_available() and devices() < 2:
        pytest.skip('two GPUs are needed')
    n, group_id = 2, nccl.get_unique_id()
    os.environ['CUPRUM_SIM_DEVICES'] = '2'
    try:

        def rank_of(rank):
            with cp.cuda.Device(rank):
                comm = nccl.NcclCommunicator(n, group_id, rank)
                a = cp.arange(3, dtype='i8') + rank
                out = cp.empty(6, 'i8')
                comm.allGather(a.data.ptr, out.data.ptr, 3, nccl.NCCL_INT64, cp.cuda.Stream.null.ptr)
                return out.get().tolist()

        assert in_threads(n, rank_of) == [[0, 1, 2, 1, 2, 3]] * 2
        both = nccl.NcclCommunicator.initAll([0, 1])
        arrays = []
        for rank in range(2):
            with cp.cuda.Device(rank):
                arrays.append(cp.full(5, rank + 1.0))
        nccl.groupStart()
        for comm, a in zip(both, arrays):
            comm.allReduce(a.data.ptr, a.data.ptr, 5, nccl.NCCL_DOUBLE, nccl.NCCL_PROD, 0)
        nccl.groupEnd()
        assert [a.get().tolist() for a in arrays] == [[2.0] * 5] * 2
    finally:
        del os.environ['CUPRUM_SIM_DEVICES']


OPERATIONS = """
    import sys
    import numpy as np
    import cuprum as cp
    from cuprum.cupyx import distributed
    from cuprum.cupyx.scipy import sparse

    rank, n = int(sys.argv[1]), int(sys.argv[2])
    cp.cuda.Device(rank).use()
    comm = distributed.init_process_group(n, rank)
    base = np.arange(4.0).reshape(2, 2)

    def check(out, expected):
        np.testing.assert_array_equal(out.get(), expected)

    own = cp.asarray(base + rank)
    out = cp.zeros((2, 2))
    comm.all_reduce(own, out)
    check(out, sum(base + r for r in range(n)))
    comm.all_reduce(own, out, op='max', stream=cp.cuda.Stream())
    check(out, base + n - 1)
    comm.reduce(own, out, root=1, op='min')
    if rank == 1:
        check(out, base)
    comm.broadcast(own, root=1)
    check(own, base + 1)
    own = cp.asarray(base + rank)
    many = cp.zeros(4 * n)
    comm.all_gather(own, many, 4)
    check(many, np.concatenate([(base + r).ravel() for r in range(n)]))
    part = cp.zeros(4)
    comm.reduce_scatter(many, part, 4)
    check(part, n * (base + rank).ravel())
    stack = cp.asarray(np.arange(2 * n).reshape(n, 2) + 100 * rank)
    swapped = cp.zeros((n, 2), 'i8')
    comm.all_to_all(stack, swapped)
    check(swapped, [[100 * r + 2 * rank, 100 * r + 2 * rank + 1] for r in range(n)])
    row = cp.zeros(2, 'i8')
    comm.scatter(stack, row, root=0)
    check(row, [2 * rank, 2 * rank + 1])
    comm.gather(row, swapped, root=1)
    if rank == 1:
        check(swapped, np.arange(2 * n).reshape(n, 2))
    if rank < 2:
        theirs = cp.zeros((2, 2))
        comm.send_recv(own, theirs, 1 - rank)
        check(theirs, base + 1 - rank)
        (comm.send if rank == 0 else comm.recv)(own, 1 - rank)
        check(own, base)

    dense = np.array([[0, 2.0, 0], [rank, 0, 0]])
    a = sparse.csr_matrix(cp.asarray(dense))
    total = sparse.csr_matrix((2, 3))
    comm.all_reduce(a, total)
    check(total.toarray(), [[0, 2.0 * n, 0], [sum(range(n)), 0, 0]])
    received = sparse.coo_matrix((2, 3))
    if rank == 0:
        received = a.tocoo()
    comm.broadcast(received, root=0)
    check(received.toarray(), [[0, 2.0, 0], [0, 0, 0]])
    outs = [sparse.csr_matrix((2, 3)) for _ in range(n)]
    comm.all_gather(a, outs, 0)
    for r, one in enumerate(outs):
        check(one.toarray(), [[0, 2.0, 0], [r, 0, 0]])
    comm.all_to_all([a * (r + 1) for r in range(n)], outs)
    for r, one in enumerate(outs):
        check(one.toarray(), (rank + 1) * np.array([[0, 2.0, 0], [r, 0, 0]]))
    comm.barrier()
    comm.stop()
    print('done')
"""


@pytest.mark.parametrize('n', [2, 3])
def test_processes(n):
    if cp.cuda.is_available() and devices() < n:
        pytest.skip('not as many GPUs')
    for out, err in in_processes(n, OPERATIONS):
        assert out == 'done\n', err


def test_faults_of_processes_are_named():
    if cp.cuda.is_available():
        pytest.skip('GPUs have no such tests')
    program = """
        import sys, os
        import cuprum as cp
        from cuprum.cupyx import distributed
        rank, n = int(sys.argv[1]), int(sys.argv[2])
        cp.cuda.Device(rank).use()
        comm = distributed.init_process_group(n, rank)
        if rank == 1:
            os._exit(3)
        try:
            comm.barrier()
        except RuntimeError as e:
            print(e)
    """
    for rank, (out, _) in enumerate(in_processes(3, program)):
        assert ('rank 1 has ended' in out) == (rank != 1), out
    late = """
        import sys
        from cuprum.cupyx import distributed
        rank, n = int(sys.argv[1]), int(sys.argv[2])
        if rank == 2:
            sys.exit()
        try:
            distributed.init_process_group(n, rank)
        except (TimeoutError, RuntimeError) as e:
            print(e)
    """
    first, second, _ = in_processes(3, late, CUPRUM_COLLECTIVES_TIMEOUT='1.5')
    assert 'the ranks 2 did not come within 1.5 s' in first[0], first
    assert second[0], second


def test_the_token_must_be_that_of_rank_0():
    if cp.cuda.is_available():
        pytest.skip('GPUs have no such tests')
    program = """
        import os, sys
        rank, n = int(sys.argv[1]), int(sys.argv[2])
        os.environ['CUPRUM_STORE_TOKEN'] = f'secret of {rank}'
        from cuprum.cupyx import distributed
        try:
            distributed.init_process_group(n, rank)
        except (PermissionError, TimeoutError) as e:
            print(type(e).__name__, e)
    """
    first, second = in_processes(2, program, CUPRUM_COLLECTIVES_TIMEOUT='2')
    assert 'PermissionError' in second[0] and 'token' in second[0], second
    assert 'TimeoutError' in first[0] and 'was rejected' in first[0], first


def test_arguments():
    for arguments, message in (((0, 0), 'n_devices is 0'), ((2, 2), 'rank is 2'), ((2, -1), 'rank is -1')):
        with pytest.raises(ValueError, match=message):
            distributed.init_process_group(*arguments)
    with pytest.raises(ValueError, match="backend is 'gloo'"):
        distributed.init_process_group(1, 0, backend='gloo')
    comm = distributed.NCCLBackend(1, 0, port=free_port())
    a = cp.ones(4)
    with pytest.raises(ValueError, match="op is 'mean'"):
        comm.all_reduce(a, a, op='mean')
    with pytest.raises(TypeError, match='ndarray'):
        comm.all_reduce(np.ones(4), a)
    with pytest.raises(ValueError, match='4 elements, and 8'):
        comm.all_gather(a, a, 8)
    with pytest.raises(ValueError, match='not C-contiguous'):
        comm.reduce_scatter(a, cp.zeros((4, 2))[:, 0], 3)
    with pytest.raises(TypeError, match='float16|int16'):
        comm.all_reduce(a.astype('i2'), a.astype('i2'))
    comm.stop()
