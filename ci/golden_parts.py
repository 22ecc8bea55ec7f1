"""Golden data of the functions of rounding, of signs, of the parts of floats, of divisors and of bits; part of golden.py."""

import numpy as np

UNARY = "rint fix floor ceil trunc positive conjugate sign fabs signbit isinf spacing bitwise_count frexp modf".split()
BINARY = "copysign heaviside fmax fmin nextafter ldexp fmod divmod gcd lcm left_shift right_shift logical_xor".split()
ALIASES = "conj bitwise_invert bitwise_left_shift bitwise_right_shift".split()


def groups(golden):
    """`golden` is golden.py itself: its values and its way of recording."""
    g = golden.Group("parts")
    chars, ints, floats = golden.CHARS, golden.INTS, golden.FLOATS

    def record(name, operands, **parameters):
        if hasattr(np, name):
            g.case("ufunc:" + name, operands, getattr(np, name), **parameters)

    def halves(c):
        """Halves between whole numbers, where roundings part; the ends of whole numbers."""
        info = np.finfo(c)
        v = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 0.75, -0.75, 2.0 ** info.nmant - 0.5, 2.0 ** info.nmant + 1, 1 / 3, -7 / 3]
        return np.array(v + [info.smallest_subnormal, -info.smallest_subnormal, info.tiny, -info.tiny * 1.5, 2.0**-3, -2.0**-3], c)

    for name in UNARY:
        for c in chars:
            record(name, [golden.special(c)])
            record(name, [golden.values(c, 6)])
            if c in floats:
                record(name, [halves(c)])
            if c in golden.COMPLEX:
                part = halves(c.lower())
                record(name, [(part[:, None] + 1j * part[:4]).astype(c)])
    for name in BINARY:
        for c in chars:
            a, b = golden.pairs(c)
            if not golden.TWO and name in ("fmod", "divmod") and c in ints:
                # NumPy 1.22 dies of a processor trap where the smallest integer is divided by -1.
                b = b[b.astype(float) != -1]
            record(name, [a, b])
            if c in floats:
                v = halves(c)
                record(name, [v[:, None], v[::4]])
            if c in ints and name in ("fmod", "divmod", "gcd", "lcm", "left_shift", "right_shift"):
                # Counts and divisors of every size.
                n = np.arange(-20, 80, 8).astype(c)
                record(name, [golden.special(c)[:, None], n])
    counts = [-(2**40), -2000, -1100, -160, -149, -30, -24, -10, -1, 0, 1, 9, 15, 40, 127, 1000, 1100, 2200, 2**40]
    for c in floats:
        for d in "bhil":
            n = np.array([k for k in counts if abs(k) <= np.iinfo(d).max], d)
            record("ldexp", [np.concatenate([golden.special(c), halves(c)])[::2, None], n])
    for c in "?bBLed":
        v = golden.values(c, 3)
        for name in BINARY:
            for scalar in (3, -1, 300, 2**63):
                record(name, [v, scalar])
        for scalar in (True, 2.5, 2**40):
            record("ldexp", [v, scalar])
            record("ldexp", [scalar, v])
    for name in ALIASES:
        for c in "?bLfF":
            operands = [golden.values(c, 3)] * (2 if name.endswith("shift") else 1)
            record(name, operands)
    for _, v in golden.layouts("f"):
        for name in ("frexp", "modf", "trunc"):
            record(name, [v])
            record(name, [v], order="F")
        record("divmod", [v, np.array(3, "f")])
    yield g
