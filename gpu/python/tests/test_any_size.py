"""Python integers beyond 128 bits: with arrays, as shifts and as powers, compared with NumPy."""

import numpy as np
import pytest

import cuprum as cp
from same import same

HUGE = 2**300

CALLS = {
    "with floats": lambda xp: xp.array([1.5]) + HUGE,
    "with floats, from the left": lambda xp: -HUGE * xp.array([1.5]),
    "with floats that cannot hold it": lambda xp: xp.array([1], "f4") + HUGE,
    "with complex numbers": lambda xp: xp.multiply(xp.array([1j]), HUGE),
    "with a number of NumPy's": lambda xp: xp.add(np.float64(1), HUGE),
    "a quotient of integers": lambda xp: xp.array([1]) / HUGE,
    "a function of floats": lambda xp: xp.arctan2(xp.array([1]), HUGE),
    "beyond floats": lambda xp: xp.array([1.5]) + 2**2000,
    "with integers": lambda xp: xp.array([1]) + HUGE,
    "with booleans": lambda xp: xp.array([True]) < HUGE,
    "shifted by": lambda xp: xp.left_shift(xp.array([1]), HUGE),
    "equal to integers": lambda xp: (xp.array([1, -1]) == HUGE, xp.array([1], "u1") != -HUGE),
    "compared with integers": lambda xp: (xp.array([1, -1]) < HUGE, xp.array([1], "u8") <= -HUGE, HUGE > xp.array([2])),
    "compared with integers, beyond floats": lambda xp: (xp.array([1]) < 2**2000, xp.array([1]) < -(2**2000)),
    "an end of integers": lambda xp: (xp.clip(xp.array([1, -4]), 0, HUGE), xp.clip(xp.array([3], "u1"), -HUGE, 2)),
    "an end of floats": lambda xp: xp.clip(xp.array([1.5]), 2, HUGE),
    "chosen with floats": lambda xp: xp.where(xp.array([True, False]), HUGE, xp.array([1.5])),
    "divided with a rest": lambda xp: divmod(xp.array([1.5]), HUGE),
    "fills floats": lambda xp: xp.full(2, HUGE, dtype=float),
    "fills integers": lambda xp: xp.full(2, HUGE, dtype=int),
    "roll": lambda xp: xp.roll(xp.arange(10), 2**70),
    "roll by several": lambda xp: xp.roll(xp.arange(10), (2**70, 1)),
    "roll along an axis": lambda xp: xp.roll(xp.arange(10).reshape(2, 5), 2**70, axis=1),
    "roll along axes": lambda xp: xp.roll(xp.arange(10).reshape(2, 5), (2**70 + 1, -(2**80)), axis=(0, 1)),
    "roll along axes by one": lambda xp: xp.roll(xp.arange(10).reshape(2, 5), 2**70 + 1, axis=(0, 1)),
    "roll by an unsigned number": lambda xp: xp.roll(xp.arange(4), np.uint64(2**63 + 2)),
    "roll nothing": lambda xp: xp.roll(xp.arange(0), 2**70),
    "matrix power": lambda xp: xp.linalg.matrix_power(xp.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), 2**100 + 1),
    "matrix power below": lambda xp: xp.linalg.matrix_power(xp.array([[0.0, 1], [1, 0]]), -(2**100) - 1),
    "as many lengths": lambda xp: xp.ones((3,) * 5)[xp.ix_(*[xp.zeros(7132, int)] * 5)],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_as_in_numpy(name):
    same(CALLS[name])


def test_items():
    for xp in (np, cp):
        a = xp.zeros(2)
        a[0] = HUGE
        a[1:].fill(-HUGE)
        assert a.tolist() == [float(HUGE), -float(HUGE)]
        with pytest.raises(OverflowError):
            xp.zeros(2, int)[0] = HUGE


def test_what_is_said():
    with pytest.raises(OverflowError, match=f"add: the integer {HUGE} is out of bounds for int64"):
        cp.arange(3) + HUGE
    with pytest.raises(OverflowError, match="of 5001 bits is out of bounds for int8"):
        cp.ones(3, "i1") * 2**5000
