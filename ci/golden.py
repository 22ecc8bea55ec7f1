"""Writes golden data of what no case of the harness is: tables of dtypes, texts, values of many digits and of corners.

    python golden.py FOLDER

Each FOLDER/GROUP.npz holds two byte arrays: `data`, all elements, and `index`, JSON:

    {"numpy": version,
     "arrays": [[type character, shape, first byte in data, (bytes, strides, offset)], ...],
     "cases": [[function, operands, parameters, outcome], ...]}

Arrays without the last three are packed in C order. An operand is the number of an array or a scalar such as
{"int": "3"}; an outcome is the number of an array, a list of
such numbers where there are several results, the name of an exception class, or a table of text. The cases of matrix.yaml
are held against NumPy's replies to their ids, which are in tests/golden/replies.
The files are stored, not compressed, and carry no date: the same NumPy on the same machine writes the same bytes.
"""

import ctypes
import io
import json
import os
import sys
import zipfile

import golden_division
import golden_elementary
import golden_types
import numpy as np

TWO = int(np.__version__.split(".")[0]) >= 2
CHARS = "?bBhHiIlLefdFD"
INTS = "bBhHiIlL"
FLOATS = "efd"
COMPLEX = "FD"
OURS = {"?": "bool", "b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "L": "u64",
        "e": "f16", "f": "f32", "d": "f64", "F": "c64", "D": "c128"}  # fmt: skip
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


def as_text(parameters):
    """As matrix.yaml writes it."""

    def text(value):
        if isinstance(value, (list, tuple)):
            return "(" + "".join(repr(v) + "," for v in value) + ")" if len(value) == 1 else "(" + ",".join(map(repr, value)) + ")"
        return {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)

    return ";".join(f"{k}={OURS[v] if k == 'dtype' else text(v)}" for k, v in parameters.items())


def record(g, name, operands=(), f=None, made=False, described_as=None, **parameters):
    """Records a routine, or with `made` one of which the oracle knows how far it may be off, written as matrix.yaml has it."""
    f = f or getattr(np, name)
    kind = "made:" if made else "routine:"
    shown = as_text(parameters) if described_as is None else described_as
    g.case(kind + name, list(operands), lambda *a, **_: f(*a, **parameters), call=shown)


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
    two = {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y, "true_divide": lambda x, y: x / y, "power": mpmath.power}
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
    # One-element arrays with one scalar of each kind, and every pair of dtypes with a float.
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
    for a in (
        np.arange(1000),
        np.arange(1001),
        np.arange(1001.0) / 8,
        np.arange(1200).reshape(40, 30),
        np.zeros((11, 10, 10)),
        np.zeros((2, 501), "?"),
        np.arange(1002).reshape(3, 2, 167) + 1j,
        np.full((2, 2, 26), -1.23456789e-7),
    ):
        record(a)
    for c in FLOATS:
        numbers = [
            0.0,
            -0.0,
            1.0,
            0.1,
            1 / 3,
            2 / 3,
            1e-4,
            9.9e-5,
            1e-5,
            99.5,
            999.0,
            1000.0,
            2048.0,
            12345.678,
            99999.0,
            999999.0,
            1e6,
            16777216.0,
            99999999.0,
            1e8,
            123456789.0,
            1e15,
            1e16,
            1.5e22,
            2.0**-44,
            5e-324,
            1.7e308,
            65504.0,
            2.0**-24,
            9.5e-7,
            2.0**-9,
            3 * 2.0**-9,
            np.nan,
            np.inf,
            -np.inf,
        ]
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


def corners():
    yield from golden_division.groups(sys.modules[__name__])
    yield from golden_types.groups(sys.modules[__name__])


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="ignore")
    # Not before here: they take from this file.
    from golden_at import at
    from golden_methods import methods
    from golden_options import options

    for make in (promotions, rounded, texts, corners, elementary, options, methods, at):
        for group in make():
            group.write(folder)
            print(f"numpy {np.__version__} {group.name}: {len(group.cases)} cases, {len(group.data)} bytes of elements")


if __name__ == "__main__":
    main()
