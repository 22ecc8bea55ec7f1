"""Graphs of `cupyx.scipy.sparse.csgraph`, compared with SciPy."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import csgraph

scipy_sparse = pytest.importorskip('scipy.sparse')
scipy_csgraph = pytest.importorskip('scipy.sparse.csgraph')


def graph(n=40, density=0.03, seed=0):
    host = scipy_sparse.random(n, n, density=density, format='csr', random_state=seed)
    host.setdiag(0)
    host.eliminate_zeros()
    return host, sparse.csr_matrix(host)


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


@pytest.mark.parametrize('connection', ['weak', 'strong'])
@pytest.mark.parametrize('density', [0.0, 0.02, 0.06])
def test_connected_components(connection, density):
    host, a = graph(density=density)
    n, labels = csgraph.connected_components(a, connection=connection)
    want, expected = scipy_csgraph.connected_components(host, connection=connection)
    assert n == want and labels.dtype == np.int32 and same_partition(labels.get(), expected)
    if connection == 'weak':
        np.testing.assert_array_equal(labels.get(), expected)
    for b in (a.tocoo(), a.tocsc(), a.todia()):
        assert csgraph.connected_components(b, connection=connection, return_labels=False) == want


def test_a_long_path_is_one_component():
    n = 3000
    order = np.random.default_rng(0).permutation(n)
    a = sparse.coo_matrix((cp.ones(n - 1), (cp.asarray(order[:-1]), cp.asarray(order[1:]))), shape=(n, n))
    count, labels = csgraph.connected_components(a, directed=False)
    assert count == 1 and not labels.any()


@pytest.mark.parametrize('edges', [9_000, 30_000, 90_000])
def test_components_of_many_vertices(edges):
    """Small components, a large one and small ones, and one that has most vertices; edges are stored in one direction."""
    n, rng = 40_000, np.random.default_rng(edges)
    rows, columns = rng.integers(0, n, edges), rng.integers(0, n, edges)
    host = scipy_sparse.csr_matrix((np.ones(edges), (rows, columns)), shape=(n, n))
    want, expected = scipy_csgraph.connected_components(host, directed=False)
    for a in (sparse.csr_matrix(host), sparse.csr_matrix(host).tocoo()):
        count, labels = csgraph.connected_components(a, directed=False)
        assert count == want
        np.testing.assert_array_equal(labels.get(), expected)


def test_arguments_of_connected_components():
    with pytest.raises(ValueError):
        csgraph.connected_components(sparse.csr_matrix((3, 4)))
    with pytest.raises(ValueError):
        csgraph.connected_components(sparse.csr_matrix((3, 3)), connection='other')
    assert csgraph.connected_components(cp.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))[0] == 2


@pytest.mark.parametrize('directed', [True, False])
@pytest.mark.parametrize('unweighted', [True, False])
def test_shortest_paths(directed, unweighted):
    host, a = graph(density=0.08)
    want = scipy_csgraph.shortest_path(host, method='D', directed=directed, unweighted=unweighted)
    for call in (csgraph.shortest_path, csgraph.dijkstra, csgraph.bellman_ford, csgraph.johnson, csgraph.floyd_warshall):
        np.testing.assert_allclose(call(a, directed=directed, unweighted=unweighted).get(), want, rtol=1e-14)
    found, before = csgraph.dijkstra(a, directed=directed, unweighted=unweighted, indices=[3, 0], return_predecessors=True)
    np.testing.assert_allclose(found.get(), want[[3, 0]], rtol=1e-14)
    lengths = scipy_csgraph.csgraph_to_dense(host, np.inf)
    if not directed:
        lengths = np.minimum(lengths, lengths.T)
    for row, start in enumerate((3, 0)):
        for vertex, previous in enumerate(before.get()[row]):
            if previous == -9999:
                assert vertex == start or np.isinf(want[start, vertex])
            else:
                step = 1.0 if unweighted else lengths[previous, vertex]
                assert want[start, vertex] == pytest.approx(want[start, previous] + step)


def test_negative_cycles_and_limits():
    dense = np.array([[0.0, 1, 0], [0, 0, -3], [1, 0, 0]])
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.bellman_ford(cp.asarray(dense))
    dense[2, 0] = 5
    np.testing.assert_allclose(csgraph.johnson(cp.asarray(dense)).get(), scipy_csgraph.johnson(scipy_sparse.csr_matrix(dense)))
    with pytest.raises(ValueError):
        csgraph.shortest_path(cp.asarray(dense), method='D')
    with pytest.raises(ValueError):
        csgraph.shortest_path(cp.asarray(dense), indices=5)
    host, a = graph(density=0.08)
    np.testing.assert_allclose(csgraph.dijkstra(a, indices=0, limit=1.0).get(), scipy_csgraph.dijkstra(host, indices=0, limit=1.0))
    np.testing.assert_allclose(csgraph.dijkstra(a, indices=[0, 5], min_only=True).get(), scipy_csgraph.dijkstra(host, indices=[0, 5], min_only=True))


@pytest.mark.parametrize('normed', [True, False])
@pytest.mark.parametrize('out', [True, False])
def test_laplacian(normed, out):
    host, a = graph(density=0.1)
    want, diagonal = scipy_csgraph.laplacian(host, normed=normed, use_out_degree=out, return_diag=True)
    got, own = csgraph.laplacian(a, normed=normed, use_out_degree=out, return_diag=True)
    np.testing.assert_allclose(got.toarray().get(), want.toarray(), atol=1e-14)
    np.testing.assert_allclose(own.get(), diagonal)
    np.testing.assert_allclose(csgraph.laplacian(a.toarray(), normed=normed, use_out_degree=out).get(), want.toarray(), atol=1e-14)
    v = cp.arange(40.0)
    np.testing.assert_allclose((csgraph.laplacian(a, normed=normed, use_out_degree=out, form='lo') @ v).get(), want @ v.get(), atol=1e-12)


@pytest.mark.parametrize('dtype', ['i1', 'i4', 'f4'])
@pytest.mark.parametrize('options', [{}, {'use_out_degree': True, 'symmetrized': True}, {'normed': True}, {'dtype': 'i2'}, {'normed': True, 'dtype': int}])
def test_dtypes_of_laplacians(dtype, options):
    dense = np.array([[0, 1.5, 0.75], [0.5, 0, 2], [0.75, 0, 0]]).astype(dtype)
    for host in (dense, scipy_sparse.csr_array(dense)):
        a = sparse.csr_array(host) if scipy_sparse.issparse(host) else cp.asarray(host)
        (got, own), (want, diagonal) = (m.laplacian(g, return_diag=True, **options) for m, g in ((csgraph, a), (scipy_csgraph, host)))
        got, want = (got.toarray(), want.toarray()) if scipy_sparse.issparse(host) else (got, want)
        np.testing.assert_allclose(got.get(), want, rtol=1e-6, strict=True)
        np.testing.assert_allclose(own.get(), diagonal, rtol=1e-6, strict=True)


def test_trees_and_orders():
    host, a = graph(density=0.1)
    tree = csgraph.minimum_spanning_tree(a)
    want = scipy_csgraph.minimum_spanning_tree(host)
    assert tree.nnz == want.nnz and float(tree.sum()) == pytest.approx(want.sum())
    for directed in (True, False):
        order, before = csgraph.breadth_first_order(a, 2, directed=directed)
        expected, predecessors = scipy_csgraph.breadth_first_order(host, 2, directed=directed)
        np.testing.assert_array_equal(order.get(), expected)
        np.testing.assert_array_equal(before.get(), predecessors)
        order, before = csgraph.depth_first_order(a, 2, directed=directed)
        expected, predecessors = scipy_csgraph.depth_first_order(host, 2, directed=directed)
        np.testing.assert_array_equal(order.get(), expected)
        np.testing.assert_array_equal(before.get(), predecessors)
        tree = csgraph.depth_first_tree(a, 2, directed=directed)
        np.testing.assert_array_equal(tree.toarray().get(), scipy_csgraph.depth_first_tree(host, 2, directed=directed).toarray())
    with pytest.raises(ValueError):
        csgraph.depth_first_order(a, 40)
    tree = csgraph.breadth_first_tree(a, 2)
    assert tree.nnz == scipy_csgraph.breadth_first_tree(host, 2).nnz
    dense = csgraph.csgraph_to_dense(a, null_value=np.inf)
    np.testing.assert_array_equal(dense.get(), scipy_csgraph.csgraph_to_dense(host, null_value=np.inf))
    assert (csgraph.csgraph_from_dense(dense, null_value=np.inf) != a).nnz == 0


def test_permutations_lower_the_bandwidth():
    n = 50
    shuffled = np.random.default_rng(1).permutation(n)
    band = scipy_sparse.diags_array([np.ones(n - 1), np.ones(n - 2)], offsets=[1, 2], shape=(n, n)).tocsr()
    host = scipy_sparse.csr_matrix((band + band.T)[shuffled][:, shuffled])
    for symmetric in (True, False):
        order = csgraph.reverse_cuthill_mckee(sparse.csr_matrix(host), symmetric_mode=symmetric).get()
        assert order.dtype == np.int32 and sorted(order) == list(range(n))
        rows, columns = host[order][:, order].nonzero()
        assert abs(rows - columns).max() <= 4
    host, a = graph(density=0.05)
    assert sorted(csgraph.reverse_cuthill_mckee(a).get()) == list(range(40))
    with pytest.raises(ValueError):
        csgraph.reverse_cuthill_mckee(sparse.csr_matrix((3, 4)))


@pytest.mark.parametrize('shape', [(30, 30), (20, 35), (35, 20), (0, 3)])
@pytest.mark.parametrize('density', [0.02, 0.06, 0.2])
def test_matchings_have_the_most_pairs(shape, density):
    host = scipy_sparse.random(*shape, density=density, format='csr', random_state=6)
    a = sparse.csr_matrix(host)
    rows, columns = (csgraph.maximum_bipartite_matching(a, perm_type=p).get() for p in ('row', 'column'))
    assert rows.shape == shape[1:] and columns.shape == shape[:1] and rows.dtype == np.int32
    matched = np.flatnonzero(rows >= 0)
    assert np.all(columns[rows[matched]] == matched) and np.count_nonzero(columns >= 0) == len(matched)
    assert all(host[rows[k], k] != 0 for k in matched)
    if shape[0]:
        assert len(matched) == np.count_nonzero(scipy_csgraph.maximum_bipartite_matching(host) >= 0)
        assert csgraph.structural_rank(a) == scipy_csgraph.structural_rank(host) == len(matched)
    with pytest.raises(ValueError):
        csgraph.maximum_bipartite_matching(a, perm_type='both')


def test_modules_are_the_same_under_both_names():
    import cuprum.scipy.sparse.csgraph as other
    from cuprum.scipy.sparse.linalg import LinearOperator, cg

    assert other is csgraph
    x, info = cg(sparse.identity(3, format='csr'), cp.ones(3))
    assert info == 0 and isinstance(sparse.linalg.aslinearoperator(cp.eye(2)), LinearOperator)


@pytest.mark.parametrize('kind', ['matrix', 'array'])
@pytest.mark.parametrize('format', ['csr', 'csc', 'coo'])
def test_classes_of_results_are_those_of_scipy(kind, format):
    host, _ = graph(12, 0.2)
    host = getattr(scipy_sparse, f'{format}_{kind}')(host)
    a = getattr(sparse, f'{format}_{kind}')(host)
    for options in ({}, {'normed': True}, {'use_out_degree': True}, {'symmetrized': True}):
        got, expected = csgraph.laplacian(a, **options), scipy_csgraph.laplacian(host, **options)
        assert type(got).__name__ == type(expected).__name__ and got.nnz == expected.nnz and got.dtype == expected.dtype
        np.testing.assert_allclose(got.toarray().get(), expected.toarray(), atol=1e-14)
    for name, args in (('minimum_spanning_tree', ()), ('breadth_first_tree', (0,)), ('depth_first_tree', (0,))):
        got, expected = getattr(csgraph, name)(a, *args), getattr(scipy_csgraph, name)(host, *args)
        assert type(got).__name__ == type(expected).__name__ and got.shape == expected.shape
    dense = host.toarray()
    for name in ('minimum_spanning_tree', 'csgraph_from_dense'):
        got, expected = getattr(csgraph, name)(cp.asarray(dense)), getattr(scipy_csgraph, name)(dense)
        assert type(got).__name__ == type(expected).__name__


def test_limits_and_ranks_of_wrong_arguments():
    _, a = graph()
    with pytest.raises(ValueError, match='limit must be at least 0'):
        csgraph.dijkstra(a, limit=-1)
    with pytest.raises(TypeError, match='structural_rank'):
        csgraph.structural_rank(a.toarray())


def test_predecessors_form_no_cycles():
    """Edges of length zero, also from a vertex to itself, and negative ones, by which two vertices could precede each other."""
    zeros = scipy_sparse.csr_matrix(([1.0, 0.0, 0.0, 0.0, 0.0], ([0, 1, 2, 2, 3], [1, 2, 1, 3, 3])), shape=(4, 4))
    cancelling = scipy_sparse.csr_matrix(([3.0, -2.0, 2.0, 1.0], ([0, 2, 1, 1], [2, 1, 2, 3])), shape=(4, 4))
    for host in (zeros, cancelling):
        lengths, before = csgraph.bellman_ford(sparse.csr_matrix(host), return_predecessors=True)
        np.testing.assert_array_equal(lengths.get(), scipy_csgraph.bellman_ford(host))
        np.testing.assert_array_equal(csgraph.construct_dist_matrix(sparse.csr_matrix(host), before).get(), lengths.get())
    nan = scipy_sparse.csr_matrix(([np.nan, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    np.testing.assert_array_equal(csgraph.dijkstra(sparse.csr_matrix(nan)).get(), scipy_csgraph.dijkstra(nan))


@pytest.mark.parametrize('min_only', [False, True])
def test_dijkstra_from_some_vertices(min_only):
    host, a = graph(density=0.08)
    for indices in (3, -1, [5, 3], [[1, 2], [30, 4]], np.array([], int)):
        if min_only and np.size(indices) == 0:
            continue
        got = csgraph.dijkstra(a, indices=indices, min_only=min_only, return_predecessors=True, limit=1.5)
        want = scipy_csgraph.dijkstra(host, indices=indices, min_only=min_only, return_predecessors=True, limit=1.5)
        assert [part.shape for part in got] == [part.shape for part in want] and [part.dtype for part in got] == [part.dtype for part in want]
        np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-14)


def parallel(dtype):
    """A graph with parallel edges, unsorted, with an edge from a vertex to itself, as SciPy's and as this package's."""
    data, indices, indptr = np.array([5, 2, 7, 1, 4, 3, 9]).astype(dtype), np.array([2, 1, 2, 0, 0, 2, 1]), np.array([0, 3, 5, 7])
    make = lambda: scipy_sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=(3, 3))  # noqa: E731
    return make, sparse.csr_array((cp.asarray(data), cp.asarray(indices), cp.asarray(indptr)), shape=(3, 3))


@pytest.mark.parametrize('dtype', ['f8', 'f4', 'i4', 'u1'])
def test_parallel_edges_are_those_of_scipy(dtype):
    """The shortest counts in dense forms; a conversion to float64 adds them before searches."""
    make, a = parallel(dtype)
    np.testing.assert_array_equal(csgraph.csgraph_to_dense(a).get(), scipy_csgraph.csgraph_to_dense(make()))
    np.testing.assert_array_equal(csgraph.csgraph_to_masked(a).filled(0), scipy_csgraph.csgraph_to_masked(make()).filled(0))
    np.testing.assert_array_equal(csgraph.floyd_warshall(a).get(), scipy_csgraph.floyd_warshall(make()))
    np.testing.assert_array_equal(csgraph.shortest_path(a).get(), scipy_csgraph.shortest_path(make()))
    np.testing.assert_array_equal(csgraph.bellman_ford(a).get(), scipy_csgraph.bellman_ford(make()))
    before = np.array([[-9999, 0, 0], [1, -9999, 0], [1, 2, -9999]], np.int32)
    want = scipy_csgraph.construct_dist_matrix(make(), before)
    np.testing.assert_array_equal(csgraph.construct_dist_matrix(a, cp.asarray(before)).get(), want)


def test_loops_of_negative_length_and_edges_of_nan():
    host = scipy_sparse.csr_array(np.array([[-1.0, 2.0], [0.0, 0.0]]))
    a = sparse.csr_array(host)
    for module, g in ((scipy_csgraph, host), (csgraph, a)):
        lengths = [module.floyd_warshall(g), module.shortest_path(g, method='FW'), module.shortest_path(g)]
        assert all(x.tolist() == [[0, 2], [np.inf, 0]] for x in lengths)
        for search in (module.bellman_ford, module.johnson, lambda g: module.shortest_path(g, indices=[0])):  # noqa: B023
            with pytest.raises(module.NegativeCycleError):
                search(g)
        with pytest.raises(ValueError):
            module.shortest_path(g, method='FW', indices=[0])
        with pytest.raises(ValueError):
            module.dijkstra(abs(g), indices='a')
    host = scipy_sparse.csr_array((np.array([np.nan, 3.0]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2))
    want = scipy_csgraph.csgraph_to_dense(host, null_value=-1)
    np.testing.assert_array_equal(csgraph.csgraph_to_dense(sparse.csr_array(host), null_value=-1).get(), want)


@pytest.mark.parametrize('directed', [True, False])
def test_trees_of_edges_that_are_not_stored(directed):
    host = scipy_sparse.csr_array(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [5.0, 0.0, 0.0]]))
    before = np.array([-9999, 0, 1], np.int32)
    want = scipy_csgraph.reconstruct_path(host, before, directed)
    got = csgraph.reconstruct_path(sparse.csr_array(host), cp.asarray(before), directed)
    np.testing.assert_array_equal(got.toarray().get(), want.toarray())


def test_graphs_of_scipy_and_dtypes_of_results():
    host = scipy_sparse.lil_array(np.array([[0, 2, 0], [1, 0, 3], [0, 4, 0]], np.float32))
    assert csgraph.structural_rank(host) == scipy_csgraph.structural_rank(host)
    assert csgraph.maximum_bipartite_matching(host.tocsr()).shape == (3,)
    assert type(csgraph.laplacian(host)) is sparse.coo_array
    tree = csgraph.minimum_spanning_tree(host)
    assert tree.dtype == scipy_csgraph.minimum_spanning_tree(host).dtype == np.float64 and tree.sum() == 4
    for index in (np.int32, np.int64):
        coo = scipy_sparse.coo_array((np.ones(3), (np.arange(3, dtype=index), np.arange(3, dtype=index))), shape=(3, 3))
        got, want = csgraph.reverse_cuthill_mckee(coo.tocsr()), scipy_csgraph.reverse_cuthill_mckee(coo.tocsr())
        assert got.dtype == want.dtype == index


def test_odd_arguments_raise_the_exceptions_of_scipy():
    host, a = graph(5, 0.4)
    for module, g, dense in ((scipy_csgraph, host, host.toarray()), (csgraph, a, a.toarray())):
        with pytest.raises(AttributeError):
            module.connected_components(g, connection=None)
        with pytest.raises(ValueError):
            module.csgraph_to_dense(dense)
        with pytest.raises(ValueError):
            module.yen(g, 0, 1, -1)
        with pytest.raises(TypeError):
            module.yen(g, 0, 1, 2.0)
