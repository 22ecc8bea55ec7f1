"""Writes golden data of the special functions: scipy-1.17/special.npz from SciPy, scipy-1.17/rounded.npz from mpmath.

    python golden_special.py FOLDER

The form is that of golden.py. `special` holds SciPy's dtypes, special values and results; `rounded` holds results of
mpmath at 50 digits and more, correctly rounded to the dtype.
"""

import os
import sys

import mpmath
import numpy as np
import scipy
import scipy.special

from golden import CHARS, COMPLEX, Group, values

INF, NAN = np.inf, np.nan
WHOLE = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 10.0, 40.0, INF, -INF, NAN]
PARTS = [0.5, -0.5, 0.25, 0.9375, 1.5, -1.5, 2.375, -3.625, 5.5, -7.75, 12.25, 27.5, -60.25, 130.5, 1e-5, -1e-5, 1e-30, 1e30]
# Functions of one operand, with operands of their own where the common ones miss the domain.
UNIT = [k / 16 for k in range(1, 16)] + [1e-10, 1 - 2.0**-20, 2.0**-100]
ANGLES = [15.0 * k for k in range(-26, 27)] + [0.7, 44.9, -89.99, 1e5 + 0.5, 1e13, 1e15, -2e14]
POLES = [-1.0, -3.0, -20.0, -0.0625, -2.9375, 4.0, 7.625, 33.25, 0.0078125, 20.0, -33.75]
SHAPES = [0.0625, 0.375, 5.5, 9.75, 30.5, 99.0, 101.5, 120.0, 1000.0, 1025.0, 1e-20]
ODDS = [0.0625, 0.25, 0.8125, 0.999, 1e-20, 5.5, 30.5, 150.0, 1000.0]
WAVES = [2.404825557695773, 3.8317059702075125, 0.8935769662791675, 2.197141326031017, 8.25, 24.75, 59.5, 61.5, 333.25, 1e4, 2.0**-40]
ONE = {
    "erf": [],
    "erfc": [],
    "erfcx": [-4.25, -26.0, -27.5, 20.5, 9.96, 10.02, 1e4],
    "ndtr": [-4.25, -12.5, -37.0],
    "erfinv": UNIT + [-0.75, -0.999, 1.25],
    "erfcinv": UNIT + [1.25, 1.75, 1.999, 1.0 + 2.0**-20],
    "logit": UNIT + [0.4, 0.49, 0.51, 0.7],
    "expit": [-30.5, 30.5, -700.0],
    "log_expit": [-30.5, 30.5, -700.0, 0.125],
    "gamma": POLES + [171.5, -170.5, -184.5],
    "gammaln": POLES + [1.0 + 2.0**-20, 2.0 - 2.0**-12, 1e5, -1e5 - 0.5, -2.4570247382208, -2.7476826467274],
    "psi": POLES + [1.4616321449683622, -0.5040830082644554, 1e5, -1e5 - 0.5],
    "j0": WAVES,
    "j1": WAVES,
    "y0": WAVES,
    "y1": WAVES,
    "i0": [-100.5, 600.25],
    "i1": [-100.5, 600.25],
    "cbrt": [],
    "exp2": [],
    "exp10": [],
    "expm1": [],
    "log1p": UNIT,
    "entr": UNIT,
    "sindg": ANGLES,
    "cosdg": ANGLES,
    "tandg": ANGLES,
    "cotdg": ANGLES,
}
GRID = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 2.25, 3.75, 17.5, -4.5, 1e-8, 1e8, INF, -INF, NAN]
TWO = {
    "rel_entr": [],
    "kl_div": [],
    "huber": [],
    "pseudo_huber": [],
    "xlogy": [],
    "xlog1py": [-0.25],
    "poch": [-3.0, -2.0, 3.0, 5.0, 30.25, -0.25, 100.0, -100.5, 25.5, 1e-20, -1e-20],
    "zeta": [1.125, 3.0, 6.0, 30.0, -0.25, -6.0, 1.0 + 2.0**-20],
    "yn": WAVES[4:8] + [-3.0, -2.0, 3.0, 5.0, 30.25, 100.0, 300.0, 1050.0, 1200.0, 2500.0, 2400.0, -INF],
    "gammainc": SHAPES,
    "gammaincc": SHAPES + [1e-30],
    "gammaincinv": ODDS,
    "gammainccinv": ODDS,
}
THREE = {"radian": [0.0, -0.0, 1.0, 59.5, -30.25, 180.0, 1e6, INF, NAN], "lpmv": []}
# Orders, degrees and arguments of Legendre functions.
# SciPy would step through infinitely many orders.
ORDERS = [0.0, 1.0, -1.0, 2.0, -3.0, 7.0, 0.5, NAN]
DEGREES = [0.0, 1.0, 2.0, 5.0, 12.0, -0.25, 0.5, 1.25, 3.9375, 20.625, -1.0, -4.5, -7.0, INF, NAN]
ARGUMENTS = [0.0, -0.0, 0.25, -0.3125, 0.75, -0.875, 0.984375, 1.0, -1.0, INF, NAN]
OF_THREE = {"lpmv": (ORDERS, DEGREES, ARGUMENTS)}
# Degrees, orders and angles of Legendre functions on the sphere.
SPHERE = ([0, 1, 2, 5, 12, 40], [0, 1, -1, 2, -3, 5, 12], [0.0, -0.0, 0.25, -0.3125, 1.5, 1.625, 3.0, 3.125, 7.75, 1e-8, INF, NAN])
# Functions that step through what is large: the common points are not for them.
OWN_ONLY = ["yn", "gammainc", "gammaincc", "gammaincinv", "gammainccinv"]
# Of the functions with complex loops: points of the plane, among them poles, zeros, small ones and points next to the negative axis.
PLANE = [complex(x, y) for x in (-7.5, -3.0, -0.4375, 0.0, 0.25, 1.0, 1.5, 4.0, 12.25) for y in (-30.5, -0.75, 0.0, 1e-8, 0.5, 6.5)]
PLANE += [-2.9375 + 0.001j, -60.25 + 1j, 1e-20 + 1e-25j, -1e-20 + 1e-22j, 1.4616321449683622 + 1e-9j, 90.5 + 40.25j, 160.0 + 1j, -0.5040830082644554 - 1e-7j]
ENDS = [complex(x, y) for x in (-INF, -2.0, 0.0, 1.0, INF, NAN) for y in (-INF, 0.0, 1.0, INF, NAN)]
FACTORS = [0j, 1 + 0j, -2.5 + 0.5j, 1e-8 + 3j, 0.0 - 1j]
COMPLEX_LOOPS = ["gamma", "psi", "xlogy", "xlog1py", "expm1", "log1p"]
# Names by which the registry knows what NumPy has too.
REGISTERED = {name: "scipy.special." + name for name in ("i0", "cbrt", "exp2", "exp10", "expm1", "log1p")}


