"""Golden data of reductions with every option, and of what is made of them. A part of golden.py.

The function of a case is statistic:NAME. `out`, `where`, `mean`, `weights`, `y`, `fweights` and `aweights` are numbers of
operands.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, special, values
from golden_options import mask

NUMBERED = "out where mean weights y fweights aweights".split()
NAN = "nansum nanprod nanmean nanvar nanstd nanmax nanmin nanargmax nanargmin".split()


def call(name):
    function = np.linalg.norm if name == "norm" else getattr(np, name)

    def run(*operands, **told):
        for key in NUMBERED:
            if key in told:
                told[key] = operands[told[key]]
        if told.get("ord") == "inf":
            told["ord"] = np.inf
        count = 2 if name in ("correlate", "convolve", "isclose", "allclose", "array_equal", "array_equiv") else 1
        try:
            return function(*operands[:count], **told)
        except RuntimeError as error:  # of weights of several axes
            raise ValueError(str(error))

    return run


def broken(c, shape):
    """Numbers with NaN among them."""
    a = values(c, int(np.prod(shape)))
    if a.dtype.kind in "fc" and a.size > 2:
        a[1::5] = np.nan
    return a.reshape(shape)


def statistics():
    if not TWO:
        return
    g = Group("statistics")

    def case(name, operands, **told):
        g.case("statistic:" + name, operands, call(name), **told)

    for name in ["var", "std"] + NAN:
        position = name.startswith("nanarg")
        for c in CHARS:
            a = broken(c, (4, 3)) if name.startswith("nan") else values(c, 12).reshape(4, 3)
            for axis in (None, [0], [1]):
                case(name, [a], axis=axis)
                if name[-3:] in ("var", "std"):
                    case(name, [a], axis=axis, ddof=1)
            case(name, [a], axis=[1], keepdims=True)
            if not position:
                case(name, [a], axis=[0, 1])
            case(name, [values(c, 3).reshape(3)[:1].reshape(())])
            case(name, [values(c, 0).reshape(0, 3)], axis=[0])
            case(name, [values(c, 0).reshape(0, 3)], axis=[1])
        for c in "bdF":
            for _, a in layouts(c):
                if name.startswith("nan") and 0 in a.strides:
                    continue  # of a copy, in whose order the results then lie
                for axis in (0, 1, -1):
                    case(name, [a], axis=[axis])
        for axis in ([7], [-5]) if position else ([7], [-5], [0, 0]):
            case(name, [values("d", 6).reshape(2, 3)], axis=axis)
    for v in ([np.nan, np.nan], [np.nan, -np.inf], [np.inf, np.nan], [3.0, np.nan], [np.nan, 2.0, 2.0]):
        for name in NAN:
            case(name, [np.array(v)])
            case(name, [np.array([v, [1.0] * len(v)])], axis=[1])
    # Masks, what comes first, where it goes.
    for name in "sum prod mean var std max min any all nansum nanmean nanvar nanmax".split():
        for c in "bLdF":
            a = broken(c, (3, 4)) if name.startswith("nan") else values(c, 12).reshape(3, 4)
            for m in (mask((3, 4)), mask((4,)), mask((3, 1), "F"), mask(()), mask((2, 3, 4)), mask((5,)), values("i", 4)):
                case(name, [a, m], axis=[0], where=1)
                if name in ("max", "min", "nanmax", "sum", "prod", "nansum"):
                    case(name, [a, m], axis=[1], where=1, initial=2)
            case(name, [a, mask((4,))], where=1, keepdims=True, axis=None)
            if name not in ("mean", "var", "std", "any", "all", "nanmean", "nanvar"):
                for initial in (2, 1.5, True, 300):
                    case(name, [a], axis=[0], initial=initial)
            for d in "fdFD":
                if c != "F" or d in "FD":
                    case(name, [a, values(d, 4)], axis=[0], out=1)
            case(name, [a, values("d", 8)[::2]], axis=[0], out=1)
            case(name, [a, values("d", 3)], axis=[0], out=1)
            case(name, [a, values("d", 4).reshape(1, 4)], axis=[0], out=1, keepdims=True)
    for name in ("mean", "var", "sum", "max", "any"):
        case(name, [values("d", 12).reshape(3, 4), values("i", 4)], axis=[0], out=1)
    for d in "?bilLefFD":
        case("argmax", [values("d", 12).reshape(3, 4), values(d, 4)], axis=[0], out=1)
    case("argmin", [values("d", 12).reshape(3, 4), values("l", 4).reshape(1, 4)], axis=[0], out=1, keepdims=True)
    case("argmin", [values("d", 12).reshape(3, 4), values("l", 3)], axis=[0], out=1)
    # Dtypes, degrees of freedom, a given mean.
    for name in ("var", "std", "nanvar", "nanmean"):
        for c in "bd" if name == "nanvar" else "bdF":  # nanvar squares in the operand's own precision
            for d in "fdFD" + ("l" if name == "var" else ""):
                case(name, [values(c, 12).reshape(3, 4)], axis=[0], dtype=d)
    for name in ("var", "std", "nanvar"):
        for ddof in (1, 2, 3, 4, 0.5):
            case(name, [values("d", 12).reshape(3, 4)], axis=[0], ddof=ddof)
        case(name, [np.full((3, 2), 2.0)], axis=[0], ddof=1)
        for c in "d" if name == "nanvar" else "bfdF":
            case(name, [values(c, 12).reshape(3, 4), values("d", 4).reshape(1, 4)], axis=[0], mean=1)
    # Made of them.
    for c in CHARS:
        a = values(c, 12).reshape(3, 4)
        if c != "?":
            for axis in (None, [0], [1]):
                case("ptp", [a], axis=axis)
        case("average", [a], axis=[0])
        case("average", [a, np.array([1, 3, 2], "d")], axis=[0], weights=1, returned=True)
        case("average", [a, np.array([1, 3, 2, 1], "b")], axis=[1], weights=1, keepdims=True)
        for order in (None, 1, 2, "inf"):
            for axis in (None, [0], [1]):
                if order is None or axis is not None:
                    case("norm", [a], axis=axis, ord=order)
        for axis in ([0, 1], [7]):
            case("norm", [a], axis=axis)
        for d in "hd":
            b = values(d, 12, 1).reshape(3, 4)
            for mode in ("valid", "same", "full"):
                case("correlate", [a[0], b[1, :3]], mode=mode)
                case("correlate", [a[0, :2], b[1]], mode=mode)
                case("convolve", [a[0], b[1, ::-2]], mode=mode)
            for nan in (False, True):
                case("isclose", [special(c)[:8], special(d)[:8]], equal_nan=nan)
                case("isclose", [a, a.astype(d)], equal_nan=nan, rtol=0.1, atol=0.5)
                case("array_equal", [a, a.astype(d)], equal_nan=nan)
            case("allclose", [a, b])
            case("allclose", [a, a.astype(d)])
            case("array_equiv", [a[0], np.stack([a[0], a[0]]).astype(d)])
        case("isclose", [a, 1])
        case("isclose", [a, 1.0])
        case("isclose", [a, 1j])
        case("cov", [a])
        case("cov", [a, values(c, 4, 1)], y=1)
        case("cov", [a], rowvar=False, bias=True)
        case("cov", [a[0]], ddof=0)
    a = values("d", 12).reshape(3, 4)
    f, w = np.array([1, 2, 0, 3]), np.array([0.5, 1, 2, 1])
    case("cov", [a, f], fweights=1)
    case("cov", [a, w], aweights=1)
    case("cov", [a, f, w], fweights=1, aweights=2, ddof=0)
    case("cov", [a, f, w], fweights=1, aweights=2)
    for wrong in (f[:2], -f, f.reshape(2, 2)):
        case("cov", [a, wrong], fweights=1)
        case("cov", [a, wrong.astype(float)], aweights=1)
    case("cov", [a, w], fweights=1)
    for wrong in (a.reshape(1, 3, 4), a[:0], a[0, :1], a[0, :1].reshape(())):
        case("cov", [wrong])
    case("cov", [a, values("d", 3)], y=1)
    case("corrcoef", [a + np.array([[0, 1, 5, 2], [3, 0, 1, 1], [2, 2, 0, 7]])])
    case("corrcoef", [a[0] + np.arange(4) ** 2])
    case("average", [a, np.array([1.0, 3, 2])], weights=1)
    case("average", [a, np.array([1.0, 3])], axis=[0], weights=1)
    case("average", [a, np.array([0.0, 0, 0])], axis=[0], weights=1)
    case("average", [a, np.ones((4, 3))], axis=[1, 0], weights=1)
    case("average", [a, np.abs(a) + 1], weights=1, returned=True)
    for x, y in ((a, a[0]), (a[0], a[0, :0]), (a[0, :1].reshape(()), a[0])):
        case("correlate", [x, y])
        case("convolve", [x, y])
    case("norm", [a.reshape(1, 3, 4)])
    case("norm", [a.reshape(1, 3, 4)], axis=[0, 1, 2])
    case("norm", [a[0, :0]], ord="inf", axis=[0])
    case("ptp", [a[:0]])
    case("ptp", [a, values("f", 4)], axis=[0], out=1)
    case("ptp", [a > 0])
    case("array_equiv", [a, a[:2]])
    case("array_equal", [a, a[:2]])
    yield g
