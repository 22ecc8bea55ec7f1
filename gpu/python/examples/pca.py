"""Principal components of a table, one by one, by power iteration."""

import cupy as cp
import numpy as np


def components(X, k, steps=200):
    """Returns the k directions of largest variance, and the variances."""
    X = X - X.mean(axis=0)
    covariance = cp.dot(X.T, X) / (len(X) - 1)
    directions, variances = [], []
    for _ in range(k):
        v = cp.ones(X.shape[1]) / cp.sqrt(X.shape[1])
        for _ in range(steps):
            w = covariance @ v
            v = w / cp.linalg.norm(w)
        size = v @ covariance @ v
        # The sign is arbitrary: the largest entry is made positive.
        v = v * cp.sign(v[cp.argmax(cp.abs(v))])
        directions.append(v)
        variances.append(size)
        covariance = covariance - size * v[:, None] * v[None, :]
    return cp.stack(directions), cp.stack(variances)


def main(n=200):
    rng = np.random.default_rng(23)
    table = rng.normal(size=(n, 4)) * [4.0, 2.0, 1.0, 0.5] @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    directions, variances = components(cp.asarray(table), 2)
    return {'directions': directions, 'variances': variances}


if __name__ == '__main__':
    found = main()
    print('variances:', found['variances'])
    print(found['directions'])
