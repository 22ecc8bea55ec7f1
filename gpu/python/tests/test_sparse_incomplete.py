"""Incomplete factors without fill-in, compared with dense arithmetic, and as preconditioners."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import linalg

theirs = pytest.importorskip('scipy.sparse')


def dominant(n, dtype, density=0.15, seed=1):
    """Returns a matrix with a random pattern and a dominant diagonal."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < density)
    if np.dtype(dtype).kind == 'c':
        a = a + 1j * rng.uniform(-1, 1, (n, n)) * (a != 0)
    np.fill_diagonal(a, 2 + abs(a).sum(1) + abs(a).sum(0))
    return a.astype(dtype)


def hermitian(a):
    return a + a.conj().T


def poisson(m, dtype='d'):
    line = theirs.diags_array([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], offsets=[-1, 0, 1])
    eye = theirs.eye_array(m)
    return (theirs.kron(line, eye) + theirs.kron(eye, line)).toarray().astype(dtype)


def eliminated(a):
    """ILU(0) by Gaussian elimination of the dense matrix, without what falls outside of its pattern."""
    a, pattern = a.astype('D'), a != 0
    for k in range(len(a)):
        rows = pattern[k + 1 :, k]
        a[k + 1 :, k][rows] /= a[k, k]
        update = np.outer(a[k + 1 :, k], a[k, k + 1 :])
        a[k + 1 :, k + 1 :] -= update * pattern[k + 1 :, k + 1 :]
    return a


def permuted(m, a):
    if m.perm is None:
        return a
    p = np.zeros(a.shape)
    p[m.perm.get(), np.arange(len(a))] = 1
    return (p @ a @ p.T).astype(a.dtype)


@pytest.mark.parametrize('dtype', ['f', 'd', 'F', 'D'])
def test_products_are_the_matrix_on_its_pattern(dtype):
    # 70 elements in a row and a column of the arrow: a lane has several.
    arrow = np.diag(np.full(70, 200.0))
    arrow[35], arrow[:, 35] = np.where(np.arange(70) == 35, 200, 1), np.where(np.arange(70) == 35, 200, -1)
    hosts = {'f': (poisson(4, 'f'),), 'd': (dominant(1, 'd'), arrow), 'F': (arrow.astype('F'),), 'D': (dominant(30, 'D'),)}
    for host in hosts[dtype]:
        n, eps = len(host), float(np.finfo(dtype).eps)
        for order in ('natural', 'colored') if dtype in 'dD' else ('natural',):
            m = linalg.ilu0(sparse.csr_array(host), order)
            a = permuted(m, host)
            lower, upper = m.L.toarray().get(), m.U.toarray().get()
            assert m.shape == (n, n) and m.nnz == (host != 0).sum() and m.dtype == lower.dtype == np.dtype(dtype)
            assert (np.diag(lower) == 1).all() and not np.triu(lower, 1).any() and not np.tril(upper, -1).any()
            assert (((lower + upper) != 0) <= (a != 0)).all()
            np.testing.assert_allclose((lower @ upper)[a != 0], a[a != 0], rtol=20 * eps, atol=20 * eps * abs(a).max())
            np.testing.assert_allclose(np.tril(lower, -1) + upper, eliminated(a), rtol=40 * eps, atol=40 * eps * abs(a).max())
            spd = hermitian(host)
            m = linalg.ic0(sparse.csr_array(np.tril(spd)), order)
            a = permuted(m, spd)
            lower = m.L.toarray().get()
            assert (np.diag(lower).real > 0).all() and not np.triu(lower, 1).any()
            assert ((lower != 0) <= (np.tril(a) != 0)).all()
            np.testing.assert_array_equal(m.U.toarray().get(), lower.conj().T)
            product = lower @ lower.conj().T
            np.testing.assert_allclose(product[a != 0], a[a != 0], rtol=20 * eps, atol=20 * eps * abs(a).max())


