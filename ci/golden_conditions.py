"""Writes mpmath-1.3/special.npz: special functions to twice the digits of float64, and how much they ask of their operands.

    python golden_conditions.py FOLDER

The form is that of golden.py. The outcome of a case is the function's value, what its rounding left, and its condition: the
sum of |x df/dx| over the operands x that are no orders. No computation in float64 can be held to less than that, in
units of float64, where it is more than the value. Operands are sampled next to the functions' zeros, too.
"""

import math
import os
import random
import sys

import mpmath
import numpy as np

from golden import Group

DIGITS = 60
# Zeros of log |gamma|.
ROOTS = [-2.4570247382208006, -2.7476826467274127, -3.14358088834998, -3.955294284858598, -4.039161841403706, -4.991544640566068]


def near(r, root, least=-15.0):
    return root * (1 + r.choice([-1, 1]) * 10 ** r.uniform(least, -2))


def log_gamma_points(r):
    yield from ((near(r, root),) for root in ROOTS for _ in range(12))
    yield from ((root,) for root in ROOTS)
    yield from ((-r.uniform(0, 14),) for _ in range(100))
    yield from ((math.copysign(math.exp(r.uniform(-20, 9)), sign),) for sign in (-1, 1) for _ in range(30))


def incomplete_points(r):
    for _ in range(60):
        yield math.exp(r.uniform(-8, 3)), math.exp(r.uniform(-8, 4))
    # Some deviations from the middle, where both functions have digits.
    for most in (7, 7, 12):
        for _ in range(50):
            a = math.exp(r.uniform(0, most))
            yield a, a * math.exp(r.choice([1, 3]) * r.gauss(0, 1) / math.sqrt(a))
    for _ in range(30):
        yield r.uniform(80, 200), r.uniform(60, 280)


def second_kind_points(r):
    for _ in range(60):
        yield float(r.randint(2, 30)), math.exp(r.uniform(-2, 4))
    for most in (1000, 4000):
        for _ in range(50):
            n = r.randint(2, most)
            yield float(n), n * math.exp(r.gauss(0, 0.2))
    # Crests, at which the argument does not count.
    yield from [(2825.0, 2950.100248700656), (663.0, 855.6324138321903), (449.0, 463.1440660302397), (885.0, 1160.3540321377102)]


def legendre_points(r):
    for _ in range(60):
        yield float(r.randint(-4, 4)), r.uniform(0, 20), r.uniform(-0.9, 1)
    for _ in range(40):
        n = r.randint(0, 20)
        yield float(n), float(r.randint(n, 80)), r.uniform(-0.9, 1)
    for _ in range(50):
        yield float(r.randint(-60, 60)), r.uniform(0, 60), r.uniform(0, 1)
    # Crests.
    yield from [(3.0, 5.379899093132092, 0.05826155344263406), (-25.0, 2.543010816081863, 0.035246894847094756), (-2.0, 13.4112258340092, -0.49406616339748743)]


def log_gamma(x):
    return mpmath.log(abs(mpmath.gamma(x)))


def lower(a, x):
    return mpmath.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mpmath.gammainc(a, x, mpmath.inf, regularized=True)


def second_kind(n, x):
    """Upwards from the orders 0 and 1, which is stable."""
    below, y = mpmath.bessely(0, x), mpmath.bessely(1, x)
    for k in range(1, int(n)):
        below, y = y, 2 * k / x * y - below
    return y


def legendre(m, v, x):
    """DLMF 14.3.1 of the order -|m|, and 14.9.3."""
    n = int(abs(m))
    with mpmath.workdps(2 * DIGITS):
        y = (1 - x * x) ** (mpmath.mpf(n) / 2) / (mpmath.mpf(2) ** n * mpmath.factorial(n)) * mpmath.hyp2f1(n - v, n + v + 1, n + 1, (1 - x) / 2)
        return y if m <= 0 else (-1) ** n * y * mpmath.fprod((v - n + j) * (v + j) for j in range(1, n + 1))


# Where operands are drawn, the function, and the operands that are no orders.
FUNCTIONS = {
    "gammaln": (log_gamma_points, log_gamma, [0]),
    "gammainc": (incomplete_points, lower, [0, 1]),
    "gammaincc": (incomplete_points, upper, [0, 1]),
    "yn": (second_kind_points, second_kind, [1]),
    "lpmv": (legendre_points, legendre, [1, 2]),
}


def condition(f, row, y, operands):
    total = mpmath.mpf(0)
    for k in operands:
        step = row[k] * mpmath.mpf(2) ** -80
        moved = [x + step if i == k else x for i, x in enumerate(row)]
        total += abs((f(*moved) - y) / step * row[k])
    return total


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    mpmath.mp.dps = DIGITS
    g = Group("special")
    for name, (points, f, operands) in FUNCTIONS.items():
        rows, results = [], []
        for point in points(random.Random(name)):
            row = [mpmath.mpf(x) for x in point]
            y = f(*row)
            if 1e-280 < abs(y) < 1e280:
                rows.append(point)
                results.append((float(y), float(y - mpmath.mpf(float(y))), float(condition(f, row, y, operands))))
        columns = [g.array(np.array(column)) for column in zip(*rows)]
        g.cases.append(["condition:" + name, columns, {}, [g.array(np.array(part)) for part in zip(*results)]])
    g.write(folder)
    print(f"mpmath {mpmath.__version__} {g.name}: {len(g.cases)} cases, {len(g.data)} bytes of elements")


main()
