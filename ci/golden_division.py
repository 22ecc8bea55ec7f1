"""Golden data of the quotients rounded down: where NumPy's steps, each rounded, give another float than the exact floor does."""

import numpy as np


def pairs(c, n):
    """Operands by their bits, of every size; quotients at and next to whole numbers; quotients with more digits than the dtype."""
    rng = np.random.default_rng(ord(c))
    bits = {"e": np.uint16, "f": np.uint32, "d": np.uint64}[c]
    raw = lambda: rng.integers(0, np.iinfo(bits).max, n, dtype=bits, endpoint=True).view(c)
    a, b = raw(), raw()
    whole = rng.integers(1, 1 << (np.finfo(c).nmant + 1), n).astype(c)
    near = (whole * rng.uniform(-4, 4, n)).astype(c)
    step = rng.choice([-np.inf, np.inf], n).astype(c)
    beside = np.where(rng.random(n) < 0.3, near, np.nextafter(near, step))
    large = (rng.uniform(-1, 1, n) * np.exp2(rng.uniform(0, np.finfo(c).maxexp - 1, n))).astype(c)
    divisor = rng.uniform(-4, 4, n).astype(c)
    return np.concatenate([a, beside, large]), np.concatenate([b, (near / whole).astype(c), divisor])


def groups(golden):
    """`golden` is golden.py itself; NumPy before 2 takes the same steps."""
    if not golden.TWO:
        return
    g = golden.Group("division")
    for c in golden.FLOATS:
        a, b = pairs(c, 1500)
        for name in ("floor_divide", "remainder", "divmod"):
            g.case("ufunc:" + name, [a, b], getattr(np, name))
    yield g
