"""Golden data of arrays that are computed from their indices, of grids and of indices. A part of golden.py.

A case is routine:NAME where the bits are NumPy's, made:NAME where the oracle knows how far they may be off. What it is told
stands in the parameter `told`, in the notation of matrix.yaml.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, special, values
from golden_sorting import text

OURS = {"?": "bool", "b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "L": "u64",
        "e": "f16", "f": "f32", "d": "f64", "F": "c64", "D": "c128"}  # fmt: skip


def told(parameters):
    """As matrix.yaml writes it."""
    return ";".join(f"{k}={OURS[v] if k == 'dtype' else v if isinstance(v, str) else text(v)}" for k, v in parameters.items())


def record(g, name, operands=(), f=None, made=False, told_as=None, **parameters):
    f = f or getattr(np, name)
    kind = "made:" if made else "routine:"
    shown = told(parameters) if told_as is None else told_as
    g.case(kind + name, list(operands), lambda *a, **_: f(*a, **parameters), told=shown)


def ranges():
    g = Group("ranges")
    rng = np.random.default_rng(7)
    for i in range(120):
        start, stop = (float(x) for x in rng.normal(size=2) * 10.0 ** rng.integers(-3, 6, 2))
        num = int(rng.integers(0, 60))
        record(g, "linspace", start=start, stop=stop, num=num, endpoint=bool(i % 3))
    for c in CHARS:
        for start, stop, num in ((0, 1, 7), (-3, 3, 5), (0.1, 40.7, 23), (5, -2, 2), (1, 9, 1), (1, 9, 0), (250.5, 260.25, 9)):
            if c in "BHIL" and (start < 0 or stop < 0):
                continue
            if c in "bB" and stop > 100:
                continue
            record(g, "linspace", start=start, stop=stop, num=num, dtype=c)
        for a, b in ((values(c, 6), values(c, 6, 3)), (values(c, 6).reshape(2, 3).T, values(c, 2, 1)), (values(c, 3), np.array(values(c, 1)[0]))):
            if c in "FD":
                continue
            for axis in (0, -1):
                for endpoint in (True, False):
                    record(g, "linspace.arrays", [a, b], np.linspace, num=5, axis=axis, endpoint=endpoint)
    record(g, "linspace", start=0, stop=5e-324, num=5)
    record(g, "linspace", start=0, stop=1e-320, num=900, endpoint=False)
    for axis in (1, -1, -2):
        record(g, "linspace", start=0, stop=1, num=3, axis=axis)
    for start, stop, num in ((0.1, 1.3, 7), (-12, 9, 33), (0, 3, 4)):
        for base in (10.0, 2.0, 0.7):
            record(g, "logspace", made=True, start=start, stop=stop, num=num, base=base)
        record(g, "logspace", made=True, start=start, stop=stop, num=num, endpoint=False)
    for start, stop, num in ((1.5, 40, 6), (-3, -7e9, 14), (1e-9, 1e12, 30), (7, 9, 1), (7, 9, 0), (256, 1, 9)):
        for endpoint in (True, False):
            record(g, "geomspace", made=True, start=start, stop=stop, num=num, endpoint=endpoint)
    record(g, "geomspace", made=True, start=0, stop=1, num=3)
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        for m in (-2, 0, 1, 2, 3, 12, 33):
            record(g, name, made=True, M=m)
    for m in (0, 1, 2, 5, 12, 51):
        for beta in (0.0, 2.5, 8.6, 14.0):
            record(g, "kaiser", made=True, M=m, beta=beta)
    yield g


def matrices():
    g = Group("matrices")
    for c in "?lfD":
        for n, m, k in ((3, None, 0), (4, 7, 1), (7, 4, -2), (3, 3, 9), (0, 3, 0)):
            told = {"N": n, **({} if m is None else {"M": m}), "k": k, "dtype": c}
            record(g, "eye", **told)
            record(g, "tri", **told)
        for _, a in [*layouts(c), ("stack", values(c, 24).reshape(2, 3, 4)), ("turned", values(c, 24).reshape(2, 3, 4).transpose(1, 2, 0)), ("line", values(c, 5)), ("special", special(c)), ("empty", values(c, 0).reshape(0, 3))]:
            for k in (0, 1, -1, 7):
                for name in ("tril", "triu", "diag", "diagflat"):
                    if name != "diagflat" or a.size < 20:
                        record(g, name, [a], k=k)
        small = values(c, 4) if c == "?" else (np.arange(4) - (0 if c in "BHIL" else 2)).astype(c)
        for n in (None, 0, 1, 3):
            for increasing in (False, True):
                told = {**({} if n is None else {"N": n}), "increasing": increasing}
                record(g, "vander", [small], made=True, **told)
    record(g, "diag", [np.array(3.0)])
    record(g, "tril", [np.array(3.0)])
    for n, k, m in ((5, 0, None), (4, 1, 7), (7, -2, 3), (3, 9, None), (4, -9, None), (5, 0, 0), (33, 3, 35)):
        told = {"n": n, "k": k, **({} if m is None else {"m": m})}
        record(g, "tril_indices", **told)
        record(g, "triu_indices", **told)
    for xi in ((values("d", 3), values("d", 4)), (values("i", 3), values("f", 2)), (np.array(1.5), values("b", 3)), (values("d", 0), values("d", 2)), (values("d", 6).reshape(2, 3).T, values("d", 2))):
        for indexing in ("xy", "ij"):
            for sparse in (False, True):
                for copy in (False, True):
                    record(g, "meshgrid", xi, lambda *a, **t: tuple(np.meshgrid(*a, **t)), indexing=indexing, sparse=sparse, copy=copy)
        record(g, "ix_", xi, np.ix_)
    record(g, "ix_", [np.array([True, False, True]), np.array([4, 2])])
    for shape in ((4, 3), (33, 5, 7), (5,), (0, 4)):
        for sparse in (False, True):
            record(g, "indices", dimensions=shape, sparse=sparse)
    for key in ("[0:5:1,0:3:1]", "[0:5:2,-1:1:3j]", "[0.5:3:0.7,2:-7:-4,1:9:1j]", "[0:1:0.1,0:1:11j]"):
        for name in ("mgrid", "ogrid"):
            record(g, name, f=lambda name=name, key=key: eval(f"np.{name}{key}"), told_as=f"key={key}")  # noqa: S307
    yield g


def choices():
    g = Group("choices")
    for c in "bilefFD?":
        a = [values(c, 6, k).reshape(2, 3) for k in range(2)]
        index = np.array([[0, 1, 1], [1, 0, 1]])
        for mode in ("raise", "wrap", "clip"):
            for i in (index, index - 1, index.astype("b") + 2, index.T.copy().T):
                record(g, "choose", [i, *a], lambda i, *a, mode: np.choose(i, a, mode=mode), mode=mode)
        record(g, "choose", [np.array([1, 0, 1]), *a], lambda i, *a: np.choose(i, a))
        record(g, "choose", [index.astype("d"), *a], lambda i, *a: np.choose(i, a))
        conditions = [index[0] > 0, index == 1]
        for default in (0, 5):
            record(g, "select", [*conditions, *a[:2]], lambda p, q, x, y, default: np.select([p, q], [x, y], default), default=default)
        for mask in (index > 0, index * 1.5):
            for vals in (values(c, 2), values(c, 9), values(c, 0)):
                def placed(x, m, v):
                    x = x.copy()
                    np.place(x, m, v)
                    return x
                record(g, "place", [a[0], mask, vals], placed)
        for shape in ((3, 3), (3, 7), (9, 4), (8, 3), (3, 3, 3), (2, 3, 3), (4,)):
            for v in (np.array(values(c, 1)[0]), values(c, 2), values(c, 0)):
                for wrap in (False, True):
                    def filled(x, v, wrap):
                        x = x.copy()
                        np.fill_diagonal(x, v, wrap=wrap)
                        return x
                    record(g, "fill_diagonal", [np.resize(values(c, 20), shape), v], filled, wrap=wrap)
    i, j = np.array([[1, 3, 0], [2, 2, 1]]), np.array([4, 0, 2])
    for told in ({"dims": (4, 5)}, {"dims": (4, 5), "order": "F"}, {"dims": (3, 2), "mode": "wrap"}, {"dims": (3, 2), "mode": "clip"}, {"dims": (3, 3)}, {"dims": (0, 5)}):
        for x, y in ((i, j), (i.astype("b"), j.astype("H")), (np.asfortranarray(i), j), (i - 2, j), (i * 1.0, j)):
            record(g, "ravel_multi_index", [x, y], lambda x, y, **t: np.ravel_multi_index((x, y), **t), **told)
    for n in (np.arange(12), np.arange(12).reshape(3, 4).T, np.array(5), np.arange(0), np.arange(6)[::-2], np.arange(14), np.arange(3) - 1, np.arange(3) * 1.0):
        for order in ("C", "F"):
            for shape in ((3, 4), (2, 3, 2), (12,)):
                record(g, "unravel_index", [n], shape=shape, order=order)
    yield g


def groups():
    if TWO:
        for make in (ranges, matrices, choices):
            yield from make()