# Functions whose loops SciPy 1.17 has in the order of SciPy 1.18, float32 first, by the number of operands.
FLOAT32_FIRST = {1: scipy.special.entr, 2: scipy.special.kl_div, 3: scipy.special.lpmv}


def function(name):
    """SciPy's function; of real operands with the loop that SciPy 1.18 chooses, the first that holds them."""
    f = getattr(scipy.special, name)
    if name in ("logit", "yn"):
        return f

    def call(*operands):
        common = np.result_type(*operands)
        if common.kind == "c":
            return f(*operands) if len(operands) == 1 else f(*operands, dtype=common)
        # The dtype alone is requested: some of these functions take long for large operands.
        ones = [np.ones(1, o.dtype) if isinstance(o, np.ndarray) else o for o in operands]
        chosen = FLOAT32_FIRST[len(operands)](*ones).dtype
        if name == "zeta":
            # A function of Python, which takes no dtype: its operands are cast.
            return f(*(np.asarray(o, chosen) for o in operands))
        return f(*operands, dtype=chosen)

    return call


def registered(name):
    return "special:" + REGISTERED.get(name, name)


def operands(points, c):
    with np.errstate(all="ignore"):
        return np.array(points).astype(c)


def scipys():
    g = Group("special")
    for names, common, nin in ((ONE, WHOLE + PARTS, 1), (TWO, GRID, 2), (THREE, [], 3)):
        for name, own in names.items():
            f = function(name)
            for c in "fd":
                x = operands((common if name not in OWN_ONLY else [0.0, NAN, 0.5, 1.0, -1.0, 2.25, INF]) + own, c)
                axes = [operands(points, c) for points in OF_THREE[name]] if name in OF_THREE else [x] * nin
                grid = [x.reshape((-1,) + (1,) * (nin - 1 - k)) for k, x in enumerate(axes)]
                g.case(registered(name), grid, f)
            for c in COMPLEX if name in COMPLEX_LOOPS else "":
                points = operands(PLANE + ENDS, c)
                g.case(registered(name), [points] if nin == 1 else [operands(FACTORS, c).reshape(-1, 1), points], f)
            for c in CHARS:
                if c in COMPLEX and name not in COMPLEX_LOOPS:
                    continue
                small = [np.array(v).astype(c) for v in ([0, 1, 1], [1, 2, 3], [0, 1, 0])]
                g.case(registered(name), small if name in OF_THREE else [values(c, 3, k) for k in range(nin)], f)
                for d in "bhef" if nin == 2 else "":
                    if c != d and c not in COMPLEX:
                        g.case(registered(name), [values(c, 3), values(d, 3, 1)], f)
                for scalar in (2, 2.5) if nin == 2 else ():
                    g.case(registered(name), [values(c, 3), scalar], f)
    grid = [np.array(points).reshape((-1,) + (1,) * (2 - k)) for k, points in enumerate(SPHERE)]
    g.case(registered("sph_legendre_p"), grid, lambda *x: scipy.special.sph_legendre_p(*x)[0])
    yield g


