"""Direct solvers of `cupyx.scipy.sparse.linalg`, compared with SciPy."""

import warnings
from fractions import Fraction

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import linalg

theirs = pytest.importorskip('scipy.sparse')
scipy_linalg = pytest.importorskip('scipy.sparse.linalg')

DTYPES = ['f', 'd', 'F', 'D']


def filled(rows, columns, density, dtype, seed=1):
    """Returns a host matrix of random positions and values."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, columns)) < density
    values = rng.uniform(-1, 1, (rows, columns)) * mask
    if np.dtype(dtype).kind == 'c':
        values = values + 1j * rng.uniform(-1, 1, (rows, columns)) * mask
    return values.astype(dtype)


def general(n, dtype='d', seed=1):
    """Returns a matrix whose diagonal is permuted away, so that every pivot is elsewhere."""
    a = filled(n, n, 4 / max(n, 4), dtype, seed)
    a[np.arange(n), np.roll(np.arange(n), 1)] += 3
    return a


def poisson(m, dtype='d'):
    line = theirs.diags_array([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], offsets=[-1, 0, 1])
    eye = theirs.eye_array(m)
    return (theirs.kron(line, eye) + theirs.kron(eye, line)).tocsc().astype(dtype)


def device(host, name='csc_array'):
    return getattr(sparse, name)(host if isinstance(host, np.ndarray) else host.tocsc())


def backward(a, x, b):
    """Returns the backward error of a solution."""
    a = a if isinstance(a, np.ndarray) else a.toarray()
    r = abs(b - a @ x).max()
    return 0 if r == 0 else r / (abs(a).sum(1).max() * abs(x).max() + abs(b).max())


def eps(dtype):
    return float(np.finfo(dtype).eps)


@pytest.mark.parametrize('dtype', DTYPES)
def test_factors_multiply_to_the_permuted_matrix(dtype):
    for host in (general(1, dtype), general(2, dtype), general(17, dtype), general(60, dtype, 2), poisson(6, dtype).toarray()):
        n = len(host)
        for order in (None, 'NATURAL', 'MMD_AT_PLUS_A', 'COLAMD'):
            lu = linalg.splu(device(host), permc_spec=order)
            lower, upper = lu.L, lu.U
            assert lu.shape == (n, n) and lu.nnz == lower.nnz + upper.nnz
            assert lower.format == upper.format == 'csc' and lower.dtype == upper.dtype == np.dtype(dtype) and isinstance(lower, sparse.csc_array)
            assert lu.perm_r.dtype == lu.perm_c.dtype == np.int32
            lower, upper = lower.toarray().get(), upper.toarray().get()
            assert (np.diag(lower) == 1).all() and (np.triu(lower, 1) == 0).all() and (np.tril(upper, -1) == 0).all()
            pr, pc = np.zeros((n, n)), np.zeros((n, n))
            pr[lu.perm_r.get(), np.arange(n)] = 1
            pc[np.arange(n), lu.perm_c.get()] = 1
            # Multiplied out, the factors are the matrix (CuPy #8570).
            np.testing.assert_allclose(pr.T @ lower @ upper @ pc.T, host, atol=40 * eps(dtype) * abs(lower).max() * abs(upper).max())
            assert abs(lower).max() <= (10 if order in (None, 'MMD_AT_PLUS_A') else 1.5)


@pytest.mark.parametrize('dtype', DTYPES)
def test_solutions_for_vectors_matrices_and_transposes(dtype):
    for host in (general(1, dtype), general(45, dtype), poisson(7, dtype).toarray()):
        n = len(host)
        lu = linalg.splu(device(host))
        rng = np.random.default_rng(5)
        for shape in ((n,), (n, 1), (n, 3), (n, 40), (n, 0)):
            b = rng.uniform(-1, 1, shape).astype(dtype)
            for order in 'CF':
                for trans, matrix in (('N', host), ('T', host.T), ('H', host.conj().T)):
                    x = lu.solve(cp.asarray(b, order=order), trans)
                    assert x.shape == shape and x.dtype == np.dtype(dtype)
                    if x.size:
                        assert backward(matrix, x.get(), b) <= 40 * eps(dtype)
        strided = cp.asarray(np.repeat(rng.uniform(-1, 1, n), 2).astype(dtype))[::-2]
        assert backward(host, lu.solve(strided).get(), strided.get()) <= 40 * eps(dtype)
        first = lu.solve(strided).get().tobytes()
        assert all(lu.solve(strided).get().tobytes() == first for _ in range(3))
        assert backward(host, linalg.factorized(device(host))(strided).get(), strided.get()) <= 40 * eps(dtype)


@pytest.mark.parametrize('dtype', DTYPES)
def test_panels_of_factors(dtype):
    """Factors with dense chains of rows of several lengths, among rows that are not."""
    skewed = poisson(16).toarray() + filled(256, 256, 0.01, dtype)
    blocks = np.eye(150, dtype=dtype) * 40
    for first, end in ((3, 30), (40, 47), (50, 130), (131, 140)):
        blocks[first:end, first:end] += filled(end - first, end - first, 0.8, dtype)
    for host, order in ((poisson(16, dtype).toarray(), None), (skewed.astype(dtype), None), (blocks, 'NATURAL')):
        n = len(host)
        lu = linalg.splu(device(host), permc_spec=order)
        for across in (1, 3, 40):
            b = filled(n, across, 1, dtype, across)
            for trans, matrix in (('N', host), ('T', host.T), ('H', host.conj().T)):
                x = lu.solve(cp.asarray(b), trans)
                assert backward(matrix, x.get(), b) <= 20 * eps(dtype)
                assert across != 3 or lu.solve(cp.asarray(b), trans).tobytes() == x.tobytes()
        # Other values of the same pattern.
        lu.refactor(device(host * 3))
        assert backward(host * 3, lu.solve(cp.asarray(b)).get(), b) <= 20 * eps(dtype)


@pytest.mark.parametrize('dtype', ['f', 'd'])
def test_panels_with_large_inverses_are_solved_by_substitution(dtype):
    """The inverse of this triangle has elements of 2^30, where a product with it loses nine digits."""
    rng = np.random.default_rng(3)
    host = (np.eye(64) - np.tril(rng.uniform(0.9, 1, (64, 64)), -1)).astype(dtype)
    for matrix in (host, host.T.copy()):
        lu = linalg.splu(device(matrix), permc_spec='NATURAL', diag_pivot_thresh=0.0)
        assert lu.nnz == 64 * 65 // 2 + 64
        for trans, a in (('N', matrix), ('T', matrix.T)):
            b = a.astype('d').sum(1).astype(dtype)
            assert backward(a, lu.solve(cp.asarray(b), trans).get(), b) <= 8 * eps(dtype)


def exact(a, b):
    """Returns the inverse and the solution by elimination with full pivoting in rational numbers, None for a singular matrix."""
    n = len(a)
    rows = [[Fraction(v) for v in row] + [Fraction(int(i == j)) for j in range(n)] + [Fraction(float(b[i]))] for i, row in enumerate(a.tolist())]
    order = list(range(n))
    for k in range(n):
        pivot, i, j = max((abs(rows[i][j]), i, j) for i in range(k, n) for j in range(k, n))
        if pivot == 0:
            return None
        rows[k], rows[i] = rows[i], rows[k]
        for row in rows:
            row[k], row[j] = row[j], row[k]
        order[k], order[j] = order[j], order[k]
        for i in range(n):
            if i != k:
                by = rows[i][k] / rows[k][k]
                rows[i] = [x - by * y for x, y in zip(rows[i], rows[k])]
    rows = [[x / rows[k][k] for x in rows[k][n:]] for k in range(n)]
    by_column = [rows[order.index(j)] for j in range(n)]
    return np.array([row[:n] for row in by_column]), np.array([row[n] for row in by_column])


@pytest.mark.parametrize('dtype', ['f', 'd'])
def test_solutions_are_near_the_exact_ones(dtype):
    """Matrices of random floats of sizes between 2^-8 and 2^8; errors are within those of a backward error of each element."""
    rng = np.random.default_rng(17)
    solved = 0
    while solved < 12:
        n = int(rng.integers(1, 8))
        a = (rng.uniform(-1, 1, (n, n)) * 2.0 ** rng.integers(-8, 9, (n, n)) * (rng.random((n, n)) < 0.6)).astype(dtype)
        b = rng.uniform(-1, 1, n).astype(dtype)
        found = exact(a, b)
        if found is None:
            with pytest.warns(linalg.MatrixRankWarning, match='singular'):
                assert cp.isnan(linalg.spsolve(device(a), cp.asarray(b))).all()
            continue
        solved += 1
        inverse, x = found
        lu = linalg.splu(device(a))
        lower, upper = (abs(f.toarray().get().astype('d')) for f in (lu.L, lu.U))
        size = (lower @ upper)[np.ix_(lu.perm_r.get(), lu.perm_c.get())]
        bound = 3 * n * eps(dtype) * (abs(inverse).astype('d') @ (size @ abs(x).astype('d')))
        for got in (lu.solve(cp.asarray(b)), linalg.spsolve(device(a), cp.asarray(b))):
            assert (abs(np.array([Fraction(float(v)) for v in got.get()]) - x).astype('d') <= bound).all()


def test_results_need_not_repeat():
    host = poisson(6)
    b = cp.asarray(filled(36, 5, 1, 'd'))
    want = linalg.splu(device(host)).solve(b).get()
    np.testing.assert_allclose(linalg.splu(device(host), deterministic=False).solve(b).get(), want, atol=1e-14)
    np.testing.assert_allclose(linalg.spsolve(device(host), b, deterministic=False).get(), want, atol=1e-14)


def test_dtypes_formats_and_classes_of_solutions():
    host = poisson(4)
    b = np.arange(16.0)
    for name in ('csr_matrix', 'csc_matrix', 'csr_array', 'csc_array', 'coo_array', 'dia_matrix'):
        a = getattr(sparse, name)(host.toarray())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            x = linalg.spsolve(a, cp.asarray(b))
            lu = linalg.splu(a)
        assert len(caught) == {'csr': 1, 'csc': 0}.get(name[:3], 2) and all(w.category is sparse.SparseEfficiencyWarning for w in caught)
        assert type(lu.L).__name__ == f'csc_{name[4:]}'
        np.testing.assert_allclose(x.get(), scipy_linalg.spsolve(host, b), rtol=1e-13)
    for of_a in '?bilfdFD':
        for of_b in '?bHilefdFD':
            a, right = host.toarray().astype(of_a), b.astype(of_b)
            if of_a == '?':
                a = np.eye(16, dtype=bool)
            got = linalg.spsolve(device(a), cp.asarray(right))
            want = scipy_linalg.spsolve(theirs.csc_array(a), right)
            assert got.dtype == want.dtype, (of_a, of_b)
            np.testing.assert_allclose(got.get(), want, rtol=3e-5)
            triangle = np.tril(a)
            got = linalg.spsolve_triangular(device(triangle, 'csr_array'), cp.asarray(right))
            want = scipy_linalg.spsolve_triangular(theirs.csr_array(triangle), right)
            assert got.dtype == want.dtype, (of_a, of_b)
            np.testing.assert_allclose(got.get(), want, rtol=3e-5, atol=1e-6)
    for solver in (
        linalg.splu,
        linalg.spilu,
        linalg.factorized,
        lambda a: linalg.spsolve(a, cp.asarray(b)),
        lambda a: linalg.spsolve_triangular(a, cp.asarray(b)),
    ):
        with pytest.raises(ValueError, match='float16'):
            solver(device(host.toarray()).astype('float16'))
    wide = sparse.csc_array(device(host))
    wide.indices, wide.indptr = wide.indices.astype('int64'), wide.indptr.astype('int64')
    np.testing.assert_allclose(linalg.spsolve(wide, cp.asarray(b)).get(), scipy_linalg.spsolve(host, b), rtol=1e-13)


def test_right_sides_of_all_kinds():
    host = poisson(4)
    a = device(host)
    for k in (1, 2, 5, 33):
        b = filled(16, k, 0.3, 'd', k)
        x = linalg.spsolve(a, cp.asarray(b))
        want = scipy_linalg.spsolve(host, b)
        assert x.shape == want.shape
        np.testing.assert_allclose(x.get(), want, atol=1e-13)
        x = linalg.spsolve(a, sparse.csc_array(b))
        assert sparse.issparse(x) == (k > 1)
        np.testing.assert_allclose((x.toarray() if k > 1 else x).get(), want, atol=1e-13)
    with pytest.warns(sparse.SparseEfficiencyWarning):
        x = linalg.spsolve(sparse.csr_matrix(a), sparse.csr_matrix(b))
    assert isinstance(x, sparse.csr_matrix)
    inverse = linalg.inv(a)
    assert isinstance(inverse, sparse.csc_array)
    np.testing.assert_allclose(inverse.toarray().get(), np.linalg.inv(host.toarray()), atol=1e-13)
    assert linalg.inv(sparse.csr_matrix(np.diag([2, 4]))).toarray().get().tolist() == [[0.5, 0], [0, 0.25]]
    empty = sparse.csc_array((0, 0))
    assert linalg.spsolve(empty, cp.zeros(0)).shape == linalg.splu(empty).solve(cp.zeros(0)).shape == (0,)
    assert linalg.spsolve_triangular(empty, cp.zeros((0, 2))).shape == (0, 2)


SINGULAR = {
    'equal rows': [[1.0, 2.0], [2.0, 4.0]],
    'an empty row': [[1.0, 0.0], [0.0, 0.0]],
    'structure': [[1.0, 2.0, 3.0], [4.0, 0.0, 0.0], [5.0, 0.0, 0.0]],
    'nan': [[np.nan, 1.0], [1.0, 2.0]],
}


def test_singular_matrices_raise_and_warn_as_in_scipy():
    for host in map(np.array, SINGULAR.values()):
        a, n = device(host), len(host)
        for solver in (linalg.splu, linalg.factorized, linalg.inv):
            with pytest.raises(RuntimeError, match='singular'):
                solver(a)
            with pytest.raises(RuntimeError):
                getattr(scipy_linalg, solver.__name__)(theirs.csc_array(host))
        with pytest.raises(RuntimeError, match='singular'):
            linalg.spilu(a)
        for b in (np.ones(n), np.ones((n, 2)), np.ones((n, 9), 'F')):
            with pytest.warns(linalg.MatrixRankWarning, match='singular'):
                x = linalg.spsolve(a, cp.asarray(b))
            assert x.shape == b.shape and cp.isnan(x).all() and x.dtype == np.result_type('d', b.dtype)
        with pytest.raises(RuntimeError, match='singular'):
            linalg.spsolve(a, sparse.csc_array(np.ones((n, 2))))
    for host in ([[1.0, 0.0], [3.0, 0.0]], [[0.0, 0.0], [3.0, 1.0]]):
        with pytest.raises(np.linalg.LinAlgError, match='zero entry on diagonal'):
            linalg.spsolve_triangular(device(np.array(host), 'csr_array'), cp.ones(2))
    host = poisson(2).toarray()
    with pytest.raises(np.linalg.LinAlgError, match='positive definite: the pivot of row 3 is -1'):
        linalg.cholesky(device(np.diag([2.0, 3.0, 1.0, -1.0])))


def test_arguments_are_checked():
    a, b = device(poisson(2)), cp.ones(4)
    lu = linalg.splu(a)
    for call in (
        lambda: linalg.splu(sparse.csc_array((2, 3))),
        lambda: linalg.spsolve(sparse.csc_array((2, 3)), b[:2]),
        lambda: linalg.inv(sparse.csc_array((2, 3))),
        lambda: linalg.cholesky(sparse.csc_array((2, 3))),
        lambda: linalg.spsolve_triangular(sparse.csc_array((2, 3)), b[:2]),
        lambda: linalg.spsolve(a, b[:3]),
        lambda: linalg.spsolve(a, b.reshape(4, 1, 1)),
        lambda: linalg.spsolve_triangular(a, b[:3]),
        lambda: linalg.spsolve_triangular(a, b.reshape(4, 1, 1)),
        lambda: linalg.spsolve_triangular(a, a),
        lambda: linalg.splu(a, permc_spec='OTHER'),
        lambda: linalg.spsolve(a, b, permc_spec='OTHER'),
        lambda: lu.solve(b, 'X'),
        lambda: lu.solve(b[:3]),
        lambda: lu.solve(b.reshape(4, 1, 1)),
        lambda: lu.refactor(device(np.eye(4))),
        lambda: lu.refactor(device(np.eye(3))),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: lu.solve(b.astype('D')),
        lambda: linalg.splu(a.astype('f')).solve(b),
        lambda: linalg.splu(a, options={'Other': 1}),
        lambda: linalg.inv(a.toarray()),
        linalg.SuperLU,
        linalg.Cholesky,
    ):
        with pytest.raises(TypeError):
            call()
    assert linalg.splu(a.astype('f')).solve(b.astype('e')).dtype == np.float32
    lu = linalg.splu(a, 'MMD_ATA', 0.5, 1, 8, {'SymmetricMode': True, 'DiagPivotThresh': 0.1})
    np.testing.assert_allclose((a @ lu.solve(b)).get(), 1)
    with pytest.warns(sparse.SparseEfficiencyWarning):
        np.testing.assert_allclose(linalg.splu(a.toarray()).solve(b).get(), lu.solve(b).get())
    np.testing.assert_allclose(linalg.spsolve(a, [1, 2, 3, 4], use_umfpack=False).get(), linalg.spsolve(a, cp.arange(1, 5)).get())


@pytest.mark.parametrize('dtype', DTYPES)
def test_triangular_systems(dtype):
    rng = np.random.default_rng(3)
    for n, density in ((1, 1), (2, 0.5), (33, 0.2), (130, 0.04), (40, 1)):
        full = filled(n, n, density, dtype) / 4
        full[np.arange(n), np.arange(n)] = 1 + rng.random(n)
        for name in ('csr_matrix', 'csc_array'):
            a, host = getattr(sparse, name)(full), getattr(theirs, name)(np.triu(full))
            for lower in (True, False):
                triangle = np.tril(full) if lower else np.triu(full)
                for unit in (False, True):
                    if unit:
                        triangle[np.arange(n), np.arange(n)] = 1
                    for shape in ((n, 70) if n < 40 and not unit else (n,), (n, 3) if n < 50 else (n,)):
                        b = rng.uniform(-1, 1, shape).astype(dtype)
                        x = linalg.spsolve_triangular(a, cp.asarray(b), lower=lower, unit_diagonal=unit)
                        assert x.shape == shape and x.dtype == np.dtype(dtype)
                        # Each row is a sum of at most n products: the bound of a substitution (Higham, theorem 8.5).
                        bound = (n + 3) * eps(dtype) * 2 * (abs(triangle) @ abs(x.get()))
                        assert (abs(triangle @ x.get() - b) <= bound).all()
            want = scipy_linalg.spsolve_triangular(host, b[:, 0] if b.ndim > 1 else b, lower=False)
            got = linalg.spsolve_triangular(a, cp.asarray(b[:, 0] if b.ndim > 1 else b), lower=False)
            np.testing.assert_allclose(got.get(), want, rtol=0, atol=3000 * eps(dtype) * abs(want).max())
    b = cp.ones(40, dtype)
    x = linalg.spsolve_triangular(a, b, overwrite_A=True, overwrite_b=True)
    assert x is b and linalg.spsolve_triangular(a, cp.ones(40, 'i'), overwrite_b=True).dtype.kind in 'fc'
    first = linalg.spsolve_triangular(a, cp.ones(40, dtype)).get().tobytes()
    assert all(linalg.spsolve_triangular(a, cp.ones(40, dtype)).get().tobytes() == first for _ in range(5))
    # Duplicates are added, infinities and NaN propagate.
    doubled = sparse.csr_matrix((cp.asarray([1.0, 1.0, 3.0]), cp.asarray([0, 0, 1]), cp.asarray([0, 2, 3])), shape=(2, 2))
    assert linalg.spsolve_triangular(doubled, cp.asarray([4.0, 6.0])).get().tolist() == [2.0, 2.0]
    bits = np.array([-1, 0], 'q').view('d')
    assert np.isnan(linalg.spsolve_triangular(doubled, cp.asarray(bits)).get()).tolist() == [True, False]
    assert linalg.spsolve_triangular(doubled, cp.asarray([np.inf, 3.0])).get().tolist() == [np.inf, 1.0]


def test_hard_matrices_have_small_backward_errors():
    rng = np.random.default_rng(11)
    n = 60
    base = general(n)
    scales = 10.0 ** rng.integers(-12, 12, n)
    graded = base * np.geomspace(1, 1e-12, n)[:, None]
    nearly = base.copy()
    nearly[1] = nearly[0] * (1 + 1e-13)
    permuted = np.diag(rng.uniform(1, 2, n))[rng.permutation(n)]
    # Tiny elements on the diagonal of a symmetric pattern: pivots from there are not stable.
    tiny = poisson(8).toarray()
    tiny[np.arange(64), np.arange(64)] = 1e-17
    arrow = np.eye(n) * 4
    arrow[0], arrow[:, 0] = 1, 1
    for host in (base * scales, graded, nearly, permuted, tiny, arrow, np.eye(3) * 1e-300):
        a = device(host)
        b = rng.uniform(-1, 1, len(host))
        for x in (linalg.spsolve(a, cp.asarray(b)), linalg.splu(a).solve(cp.asarray(b))):
            assert backward(host, x.get(), b) <= 1e-14
    # Random matrices, which the static pivots of a library fail for.
    for seed in range(6):
        host = filled(50, 50, 0.1, 'd', seed)
        host[np.arange(50), rng.permutation(50)] += 1e-3
        b = rng.uniform(-1, 1, 50)
        assert backward(host, linalg.spsolve(device(host), cp.asarray(b)).get(), b) <= 1e-14


def test_refactored_factors_solve_the_heat_equation():
    laplacian, n = poisson(8), 64
    eye = theirs.eye_array(n, format='csc')
    u = np.zeros(n)
    u[27] = 1
    mine, lu, total = cp.asarray(u), None, u
    for step in range(4):
        # The step of time changes, the pattern does not.
        host = (eye + (0.1 + step) * laplacian).tocsc()
        if lu is None:
            lu = linalg.splu(device(host))
        else:
            lu.refactor(device(host))
        mine, total = lu.solve(mine), scipy_linalg.spsolve(host, total)
        np.testing.assert_allclose(mine.get(), total, atol=1e-14)
    values = device(host).data
    lu.refactor(sparse.csc_array((values * 2, device(host).indices, device(host).indptr), shape=(n, n)))
    np.testing.assert_allclose(lu.solve(mine).get() * 2, scipy_linalg.spsolve(host, total), atol=1e-14)
    with pytest.raises(RuntimeError):
        lu.refactor(device(host) * 0.0)


def test_circuits_and_least_squares():
    # Nodal analysis of a ladder of resistors with a voltage source: a row without a diagonal element.
    n = 12
    a = np.zeros((n + 1, n + 1))
    for i in range(n - 1):
        g = 1 / (1 + i % 3)
        a[[i, i + 1], [i, i + 1]] += g
        a[[i, i + 1], [i + 1, i]] -= g
    a[n - 1, n - 1] += 1
    a[0, n] = a[n, 0] = 1
    b = np.zeros(n + 1)
    b[n] = 5
    x = linalg.spsolve(device(a, 'csr_matrix'), cp.asarray(b)).get()
    assert abs(x[0] - 5) < 1e-14 and backward(a, x, b) < 1e-15
    # A line fitted to noisy points, by the normal equations and by the augmented system.
    t = np.linspace(0, 1, 40)
    design = np.stack([np.ones(40), t], 1)
    y = 2 + 3 * t + 0.01 * np.sin(50 * t)
    want = np.linalg.lstsq(design, y)[0]
    normal = sparse.csc_matrix(design)
    factor = linalg.cholesky((normal.T @ normal).tocsc())
    np.testing.assert_allclose(factor.solve(cp.asarray(design.T @ y)).get(), want, rtol=1e-12)
    augmented = sparse.bmat([[sparse.eye(40), normal], [normal.T, None]], format='csc')
    x = linalg.spsolve(augmented, cp.asarray(np.concatenate([y, np.zeros(2)])))
    np.testing.assert_allclose(x[40:].get(), want, rtol=1e-12)


@pytest.mark.parametrize('dtype', ['d', 'F'])
def test_batches_of_one_pattern(dtype):
    host, rng = general(12, dtype), np.random.default_rng(2)
    pattern = device(host, 'csr_array')
    # The pivots of the first matrix do not suit the last one.
    scales = rng.uniform(0.5, 2, (4, pattern.nnz))
    scales[-1, :20] *= 1e-9
    values = pattern.data.get() * scales
    hosts = [theirs.csr_array((v, pattern.indices.get(), pattern.indptr.get()), shape=(12, 12)).toarray() for v in values]
    batch = linalg.splu_batch(pattern, cp.asarray(values.astype(dtype)))
    assert batch.shape == (4, 12, 12) and batch.dtype == np.dtype(dtype)
    for shape in ((4, 12), (4, 12, 3)):
        b = rng.uniform(-1, 1, shape).astype(dtype)
        for trans in 'NTH':
            x = batch.solve(cp.asarray(b), trans).get()
            for a, x, b_k in zip(hosts, x, b, strict=True):
                a = {'N': a, 'T': a.T, 'H': a.conj().T}[trans]
                assert x.dtype == np.dtype(dtype) and backward(a, x, b_k) <= 40 * eps(dtype)
    batch.refactor(cp.asarray((2 * values[::-1]).astype(dtype)))
    x = batch.solve(cp.asarray(b)).get()
    for a, x_k, b_k in zip(hosts[::-1], x, b, strict=True):
        assert backward(2 * a, x_k, b_k) <= 40 * eps(dtype)
    with pytest.raises(RuntimeError, match='matrix 2 of the batch.*singular'):
        batch.refactor(cp.asarray(values.astype(dtype) * np.array([1, 1, 0, 1])[:, None].astype(dtype)))
    for call in (
        lambda: linalg.splu_batch(pattern, cp.ones((2, 3))),
        lambda: linalg.splu_batch(pattern, cp.ones((0, pattern.nnz))),
        lambda: linalg.splu_batch(pattern.todia(), cp.ones((1, pattern.nnz))),
        lambda: batch.solve(cp.ones((4, 11))),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize('dtype', DTYPES)
def test_cholesky_factors(dtype):
    host = poisson(6, dtype).toarray()
    if np.dtype(dtype).kind == 'c':
        host = host + np.triu(0.3j * (host != 0), 1) - np.tril(0.3j * (host != 0), -1)
    n = len(host)
    factor = linalg.cholesky(device(np.tril(host).astype(dtype)))
    lower, permutation = factor.L.toarray().get(), np.zeros((n, n))
    permutation[factor.perm.get(), np.arange(n)] = 1
    assert (np.triu(lower, 1) == 0).all() and (np.diag(lower).real > 0).all() and factor.shape == (n, n)
    np.testing.assert_allclose(lower @ lower.conj().T, permutation @ host @ permutation.T, atol=40 * eps(dtype))
    np.testing.assert_allclose(factor.logdet().get(), np.linalg.slogdet(host)[1], rtol=30 * eps(dtype))
    b = np.arange(n).astype(dtype)
    assert backward(host, factor.solve(cp.asarray(b)).get(), b) <= 10 * eps(dtype)
    factor.refactor(device(2 * host.astype(dtype)))
    assert backward(2 * host, factor.solve(cp.asarray(b)).get(), b) <= 10 * eps(dtype)


@pytest.mark.parametrize('dtype', DTYPES)
def test_inertia_counts_eigenvalues(dtype):
    host = poisson(6, dtype).toarray()
    if np.dtype(dtype).kind == 'c':
        host = host + np.triu(0.3j * (host != 0), 1) - np.tril(0.3j * (host != 0), -1)
    w = np.linalg.eigvalsh(host)
    gaps = np.argsort(-np.diff(w))[:5]
    for sigma in (-1.0, *((w[gaps] + w[gaps + 1]) / 2), w[-1] + 1):
        # Only the lower triangle is read.
        shifted = np.tril(host - sigma * np.eye(36)).astype(dtype)
        assert linalg.inertia(device(shifted, 'csr_array')) == (np.count_nonzero(w > sigma), np.count_nonzero(w < sigma))
    # Constraints: a block of zeros on the diagonal.
    constraints = filled(4, 36, 0.4, 'd', 2).astype(dtype)
    saddle = np.block([[host, np.zeros((36, 4))], [constraints, np.zeros((4, 4))]]).astype(dtype)
    assert linalg.inertia(device(saddle)) == (36, 4)
    assert linalg.inertia(sparse.csc_array((0, 0))) == (0, 0) and linalg.inertia(device(np.array([[-3.0]]))) == (0, 1)
    with pytest.raises(RuntimeError, match='singular'):
        linalg.inertia(device(np.diag([1.0, 0.0, 2.0])))
    with pytest.raises(RuntimeError, match='not stable'):
        linalg.inertia(device(np.array([[1e-20, 1.0], [1.0, 1e-20]])))
    with pytest.raises(ValueError, match='square'):
        linalg.inertia(sparse.csc_array((2, 3)))


def test_incomplete_factors_are_preconditioners():
    host = poisson(12)
    a, b = device(host), cp.ones(144)
    sizes = []
    for tolerance in (0.3, 1e-2, 1e-4, 0.0):
        ilu = linalg.spilu(a, drop_tol=tolerance)
        m = linalg.LinearOperator(a.shape, ilu.solve)
        x, info = linalg.gmres(a, b, M=m, rtol=1e-10)
        assert info == 0 and cp.linalg.norm(a @ x - b) <= 1.001e-10 * 12
        sizes.append(ilu.nnz)
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] == linalg.splu(a, 'MMD_AT_PLUS_A').nnz
    assert linalg.spilu(a, drop_tol=0, fill_factor=2).nnz <= 2 * a.nnz
    exact = linalg.spilu(device(general(20)), drop_tol=0, fill_factor=100)
    np.testing.assert_allclose((device(general(20)) @ exact.solve(cp.ones(20))).get(), 1, atol=1e-12)
    for trans in 'NTH':
        assert ilu.solve(b, trans).shape == (144,)


def test_eigenvalues_near_a_number():
    host = poisson(5)
    a, w = device(host, 'csr_matrix'), np.linalg.eigvalsh(host.toarray())
    for sigma, mode in ((3.03, 'normal'), (0.0, 'normal'), (1.51, 'buckling'), (1.51, 'cayley')):
        got, vectors = linalg.eigsh(a, 4, sigma=sigma, mode=mode)
        key = {'normal': 1 / (w - sigma), 'buckling': w / (w - sigma), 'cayley': (w + sigma) / (w - sigma)}[mode]
        np.testing.assert_allclose(np.sort(got.get()), np.sort(w[np.argsort(-abs(key))[:4]]), atol=1e-9)
        assert cp.linalg.norm(a @ vectors - vectors * got) < 1e-8
    got = linalg.eigsh(cp.asarray(host.toarray()), 2, sigma=0.1, return_eigenvectors=False).get()
    np.testing.assert_allclose(got, w[:2])
    skew = general(30, seed=4)
    got = linalg.eigs(device(skew), 3, sigma=0.5 + 0.2j, return_eigenvectors=False).get()
    w = np.linalg.eigvals(skew)
    np.testing.assert_allclose(np.sort_complex(got), np.sort_complex(w[np.argsort(abs(w - 0.5 - 0.2j))[:3]]), atol=1e-8)
    # By iterations: a chain of masses, with eigenvalues of 4 sin(x / 2)^2.
    chain = sparse.diags_array([-np.ones(119), np.full(120, 2.0), -np.ones(119)], offsets=[-1, 0, 1], format='csc')
    got = linalg.eigsh(chain, 2, sigma=1.0, ncv=10, return_eigenvectors=False).get()
    w = 4 * np.sin(np.arange(1, 121) * np.pi / 242) ** 2
    np.testing.assert_allclose(got, np.sort(w[np.argsort(abs(w - 1))[:2]]), atol=1e-12)
    operator = linalg.LinearOperator(a.shape, lambda v: a @ v, dtype='d')
    with pytest.raises(NotImplementedError, match='OPinv'):
        linalg.eigsh(operator, 2, sigma=1.0)
    with pytest.raises(ValueError, match='mode'):
        linalg.eigsh(a, 2, sigma=1.0, mode='other')
    with pytest.raises(RuntimeError, match='singular'):
        linalg.eigsh(sparse.eye(5, format='csc'), 2, sigma=1.0)
