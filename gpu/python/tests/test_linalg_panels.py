"""Singular values and QR of batches of matrices that exceed the shared memory of a block: a panel of columns at a time."""

import numpy as np
import pytest

import cuprum as cp

DTYPES = ['float32', 'float64', 'complex64', 'complex128']


def numbers(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    a = generator.normal(size=shape)
    return (a + 1j * generator.normal(size=shape) if 'complex' in dtype else a).astype(dtype)


def adjoint(x):
    return np.swapaxes(x, -1, -2).conj()


def orthonormal_by(x):
    return np.abs(adjoint(x) @ x - np.eye(x.shape[-1])).max()


def unit(a):
    # Rounding errors are below the number of rows in epsilons of the norm; constants of the proofs are generous.
    return 4 * max(a.shape[-2:]) * np.finfo(a.dtype).eps


def check_svd(a, full=False):
    u, s, vh = (x.get() for x in cp.linalg.svd(cp.asarray(a), full_matrices=full))
    m, n = a.shape[-2:]
    short, bound = min(m, n), unit(a)
    assert u.shape == (len(a), m, m if full else short) and vh.shape == (len(a), n if full else short, n)
    assert u.dtype == vh.dtype == a.dtype and s.dtype == a.real.dtype
    assert orthonormal_by(u) <= bound and orthonormal_by(adjoint(vh)) <= bound
    assert (np.diff(s) <= 0).all() and (s >= 0).all()
    largest = s.max(axis=-1)
    for one, product, size in zip(a, (u[..., :short] * s[:, None]) @ vh[:, :short], largest, strict=True):
        assert np.abs(one - product).max() <= bound * size
    want = np.linalg.svd(a.astype('complex128'), compute_uv=False)
    for values in (s, cp.linalg.svdvals(cp.asarray(a)).get()):
        assert (np.abs(values - want) <= bound * want[:, :1]).all()


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize(('shape', 'full'), [((66, 9), False), ((70, 3), True), ((9, 67), True), ((67, 34), False)])
def test_singular_values(shape, full, dtype):
    check_svd(numbers((2, *shape), dtype), full)


def test_singular_values_of_square_matrices():
    check_svd(numbers((2, 66, 66), 'complex64'))


def test_more_rows_than_a_team_of_half_a_warp_has():
    check_svd(numbers((2, 130, 20), 'float64'), True)


def test_singular_values_of_hard_matrices():
    n = 66
    q = np.linalg.qr(numbers((2, n, n), 'float64'))[0]
    graded = numbers((n, n), 'float64') * np.logspace(-12, 0, n)
    nearly_singular = (q[0] * np.logspace(0, -13, n)) @ q[1]
    low = numbers((n, 3), 'float64') @ numbers((3, n), 'float64', 1)
    check_svd(np.stack([np.zeros((n, n)), np.eye(n), low]))
    check_svd(np.stack([graded, nearly_singular, low * 1e-200]))


def test_singular_values_of_a_matrix_with_infinity():
    a = numbers((3, 66, 9), 'float64')
    a[1, 65, 2] = np.inf
    u, s, vh = (x.get() for x in cp.linalg.svd(cp.asarray(a)))
    for x in (u, s, vh):
        assert np.isnan(x[1]).all() and np.isfinite(x[[0, 2]]).all()
    a[2, 3, 3] = np.nan
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.svd(cp.asarray(a))[1].get()


def test_pseudo_inverse():
    a = numbers((2, 70, 30), 'float64')
    inverse = cp.linalg.pinv(cp.asarray(a)).get()
    condition = np.linalg.cond(a).max()
    assert np.abs(inverse @ a - np.eye(30)).max() <= unit(a) * condition**2


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', [(66, 66), (70, 3), (35, 67), (67, 34), (130, 40)])
def test_qr(shape, dtype):
    a = numbers((2, *shape), dtype)
    a[1, :, 1] = 0
    bound = unit(a) * np.linalg.norm(a, axis=(-2, -1)).max()
    want = np.linalg.qr(a, 'raw')
    for mode in ('reduced', 'complete'):
        q, r = (x.get() for x in cp.linalg.qr(cp.asarray(a), mode))
        assert q.shape == np.linalg.qr(a, mode)[0].shape and q.dtype == r.dtype == a.dtype
        assert orthonormal_by(q) <= unit(a) and (np.tril(r, -1) == 0).all()
        assert np.abs(q @ r - a).max() <= bound
    h, tau = (x.get() for x in cp.linalg.qr(cp.asarray(a), 'raw'))
    # Those of the first matrix, which has full rank, are unique.
    assert np.abs(h[0] - want[0][0]).max() <= 100 * bound and np.abs(tau[0] - want[1][0]).max() <= 100 * bound
