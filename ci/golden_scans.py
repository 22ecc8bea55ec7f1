"""Golden data of scans and differences: cumsum and its relatives, diff, ediff1d, gradient, trapezoid. A part of golden.py.

Parameters that are arrays or scalars (`out`, `prepend`, `append`, `to_begin`, `to_end`, `x`, `dx`, `spacing`) are numbers of
operands, behind the function's own.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, special, values

NUMBERED = "out prepend append to_begin to_end x dx".split()


def call(name):
    function = getattr(np, name) if hasattr(np, name) else getattr(np, {"trapezoid": "trapz"}[name])

    def run(*operands, spacing=(), **told):
        for key in NUMBERED:
            if key in told:
                told[key] = operands[told[key]]
        result = function(operands[0], *(operands[k] for k in spacing), **told)
        # Of several axes, NumPy 1 gives a list.
        return tuple(result) if isinstance(result, list) else result

    return run


def small(c, shape, shift=0):
    """Small numbers of both signs, halves among floats: sums and products of a few have no rounding."""
    i = (np.arange(int(np.prod(shape)), dtype=np.int64) * 37 + 11 + shift * 5) % 101 % 7
    a = i.astype("d") if c in "?BHIL" else i - 3.0
    return (a / 2 if c in "efdFD" else a).astype(c).reshape(shape)


def scans(g):
    def case(name, operands, **told):
        g.case("scan:" + name, operands, call(name), **told)

    plain = "cumsum cumprod nancumsum nancumprod".split()
    new = "cumulative_sum cumulative_prod".split() if TWO else []
    for c in CHARS:
        for name in plain + new:
            case(name, [values(c, 12)])
            case(name, [values(c, 12).reshape(3, 4)], axis=1)
            case(name, [special(c)])
            for d in "?bLefdD":
                case(name, [small(c, (5,))], axis=0, dtype=d)
        for name in new:
            for axis in (0, -1):
                case(name, [small(c, (2, 3))], axis=axis, include_initial=True)
            case(name, [small(c, (5,)), np.zeros(6, "f")], include_initial=True, out=1)
        if c in "efdFD":
            with_nan = small(c, (3, 4))
            with_nan[1, ::2] = np.nan
            with_nan[2, 1] = np.inf
            # Which part of a complex product of infinities is NaN depends on the order.
            for name in plain if c in "efd" else plain[::2]:
                for axis in (None, 0, 1):
                    case(name, [with_nan], axis=axis)
                case(name, [with_nan, np.zeros((3, 4), c.upper() if c in "FD" else "d")], axis=0, out=1)
                case(name, [with_nan], axis=1, dtype="D")
    for c in "bd":
        for _, a in layouts(c):
            for name in plain + new:
                for axis in (None, 0, 1, -1):
                    case(name, [a], axis=axis)
        for shape in ((0,), (0, 3), (2, 0), (), (1, 3)):
            for name in plain + new:
                for axis in (None, 0, -1, 1, 5):
                    case(name, [small(c, shape)], axis=axis)
                case(name, [np.broadcast_to(small(c, (3,)), (4, 3))], axis=0)
        for d in "?bhLfdD":
            for out in (np.zeros((2, 3), d), np.zeros((2, 3), d, order="F"), np.zeros((4, 6), d)[::2, ::-2], np.zeros((3, 2), d), np.zeros(6, d)):
                case("cumsum", [small(c, (2, 3)), out], axis=1, out=1)
        case("cumsum", [small(c, (2, 3)), np.zeros(6)], out=1)
        case("cumsum", [small(c, (2, 3)), np.zeros((1, 2, 3))], axis=0, out=1)
    for name in new:
        case(name, [small("d", (2, 3)), np.zeros((2, 3))], axis=1, include_initial=True, out=1)
        case(name, [small("d", (2, 3)), np.zeros((2, 4), "f", order="F")], axis=1, include_initial=True, out=1)
        case(name, [small("d", ())], include_initial=True)
        case(name, [small("d", (3, 2)).T], axis=1, include_initial=True)
    # Long enough for sums to be rounded many times.
    for c in "efdFD":
        for name in ("cumsum", "nancumsum"):
            case(name, [values(c, 300)])
            case(name, [values(c, 300).reshape(100, 3)], axis=0)


def differences(g):
    def case(name, operands, **told):
        g.case(name, operands, call(name), **told)

    for c in CHARS:
        a = values(c, 12).reshape(3, 4)
        for n in (0, 1, 2, 5):
            case("diff", [a], n=n)
        case("diff", [a], axis=0)
        case("diff", [special(c)])
        case("ediff1d", [a])
        case("ediff1d", [a, small(c, (2,))], to_end=1)
        for d in CHARS:
            case("diff", [small(c, (2, 3)), small(d, (2, 1), 1)], prepend=1)
            case("ediff1d", [small(c, (3,)), small(d, (1,), 1)], to_begin=1)
        # NumPy 1 looks at the value of what has no axes.
        for scalar in (2, 300, 1.5, True, 1j) if TWO else ():
            case("diff", [a, scalar], append=1)
            case("ediff1d", [a, scalar], to_begin=1)
    for c in "bd":
        for _, a in layouts(c):
            for axis in (0, 1, -1, 5):
                case("diff", [a], axis=axis)
                if TWO:
                    case("diff", [a, 3], axis=axis, prepend=1, n=2)
            case("ediff1d", [a, small(c, (1,)), small(c, (2, 2))], to_begin=2, to_end=1)
        for shape in ((), (0,), (1,), (0, 3), (3, 0)):
            case("diff", [small(c, shape)])
            case("diff", [small(c, shape)], n=0)
            case("ediff1d", [small(c, shape)])
        case("diff", [small(c, (2, 3)), small(c, (2, 2)), small(c, (2, 1), 2)], prepend=1, append=2)
        case("diff", [small(c, (2, 3)), small(c, (3,))], prepend=1)
        case("diff", [small(c, (2, 3)), small(c, (3, 1))], prepend=1)
        case("diff", [small(c, (2, 3)).T, small(c, (2, 2)).T], prepend=1, axis=0)
        case("diff", [small(c, (3,))], n=-1)


def slopes(g):
    def gradient(operands, **told):
        g.case("gradient", operands, call("gradient"), **told)

    def area(operands, **told):
        g.case("trapezoid", operands, call("trapezoid"), **told)

    for c in CHARS:
        a = values(c, 12).reshape(3, 4)
        gradient([a])
        gradient([a], edge_order=2)
        gradient([small(c, (3, 3)), 2], axis=[1], spacing=[1])
        gradient([small(c, (3, 3)), 2.5, np.array([1.0, 2.0, 4.0])], spacing=[1, 2], edge_order=2)
        area([a])
        area([small(c, (3, 4)), 2], dx=1)
        area([small(c, (3, 4)), 0.5], dx=1, axis=0)
        for d in "bHefdD":
            x = np.array([1, 2, 4, 5]).astype(d)
            if d != "D":
                gradient([small(c, (2, 4)), x], axis=[1], spacing=[1])
                gradient([small(c, (2, 4)), x], axis=[1], spacing=[1], edge_order=2)
            area([small(c, (2, 4)), x], x=1)
            area([small(c, (2, 4)), small(d, (2, 4), 1)], x=1)
    even, uneven = np.array([1, 3, 5, 7]), np.array([1.0, 2.0, 4.0, 8.0])
    for c in "bd":
        for _, a in layouts(c):
            if a.ndim:
                area([a])
                area([a], axis=0)
                if a.shape[0] > 1:
                    gradient([a], axis=[0])
        a = small(c, (4, 4))
        for x in (even, uneven, uneven.reshape(2, 2), uneven[:3], np.array(2.0), np.array(2)):
            gradient([a, x], axis=[0], spacing=[1])
            gradient([a, x], axis=[1], spacing=[1], edge_order=2)
            area([a, x], x=1)
        gradient([a, 1, 2, 3], spacing=[1, 2, 3])
        gradient([a, uneven, 2.0], spacing=[1, 2])
        gradient([a, uneven], spacing=[1])
        for axis in ([0, 1], [1, 0], [0, 0], [2], [-1]):
            gradient([a], axis=axis)
        for order in (1, 2, 3):
            for n in (1, 2, 3):
                gradient([small(c, (n,))], edge_order=order)
        for shape in ((), (0,), (1,), (2, 0)):
            area([small(c, shape)])
        area([a], axis=2)
        area([a], axis=-3)
        area([a, 2j], dx=1)


def methods(g):
    """What methods of universal functions take beyond golden_methods.py: out, no identity, scalars."""
    from golden_methods import call as method
    from golden_options import places

    def case(kind, name, operands, **told):
        g.case(f"{kind}:{name}", operands, method(name, kind), **told)

    for name in "add multiply subtract maximum logical_or bitwise_xor".split():
        for c in "?bLfdD":
            for d in "?bhLfD":
                a = small(c, (3, 4))
                case("accumulate", name, [a, np.zeros((3, 4), d)], axis=1, out=1)
                case("accumulate", name, [a, np.zeros((4, 3), d).T], axis=0, out=1, dtype="f")
                case("reduceat", name, [a, np.zeros((2, 4), d)], axis=0, out=1, indices=[1, 0])
        for shape in ((3, 4), (4, 3), (12,)):
            case("accumulate", name, [small("d", (3, 4)), np.zeros(shape)], axis=0, out=1)
            case("reduceat", name, [small("d", (3, 4)), np.zeros(shape)], axis=1, out=1, indices=[0, 1, 2])
        case("accumulate", name, [small("d", (3, 4)), np.broadcast_to(np.zeros(4), (3, 4))], axis=0, out=1)
        for shape, axis in (((3, 2), [0]), ((0, 2), [0]), ((0, 2), [1]), ((2, 3), None)):
            for c in "bd":
                case("reduce", name, [small(c, shape)], axis=axis, initial=None)
        case("reduce", name, [small("b", (3, 2)), small("b", (3, 2)) > 0], axis=[0], where=1, initial=None)
    for c in CHARS:
        for scalar in (2, 1.5, 1j, True, 300):
            case("outer", "add", [small(c, (2, 2)), scalar])
            case("outer", "less", [scalar, small(c, (3,))])


def groups():
    g = Group("scans")
    scans(g)
    yield g
    g = Group("differences")
    differences(g)
    if TWO:
        # NumPy 1 looks at the values of distances, too.
        slopes(g)
    yield g
    if TWO:
        g = Group("more_methods")
        methods(g)
        yield g
