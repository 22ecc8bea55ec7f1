"""Four programs of several processes with a device each: gradient descent, heat diffusion, a histogram, and k-means.

Without arguments it starts two processes itself; on a machine with n GPUs, `python distributed.py n` starts n.
"""

import os
import socket
import subprocess
import sys
import time

import numpy as np

import cuprum as cp
from cuprum.cupyx.distributed import init_process_group


def gradient_descent(comm, rank, n):
    """Fits a linear model: each process has some of the samples, and gradients are averaged."""
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(256, 5)), np.arange(1.0, 6.0)
    y = X @ w
    X, y = cp.asarray(X[rank::n]), cp.asarray(y[rank::n])
    found = cp.zeros(5)
    comm.broadcast(found, root=0)
    for _ in range(60):
        gradient = X.T @ (X @ found - y) / len(y)
        comm.all_reduce(gradient, gradient, op='sum')
        found -= 0.5 * gradient / n
    assert np.allclose(found.get(), w, atol=1e-3)
    return found


def heat(comm, rank, n, rows=24, steps=20):
    """Diffuses heat on a plate: each process has some rows, and one row of each neighbour."""
    whole = np.zeros((rows, 16))
    whole[rows // 3 : rows // 2, 4:9] = 100
    low, high = rows * rank // n, rows * (rank + 1) // n
    u = cp.zeros((high - low + 2, 16))
    u[1:-1] = cp.asarray(whole[low:high])
    for _ in range(steps):
        for peer, mine, halo in ((rank - 1, 1, 0), (rank + 1, -2, -1)):
            if 0 <= peer < n:
                comm.send_recv(u[mine].copy(), u[halo], peer)
        new = u.copy()
        new[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        # The edge of the plate is cold.
        if rank == 0:
            new[1] = 0
        if rank == n - 1:
            new[-2] = 0
        u = new
    total = u[1:-1].sum()
    comm.all_reduce(total, total)
    expected = whole
    for _ in range(steps):
        new = expected.copy()
        inner = expected[2:, 1:-1] + expected[:-2, 1:-1] + expected[1:-1, 2:] + expected[1:-1, :-2]
        new[1:-1, 1:-1] += 0.2 * (inner - 4 * expected[1:-1, 1:-1])
        new[0] = new[-1] = 0
        expected = new
    assert np.allclose(u[1:-1].get(), expected[low:high])
    assert np.isclose(float(total), expected.sum())
    return u


def histogram(comm, rank, n):
    """Counts samples in bins of common edges."""
    samples = np.random.default_rng(5).normal(size=4000)
    own = cp.asarray(samples[rank::n])
    edges = cp.stack([-own.min(), own.max()])
    comm.all_reduce(edges, edges, op='max')
    low, high = (float(edge) for edge in edges)
    counts, _ = cp.histogram(own, bins=20, range=(-low, high))
    comm.all_reduce(counts, counts)
    expected, _ = np.histogram(samples, bins=20)
    assert (counts.get() == expected).all()
    return counts


def k_means(comm, rank, n, k=3):
    """Finds centres of clouds: each process assigns its points, and sums and counts are added."""
    rng = np.random.default_rng(1)
    middles = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    points = middles[rng.integers(k, size=600)] + rng.normal(size=(600, 2))
    own = cp.asarray(points[rank::n])
    centres = cp.asarray(middles + 3)
    comm.broadcast(centres, root=0)
    for _ in range(10):
        nearest = ((own[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        mask = nearest[:, None] == cp.arange(k)
        sums = cp.concatenate([mask.T.astype(float) @ own, mask.sum(axis=0)[:, None].astype(float)], axis=1)
        comm.all_reduce(sums, sums)
        centres = sums[:, :2] / sums[:, 2:]
    assert np.abs(centres.get() - middles).max() < 0.5
    return centres


def run(rank, n, port):
    cp.cuda.Device(rank).use()
    comm = init_process_group(n, rank, port=port)
    for program in (gradient_descent, heat, histogram, k_means):
        program(comm, rank, n)
    comm.barrier()
    comm.stop()


def main(n=2):
    """Starts this program once for each rank."""
    environment = dict(os.environ)
    if environment.get('CUPRUM_DEVICE') == 'sim':
        environment['CUPRUM_SIM_DEVICES'] = str(n)
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = s.getsockname()[1]
    command = [sys.executable, os.path.abspath(__file__)]
    ranks = [subprocess.Popen([*command, str(rank), str(n), str(port)], env=environment) for rank in range(n)]
    # A rank that fails ends the others, which may wait for it.
    while any(process.poll() is None for process in ranks) and not any(process.poll() for process in ranks):
        time.sleep(0.02)
    for process in ranks:
        process.terminate()
    assert [process.wait() for process in ranks] == [0] * n
    return {'ranks': n}


if __name__ == '__main__':
    if len(sys.argv) == 4:
        run(*map(int, sys.argv[1:]))
    else:
        print('four programs have run on', main(*map(int, sys.argv[1:]))['ranks'], 'devices')
