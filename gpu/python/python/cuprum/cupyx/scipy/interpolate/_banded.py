"""Banded systems of equations of splines, solved on the device."""

import cuprum
from cuprum import _cuprum


def solve_tridiagonal(lower, diagonal, upper, rights):
    """Returns the solutions for rows of right-hand sides; the first element of `lower` and the last one of `upper` are not used."""
    blocks = [a.reshape(-1, 1, 1) for a in (lower, diagonal, upper)]
    return _cuprum.interpolate_solve(blocks, rights)


def solve_tridiagonal_cyclic(lower, diagonal, upper, rights):
    """Returns the solutions if the first element of `lower` belongs to the last column, and the last one of `upper` to the first column."""
    coupling = cuprum.zeros((rights.shape[0] - 1, 1))
    coupling[0] = lower[0]
    coupling[-1] += upper[-2]
    both = solve_tridiagonal(lower[:-1], diagonal[:-1], upper[:-1], cuprum.concatenate([rights[:-1], coupling], 1))
    y, z = both[:, :-1], both[:, -1:]
    last = (rights[-1] - upper[-1] * y[0] - lower[-1] * y[-1]) / (diagonal[-1] - upper[-1] * z[0] - lower[-1] * z[-1])
    return cuprum.concatenate([y - z * last, last[None]])


def solve_banded_rows(entries, columns, side, rights):
    """Returns the solutions for a matrix of `side` bands on either side of the diagonal, whose row i has `entries[i]` in `columns[i]`."""
    n = entries.shape[0]
    count = -(-n // side)
    i = cuprum.arange(n)[:, None]
    relative = columns - (i // side - 1) * side
    size = count * side * 3 * side
    # Entries outside of the bands are zeros of B-splines: they go to an element after the last one.
    position = cuprum.where((relative >= 0) & (relative < 3 * side), i * (3 * side) + relative, size)
    matrix = cuprum.zeros(size + 1)
    matrix[position] = entries
    # Rows that fill the last block.
    if count * side > n:
        last = cuprum.arange(n, count * side)
        matrix[last * (3 * side) + side + last % side] = 1.0
    blocks = matrix[:-1].reshape(count, side, 3 * side)
    if count * side > n:
        rights = cuprum.concatenate([rights, cuprum.zeros((count * side - n, rights.shape[1]))])
    parts = [blocks[:, :, k * side : (k + 1) * side] for k in range(3)]
    return _cuprum.interpolate_solve(parts, rights)[:n]


def solve_banded_cyclic(entries, columns, side, rights):
    """Returns the solutions of such a matrix whose columns wrap around: columns are numbers modulo the number of rows."""
    n = entries.shape[0]
    columns = columns % n
    border = side
    if n <= 4 * side + 4:
        matrix = cuprum.zeros((n, n))
        _add(matrix, entries, columns)
        return cuprum.linalg.solve(matrix, rights)
    m = n - border
    # The last columns and rows are a border of the banded matrix of the others.
    right = cuprum.zeros((n, border + 1))
    _add(right, entries, cuprum.where(columns >= m, columns - m, border))
    east, corner = right[:m, :border], right[m:, :border]
    bottom = cuprum.zeros((border, m + 1))
    _add(bottom, entries[m:], cuprum.where(columns[m:] < m, columns[m:], m))
    inner = cuprum.where(columns[:m] < m, columns[:m], -4 * n)
    both = solve_banded_rows(entries[:m], inner, side, cuprum.concatenate([rights[:m], east], 1))
    y, z = both[:, :-border], both[:, -border:]
    south = bottom[:, :m]
    last = cuprum.linalg.solve(corner - south @ z, rights[m:] - south @ y)
    return cuprum.concatenate([y - z @ last, last])


def _add(matrix, entries, columns):
    """Adds entries of rows to a matrix, one column of entries after the other, whose positions are distinct."""
    i = cuprum.arange(entries.shape[0])
    for a in range(entries.shape[1]):
        matrix[i, columns[:, a]] += entries[:, a]
