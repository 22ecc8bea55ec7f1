"""Golden data of indexing with arrays; a part of golden.py.

`pick` and `store` have the index in the parameter `index`: an integer, a slice as a list, "newaxis", "ellipsis", a truth value, or
{"array": place} for the operand that stands there. `store` gives the array as it is afterwards.
"""

import numpy as np

from golden import CHARS, TWO, Group, layouts, part, values


def index(parts, operands):
    def one(p):
        if isinstance(p, dict):
            return operands[p["array"]]
        return p if isinstance(p, bool) else part(p)

    return tuple(one(p) for p in parts)


def pick(a, *rest, index):
    return a[globals()["index"](index, (a, *rest))]


def store(a, v, *rest, index):
    a = a.copy(order="K")
    a[globals()["index"](index, (a, v, *rest))] = v
    return a


def advanced():
    if not TWO:
        return
    g = Group("advanced")
    i, j = np.array([0, 1, -1, 0]), np.array([[0], [1], [-2]])
    mask, deep = np.array([True, False, True]), np.array([[True, False, True, False]] * 3)
    whole, every, nothing = [None, None, None], np.array(1), np.array([], int)

    def both(parts, arrays, a):
        """The parts, with the places of these arrays behind one operand; the same behind two where elements are stored."""
        places = {id(x): k for k, x in enumerate(arrays)}
        told = lambda first: [{"array": first + places[id(p)]} if isinstance(p, np.ndarray) else p for p in parts]
        g.case("pick", [a, *arrays], pick, index=told(1))
        try:
            pick(a, *arrays, index=told(1))
            shapes = (7, values("d", 1)[0:1], values("h", 5))
        except IndexError:
            # Of two mistakes either may be told.
            shapes = (7, values("d", 1)[0:1])
        for v in shapes:
            g.case("store", [a, v, *arrays], store, index=told(2))

    for _, a in layouts("h"):
        for parts in (
            [i], ["ellipsis", i], [whole, i], [j, i], [i, whole, i], [0, whole, i], [whole, 0, i], [i, "newaxis", i], [True, i], [i, False],
            [every], [whole, every], [every, i], [j], [[None, None, -1], j], [nothing], [nothing, i], [i, i, i], [i, j, i, j], [mask],
            [whole, mask], ["ellipsis", mask], [deep], [whole, deep], [np.array(True)], [np.array([5])], [whole, np.array([[-7]])],
            [i.astype("f")], [i, np.array([0, 1])], ["ellipsis", i, "ellipsis"], [True], [False],
        ):
            arrays = []
            for p in parts:
                if isinstance(p, np.ndarray) and not any(p is x for x in arrays):
                    arrays.append(p)
            both(parts, arrays, a)
    for c in CHARS:
        a, k = values(c, 12).reshape(3, 4), np.array([1, 0, 1, -1, 1])
        for d in "bBhHiIlL":
            index_of = (k % 3).astype(d)
            g.case("pick", [a, index_of], pick, index=[{"array": 1}])
            g.case("store", [a, values(c, 20, 1).reshape(5, 4), index_of], store, index=[{"array": 2}])
    a = values("h", 24).reshape(2, 3, 4)
    for axis in (0, 1, -1, 3):
        for shape in ((2, 3, 4), (1, 1, 5), (2, 1, 4), (2, 3), (5, 3, 4)):
            along = (np.arange(int(np.prod(shape))) * 7 % 4 - 2).reshape(shape)
            g.case("take_along_axis", [a, along], lambda a, i, axis: np.take_along_axis(a, i, axis), axis=axis)

            def put_along(a, i, v, axis):
                a = a.copy(order="K")
                np.put_along_axis(a, i, v, axis)
                return a

            g.case("put_along_axis", [a, along, np.array(9, "h")], put_along, axis=axis)

    def put(a, i, v, mode):
        a = a.copy(order="K")
        np.put(a, i, v, mode)
        return a

    for mode in ("raise", "wrap", "clip"):
        for at in (np.array([0, 5, -1, 0]), np.array([[100, -30]]), nothing):
            for v in (values("h", 3), values("d", 9), values("h", 0)):
                for a_ in (a, np.asfortranarray(a), a[:, ::-1]):
                    if not (mode == "raise" and at.size == 2 and v.size):
                        g.case("put", [a_, at, v], put, mode=mode)

    def putmask(a, m, v):
        a = a.copy(order="K")
        np.putmask(a, m, v)
        return a

    for v in (values("h", 5), values("d", 24).reshape(2, 3, 4), values("h", 1), values("h", 0)):
        for a_ in (a, np.asfortranarray(a)):
            g.case("putmask", [a_, a_ % 3 == 0, v], putmask)
    g.case("putmask", [a, np.array([True]), values("h", 1)], putmask)
    yield g
