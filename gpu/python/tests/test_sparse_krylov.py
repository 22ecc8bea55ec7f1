"""Solvers that keep vectors between restarts, functions of matrices times vectors, grid Laplacians and structure, compared with SciPy."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.linalg import expm
from cuprum.cupyx.scipy.sparse import linalg

scipy_sparse = pytest.importorskip('scipy.sparse')
scipy_linalg = pytest.importorskip('scipy.sparse.linalg')


def convection(n, dtype='d'):
    """A system on which GMRES with few iterations between restarts stagnates."""
    host = scipy_sparse.diags_array([np.full(n - 1, -1.8), np.full(n, 2.2), np.full(n - 1, -0.3)], offsets=[-1, 0, 1]).tocsr().astype(dtype)
    if np.dtype(dtype).kind == 'c':
        host = host + 0.2j * scipy_sparse.eye_array(n)
    return scipy_sparse.csr_matrix(host).astype(dtype)


def right_side(n, dtype='d'):
    b = np.sin(np.arange(n) + 1.0)
    return (b + 1j * np.cos(b) if np.dtype(dtype).kind == 'c' else b).astype(dtype)


def residual(host, b, x):
    return np.linalg.norm(b - host @ x.get()) / np.linalg.norm(b)


SHORT = {'lgmres': {'inner_m': 6, 'outer_k': 3}, 'gcrotmk': {'m': 6, 'k': 4}}


# The solvers share the process that depends on the dtype.
@pytest.mark.parametrize('name, dtype', [('lgmres', 'f'), ('gcrotmk', 'd'), ('gcrotmk', 'F'), ('lgmres', 'D')])
def test_restarted_solvers(name, dtype):
    n = 40
    host, b, solve = convection(n, dtype), right_side(n, dtype), getattr(linalg, name)
    a, rtol = sparse.csr_matrix(host), 1e-4 if dtype in 'fF' else 1e-9
    inverse = sparse.diags(1 / host.diagonal(), format='csr')
    operator = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, dtype=dtype)
    jacobi = linalg.LinearOperator(a.shape, matvec=lambda v: v / 2.2, dtype=dtype)
    first = None
    for options, pairs in ((SHORT[name], ((a, None), (a, inverse), (operator, None), (operator, jacobi))), ({}, ((a, None), (a.toarray(), None), (a, jacobi)))):
        for matrix, m in pairs:
            x, info = solve(matrix, cp.asarray(b), rtol=rtol, M=m, **options)
            assert info == 0 and x.dtype == np.dtype(dtype) and residual(host, b, x) <= rtol * (1 + 1e-3)
            first = x.get().tobytes() if first is None else first
    assert solve(a, cp.asarray(b), rtol=rtol, **SHORT[name])[0].get().tobytes() == first


@pytest.mark.parametrize('name', ['lgmres', 'gcrotmk'])
def test_vectors_of_restarts_save_products(name):
    """The kept vectors pay: the restarts are fewer than those of GMRES with as many iterations between restarts."""
    n = 60
    host, b = scipy_sparse.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1], format='csr'), right_side(n)
    a, counts = sparse.csr_matrix(host), []
    for method, options in ((linalg.gmres, {'restart': 6, 'callback_type': 'x'}), (getattr(linalg, name), SHORT[name])):
        calls = []
        x, info = method(a, cp.asarray(b), rtol=1e-8, maxiter=500, callback=calls.append, **options)
        assert info == 0 and residual(host, b, x) <= 1.001e-8
        counts.append(len(calls))
    assert 3 * counts[1] < counts[0]


def test_lgmres_continues_with_the_vectors_of_a_call_before():
    host, b = convection(50), right_side(50)
    a, kept = sparse.csr_matrix(host), []
    options = {'inner_m': 5, 'outer_k': 6, 'outer_v': kept, 'rtol': 1e-8}
    x, info = linalg.lgmres(a, cp.asarray(b), **options)
    assert info == 0 and 0 < len(kept) <= 6
    for v, av in kept:
        assert abs(cp.linalg.norm(v) - 1) < 1e-12 and cp.linalg.norm(a @ v - av) < 1e-10
    for store, prepend in ((False, True), (True, True), (False, False)):
        calls = []
        x, info = linalg.lgmres(a, cp.asarray(b), store_outer_Av=store, prepend_outer_v=prepend, callback=calls.append, **{**options, 'outer_v': list(kept)})
        assert info == 0 and residual(host, b, x) <= 1.001e-8
    pairs = []
    linalg.lgmres(a, cp.asarray(b), **{**options, 'outer_v': pairs}, store_outer_Av=False)
    assert pairs and all(av is None for _, av in pairs)


@pytest.mark.parametrize('truncate', ['oldest', 'smallest'])
def test_gcrotmk_continues_with_the_vectors_of_a_call_before(truncate):
    host, b = convection(80), right_side(80)
    a, pairs = sparse.csr_matrix(host), []
    counts = []
    for discard in (False, True, True):
        calls = []
        x, info = linalg.gcrotmk(a, cp.asarray(b), rtol=1e-8, m=5, k=4, CU=pairs, discard_C=discard, truncate=truncate, callback=calls.append)
        counts.append(len(calls))
        assert info == 0 and residual(host, b, x) <= 1.001e-8 and 0 < len(pairs) <= 5
        assert pairs[-1][0] is None and (pairs[-1][1] == x).all()
        for c, u in pairs[:-1]:
            assert (c is None) == discard
            if c is not None:
                assert cp.linalg.norm(a @ u - c) < 1e-9
    if truncate == 'oldest':
        C = cp.stack([a @ u for _, u in pairs[:-1]])
        assert abs(C @ C.T - cp.eye(len(C))).max() < 1e-8
    # The solution is among the vectors.
    assert counts[1] == counts[2] == 1
    # Vectors that depend on each other are dropped.
    u = pairs[0][1]
    x, info = linalg.gcrotmk(a, cp.asarray(b), rtol=1e-8, CU=[(None, u), (None, 2 * u)])
    assert info == 0 and residual(host, b, x) <= 1.001e-8


@pytest.mark.parametrize('name', ['lgmres', 'gcrotmk', 'tfqmr'])
def test_limits_and_invalid_arguments(name):
    host, solve = convection(30), getattr(linalg, name)
    a, b = sparse.csr_matrix(host), cp.asarray(right_side(30))
    x, info = solve(a, cp.zeros(30), x0=cp.ones(30))
    assert info == 0 and not x.any()
    x, info = solve(a, b.reshape(-1, 1), x0=cp.ones(30), atol=1e-3, rtol=0)
    assert info == 0 and x.shape == (30,) and cp.linalg.norm(b - a @ x) <= 1e-3
    x, info = solve(a, b, maxiter=1, rtol=1e-14, **({'inner_m': 2} if name == 'lgmres' else {'m': 2} if name == 'gcrotmk' else {}))
    assert info == 1
    x, info = solve(sparse.csr_matrix(cp.diag(cp.array([0.0, 1.0]))), cp.ones(2), maxiter=3)
    assert info != 0
    for bad in ((a, b[1:]), (sparse.csr_matrix((3, 4)), b[:3]), (a, b, b[1:])):
        with pytest.raises(ValueError, match=name):
            solve(*bad)
    with pytest.raises(ValueError):
        solve(a, b, M=sparse.eye(3))
    if name != 'tfqmr':
        with pytest.raises(ValueError, match='finite'):
            solve(a, cp.full(30, cp.nan))
    with pytest.raises(ValueError, match='truncate'):
        linalg.gcrotmk(a, b, truncate='newest')


def test_gcrotmk_takes_a_preconditioner_that_changes():
    host, b = convection(50), right_side(50)
    a, calls = sparse.csr_matrix(host), []

    def inverse(v):
        calls.append(1)
        return v / (2.0 + 0.4 * (len(calls) % 3))

    x, info = linalg.gcrotmk(a, cp.asarray(b), rtol=1e-9, m=6, k=3, M=linalg.LinearOperator(a.shape, inverse, dtype='d'))
    assert info == 0 and residual(host, b, x) <= 1.001e-9


def test_tfqmr_prints_its_result(capsys):
    x, info = linalg.tfqmr(sparse.eye(3, format='csr'), cp.ones(3), show=True)
    assert info == 0 and 'tfqmr' in capsys.readouterr().out


@pytest.mark.parametrize('dtype', ['f', 'd', 'D'])
@pytest.mark.parametrize('assume_a', ['general', 'hermitian'])
def test_functions_of_matrices_times_vectors(dtype, assume_a):
    n = 40
    host = convection(n, dtype)
    if assume_a == 'hermitian':
        host = scipy_sparse.csr_matrix((host + host.conj().T) / 2).astype(dtype)
    b, a = right_side(n, dtype), sparse.csr_matrix(host)
    want = scipy_linalg.expm_multiply(-0.7 * host.astype('D'), b)
    tolerance = 1e-4 if dtype == 'f' else 1e-8
    operator = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, dtype=dtype)
    for matrix in (a, a.toarray(), operator):
        for options in ({}, {'restart_every_m': 7, 'max_restarts': 30}, {'restart_every_m': 100}):
            y = linalg.funm_multiply_krylov(expm, matrix, cp.asarray(b), t=-0.7, rtol=tolerance / 10, assume_a=assume_a, **options)
            assert y.dtype == np.dtype(dtype)
            assert np.linalg.norm(y.get() - want) <= tolerance * np.linalg.norm(want)


def test_functions_of_small_matrices_are_exact():
    a = sparse.csr_matrix(cp.array([[2.0, 0, 1], [4, -3, 0], [0, 1, 5]]))
    b = cp.array([1.0, -2, 3])
    y = linalg.funm_multiply_krylov(lambda x: x @ x @ x - x, a, b)
    np.testing.assert_allclose(y.get(), (a @ (a @ (a @ b)) - a @ b).get(), rtol=1e-13)
    y = linalg.funm_multiply_krylov(lambda x: x, a, b, t=1j)
    np.testing.assert_allclose(y.get(), 1j * (a @ b).get(), rtol=1e-13)
    # The space of an eigenvector has one dimension.
    np.testing.assert_allclose(linalg.funm_multiply_krylov(expm, sparse.eye(5), cp.ones(5)).get(), np.full(5, np.e), rtol=1e-14)
    assert not linalg.funm_multiply_krylov(expm, a, cp.zeros(3)).any()
    for options in ({'assume_a': 'x'}, {'restart_every_m': 0}, {'max_restarts': 0}):
        with pytest.raises(ValueError, match='funm_multiply_krylov'):
            linalg.funm_multiply_krylov(expm, a, b, **options)
    for matrix, vector in ((a, b[:2]), (a, b[:, None]), (sparse.csr_matrix((2, 3)), b[:2])):
        with pytest.raises(ValueError, match='funm_multiply_krylov'):
            linalg.funm_multiply_krylov(expm, matrix, vector)


CONDITIONS = ['neumann', 'dirichlet', 'periodic']


@pytest.mark.parametrize('conditions', CONDITIONS)
@pytest.mark.parametrize('shape', [(2,), (5,), (6,), (2, 3), (4, 2, 5), (2, 2, 2, 3)])
def test_laplacians_of_grids(shape, conditions):
    ours = linalg.LaplacianNd(shape, boundary_conditions=conditions)
    theirs = scipy_linalg.LaplacianNd(shape, boundary_conditions=conditions)
    want, n = theirs.toarray(), int(np.prod(shape))
    assert ours.shape == (n, n) and ours.dtype == np.int8 and ours.toarray().dtype == np.int8
    np.testing.assert_array_equal(ours.toarray().get(), want)
    matrix = ours.tosparse()
    assert matrix.format == ('dia' if len(shape) == 1 else 'csr') and isinstance(matrix, sparse.sparray)
    np.testing.assert_array_equal(matrix.toarray().get(), want)
    np.testing.assert_array_equal((ours @ cp.eye(n)).get(), want)
    v = np.arange(n, dtype='f')
    product = ours.matvec(cp.asarray(v))
    assert product.dtype == np.float32
    np.testing.assert_array_equal(product.get(), want @ v)
    np.testing.assert_array_equal((ours.H @ cp.asarray(v)).get(), product.get())
    values = ours.eigenvalues().get()
    np.testing.assert_allclose(values, theirs.eigenvalues(), atol=1e-12)
    np.testing.assert_allclose(ours.eigenvalues(2).get(), values[-2:])
    vectors = ours.eigenvectors().get()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(want @ vectors, vectors * values, atol=1e-12)
    assert ours.eigenvectors(1).shape == (n, 1)


def test_laplacians_of_points_and_unknown_conditions():
    for conditions, value in (('neumann', 0), ('periodic', 0), ('dirichlet', -2)):
        point = linalg.LaplacianNd((1,), boundary_conditions=conditions)
        assert point.toarray().tolist() == [[value]] and (point @ cp.ones(1)).tolist() == [value]
    assert linalg.LaplacianNd(4, dtype=np.float32).tosparse().dtype == np.float32
    with pytest.raises(ValueError, match='boundary_conditions'):
        linalg.LaplacianNd((2,), boundary_conditions='open')


@pytest.mark.parametrize('format', ['csr', 'csc', 'coo', 'dia', 'bsr'])
def test_bandwidths_and_triangles(format):
    rng = np.random.default_rng(0)
    for k in range(-4, 5):
        for shape in ((4, 4), (3, 5), (5, 3)):
            dense = rng.integers(1, 9, shape).astype(float)
            for host in (np.tril(dense, k), np.triu(dense, k), np.diag(np.ones(4)), np.eye(*shape, k)):
                a = sparse.csr_array(cp.asarray(host)).asformat(format)
                if not host.any():
                    assert linalg.spbandwidth(a) == (0, 0)
                    continue
                # Blocks store zeros, too.
                theirs = scipy_sparse.csr_array(a.get().tocoo())
                assert linalg.spbandwidth(a) == scipy_linalg.spbandwidth(theirs)
                assert linalg.is_sptriangular(a) == scipy_linalg.is_sptriangular(theirs)


def test_structure_counts_explicit_zeros_and_dense_matrices():
    zero = sparse.csr_array((cp.zeros(1), (cp.array([0]), cp.array([2]))), shape=(3, 3))
    assert linalg.spbandwidth(zero) == (0, 2) and linalg.is_sptriangular(zero) == (False, True)
    assert linalg.spbandwidth(cp.tri(4)) == (3, 0) and linalg.is_sptriangular(np.eye(2)) == (True, True)
    assert linalg.use_solver(useUmfpack=False, assumeSortedIndices=True) is None
    with pytest.raises(TypeError, match='use_solver'):
        linalg.use_solver(solver='other')
