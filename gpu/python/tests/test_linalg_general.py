"""Eigenvalues and eigenvectors of small general matrices that stress the QR iteration."""

import numpy as np
import pytest

import cuprum as cp


def kinds(n, generator):
    a = generator.normal(size=(n, n)) + 1j * generator.normal(size=(n, n))
    q = np.linalg.qr(a)[0]
    down = 10.0 ** (-12 * np.arange(n) / n)
    ones, index = np.eye(n), np.arange(n)
    return {
        'random': a,
        'hermitian': a + a.conj().T,
        'zero': np.zeros((n, n)),
        'one eigenvalue that is not zero': np.ones((n, n)),
        'jordan block': 2 * ones + np.eye(n, k=1),
        'transposed jordan block': 2 * ones + np.eye(n, k=-1),
        'hidden jordan block': q @ (ones + np.eye(n, k=1)) @ q.conj().T,
        'cycle': np.roll(ones, 1, 0),
        'permutation': ones[generator.permutation(n)],
        'upper triangle': np.triu(a),
        'lower triangle': np.tril(a),
        'falls along the diagonal': a * down * down[:, None],
        'rises along the diagonal': a * down[::-1] * down[::-1, None],
        'badly scaled': a * down / down[:, None],
        'tiny': a * 1e-30,
        'huge': a * 1e30,
        'unitary': q,
        'companion': np.vstack([a[:1], ones[:-1]]),
        'few elements': np.where(np.abs(a) > 2, a, 0),
        'pairs': np.kron(np.eye((n + 1) // 2), [[1, 2], [-3, 1]])[:n, :n] + np.triu(a, 2),
        # Scales that make rows and columns equal in the sum of magnitudes make its eigenvectors inaccurate.
        'frank': np.where(index[:, None] <= index + 1, n - np.maximum(index[:, None], index), 0).astype(float),
    }


def batch(n, dtype):
    with np.errstate(all='ignore'):
        return {name: (a if 'complex' in dtype else np.real(a)).astype(dtype) for name, a in kinds(n, np.random.default_rng(n)).items()}


def distance(these, those):
    """The largest distance of each number of `these` from one of `those`, each of which is taken once."""
    rest, largest = list(those), 0
    for x in these:
        nearest = min(range(len(rest)), key=lambda k: abs(rest[k] - x))
        largest = max(largest, abs(rest.pop(nearest) - x))
    return largest


def check(name, a, w, v):
    """A backward error of a few rounding errors, for vectors of length one."""
    n, eps = len(a), np.finfo(a.dtype).eps
    a, w, v = a.astype('clongdouble'), w.astype('clongdouble'), v.astype('clongdouble')
    size = max(np.sqrt((np.abs(a) ** 2).sum()), np.finfo(v.dtype).tiny)
    assert np.abs(a @ v - v * w).max() <= 8 * n * eps * size, name
    assert np.abs(np.sqrt((np.abs(v) ** 2).sum(0)) - 1).max() <= (n + 8) * eps, name
    assert abs(w.sum() - np.trace(a)) <= 8 * n * eps * size, name


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'complex64', 'complex128'])
@pytest.mark.parametrize('n', [1, 2, 3, 5, 17, 32, 33, 64, 65])
def test_general_matrices(n, dtype):
    matrices = batch(n, dtype)
    # Every kind of matrix with few rows; with many, one kind for each path of the iteration.
    if n > 17:
        matrices = {name: matrices[name] for name in ('random', 'unitary', 'hidden jordan block', 'badly scaled', 'frank')[: 2 if n == 65 else None]}
    stack = np.stack(list(matrices.values()))
    values, vectors = (x.get() for x in cp.linalg.eig(cp.asarray(stack)))
    alone = cp.linalg.eigvals(cp.asarray(stack)).get()
    for k, (name, a) in enumerate(matrices.items()):
        check(name, a, values[k], vectors[k])
        if n < 65:
            assert (alone[k] == values[k]).all(), name
            # As LAPACK's, the largest component of a complex vector is real. Several may be equal but for rounding.
            size, eps = np.abs(vectors[k]), np.finfo(dtype).eps
            largest = size >= size.max(0) * (1 - 2 * n * eps)
            assert np.where(largest, np.abs(vectors[k].imag), 1).min(0).max() <= eps, name
        if 'complex' not in dtype:
            pairs = np.sort_complex(values[k][values[k].imag != 0])
            assert distance(pairs, pairs.conj()) == 0, name
    for name in ('random', 'unitary', 'hermitian', 'cycle'):
        if name in matrices:
            a, k = matrices[name], list(matrices).index(name)
            bound = 100 * n * np.finfo(dtype).eps * np.linalg.norm(a)
            assert distance(values[k], np.linalg.eigvals(a.astype('complex128'))) <= bound, name


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
def test_triangular_matrices_have_exact_eigenvalues(dtype):
    a = np.tril(np.random.default_rng(1).normal(size=(3, 20, 20))).astype(dtype)
    for given in (a, a.transpose(0, 2, 1)):
        w = cp.linalg.eigvals(cp.asarray(given)).get()
        assert w.dtype == dtype
        for k in range(3):
            assert sorted(w[k].real) == sorted(np.diagonal(a[k]).real)


