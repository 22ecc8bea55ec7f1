"""Writes golden data: operands and results of every function, computed by the NumPy that runs this file.

    python golden.py FOLDER

Each FOLDER/GROUP.npz holds two byte arrays: `data`, all elements, and `index`, JSON:

    {"numpy": version,
     "arrays": [[type character, shape, first byte in data, (bytes, strides, offset)], ...],
     "cases": [[function, operands, parameters, outcome], ...]}

Arrays without the last three are packed in C order. An operand is the number of an array or a scalar such as
{"int": "3"}; an outcome is the number of an array, a list of
such numbers where there are several results, the name of an exception class, or a table of text.
The files are stored, not compressed, and carry no date: the same NumPy on the same machine writes the same bytes.
"""

import ctypes
import io
import json
import os
import sys
import zipfile

import golden_angle
import golden_division
import golden_elementary
import golden_parts
import golden_types
import numpy as np

TWO = int(np.__version__.split(".")[0]) >= 2
CHARS = "?bBhHiIlLefdFD"
INTS = "bBhHiIlL"
FLOATS = "efd"
COMPLEX = "FD"
UNARY = "negative absolute sqrt exp log sin cos tanh logical_not invert isnan isfinite".split()
ARITHMETIC = "add subtract multiply true_divide floor_divide remainder power maximum minimum".split()
COMPARE = "equal not_equal less less_equal greater greater_equal".split()
LOGIC = "logical_and logical_or bitwise_and bitwise_or bitwise_xor".split()
BINARY = ARITHMETIC + COMPARE + LOGIC
REDUCE = "sum prod max min argmax argmin mean any all".split()
byte_bounds = np.lib.array_utils.byte_bounds if TWO else np.byte_bounds


def char(dtype):
    return {"q": "l", "Q": "L"}.get(dtype.char, dtype.char)


class Group:
    """One file of cases."""

    def __init__(self, name):
        self.name, self.arrays, self.cases = name, [], []
        self.numbers, self.blobs, self.data = {}, {}, bytearray()

    def array(self, a):
        """The number of an array, in which NaNs have one form."""
        low, high = byte_bounds(a) if a.size else (a.ctypes.data, a.ctypes.data)
        raw = ctypes.string_at(low, high - low)
        packed = a.flags.c_contiguous
        extra = () if packed else (len(raw), a.strides, a.ctypes.data - low)
        key = (char(a.dtype), a.shape, raw, extra)
        if key not in self.numbers:
            if raw not in self.blobs:
                self.blobs[raw] = len(self.data)
                self.data += raw
            self.numbers[key] = len(self.arrays)
            self.arrays.append([char(a.dtype), list(a.shape), self.blobs[raw], *extra])
        return self.numbers[key]

    def operand(self, v):
        if isinstance(v, np.ndarray):
            return self.array(v)
        for kind in (bool, int, float):
            if type(v) is kind:
                return {kind.__name__: v if kind is bool else repr(v)}
        return {"complex": [repr(v.real), repr(v.imag)]}

    def case(self, op, operands, call, **parameters):
        """Calls and records; a result of a dtype that is none of ours (object) leaves no case."""
        recorded = [self.operand(v) for v in operands]
        try:
            results = call(*operands, **arguments(parameters))
            results = [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]
            if any(r.dtype.char not in CHARS + "qQ" for r in results):
                return
            numbers = [self.array(one_nan(r)) for r in results]
            outcome = numbers if len(numbers) > 1 else numbers[0]
        except Exception as error:
            outcome = kind_of(error)
        self.cases.append([op, recorded, parameters, outcome])

    def table(self, op, text):
        self.cases.append([op, [], {}, text])

    def write(self, folder):
        index = {"numpy": np.__version__, "arrays": self.arrays, "cases": self.cases}
        text = json.dumps(index, separators=(",", ":")).encode()
        with zipfile.ZipFile(os.path.join(folder, self.name + ".npz"), "w", zipfile.ZIP_STORED) as file:
            for name, content in (("index", text), ("data", bytes(self.data))):
                npy = io.BytesIO()
                np.lib.format.write_array(npy, np.frombuffer(content, np.uint8), version=(1, 0))
                file.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), npy.getvalue())


