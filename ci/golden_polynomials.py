"""Golden data of power series, sets by the names of the array API, windows and infinities; a part of golden.py.

The function of a case is routine:NAME, and the parameter `told` is what it is told, in the notation of matrix.yaml. Elements are
small integers, so that every sum and product is exact.
"""

import ast

import numpy as np
import numpy.polynomial.polynomial as P
import numpy.polynomial.polyutils as pu

from golden import TWO, Group


def keywords(told):
    pairs = (pair.split("=", 1) for pair in told.split(";") if pair)
    return {key: ast.literal_eval(text) for key, text in pairs}


def polynomials():
    if not TWO:
        return
    g = Group("polynomials")

    def case(module, name, operands, *all_told):
        prefix = {P: "polynomial.polynomial.", pu: "polynomial.polyutils.", np: "", np.lib.stride_tricks: "lib.stride_tricks."}[module]
        for told in all_told or ("",):
            f = getattr(module, name)
            g.case(f"routine:{prefix}{name}", operands, lambda *a, told: f(*a, **keywords(told)), told=told)

    for char in "bHlefdFD":
        line, short = np.array([3, -1, 2, 0, 1]).astype(char), np.array([2, 0, -4]).astype(char)
        matrix = (np.arange(12).reshape(3, 4) % 5).astype(char)
        case(P, "polyint", [matrix[:1] * 0], "", "m=3", "k=2")
        # A division that rounds is no golden case in the dtypes of half and single precision.
        powers = np.array([[2, 4], [6, 8], [12, 24]]).astype(char)
        case(P, "polyint", [powers], "", "axis=1", "k=3", "scl=2.0;lbnd=1.0", "m=0", "m=-1", "m=0;k=1", "axis=5")
        case(P, "polypow", [short], "pow=0", "pow=1", "pow=3", "pow=2;maxpower=1", "pow=-1")
        case(P, "polymulx", [line])
        case(P, "polymulx", [line[:1] * 0])
        case(P, "polyvalfromroots", [line, short])
        case(P, "polyval2d", [line, line[::-1], matrix])
        case(P, "polyval2d", [line, short, matrix])
        case(P, "polyval3d", [short, short, short[::-1], matrix.reshape(3, 2, 2)])
        case(P, "polygrid2d", [line, short, matrix])
        case(P, "polygrid3d", [line[:2], short, short, matrix.reshape(3, 2, 2)])
        case(P, "polyvander2d", [line, line[::-1]], "deg=(1,2)", "deg=(0,3)", "deg=(1,2,3)", "deg=(-1,2)")
        case(P, "polyvander3d", [short, short, short], "deg=(1,0,2)")
        case(pu, "getdomain", [line])
        case(pu, "mapparms", [np.array([0, 4]).astype(char), np.array([1, 9]).astype(char)])
        case(pu, "mapdomain", [line, np.array([0, 4]).astype(char), np.array([1, 9]).astype(char)])
        case(np, "poly", [short])
        case(np, "poly", [line])
        for name in ("unique_counts", "unique_inverse", "unique_all"):
            case(np, name, [matrix])
            case(np, name, [np.asfortranarray(matrix)])
        case(np.lib.stride_tricks, "sliding_window_view", [matrix], "window_shape=(2,3)", "window_shape=2;axis=1", "window_shape=9;axis=0")
        if char not in "FD":
            case(np, "isposinf", [matrix])
    for char in "efd":
        a = np.array([np.inf, -np.inf, np.nan, 0.0, 1.0]).astype(char)
        case(np, "isposinf", [a])
        case(np, "isneginf", [a])
    case(np, "poly", [np.array([1 + 2j, 1 - 2j])])
    case(np, "poly", [np.ones((2, 2, 2))])
    yield g
