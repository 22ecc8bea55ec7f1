"""Golden data of sorts, sets, medians and quantiles. A part of golden.py.

The function of a case is routine:NAME, and the parameter `told` is what it is told, in the notation of matrix.yaml.
"""

import numpy as np

from golden import CHARS, FLOATS, TWO, Group, layouts, special, values

METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased "
    "normal_unbiased lower higher midpoint nearest"
).split()


def text(value):
    if isinstance(value, (list, tuple)):
        return "(" + "".join(repr(v) + "," for v in value) + ")" if len(value) == 1 else "(" + ",".join(map(repr, value)) + ")"
    return {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)


def record(g, name, operands, f, **told):
    """Records what f makes of the operands and of what it is told."""
    parameters = ";".join(f"{k}={text(v)}" for k, v in told.items())
    g.case("routine:" + name, operands, lambda *a, **_: f(*a, **told), told=parameters)


def repeated(c, n):
    """Ordinary and special values, many of them equal."""
    v = np.concatenate([values(c, 17), special(c)])
    return v[(np.arange(n) * 31 + 7) % len(v)]


def sorting():
    g = Group("sorting")

    def sort(a, axis=-1):
        return np.sort(a, axis=axis, kind="stable")

    def argsort(a, axis=-1):
        return np.argsort(a, axis=axis, kind="stable")

    for c in CHARS:
        for a in (repeated(c, 60), repeated(c, 60).reshape(5, 12), special(c)[::-1], values(c, 0), values(c, 6).reshape(2, 3)):
            record(g, "sort", [a], sort)
            record(g, "argsort", [a], argsort)
        for _, a in layouts(c):
            for axis in (0, 1, -1, None):
                record(g, "sort", [a], sort, axis=axis)
                record(g, "argsort", [a], argsort, axis=axis)
        record(g, "sort_complex", [repeated(c, 20)], np.sort_complex)
        record(g, "sort_complex", [values(c, 12).reshape(3, 4).T], np.sort_complex)
        for d in "bdF":
            for axis in (-1, 0):
                keys = [repeated(c, 24).reshape(4, 6) % 3 if c in "bBhHiIlL" else repeated(c, 24).reshape(4, 6), repeated(d, 24).reshape(4, 6)]
                record(g, "lexsort", keys, lambda *k, axis: np.lexsort(k, axis=axis), axis=axis)
    zero_d = np.array(3.0)
    for axis in (-1, 0, 1, None):
        record(g, "sort", [zero_d], sort, axis=axis)
        record(g, "argsort", [zero_d], argsort, axis=axis)
        record(g, "partition", [zero_d], lambda a, kth, axis: np.partition(a, kth, axis), kth=0, axis=axis)
        record(g, "argpartition", [zero_d], lambda a, kth, axis: np.argpartition(a, kth, axis), kth=0, axis=axis)
        if axis is not None:
            record(g, "lexsort", [zero_d, zero_d], lambda *k, axis: np.lexsort(k, axis=axis), axis=axis)
    record(g, "lexsort", [values("d", 3), values("d", 4)], lambda *k: np.lexsort(k))
    # NumPy leaves the order beside the positions open: here they are all positions.
    for c in "bfD":
        a = repeated(c, 6).reshape(2, 3)
        record(g, "partition", [a], lambda a, kth: np.partition(a, kth), kth=(0, 1, 2))
    for kth in (3, -4, (0, 5)):
        record(g, "partition", [values("d", 6).reshape(2, 3)], lambda a, kth: np.partition(a, kth), kth=kth)
        record(g, "argpartition", [values("d", 6).reshape(2, 3)], lambda a, kth: np.argpartition(a, kth), kth=kth)
        record(g, "partition", [values("d", 0).reshape(0, 3)], lambda a, kth: np.partition(a, kth), kth=kth)
    yield g


