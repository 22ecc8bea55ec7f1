"""Tests of the linear algebra and transform namespaces against NumPy's and SciPy's: signatures, result names,
errors, values."""

import inspect

import numpy as np
import pytest

import cuprum as cp
from same import equal, same

scipy = pytest.importorskip('scipy', reason='SciPy is not installed: its signatures are not compared')
import scipy.fft  # noqa: E402, F401, F811
import scipy.linalg  # noqa: E402, F401

SPACES = {
    'numpy.linalg': (cp.linalg, np.linalg),
    'numpy.fft': (cp.fft, np.fft),
    'scipy.linalg': (cp.scipy.linalg, scipy.linalg),
    'scipy.fft': (cp.scipy.fft, scipy.fft),
}
FUNCTIONS = [
    (space, name)
    for space, (ours, theirs) in SPACES.items()
    for name in sorted(vars(ours))
    if not name.startswith('_') and callable(getattr(theirs, name, None)) and not isinstance(getattr(theirs, name), type)
]


def parameters(function, plain):
    """Returns names, kinds and defaults; a default that is not a plain Python value is None."""
    found = []
    for p in inspect.signature(function).parameters.values():
        default = p.default if isinstance(p.default, plain) else None
        found.append((p.name, p.kind, default, p.default is p.empty))
    return found


@pytest.mark.parametrize('space, name', FUNCTIONS, ids=lambda x: x)
def test_signatures(space, name):
    ours, theirs = SPACES[space]
    plain = (int, float, str, bool, tuple)
    own, numpys = parameters(getattr(ours, name), plain), parameters(getattr(theirs, name), plain)
    # The array API has one more, after all others.
    if space == 'numpy.fft' and name in ('fftfreq', 'rfftfreq'):
        assert own.pop()[0] == 'dtype'
    assert own == numpys


def test_nothing_of_numpys_is_lacking():
    for space in ('numpy.linalg', 'numpy.fft'):
        ours, theirs = SPACES[space]
        assert [name for name in theirs.__all__ if not hasattr(ours, name)] == []
    assert cp.linalg.LinAlgError is np.linalg.LinAlgError


A = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.5], [2.0, 0.5, 5.0]])
B = np.array([[2.0, -1.0, 0.0], [1.0, 3.0, 1.0], [0.5, 2.0, 1.0], [1.0, 1.0, 1.0]])
V = np.array([1.0, -2.0, 3.0])


@pytest.mark.parametrize(
    'name, call',
    {
        'eig': lambda xp: xp.linalg.eig(A if xp is np else cp.asarray(A)),
        'eigh': lambda xp: xp.linalg.eigh(A if xp is np else cp.asarray(A)),
        'qr': lambda xp: xp.linalg.qr(B if xp is np else cp.asarray(B)),
        'slogdet': lambda xp: xp.linalg.slogdet(A if xp is np else cp.asarray(A)),
        'svd': lambda xp: xp.linalg.svd(B if xp is np else cp.asarray(B)),
    }.items(),
    ids=lambda x: x if isinstance(x, str) else '',
)
def test_results_have_names(name, call):
    ours, theirs = call(cp), call(np)
    assert type(ours).__name__ == type(theirs).__name__ and ours._fields == theirs._fields
    for field in ours._fields:
        one, other = getattr(ours, field).get(), getattr(theirs, field)
        # From NumPy 2.5 on its eigenvalues are complex even if all are real.
        expected = one.dtype if name == 'eig' and not other.imag.any() else other.dtype
        assert one.shape == other.shape and one.dtype == expected
        # Signs of vectors depend on the library.
        np.testing.assert_allclose(np.sort(abs(one), None), np.sort(abs(other), None), rtol=1e-9, atol=1e-12)


