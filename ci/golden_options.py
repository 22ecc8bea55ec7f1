"""Golden data of the options of universal functions and of their methods: which loop runs, and what is rejected first.

A part of golden.py. Operands of a case are the function's own, then `out` and `where`: the parameters of these names are
their numbers. A table has a row of letters for each dtype of the first operand, or for each `dtype` that is requested, a
column for each dtype of the last operand: the result's dtype, or `!` where NumPy raises TypeError.
"""

import numpy as np

from golden import CHARS, TWO, Group, char, values

CASTINGS = ("no", "safe", "same_kind", "unsafe")
FOLDS = (
    "add subtract multiply true_divide floor_divide remainder power maximum minimum logical_and logical_or bitwise_and "
    "bitwise_or bitwise_xor logical_xor fmax fmod copysign gcd left_shift"
).split()


def call(name):
    def run(*operands, out=None, where=None, **options):
        f = getattr(np, name)
        if out is not None:
            options["out"] = operands[out]
        if where is not None:
            options["where"] = operands[where]
        result = f(*operands[: f.nin], **options)
        if where is not None and out is None:
            # What NumPy finds in memory where it computes nothing.
            result[np.broadcast_to(~operands[where], result.shape)] = 0
        return result

    return run


def letter(f, *arguments, **options):
    try:
        return char(f(*arguments, **options).dtype)
    except TypeError:
        return "!"


def tables(g):
    for name in "add true_divide less logical_and bitwise_and power subtract sqrt absolute negative".split():
        f = getattr(np, name)
        for dtype in (None, *"?bBlLefdD"):
            for casting in CASTINGS:
                options = {"casting": casting, **({} if dtype is None else {"dtype": dtype})}
                firsts = CHARS if f.nin == 2 else "?"
                rows = ("".join(letter(f, *(np.ones(1, c) for c in (a + b)[-f.nin :]), **options) for b in CHARS) for a in firsts)
                g.table(f"loops:{name}:{dtype or ''}:{casting}", " ".join(rows))
    for name in ("add", "less", "logical_and"):
        for casting in CASTINGS:
            f = getattr(np, name)
            rows = ("".join(letter(f, np.ones(1, a), np.ones(1, a), out=np.ones(1, b), casting=casting) for b in CHARS) for a in CHARS)
            g.table(f"outs:{name}:{casting}", " ".join(rows))
    # Not of comparisons: with dtype=bool NumPy's answer depends on which calls it has seen before.
    for name in FOLDS:
        for method in ("reduce", "accumulate", "reduceat"):
            f = getattr(getattr(np, name), method)
            more = ([0],) if method == "reduceat" else ()
            rows = ("".join(letter(f, np.ones(1, c), *more, **({} if d is None else {"dtype": d})) for c in CHARS) for d in (None, *CHARS))
            g.table(f"folds:{name}:{method}", " ".join(rows))


def options():
    if not TWO:
        return
    g = Group("options")
    tables(g)

    def case(name, operands, **options):
        g.case("call:" + name, operands, call(name), **options)

    # What is rejected, and with what it is rejected first.
    one, i4 = values("d", 3), values("i", 3)
    frozen = np.broadcast_to(values("d", 1), 3)
    for name, operands, options in (
        ("add", [one, one, values("i", 3)], {"where": 2}),
        ("add", [one, one, values("i", 3), values("i", 4)], {"where": 2, "out": 3}),
        ("add", [one, one, frozen], {"out": 2}),
        ("add", [values("B", 3), 300, values("?", 3)], {"out": 2}),
        ("add", [values("B", 3), 300, values("B", 2)], {"out": 2}),
        ("add", [values("B", 3), 300, frozen], {"out": 2}),
        ("add", [one, 300], {"dtype": "B"}),
        ("add", [one, 300], {"dtype": "B", "casting": "unsafe"}),
        ("add", [values("b", 3), 2.5], {"dtype": "h"}),
        ("add", [values("b", 3), 2.5], {"dtype": "h", "casting": "unsafe"}),
        ("add", [values("b", 3), 300], {"dtype": "h", "casting": "safe"}),
        ("add", [values("f", 3), 2.5], {"dtype": "f", "casting": "no"}),
        ("add", [values("f", 3), 2], {"casting": "no"}),
        ("add", [values("f", 3), 1j], {"dtype": "f"}),
        ("add", [values("f", 3), 1j], {"dtype": "f", "casting": "unsafe"}),
        ("add", [one, values("d", 2)], {"dtype": "B"}),
        ("add", [one, values("d", 2), values("i", 3)], {"out": 2}),
        ("power", [i4, np.array([1, -1, 2], "i")], {}),
        ("power", [i4, np.array([1, -1, 2], "i"), np.array([True, False, True])], {"where": 2}),
        ("power", [i4, np.array([1, -1, 2], "i"), np.array([True, True, False])], {"where": 2}),
        ("power", [i4, -1, np.zeros(3, "?")], {"where": 2}),
        ("power", [values("i", 0), -1], {}),
        ("power", [i4, np.array([1, -1, 2], "i"), values("i", 2)], {"out": 2}),
        ("power", [i4, np.array([1, -1, 2], "i"), values("I", 3)], {"out": 2}),
        ("power", [i4, np.array([1.0, -1.5, 2.0])], {"dtype": "i", "casting": "unsafe"}),
        ("power", [i4, np.array([1, 2**63, 2], "L")], {"dtype": "l"}),
        ("less", [values("B", 3), 300], {"casting": "no"}),
        ("less", [values("B", 3), 300], {"dtype": "?", "casting": "no"}),
        ("less", [values("B", 3), 300], {"dtype": "d"}),
        ("less", [values("B", 3), -1, values("d", 3)], {"out": 2}),
        ("less", [values("B", 3), 2**70, values("d", 3)], {"out": 2, "casting": "no"}),
        ("less", [values("B", 3), 2**70, values("d", 3), np.array([False, True, False])], {"out": 2, "where": 3}),
        ("greater", [values("B", 3), 2**70], {"dtype": "d"}),
        ("less", [values("?", 3), 3], {"casting": "no"}),
        ("less", [values("?", 3), 300], {"casting": "no"}),
        ("less", [i4, 2.5], {"casting": "no"}),
        ("true_divide", [values("b", 3), 300], {}),
        ("true_divide", [values("b", 3), 2**70], {"dtype": "f"}),
        ("true_divide", [values("b", 3), 300], {"casting": "no"}),
        ("true_divide", [values("b", 3), 3], {"casting": "no"}),
        ("logical_and", [values("b", 3), 300], {"casting": "no"}),
        ("logical_or", [values("b", 3), 256], {}),
        ("logical_and", [values("b", 3), 2**70], {}),
        ("logical_and", [one, one, values("d", 3)], {"out": 2, "casting": "no"}),
        ("subtract", [values("?", 3), values("?", 3)], {"dtype": "i"}),
        ("subtract", [values("?", 3), True], {"dtype": "i"}),
        ("subtract", [values("?", 3), values("?", 3)], {"dtype": "?"}),
    ):
        case(name, operands, **options)
    yield g
