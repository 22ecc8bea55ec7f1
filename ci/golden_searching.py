"""Golden data of searching, picking by a condition, and histograms. A part of golden.py.

The function of a case is searching:NAME. Weights, sorters and edges are operands; which, the parameters say by their
numbers.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, values

REAL = [c for c in CHARS if c not in "FD"]


def found(c, shape, shift=0):
    """Values of which about half are zero."""
    a = values(c, int(np.prod(shape)), shift).reshape(shape)
    return np.where(values("?", a.size, shift + 1).reshape(shape), a, np.zeros((), c)).astype(c)


def numbered(f, *names):
    """Calls f with the operands that parameters of these names number."""

    def run(*operands, **told):
        given = {n: operands[told.pop(n)] for n in names if told.get(n) is not None}
        for name in names:
            told.pop(name, None)
        if "range" in told:
            told["range"] = tuple(told["range"])
        if isinstance(told.get("ranges"), list):
            told["range"] = [r and tuple(r) for r in told.pop("ranges")]
        count = len(operands) - len(given)
        return f(*operands[:count], **given, **told)

    return run


def several(f):
    def run(*operands, **told):
        values, edges = f(*operands, **told)
        return (values, *edges)

    return run


def places(g):
    for c in CHARS:
        for shape in [(7,), (3, 4), (2, 3, 4), (0, 3), (40, 5)]:
            a = found(c, shape)
            g.case("searching:nonzero", [a], np.nonzero)
            g.case("searching:argwhere", [a], np.argwhere)
            g.case("searching:flatnonzero", [a], np.flatnonzero)
            for axis in [None, [0], [-1], list(range(len(shape)))]:
                g.case("searching:count_nonzero", [a], lambda a, axis: np.asarray(np.count_nonzero(a, axis=axis)), axis=axis)
        for name, b in layouts(c):
            if b.ndim:
                g.case("searching:nonzero", [b], np.nonzero)
            g.case("searching:argwhere", [b], np.argwhere)
        zero = np.zeros((), c)
        g.case("searching:argwhere", [zero], np.argwhere)
        g.case("searching:flatnonzero", [np.ones((), c)], np.flatnonzero)
    if TWO:
        g.case("searching:nonzero", [np.array(1)], np.nonzero)


def picking(g):
    for c in CHARS:
        for shape, conditions in [((7,), [(7,), (5,), (9,)]), ((2, 3), [(2, 3), (6,), (2, 2), (7,), (3, 2)]), ((), [(), (1,), (2,)])]:
            a = values(c, int(np.prod(shape))).reshape(shape)
            for condition in conditions:
                g.case("searching:extract", [found("?", condition), a], np.extract)
                g.case("searching:extract", [found(c, condition), a], np.extract)
        a = values(c, 24).reshape(2, 3, 4)
        for axis, n in [(0, 2), (1, 3), (1, 2), (2, 5), (-1, 4), (None, 20), (7, 2)]:
            for b in [a, a.transpose(2, 0, 1)[::-1]]:
                g.case("searching:compress", [found("?", (n,)), b], np.compress, axis=axis)
        g.case("searching:compress", [found("?", (2, 2)), a], np.compress, axis=0)
        for b in [b for _, b in layouts(c) if b.ndim] + [a.transpose(2, 0, 1), a[:, ::2]]:
            for n in range(1, 4):
                g.case("searching:mask", [b, found("?", b.shape[:n])], lambda a, m: a[m])
        g.case("searching:mask", [a, found("?", (2, 2))], lambda a, m: a[m])
        g.case("searching:mask", [a, found("?", (2, 3, 4, 1))], lambda a, m: a[m])
        g.case("searching:mask", [a, np.array(True)], lambda a, m: a[m])
        g.case("searching:mask", [a, np.array(False)], lambda a, m: a[m])


def special(c, n):
    a = values(c, n)
    if c in "efdFD":
        a[::5] = np.nan
        a[1::7] = np.inf
    if c in "FD":
        a.imag[::3] = np.nan
    return a


def sorted_(g):
    search = numbered(lambda a, v, side="left", sorter=None: np.asarray(np.searchsorted(a, v, side, sorter)), "sorter")
    for c in CHARS:
        a = special(c, 30)
        order = np.argsort(a, kind="stable")
        for d in [c, *"bLdD"]:
            v = special(d, 24).reshape(4, 6)
            for side in ("left", "right"):
                g.case("searching:searchsorted", [a[order], v], search, side=side)
                g.case("searching:searchsorted", [a, v.T, order.astype("l")], search, side=side, sorter=2)
        g.case("searching:searchsorted", [a[order][::-1][::-1], 2], search)
        g.case("searching:searchsorted", [a[order], 2.5], search, side="right")
        g.case("searching:searchsorted", [a[:0], values(c, 3)], search)
        g.case("searching:searchsorted", [a.reshape(5, 6), values(c, 3)], search)
    a = values("l", 5)
    for sorter in [np.arange(4), np.arange(5.0), np.arange(5) + 1, np.arange(5, dtype="B"), np.arange(5) > 1]:
        g.case("searching:searchsorted", [a, np.array([300]), sorter], search, sorter=2)
    digitize = lambda x, bins, right=False: np.asarray(np.digitize(x, bins, right))
    for c in CHARS:
        x = special(c, 24).reshape(4, 6)
        for d in ["l", "d", c]:
            bins = np.sort(values(d, 9))
            for right in (False, True):
                g.case("searching:digitize", [x, bins], digitize, right=right)
                g.case("searching:digitize", [x, bins[::-1]], digitize, right=right)
        g.case("searching:digitize", [x, values(c, 9)], digitize)
    nan = np.nan
    x = np.array([0.5, 1, nan, 3])
    for bins in [[], [1], [1, 1], [1, 1, 2], [2, 2, 1], [1, 2, 1], [2, 1, 2], [nan, 1], [1, 2, nan], [nan, nan]]:
        g.case("searching:digitize", [x, np.array(bins, float)], digitize)
    g.case("searching:digitize", [x, np.ones((2, 2))], digitize)


def bincounts(g):
    count = numbered(np.bincount, "weights")
    for c in CHARS:
        x = np.abs(values(c, 40)).astype(c)
        if c == "L" and not TWO:
            # NumPy 1.22 does not count these.
            continue
        for minlength in (0, 5, 200):
            g.case("searching:bincount", [x], count, minlength=minlength)
        g.case("searching:bincount", [x[:0]], count, minlength=3)
        g.case("searching:bincount", [x[::-2].reshape(4, 5)], count)
        for d in "?bLefdF":
            g.case("searching:bincount", [x, values(d, 40)], count, weights=1)
        g.case("searching:bincount", [x, values("d", 39)], count, weights=1)
    for x in [[1, -1, 2], [-5]]:
        g.case("searching:bincount", [np.array(x)], count)
    if TWO:
        g.case("searching:bincount", [np.array([1, 2**63], "L")], count)


def histograms(g):
    """The arithmetic of bins is that of NumPy 2."""
    if not TWO:
        return
    make = numbered(np.histogram, "weights", "bins")

    def call(x, count, **more):
        return np.histogram(x, bins=count, **more)

    for c in REAL:
        a = values(c, 60).reshape(6, 10)
        b = (a / 7).astype(c)
        for x in (a, b, a.T[::-1], a[:1, :1], a[:0]):
            for told in [{}, {"count": 7}, {"count": 3, "range": [-2.5, 5.25]}, {"count": 40}, {"count": 4, "density": True}]:
                told = dict(told)
                count = told.pop("count", 10)
                g.case("searching:histogram", [x], call, count=count, **told)
        for edges in [np.array([-3, 0, 1, 40]), np.array([-3.5, 0, 0, 2.25]), np.sort(values(c, 6)), np.array([1.0]), np.array([])]:
            g.case("searching:histogram", [a, edges], make, bins=1)
        g.case("searching:histogram", [a, np.array([-3, 0, 7, 40]) / 2], make, bins=1, density=True)
        for rule in ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]:
            # NumPy adds up the cubes in float16.
            if (c, rule) != ("e", "doane"):
                ruled = lambda x, rule, **more: np.histogram_bin_edges(x, bins=rule, **more)
                g.case("searching:histogram_bin_edges", [a], ruled, rule=rule)
                g.case("searching:histogram_bin_edges", [a], ruled, rule=rule, range=[2.0, 15.0])
        for d in "bHlefdFD":
            w = values(d, 60).reshape(6, 10)
            weighed = lambda x, w, count, weights: np.histogram(x, count, weights=w)
            g.case("searching:histogram", [a, w], weighed, count=5, weights=1)
            g.case("searching:histogram", [a, w, np.array([-3, 0, 5, 40])], make, weights=1, bins=2)
    for x, count, more in [
        ([1.0, np.nan], 3, {}),
        ([1.0, np.nan, 2.0], 3, {"range": [0.0, 4.0]}),
        ([1.0, np.inf], 3, {}),
        ([1.0], 3, {"range": [2.0, 1.0]}),
        ([1.0], 0, {}),
        ([3.5, 3.5], 4, {}),
        ([1e17, 1e17], 4, {}),
        ([1e17, 1e17 + 64], 40, {}),
    ]:
        g.case("searching:histogram", [np.array(x)], call, count=count, **more)
    big = np.array([-(2**63), 0, 2**63 - 1, 2**62, -5], "l")
    for x in (big, big.view("L"), np.array([-128, 127, 0, 5], "b"), np.array([0, 2**63, 2**64 - 1, 9], "L")):
        for count in (1, 3, 10, 100):
            g.case("searching:histogram", [x], call, count=count)
    # Numbers on and beside edges that are not binary fractions.
    for c in "efd":
        for count in (3, 7, 10, 49):
            line = np.linspace(0, 1, count + 1).astype(c)
            x = np.concatenate([line, np.nextafter(line, np.array(-1, c)), np.nextafter(line, np.array(2, c))])
            g.case("searching:histogram", [x], call, count=count)
            g.case("searching:histogram", [x], call, count=count, range=[0.0, 1.0])
            g.case("searching:histogram", [x], call, count=count, range=[0.1, 0.7])


def points(g):
    if not TWO:
        return
    dd = several(numbered(np.histogramdd, "weights"))
    for c in REAL:
        p = values(c, 60).reshape(20, 3)
        for told in [{"bins": 2}, {"bins": 3, "density": True}, {"bins": [2, 3, 4]}, {"bins": 2, "ranges": [[0.0, 5.5], None, [-1.0, 1.0]]}]:
            g.case("searching:histogramdd", [p], dd, **told)
        g.case("searching:histogramdd", [p[:, 0]], dd, bins=4)
        g.case("searching:histogramdd", [p[:0]], dd, bins=2)
        g.case("searching:histogramdd", [p], dd, bins=[2, 2])
        g.case("searching:histogramdd", [p, values("d", 20)], dd, bins=2, weights=1)
        flat = lambda x, y, **told: (lambda h, a, b: (h, a, b))(*np.histogram2d(x, y, **told))
        g.case("searching:histogram2d", [p[:, 0], p[:, 1]], flat, bins=3)
        g.case("searching:histogram2d", [p[:, 0], values("d", 20)], flat, bins=[2, 5])
        g.case("searching:histogram2d", [p[:, 0], p[:-1, 1]], flat, bins=3)


def taking(g):
    take = lambda a, i, axis=None, mode="raise": np.asarray(np.take(a, i, axis, mode=mode))
    for c in CHARS:
        for _, a in layouts(c):
            for axis in [None, 0, -1, 2, 5]:
                for mode in ("raise", "wrap", "clip"):
                    for i in [np.array([[1, 0], [-1, 1]]), np.array([2, 40, -50])]:
                        if c in "?ld" or axis == 0:
                            g.case("searching:take", [a, i], take, axis=axis, mode=mode)
    a = values("d", 12).reshape(3, 4)
    for d in REAL if TWO else "?bBhHiIl":
        g.case("searching:take", [a, np.array([1, 0, 2], d)], take, axis=1)
    for i in [np.array(1), np.zeros((2, 0), int)]:
        g.case("searching:take", [a, i], take, axis=0)
    for shape in [(0, 3), (3, 0)]:
        for axis in (0, 1):
            for i in ([0], [5], []):
                g.case("searching:take", [np.zeros(shape), np.array(i, int)], take, axis=axis)


def searching():
    g = Group("searching")
    places(g)
    picking(g)
    sorted_(g)
    taking(g)
    yield g
    g = Group("histograms")
    bincounts(g)
    histograms(g)
    points(g)
    yield g
