"""Flows, matchings, paths one after the other and conversions of graphs of `csgraph`, compared with SciPy."""

import itertools

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import csgraph

scipy_sparse = pytest.importorskip('scipy.sparse')
scipy_csgraph = pytest.importorskip('scipy.sparse.csgraph')


def capacities(n, density, seed, low=0, high=20):
    rng = np.random.default_rng(seed)
    dense = rng.integers(low, high, (n, n)) * (rng.random((n, n)) < density)
    return scipy_sparse.csr_array(dense.astype(np.int32))


@pytest.mark.parametrize('n, density', [(2, 1.0), (6, 0.5), (25, 0.15), (40, 0.3)])
@pytest.mark.parametrize('seed', range(3))
def test_flows_are_the_largest_and_conserved(n, density, seed):
    host = capacities(n, density, seed)
    for method in ('dinic', 'edmonds_karp'):
        found = csgraph.maximum_flow(sparse.csr_array(host), 0, n - 1, method=method)
        assert found.flow_value == scipy_csgraph.maximum_flow(host, 0, n - 1).flow_value
        assert isinstance(found.flow, sparse.csr_array) and found.flow.dtype == np.int32
        flow = found.flow.toarray().get()
        assert (flow == -flow.T).all() and (flow <= host.toarray()).all()
        net = flow.sum(axis=1)
        assert net[0] == found.flow_value == -net[-1] and not net[1:-1].any()


def test_flows_of_wide_capacities_and_invalid_arguments():
    wide = sparse.csr_matrix(scipy_sparse.csr_matrix(np.array([[0, 2**40], [0, 0]])))
    found = csgraph.maximum_flow(wide, 0, 1)
    assert found.flow_value == 2**40 and found.flow.dtype == np.int64 and isinstance(found.flow, sparse.csr_matrix)
    assert 'with value of 1099511627776' in repr(found)
    # An edge of a vertex to itself and a negative capacity carry nothing.
    loops = capacities(5, 0.6, 3, low=-5)
    theirs = scipy_csgraph.maximum_flow(loops, 0, 4)
    assert csgraph.maximum_flow(loops, 0, 4).flow_value == theirs.flow_value
    narrow = wide.astype(np.int32)
    for arguments, error in (
        ((wide.astype(float), 0, 1), ValueError),
        ((wide, 0, 0), ValueError),
        ((wide, 0, 2), ValueError),
        ((wide, -1, 1), ValueError),
        ((wide.tocsc(), 0, 1), TypeError),
        ((narrow.toarray(), 0, 1), TypeError),
        ((sparse.csr_matrix((2, 3), dtype=np.int32), 0, 1), ValueError),
    ):
        with pytest.raises(error, match='maximum_flow'):
            csgraph.maximum_flow(*arguments)
    with pytest.raises(ValueError):
        csgraph.maximum_flow(narrow, 0, 1, method='simplex')


@pytest.mark.parametrize('shape', [(1, 1), (4, 4), (12, 20), (20, 12), (30, 30)])
@pytest.mark.parametrize('maximize', [False, True])
def test_matchings_have_the_least_weight(shape, maximize):
    from scipy.optimize import linear_sum_assignment

    for seed, low in ((0, 1), (1, -9)):
        rng = np.random.default_rng(seed)
        dense = rng.integers(low, 40, shape) + 0.5
        dense[rng.random(shape) < 0.4] = 0
        # A matching of all exists.
        dense[np.arange(min(shape)), np.arange(min(shape))] = 99.5 * rng.choice([-1, 1])
        rows, columns = csgraph.min_weight_full_bipartite_matching(sparse.csc_array(cp.asarray(dense)), maximize)
        rows, columns = rows.get(), columns.get()
        assert len(rows) == min(shape) and (np.diff(rows) > 0).all() and len(set(columns)) == len(columns) and columns.dtype == np.int32
        assert (dense[rows, columns] != 0).all()
        absent = -1e6 if maximize else 1e6
        best = linear_sum_assignment(np.where(dense == 0, absent, dense), maximize)
        assert dense[rows, columns].sum() == dense[best].sum()


