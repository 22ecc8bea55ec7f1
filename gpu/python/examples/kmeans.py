"""Lloyd's k-means algorithm: points are assigned to the nearest centre, centres move to the mean of their points."""

import argparse

import cupy as cp
import numpy as np


def clouds(n, k, seed=1):
    """Returns points around k centres, on the host."""
    rng = np.random.default_rng(seed)
    centres = 10 * np.stack([np.cos(np.arange(k)), np.sin(np.arange(k))], axis=1)
    return (centres[rng.integers(k, size=n)] + rng.normal(size=(n, 2))).astype(np.float32)


def fit(X, k, max_iter=20):
    """Returns the centres, and the index of the nearest one to each point."""
    centres = X[:k].copy()
    labels = None
    for _ in range(max_iter):
        distance = ((X[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        new = cp.argmin(distance, axis=1)
        if labels is not None and bool((new == labels).all()):
            break
        labels = new
        mask = labels[:, None] == cp.arange(k)[None, :]
        counts = mask.sum(axis=0)
        sums = cp.where(mask[:, :, None], X[:, None, :], 0).sum(axis=0)
        centres = (sums / counts[:, None]).astype(X.dtype)
    return centres, labels


PICTURE = dict(n=3000, k=5)


def main(n=300, k=4):
    X = cp.asarray(clouds(n, k))
    centres, labels = fit(X, k)
    return {'X': X, 'centres': centres, 'labels': labels}


def draw(figure, found):
    """Draws the points in the colour of their centre, and the centres."""
    axes = figure.subplots()
    (x, y), centres = cp.asnumpy(found['X']).T, cp.asnumpy(found['centres'])
    axes.scatter(x, y, c=cp.asnumpy(found['labels']), cmap='tab10', s=4)
    axes.plot(*centres.T, 'k+', markersize=16, markeredgewidth=3)
    axes.set_aspect('equal')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--points', type=int, default=300)
    args = parser.parse_args()
    found = main(args.points)
    print(cp.asnumpy(found['centres']))
    print('points of each:', cp.bincount(found['labels']).tolist())
