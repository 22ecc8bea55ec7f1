"""Eigenvalues and eigenvectors of small Hermitian matrices that stress the tridiagonal iteration."""

import numpy as np
import pytest

import cuprum as cp


def laplacian(n):
    return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


def kinds(n, generator):
    a = generator.normal(size=(n, n)) + 1j * generator.normal(size=(n, n))
    a += a.conj().T
    q = np.linalg.qr(a)[0]
    down = 10.0 ** (-20 * np.arange(n) / n)
    return {
        'random': a,
        'one eigenvalue that is not zero': np.ones((n, n)),
        'zero': np.zeros((n, n)),
        'diagonal': np.diag(generator.normal(size=n)),
        'falls along the diagonal': a * down * down[:, None],
        'rises along the diagonal': a * down[::-1] * down[::-1, None],
        'tiny': a * 1e-30,
        'huge': a * 1e30,
        'two eigenvalues': (q * np.where(np.arange(n) % 3, 1, -2)) @ q.conj().T,
        'neighbouring pairs': np.diag(np.abs(np.arange(n) - n // 2).astype(float)) + np.eye(n, k=1) + np.eye(n, k=-1),
        'no diagonal': a - np.diag(np.diagonal(a)),
        'separate blocks': np.kron(np.diag(np.resize([1, 1e-9, 3], (n + 1) // 2)), laplacian(2))[:n, :n],
        'few elements': np.where(np.abs(a) > 3, 1.0, 0.0),
    }


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'complex64', 'complex128'])
@pytest.mark.parametrize('n', [1, 2, 3, 13, 32, 33, 64])
def test_small_hermitian_matrices(n, dtype):
    eps = np.finfo(dtype).eps
    with np.errstate(all='ignore'):
        matrices = {name: (a if 'complex' in dtype else a.real).astype(dtype) for name, a in kinds(n, np.random.default_rng(n)).items()}
    # Every kind of matrix with few rows; with many, one kind for each path of the iteration.
    if n > 13:
        matrices = {name: matrices[name] for name in ('random', 'rises along the diagonal', 'two eigenvalues', 'neighbouring pairs', 'few elements')}
    stack = np.stack(list(matrices.values()))
    stack[:, range(n), range(n)] = stack[:, range(n), range(n)].real
    for triangle in 'LU':
        values, vectors = (x.get() for x in cp.linalg.eigh(cp.asarray(stack), triangle))
        alone = cp.linalg.eigvalsh(cp.asarray(stack), triangle).get()
        for k, (name, a) in enumerate(matrices.items()):
            w, v, a = values[k].astype('longdouble'), vectors[k].astype('clongdouble'), stack[k].astype('clongdouble')
            bound = 8 * n * eps * max(np.abs(a).sum(1).max(), np.finfo(dtype).tiny)
            assert (np.diff(w) >= 0).all(), name
            assert np.abs(a @ v - v * w).max() <= bound, name
            assert np.abs(v.conj().T @ v - np.eye(n)).max() <= 8 * n * eps, name
            assert np.abs(alone[k] - w).max() <= bound, name
            assert np.abs(np.linalg.eigvalsh(a.astype('complex128')) - w).max() <= bound, name


def test_a_stack_has_the_results_of_its_matrices():
    stack = np.random.default_rng(1).normal(size=(5, 20, 20)).astype('float32')
    stack += stack.transpose(0, 2, 1)
    together = cp.linalg.eigh(cp.asarray(stack))
    for k, a in enumerate(stack):
        alone = cp.linalg.eigh(cp.asarray(a))
        assert all((x[k] == y).all() for x, y in zip(together, alone))


@pytest.mark.parametrize('dtype', ['float32', 'complex128'])
def test_a_matrix_that_is_not_finite_has_nan_alone(dtype):
    stack = np.random.default_rng(2).normal(size=(4, 7, 7)).astype(dtype)
    stack[1, 3, 2], stack[2, 5, 5] = np.nan, np.inf
    # The upper triangle is not read.
    stack[3, 1, 4] = np.nan
    values, vectors = (x.get() for x in cp.linalg.eigh(cp.asarray(stack)))
    assert np.isnan(values[1:3]).all() and np.isnan(vectors[1:3].real).all()
    for k in (0, 3):
        lower = np.tril(stack[k], -1)
        a = lower + lower.conj().T + np.diag(np.diagonal(stack[k]).real)
        assert np.abs(a @ vectors[k] - vectors[k] * values[k]).max() < 1e3 * np.finfo(dtype).eps


def test_the_argument_is_not_written_to():
    a = np.random.default_rng(3).normal(size=(2, 6, 6))
    on_device = cp.asarray(a)
    cp.linalg.eigh(on_device)
    assert (on_device.get() == a).all()
    for view in (on_device.transpose(0, 2, 1), on_device[:, ::-1, ::-1]):
        w, v = (x.get() for x in cp.linalg.eigh(view, 'U'))
        upper = np.triu(view.get(), 1)
        full = upper + upper.transpose(0, 2, 1) + np.stack([np.diag(np.diagonal(m)) for m in view.get()])
        assert np.abs(full @ v - v * w[:, None]).max() < 1e-13