def test_matchings_of_little_and_invalid_matrices():
    for shape in ((0, 3), (3, 0), (0, 0)):
        rows, columns = csgraph.min_weight_full_bipartite_matching(sparse.csr_array(shape))
        assert rows.shape == columns.shape == (0,)
    zeros = sparse.coo_array((cp.array([0.0, 1.0]), (cp.array([0, 1]), cp.array([0, 1]))))
    with pytest.warns(UserWarning, match='zero'), pytest.raises(ValueError, match='no full matching'):
        csgraph.min_weight_full_bipartite_matching(zeros)
    for bad, error in ((cp.eye(2), TypeError), (sparse.dia_array(cp.eye(2)), TypeError), (sparse.csr_array(cp.full((2, 2), cp.nan)), ValueError)):
        with pytest.raises(error, match='min_weight_full_bipartite_matching'):
            csgraph.min_weight_full_bipartite_matching(bad)


def paths_of(dense, source, sink, directed):
    """Returns the lengths of all paths without loops, ascending."""
    n = len(dense)
    found = []
    others = [v for v in range(n) if v not in (source, sink)]
    for size in range(n - 1):
        for between in itertools.permutations(others, size):
            vertices, length = (source, *between, sink), 0.0
            for a, b in itertools.pairwise(vertices):
                steps = [dense[a, b]] if directed else [dense[a, b], dense[b, a]]
                length += min([step for step in steps if step], default=np.inf)
            found.append(length)
    return sorted(length for length in found if np.isfinite(length))


@pytest.mark.parametrize('directed', [True, False])
@pytest.mark.parametrize('seed', range(4))
def test_paths_come_in_the_order_of_their_lengths(directed, seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 9, (6, 6)) * (rng.random((6, 6)) < 0.6).astype(float)
    np.fill_diagonal(dense, 0)
    every = paths_of(dense, 1, 4, directed)
    for count in (1, 3, 1000):
        lengths, before = csgraph.yen(sparse.csr_array(cp.asarray(dense)), 1, 4, count, directed=directed, return_predecessors=True)
        np.testing.assert_array_equal(lengths.get(), every[:count])
        theirs = scipy_csgraph.yen(scipy_sparse.csr_array(dense), 1, 4, count, directed=directed)
        np.testing.assert_array_equal(lengths.get(), theirs)
        assert before.shape == (len(lengths), 6) and before.dtype == np.int32
        paths = set()
        for row in before.get():
            path = [4]
            while path[-1] != 1:
                path.append(row[path[-1]])
            assert (row >= 0).sum() == len(path) - 1
            paths.add(tuple(path))
        assert len(paths) == len(lengths)


def test_paths_with_negative_lengths_and_without_lengths():
    dense = np.array([[0, 1, 5.0], [0, 0, -3], [3, 0, 0]])
    np.testing.assert_array_equal(csgraph.yen(dense, 0, 2, 5).get(), scipy_csgraph.yen(dense, 0, 2, 5))
    np.testing.assert_array_equal(csgraph.yen(dense, 0, 2, 5, unweighted=True).get(), [1, 2])
    np.testing.assert_array_equal(csgraph.yen(dense, 0, 0, 5).get(), [0])
    assert csgraph.yen(np.array([[0, 1.0], [0, 0]]), 1, 0, 2).shape == (0,)
    assert csgraph.yen(dense, 0, 2, 0).shape == (0,)
    dense[2, 0] = 1
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.yen(dense, 0, 2, 3)
    for source, sink in ((0, 3), (-1, 0)):
        with pytest.raises(ValueError, match='yen'):
            csgraph.yen(dense, source, sink, 1)


