"""A typed program that a type checker must accept with the stubs. It is also run."""

from typing import Any

import numpy

import cuprum as cp
from cuprum import linalg, testing


def standardised(table: cp.ndarray, axis: int = 0) -> cp.ndarray:
    spread: cp.ndarray = table.std(axis=axis, keepdims=True)
    return (table - table.mean(axis=axis, keepdims=True)) / spread


def largest(a: cp.ndarray, n: int) -> tuple[cp.ndarray, list[int]]:
    order = cp.argsort(a)[::-1][:n]
    return a[order], [int(i) for i in order.tolist()]


def main() -> numpy.ndarray[Any, Any]:
    table = cp.arange(12, dtype=cp.float32).reshape(3, 4)
    result = standardised(table)
    shape: tuple[int, ...] = result.shape
    assert shape == (3, 4) and result.dtype == numpy.float32
    values, where = largest(cp.sin(table.ravel()), 2)
    assert len(where) == 2 and values.ndim == 1
    parts: list[cp.ndarray] = cp.split(table, 3)
    total = cp.add(parts[0], 1.0, out=None)
    length = linalg.norm(total)
    testing.assert_allclose(length, 30**0.5, rtol=1e-6)
    mask = (table > 3) & ~(table == 5)
    chosen = cp.where(mask, table, -table)
    chosen[0, 0] = 7
    chosen += 1
    return cp.asnumpy(chosen)


if __name__ == '__main__':
    print(main())
