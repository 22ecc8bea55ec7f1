"""Golden data of dtypes: what they hold, how they meet, and what every ufunc makes of them; part of golden.py."""

import numpy as np

FLOATS = "eps epsneg max min tiny smallest_normal smallest_subnormal resolution".split()
INTS = "bits iexp machep maxexp minexp negep nexp nmant precision".split()
WEAK = [True, 1, 1.5, 1j]


def ufuncs():
    """Every elementwise ufunc of one or two operands, once."""
    found = {}
    for name in sorted(dir(np)):
        f = getattr(np, name)
        if isinstance(f, np.ufunc) and f.signature is None and f.nin <= 2:
            found.setdefault(f.__name__, f)
    return found


def groups(golden):
    """`golden` is golden.py itself: its values and its way of recording."""
    chars, char = golden.CHARS, golden.char
    g = golden.Group("types")
    for c in chars:
        for name in FLOATS:
            g.case("finfo:" + name, [golden.values(c, 1)], lambda a, n=name: np.asarray(getattr(np.finfo(a.dtype), n), a.real.dtype))
        for name in INTS:
            g.case("finfo:" + name, [golden.values(c, 1)], lambda a, n=name: np.asarray(getattr(np.finfo(a.dtype), n), "l"))
        for name in ("min", "max"):
            g.case("iinfo:" + name, [golden.values(c, 1)], lambda a, n=name: np.asarray(getattr(np.iinfo(a.dtype), n), a.dtype))
        g.case("iinfo:bits", [golden.values(c, 1)], lambda a: np.asarray(np.iinfo(a.dtype).bits, "l"))
        # An array of the dtype that is the answer.
        g.case("min_scalar_type", [golden.values(c, 2)], lambda a: np.zeros((), np.min_scalar_type(a)))
    numbers = [
        0,
        1,
        127,
        128,
        255,
        256,
        32767,
        32768,
        65535,
        65536,
        2**31,
        2**32 - 1,
        2**32,
        2**63,
        2**64 - 1,
        -1,
        -128,
        -129,
        -32768,
        -32769,
        -(2**31),
        -(2**31) - 1,
        -(2**63),
    ]
    floats = [0.0, 1.5, 64999.0, 65000.0, 65504.0, -65000.0, 1e5, 3.39e38, 3.4e38, 3.5e38, 1e300, 1e-300, float("inf"), float("nan")]
    for v in [
        True,
        *numbers,
        *floats,
        1j,
        1e5j,
        complex(1e39, 0),
        complex(0, -1e300),
        complex(float("nan"), 1),
        complex(1, float("inf")),
        complex(3.39e38, -3.39e38),
        complex(3.4e38, 0),
    ]:
        g.case("min_scalar_type", [v], lambda v: np.zeros((), np.min_scalar_type(v)))

    def attempt(f):
        try:
            return f()
        except TypeError:
            return "!"

    rows = ["".join(attempt(lambda: char(np.dtype(np.common_type(golden.values(a, 1), golden.values(b, 1))))) for b in chars) for a in chars]
    g.table("common_type", " ".join(rows))
    for kind, weak in (("bool", True), ("int", 1), ("complex", 1j)):
        rows = ["".join(char(np.result_type(golden.values(a, 1), golden.values(b, 1), weak)) for b in chars) for a in chars]
        g.table("weak_pairs:" + kind, " ".join(rows))
    if golden.TWO:
        # Operands: one-element arrays, then weak scalars. `!` is a TypeError.
        operands = [np.ones(1, c) for c in chars] + WEAK
        for name, f in ufuncs().items():

            def cell(*given):
                results = f(*given)
                return "".join(char(np.asarray(r).dtype) for r in (results if f.nout > 1 else (results,)))

            if f.nin == 1:
                cells = [[attempt(lambda: cell(a)) for a in operands]]
            else:
                cells = [[attempt(lambda: cell(a, b)) for b in operands] for a in operands]
            for k in range(f.nout):
                rows = ["".join(c if c == "!" else c[k] for c in row) for row in cells]
                g.table(f"dtypes:{name}:{k}", " ".join(rows))
    yield g
