"""Writes the tables of the distributions that are functions of one word: kernels/include/random_*_table.cuh. Needs mpmath.

A word names the middle of one of 2^32 parts of (0, 1). Its distance from the nearer end (for normal numbers, from the nearer of
the tail and the centre) is in one of twelve octaves, each in sixteen parts; a cubic for each part, of what the distance is more than its beginning.
Its coefficients are rounded one after the other, the highest first, and the rest is fitted to what is left.
"""

import struct
import sys
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
PARTS, FIRST, OCTAVES = 16, 19, 12
INCLUDE = Path(__file__).parent.parent / "kernels" / "include"


def single(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def fitted(function, low, high):
    """Coefficients of a cubic, the constant one first."""
    known = {}
    for degree in (3, 2, 1, 0):
        points = [(low + high) / 2 + (high - low) / 2 * mp.cos((2 * k + 1) * mp.pi / (2 * degree + 2)) for k in range(degree + 1)]
        values = [function(t) - sum(c * t**k for k, c in known.items()) for t in points]
        # The coefficient of the highest power: a divided difference.
        top = mp.mpf(0)
        for t, value in zip(points, values):
            others = mp.mpf(1)
            for s in points:
                if s is not t:
                    others *= t - s
            top += value / others
        known[degree] = single(top)
    return [known[k] for k in range(4)]


def quantile(p):
    """The z that a normal number exceeds with probability p."""
    z = mp.sqrt(-2 * mp.log(p)) if p < 0.2 else (mp.mpf(1) / 2 - p) * mp.sqrt(2 * mp.pi)
    for _ in range(60):
        above = mp.erfc(z / mp.sqrt(2)) / 2
        step = (above - p) / (mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi))
        z += step / (1 - step * z / 2)
        if abs(step) < mp.mpf(10) ** -32:
            return z
    raise ArithmeticError(f"no quantile of {p}")


def normal(centre, x):
    """Of an odd distance in parts of 2^-33."""
    share = x / mp.mpf(2) ** 33
    if not centre:
        return quantile(share)
    return quantile(mp.mpf(1) / 2 - share) if share > mp.mpf(2) ** -20 else mp.sqrt(2 * mp.pi) * share


def exponential(near_one, x):
    share = x / mp.mpf(2) ** 32
    return -mp.log1p(-share) if near_one else -mp.log(share)


def table(function, exact, says):
    """`exact` is what the distance is more than a float that has room for all of it."""
    count = 2 * OCTAVES * PARTS
    lines = [f"// {says}", "struct __align__(16) row {", "  f32 v[4];", "};", f"constexpr u32 ENTRIES = {count};", f"__device__ const row rows[{count}] = {{"]
    for end in (False, True):
        for octave in range(FIRST, FIRST + OCTAVES):
            # A float is rounded down: the distances that it represents are around this.
            more = exact if octave < 24 else mp.mpf(2) ** (octave - 24)
            for part in range(PARTS):
                low, width = mp.mpf(2) ** octave * (PARTS + part) / PARTS, mp.mpf(2) ** octave / PARTS
                row = fitted(lambda t: function(end, low + t + more), mp.mpf(0), width)
                lines.append("  {{" + ", ".join(literal(c) for c in row) + "}},")
    return "\n".join(lines + ["};", ""])


def literal(x):
    for digits in range(1, 10):
        text = f"{float(x):.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", float(x)):
            break
    return text + ("f" if "." in text or "e" in text else ".0f")


def tail():
    """The polynomial of the far tail: z less s, of s - 7, where s is sqrt(-2 log p), from 2^-14 to 2^-65."""
    low, high = mp.sqrt(28 * mp.log(2)), mp.sqrt(130 * mp.log(2))
    f = lambda s: quantile(mp.exp(-s * s / 2)) - s
    coefficients, error = mp.chebyfit(lambda q: f(q + 7), [low - 7, high - 7], 10, error=True)
    print("tail from", low, "to", high, "error", float(error), [float(c) for c in coefficients], file=sys.stderr)


def wide():
    """Logarithms at 128 points around 1, then sine and cosine of 128 angles."""
    lines = [
        "// The reciprocal of a position, of 12 bits, and the logarithm of that, by the first bits of a mantissa from sqrt(1/2) on.",
        "// Then sine and cosine of 128 angles: `ci/random_tables.py`.",
        "struct __align__(16) row {",
        "  f64 v[2];",
        "};",
        "constexpr u32 ENTRIES = 256;",
        "__device__ const row rows[256] = {",
    ]
    start = 0x3FE6A09E
    for i in range(128):
        ends = [struct.unpack("d", struct.pack("Q", (start + (i + k) * 0x2000) << 32))[0] for k in (0, 1)]
        if ends[0] <= 1 <= ends[1]:
            lines.append("  {{1.0, 0.0}},")
            continue
        inverse = mp.nint(mp.mpf(2) / (mp.mpf(ends[0]) + ends[1]) * 4096) / 4096
        lines.append("  {{" + f"{float(inverse)!r}, {float(-mp.log(inverse))!r}" + "}},")
    for j in range(128):
        s, c = (mp.sinpi(mp.mpf(j) / 64), mp.cospi(mp.mpf(j) / 64))
        lines.append("  {{" + f"{float(s)!r}, {float(c)!r}" + "}},")
    return "\n".join(lines + ["};", ""])


if __name__ == "__main__":
    tail()
    (INCLUDE / "random_wide_table.cuh").write_text(wide())
    says = "-log of what a word names, by its distance from 0, then by that from 1: `ci/random_tables.py`."
    (INCLUDE / "random_exponential_table.cuh").write_text(table(exponential, mp.mpf(1) / 2, says))
    says = "Normal numbers by the distance of a word from the tail, then by that from the centre: `ci/random_tables.py`."
    (INCLUDE / "random_normal_table.cuh").write_text(table(normal, mp.mpf(0), says))
