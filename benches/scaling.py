"""Times work on arrays over 1, 2, 4 and 8 GPUs of one host, and plots the ratios to one GPU.

    PYTHONPATH=gpu/python/python python3 benches/scaling.py time [--small] >ROWS.jsonl
    python3 benches/scaling.py draw PICTURE.svg ROWS.jsonl      # needs matplotlib

Times are wall times of a call and the synchronisation of all devices, the least of several calls. `--small` is for the simulator.
"""

import json
import sys
import time

COUNTS, REPEATS = (1, 2, 4, 8), 7


def works(cp, side, devices):
    """Returns the name and the call of each row, on arrays distributed by rows over some devices."""
    from cuprum.cupyx.distributed.array import distributed_array

    n = len(devices)

    def spread(a):
        bounds = [k * a.shape[0] // n for k in range(n + 1)]
        return distributed_array(a, {device: slice(bounds[k], bounds[k + 1]) for k, device in enumerate(devices)})

    def whole(a):
        return distributed_array(a, {device: slice(None) for device in devices})

    def random(*shape):
        with cp.cuda.Device(devices[0]):
            return cp.random.random(shape, dtype="float32")

    def step(u):
        inner = u[1:-1, 1:-1]
        return inner + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)

    def of_squares():
        square = random(side, side)
        rows, replicas = spread(square), whole(square)
        columns = {device: (slice(None), slice(k * side // n, (k + 1) * side // n)) for k, device in enumerate(devices)}
        yield "matmul, %d x %d float32" % (side, side), lambda: rows @ replicas
        yield "fft of rows of %d" % side, lambda: cp.fft.fft(rows, axis=1)
        yield "fft along the divided axis", lambda: cp.fft.fft(rows, axis=0)
        yield "sort of rows of %d" % side, lambda: cp.sort(rows, axis=1)
        yield "cumsum along the divided axis", lambda: cp.cumsum(rows, axis=0)
        yield "distribution by columns in place of rows", lambda: rows.reshard(columns)

    def of_large_squares():
        large = spread(random(2 * side, 2 * side))
        yield "sum of %d^2 float32" % (2 * side), lambda: large.sum()
        yield "y * 2 + 1", lambda: large * 2 + 1
        yield "halo of 1", lambda: large.map_overlap(lambda u: u[1:-1, 1:-1], 1, mode="edge")
        yield "heat equation, a step", lambda: large.map_overlap(step, 1, mode="edge")

    def of_lines():
        line = spread(random(4 * side * side))
        yield "sort of %d float32" % (4 * side * side), lambda: cp.sort(line)

    def of_one_device():
        with cp.cuda.Device(devices[0]):
            row = random(side * side) + 0j
            yield "fft of %d complex64 of one device" % (side * side), lambda: over(cp, row, devices)

    # The arrays of a group end with it.
    for group in of_squares, of_large_squares, of_lines, of_one_device:
        yield from group()


def over(cp, row, devices):
    """Transforms one row that one device holds on several."""
    config = cp.fft.config
    if len(devices) == 1:
        return cp.fft.fft(row)
    config.set_cufft_gpus(devices)
    config.use_multi_gpus = True
    try:
        return cp.fft.fft(row)
    finally:
        config.use_multi_gpus = False


def time_all(side):
    import cuprum as cp

    available = cp.cuda.runtime.getDeviceCount()

    def synchronize(devices):
        for device in devices:
            cp.cuda.Device(device).synchronize()

    for count in COUNTS:
        if count > available:
            break
        devices = list(range(count))
        for name, call in works(cp, side, devices):
            taken = []
            try:
                for _ in range(REPEATS):
                    synchronize(devices)
                    start = time.perf_counter()
                    kept = call()
                    synchronize(devices)
                    taken.append(time.perf_counter() - start)
                    del kept
            except Exception as error:
                print("%s, %d: %s" % (name, count, str(error).splitlines()[0][:200]), file=sys.stderr)
                continue
            print(json.dumps({"name": name, "devices": count, "seconds": min(taken)}), flush=True)


def draw(picture, paths):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "scaling", "svg.fonttype": "none", "font.size": 8})
    from matplotlib import pyplot

    found = [json.loads(line) for path in paths for line in open(path) if line.startswith("{")]
    names = list(dict.fromkeys(row["name"] for row in found))
    seconds = {(row["name"], row["devices"]): row["seconds"] for row in found}
    counts = sorted({row["devices"] for row in found})
    figure, axis = pyplot.subplots(figsize=(8, 5), layout="constrained")
    axis.loglog(counts, counts, "--", color="#6b6b6b", linewidth=1, label="one for each GPU")
    # One GPU has nothing to distribute.
    ratios = {name: [(count, seconds[name, 1] / seconds[name, count]) for count in counts] for name in names if not name.startswith("distribution")}
    for k, (name, points) in enumerate(sorted(ratios.items(), key=lambda row: -row[1][-1][1])):
        axis.loglog(*zip(*points), marker="osD^v<>pPX*"[k % 11], markersize=4, color=pyplot.colormaps["tab20"](k), linewidth=1, label=name)
    axis.set_xticks(counts, [str(count) for count in counts])
    axis.set_yticks([0.25, 0.5, 1, 2, 4], ["0.25", "0.5", "1", "2", "4"])
    axis.minorticks_off()
    axis.grid(True, which="major", linewidth=0.3)
    axis.set_xlabel("GPUs")
    axis.set_ylabel("times as fast as one GPU")
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1:2] == ["time"]:
        time_all(64 if "--small" in sys.argv else 16384)
    elif sys.argv[1:2] == ["draw"] and len(sys.argv) > 3:
        draw(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
