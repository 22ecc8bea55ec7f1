"""Times the copy of a GiB from one GPU to another: Cuprum's `to_device`, CuPy's and PyTorch's if they are installed,
and the driver's own copy between two existing buffers. Prints one JSON object per line.

    PYTHONPATH=gpu/python/python python3 benches/two_devices.py
"""

import json
import statistics
import sys
import time

BYTES, WARM_UPS, SAMPLES = 1 << 30, 3, 11


def seconds(call, synchronize):
    taken = []
    for i in range(WARM_UPS + SAMPLES):
        synchronize()
        start = time.perf_counter()
        call()
        synchronize()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[WARM_UPS:])


def cuprum():
    import cuprum as cp

    devices = [cp.cuda.Device(0), cp.cuda.Device(1)]
    with devices[0]:
        a = cp.ones(BYTES // 4, "float32")

    def synchronize():
        for device in devices:
            device.synchronize()

    yield "to_device", lambda: a.to_device(devices[1]), synchronize


def cupy():
    import cupy as cp

    with cp.cuda.Device(0):
        a = cp.ones(BYTES // 4, "float32")
    with cp.cuda.Device(1):
        b = cp.empty(BYTES // 4, "float32")

    def synchronize():
        for i in range(2):
            cp.cuda.Device(i).synchronize()

    def copied():
        with cp.cuda.Device(1):
            return cp.asarray(a)

    yield "memcpyPeer", lambda: cp.cuda.runtime.memcpyPeerAsync(b.data.ptr, 1, a.data.ptr, 0, BYTES, 0), synchronize
    yield "asarray", copied, synchronize


def torch():
    import torch

    a = torch.ones(BYTES // 4, device="cuda:0")

    def synchronize():
        for i in range(2):
            torch.cuda.synchronize(i)

    yield "to", lambda: a.to("cuda:1"), synchronize


def main():
    for library in cuprum, cupy, torch:
        try:
            for name, call, synchronize in library():
                taken = seconds(call, synchronize)
                print(json.dumps({"library": library.__name__, "name": name, "seconds": taken, "gb_per_s": BYTES / taken / 1e9}), flush=True)
        except ImportError as error:
            print("%s is left out: %s" % (library.__name__, error), file=sys.stderr)


main()
