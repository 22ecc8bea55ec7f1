"""Golden data of ufunc.at: elements changed in place. A part of golden.py.

The function of a case is at:NAME. The operands are the array, the second operand where there is one, and an array of indices
for each of the first axes, `indices` of them; the result is the array as it is afterwards.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, values
from golden_methods import natural

NAMES = "add subtract multiply floor_divide power maximum fmin less logical_and bitwise_xor true_divide negative sqrt divmod".split()


def call(name):
    def run(a, *rest, indices):
        with_ = rest[: len(rest) - indices]
        where = tuple(rest[len(rest) - indices :])
        a = a.copy(order="K")
        getattr(np, name).at(a, where, *with_)
        return a

    return run


def at():
    if not TWO:
        return
    g = Group("at")

    def case(name, operands, indices):
        g.case(f"at:{name}", [*operands, *indices], call(name), indices=len(indices))

    i = np.array([0, 2, -1, 0, 0, 1])
    for name in NAMES:
        for c in CHARS:
            a = natural(c, (4,), 1)
            case(name, [a] if name in ("negative", "sqrt") else [a, np.maximum(natural(c, (6,), 2), 1).astype(c)], [i])
        # In pairs: of the array, of the operand.
        for a, b in ("bd", "fe", "ed", "Bl", "lL", "?i", "hD"):
            case(name, [natural(a, (4,), 1), natural(b, (6,), 2) + 1], [i])
    for _, a in layouts("h"):
        if a.ndim and a.shape[0] > 1 and 0 not in a.strides:
            j = np.array([0, 1, -1, 0])
            case("add", [a, 3], [j])
            if a.ndim > 1:
                case("subtract", [a, np.asfortranarray(natural("h", (4, *a.shape[1:])))], [j])
                case("add", [a, 2.5], [j[:, None], np.array([0, -1, 0])])
    a, b = values("f", 12).reshape(4, 3), values("f", 3)
    for index in (np.array([], int), np.array(2), np.array([[0, 1], [3, -4]]), np.array([0, 4]), np.array([-5]), np.array([1.0]), i.astype("u1")):
        case("add", [a, b], [index])
        case("add", [a, b[:2]], [index])
    case("add", [a, b], [i, i, i])
    case("add", [a], [i])
    case("negative", [a, b], [i])
    case("power", [natural("i", (4,)), np.array([2, -1])], [i[:2]])
    yield g
