"""Tests dask.array with device arrays on a local cluster of two workers with one GPU each, and prints a table.

    PYTHONPATH=gpu/python/python python gpu/python/tests/two_gpus_dask.py

It requires the packages `dask[array]` and `distributed`. With CUPRUM_DEVICE=sim both workers use a simulator. The
exit status is the number of rows that failed.
"""

import logging
import os
import sys
import time
import traceback

import numpy as np

SIMULATED = os.environ.get("CUPRUM_DEVICE", "") == "sim"
SIDE = 64 if SIMULATED else 4096
CHUNKS = (SIDE // 4, SIDE // 4)
HOST = np.random.default_rng(1).normal(size=(SIDE, SIDE))


def environment(worker):
    """Returns the environment of a worker's process, in which the driver shows one of two GPUs."""
    own = {} if SIMULATED else {"CUDA_VISIBLE_DEVICES": str(worker), "CUPRUM_DEVICE": "cuda:0"}
    return {"PYTHONPATH": os.pathsep.join(sys.path), **own}


def about():
    """Identifies a worker: its process, and the device of its arrays."""
    import cuprum as cp

    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return os.getpid(), name, "no bus id" if SIMULATED else cp.cuda.runtime.deviceGetPCIBusId(0)


def used(block):
    """Returns the block, on the device of the worker that has it, and records it in the process's list."""
    import cuprum as cp

    SEEN.append(block.shape)
    return cp.asarray(block)


SEEN = []


def rows(da, lazy):
    """Returns a name, a computation and NumPy's result for each row."""
    centred = (lazy - lazy.mean(axis=0)) / lazy.std(axis=0)
    line = lazy[:, 3]
    yield "map_blocks", lazy.map_blocks(np.sin), np.sin(HOST)
    yield "means and deviations of columns", centred, (HOST - HOST.mean(axis=0)) / HOST.std(axis=0)
    yield "sum", lazy.sum(), HOST.sum()
    yield "argmax of rows", lazy.argmax(axis=1), HOST.argmax(axis=1)
    yield "tensordot", da.tensordot(lazy, lazy, axes=((1,), (1,))), HOST @ HOST.T
    yield "transposed sum of slices", lazy[::2, 5:].T + lazy[1::2, 5:].T, HOST[::2, 5:].T + HOST[1::2, 5:].T
    yield "rechunked", lazy.rechunk((SIDE, CHUNKS[1] // 2)).cumsum(axis=0), HOST.cumsum(axis=0)
    # With several chunks Dask's percentiles are approximate; with one they are exact.
    yield "percentile", da.percentile(line.rechunk(-1), [5, 50, 95]), np.percentile(HOST[:, 3], [5, 50, 95])
    yield "topk", da.topk(line, 10), np.sort(HOST[:, 3])[::-1][:10]
    yield "map_overlap", lazy.map_overlap(differences, depth=1, boundary="periodic"), differences(HOST)
    # A tall array: QR factors of the chunks, whose triangles are factored together.
    tall = lazy[:, : SIDE // 16].rechunk((SIDE // 4, -1))
    yield "singular values", da.linalg.svd(tall)[1], np.linalg.svd(HOST[:, : SIDE // 16], compute_uv=False)
    # A model's pipeline: columns without their means, and the predictions of least squares.
    centred = tall - tall.mean(axis=0)
    host = HOST[:, : SIDE // 16] - HOST[:, : SIDE // 16].mean(axis=0)
    gram, moments = centred.T @ centred, centred.T @ line
    yield (
        "linear regression",
        centred @ da.map_blocks(solved, gram.rechunk(-1), moments.rechunk(-1)[:, None])[:, 0],
        host @ np.linalg.lstsq(host, HOST[:, 3])[0],
    )
    try:
        import xarray
    except ImportError:
        return
    series = xarray.DataArray(lazy, dims=("time", "place"))
    anomalies = (series - series.mean("time")).rolling(time=4, center=True).mean().isel(time=slice(4, -4)).max("place")
    host = xarray.DataArray(HOST, dims=("time", "place"))
    yield "xarray", anomalies.data, (host - host.mean("time")).rolling(time=4, center=True).mean().isel(time=slice(4, -4)).max("place").data


def differences(a):
    """Second differences along both axes, periodic."""
    return sum(type_of(a).roll(a, shift, axis) for axis in (0, 1) for shift in (1, -1)) - 4 * a


def solved(a, b):
    return type_of(a).linalg.solve(a, b)


def type_of(a):
    """The module of an array's functions."""
    import cuprum as cp

    return cp if isinstance(a, cp.ndarray) else np


def check(name, lazy, expected):
    import cuprum as cp

    start = time.perf_counter()
    computed = lazy.compute()
    took = time.perf_counter() - start
    assert isinstance(computed, cp.ndarray), f"the result is {type(computed)}"
    np.testing.assert_allclose(computed.get(), expected, rtol=1e-9, atol=1e-9)
    return f"ok, {took:.2f} s"


def main():
    import dask
    import dask.array as da
    import distributed

    workers = {k: {"cls": distributed.Nanny, "options": {"nthreads": 1, "env": environment(k), "silence_logs": logging.WARNING}} for k in (0, 1)}
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": None, "host": "127.0.0.1", "port": 0}}
    failed = 0
    local = distributed.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=logging.WARNING)
    with local as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        print(f"dask {dask.__version__}, distributed {distributed.__version__}")
        found = sorted(client.run(about).values())
        for process, name, bus in found:
            print(f"worker {process}: {name}, {bus}")
        assert SIMULATED or found[0][2] != found[1][2], "both workers have the same GPU"
        lazy = client.persist(da.from_array(HOST, chunks=CHUNKS).map_blocks(used))
        for name, result, expected in rows(da, lazy):
            try:
                outcome = check(name, result, expected)
            except Exception as error:
                failed += 1
                traceback.print_exc()
                outcome = f"FAILED: {type(error).__name__}: {error}".splitlines()[0][:100]
            print(f"{name:32} | {outcome}")
        shares = [len(blocks) for blocks in client.run(lambda: __import__("two_gpus_dask").SEEN).values()]
        print(f"chunks that each worker took to its device: {shares}")
        failed += not all(shares)
    return failed


if __name__ == "__main__":
    # By the module's name, so that the workers have the same one.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import two_gpus_dask

    sys.exit(two_gpus_dask.main())
