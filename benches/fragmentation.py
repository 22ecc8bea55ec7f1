"""Replays with CuPy's memory pools the traces that `fragmentation FOLDER` has written; prints one JSON object per line.

    python3 benches/fragmentation.py FOLDER

Names, traces and figures are those of benches/src/bin/fragmentation.rs.
"""

import json
import pathlib
import statistics
import sys
import time

ROUNDS = 5


def steps(path):
    return [int(line) if line[0] == "+" else ~int(line[1:]) for line in path.read_text().split()]


def peak(trace):
    sizes, used, most = [], 0, 0
    for step in trace:
        if step >= 0:
            sizes.append(step)
            used += step
            most = max(most, used)
        else:
            used -= sizes[~step]
    return most


def replay(trace, take, look):
    blocks = []
    start = time.perf_counter_ns()
    for step in trace:
        if step >= 0:
            blocks.append(take(step))
            if look:
                look()
        else:
            blocks[~step] = None
    return (time.perf_counter_ns() - start) / len(blocks)


def main():
    import cupy

    for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        trace = steps(path)
        for name, pool in ("pool", cupy.cuda.MemoryPool()), ("driver", cupy.cuda.MemoryAsyncPool()):
            held = 0

            def look():
                nonlocal held
                held = max(held, pool.total_bytes())

            cupy.cuda.Device().synchronize()
            first = replay(trace, pool.malloc, look)
            later = []
            for _ in range(ROUNDS):
                cupy.cuda.Device().synchronize()
                later.append(replay(trace, pool.malloc, None))
            print(
                json.dumps(
                    {
                        "library": "cupy",
                        "pool": name,
                        "name": path.name,
                        "peak_used": peak(trace),
                        "held_over_used": held / peak(trace),
                        "first_ns": first,
                        "pair_ns": statistics.median(later),
                    }
                ),
                flush=True,
            )
            cupy.cuda.Device().synchronize()
            pool.free_all_blocks()


if __name__ == "__main__":
    main()