CALLS = {
    'cholesky': lambda xp, a, b, v: xp.linalg.cholesky(a),
    'cholesky upper': lambda xp, a, b, v: xp.linalg.cholesky(a, upper=True),
    'cond': lambda xp, a, b, v: xp.linalg.cond(a, 1),
    'det': lambda xp, a, b, v: xp.linalg.det(a),
    'eigvalsh': lambda xp, a, b, v: xp.linalg.eigvalsh(a, UPLO='U'),
    'inv': lambda xp, a, b, v: xp.linalg.inv(a),
    'lstsq': lambda xp, a, b, v: xp.linalg.lstsq(b.T, v, rcond=None)[0],
    'matrix_power': lambda xp, a, b, v: xp.linalg.matrix_power(a, -2),
    'matrix_rank': lambda xp, a, b, v: xp.linalg.matrix_rank(b, rtol=1e-3),
    'matrix_norm': lambda xp, a, b, v: xp.linalg.matrix_norm(b, keepdims=True),
    'multi_dot': lambda xp, a, b, v: xp.linalg.multi_dot([b, a, v]),
    'norm': lambda xp, a, b, v: xp.linalg.norm(b, axis=0),
    'outer': lambda xp, a, b, v: xp.linalg.outer(v, v),
    'pinv': lambda xp, a, b, v: xp.linalg.pinv(b),
    'solve': lambda xp, a, b, v: xp.linalg.solve(a, v),
    'svdvals': lambda xp, a, b, v: xp.linalg.svdvals(b),
    'tensordot': lambda xp, a, b, v: xp.linalg.tensordot(b, a, axes=1),
    'tensorinv': lambda xp, a, b, v: xp.linalg.tensorinv(a, ind=1),
    'vecdot': lambda xp, a, b, v: xp.linalg.vecdot(b, v),
    'vector_norm': lambda xp, a, b, v: xp.linalg.vector_norm(b, axis=(0, 1), ord=3),
    'not positive definite': lambda xp, a, b, v: float(xp.linalg.cholesky(-a).sum()),
    'singular': lambda xp, a, b, v: float(xp.linalg.inv(a * 0).sum()),
    'not square': lambda xp, a, b, v: xp.linalg.det(b),
    'one by name': lambda xp, a, b, v: xp.linalg.svdvals(x=b),
    'fft': lambda xp, a, b, v: xp.fft.fft(b, 5, 0, 'ortho'),
    'ifft': lambda xp, a, b, v: xp.fft.ifft(v + 1j),
    'rfft': lambda xp, a, b, v: xp.fft.rfft(v, norm='forward'),
    'irfft': lambda xp, a, b, v: xp.fft.irfft(v, 7),
    'hfft': lambda xp, a, b, v: xp.fft.hfft(v),
    'ihfft': lambda xp, a, b, v: xp.fft.ihfft(v),
    'fft2': lambda xp, a, b, v: xp.fft.fft2(a, s=(2, 4), axes=(-2, -1)),
    'rfftn': lambda xp, a, b, v: xp.fft.rfftn(b),
    'irfftn': lambda xp, a, b, v: xp.fft.irfftn(b),
    'fftfreq': lambda xp, a, b, v: xp.fft.fftfreq(5, d=0.5),
    'rfftfreq': lambda xp, a, b, v: xp.fft.rfftfreq(6, device=None),
    'fftshift': lambda xp, a, b, v: xp.fft.fftshift(b, axes=0),
    'fft of nothing': lambda xp, a, b, v: xp.fft.fft(v, 0),
    'fft of another norm': lambda xp, a, b, v: xp.fft.fft(v, norm='all'),
}


@pytest.mark.parametrize('call', CALLS.values(), ids=CALLS)
def test_values(call):
    same(call, A, B, V, rtol=1e-9)


def test_out_of_multi_dot():
    out = cp.empty((4, 3))
    assert cp.linalg.multi_dot([cp.asarray(B), cp.asarray(A)], out=out) is out
    np.testing.assert_allclose(out.get(), B @ A)


@pytest.mark.parametrize(
    'call',
    [
        lambda xp, a, b, v: xp.einsum('ij,jk->ik', b, a),
        lambda xp, a, b, v: xp.einsum('ij,jk', b, a, optimize=True),
        lambda xp, a, b, v: xp.einsum('ij,jk,k', b, a, v, optimize='optimal'),
        lambda xp, a, b, v: xp.einsum('ij,jk,k', b, a, v, optimize=['einsum_path', (1, 2), (0, 1)]),
        lambda xp, a, b, v: xp.einsum('ii', a),
        lambda xp, a, b, v: xp.einsum('...j,j', b, v, dtype='float64', order='F'),
        lambda xp, a, b, v: xp.einsum(b, [0, 1], a, [1, 2], [2, 0]),
        lambda xp, a, b, v: xp.einsum(b, [1, 0]),
        lambda xp, a, b, v: xp.einsum(b, [Ellipsis, 1], v, [1]),
        lambda xp, a, b, v: xp.einsum('ij,jk', b, v),
        lambda xp, a, b, v: xp.einsum('ij'),
        lambda xp, a, b, v: xp.outer(v, v),
        lambda xp, a, b, v: xp.ediff1d(v, 7, 8),
    ],
)
def test_contractions(call):
    same(call, A, B, V, rtol=1e-12)


