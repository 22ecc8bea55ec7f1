"""The golden data of the elementary functions: trigonometric, hyperbolic, exponents, logarithms, roots."""

import numpy as np

TRIGONOMETRIC = "tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh degrees radians rad2deg deg2rad sinc".split()
EXPONENTS = "expm1 exp2 log2 log10 log1p cbrt reciprocal square i0".split()
ALIASES = "asin acos atan asinh acosh atanh".split()
PARTS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.25, 1e-4, 20.5, np.inf, -np.inf, np.nan]


def operands(golden, c):
    """What bends every function; of floats also a spread over the domains of the inverse ones."""
    v = golden.special(c)
    if c in golden.FLOATS:
        spread = np.concatenate([np.arange(-31, 32) / 32, np.arange(1, 25) * 0.6180339887498949, -np.exp2(np.arange(-9.0, 9.0)) / 3])
        return np.concatenate([v, spread.astype(c)])
    if c in golden.COMPLEX:
        grid = [complex(x, y) for x in PARTS for y in PARTS]
        return np.concatenate([v, np.array(grid, c), golden.values(c, 40)])
    return v


def groups(golden):
    """The files, each an instance of `golden.Group`."""
    for name, one, two in (
        ("trigonometric", TRIGONOMETRIC + (ALIASES if golden.TWO else []), ["arctan2", "hypot"] + ["atan2"] * golden.TWO),
        ("exponents", EXPONENTS, ["logaddexp", "logaddexp2", "float_power"]),
    ):
        g = golden.Group(name)
        for c in golden.CHARS:
            for f in one:
                v = operands(golden, c)
                if f == "reciprocal" and c in golden.INTS:
                    # Before 2.4 what 1 / 0 gives depends on the processor.
                    v = v if golden.TWO else v[v != 0]
                g.case("ufunc:" + f, [v[:9] if f in ALIASES else v], getattr(np, f))
            for f in two:
                g.case("ufunc:" + f, list(golden.pairs(c)), getattr(np, f))
        for a in golden.CHARS:
            for b in golden.CHARS:
                if a != b:
                    for f in two:
                        g.case("ufunc:" + f, [golden.values(a, 3), golden.values(b, 3, 1)], getattr(np, f))
            for scalar in (True, 3, 2.5, 1j, -1):
                for f in two:
                    g.case("ufunc:" + f, [golden.values(a, 3), scalar], getattr(np, f))
        yield g


def rounded(golden, mpmath, record):
    """Correctly rounded values: `record(name, operands, function, type character)`."""
    mpf = mpmath.mpf

    def i0(x):
        return mpmath.besseli(0, x)

    def add(base):
        return lambda x, y: mpmath.log(mpmath.power(base, x) + mpmath.power(base, y)) / mpmath.log(base)

    odd = {
        "tan": mpmath.tan,
        "arcsin": mpmath.asin,
        "arctan": mpmath.atan,
        "sinh": mpmath.sinh,
        "arcsinh": mpmath.asinh,
        "arctanh": mpmath.atanh,
        "expm1": mpmath.expm1,
        "exp2": lambda x: mpmath.power(2, x),
        "log1p": mpmath.log1p,
        "sinc": mpmath.sincpi,
        "cosh": mpmath.cosh,
        "arccos": mpmath.acos,
    }
    positive = {"log2": lambda x: mpmath.log(x) / mpmath.log(2), "log10": lambda x: mpmath.log(x) / mpmath.log(10)}
    complex_too = {**odd, **positive, "arccosh": mpmath.acosh, "rsqrt": lambda z: 1 / mpmath.sqrt(z), "reciprocal": lambda z: 1 / z, "square": lambda z: z * z}
    real = {
        "exp10": lambda x: mpmath.power(10, x),
        "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
        "degrees": mpmath.degrees,
        "radians": mpmath.radians,
        "i0": i0,
    }
    binary = {"arctan2": mpmath.atan2, "hypot": mpmath.hypot, "logaddexp": add(mpmath.e), "logaddexp2": add(mpf(2))}
    for c in golden.FLOATS + golden.COMPLEX:
        i = np.arange(1, 49, dtype=np.float64)
        # Fractions without a pattern, on scales from 2^-12 to 2^3, below 1 for the inverse functions.
        a = ((i * 0.6180339887498949) % 1 + 0.5) * np.exp2(np.floor((i * 7) % 16) - 12)
        b = ((i * 0.7548776662466927) % 1 + 0.25) * np.where(i % 2 == 0, 2, -2)
        if c in golden.COMPLEX:
            z = np.where(i % 3 == 0, -a - 1j * b, a + 1j * b).astype(c)
            for name, f in complex_too.items():
                record(name, [z], f, c)
            # Next to branch points and far from everything, with bits enough for what cancels there.
            far = 1e200 if c == "D" else 1e30
            step = np.finfo(c).eps
            extreme = [complex(x, y) for x in (1 / far, -1 / far, -1e-8, 1 - step, 1.0, 1 + step, -1.0, -2.0, far) for y in (1 / far, -3e-9, 2.0, far**0.75)]
            with mpmath.workprec(6000):
                for name, f in complex_too.items():
                    if name not in ("exp2", "square"):
                        record(name, [np.array(extreme, c)], f, c)
            continue
        x, y = a.astype(c), b.astype(c)
        signed = np.where(i % 3 == 0, -x, x).astype(c)
        inside = (signed * np.array(2.0**-4, c)).astype(c)
        for name, f in {**odd, **real}.items():
            if name != "exp10" or c != "e":
                record(name, [inside if name in ("arcsin", "arccos", "arctanh", "log1p") else signed], f, c)
        for name, f in positive.items():
            record(name, [x], f, c)
        record("arccosh", [(1 + x).astype(c)], mpmath.acosh, c)
        record("rsqrt", [x], lambda v: 1 / mpmath.sqrt(v), c)
        for name, f in binary.items():
            record(name, [signed, y], f, c)
