"""PageRank of a graph of links: power iteration with a sparse matrix."""

import cupy as cp
import numpy as np
from cupyx.scipy import sparse


def links(n, per_page=3, seed=41):
    """Returns sources and targets of links, on the host: a new page links to pages that have many links already."""
    rng = np.random.default_rng(seed)
    sources, targets = [], [0]
    for page in range(1, n):
        for target in set(rng.choice(targets, per_page).tolist()):
            sources.append(page)
            targets += [target, page]
    return np.array(sources), np.array(targets[1::2])


def pagerank(sources, targets, n, damping=0.85, tol=1e-10):
    """Returns the fraction of visits of each page."""
    out = cp.bincount(sources, minlength=n)
    transition = sparse.csr_matrix((1.0 / out[sources], (targets, sources)), shape=(n, n))
    rank = cp.full(n, 1.0 / n)
    while True:
        # From a page without links one goes to any page.
        lost = cp.where(out == 0, rank, 0).sum() / n
        new = damping * (transition @ rank + lost) + (1 - damping) / n
        if float(cp.abs(new - rank).sum()) < tol:
            return new
        rank = new


def main(n=50):
    sources, targets = map(cp.asarray, links(n))
    rank = pagerank(sources, targets, n)
    assert abs(float(rank.sum()) - 1) < 1e-8
    return {'sources': sources, 'targets': targets, 'rank': rank, 'best': cp.argsort(-rank)[:5]}


PICTURE = dict(n=60)


def draw(figure, found):
    """Draws the pages on a spiral, from the oldest in the centre, with an area in proportion to their rank."""
    axes = figure.subplots()
    rank = cp.asnumpy(found['rank'])
    turn = 2.4 * np.arange(len(rank))
    x, y = np.sqrt(np.arange(len(rank))) * (np.cos(turn), np.sin(turn))
    for source, target in zip(cp.asnumpy(found['sources']), cp.asnumpy(found['targets'])):
        axes.plot(x[[source, target]], y[[source, target]], color='silver', linewidth=0.6, zorder=0)
    axes.scatter(x, y, s=8000 * rank, c=rank, cmap='viridis', edgecolors='white')
    axes.set_aspect('equal')
    axes.set_axis_off()


if __name__ == '__main__':
    print('the best pages:', main()['best'])
