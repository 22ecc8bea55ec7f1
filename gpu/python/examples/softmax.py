"""A network layer with either module: softmax, cross entropy, its gradient, and a check by finite differences."""

import cupy as cp
import numpy as np


def softmax(x, axis=-1):
    xp = cp.get_array_module(x)
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


def loss_and_gradient(W, X, t):
    xp = cp.get_array_module(W, X)
    rows = xp.arange(len(t))
    p = softmax(xp.dot(X, W))
    loss = -xp.log(p[rows, t]).mean()
    p[rows, t] -= 1
    return loss, xp.dot(X.T, p) / len(t)


def main(n=30, d=5, k=3):
    rng = np.random.RandomState(47)
    X, t, W = rng.randn(n, d), rng.randint(k, size=n), rng.randn(d, k)
    X, t, W = cp.asarray(X), cp.asarray(t), cp.asarray(W)
    loss, gradient = loss_and_gradient(W, X, t)
    step = 1e-5
    for i, j in ((0, 0), (2, 1), (4, 2)):
        moved = W.copy()
        moved[i, j] += step
        more = loss_and_gradient(moved, X, t)[0]
        assert abs(float((more - loss) / step - gradient[i, j])) < 1e-4
    return {'loss': loss, 'gradient': gradient}


if __name__ == '__main__':
    found = main()
    print('loss', found['loss'].item())
    print(found['gradient'].get())
