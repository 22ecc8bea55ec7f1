"""Times the calls of `side_by_side --ladder` with CuPy and PyTorch, and draws all of them.

    python3 benches/ladder.py time [cupy|torch] ... >PEERS.jsonl
    python3 benches/ladder.py draw PICTURE.svg ROWS.jsonl ...      # needs matplotlib

Names, sizes, values and the way of timing are those of benches/src/size_ladder.rs.
"""

import json
import sys

SIZES = [10**power + more for power in range(3, 10) for more in (0, 1)]
PLACES, SORTED = 1024, 1 << 20
COLOURS = {"cuprum": "#b4541e", "cupy": "#3b6ea8", "torch": "#6b6b6b"}


def cupy_rows(cp):
    numbers = lambda n: cp.random.random(n, dtype="float32")

    def of_one(f):
        def prepare(n):
            a = numbers(n)
            return lambda: f(a)

        return prepare

    def add(n):
        a, b = numbers(n), numbers(n)
        return lambda: a + b

    def masked(n):
        a = numbers(n)
        mask = a > 0.5
        return lambda: a[mask]

    def added(n):
        of, places, with_ = cp.zeros(PLACES, "float32"), cp.random.randint(0, PLACES, n), numbers(n)
        return lambda: cp.add.at(of, places, with_)

    def searched(n):
        values = cp.sort(numbers(SORTED))
        return of_one(lambda a: cp.searchsorted(values, a))(n)

    return [("add", add), ("sum", of_one(cp.sum)), ("var", of_one(cp.var)), ("cumsum", of_one(cp.cumsum)),
            ("sort", of_one(cp.sort)), ("median", of_one(cp.median)), ("a[mask]", masked),
            ("histogram, 256 bins", of_one(lambda a: cp.histogram(a, 256, range=(0.0, 1.0)))),
            ("add.at, 1,024 places", added), ("searchsorted, 2^20", searched)]


def torch_rows(torch):
    numbers = lambda n: torch.rand(n, device="cuda")

    def of_one(f):
        def prepare(n):
            a = numbers(n)
            return lambda: f(a)

        return prepare

    def add(n):
        a, b = numbers(n), numbers(n)
        return lambda: a + b

    def masked(n):
        a = numbers(n)
        mask = a > 0.5
        return lambda: a[mask]

    def added(n):
        of, with_ = torch.zeros(PLACES, device="cuda"), numbers(n)
        places = torch.randint(0, PLACES, (n,), device="cuda")
        return lambda: of.index_add_(0, places, with_)

    def searched(n):
        values = torch.sort(numbers(SORTED))[0]
        return of_one(lambda a: torch.searchsorted(values, a))(n)

    return [("add", add), ("sum", of_one(torch.sum)), ("var", of_one(lambda a: torch.var(a, correction=0))),
            ("cumsum", of_one(lambda a: torch.cumsum(a, 0))), ("sort", of_one(lambda a: torch.sort(a)[0])),
            ("median", of_one(torch.median)), ("a[mask]", masked),
            ("histogram, 256 bins", of_one(lambda a: torch.histc(a, 256, 0.0, 1.0))),
            ("add.at, 1,024 places", added), ("searchsorted, 2^20", searched)]


def time_peers(wanted):
    from peers_cupy import Cupy
    from peers_torch import Torch

    for name in wanted or ["cupy", "torch"]:
        library = {"cupy": Cupy, "torch": Torch}[name]()
        rows = cupy_rows(library.cp) if name == "cupy" else torch_rows(library.torch)
        for row, prepare in rows:
            for elements in SIZES:
                library.clear()
                try:
                    seconds = library.device_seconds(prepare(elements))
                except Exception as error:  # a size that a library cannot do is a hole in the picture, not the end of it
                    print("%s, %s, %d: %s" % (name, row, elements, str(error).splitlines()[0][:200]), file=sys.stderr)
                    continue
                print(json.dumps({"library": name, "name": row, "elements": elements, "seconds": seconds}), flush=True)
        library.clear()


def draw(picture, paths):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ladder", "svg.fonttype": "none", "font.size": 8})
    from matplotlib import pyplot

    rows = [json.loads(line) for path in paths for line in open(path) if line.startswith("{")]
    names = list(dict.fromkeys(row["name"] for row in rows))
    figure, axes = pyplot.subplots(5, 2, figsize=(8, 13), sharex=True, layout="constrained")
    for name, axis in zip(names, axes.flat):
        for library, colour in COLOURS.items():
            points = sorted((row["elements"], row["elements"] / row["seconds"]) for row in rows
                            if (row["library"], row["name"]) == (library, name))
            axis.loglog(*zip(*points), ".-", color=colour, label=library, linewidth=1) if points else None
        axis.set_title(name)
        axis.minorticks_off()
        axis.grid(True, which="major", linewidth=0.3)
    figure.supxlabel("elements")
    figure.supylabel("elements a second")
    axes.flat[0].legend()
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1:2] == ["time"]:
        time_peers(sys.argv[2:])
    elif sys.argv[1:2] == ["draw"] and len(sys.argv) > 3:
        draw(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
