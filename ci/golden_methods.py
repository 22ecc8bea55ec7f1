"""Golden data of the methods of universal functions: reduce, accumulate, reduceat, outer. A part of golden.py.

The function of a case is METHOD:NAME. The operands are the method's own, then `out` and `where`: the parameters of these
names are their numbers.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, values

NAMES = (
    "add subtract multiply true_divide floor_divide remainder power maximum minimum equal less logical_and logical_or "
    "bitwise_and bitwise_or bitwise_xor logical_xor fmax fmod copysign gcd left_shift"
).split()


def call(name, method):
    def run(*operands, out=None, where=None, indices=None, **options):
        if out is not None:
            options["out"] = operands[out]
        if where is not None:
            options["where"] = operands[where]
        if isinstance(options.get("initial"), str):
            options["initial"] = complex(options["initial"]) if "j" in options["initial"] else float(options["initial"])
        count = 2 if method == "outer" else 1
        more = () if indices is None else (np.array(indices, int),)
        result = getattr(getattr(np, name), method)(*operands[:count], *more, **options)
        if where is not None and out is None and method == "outer":
            result[np.broadcast_to(~operands[where], result.shape)] = 0
        return result

    return run


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


def natural(c, shape, shift=0):
    """Small numbers that are not negative, so that powers and quotients of integers are defined."""
    i = (np.arange(int(np.prod(shape)), dtype=np.int64) * 37 + 11 + shift * 5) % 101 % 4
    return i.astype(c).reshape(shape)


def methods():
    if not TWO:
        return
    g = Group("methods")

    def case(method, name, operands, **options):
        g.case(f"{method}:{name}", operands, call(name, method), **options)

    for name in NAMES:
        for c in CHARS:
            a = natural(c, (4, 3)) if name == "power" else values(c, 12).reshape(4, 3)
            case("reduce", name, [a], axis=[0])
            case("accumulate", name, [a], axis=1)
            case("reduceat", name, [a], axis=0, indices=[1, 3, 0])
        for c in "bd":
            a = natural(c, (2, 3, 4), 1)
            case("accumulate", name, [a], axis=-2)
            for axis in ([1], [-1], None, [0, 2], [], [3], [1, 1]):
                case("reduce", name, [a], axis=axis)
                case("reduce", name, [a], axis=axis, keepdims=True)
            for shape, axis in (((0, 3), [0]), ((0, 3), [1]), ((0,), [0]), ((), None), ((), [0]), ((), [-1]), ((), [1]), ((1, 2), None)):
                case("reduce", name, [natural(c, shape)], axis=axis)
                case("reduce", name, [natural(c, shape)], axis=axis, initial=3)
            for shape in ((0, 3), (2, 0), (), (1, 3)):
                case("accumulate", name, [natural(c, shape)], axis=0)
                case("reduceat", name, [natural(c, shape)], axis=0, indices=[0])
            for initial in (2, True, 1.5, 300, -1, "1j", "nan", "inf"):
                case("reduce", name, [natural(c, (3, 2))], axis=[0], initial=initial)
            for m in (mask((3, 4)), mask((4,)), mask((3, 1), "F"), mask(()), mask((2, 3, 4)), mask((5,)), natural("i", (4,))):
                a = natural(c, (3, 4))
                case("reduce", name, [a, m], axis=[0], where=1)
                case("reduce", name, [a, m], axis=[1], where=1, initial=1)
                case("reduce", name, [a, m], axis=None, where=1, keepdims=True)
            for d in "?hLfD":
                case("reduce", name, [natural(c, (3, 4)), natural(d, (4,), 1)], axis=[0], out=1)
                case("reduce", name, [natural(c, (3, 4)), natural(d, (4,), 1)], axis=[0], out=1, dtype="f")
    # Layouts.
    for c in "hd":
        for _, a in layouts(c):
            for name in ("add", "subtract", "maximum", "bitwise_xor"):
                for axis in (0, 1, -1):
                    case("reduce", name, [a], axis=[axis])
                    case("reduce", name, [a], axis=[axis], keepdims=True)
                    case("accumulate", name, [a], axis=axis)
                    case("reduceat", name, [a], axis=axis, indices=[0, 1, 0, 0] if a.ndim and a.shape[axis] > 1 else [0])
                case("reduce", name, [a, mask((2, 3, 4), "F")], axis=[1], where=1, initial=0)
        for out in places(c):
            case("reduce", "add", [values(c, 120).reshape(2, 3, 5, 4), out], axis=[2], out=1)
            case("reduce", "subtract", [values(c, 120).reshape(2, 3, 5, 4), out, mask((3, 5, 1))], axis=[2], out=1, where=2, initial=1)
            case("reduce", "maximum", [values(c, 120).reshape(5, 2, 3, 4).T, out], axis=[-1], out=1, keepdims=True)
    for indices in ([], [0, 7, 3, 3, 5], [7], [8], [-1], [2, 1, 0]):
        for name in ("add", "subtract", "power", "minimum"):
            case("reduceat", name, [natural("l", (8,))], axis=0, indices=indices)
            case("reduceat", name, [natural("f", (8, 2))], axis=0, indices=indices)
    # Exponents that are negative, and those that do not count.
    for v in ([2, -1], [-2, 2], [-2], [2, 2, -1, 3]):
        for options in ({}, {"initial": 2}):
            case("reduce", "power", [np.array(v)], **options)
        case("reduce", "power", [np.array(v), np.array(v) > 0], where=1, initial=1)
        case("accumulate", "power", [np.array(v)])
    case("reduceat", "power", [np.array([2, 2, -1, 3])], indices=[2, 0, 2])
    case("reduceat", "power", [np.array([2, 2, -1, 3])], indices=[0, 2, 1])
    # What is rejected.
    for method in ("reduce", "accumulate"):
        case(method, "sqrt", [values("d", 3)])
        case(method, "add", [values("d", 3)], axis=[1] if method == "reduce" else 1)
        case(method, "add", [values("d", 3)], axis=[-2] if method == "reduce" else -2)
    case("outer", "sqrt", [values("d", 3), values("d", 3)])
    case("reduce", "add", [values("d", 6).reshape(2, 3), values("d", 3)], axis=[0], out=1, keepdims=True)
    case("reduce", "add", [values("d", 6).reshape(2, 3), values("d", 2)], axis=[0], out=1)
    case("reduce", "add", [values("d", 6).reshape(2, 3), np.broadcast_to(values("d", 1), (3,))], axis=[0], out=1)
    # Outer products.
    for name in ("add", "power", "less", "logical_and", "true_divide"):
        for a in CHARS[:-2] if name == "power" else CHARS:
            case("outer", name, [natural(a, (3,)), natural("h", (2,), 1) + natural("h", (2,), 1) % 2 + 1])
        case("outer", name, [natural("f", (2, 2)), natural("f", (3,), 1) + 1], dtype="f")
        case("outer", name, [natural("f", (3,)), natural("f", (4,), 1) + 1, values("d", 12).reshape(4, 3).T, mask((3, 1))], out=2, where=3)
    for shape in ((2, 3), (), (0, 2), (3,)):
        for order in "CFAK":
            a = np.asfortranarray(natural("h", shape))
            case("outer", "subtract", [a, natural("i", (2, 3)).T], order=order)
            case("outer", "subtract", [natural("i", (2, 3))[:, ::-1], a], order=order)
    yield g
