"""Times the calls of `side_by_side --ladder` with CuPy and PyTorch, and plots all of them.

    python3 benches/ladder.py time [cupy|torch] ... >PEERS.jsonl
    python3 benches/ladder.py draw PICTURE.svg ROWS.jsonl ...      # needs matplotlib

Names, sizes, values and the timing method are those of benches/src/size_ladder.rs.
"""

import json
import sys

SIZES = [10**power + more for power in range(3, 10) for more in (0, 1)]
CELLS, SORTED = 1024, 1 << 20
COLOURS = {"cuprum": "#b4541e", "cupy": "#3b6ea8", "torch": "#6b6b6b"}


def rows(numbers, indices, zeros, calls):
    """Returns the rows of a library from its constructors of numbers, indices and zeros and its `calls` by name."""

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
        of, at, with_ = zeros(CELLS), indices(n), numbers(n)
        return lambda: calls["add.at"](of, at, with_)

    def searched(n):
        values = calls["sort"](numbers(SORTED))
        return of_one(lambda a: calls["searchsorted"](values, a))(n)

    named = [(name, of_one(calls[name])) for name in ("sum", "var", "cumsum", "sort", "median")]
    return [
        ("add", add),
        *named,
        ("a[mask]", masked),
        ("histogram, 256 bins", of_one(calls["histogram"])),
        ("add.at, 1,024 targets", added),
        ("searchsorted, 2^20", searched),
    ]


def cupy_rows(cp):
    calls = {name: getattr(cp, name) for name in "sum var cumsum sort median searchsorted".split()}
    calls.update({"histogram": lambda a: cp.histogram(a, 256, range=(0.0, 1.0)), "add.at": cp.add.at})
    return rows(lambda n: cp.random.random(n, dtype="float32"), lambda n: cp.random.randint(0, CELLS, n), lambda n: cp.zeros(n, "float32"), calls)


def torch_rows(torch):
    calls = {
        "sum": torch.sum,
        "var": lambda a: torch.var(a, correction=0),
        "cumsum": lambda a: torch.cumsum(a, 0),
        "sort": lambda a: torch.sort(a)[0],
        "median": torch.median,
        "searchsorted": torch.searchsorted,
        "histogram": lambda a: torch.histc(a, 256, 0.0, 1.0),
        "add.at": lambda of, at, with_: of.index_add_(0, at, with_),
    }
    return rows(lambda n: torch.rand(n, device="cuda"), lambda n: torch.randint(0, CELLS, (n,), device="cuda"), lambda n: torch.zeros(n, device="cuda"), calls)


def time_peers(wanted):
    from peers_cupy import Cupy
    from peers_torch import Torch

    for name in wanted or ["cupy", "torch"]:
        library = {"cupy": Cupy, "torch": Torch}[name]()
        for row, prepare in cupy_rows(library.cp) if name == "cupy" else torch_rows(library.torch):
            for elements in SIZES:
                library.clear()
                try:
                    seconds = library.device_seconds(prepare(elements))
                except Exception as error:  # a size that a library cannot compute leaves a gap in the plot
                    print("%s, %s, %d: %s" % (name, row, elements, str(error).splitlines()[0][:200]), file=sys.stderr)
                    continue
                print(json.dumps({"library": name, "name": row, "elements": elements, "seconds": seconds}), flush=True)
        library.clear()


def draw(picture, paths):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ladder", "svg.fonttype": "none", "font.size": 8})
    from matplotlib import pyplot

    found = [json.loads(line) for path in paths for line in open(path) if line.startswith("{")]
    names = list(dict.fromkeys(row["name"] for row in found))
    figure, axes = pyplot.subplots(5, 2, figsize=(8, 13), sharex=True, layout="constrained")
    for name, axis in zip(names, axes.flat):
        for library, colour in COLOURS.items():
            points = sorted((row["elements"], row["elements"] / row["seconds"]) for row in found if (row["library"], row["name"]) == (library, name))
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