def arguments(parameters):
    """What the recorded parameters mean to NumPy."""
    out = dict(parameters)
    if out.get("dtype") is not None:
        out["dtype"] = np.dtype(out["dtype"])
    if isinstance(out.get("axis"), list):
        out["axis"] = out["axis"][0] if len(out["axis"]) == 1 else tuple(out["axis"])
    return out


def kind_of(error):
    if type(error).__name__ == "AxisError":
        return "AxisError"
    for kind in (OverflowError, ZeroDivisionError, IndexError, TypeError, ValueError):
        if isinstance(error, kind):
            return kind.__name__
    raise error


def one_nan(a):
    """The sign and the payload of a NaN mean nothing and are the processor's."""
    if a.dtype.kind in "fc" and np.isnan(a).any():
        # Not a copy(): the strides must stay, and a broadcast result never holds its own NaN.
        for part in (a.real, a.imag) if a.dtype.kind == "c" else (a,):
            if part.flags.writeable:
                part[np.isnan(part)] = np.nan
    return a


def values(c, n, shift=0):
    """n ordinary values: small enough that products of integers stay telling, different from one another."""
    i = (np.arange(n, dtype=np.int64) * 37 + 11 + shift * 5) % 101
    if c == "?":
        return i % 3 > 0
    if c in "BHIL":
        return (i % 23).astype(c)
    if c in INTS:
        return (i % 23 - 9).astype(c)
    if c in FLOATS:
        return ((i - 50) / 8 + 0.0625).astype(c)
    return ((i - 50) / 8 + 1j * ((i * 7) % 29 - 14) / 4).astype(c)


def special(c):
    """Values at which functions bend."""
    if c == "?":
        return np.array([False, True])
    if c in INTS:
        info = np.iinfo(c)
        low = [0, 1, 2, 3, 7, 100, info.max, info.max - 1]
        return np.array(low + ([-1, -2, -7, info.min, info.min + 1] if info.min else [13, 31]), c)
    if c in FLOATS:
        info = np.finfo(c)
        tiny = np.array(info.tiny)
        v = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, np.inf, -np.inf, np.nan, info.max, info.min, tiny, tiny / 8]
        return np.array(v + [1e-3, -0.1, 100.7, -33.3, 1.0 + info.eps, 0.7071], c)
    v = [0, complex(-0.0, 0), complex(0, -0.0), 1, 1j, complex(-1, 0), complex(-1, -0.0), 1 + 2j, -1.5 + 0.5j, 3 - 4j]
    v += [complex(x, y) for x, y in ((np.inf, 1), (1, np.inf), (-np.inf, -1), (np.nan, 0), (0, np.nan), (np.inf, np.nan))]
    return np.array(v + [0.3 - 0.7j, 1e-3 + 20j, -4 + 0.01j, 25.5 + 0j], c)


def pairs(c):
    v = special(c)
    if c in FLOATS:
        v = v[[0, 1, 2, 3, 5, 6, 8, 9, 10, 11, 13, 15, 17]]
    elif c in COMPLEX:
        v = v[[0, 1, 3, 4, 7, 8, 9, 10, 13, 15, 16]]
    return v[:, None], v


def layouts(c):
    """One array in every kind of layout: name, array."""
    base = values(c, 24).reshape(2, 3, 4)
    wide = values(c, 96, 1).reshape(4, 3, 8)
    yield "c", base
    yield "f", np.asfortranarray(base)
    yield "transposed", values(c, 24, 2).reshape(3, 2, 4).transpose(1, 0, 2)
    yield "strided", wide[::2, :, 1::2]
    yield "negative", base[::-1, :, ::-1]
    yield "broadcast", np.broadcast_to(values(c, 3, 3)[:, None], (2, 3, 4))
    yield "one", values(c, 6).reshape(2, 1, 3)
    yield "zero-d", values(c, 1).reshape(())
    yield "empty", values(c, 0).reshape(2, 0, 3)


def ufunc(name):
    return np.where if name == "where" else getattr(np, name)


