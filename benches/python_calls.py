"""Tabulates the host time of calls from Python next to the same calls in Rust, and CuPy's if it is installed.

    PYTHONPATH=gpu/python/python python3 benches/python_calls.py SIDE_BY_SIDE [--still]

SIDE_BY_SIDE is the built program of that name. `--still` leaves out the calls that launch a kernel; the others take
the same time on the simulator. Times are in microseconds, for arrays of ten elements. The exit status is the number
of rows beyond their bounds.
"""

import importlib
import json
import statistics
import subprocess
import sys
import timeit

from peers_timing import CALLS, REPEATS

# Name of Rust's row, statement, bound on its time beyond Rust's, and whether it launches a kernel.
ROWS = [
    ("call add", "a + b", 1.0, True),
    ("call add", "xp.add(a, b)", None, True),
    ("call add, out", "xp.add(a, b, out)", None, True),
    ("call add, out", "xp.add(a, b, out=out)", None, True),
    ("call add a scalar", "a + 2.5", None, True),
    ("call sum", "a.sum()", 1.5, True),
    ("call sum", "xp.sum(a)", None, True),
    ("call concatenate of 2", "xp.concatenate((a, b))", None, True),
    ("call add, no elements", "none + none", 1.0, False),
    ("call add, no elements", "xp.add(none, none)", None, False),
    ("call add, out, no elements", "xp.add(none, none, none)", None, False),
    ("call add, out, no elements", "xp.add(none, none, out=none)", None, False),
    ("call add a scalar, no elements", "none + 2.5", None, False),
    ("call sum, no elements", "rows.sum(1)", 1.5, False),
    ("call sum, no elements", "xp.sum(rows, axis=1)", None, False),
    ("call slice view", "a[2:7]", 0.4, False),
    ("call transpose", "a.T", None, False),
    ("call empty", "xp.empty(10, 'float32')", None, False),
    ("call array of the host", "xp.asarray(numbers)", None, False),
]
# Bound on the time beyond NumPy's for an upload of a list.
OF_A_LIST = 10.0


def prepared(xp):
    a, b = xp.arange(10).astype("float32"), xp.arange(10, 20).astype("float32")
    out, none, rows = xp.empty_like(a), xp.empty(0, "float32"), xp.empty((0, 3), "float32")
    return {"xp": xp, "a": a, "b": b, "out": out, "none": none, "rows": rows, "numbers": list(range(10))}


def host_us(statement, names, synchronize):
    timer = timeit.Timer(statement, globals=names)
    timer.timeit(CALLS)
    samples = []
    for _ in range(REPEATS):
        synchronize()
        samples.append(timer.timeit(CALLS) / CALLS * 1e6)
    synchronize()
    return statistics.median(samples)


def rust(program):
    lines = subprocess.run([program, "--calls"], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["name"]: row["host_ns"] / 1e3 for row in rows}


def peer(name):
    try:
        return importlib.import_module(name)
    except Exception:  # a CuPy without a GPU may say anything
        return None


def main():
    program, still = sys.argv[1], "--still" in sys.argv
    import cuprum
    import numpy

    ours, beside, cupy = prepared(cuprum), rust(program), peer("cupy")
    theirs = None if cupy is None else prepared(cupy)
    beyond = 0
    print(f"{'call':30} {'Rust':>7} {'Python':>7} {'more':>7} {'bound':>7} {'CuPy':>7}")
    for name, statement, bound, launches in ROWS:
        if launches and still:
            continue
        took = host_us(statement, ours, cuprum.cuda.Device().synchronize)
        their = "-" if theirs is None else f"{host_us(statement, theirs, cupy.cuda.Device().synchronize):.2f}"
        more = took - beside[name]
        beyond += bound is not None and more > bound
        said = "-" if bound is None else f"{bound:.1f}"
        print(f"{statement:30} {beside[name]:7.2f} {took:7.2f} {more:7.2f} {said:>7} {their:>7}")
    took = host_us("xp.asarray(numbers)", ours, cuprum.cuda.Device().synchronize)
    numpys = host_us("xp.asarray(numbers)", {"xp": numpy, "numbers": list(range(10))}, lambda: None)
    beyond += took - numpys > OF_A_LIST
    print(f"{'xp.asarray(numbers)':30} {took:.2f}, NumPy's {numpys:.2f}: {took - numpys:.2f} more, the bound is {OF_A_LIST}")
    return beyond


if __name__ == "__main__":
    sys.exit(main())
