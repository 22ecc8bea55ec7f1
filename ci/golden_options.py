"""Golden data of the dtypes and the casts that universal functions are told. A part of golden.py.

A table has a row of letters for each dtype of the first operand, a column for each of the second: the result's dtype, or
`!` where NumPy raises TypeError.
"""

import numpy as np

from golden import CHARS, TWO, Group, char

CASTINGS = ("no", "safe", "same_kind", "unsafe")


def letter(f, *arguments, **told):
    try:
        return char(f(*arguments, **told).dtype)
    except TypeError:
        return "!"


def tables(g):
    for name in "add true_divide less logical_and bitwise_and power subtract sqrt absolute negative".split():
        f = getattr(np, name)
        for dtype in (None, *"?bBlLefdD"):
            for casting in CASTINGS:
                told = {"casting": casting, **({} if dtype is None else {"dtype": dtype})}
                firsts = CHARS if f.nin == 2 else "?"
                rows = (
                    "".join(letter(f, *(np.ones(1, c) for c in (a + b)[-f.nin :]), **told) for b in CHARS) for a in firsts
                )
                g.table(f"loops:{name}:{dtype or ''}:{casting}", " ".join(rows))
    for name in ("add", "less", "logical_and"):
        for casting in CASTINGS:
            f = getattr(np, name)
            rows = (
                "".join(letter(f, np.ones(1, a), np.ones(1, a), out=np.ones(1, b), casting=casting) for b in CHARS)
                for a in CHARS
            )
            g.table(f"outs:{name}:{casting}", " ".join(rows))


def options():
    if not TWO:
        return
    g = Group("options")
    tables(g)
    yield g
