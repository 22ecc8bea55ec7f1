"""Golden data of the order in memory of results, of operands in every layout. A part of golden.py.

The function of a case is KIND:NAME, as elsewhere; `where` is the number of an operand. Elements are small integers of float64,
with which a function is exact or has bounds: what counts are the strides.
"""

import itertools

import numpy as np

from golden import Group, arguments

SHAPE = (2, 3, 4)


def numbers(shape, shift=0):
    n = int(np.prod(shape))
    return ((np.arange(n) * 7 + 3 + shift) % 11 - 3).astype("d").reshape(shape)


def turned(shape, axes, shift=0):
    """Whose memory has the axes in this order."""
    return numbers([shape[k] for k in axes], shift).transpose(np.argsort(axes))


def laid(shape, shift=0):
    """One shape in every order, in steps, backwards and stretched."""
    n = len(shape)
    for axes in itertools.permutations(range(n)):
        yield turned(shape, axes, shift)
    yield turned([2 * k for k in shape], range(n), shift)[tuple(slice(None, None, 2) for _ in shape)]
    yield turned(shape, range(n)[::-1], shift)[tuple(slice(None, None, -1) for _ in shape)]
    yield numbers(shape, shift)[..., ::-1]
    for k in range(n):
        one = [1 if i == k else m for i, m in enumerate(shape)]
        yield np.broadcast_to(numbers(one, shift), shape)
        yield np.broadcast_to(turned(one, range(n)[::-1], shift), shape)
    yield np.broadcast_to(numbers((), shift), shape)


def few(shape=SHAPE):
    """Some of them, and what is broadcast to the shape."""
    yield numbers(shape)
    yield turned(shape, (2, 1, 0))
    yield turned(shape, (1, 2, 0))
    yield turned(shape, (0, 2, 1))[::-1, :, ::-1]
    yield np.broadcast_to(numbers((3, 1)), shape)
    yield np.broadcast_to(numbers((2, 1, 4)), shape)


def masks():
    for m in (numbers(SHAPE, 5), turned(SHAPE, (2, 1, 0), 5), np.broadcast_to(numbers((3, 1), 5), SHAPE)):
        # Of a stretched one the comparison makes a whole one.
        yield m % 2 > 0
    yield np.broadcast_to(numbers((3, 1), 5) % 2 > 0, SHAPE)


ONE = "modf frexp absolute isnan logical_not square spacing".split()
TWO = "add divmod less copysign isclose".split()
EVERYWHERE = "sum max any argmax".split()
REDUCED = "prod min mean all argmin count_nonzero".split()
MASKED = "sum prod max any mean var".split()
STATISTICS = "var std ptp nansum nanmax nanmean nanvar nanargmax".split()
SCANNED = "cumsum nancumprod cumulative_sum cumulative_prod".split()
AXES = [None, [0], [1], [2], [0, 1], [0, 2], [1, 2]]


def strides():
    if not hasattr(np, "cumulative_sum"):
        return
    g = Group("strides")

    def case(function, operands, call=None, **told):
        name = function.split(":")[-1]

        def run(*given, **_):
            out = arguments(told)
            if "where" in told:
                given, out["where"] = given[:-1], given[-1]
            if "axis" in told and "arg" in name and told["axis"] is not None:
                out["axis"] = told["axis"][0]
            return (call or getattr(np, name))(*given, **out)

        g.case(function, operands, run, **told)
        if isinstance(g.cases[-1][3], str):
            raise SystemExit(f"{function} {told}: {g.cases[-1][3]}")

    def reduced(kind, name, layouts, **more):
        for a in layouts:
            for axis in AXES:
                if "arg" not in name or axis is None or len(axis) == 1:
                    case(kind + ":" + name, [a], axis=axis, **more)

    for name in ONE:
        for a in laid(SHAPE):
            case("ufunc:" + name, [a])
    pairs = [*few(), numbers((3, 4)), numbers((4, 3)).T, numbers((2, 1, 1))]
    for name in TWO:
        for a, b in itertools.product(pairs, pairs):
            case(("call:" if name == "isclose" else "ufunc:") + name, [a, b])
    for name in EVERYWHERE:
        reduced("reduce", name, laid(SHAPE))
        reduced("reduce", name, few(), keepdims=True)
    for name in REDUCED:
        reduced("reduce", name, few())
    for name in STATISTICS:
        reduced("statistic", name, few())
    reduced("statistic", "median", laid(SHAPE))
    reduced("statistic", "nanmedian", [a for a in laid(SHAPE) if 0 not in a.strides])
    for name in MASKED:
        for a, m in itertools.product(few(), masks()):
            for axis in AXES:
                told = {"initial": 2} if name == "max" else {}
                case(("statistic:" if name == "var" else "reduce:") + name, [a, m], where=1, axis=axis, **told)
    for name in SCANNED:
        for a in laid(SHAPE):
            for axis in (0, 1, 2):
                case("scan:" + name, [a], axis=axis)
                if name.startswith("cumulative"):
                    case("scan:" + name, [a], axis=axis, include_initial=True)
    for a in laid(SHAPE):
        for axes in itertools.permutations(range(3), 2):
            case("call:trace", [a], axis1=axes[0], axis2=axes[1])
        for axis in (0, 1, 2):
            for name in ("diff", "sort", "unique"):
                case("call:" + name, [a], axis=axis)
        for order in "CFAK":
            case("call:copy", [a], lambda a, order: np.copy(a, order), order=order)
    for m, n, k in ((3, 4, 2), (1, 4, 3)):
        for a in laid((2, m, n)):
            for b in (numbers((2, n, k), 1), turned((2, n, k), (2, 1, 0), 1), turned((2, n, k), (1, 2, 0), 1), numbers((k, n)).T, numbers((n,))):
                case("matmul", [a, b], np.matmul)
        for b in laid((2, n, k), 1):
            case("matmul", [numbers((n,)), b], np.matmul)
            case("matmul", [numbers((n, m)).T, b], np.matmul)
    yield g
