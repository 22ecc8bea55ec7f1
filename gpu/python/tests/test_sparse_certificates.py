"""Eigenpairs, paths, trees and orders, judged by what defines them: in exact arithmetic where a count or a length decides."""

from fractions import Fraction

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import csgraph, linalg

N = 180


def banded(rng, n=N, width=2):
    """Returns a symmetric matrix of small integers next to the diagonal."""
    a = np.zeros((n, n), dtype=np.int64)
    for k in range(width + 1):
        a += np.diag(rng.integers(-4, 5, n - k), k)
    return a + np.triu(a, 1).T


def permuted(rng, a):
    """Returns a matrix with its rows and columns in one random order, as a sparse one."""
    order = rng.permutation(len(a))
    return sparse.csr_matrix(cp.asarray(a[np.ix_(order, order)].astype(np.float64)))


def above(a, shift):
    """Counts the eigenvalues of a symmetric band matrix of integers above a rational number: the positive pivots of exact elimination."""
    n, width = len(a), max(int(np.abs(np.subtract(*np.nonzero(a))).max()), 1)
    rows = [{j: Fraction(int(a[i, j])) for j in range(max(0, i - width), min(n, i + width + 1))} for i in range(n)]
    for i in range(n):
        rows[i][i] -= shift
    count = 0
    for i in range(n):
        pivot = rows[i][i]
        assert pivot != 0
        count += pivot > 0
        for k in range(i + 1, min(n, i + width + 1)):
            factor = rows[k][i] / pivot
            for j in range(i + 1, min(n, i + width + 1)):
                rows[k][j] -= factor * rows[i][j]
    return count


def test_the_count_of_eigenvalues_is_exact():
    a = np.diag([3, -1, 2, 7])
    assert [above(a, Fraction(s, 2)) for s in (-3, 1, 5, 13, 15)] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize('which', ['LA', 'SA', 'LM', 'BE'])