def ufuncs():
    g = Group("ufunc")
    for name in UNARY:
        for c in CHARS:
            g.case("ufunc:" + name, [special(c)], ufunc(name))
    for name in BINARY:
        for c in CHARS:
            a, b = pairs(c)
            if not TWO and name in ("floor_divide", "remainder") and c in INTS:
                # NumPy 1.22 dies of a processor trap where the smallest integer is divided by -1.
                b = b[b.astype(float) != -1]
            g.case("ufunc:" + name, [a, b], ufunc(name))
    for a in CHARS:
        for b in CHARS:
            if a != b:
                for name in ARITHMETIC + LOGIC + ["equal", "less"]:
                    g.case("ufunc:" + name, [values(a, 3), values(b, 3, 1)], ufunc(name))
                g.case("ufunc:where", [values("?", 3), values(a, 3), values(b, 3, 1)], np.where)
    for c in CHARS:
        g.case("ufunc:where", [values(c, 8), values("h", 8), values("h", 8, 1)], np.where)
        g.case("ufunc:where", [values("?", 8), values(c, 8), values(c, 8, 1)], np.where)
    yield g


def forms():
    """Weak scalars, dtype=, order=, layouts, broadcasting."""
    g = Group("forms")
    weak = [True, 3, 2.5, 1j, -1, 300, 2**40, 2**63, 1e300, float("inf")]
    for c in CHARS:
        a = values(c, 3)
        for scalar in weak:
            for name in ARITHMETIC + ["logical_and", "bitwise_and", "equal", "less"]:
                g.case("ufunc:" + name, [a, scalar], ufunc(name))
            g.case("ufunc:where", [values("?", 3), a, scalar], np.where)
        for name in ("subtract", "true_divide", "power", "less"):
            g.case("ufunc:" + name, [7, a], ufunc(name))
            g.case("ufunc:" + name, [2.5, a], ufunc(name))
        for name in ("add", "true_divide", "less", "absolute", "sqrt", "subtract", "bitwise_and", "floor_divide"):
            for dtype in "?bBlLefdFD":
                operands = [a] if name in UNARY else [a, values(c, 3, 1)]
                g.case("ufunc:" + name, operands, ufunc(name), dtype=dtype)
    for name, c in (("add", "f"), ("negative", "b"), ("where", "d"), ("less", "h")):
        for _, a in layouts(c):
            if name != "where":
                for order in "CFAK":
                    g.case("ufunc:" + name, [a] if name in UNARY else [a, 1], ufunc(name), order=order)
            for _, b in layouts(c) if name not in UNARY else ():
                operands = [values("?", b.size).reshape(b.shape), a, b] if name == "where" else [a, b]
                g.case("ufunc:" + name, operands, ufunc(name))
    m, row, column = values("d", 12).reshape(3, 4), values("d", 4), values("d", 3)[:, None]
    for a, b in ((m, row), (row, m), (np.asfortranarray(m), row), (np.asfortranarray(m), column), (row, column), (m, m.T),
                 (m.T, m[::-1].T), (m, values("d", 5)), (m[:, :0], row[:0]), (m[:, :0], column), (m[:0], row),
                 (np.broadcast_to(row, (3, 4)), column), (np.asfortranarray(m), m)):
        for name in ("add", "less_equal"):
            g.case("ufunc:" + name, [a, b], ufunc(name))
    yield g


def reductions():
    g = Group("reduction")
    axes = [None, [0], [1], [2], [-1], [0, 1], [2, 0], [], [0, 1, 2]]
    for name in REDUCE:
        f = getattr(np, name)
        one_axis = name in ("argmax", "argmin")
        for c in CHARS:
            a = values(c, 24).reshape(2, 3, 4)
            for axis in axes:
                if one_axis and axis is not None and len(axis) != 1:
                    continue
                g.case("reduce:" + name, [a], f, axis=axis)
            for keep in (None, [1]) if TWO or not one_axis else ():
                g.case("reduce:" + name, [a], f, axis=keep, keepdims=True)
            g.case("reduce:" + name, [special(c)], f)
            g.case("reduce:" + name, [values(c, 0).reshape(0, 3)], f, axis=[0])
            g.case("reduce:" + name, [values(c, 0).reshape(0, 3)], f, axis=[1])
            g.case("reduce:" + name, [values(c, 0)], f)
            g.case("reduce:" + name, [a[0, 0, :1].reshape(())], f, axis=[0])
            g.case("reduce:" + name, [a[0, 0, :1].reshape(())], f)
            if name in ("sum", "prod", "mean"):
                for dtype in "?bBilLfdD":
                    g.case("reduce:" + name, [a[0]], f, axis=[0], dtype=dtype)
        for c in "bd":
            for _, a in layouts(c):
                for axis in (None, [0], [1], [2], [0, 2], [1, -1], []):
                    if one_axis and axis is not None and len(axis) != 1:
                        continue
                    g.case("reduce:" + name, [a], f, axis=axis)
                    if not one_axis and c == "d":
                        g.case("reduce:" + name, [a], f, axis=axis, keepdims=True)
        for v in ([1.0, np.nan, 2.0], [np.nan, np.nan], [np.inf, -np.inf], [2.0, 7.0, 7.0], [-0.0, -0.0], [1e300, 1e300]):
            g.case("reduce:" + name, [np.array(v)], f)
        for v in ([1 + 1j, complex(0, np.nan), complex(np.nan, 0)], [1 + 2j, 1 - 3j, 1 + 2j], [2, 1j]):
            g.case("reduce:" + name, [np.array(v, complex)], f)
        for axis in ([3], [-4], [0, 0], [1, -2]):
            if len(axis) == 1 or not one_axis:
                g.case("reduce:" + name, [values("d", 24).reshape(2, 3, 4)], f, axis=axis)
    yield g


