"""Node voltages of a chain of resistors with a voltage source, and a piecewise linear curve: sparse systems of another structure."""

import cupy as cp
from cupyx.scipy import sparse
from cupyx.scipy.sparse import linalg


def voltages(nodes, source=5.0):
    """Resistors of 1 ohm. The current of the source is one more unknown, whose row has no element on the diagonal."""
    node = cp.arange(nodes - 1)
    diagonal = cp.where(cp.arange(nodes) == 0, 1.0, 2.0)
    rows = cp.concatenate([cp.arange(nodes), node, node + 1, cp.array([0, nodes])])
    columns = cp.concatenate([cp.arange(nodes), node + 1, node, cp.array([nodes, 0])])
    values = cp.concatenate([diagonal, cp.full(2 * nodes - 2, -1.0), cp.ones(2)])
    a = sparse.coo_matrix((values, (rows, columns)), shape=(nodes + 1, nodes + 1)).tocsc()
    b = cp.zeros(nodes + 1)
    b[nodes] = source
    return linalg.spsolve(a, b)


def curve(x, y, knots):
    """Returns the heights of a piecewise linear curve through noisy points, by least squares."""
    left = cp.floor(x)
    rows = cp.tile(cp.arange(len(x)), 2)
    columns = cp.concatenate([left, left + 1]).astype('i')
    weights = cp.concatenate([left + 1 - x, x - left])
    design = sparse.coo_matrix((weights, (rows, columns)), shape=(len(x), knots)).tocsr()
    return linalg.spsolve((design.T @ design).tocsc(), design.T @ y)


def main(nodes=200, points=2000, knots=21):
    x = voltages(nodes)
    assert cp.allclose(x[:nodes], cp.arange(nodes, 0, -1) * 5 / nodes)
    at = cp.linspace(0, knots - 1 - 1e-9, points)
    heights = curve(at, cp.sin(at / 2) + 0.01 * cp.sin(40 * at), knots)
    error = abs(cp.interp(at, cp.arange(knots), heights) - cp.sin(at / 2)).max()
    assert error < 0.06
    return {'current': -x[nodes], 'error': error}


if __name__ == '__main__':
    result = main()
    print('the current is', float(result['current']), 'A; error of the curve:', float(result['error']))