def test_eigsh_returns_eigenpairs_and_misses_none(which):
    rng = np.random.default_rng(1)
    a = banded(rng)
    host = permuted(rng, a)
    k = 6
    w, v = linalg.eigsh(host, k=k, which=which)
    w, v = w.get(), v.get()
    size = np.abs(a).sum(axis=1).max()
    assert np.abs(host.get() @ v - v * w).max() <= 1e-10 * size
    assert np.abs(v.T @ v - np.eye(k)).max() <= 1e-12
    w, gap = np.sort(w), 1e-7
    if which == 'LA':
        assert above(a, Fraction(w[0] - gap)) == k
    elif which == 'SA':
        assert above(a, Fraction(w[-1] + gap)) == N - k
    elif which == 'BE':
        assert above(a, Fraction(w[k // 2] - gap)) == k // 2 and above(a, Fraction(w[k // 2 - 1] + gap)) == N - k // 2
    else:
        least = np.abs(w).min()
        assert above(a, Fraction(least - gap)) + N - above(a, Fraction(-(least - gap))) == k


@pytest.mark.parametrize('largest', [True, False])
def test_lobpcg_returns_the_outermost_eigenpairs(largest):
    # The least eigenvalues are relatively close to each other, so that they converge slowly.
    n, rng = N if largest else 80, np.random.default_rng(2)
    a = np.diag(np.arange(1, n + 1) ** 2) + banded(rng, n, width=1) // 4
    host, k = permuted(rng, a), 3
    w, v = linalg.lobpcg(host, cp.asarray(rng.standard_normal((n, k + 2))), largest=largest, tol=1e-3, maxiter=400)
    w, v = w.get()[:k], v.get()[:, :k]
    assert np.abs(host.get() @ v - v * w).max() <= 1e-2
    assert np.abs(v.T @ v - np.eye(k)).max() <= 1e-9
    if largest:
        assert above(a, Fraction(w.min() - 1e-3)) == k
    else:
        assert above(a, Fraction(w.max() + 1e-3)) == n - k


def test_svds_returns_singular_triplets_and_misses_none():
    rng = np.random.default_rng(3)
    a = np.zeros((N + 20, N), dtype=np.int64)
    for k in range(3):
        a[np.arange(N) + k, np.arange(N)] = rng.integers(-5, 6, N)
    host, k = sparse.csr_matrix(cp.asarray(a[rng.permutation(N + 20)].astype(np.float64))), 5
    u, s, vt = (part.get() for part in linalg.svds(host, k=k))
    assert np.abs(host.get() @ vt.T - u * s).max() <= 1e-10 * s.max()
    assert np.abs(host.get().T @ u - vt.T * s).max() <= 1e-10 * s.max()
    assert np.abs(u.T @ u - np.eye(k)).max() <= 1e-11 and np.abs(vt @ vt.T - np.eye(k)).max() <= 1e-11
    assert above(a.T @ a, Fraction(float(s.min()) ** 2 - 1e-7)) == k


@pytest.mark.parametrize('which', ['LM', 'LR'])
def test_eigs_returns_eigenpairs(which):
    rng = np.random.default_rng(4)
    a = np.triu(rng.integers(-3, 4, (N, N)) * (rng.random((N, N)) < 0.02), 1).astype(np.float64)
    # The eigenvalues of a triangular matrix are its diagonal.
    exact = rng.permutation(np.concatenate([np.arange(1, N - 2) / N, [5, -7, 9]]))
    order = rng.permutation(N)
    host = sparse.csr_matrix(cp.asarray((a + np.diag(exact))[np.ix_(order, order)]))
    w, v = (part.get() for part in linalg.eigs(host, k=2, which=which))
    assert np.abs(host.get() @ v - v * w).max() <= 1e-9
    np.testing.assert_allclose(np.sort(w.real), [-7, 9] if which == 'LM' else [5, 9], atol=1e-8)


def random_graph(rng, n=30, density=0.12):
    """Returns a directed graph whose lengths are multiples of 1/8, so that their sums are exact, as a dense array."""
    lengths = rng.integers(1, 60, (n, n)) / 8
    lengths[rng.random((n, n)) >= density] = 0
    np.fill_diagonal(lengths, 0)
    return lengths


def bellman_ford(lengths, source):
    """Returns the lengths of the shortest paths from a vertex in exact arithmetic, None where there is no path."""
    n = len(lengths)
    edges = [(i, j, Fraction(lengths[i, j])) for i, j in zip(*np.nonzero(lengths))]
    found = [None] * n
    found[source] = Fraction(0)
    for _ in range(n - 1):
        for i, j, length in edges:
            if found[i] is not None and (found[j] is None or found[i] + length < found[j]):
                found[j] = found[i] + length
    return found


@pytest.mark.parametrize('method', ['D', 'BF', 'J', 'FW'])
@pytest.mark.parametrize('directed', [True, False])
def test_lengths_of_paths_are_exact(method, directed):
    lengths = random_graph(np.random.default_rng(5))
    either = np.where((lengths == 0) | ((lengths.T != 0) & (lengths.T < lengths)), lengths.T, lengths)
    used = lengths if directed else either
    found, before = csgraph.shortest_path(sparse.csr_matrix(cp.asarray(lengths)), method=method, directed=directed, return_predecessors=True)
    found, before = found.get(), before.get()
    for source in range(len(lengths)):
        exact = bellman_ford(used, source)
        for vertex, length in enumerate(exact):
            assert found[source, vertex] == (np.inf if length is None else length)
            # The last edge of a shortest path follows a shortest path.
            if length is not None and vertex != source:
                last = before[source, vertex]
                assert used[last, vertex] and exact[last] + Fraction(used[last, vertex]) == length
            else:
                assert before[source, vertex] < 0


def kruskal(weights):
    """Returns the weight of a minimum spanning forest, and its number of edges."""
    parent = list(range(len(weights)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    total, count = Fraction(0), 0
    for weight, i, j in sorted((Fraction(weights[i, j]), i, j) for i, j in zip(*np.nonzero(weights))):
        a, b = root(i), root(j)
        if a != b:
            parent[a], total, count = b, total + weight, count + 1
    return total, count


@pytest.mark.parametrize('density', [0.02, 0.05, 0.4])
def test_trees_have_the_least_weight(density):
    weights = random_graph(np.random.default_rng(6), 40, density)
    tree = csgraph.minimum_spanning_tree(sparse.csr_matrix(cp.asarray(weights))).get().toarray()
    total, count = kruskal(weights)
    chosen = np.nonzero(tree)
    assert np.array_equal(tree[chosen], weights[chosen]) and len(chosen[0]) == count
    # As many edges as a forest has, and none closes a cycle.
    assert kruskal(tree)[1] == count and sum(map(Fraction, tree[chosen])) == total


@pytest.mark.parametrize('directed', [True, False])
def test_orders_are_by_breadth_and_by_depth(directed):
    lengths = random_graph(np.random.default_rng(7), 40, 0.06)
    a = sparse.csr_matrix(cp.asarray(lengths))
    edges = (lengths != 0) | (lengths.T != 0) if not directed else lengths != 0
    exact = bellman_ford(edges.astype(float), 0)
    reached = {vertex for vertex, distance in enumerate(exact) if distance is not None}
    order, before = (part.get() for part in csgraph.breadth_first_order(a, 0, directed=directed))
    assert set(order) == reached and len(order) == len(reached) and order[0] == 0
    distances = [exact[vertex] for vertex in order]
    assert distances == sorted(distances)
    assert all(edges[before[vertex], vertex] and exact[before[vertex]] + 1 == exact[vertex] for vertex in order[1:])
    order, before = (part.get() for part in csgraph.depth_first_order(a, 0, directed=directed))
    assert set(order) == reached and len(order) == len(reached) and order[0] == 0
    path, seen = [0], {0}
    for vertex in order[1:]:
        # A vertex is left once all that it leads to are seen.
        while path[-1] != before[vertex]:
            assert set(np.nonzero(edges[path.pop()])[0]) <= seen
        assert edges[path[-1], vertex] and vertex not in seen
        path.append(vertex)
        seen.add(vertex)


@pytest.mark.parametrize('form', ['array', 'lo', 'function'])
def test_laplacians_are_sums_of_squares(form):
    """The quadratic form of a Laplacian is the sum of the weights times the squared differences of the ends of the edges."""
    rng = np.random.default_rng(8)
    weights = np.triu(rng.integers(0, 5, (25, 25)), 1)
    weights += weights.T
    laplacian = csgraph.laplacian(sparse.csr_matrix(cp.asarray(weights.astype(np.float64))), form=form)
    x = rng.integers(-9, 10, 25)
    product = laplacian(cp.asarray(x.astype(np.float64))) if form == 'function' else laplacian @ cp.asarray(x.astype(np.float64))
    exact = sum(int(weights[i, j]) * int(x[i] - x[j]) ** 2 for i in range(25) for j in range(i))
    assert float(product.get() @ x) == exact


@pytest.mark.parametrize('density', [0.01, 0.03, 0.08])
def test_strong_components_reach_each_other(density):
    edges = random_graph(np.random.default_rng(9), 50, density) != 0
    n, labels = csgraph.connected_components(sparse.csr_matrix(cp.asarray(edges.astype(float))), connection='strong')
    reach = edges | np.eye(50, dtype=bool)
    for _ in range(6):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    labels = labels.get()
    assert np.array_equal(labels[:, None] == labels, reach & reach.T) and len(set(labels)) == n == labels.max() + 1