def matmuls():
    g = Group("matmul")
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 2)), ((2, 1, 2, 3), (3, 3, 2)),
              ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (2, 3)), ((), (3,)), ((2, 2, 3), (3, 3, 2)), ((3,), (4,)), ((3,), (2, 3, 4))]
    for c in CHARS:
        for a, b in shapes:
            g.case("matmul", [values(c, int(np.prod(a))).reshape(a), values(c, int(np.prod(b)), 1).reshape(b)], np.matmul)
        for d in CHARS:
            if c != d:
                g.case("matmul", [values(c, 4).reshape(2, 2), values(d, 4, 1).reshape(2, 2)], np.matmul)
    for c in "hd":
        a = values(c, 12).reshape(3, 4)
        for b in (a.T, np.asfortranarray(a.T), a[::-1].T, a.T[:, ::2]):
            g.case("matmul", [a, b], np.matmul)
            g.case("matmul", [np.asfortranarray(a), b], np.matmul)
    yield g


def creations():
    g = Group("creation")
    ranges = [(0, 5, 1), (2, 11, 3), (5, 0, -2), (0, 5, -1), (3, 3, 1), (1.0, 1.3, 0.1), (0.0, 1.0, 0.1), (0, 1, 0.25), (0, 5, 0.5),
              (-3, 3, 1), (1.5, 4.7, 1), (10.0, -1.0, -2.5), (0, 1, 0), (0.0, 1.0, 0.0), (0, float("inf"), 1), (0, float("nan"), 1),
              (0, 1000.0, 0.3 * 100), (0j, 2 + 2j, 0.5), (0, 4 + 0j, 1), (0, 300, 25), (False, True, True), (0.1, 20.0, 0.7)]
    for start, stop, step in ranges:
        g.case("arange", [start, stop, step], np.arange)
        for c in "?bBiLefdFD":
            if not isinstance(stop, complex) or c in COMPLEX:
                g.case("arange", [start, stop, step], np.arange, dtype=c)
    for shape in ([], [3], [2, 3], [2, 0], [0], [1, 2, 1]):
        for order in "CF":
            for c in CHARS:
                for name in ("zeros", "ones"):
                    g.case(name, [], lambda f=name, **k: getattr(np, f)(k["shape"], k["dtype"], order=k["order"]),
                           shape=shape, dtype=c, order=order)
    for value in (True, 3, -1, 300, 2.5, 1 + 2j, float("nan"), float("inf"), 1e300, 2**63):
        for c in [None, *CHARS]:
            g.case("full", [value], lambda v, **k: np.full(k["shape"], v, k["dtype"], order=k["order"]),
                   shape=[2, 2], dtype=c, order="C")
    yield g


