"""Poisson's equation and implicit steps of the heat equation: sparse systems, factored once for many right-hand sides."""

import cupy as cp
from cupyx.scipy import sparse
from cupyx.scipy.sparse import linalg


def laplacian(m):
    """Returns minus the second derivative on a square of m by m points, with zeros around them."""
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m))
    return sparse.kronsum(line, line).tocsc() * (m + 1) ** 2


def main(m=31):
    x = cp.sin(cp.arange(1, m + 1) * cp.pi / (m + 1))
    mode = cp.outer(x, x).ravel()
    eigenvalue = 8 * (m + 1) ** 2 * cp.sin(cp.pi / 2 / (m + 1)) ** 2
    a = laplacian(m)
    error = abs(linalg.spsolve(a, eigenvalue * mode) - mode).max()
    assert error < 1e-12

    # One factorisation for all steps of a length. A new length keeps the pattern: its factorisation is cheaper. CuPy factors anew.
    identity = sparse.identity(m * m, format='csc')
    factors, u, want = linalg.splu(identity + 1e-3 * a), mode, 1.0
    for length in (1e-3, 1e-2):
        if hasattr(factors, 'refactor'):
            factors.refactor(identity + length * a)
        else:
            factors = linalg.splu(identity + length * a)
        for _ in range(10):
            u = factors.solve(u)
            want /= 1 + length * eigenvalue
    assert cp.allclose(u, want * mode)
    return {'error': error, 'left': u.max() / mode.max()}


if __name__ == '__main__':
    result = main()
    print('error of the solution:', float(result['error']), 'heat that is left:', float(result['left']))
