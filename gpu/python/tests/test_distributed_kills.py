"""Ranks that are killed before, in and after collective operations: the other ranks get an error that names it, in time.

Each case forks its ranks from this process before a device is open. `CUPRUM_KILLS` is the number of cases; the nightly job runs 100.
"""

import json
import os
import random
import socket
import subprocess
import sys
import textwrap

import pytest

RANKS = 3
COLLECTIVES = 'all_reduce reduce broadcast all_gather reduce_scatter all_to_all scatter gather send_recv send_and_recv barrier'.split()
MOMENTS = ['before', 'in', 'after']
# Forked processes of one program: an interpreter that starts anew for each rank would take most of the time.
PROGRAM = """
    import json, os, signal, sys, threading, time
    import numpy as np
    import cuprum as cp
    from cuprum.cupyx import distributed

    def call(comm, name, rank, n):
        own, out = cp.arange(2.0 * n).reshape(n, 2), cp.zeros((n, 2))
        if name == 'all_gather':
            comm.all_gather(own[0], cp.zeros(2 * n), 2)
        elif name == 'reduce_scatter':
            comm.reduce_scatter(own, out[0], 2)
        elif name == 'scatter':
            comm.scatter(own, out[0], root=0)
        elif name == 'gather':
            comm.gather(own[0], out, root=0)
        elif name == 'broadcast':
            comm.broadcast(own, root=0)
        elif name == 'barrier':
            comm.barrier()
        elif name == 'send_recv':
            if rank < 2:
                comm.send_recv(own, out, 1 - rank)
        elif name == 'send_and_recv':
            (comm.send if rank == 0 else comm.recv)(own, 1 - rank) if rank < 2 else None
        else:
            getattr(comm, name)(own, out)

    def rank_of(rank, n, case, port):
        cp.cuda.Device(rank).use()
        comm = distributed.init_process_group(n, rank, port=port)
        name, moment, killed = case
        if rank == killed and moment == 'before':
            os.kill(os.getpid(), signal.SIGKILL)
        if rank == killed and moment == 'in':
            # The others come later, so that the call waits.
            threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        elif moment == 'in':
            time.sleep(0.15)
        call(comm, name, rank, n)
        if rank == killed:
            os.kill(os.getpid(), signal.SIGKILL)
        comm.barrier()

    for case, port in json.loads(sys.argv[1]):
        pipes, pids = [], []
        for rank in range({ranks}):
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                try:
                    rank_of(rank, {ranks}, case, port)
                    message = 'no error'
                except BaseException as e:
                    message = f'{{isinstance(e, RuntimeError)}}: {{e}}'
                os.write(writing, message.encode())
                os.close(writing)
                if rank == 0:
                    # The group meets in this process, which lives as long as the group does.
                    time.sleep(0.4)
                os._exit(0)
            os.close(writing)
            pipes.append(reading)
            pids.append(pid)
        messages = []
        for reading, pid in zip(pipes, pids):
            messages.append(os.read(reading, 4096).decode())
            os.close(reading)
            os.waitpid(pid, 0)
        print(json.dumps(messages), flush=True)
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    try:
        for s in sockets:
            s.bind(('127.0.0.1', 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def cases(n):
    """Returns n cases: every collective with every moment before any is repeated, with a rank that takes part in it."""
    generator = random.Random(44)
    every = [(name, moment) for name in COLLECTIVES for moment in MOMENTS]
    generator.shuffle(every)
    return [(*every[k % len(every)], generator.randrange(2 if 'send' in every[k % len(every)][0] else RANKS)) for k in range(n)]


@pytest.mark.skipif(not hasattr(os, 'fork') or os.environ.get('CUPRUM_DEVICE', 'sim') != 'sim', reason='simulated ranks are killed')
def test_a_killed_rank_is_named_to_the_others():
    n = int(os.environ.get('CUPRUM_KILLS', '5'))
    listed = cases(n)
    environment = os.environ | {'CUPRUM_COLLECTIVES_TIMEOUT': '20', 'CUPRUM_SIM_DEVICES': str(RANKS)}
    program = textwrap.dedent(PROGRAM).format(ranks=RANKS)
    arguments = [sys.executable, '-c', program, json.dumps(list(zip(listed, free_ports(n))))]
    # A rank that waits for ever is an error of the time limit.
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=30 + 15 * n)
    lines = done.stdout.splitlines()
    assert len(lines) == n, (listed[len(lines)], done.stderr)
    for (name, moment, killed), line in zip(listed, lines):
        for rank, message in enumerate(json.loads(line)):
            if rank == killed:
                assert message == '', (name, moment, killed, message)
            else:
                # Rank 0 is the process in which the group meets.
                named = f'rank {killed}' in message or (killed == 0 and "the process that created the group's id has ended" in message)
                assert message.startswith('True') and named, (name, moment, killed, rank, message)
