"""Golden data of the dtypes that the methods of universal functions take. A part of golden.py.

A table has a letter for each dtype of the operand: the result's dtype, or `!` where NumPy
raises TypeError.
"""

import numpy as np

from golden import CHARS, TWO, Group
from golden_options import letter

NAMES = (
    "add subtract multiply true_divide floor_divide remainder power maximum minimum equal less logical_and logical_or "
    "bitwise_and bitwise_or bitwise_xor logical_xor fmax fmod copysign gcd left_shift"
).split()


def tables(g):
    for name in NAMES:
        if name in ("equal", "less"):
            # With dtype=bool NumPy's answer depends on which calls it has seen before.
            continue
        for method in ("reduce", "accumulate", "reduceat"):
            f = getattr(getattr(np, name), method)
            more = ([0],) if method == "reduceat" else ()
            rows = (
                "".join(letter(f, np.ones(1, c), *more, **({} if d is None else {"dtype": d})) for c in CHARS)
                for d in (None, *CHARS)
            )
            g.table(f"folds:{name}:{method}", " ".join(rows))


def methods():
    if not TWO:
        return
    g = Group("methods")
    tables(g)
    yield g