def views():
    g = Group("view")
    reshapes = [[24], [-1], [4, 6], [2, -1], [3, 8], [6, 4], [2, 3, 4], [2, 3, 2, 2], [1, 24, 1], [4, 3, 2], [12, 2], [5, 5], [-1, -1], [0, -1],
                [6], [3, 2], [2, 1, 3, 1], [], [1], [1, 1], [0], [0, 5], [2, 0, 3], [-1, 5]]
    for _, a in layouts("h"):
        for shape in reshapes:
            for order in "CFA":
                g.case("reshape", [a], lambda x, **k: x.reshape(k["shape"], order=k["order"]), shape=shape, order=order)
        for axes in (None, [2, 0, 1], [1, 0, 2], [0, 1, 2], [-1, 0, 1], [0, 0, 1], [0, 1], [0, 1, 3], []):
            g.case("transpose", [a], lambda x, **k: np.transpose(x, k["axes"]), axes=axes)
        for x, y in ((0, 1), (0, -1), (2, 1), (1, 1), (0, 3), (-4, 0)):
            g.case("swapaxes", [a], lambda v, **k: np.swapaxes(v, k["a"], k["b"]), a=x, b=y)
        for x, y in (([0], [2]), ([2], [0]), ([-1], [0]), ([0, 1], [1, 2]), ([0, 1], [-1, 0]), ([0, 0], [0, 1]), ([0], [0, 1]), ([3], [0]), ([], [])):
            g.case("moveaxis", [a], lambda v, **k: np.moveaxis(v, k["source"], k["destination"]), source=x, destination=y)
        for axes in ([0], [1], [-1], [3], [0, 2], [0, -1], [1, 1], [4], [9], []):
            g.case("expand_dims", [a], lambda v, **k: np.expand_dims(v, tuple(k["axes"])), axes=axes)
        for axes in (None, [0], [1], [-2], [1, 1], [3], []):
            g.case("squeeze", [a], lambda v, **k: np.squeeze(v, None if k["axes"] is None else tuple(k["axes"])), axes=axes)
        for shape in ([2, 3, 4], [5, 2, 3, 4], [2, 4, 3], [4], [], [3, 2, 0, 3], [2, 5, 3], [7]):
            g.case("broadcast_to", [a], lambda v, **k: np.broadcast_to(v, k["shape"]), shape=shape)
        for order in "CFAK":
            g.case("copy", [a], lambda v, **k: v.copy(k["order"]), order=order)
            g.case("astype", [a], lambda v, **k: v.astype(k["dtype"], k["order"]), dtype="d", order=order)
        for f in (np.ascontiguousarray, np.asfortranarray):
            g.case(f.__name__, [a], f)
    yield g


def part(p):
    if p == "newaxis":
        return None
    if p == "ellipsis":
        return Ellipsis
    return p if isinstance(p, int) else slice(*p)


def indices():
    g = Group("index")
    cases = [[], [0], [-1], [2], [-3], [1, 2], [1, 2, 3], [0, 0, 0, 0], ["ellipsis"], ["ellipsis", 1], [0, "ellipsis", -1], ["ellipsis", "ellipsis"],
             ["newaxis"], ["newaxis", 0, "newaxis"], ["ellipsis", "newaxis"], [[None, None, None]], [[None, None, -1]], [[None, None, 2], [1, None, None]],
             [[None, None, None], [None, None, -2], [3, 0, -1]], [[5, 9, None]], [[-1, -9, -1]], [[0, 2, 0]], [[None, None, None], 1],
             [[1, 1, None]], [0, [None, None, -1], "newaxis", 2], [[-100, 100, 3]], ["ellipsis", [None, None, -3]], [[2, None, -1], "ellipsis"], [0, "ellipsis", [1, 3, None]]]
    for _, a in layouts("i"):
        for parts in cases:
            g.case("index", [a], lambda v, **k: v[tuple(part(p) for p in k["index"])], index=parts)

    def assign(target, value, **k):
        out = target.copy()
        out[tuple(part(p) for p in k["index"])] = value
        return out

    scalars = [True, 3, -1, 300, 2.7, -0.5, 300.7, float("nan"), float("inf"), 1 + 2j, 2**40]
    for c in CHARS:
        a = values(c, 12).reshape(3, 4)
        for v in scalars:
            g.case("assign", [a, v], assign, index=[1])
        for d in CHARS:
            if c not in "BHIL" or d not in FLOATS + COMPLEX:
                g.case("assign", [a, values(d, 4, 1)], assign, index=[[None, None, 2]])
    a = values("h", 24).reshape(2, 3, 4)
    for parts in cases:
        g.case("assign", [a, 5], assign, index=parts)
    for shape in ([1, 1, 2, 3, 4], [2, 2, 3, 4], [4], [3, 1], [3], [1, 1, 1, 1], [0], [2, 1, 4]):
        g.case("assign", [a, values("h", int(np.prod(shape)), 3).reshape(shape)], assign, index=["ellipsis"])
    yield g