@pytest.mark.parametrize('shape', [(70, 4, 4), (3, 5, 5), (2, 33, 33), (2, 3, 8, 8)])
@pytest.mark.parametrize('dtype', ['float32', 'complex64'])
def test_a_batch_has_the_results_of_its_matrices(shape, dtype):
    stack = np.random.default_rng(1).normal(size=shape).astype(dtype)
    n = shape[-1]
    w, v = (x.get() for x in cp.linalg.eig(cp.asarray(stack)))
    for a, values, vectors in list(zip(stack.reshape(-1, n, n), w.reshape(-1, n), v.reshape(-1, n, n), strict=True))[::7]:
        alone, own = cp.linalg.eig(cp.asarray(a))
        assert (alone.get() == values).all() and (own.get() == vectors).all()


def test_layouts_and_dtypes():
    a = np.random.default_rng(3).normal(size=(2, 6, 6))
    on_device = cp.asarray(a)
    for view in (on_device, on_device.transpose(0, 2, 1), on_device[:, ::-1, ::-1], on_device[:, ::2, 1::2], cp.asarray(np.round(9 * a).astype('i4'))):
        w, v = (x.get() for x in cp.linalg.eig(view))
        given = view.get().astype(float)
        assert np.abs(given @ v - v * w[:, None]).max() < 1e-13 * np.abs(given).max()
    assert (on_device.get() == a).all()
    for shape in ((0, 3, 3), (2, 0, 0), (0, 0)):
        w, v = cp.linalg.eig(cp.zeros(shape))
        assert (w.shape, v.shape) == (shape[:-1], shape)


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
@pytest.mark.parametrize('odd', [np.nan, np.inf])
def test_matrices_that_are_not_finite_are_rejected(dtype, odd):
    stack = np.random.default_rng(2).normal(size=(40, 7, 7)).astype(dtype)
    stack[31, 3, 2] = odd
    with pytest.raises(np.linalg.LinAlgError, match='matrix 31 of the stack'):
        cp.linalg.eigvals(cp.asarray(stack)).get()


def test_roots_are_as_accurate_as_those_of_numpy():
    for roots in (np.arange(1, 11), 10.0 ** np.arange(-6, 7), np.exp(2j * np.pi * np.arange(24) / 24)):
        p = np.poly(roots).real if np.iscomplexobj(roots) else np.poly(roots)
        bound = 20 * max(distance(np.roots(p), roots), 1e-14)
        assert distance(cp.roots(cp.asarray(p)).get(), roots) <= bound