@pytest.mark.parametrize('dtype', ['d', 'F'])
def test_solutions_are_those_of_the_factors(dtype):
    host, rng = dominant(30, dtype, 0.1), np.random.default_rng(3)
    eps = float(np.finfo(dtype).eps)
    for m in (linalg.ilu0(sparse.csc_array(host), 'colored'), linalg.ilu0(sparse.csr_array(host)), linalg.ic0(sparse.csr_array(hermitian(host)), 'colored')):
        product = (m.L @ m.U).toarray().get()
        if m.perm is not None:
            p = m.perm.get()
            product = product[np.ix_(p, p)]
        for shape in ((30,), (30, 3)):
            b = rng.uniform(-1, 1, shape).astype(dtype)
            for trans, matrix in (('N', product), ('T', product.T), ('H', product.conj().T)):
                x = m.solve(cp.asarray(b), trans).get()
                assert x.shape == shape and x.dtype == np.dtype(dtype)
                np.testing.assert_allclose(matrix @ x, b, atol=60 * eps)
    x = cp.asarray(rng.uniform(-1, 1, 30).astype(dtype))
    np.testing.assert_array_equal((m @ x).get(), m.solve(x).get())
    np.testing.assert_array_equal(m.H.matvec(x).get(), m.solve(x, 'H').get())
    assert m.solve(x).get().tobytes() == linalg.ic0(sparse.csr_array(hermitian(host)), 'colored').solve(x).get().tobytes()


def test_wide_indices_and_empty_matrices():
    wide = sparse.csr_array(poisson(4))
    wide.indices, wide.indptr = wide.indices.astype('int64'), wide.indptr.astype('int64')
    b = cp.ones(16)
    np.testing.assert_array_equal(linalg.ilu0(wide).solve(b).get(), linalg.ilu0(sparse.csr_array(poisson(4))).solve(b).get())
    empty = sparse.csr_array((0, 0))
    assert linalg.ilu0(empty).solve(cp.zeros(0)).shape == linalg.ic0(empty, 'colored').solve(cp.zeros((0, 2)))[:, 0].shape == (0,)
    integers = linalg.ilu0(sparse.csr_array(np.array([[2, 1], [1, 2]])))
    assert integers.dtype == np.float64


def test_preconditioned_solvers_need_fewer_iterations():
    host = poisson(12)
    a, b = sparse.csr_matrix(host), cp.ones(144)

    def iterations(solver, m):
        count = []
        x, info = solver(a, b, rtol=1e-8, M=m, callback=count.append)
        assert info == 0 and cp.linalg.norm(b - a @ x) <= 1.001e-8 * 12
        return len(count)

    ic, colored, ilu = linalg.ic0(a), linalg.ic0(a, 'colored'), linalg.ilu0(a)
    assert iterations(linalg.cg, ic) < iterations(linalg.cg, colored) < iterations(linalg.cg, None)
    # Repeated on the device.
    for solver, m in ((linalg.cg, ic), (linalg.bicg, ilu), (linalg.gmres, ilu)):
        x, info = solver(a, b, rtol=1e-8, M=m)
        assert info == 0 and cp.linalg.norm(b - a @ x) <= 1.001e-8 * 12


def test_rows_without_a_pivot_are_named():
    singular = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [0.0, 1.0, 3.0]])
    other = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 1.0]])
    with pytest.raises(RuntimeError, match='ilu0.*row 1 is 0,'):
        linalg.ilu0(sparse.csr_array(singular))
    with pytest.raises(RuntimeError, match='row 1 is 0,'):
        linalg.ilu0(sparse.csr_array(other), "colored")
    with pytest.raises(RuntimeError, match='ic0.*row 2 is -5,'):
        linalg.ic0(sparse.csr_array(np.diag([1.0, 2.0, -5.0])))
    with pytest.raises(RuntimeError, match='row 0 is -1,'):
        linalg.ic0(sparse.csr_array(np.diag([-1.0 + 2j, 2.0])))
    with pytest.raises(RuntimeError, match='row 2 has no entry on the diagonal'):
        linalg.ilu0(sparse.csr_array(np.diag([1.0, 2.0, 0.0])))
    with pytest.raises(RuntimeError, match='row 0 is NaN'):
        linalg.ilu0(sparse.csr_array(np.diag([np.nan, 2.0])))
    a = sparse.csr_array(poisson(2))
    for call in (
        lambda: linalg.ilu0(a, 'other'),
        lambda: linalg.ic0(sparse.csr_array((2, 3))),
        lambda: linalg.ilu0(a.astype('float16')),
        lambda: linalg.ilu0(a).solve(cp.ones(3)),
        lambda: linalg.ilu0(a).solve(cp.ones(4), 'X'),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: linalg.ilu0(a).solve(cp.ones(4, 'D')), linalg.IncompleteFactors):
        with pytest.raises(TypeError):
            call()