@pytest.mark.parametrize('order', 'acfACF')
@pytest.mark.parametrize('optimize', [True, False])
def test_order_of_a_contraction(order, optimize):
    """`A` is Fortran order if all operands are in it."""
    for orders in ('FF', 'CF', 'CC'):

        def flags(xp):
            a, b = xp.ones((2, 3, 5), order=orders[0]), xp.ones((4, 3), order=orders[1])
            made = xp.einsum('...ft,mf->...mt', a, b, order=order, optimize=optimize).flags
            return made.c_contiguous, made.f_contiguous

        assert flags(cp) == flags(np)


def scipy_same(call, rtol=1e-9):
    """Makes the same call of both, with NumPy arrays and with device arrays."""

    def both(f, arrays):
        return f(*arrays)

    equal(both(call, [cp.scipy, *map(cp.asarray, (A, B, V))]), both(call, [scipy, A, B, V]), rtol)


@pytest.mark.parametrize(
    'call',
    [
        lambda sp, a, b, v: sp.linalg.lu(a),
        lambda sp, a, b, v: sp.linalg.lu(b, True),
        lambda sp, a, b, v: sp.linalg.lu_solve(sp.linalg.lu_factor(a), v),
        lambda sp, a, b, v: sp.linalg.cho_solve(sp.linalg.cho_factor(a, lower=True, check_finite=False), v, check_finite=False),
        lambda sp, a, b, v: sp.linalg.solve_triangular(a, v, lower=True),
        lambda sp, a, b, v: sp.linalg.solve_triangular(a, v, 'T', check_finite=False),
        lambda sp, a, b, v: sp.linalg.block_diag(a, b),
        lambda sp, a, b, v: sp.linalg.toeplitz(v),
        lambda sp, a, b, v: sp.linalg.expm(a / 10),
        lambda sp, a, b, v: sp.fft.dct(b, 3, norm='ortho'),
        lambda sp, a, b, v: sp.fft.dctn(b, type=2, orthogonalize=False),
        lambda sp, a, b, v: sp.fft.fft(v, overwrite_x=True, workers=1, plan=None),
        lambda sp, a, b, v: sp.fft.rfft2(b),
        lambda sp, a, b, v: sp.fft.fftfreq(5, d=0.5, device=None),
    ],
)
def test_values_of_scipy(call):
    scipy_same(call)


def test_pivots_of_complex_numbers():
    """The pivot is the number with the largest sum of its parts, as in LAPACK, and not the one with the largest
    modulus."""
    a = np.array([[3, 1, 2], [2 + 2j, 1j, 1], [0.5, 1, 1 - 1j]])
    (lu, pivots), (theirs, their_pivots) = cp.scipy.linalg.lu_factor(cp.asarray(a)), scipy.linalg.lu_factor(a)
    assert pivots.tolist() == their_pivots.tolist() == [1, 1, 2]
    np.testing.assert_allclose(lu.get(), theirs, rtol=1e-14)


def test_what_is_not_finite_is_rejected():
    bad = cp.asarray([[1.0, np.nan], [0.0, 1.0]])
    for call in (cp.scipy.linalg.lu, cp.scipy.linalg.lu_factor, cp.scipy.linalg.cho_factor, lambda a: cp.scipy.linalg.solve_triangular(a, cp.ones(2))):
        with pytest.raises(ValueError, match='infs or NaNs'):
            call(bad)
    with pytest.raises(TypeError, match='plan'):
        cp.scipy.fft.fft(cp.ones(4), plan=object())
    with pytest.raises(TypeError):
        cp.linalg.svdvals(x=cp.ones((2, 2)))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("upper", [False, True])
def test_diagonals_of_cholesky_are_real(dtype, upper):
    rng = np.random.default_rng(5)
    a = rng.normal(size=(10, 10)) + 1j * rng.normal(size=(10, 10))
    factor = cp.linalg.cholesky(cp.asarray((a.conj().T @ a).astype(dtype)), upper=upper)
    assert bool((factor.diagonal().imag == 0).all())
