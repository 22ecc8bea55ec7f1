"""PageRank by power iteration."""

import cupy as cp
import numpy as np


def pagerank(links, damping=0.85, tol=1e-10):
    """Returns the fraction of visits of each page; `links[i, j]` is true if page j links to page i."""
    n = links.shape[0]
    out = links.sum(axis=0)
    # A page without links leads to all pages.
    transition = cp.where(out > 0, links / cp.maximum(out, 1), 1.0 / n)
    rank = cp.full(n, 1.0 / n)
    while True:
        new = damping * (transition @ rank) + (1 - damping) / n
        if float(cp.abs(new - rank).sum()) < tol:
            return new
        rank = new


def main(n=50):
    links = np.random.default_rng(41).random((n, n)) < 0.1
    np.fill_diagonal(links, False)
    rank = pagerank(cp.asarray(links, dtype=cp.float64))
    assert abs(float(rank.sum()) - 1) < 1e-8
    return {'rank': rank, 'best': cp.argsort(-rank)[:5]}


if __name__ == '__main__':
    print('the best pages:', main()['best'])
