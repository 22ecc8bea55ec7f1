"""Linear operators, iterative solvers, eigenvalues and matrix functions of `cupyx.scipy.sparse.linalg`, compared with SciPy."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest
from cuprum.cupyx.scipy.sparse import linalg

scipy_sparse = pytest.importorskip('scipy.sparse')
scipy_linalg = pytest.importorskip('scipy.sparse.linalg')

N = 30


def poisson(n=N, dtype='d'):
    host = scipy_sparse.diags_array([-np.ones(n - 1), 2.5 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1], format='csr').astype(dtype)
    return host, sparse.csr_matrix(scipy_sparse.csr_matrix(host))


def general(n=N, dtype='d'):
    host, _ = poisson(n, dtype)
    host = (host + scipy_sparse.diags_array([np.full(n - 2, 0.5)], offsets=[2], shape=(n, n))).tocsr().astype(dtype)
    if np.dtype(dtype).kind == 'c':
        host.data = host.data * np.exp(0.1j)
    return host, sparse.csr_matrix(scipy_sparse.csr_matrix(host))


def right_side(n=N, dtype='d'):
    b = np.sin(np.arange(n) + 1.0)
    return (b + 1j * np.cos(b) if np.dtype(dtype).kind == 'c' else b).astype(dtype)


SQUARE = ['bicg', 'bicgstab', 'cg', 'cgs', 'gmres', 'minres', 'qmr', 'tfqmr']


@pytest.mark.parametrize('name', SQUARE)
@pytest.mark.parametrize('dtype', ['f', 'd', 'D'])
def test_solutions_have_small_true_residuals(name, dtype):
    symmetric = name in ('cg', 'minres')
    host, a = (poisson if symmetric else general)(dtype=dtype)
    b = right_side(dtype=dtype)
    rtol = 1e-4 if dtype == 'f' else 1e-10
    x, info = getattr(linalg, name)(a, cp.asarray(b), rtol=rtol)
    assert info == 0 and x.shape == (N,) and x.dtype == np.dtype(dtype)
    assert np.linalg.norm(b - host @ x.get()) <= rtol * np.linalg.norm(b) * (1 + 1e-3)


@pytest.mark.parametrize('name', SQUARE)
def test_operators_guesses_preconditioners_and_limits(name):
    host, a = poisson()
    solve = getattr(linalg, name)
    b = cp.asarray(right_side())
    op = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, rmatvec=lambda v: a.T @ v, dtype='d')
    m = linalg.LinearOperator(a.shape, matvec=lambda v: v / 2.5, rmatvec=lambda v: v / 2.5, dtype='d')
    calls = []
    x, info = solve(op, b.reshape(-1, 1), x0=cp.ones(N), callback=calls.append, **({'M1': m} if name == 'qmr' else {'M': m}))
    assert info == 0 and calls and cp.linalg.norm(b - a @ x) <= 1.001e-5 * cp.linalg.norm(b)
    x, info = solve(a, cp.zeros(N), x0=cp.ones(N))
    assert info == 0 and not x.any()
    x, info = solve(a, b, maxiter=1, rtol=1e-14, **({'restart': 2} if name == 'gmres' else {}))
    assert info > 0
    x, info = solve(a, cp.full(N, cp.nan))
    assert info != 0
    for bad in ((a, b[1:]), (sparse.csr_matrix((3, 4)), b[:3]), (a, b, b[1:])):
        with pytest.raises(ValueError):
            solve(*bad)
    with pytest.raises(ValueError):
        solve(a, b, **({'M1': sparse.eye(3)} if name == 'qmr' else {'M': sparse.eye(3)}))
    with pytest.raises(TypeError):
        solve('matrix', b)


def test_info_is_not_zero_where_the_true_residual_is_large():
    # In float32 the recurrence of conjugate gradients goes on to shrink where the true residual does not.
    host, a = poisson(dtype='f')
    shifted = a - sparse.identity(N, dtype='f', format='csr') * np.float32(0.509)
    b = cp.asarray(right_side(dtype='f'))
    x, info = linalg.cg(shifted, b, rtol=1e-9, maxiter=300)
    residual = cp.linalg.norm(b.astype('d') - shifted.astype('d') @ x.astype('d'))
    assert info != 0 or residual <= 2e-9 * cp.linalg.norm(b)


@pytest.mark.parametrize('name', SQUARE)
def test_solvers_on_the_device_accept_arrays_as_operators(name):
    host, a = poisson()
    b, solve = right_side(), getattr(linalg, name)
    inverse = sparse.diags(1 / (2.5 + cp.arange(N) % 3), format='coo')
    for operator in (a.tocoo(), a.todia(), a.toarray(), cp.asfortranarray(a.toarray())):
        for m in (None, inverse, inverse.toarray()):
            x, info = solve(operator, cp.asarray(b), rtol=1e-9, **({} if m is None else {'M2' if name == 'qmr' else 'M': m}))
            assert info == 0 and np.linalg.norm(b - host @ x.get()) <= 1.001e-9 * np.linalg.norm(b)
    first = solve(a, cp.asarray(b), rtol=1e-9)[0].get().tobytes()
    assert all(solve(a, cp.asarray(b), rtol=1e-9)[0].get().tobytes() == first for _ in range(3))
    # A matrix of integers, and a shift.
    x, info = solve((a * 2).astype('i'), cp.asarray(b.astype('f')), rtol=1e-5)
    assert info == 0 and x.dtype == np.result_type('i', 'f')
    if name == 'minres':
        x, info = solve(a, cp.asarray(b), shift=1.1, rtol=1e-9)
        assert info == 0 and np.linalg.norm(b - host @ x.get() + 1.1 * x.get()) <= 1.001e-9 * np.linalg.norm(b)
        with pytest.raises(ValueError, match='preconditioner'):
            solve(a, cp.asarray(b), M=-a)


@pytest.mark.parametrize('name', ['bicg', 'bicgstab', 'cg', 'cgs', 'minres'])
def test_info_is_that_of_scipy(name):
    host, a = poisson()
    theirs, solve = getattr(scipy_linalg, name), getattr(linalg, name)
    b = right_side()
    for options in ({'maxiter': 2, 'rtol': 1e-12}, {'rtol': 1e-8}):
        assert solve(a, cp.asarray(b), **options)[1] == theirs(host, b, **options)[1]
    if name not in ('cg', 'minres'):
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
        assert solve(cp.asarray(turn), cp.array([1.0, 0.0]))[1] == theirs(turn, np.array([1.0, 0.0]))[1] < 0


def test_gmres_restarts_and_callbacks():
    host, a = general()
    b = cp.asarray(right_side())
    norms, solutions = [], []
    x, info = linalg.gmres(a, b, restart=5, rtol=1e-9, callback=norms.append, callback_type='pr_norm')
    assert info == 0 and all(isinstance(v, float) for v in norms) and norms[-1] <= 1e-9
    x, info = linalg.gmres(a, b, restart=5, rtol=1e-9, callback=solutions.append, callback_type='x')
    assert info == 0 and solutions[0].shape == (N,)
    with pytest.raises(ValueError, match='callback_type'):
        linalg.gmres(a, b, callback=norms.append, callback_type='y')


def test_gmres_on_the_device_and_step_by_step_agree():
    for dtype in 'fD':
        host, a = general(dtype=dtype)
        b = cp.asarray(right_side(dtype=dtype))
        op = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, dtype=dtype)
        for options in (
            {'restart': 3, 'rtol': 1e-4},
            {'restart': 50, 'rtol': 1e-5},
            {'restart': 4, 'maxiter': 1},
            {'x0': cp.ones(N, dtype), 'M': sparse.eye(N, dtype=dtype) * 0.4},
        ):
            (x, info), (y, same) = linalg.gmres(a, b, **options), linalg.gmres(op, b, **options)
            assert (info == 0) == (same == 0), (dtype, options)
            if info == 0:
                assert cp.linalg.norm(b - a @ x) <= options.get('rtol', 1e-5) * 1.001 * cp.linalg.norm(b)
            else:
                np.testing.assert_allclose(x.get(), y.get(), rtol=1e-3, atol=1e-5)
    # The residual is zero after as many steps as there are different eigenvalues.
    x, info = linalg.gmres(cp.diag(cp.array([2.0, 2.0, 3.0, 3.0])), cp.array([2.0, 4.0, 3.0, 9.0]), rtol=1e-14)
    np.testing.assert_allclose(x.get(), [1, 2, 1, 3], rtol=1e-14)
    assert info == 0


@pytest.mark.parametrize('name', SQUARE)
def test_each_kind_of_preconditioner_saves_iterations(name):
    n = 40
    scale = 1.0 + 50.0 * (np.arange(n) % 7)
    host = (poisson(n)[0] + scipy_sparse.diags_array([scale], offsets=[0])).tocsr()
    a, b = sparse.csr_matrix(host), np.cos(np.arange(n))
    inverse = scipy_sparse.diags_array([1 / host.diagonal()], offsets=[0], format='csr')
    given = {'M1' if name == 'qmr' else 'M': None}
    (keyword,) = given
    counts = {}
    kinds = {'none': None, 'sparse': sparse.csr_matrix(inverse), 'dense': cp.asarray(inverse.toarray())}
    kinds['operator'] = linalg.LinearOperator((n, n), matvec=lambda v: kinds['dense'] @ v, rmatvec=lambda v: kinds['dense'] @ v, dtype='d')
    for kind, m in kinds.items():
        steps = []
        options = {'callback_type': 'pr_norm'} if name == 'gmres' else {}
        x, info = getattr(linalg, name)(a, cp.asarray(b), rtol=1e-8, callback=lambda v, steps=steps: steps.append(1), **{keyword: m}, **options)
        assert info == 0 and np.linalg.norm(b - host @ x.get()) <= 1.001e-8 * np.linalg.norm(b), kind
        counts[kind] = len(steps)
    assert counts['sparse'] == counts['dense'] == counts['operator'] < counts['none'], counts
    theirs = []
    options = {'callback_type': 'pr_norm'} if name == 'gmres' else {}
    inverse = scipy_linalg.aslinearoperator(inverse)
    if name == 'qmr':
        # SciPy's needs both of them.
        options['M2'] = scipy_linalg.aslinearoperator(scipy_sparse.eye_array(n))
    getattr(scipy_linalg, name)(host, b, rtol=1e-8, callback=lambda v: theirs.append(1), **{keyword: inverse}, **options)
    # SciPy counts each product of an iteration of tfqmr.
    assert abs((2 if name == 'tfqmr' else 1) * counts['sparse'] - len(theirs)) <= 2, (counts, len(theirs))


@pytest.mark.parametrize('dtype', ['f', 'D'])
def test_least_squares_on_the_device_and_step_by_step_agree(dtype):
    single = dtype in 'fF'
    host = (scipy_sparse.random(30, 20, density=0.4, format='csr', random_state=4) + 3 * scipy_sparse.eye(30, 20)).tocsr().astype(dtype)
    if dtype in 'FD':
        host.data = host.data * np.exp(1j * np.arange(host.nnz))
    a = sparse.csr_matrix(host)
    op = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, rmatvec=lambda v: a.conj().T @ v, dtype=dtype)
    b, x0 = cp.asarray(right_side(30, dtype)), cp.ones(20, dtype)
    for damp in (0.0, 0.5):
        # Few iterations, whose numbers are determined to some digits.
        limits = {'damp': damp, 'atol': 0, 'btol': 0, 'conlim': 0, 'x0': x0}
        for name, options in (('lsqr', {'iter_lim': 6, 'calc_var': True}), ('lsmr', {'maxiter': 6})):
            got, want = (getattr(linalg, name)(m, b, **limits, **options) for m in (a, op))
            assert got[1:3] == want[1:3] == (7, 6)
            # The norm of the product with the residual is small, and has few digits in single precision.
            small = 7 if name == 'lsqr' else 4
            for x, y in ((x, y) for k, (x, y) in enumerate(zip(got, want)) if not (single and k == small)):
                np.testing.assert_allclose(cp.asnumpy(x), cp.asnumpy(y), rtol=1e-3 if single else 1e-9, atol=1e-4 if single else 1e-10)
    assert linalg.lsqr(a, cp.zeros(30, dtype))[1:3] == (0, 0)
    assert linalg.lsmr(a, b, maxiter=0)[2] == 0
    for name in ('lsqr', 'lsmr'):
        with pytest.raises(ValueError):
            getattr(linalg, name)(a, b[1:])


@pytest.mark.parametrize('shape', [(40, 25), (25, 40)])
@pytest.mark.parametrize('damp', [0.0, 0.3])
def test_least_squares(shape, damp):
    host = scipy_sparse.random(*shape, density=0.3, format='csr', random_state=3)
    a, b = sparse.csr_matrix(host), np.cos(np.arange(shape[0]))
    want = scipy_linalg.lsqr(host, b, damp=damp, atol=1e-12, btol=1e-12)
    got = linalg.lsqr(a, cp.asarray(b), damp=damp, atol=1e-12, btol=1e-12)
    assert len(got) == 10 and got[1] == want[1]
    np.testing.assert_allclose(got[0].get(), want[0], atol=1e-8)
    np.testing.assert_allclose(got[3:5], want[3:5], rtol=1e-6, atol=1e-9)
    assert got[8] == pytest.approx(want[8], rel=1e-6)
    want = scipy_linalg.lsmr(host, b, damp=damp, atol=1e-12, btol=1e-12, maxiter=400)
    got = linalg.lsmr(a, cp.asarray(b), damp=damp, atol=1e-12, btol=1e-12, maxiter=400)
    assert len(got) == 8 and got[1] in (1, 2, 4, 5)
    np.testing.assert_allclose(got[0].get(), want[0], atol=1e-7)
    np.testing.assert_allclose([got[3], got[7]], [want[3], want[7]], rtol=1e-6, atol=1e-9)


def symmetric(n):
    host = scipy_sparse.random(n, n, density=0.05, format='csr', random_state=5)
    host = (host + host.T + scipy_sparse.diags_array([np.arange(n) / 10.0], offsets=[0])).tocsr()
    return scipy_sparse.csr_matrix(host), sparse.csr_matrix(host)


@pytest.mark.parametrize('n,which', [(20, 'LM'), (20, 'SM'), (96, 'LM'), (160, 'LA'), (96, 'SA'), (96, 'BE')])
def test_eigsh(n, which):
    host, a = symmetric(n)
    w, v = linalg.eigsh(a, k=4, which=which)
    every = np.linalg.eigvalsh(host.toarray())
    order = {'LM': np.argsort(-abs(every)), 'SM': np.argsort(abs(every)), 'LA': np.argsort(-every), 'SA': np.argsort(every), 'BE': [0, 1, n - 2, n - 1]}[which][
        :4
    ]
    np.testing.assert_allclose(w.get(), np.sort(every[order]), atol=1e-9)
    assert abs(a @ v - v * w).max() < 1e-8 and abs(v.T @ v - cp.eye(4)).max() < 1e-10
    np.testing.assert_allclose(linalg.eigsh(a, k=4, which=which, return_eigenvectors=False).get(), w.get(), atol=1e-9)


@pytest.mark.parametrize('dtype', ['f', 'D'])
def test_eigenpairs_of_matrices_and_of_operators(dtype):
    single = dtype in 'fF'
    host = symmetric(120)[0].astype(dtype)
    if dtype in 'FD':
        turn = scipy_sparse.diags_array([np.exp(1j * np.arange(120)).astype(dtype)], offsets=[0])
        host = scipy_sparse.csr_matrix(turn @ host @ turn.conj().T)
    a = sparse.csr_matrix(host)
    op = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, rmatvec=lambda v: a.conj().T @ v, dtype=dtype)
    every = np.linalg.eigvalsh(host.toarray().astype('D'))
    size, bound = abs(every).max(), 2e-5 if single else 1e-11
    for of in (a, a.toarray(), op) if single else (a,):
        w, v = linalg.eigsh(of, k=2, which='LA', tol=1e-6 if single else 1e-10)
        assert v.dtype == np.dtype(dtype) and w.dtype == v.real.dtype
        np.testing.assert_allclose(w.get(), every[-2:], atol=bound * size)
        assert abs(a @ v - v * w).max() < (1e-3 if single else 1e-8) * size
        assert abs(v.conj().T @ v - cp.eye(2)).max() < (1e-5 if single else 1e-13)
    wide = linalg.aslinearoperator(a[:110]) if single else a[:, :110]
    u, s, vh = linalg.svds(wide, k=2, tol=1e-6 if single else 1e-10)
    v = vh.conj().T
    assert abs((wide.matmat(v) if single else wide @ v) - u * s).max() < (1e-3 if single else 1e-8) * size


def test_eigsh_finds_all_members_of_a_cluster():
    values = np.concatenate([np.linspace(0, 1, 145), np.full(5, 3.0)])
    a = sparse.diags(cp.asarray(values), format='csr')
    w, v = linalg.eigsh(a, k=5, which='LA')
    np.testing.assert_allclose(w.get(), np.full(5, 3.0), atol=1e-10)
    assert abs(v.T @ v - cp.eye(5)).max() < 1e-10


@pytest.mark.parametrize('which', ['LA', 'SA'])
def test_eigsh_misses_no_eigenvalue(which):
    # The number of eigenvalues beyond the last one found, by the inertia of a factorisation.
    scipy_dense = pytest.importorskip('scipy.linalg')
    host, a = symmetric(160)
    w = linalg.eigsh(a, k=5, which=which, return_eigenvectors=False).get()
    edge = w[0] - 1e-9 if which == 'LA' else w[-1] + 1e-9
    _, d, _ = scipy_dense.ldl(host.toarray() - edge * np.eye(160))
    signs = np.linalg.eigvalsh(d)
    assert np.count_nonzero(signs > 0 if which == 'LA' else signs < 0) == 5


def grid(n):
    line = scipy_sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return (scipy_sparse.kron(scipy_sparse.eye_array(n), line) + scipy_sparse.kron(line, scipy_sparse.eye_array(n))).tocsr()


@pytest.mark.parametrize('which,shift,dtype', [('LA', 0, 'f'), ('SA', 0, 'D'), ('LM', -4, 'd'), ('BE', -4, 'd')])
def test_eigsh_of_double_eigenvalues(which, shift, dtype):
    # Most eigenvalues are double, and in the shifted matrix of both signs.
    host = (grid(16) + shift * scipy_sparse.eye_array(256)).astype(dtype)
    if dtype == 'D':
        turn = scipy_sparse.diags_array([np.exp(1j * np.arange(256))], offsets=[0])
        host = (turn @ host @ turn.conj().T).tocsr()
    every = np.linalg.eigvalsh(host.toarray().astype('D'))
    wanted = {'LA': every[-5:], 'SA': every[:5], 'LM': np.sort(every[np.argsort(-abs(every))[:6]]), 'BE': every[[0, 1, -3, -2, -1]]}[which]
    a, eps = sparse.csr_matrix(scipy_sparse.csr_matrix(host)), np.finfo(dtype).eps
    w, v = linalg.eigsh(a, k=len(wanted), which=which)
    np.testing.assert_allclose(w.get(), wanted, atol=100 * eps)
    assert cp.linalg.norm(a @ v - v * w, axis=0).max() < 32 * eps * abs(every).max()
    assert abs(v.conj().T @ v - cp.eye(len(wanted))).max() < 100 * eps


def test_filters_leave_a_cluster_larger_than_their_subspace_to_restarts():
    values = np.concatenate([np.linspace(0, 2.9, 100) ** 0.25, np.full(20, 1.31)])
    a = sparse.diags(cp.asarray(values), format='csr')
    for v0 in (cp.asarray(np.random.default_rng(seed).standard_normal(120)) for seed in (4, 22)):
        w = linalg.eigsh(a, k=5, which='LA', v0=v0, return_eigenvectors=False)
        np.testing.assert_allclose(w.get(), np.full(5, 1.31), atol=1e-9)


@pytest.mark.parametrize('kind', ['sparse', 'dense'])
@pytest.mark.parametrize('mode', [None, 'normal', 'buckling', 'cayley'])
def test_eigsh_generalised(kind, mode):
    scipy_dense = pytest.importorskip('scipy.linalg')
    n = 36 if kind == 'sparse' else 104
    host = symmetric(n)[0] + 3 * scipy_sparse.eye_array(n)
    metric = scipy_sparse.diags_array([np.full(n - 1, 0.2), 1 + np.arange(n) / n, np.full(n - 1, 0.2)], offsets=[-1, 0, 1])
    every = scipy_dense.eigh(host.toarray(), metric.toarray(), eigvals_only=True)
    if mode is None:
        wanted, options = every[-4:], {'which': 'LA'}
    else:
        sigma = (every[n // 2] + every[n // 2 + 1]) / 2 + 1e-3
        wanted, options = np.sort(every[np.argsort(abs(every - sigma))[:4]]), {'sigma': sigma, 'mode': mode}
    if kind == 'sparse':
        a, m = sparse.csr_matrix(scipy_sparse.csr_matrix(host)), sparse.csr_matrix(scipy_sparse.csr_matrix(metric))
    else:
        a, m = cp.asarray(host.toarray()), cp.asarray(metric.toarray())
    w, v = linalg.eigsh(a, k=4, M=m, **options)
    np.testing.assert_allclose(w.get(), wanted, rtol=1e-10)
    assert abs(a @ v - (m @ v) * w).max() < 1e-9
    if mode != 'buckling':
        assert abs(v.T @ (m @ v) - cp.eye(4)).max() < 1e-9


@pytest.mark.parametrize('options', [{}, {'sigma': 2.0}])
def test_eigs_generalised(options):
    scipy_dense = pytest.importorskip('scipy.linalg')
    rng = np.random.default_rng(4)
    a, m = rng.standard_normal((40, 40)), rng.standard_normal((40, 40)) + 9 * np.eye(40)
    every = scipy_dense.eigvals(a, m)
    k = 2 if options else 3
    nearest = np.argsort(abs(every - options['sigma']) if options else -abs(every))[:k]
    w, v = linalg.eigs(cp.asarray(a), k=k, M=cp.asarray(m), **options)
    # Each has its own: the order of a conjugate pair depends on rounding.
    distances = abs(w.get()[:, None] - every[nearest])
    assert sorted(distances.argmin(axis=1)) == list(range(k)) and distances.min(axis=1).max() < 1e-9
    assert abs(cp.asarray(a) @ v - (cp.asarray(m) @ v) * w).max() < 1e-10


def test_a_metric_must_be_a_positive_definite_matrix():
    a = symmetric(120)[1]
    with pytest.raises(np.linalg.LinAlgError, match='positive definite'):
        linalg.eigsh(a, k=2, M=-sparse.eye(120, format='csr'))
    with pytest.raises(NotImplementedError, match='M must be a matrix'):
        linalg.eigsh(a, k=2, M=linalg.aslinearoperator(a))
    with pytest.raises(ValueError, match='M has shape'):
        linalg.eigsh(a, k=2, M=sparse.eye(119, format='csr'))


def test_eigsh_near_a_shift():
    host, a = symmetric(160)
    inverse = np.linalg.inv(host.toarray() - 3.3 * np.eye(160))
    w = linalg.eigsh(a, k=3, sigma=3.3, OPinv=linalg.aslinearoperator(cp.asarray(inverse)), return_eigenvectors=False)
    every = np.linalg.eigvalsh(host.toarray())
    np.testing.assert_allclose(w.get(), np.sort(every[np.argsort(abs(every - 3.3))[:3]]), atol=1e-9)


def test_eigenvalue_arguments():
    host, a = symmetric(20)
    for bad, error in (
        ({'k': 0}, ValueError),
        ({'k': 20}, TypeError),
        ({'which': 'XX'}, ValueError),
        ({'ncv': 2}, ValueError),
        ({'sigma': 1.0, 'mode': 'other'}, ValueError),
        ({'mode': 'cayley'}, ValueError),
    ):
        with pytest.raises(error):
            linalg.eigsh(a, **bad)
    with pytest.raises(ValueError):
        linalg.eigsh(sparse.csr_matrix((3, 4)))
    host, a = symmetric(160)
    with pytest.raises(linalg.ArpackNoConvergence):
        linalg.eigsh(a, k=4, ncv=7, maxiter=1)


@pytest.mark.parametrize('n', [20, 130])
def test_eigs(n):
    host, _ = symmetric(n)
    host = scipy_sparse.csr_matrix(host + scipy_sparse.diags_array([np.ones(n - 1), -np.ones(n - 1)], offsets=[1, -1]))
    a = sparse.csr_matrix(host)
    w, v = linalg.eigs(a, k=3, which='LM')
    every = np.linalg.eigvals(host.toarray())
    np.testing.assert_allclose(np.sort(abs(w.get())), np.sort(abs(every))[-3:], atol=1e-8)
    assert w.dtype == 'D' and abs(a @ v - v * w).max() < 1e-7


@pytest.mark.parametrize('shape,k', [((40, 25), 4), ((25, 40), 25), ((140, 120), 3)])
def test_svds(shape, k):
    host = scipy_sparse.random(*shape, density=0.2, format='csr', random_state=4)
    a = sparse.csr_matrix(host)
    u, s, vh = linalg.svds(a, k=k)
    want = np.linalg.svd(host.toarray(), compute_uv=False)
    np.testing.assert_allclose(s.get(), want[:k][::-1], atol=1e-10)
    assert u.shape == (shape[0], k) and vh.shape == (k, shape[1])
    assert abs(a @ vh.T - u * s).max() < 1e-9
    np.testing.assert_allclose(linalg.svds(a, k=k, return_singular_vectors=False).get(), s.get(), atol=1e-10)
    with pytest.raises(ValueError):
        linalg.svds(a, k=0)
    with pytest.raises(ValueError):
        linalg.svds(a, k=min(shape) + 1)


@pytest.mark.parametrize('largest', [True, False])
def test_lobpcg(largest):
    host, a = symmetric(60)
    x = np.random.default_rng(0).standard_normal((60, 3))
    w, v = linalg.lobpcg(a, cp.asarray(x), largest=largest, tol=1e-8, maxiter=200)
    every = np.linalg.eigvalsh(host.toarray())
    np.testing.assert_allclose(w.get(), every[::-1][:3] if largest else every[:3], atol=1e-8)
    assert abs(a @ v - v * w).max() < 1e-7
    b = sparse.diags(cp.asarray(1 + np.arange(60) / 30.0), format='csr')
    w, v = linalg.lobpcg(a, cp.asarray(x), B=b, largest=largest, tol=1e-8, maxiter=300)
    assert abs(a @ v - (b @ v) * w).max() < 1e-7


def test_norms():
    host = scipy_sparse.random(20, 30, density=0.2, format='csr', random_state=6) - 0.3 * scipy_sparse.eye(20, 30)
    a = sparse.csr_matrix(host)
    for order in (None, 'fro', 1, -1, np.inf, -np.inf, 2):
        assert float(linalg.norm(a, order)) == pytest.approx(scipy_linalg.norm(host, order))
    for axis in (0, 1, -1):
        for order in (None, 0, 1, 2, 3, np.inf):
            want = np.asarray(scipy_linalg.norm(host, order, axis)).ravel()  # SciPy before 1.16 returns a matrix of one row.
            np.testing.assert_allclose(linalg.norm(a, order, axis).get(), want, rtol=1e-12)
    with pytest.raises(TypeError):
        linalg.norm(cp.ones((2, 2)))
    with pytest.raises(ValueError):
        linalg.norm(a, 5)
    with pytest.raises(ValueError):
        linalg.norm(a, 'nuc')
    with pytest.raises(NotImplementedError):
        linalg.norm(a, -2)
    square = a[:, :20]
    want = abs(host[:, :20]).sum(axis=0).max()
    assert float(linalg.onenormest(square)) == pytest.approx(want)
    op = linalg.aslinearoperator(square)
    estimate, v, w = linalg.onenormest(op, compute_v=True, compute_w=True)
    assert float(estimate) <= want * (1 + 1e-12) and float(estimate) >= want / 2
    np.testing.assert_allclose((square @ v).get(), w.get())


def test_functions_of_matrices():
    host, a = general(12)
    want = scipy_linalg.expm(host.tocsc()).toarray()
    e = linalg.expm(a)
    assert sparse.issparse(e)
    np.testing.assert_allclose(e.toarray().get(), want, rtol=1e-12, atol=1e-12)
    b = np.random.default_rng(0).standard_normal((12, 2))
    np.testing.assert_allclose(linalg.expm_multiply(a, cp.asarray(b)).get(), want @ b, rtol=1e-11)
    np.testing.assert_allclose(linalg.expm_multiply(-5 * a, cp.asarray(b[:, 0])).get(), scipy_linalg.expm_multiply(-5 * host, b[:, 0]), rtol=1e-9)
    np.testing.assert_allclose(
        linalg.expm_multiply(a, cp.asarray(b), start=0.5, stop=2, num=4, endpoint=True).get(),
        scipy_linalg.expm_multiply(host, b, start=0.5, stop=2, num=4, endpoint=True),
        rtol=1e-10,
    )
    for p in (0, 1, 5):
        np.testing.assert_allclose(linalg.matrix_power(a, p).toarray().get(), np.linalg.matrix_power(host.toarray(), p), rtol=1e-12)
    with pytest.raises(TypeError):
        linalg.matrix_power(a[:, :5], 2)
    for bad in (-1, 1.5):
        with pytest.raises(ValueError):
            linalg.matrix_power(a, bad)


def test_operators():
    host, a = general(5, 'D')
    op, dense = linalg.aslinearoperator(a), host.toarray()
    x, m = cp.arange(5) + 1j, cp.arange(10.0).reshape(5, 2)
    for got, want in (
        (op @ x, dense @ x.get()),
        (op * m, dense @ m.get()),
        (op.H @ x, dense.conj().T @ x.get()),
        (op.T @ m, dense.T @ m.get()),
        ((2 * op) @ x, 2 * dense @ x.get()),
        ((op + op.T) @ x, (dense + dense.T) @ x.get()),
        ((op * op) @ x, dense @ dense @ x.get()),
        ((op**3) @ x, dense @ dense @ dense @ x.get()),
        ((-op) @ x, -dense @ x.get()),
        ((op - op.H) @ m, (dense - dense.conj().T) @ m.get()),
        (x @ op, x.get() @ dense),
        (op.matvec(x.reshape(5, 1)), dense @ x.get().reshape(5, 1)),
        ((op / 2)(x), dense @ x.get() / 2),
    ):
        np.testing.assert_allclose(got.get(), want, rtol=1e-14)
    with pytest.raises(ValueError, match='dimension mismatch'):
        op @ cp.ones(4)
    with pytest.raises(ValueError):
        op @ 2
    with pytest.raises(TypeError):
        linalg.aslinearoperator('A')
    with pytest.raises(ValueError):
        linalg.LinearOperator((3,), lambda v: v)
    with pytest.raises(NotImplementedError):
        linalg.LinearOperator((3, 3), lambda v: v).rmatvec(cp.ones(3))

    class Diagonal(linalg.LinearOperator):
        def __init__(self, d):
            super().__init__(d.dtype, (len(d), len(d)))
            self.d = d

        def _matvec(self, x):
            return self.d * x.ravel()

        def _rmatvec(self, x):
            return self.d.conj() * x.ravel()

    d = Diagonal(cp.arange(1, 4) * 1j)
    np.testing.assert_allclose((d.H @ cp.ones(3)).get(), [-1j, -2j, -3j])
    np.testing.assert_allclose((d @ cp.ones((3, 2))).get(), np.array([[1j, 1j], [2j, 2j], [3j, 3j]]))
