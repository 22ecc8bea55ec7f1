"""Times the rows of `side_by_side` with CuPy and PyTorch; prints one JSON object per line.

    python3 benches/peers.py [cupy|torch] ... [--only PART ...]

With `--only` the rows whose names contain one of the parts are timed, and those of the host with the part `call`.

The names of the rows, the sizes, the values and the timing method are those of benches/src/bin/side_by_side.rs. A
library that is not installed is skipped with a message on standard error.
"""

import os
import subprocess
import sys
import tempfile

from peers_cupy import Cupy
from peers_torch import Torch
from peers_timing import emit

FIRST = """
import sys, time, cupy as cp
a, b = cp.empty(1000, "float32"), cp.empty(1000, "float32")
cp.cuda.Device().synchronize()
start = time.perf_counter()
cp.add(a, b)
cp.cuda.Device().synchronize()
print(time.perf_counter() - start)
"""


def first_calls():
    """Times the first add of a process, with an empty cache of compiled kernels and with a filled one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, CUPY_CACHE_DIR=cache)
        for name in ("first add, empty cache", "first add, disk cache"):
            done = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True)
            if done.returncode == 0:
                emit("cupy", name, seconds=float(done.stdout))


def main():
    names, only = sys.argv[1:], []
    if "--only" in names:
        at = names.index("--only")
        names, only = names[:at], names[at + 1 :]
    wanted = names or ["cupy", "torch"]
    for name in wanted:
        try:
            library = {"cupy": Cupy, "torch": Torch}[name]()
        except ImportError as error:
            print("%s is left out: %s" % (name, error), file=sys.stderr)
            continue
        library.run(only)
        if name == "cupy" and not only:
            first_calls()


main()
