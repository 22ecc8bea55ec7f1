"""A Gaussian mixture with diagonal covariances, fitted by expectation maximisation."""

import cupy as cp
import numpy as np


def sample(n, seed=3):
    rng = np.random.default_rng(seed)
    left = rng.normal((-3, 0), (1.0, 0.5), size=(n // 2, 2))
    right = rng.normal((3, 1), (0.5, 1.5), size=(n - n // 2, 2))
    return np.concatenate([left, right])


def log_density(X, means, variances):
    """Computes log N(x | mean, variance) for each point and each component."""
    xp = cp.get_array_module(X)
    d = X.shape[1]
    apart = (X[:, None, :] - means[None]) ** 2 / variances[None]
    return -0.5 * (apart.sum(axis=2) + xp.log(variances).sum(axis=1) + d * np.log(2 * np.pi))


def expectation(X, weights, means, variances):
    xp = cp.get_array_module(X)
    joint = log_density(X, means, variances) + xp.log(weights)
    largest = joint.max(axis=1, keepdims=True)
    norm = largest + xp.log(xp.exp(joint - largest).sum(axis=1, keepdims=True))
    return norm.mean(), joint - norm


def maximisation(X, log_resp):
    xp = cp.get_array_module(X)
    resp = xp.exp(log_resp)
    nk = resp.sum(axis=0)
    means = xp.matmul(resp.T, X) / nk[:, None]
    variances = xp.matmul(resp.T, X * X) / nk[:, None] - means**2
    return nk / len(X), means, variances + 1e-6


def main(n=400, max_iter=30, tol=1e-6):
    X = cp.array(sample(n))
    weights = cp.full(2, 0.5)
    means = cp.array([[-1.0, 0.0], [1.0, 0.0]])
    variances = cp.ones((2, 2))
    before = -np.inf
    for _ in range(max_iter):
        likelihood, log_resp = expectation(X, weights, means, variances)
        weights, means, variances = maximisation(X, log_resp)
        now = float(likelihood)
        if abs(now - before) < tol:
            break
        before = now
    return {'weights': weights, 'means': means, 'variances': variances, 'likelihood': likelihood}


if __name__ == '__main__':
    for name, value in main().items():
        print(name, cp.asnumpy(value).round(4).tolist())