def casts():
    g = Group("cast")
    for a in CHARS:
        for b in CHARS:
            g.case("astype", [special(a)], lambda v, **k: v.astype(k["dtype"], k["order"]), dtype=b, order="K")
            g.case("astype", [values(a, 5)], lambda v, **k: v.astype(k["dtype"], k["order"]), dtype=b, order="K")
    ties = np.array([65519, 65520, 2049, 2051, 2**24 + 1, 2**24 + 3, 2**53 + 1, 2**53 + 3, -(2**53) - 1, 2**63 - 1], np.int64)
    for b in "efdFD":
        g.case("astype", [ties], lambda v, **k: v.astype(k["dtype"], k["order"]), dtype=b, order="K")
        wide = np.array([65519.0, 65520.0, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 2.0**-25, 2.0**-24, 2.0**-150, 1e-45])
        g.case("astype", [wide], lambda v, **k: v.astype(k["dtype"], k["order"]), dtype=b, order="K")
    yield g


def elementary():
    yield from golden_elementary.groups(sys.modules[__name__])


def rounded():
    """Correctly rounded values, not NumPy's: from mpmath at 500 bits, where it is installed (parameter "exact")."""
    try:
        import mpmath
    except ImportError:
        return
    g = Group("rounded")
    mp = mpmath.mp
    mp.prec = 500

    def nearest(x, c):
        """The nearest value of a float type to an mpf; exact scaling to an integer, one rounding, ties to even."""
        info = np.finfo(c)
        if x == 0:
            return 0.0
        exponent = max(mpmath.frexp(x)[1] - 1, int(info.minexp)) - int(info.nmant)
        n = int(mpmath.nint(mpmath.ldexp(x, -exponent)))
        value = mpmath.ldexp(mpmath.mpf(n), exponent)
        return float(np.copysign(float(value) if abs(value) <= float(info.max) else np.inf, -1 if x < 0 else 1))

    def record(name, operands, f, c):
        a = [mpmath.mpmathify(v.item()) for v in operands[0]]
        rows = [(x, mpmath.mpmathify(y.item())) for x, y in zip(a, operands[1])] if len(operands) > 1 else [(x,) for x in a]
        results = [f(*row) for row in rows]
        if c in COMPLEX:
            part = "d" if c == "D" else "f"
            out = np.array([complex(nearest(mpmath.re(z), part), nearest(mpmath.im(z), part)) for z in results], c)
        else:
            out = np.array([nearest(z, c) for z in results], c)
        g.cases.append(["ufunc:" + name, [g.array(v) for v in operands], {"exact": True}, g.array(out)])

    one = {"exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos, "tanh": mpmath.tanh, "sqrt": mpmath.sqrt}
    two = {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
           "true_divide": lambda x, y: x / y, "power": mpmath.power}
    for c in FLOATS + COMPLEX:
        n = 72
        i = np.arange(1, n + 1, dtype=np.float64)
        # Fractions without a pattern, on scales from 2^-12 to 2^8, and a few large ones.
        scale = np.exp2(np.floor((i * 7) % 20) - 12)
        a = ((i * 0.6180339887498949) % 1 + 0.5) * scale
        b = ((i * 0.7548776662466927) % 1 + 0.25) * np.where(i % 2 == 0, 4, -4)
        if c in COMPLEX:
            x, y = (a + 1j * b).astype(c), (b[::-1] - 1j * a).astype(c)
        else:
            x, y = a.astype(c), b.astype(c)
        for name, f in one.items():
            signed = x if c in COMPLEX or name in ("log", "sqrt") else np.where(i % 3 == 0, -x, x).astype(c)
            record(name, [signed], f, c)
        for name, f in two.items():
            record(name, [x, y], f, c)
        if c in FLOATS:
            large = np.array([0.9, 1e4, 6e4] + ([1e22, 3e38] if c != "e" else []) + ([1e300] if c == "d" else []), c)
            for name in ("sin", "cos", "log", "sqrt"):
                record(name, [large], one[name], c)
            tiny = np.array([-17.3, -9.7] + ([-100.1, -103.9] if c != "e" else []) + ([-744.0, -745.1, -708.4] if c == "d" else []), c)
            record("exp", [tiny], one["exp"], c)
    yield g
    g = Group("rounded_elementary")
    golden_elementary.rounded(sys.modules[__name__], mpmath, record)
    yield g


def promotions():
    g = Group("promotion")
    rows = ["".join(char(np.promote_types(a, b)) for b in CHARS) for a in CHARS]
    g.table("promote_types", " ".join(rows))
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        rows = ["".join("01"[np.can_cast(np.dtype(a), np.dtype(b), casting)] for b in CHARS) for a in CHARS]
        g.table("can_cast:" + casting, " ".join(rows))
    # One-element arrays beside one scalar of each kind, and every pair of dtypes beside a float.
    rows = ["".join(char(np.result_type(values(a, 1), s)) for s in (True, 1, 1.5, 1j)) for a in CHARS]
    g.table("weak", " ".join(rows))
    rows = ["".join(char(np.result_type(values(a, 1), values(b, 1), 1.5)) for b in CHARS) for a in CHARS]
    g.table("weak_pairs", " ".join(rows))
    yield g


def texts():
    """What print shows: the outcome is a text."""
    g = Group("text")

    def record(a):
        for name, f in (("str", np.array_str), ("repr", np.array_repr)):
            g.cases.append(["text:" + name, [g.array(a)], {}, f(a)])

    for c in CHARS:
        record(special(c))
        record(np.resize(special(c), (2, 4)))
        record(values(c, 40))
        for _, a in layouts(c):
            record(a)
        for a in (values(c, 0), np.zeros((0, 3), c), np.zeros((1, 1, 1, 2), c)):
            record(a)
    for a in (np.arange(1000), np.arange(1001), np.arange(1001.0) / 8, np.arange(1200).reshape(40, 30), np.zeros((11, 10, 10)),
              np.zeros((2, 501), "?"), np.arange(1002).reshape(3, 2, 167) + 1j, np.full((2, 2, 26), -1.23456789e-7)):
        record(a)
    for c in FLOATS:
        numbers = [0.0, -0.0, 1.0, 0.1, 1 / 3, 2 / 3, 1e-4, 9.9e-5, 1e-5, 99.5, 999.0, 1000.0, 2048.0, 12345.678, 99999.0, 999999.0, 1e6, 16777216.0,
                   99999999.0, 1e8, 123456789.0, 1e15, 1e16, 1.5e22, 2.0**-44, 5e-324, 1.7e308, 65504.0, 2.0**-24, 9.5e-7, 2.0**-9, 3 * 2.0**-9, np.nan, np.inf, -np.inf]
        v = np.array(numbers).astype(c)
        for x in v:
            record(np.array(x))
            record(np.array([x]))
        for x, y in zip(v, v[3:]):
            record(np.array([x, -y], c))
            record(np.array([x, np.nan, y], c))
        if c != "e":
            for x, y in zip(v[::2], v[5:]):
                record(np.array(complex(x, -y), c.upper()))
                record(np.array([complex(x, y), complex(y, -x)], c.upper()))
    yield g


def parts():
    yield from golden_parts.groups(sys.modules[__name__])
    yield from golden_division.groups(sys.modules[__name__])
    yield from golden_angle.groups(sys.modules[__name__])
    yield from golden_types.groups(sys.modules[__name__])


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="ignore")
    # Not before here: they take from this file.
    from golden_advanced import advanced
    from golden_at import at
    from golden_creation import groups as made
    from golden_linalg import groups as linear
    from golden_methods import methods
    from golden_options import options
    from golden_polynomials import polynomials
    from golden_searching import searching
    from golden_scans import groups as scans
    from golden_sorting import groups as sorting
    from golden_statistics import statistics
    from golden_strides import strides

    groups = (ufuncs, forms, reductions, matmuls, creations, views, indices, casts, promotions, rounded, texts, parts, elementary, options, methods, at, advanced, searching, scans, sorting, statistics, strides, made, polynomials, linear)
    for make in groups:
        for group in make():
            group.write(folder)
            print(f"numpy {np.__version__} {group.name}: {len(group.cases)} cases, {len(group.data)} bytes of elements")


if __name__ == "__main__":
    main()