def sets():
    g = Group("sets")

    def unique(a, index=False, inverse=False, counts=False, axis=None, equal_nan=True):
        return np.unique(a, return_index=index, return_inverse=inverse, return_counts=counts, axis=axis, equal_nan=equal_nan)

    for c in CHARS:
        for a in (repeated(c, 60), repeated(c, 60)[::-1].reshape(5, 12), special(c)[::-1], values(c, 0)):
            for told in ({}, {"index": True}, {"inverse": True}, {"counts": True}, {"index": True, "inverse": True, "counts": True},
                         {"counts": True, "equal_nan": False}):
                record(g, "unique", [a], unique, **told)
        for _, a in layouts(c):
            record(g, "unique", [a], unique, index=True, inverse=True, counts=True)
            for axis in (0, 1, -1):
                record(g, "unique", [a], unique, axis=axis)
                record(g, "unique", [a], unique, axis=axis, index=True, inverse=True, counts=True)
        rows = repeated(c, 4)[(np.arange(24) * 7 // 5) % 4].reshape(8, 3)
        record(g, "unique", [rows], unique, axis=0, index=True, inverse=True, counts=True)
        for d in sorted({c, *"BhdF"}):
            # Unlike dtypes with numbers that both hold: others become equal on the way, and NumPy asks after each apart.
            x, y = (repeated(c, 20), repeated(d, 30)[3:]) if c == d else (values(c, 20), values(d, 30, 1)[3:])
            record(g, "union1d", [x, y], np.union1d)
            record(g, "setxor1d", [x, y], np.setxor1d)
            record(g, "setdiff1d", [x, y], np.setdiff1d)
            record(g, "intersect1d", [x, y], np.intersect1d)
            record(g, "intersect1d", [x.reshape(4, 5), y], lambda a, b, indices: np.intersect1d(a, b, return_indices=indices), indices=True)
            record(g, "isin", [x.reshape(4, 5), y], np.isin)
            record(g, "isin", [x, y.reshape(3, 9)], lambda a, b, invert: np.isin(a, b, invert=invert), invert=True)
            for f in ("setxor1d", "setdiff1d", "intersect1d"):
                call = getattr(np, f)
                told = {"assume_unique": True}
                record(g, f, [values(c, 5), values(d, 7, 1)], lambda a, b, assume_unique, call=call: call(a, b, assume_unique=assume_unique), **told)
    empty = values("d", 0)
    for f in (np.union1d, np.setxor1d, np.setdiff1d, np.intersect1d, np.isin):
        for x, y in ((empty, empty), (empty, values("d", 3)), (values("f", 3), empty), (np.array(1.0), values("d", 3))):
            record(g, f.__name__, [x, y], f)
    for shape, axis in (((0, 3), 0), ((0, 3), 1), ((3, 0), 0), ((3, 0), 1), ((), 0), ((4,), -1), ((4,), 1), ((2, 3), 2)):
        record(g, "unique", [values("d", int(np.prod(shape))).reshape(shape)], unique, axis=axis, index=True, inverse=True, counts=True)
    yield g


def plain(q):
    """Several quantiles are an array of float64; one is a number."""
    return np.array(q, "d") if isinstance(q, tuple) else q


def quantiles():
    g = Group("quantiles")

    def call(f):
        def run(a, *weights, q=None, of=None, axis=None, **told):
            if weights:
                told["weights"] = weights[0]
            if q is None:
                return f(a, axis=axis, **told)
            return f(a, plain(q) if of is None else np.array(q, {"f32": "f", "f16": "e"}[of]), axis=axis, **told)

        return run

    for name in ("median", "nanmedian"):
        f = call(getattr(np, name))
        for c in CHARS:
            for a in (values(c, 1), values(c, 7), values(c, 8), repeated(c, 41), special(c), repeated(c, 60).reshape(5, 12)):
                record(g, name, [a], f)
                record(g, name, [a], f, axis=0)
            for layout, a in layouts(c) if c in "?hefdD" else ():
                if name == "nanmedian" and layout == "broadcast":
                    # Its way through masked arrays gives the result another order in memory.
                    continue
                for told in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}, {"axis": (2, 0), "keepdims": True}, {"axis": ()}):
                    record(g, name, [a], f, **told)
        record(g, name, [values("d", 3)], f, axis=1)
    for name in ("quantile", "nanquantile"):
        f = call(getattr(np, name))
        for c in CHARS:
            for a in (values(c, 1), values(c, 8), repeated(c, 41)):
                for method in METHODS if name == "quantile" or c in FLOATS else ():
                    for q in (0.37, (0.0, 0.25, 0.5, 0.75, 1.0)):
                        record(g, name, [a], f, q=q, method=method)
                record(g, name, [a], f, q=1)
                for of in ("f32", "f16"):
                    record(g, name, [a], f, q=(0.1, 0.6), of=of)
            for _, a in layouts(c) if c in "hef" else ():
                for told in ({"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}, {"axis": (2, 0), "keepdims": True}, {"axis": ()}):
                    record(g, name, [a], f, q=0.3, **told)
                    record(g, name, [a], f, q=(0.3, 0.9), **told)
        for q in (1.5, -0.1, (0.2, 7.0), ()):
            record(g, name, [values("d", 3)], f, q=q)
        record(g, name, [values("d", 3)], f, q=0.5, axis=1)
        record(g, name, [values("d", 3)], f, q=0.5, method="middle")
        for c in FLOATS + "hB":
            a, w = repeated(c, 24).reshape(4, 6), (np.arange(24.0) % 5).reshape(4, 6)
            weighted = lambda a, *told, **more: f(a, *told, **more)
            told = {"method": "inverted_cdf"}
            record(g, "weighted_" + name, [a, w], weighted, q=0.4, **told)
            record(g, "weighted_" + name, [a, w], weighted, q=(0.0, 0.4, 1.0), **told)
            record(g, "weighted_" + name, [a, w], weighted, q=0.4, axis=0, **told)
            if name == "quantile":
                record(g, "weighted_" + name, [a, w], weighted, q=(0.0, 0.4, 1.0), axis=0, **told)
                record(g, "weighted_" + name, [a, w[0]], weighted, q=(0.0, 0.4, 1.0), axis=1, **told)
            record(g, "weighted_" + name, [a, w[:, 1:3] + 1], weighted, q=0.5, axis=1, **told)
            record(g, "weighted_" + name, [a, w[0]], weighted, q=0.5, **told)
            record(g, "weighted_" + name, [a, -w], weighted, q=0.5, axis=1, **told)
            record(g, "weighted_" + name, [a, w], weighted, q=0.5, axis=1)
        record(g, "weighted_" + name, [values("d", 4), np.zeros(4)], f, q=0.5, method="inverted_cdf")
    for name in ("percentile", "nanpercentile"):
        f = call(getattr(np, name))
        for c in CHARS:
            record(g, name, [values(c, 9)], f, q=37)
            record(g, name, [values(c, 9)], f, q=37.5)
            record(g, name, [repeated(c, 12).reshape(3, 4)], f, q=(0.0, 12.5, 99.0), axis=0)
        record(g, name, [values("d", 9)], f, q=100.5)
    for shape in ((0,), (0, 3), (3, 0)):
        for axis in (None, 0, len(shape) - 1):
            for name in ("median", "nanmedian"):
                record(g, name, [values("f", 0).reshape(shape)], call(getattr(np, name)), axis=axis)
            for name in ("quantile", "nanquantile"):
                record(g, name, [values("f", 0).reshape(shape)], call(getattr(np, name)), q=0.5, axis=axis)
    yield g


def groups():
    yield from sorting()
    if TWO:
        yield from sets()
        yield from quantiles()
