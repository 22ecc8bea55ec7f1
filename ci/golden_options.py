"""Golden data of the options of universal functions: out, where, dtype, casting, order. A part of golden.py.

Operands of a case are the function's own, then `out` and `where`: the parameters of these names are their numbers.
A table has a row of letters for each dtype of the first operand, a column for each of the second: the result's dtype, or
`!` where NumPy raises TypeError.
"""

import numpy as np

from golden import CHARS, COMPLEX, TWO, Group, char, values

CASTINGS = ("no", "safe", "same_kind", "unsafe")


def call(name):
    def run(*operands, out=None, where=None, **told):
        f = getattr(np, name)
        if out is not None:
            told["out"] = operands[out]
        if where is not None:
            told["where"] = operands[where]
        result = f(*operands[: f.nin], **told)
        if where is not None and out is None:
            # What NumPy finds in memory where it computes nothing.
            result[np.broadcast_to(~operands[where], result.shape)] = 0
        return result

    return run


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


def mask(shape, order="C"):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    return np.asarray((i * 7 % 5 > 1).reshape(shape), order=order)


def places(c):
    """Arrays of shape (2, 3, 4) to write to: name, array."""
    base = values(c, 192, 4)
    yield base[:24].reshape(2, 3, 4)
    yield base[:24].reshape(4, 3, 2).T
    yield base.reshape(4, 6, 8)[::2, ::2, ::2]
    yield base[:24].reshape(2, 3, 4)[::-1, :, ::-1]
    yield base[:24].reshape(3, 2, 4).transpose(1, 0, 2)
    yield np.broadcast_to(base[:4], (2, 3, 4))
    yield base[:48].reshape(2, 2, 3, 4)
    yield base[:12].reshape(3, 4)
    yield base[:12].reshape(1, 3, 4)


def options():
    if not TWO:
        return
    g = Group("options")
    tables(g)

    def case(name, operands, **told):
        g.case("call:" + name, operands, call(name), **told)

    # Every dtype to every other, by every rule.
    for a in CHARS:
        for b in CHARS:
            case("add", [values(a, 5), values(a, 5, 1), values(b, 5, 2)], out=2)
            case("multiply", [values(a, 5), values(a, 5, 1), values(b, 5, 2)], out=2, casting="unsafe")
            # Complex quotients and roots err, by units of their modulus, which their real part alone does not tell.
            if a not in COMPLEX and b not in COMPLEX:
                case("true_divide", [values(a, 4), values(b, 4, 1), values("f", 4, 2)], out=2, casting="unsafe")
            case("add", [values(a, 4), values(b, 4, 1)], dtype="i", casting="unsafe")
        for casting in CASTINGS:
            if a not in COMPLEX:
                case("sqrt", [values(a, 5), values("f", 5, 2)], out=1, casting=casting)
            case("maximum", [values(a, 5), values("h", 5, 1)], dtype="f", casting=casting)
        for dtype in "?bLed":
            case("less", [values(a, 5), values(a, 5, 1), values(dtype, 5, 2), mask(5)], out=2, where=3)
        case("add", [values(a, 5), values(a, 5, 1), mask(5)], where=2)
        case("negative", [values(a, 5), mask(5)], where=1)
        case("add", [values(a, 5), 3, values(a, 5, 2), mask(5)], out=2, where=3)
    # Layouts and shapes of out, masks of several shapes.
    a, b = values("h", 24).reshape(2, 3, 4), values("h", 4, 1)
    masks = [mask((2, 3, 4)), mask((2, 3, 4), "F"), mask((4,)), mask((3, 1)), mask(()), mask((2, 1, 1, 4)), mask((5,))]
    for c in "hd":
        for i in range(len(list(places(c)))):
            case("add", [a, b, list(places(c))[i]], out=2)
            for m in masks:
                case("multiply", [a, b, list(places(c))[i], m], out=2, where=3)
    # The order of a new result; the mask has its say.
    fortran = np.asfortranarray(a)
    row, column = values("h", 4)[None, :], values("h", 3)[:, None]
    for order in "CFAK":
        for operands in ([a, b], [fortran, b], [fortran, fortran], [a, fortran], [row, column], [fortran, column],
                         [fortran, row], [fortran, 2], [values("h", 24).reshape(3, 2, 4).transpose(1, 0, 2), b]):
            case("add", operands, order=order)
            for m in masks[:6]:
                case("add", [*operands, m], order=order, where=2)
    # Overlap: as if the operands had been copied before.
    for name in ("add", "subtract", "power"):
        for c in "bHd":
            line = np.abs(values(c, 9)) % 3
            for x, y in ((line[:-1].copy(), None), (line[1:].copy(), line[:-1]), (line[:-1].copy(), line[1:]),
                         (line[::-1].copy(), line), (line[2:-2].copy(), line[4:])):
                x = x if y is None else np.lib.stride_tricks.as_strided(line, x.shape, line.strides)
                case(name, [x, x, line[: len(x)] if y is None else y[: len(x)]], out=2)
    for n in (1, 2):
        square = values("d", 16).reshape(4, 4)
        case("add", [square, square[0], square.T], out=2)
        square = values("?", 16).reshape(4, 4)
        case("logical_or", [square[:, :2], square[:, 2:], square[:, 1:3], square[:, 2:].copy()], out=2, where=n)
    # What is refused, and with what it is refused first.
    one, i4 = values("d", 3), values("i", 3)
    frozen = np.broadcast_to(values("d", 1), 3)
    for name, operands, told in (
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
        ("less", [values("B", 3), 2**70, values("d", 3), mask(3)], {"out": 2, "where": 3}),
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
        case(name, operands, **told)
    yield g