def exact_grid(nin, axes, c):
    """At most some 60 rows of finite operands (of three operands 200), all combinations or a part without a pattern."""
    axes = [operands([p for p in points if np.isfinite(p) and (p != 0 or len(axes) > 1)], c) for points in axes]
    rows = np.stack(np.meshgrid(*(axes * nin)[:nin], indexing="ij"), -1).reshape(-1, nin)
    step = max(1, len(rows) // (60 if len(axes) == 1 else 200))
    return [np.ascontiguousarray(rows[step // 2 :: step, k]) for k in range(nin)]


def nearest(x, c):
    """The nearest value of a float type to an mpf: one rounding, ties to even."""
    info = np.finfo(c)
    if x == 0 or not mpmath.isfinite(x):
        return float(x)
    exponent = max(mpmath.frexp(x)[1] - 1, int(info.minexp)) - int(info.nmant)
    n = int(mpmath.nint(mpmath.ldexp(x, -exponent)))
    value = mpmath.ldexp(mpmath.mpf(n), exponent)
    return float(np.copysign(float(value) if abs(value) <= float(info.max) else np.inf, -1 if x < 0 else 1))


def nearest_complex(z, c):
    part = {"F": "f", "D": "d"}[c]
    return complex(nearest(mpmath.re(z), part), nearest(mpmath.im(z), part))


def log_ratio(x, y):
    return x * mpmath.log(x / y)


def inverse(f, y, guess):
    return mpmath.findroot(lambda x: f(x) - y, guess, tol=1e-90)


def degrees(f):
    return lambda x: f(x * mpmath.pi / 180)


def is_pole(x):
    return x <= 0 and x == mpmath.floor(x)


def positive(*x):
    return all(v > 0 for v in x)


def incomplete(upper):
    def value(a, x):
        if a <= 0 or x <= 0 or a > 1e4 or x > 1e4:
            return None
        # P is a series of positive terms; of Q that leaves what its complement has.
        lower = x**a * mpmath.exp(-x) / mpmath.gamma(a + 1) * mpmath.hyp1f1(1, a + 1, x)
        if not upper:
            return lower
        return 1 - lower if 1 - lower > mpmath.mpf(10) ** -60 else mpmath.gammainc(a, x, regularized=True)

    return value


def incomplete_inverse(upper):
    def value(a, y):
        if not (0.01 < a < 1e4 and 0 < y < 1):
            return None
        p = 1 - y if upper else y
        f = incomplete(False)
        low, high = mpmath.mpf(10) ** -80, a + 60 * mpmath.sqrt(a) + 200
        if f(a, low) > p:
            return None
        for _ in range(60):
            middle = mpmath.sqrt(low * high)
            low, high = (middle, high) if f(a, middle) < p else (low, middle)
        x = (low + high) / 2
        for _ in range(6):
            density = x ** (a - 1) * mpmath.exp(-x) / mpmath.gamma(a)
            x -= (f(a, x) - p) / density
        return x

    return value


def hurwitz(x, q):
    if q > 0:
        return mpmath.zeta(x, q)
    if is_pole(q) or x != mpmath.floor(x):
        return None
    below = int(mpmath.ceil(-q))
    return mpmath.fsum((q + k) ** -int(x) for k in range(below)) + mpmath.zeta(x, q + below) if below < 10**4 else None


def second_kind(n, x):
    n = int(n)
    return mpmath.bessely(n, x) if x > 0 and x < 1e6 and abs(n) < 3000 else None


def legendre(m, v, x):
    """By DLMF 14.3.1 of the order -|m|, and 14.9.3 to the other order."""
    if v < -0.5:
        v = -1 - v
    n = int(abs(m))
    if m != mpmath.floor(m) or abs(x) >= 1 or (v == mpmath.floor(v) and n > v):
        return None
    # mpmath's own series does not end near 1 where the function has a logarithm.
    total, term, k = mpmath.mpf(1), mpmath.mpf(1), 0
    while term != 0 and (k < 100 or abs(term) > mpmath.mpf(2) ** -450):
        term *= (v + 1 + k) * (k - v) / ((n + 1 + k) * (k + 1)) * (1 - x) / 2
        total, k = total + term, k + 1
    y = ((1 - x) / (1 + x)) ** (mpmath.mpf(n) / 2) * total / mpmath.factorial(n)
    return y if m <= 0 else (-1) ** n * y * mpmath.fprod((v - n + j) * (v + j) for j in range(1, n + 1))


def spherical(n, m, theta):
    """DLMF 14.30.1 without the turn about the axis; of an angle beyond half a turn the root of 1 - x^2 is positive, too."""
    y = legendre(m, mpmath.mpf(n), mpmath.cos(theta))
    between = mpmath.factorial(n - m) / mpmath.factorial(n + m) if abs(m) <= n else 0
    return None if y is None else y * mpmath.sqrt((2 * n + 1) / (4 * mpmath.pi) * between)


MP = {
    "lpmv": legendre,
    "gammainc": incomplete(False),
    "gammaincc": incomplete(True),
    "zeta": lambda x, q: hurwitz(x, q) if x > 1 and x < 1e3 and abs(q) < 1e7 else None,
    "poch": lambda a, m: mpmath.gammaprod([a + m], [a]) if not is_pole(a) and not is_pole(a + m) and abs(a) < 1e6 and abs(m) < 1e6 else None,
    "gammaincinv": incomplete_inverse(False),
    "gammainccinv": incomplete_inverse(True),
    "j0": lambda x: mpmath.besselj(0, x) if abs(x) < 1e6 else None,
    "j1": lambda x: mpmath.besselj(1, x) if abs(x) < 1e6 else None,
    "y0": lambda x: second_kind(0, x),
    "y1": lambda x: second_kind(1, x),
    "yn": second_kind,
    "i0": lambda x: mpmath.besseli(0, x) if abs(x) < 700 else None,
    "i1": lambda x: mpmath.besseli(1, x) if abs(x) < 700 else None,
    "gamma": lambda x: mpmath.gamma(x) if not is_pole(x) else None,
    "gammaln": lambda x: mpmath.log(abs(mpmath.gamma(x))) if not is_pole(x) and abs(x) < 1e6 and x not in (1, 2) else None,
    "psi": lambda x: mpmath.psi(0, x) if not is_pole(x) else None,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "ndtr": mpmath.ncdf,
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x) if -26 < x < 1000 else None,
    "erfinv": lambda y: mpmath.erfinv(y) if abs(y) < 1 else None,
    "erfcinv": lambda q: mpmath.erfinv(1 - q) if 0 < q < 2 else None,
    "logit": lambda p: mpmath.log(p / (1 - p)) if 0 < p < 1 else None,
    "expit": lambda x: 1 / (1 + mpmath.exp(-x)),
    "log_expit": lambda x: -mpmath.log1p(mpmath.exp(-x)),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "exp2": lambda x: mpmath.power(2, x),
    "exp10": lambda x: mpmath.power(10, x),
    "expm1": lambda x: mpmath.expm1(x),
    "log1p": lambda x: mpmath.log1p(x) if x > -1 else None,
    "entr": lambda x: -x * mpmath.log(x) if x > 0 else None,
    "rel_entr": lambda x, y: log_ratio(x, y) if positive(x, y) else None,
    "kl_div": lambda x, y: log_ratio(x, y) - x + y if positive(x, y) else None,
    "huber": lambda d, r: (r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2)) if d > 0 else None,
    "pseudo_huber": lambda d, r: d * d * (mpmath.sqrt(1 + (r / d) ** 2) - 1) if d > 0 else None,
    "xlogy": lambda x, y: x * mpmath.log(y) if y > 0 else None,
    "xlog1py": lambda x, y: x * mpmath.log1p(y) if y > -1 else None,
    "sindg": lambda x: degrees(mpmath.sin)(x) if abs(x) < 1e14 else None,
    "cosdg": lambda x: degrees(mpmath.cos)(x) if abs(x) < 1e14 else None,
    "tandg": lambda x: degrees(mpmath.tan)(x) if abs(x) < 1e14 else None,
    "cotdg": lambda x: degrees(mpmath.cot)(x) if abs(x) < 1e14 else None,
    "radian": lambda d, m, s: (d + m / 60 + s / 3600) * mpmath.pi / 180,
}


def xlog1p(x, y):
    return x * mpmath.log(1 + y)


# As MP, of complex numbers that are not poles.
COMPLEX_MP = {
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log1p": lambda z: mpmath.log(1 + z),
    "gamma": mpmath.gamma,
    "psi": lambda z: mpmath.psi(0, z),
    "xlogy": lambda x, y: x * mpmath.log(y),
    "xlog1py": xlog1p,
}


def complex_rows(name, c):
    """Finite operands, without those at which the function is infinite or has a part that is noise."""
    points = [z for z in operands(PLANE, c) if z.imag != 0 or z.real > 0]
    rows = [(z,) for z in points] if name in ONE else [(x, z) for x in operands(FACTORS[2:4], c) for z in points if z not in (0, 1)]
    for row in rows:
        yield row, COMPLEX_MP[name](*[mpmath.mpc(complex(v)) for v in row])


def exact_case(g, name, rows, results, c):
    columns = [np.array(column, c) for column in zip(*rows)]
    g.cases.append([registered(name), [g.array(v) for v in columns], {"exact": True}, g.array(np.array(results, c))])


def rounded():
    g = Group("rounded")
    mpmath.mp.prec = 500
    for names, common, nin in ((ONE, PARTS, 1), (TWO, GRID, 2), (THREE, [], 3)):
        for name, own in names.items():
            for c in "fd":
                points = (common if name not in OWN_ONLY else [0.5, 1.0, 2.25]) + own
                grid = exact_grid(nin, OF_THREE.get(name, [points]), c)
                kept, results = [], []
                for row in zip(*grid):
                    y = MP[name](*[mpmath.mpf(float(v)) for v in row])
                    # An exact zero or a pole of a trigonometric function comes out as noise.
                    if y is not None and mpmath.mpf(10) ** -120 < abs(y) < mpmath.mpf(10) ** 120:
                        kept.append(row)
                        results.append(nearest(y, c))
                exact_case(g, name, kept, results, c)
            for c in COMPLEX if name in COMPLEX_LOOPS else "":
                rows = list(complex_rows(name, c))
                exact_case(g, name, [row for row, _ in rows], [nearest_complex(z, c) for _, z in rows], c)
    rows = [(n, m, theta) for n in SPHERE[0] for m in SPHERE[1] for theta in SPHERE[2] if np.isfinite(theta)]
    found = [(row, spherical(row[0], row[1], mpmath.mpf(row[2]))) for row in rows]
    kept = [(row, y) for row, y in found if y is not None and abs(y) > mpmath.mpf(10) ** -120]
    columns = [np.array(column) for column in zip(*(row for row, _ in kept))]
    results = np.array([nearest(y, "d") for _, y in kept])
    g.cases.append([registered("sph_legendre_p"), [g.array(v) for v in columns], {"exact": True}, g.array(results)])
    yield g


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="ignore")
    from golden_matrices import matrices

    for make in (scipys, rounded, matrices):
        for group in make():
            group.write(folder)
            print(f"scipy {scipy.__version__} {group.name}: {len(group.cases)} cases, {len(group.data)} bytes of elements")


if __name__ == "__main__":
    main()