@pytest.mark.parametrize('directed', [True, False])
@pytest.mark.parametrize('n', [1, 2, 7, 40])
def test_lengths_and_trees_of_predecessors(directed, n):
    host = scipy_sparse.random(n, n, density=min(1, 3 / n), format='csr', random_state=n)
    lengths, before = scipy_csgraph.shortest_path(host, directed=directed, return_predecessors=True)
    for graph in (sparse.csr_matrix(host), cp.asarray(host.toarray())):
        found = csgraph.construct_dist_matrix(graph, cp.asarray(before), directed, null_value=-1)
        np.testing.assert_allclose(found.get(), np.where(np.isinf(lengths), -1, lengths), rtol=1e-14)
        theirs = scipy_csgraph.reconstruct_path(host, before[0], directed)
        np.testing.assert_array_equal(csgraph.reconstruct_path(graph, before[0], directed).toarray().get(), theirs.toarray())


def test_predecessors_without_edges_and_in_cycles():
    graph = np.array([[0, 1.0, 0], [0, 0, 0], [0, 0, 0]])
    none = -9999
    before = np.array([[none, 0, 1], [none, none, none], [none, none, none]], np.int32)
    np.testing.assert_array_equal(csgraph.construct_dist_matrix(graph, before).get(), scipy_csgraph.construct_dist_matrix(graph, before))
    cycle = np.array([[none, 2, 1], [none, none, none], [none, none, none]], np.int32)
    with pytest.raises(ValueError, match='cycle'):
        csgraph.construct_dist_matrix(graph, cycle)
    with pytest.raises(TypeError):
        csgraph.construct_dist_matrix(graph, before.astype(np.int64))
    with pytest.raises(ValueError):
        csgraph.construct_dist_matrix(graph, before[:, :2])
    with pytest.raises(ValueError):
        csgraph.construct_dist_matrix(graph, np.full((3, 3), 3, np.int32))
    for bad in ([none, 3, none], [none, 0], [none, -1, none]):
        with pytest.raises(IndexError):
            csgraph.reconstruct_path(graph, np.array(bad, np.int32))


@pytest.mark.parametrize('null', [0, None, np.inf, np.nan, 2.0])
def test_masked_graphs_are_those_of_scipy(null):
    dense = np.array([[0, 1.0, np.inf], [2.0, np.nan, -np.inf], [0, 3.0, 2.0]])
    for nan_null, infinity_null in itertools.product((True, False), repeat=2):
        options = {'nan_null': nan_null, 'infinity_null': infinity_null}
        theirs = scipy_csgraph.csgraph_masked_from_dense(dense, null, **options)
        for graph in (dense, cp.asarray(dense)):
            found = csgraph.csgraph_masked_from_dense(graph, null, **options)
            np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(theirs))
            np.testing.assert_array_equal(found.data, dense)
            assert found.fill_value == theirs.fill_value
        back = csgraph.csgraph_from_masked(found)
        assert isinstance(back, sparse.csr_array) and back.dtype == np.float64
        np.testing.assert_array_equal(back.toarray().get(), scipy_csgraph.csgraph_from_masked(theirs).toarray())
    assert csgraph.csgraph_masked_from_dense(dense, copy=False).data.base is dense or np.shares_memory(
        csgraph.csgraph_masked_from_dense(dense, copy=False).data, dense
    )
    assert not np.shares_memory(csgraph.csgraph_masked_from_dense(dense).data, dense)


def test_sparse_graphs_become_masked_ones():
    host = scipy_sparse.random(8, 8, density=0.3, format='csr', random_state=1)
    found, theirs = csgraph.csgraph_to_masked(sparse.csr_matrix(host)), scipy_csgraph.csgraph_to_masked(host)
    np.testing.assert_array_equal(found.mask, theirs.mask)
    np.testing.assert_array_equal(found.filled(-1), theirs.filled(-1))
    with pytest.raises(ValueError, match='sparse'):
        csgraph.csgraph_to_masked(np.eye(2))
    for bad in (np.ones((2, 3)), np.ma.masked_array(np.ones((2, 3)))):
        with pytest.raises(ValueError):
            csgraph.csgraph_from_masked(bad)
        with pytest.raises(ValueError):
            csgraph.csgraph_masked_from_dense(bad)
