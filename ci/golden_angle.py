"""Golden data of angle: the dtypes of all operands, the special values of every kind of number."""

import numpy as np


def groups(golden):
    """`golden` is golden.py itself."""
    if not golden.TWO:
        return
    g = golden.Group("angle")
    for c in golden.CHARS:
        for deg in (False, True):
            for operand in (golden.special(c), golden.values(c, 6), golden.values(c, 6).reshape(2, 3).T):
                g.case("angle", [operand], np.angle, deg=deg)
    yield g
