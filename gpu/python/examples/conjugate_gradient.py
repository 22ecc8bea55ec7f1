"""The conjugate gradient method for a symmetric positive definite system."""

import cupy as cp
import numpy as np


def system(n, seed=0):
    """Returns a random symmetric diagonally dominant matrix and a right-hand side."""
    rng = np.random.RandomState(seed)
    A = rng.uniform(-1, 1, (n, n))
    return (A + A.T) / 2 + n * np.eye(n), rng.uniform(-1, 1, n)


def solve(A, b, tol=1e-10, max_iter=None):
    """Returns x with A x = b, and the number of steps."""
    x = cp.zeros_like(b)
    r = b - A.dot(x)
    p = r.copy()
    rr = cp.dot(r, r)
    for step in range(max_iter or 10 * len(b)):
        Ap = cp.dot(A, p)
        alpha = rr / cp.dot(p, Ap)
        x += alpha * p
        r -= alpha * Ap
        before, rr = rr, cp.dot(r, r)
        if cp.sqrt(rr) < tol:
            break
        p = r + (rr / before) * p
    return x, step + 1


def main(n=40):
    A, b = map(cp.asarray, system(n))
    x, steps = solve(A, b)
    residual = cp.linalg.norm(A @ x - b)
    assert float(residual) < 1e-8, residual
    return {'x': x, 'steps': steps}


if __name__ == '__main__':
    found = main()
    print('solved in', found['steps'], 'steps; x[:3] =', found['x'][:3])
