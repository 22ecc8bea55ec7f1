"""Logistic regression by gradient descent, for NumPy and GPU arrays."""

import cupy as cp
import numpy as np


def fit(X, y, rate=0.5, steps=100):
    xp = cp.get_array_module(X)
    w, b = xp.zeros(X.shape[1]), 0.0
    losses = []
    for _ in range(steps):
        p = 1 / (1 + xp.exp(-(X.dot(w) + b)))
        error = p - y
        w -= rate * X.T.dot(error) / len(y)
        b -= rate * error.mean()
        losses.append(-(y * xp.log(p) + (1 - y) * xp.log1p(-p)).mean())
    return w, b, xp.stack(losses)


def main(n=200):
    rng = np.random.RandomState(43)
    X = rng.randn(n, 3)
    y = (X @ [2.0, -1.0, 0.5] + 0.3 * rng.randn(n) > 0).astype(np.float64)
    w, b, losses = fit(cp.asarray(X), cp.asarray(y))
    # The same function on the host.
    host_w, host_b, _ = fit(X, y)
    cp.testing.assert_allclose(w, host_w, rtol=1e-9)
    accuracy = ((cp.asarray(X).dot(w) + b > 0) == (cp.asarray(y) > 0.5)).mean()
    assert float(accuracy) > 0.9
    return {'w': w, 'b': b, 'losses': losses, 'accuracy': accuracy}


if __name__ == '__main__':
    found = main()
    print('w =', found['w'], 'accuracy', float(found['accuracy']))
