"""The product of a function of a matrix and a vector: `funm_multiply_krylov`."""

import math

import numpy

import cuprum
from cuprum import _cuprum

from ._interface import aslinearoperator
from ._systems import floating, norm, operand

__all__ = ['funm_multiply_krylov']


def funm_multiply_krylov(f, A, b, *, assume_a='general', t=1.0, atol=0.0, rtol=1e-6, restart_every_m=None, max_restarts=20):
    """Returns f(t A) b by a Krylov method with restarts, without forming f(t A).

    `f` is called with a small dense matrix of the device, such as `cupyx.scipy.linalg.expm` takes, and returns its function. `A` is a
    square matrix or operator, 'hermitian' or 'general' by `assume_a`. The iteration ends where the last change is at most
    `max(rtol * norm(b), atol)`, or after `max_restarts` restarts of `restart_every_m` steps, `min(20, n)` by default; the steps of a matrix are
    repeated on the device. Raises ValueError for another `assume_a`, numbers that are not positive, and shapes that do not fit.
    SciPy's function; M. Afanasjew, M. Eiermann, O. G. Ernst, S. Güttel, "Implementation of a Restarted Krylov Subspace Method for the
    Evaluation of Matrix Functions", 2008.
    """
    name = 'funm_multiply_krylov'
    kinds = {'hermitian': True, 'her': True, 'general': False, 'gen': False}
    if assume_a not in kinds:
        raise ValueError(f"{name}: assume_a must be 'hermitian' or 'general', not {assume_a!r}")
    A, b = aslinearoperator(A), cuprum.asarray(b)
    if b.ndim != 1:
        raise ValueError(f'{name}: b must be a vector of one axis, not of {b.ndim}')
    n = b.shape[0]
    if A.shape != (n, n):
        raise ValueError(f'{name}: A of shape {A.shape} and b of shape {b.shape} do not fit: A must be ({n}, {n})')
    for what, value in (('restart_every_m', restart_every_m), ('max_restarts', max_restarts)):
        if value is not None and value <= 0:
            raise ValueError(f'{name}: {what} must be positive, not {value}')
    dtype = floating(A.dtype, b.dtype, *([type(t)] if isinstance(t, complex) else []))
    b = b.astype(dtype, copy=False)
    beta = norm(b)
    if beta == 0 or not math.isfinite(beta):
        return b.copy()
    m = min(20 if restart_every_m is None else int(restart_every_m), n)
    matrix = operand(A, dtype)
    process = _cuprum.Arnoldi(dtype, n, m, 0, matrix)
    basis, columns = process.basis(), process.columns()
    basis[0] = b / beta
    bound, y, total = max(float(rtol) * beta, float(atol)), cuprum.zeros_like(b), None
    for _ in range(int(max_restarts)):
        process.extend(0, m, 0)
        if matrix is None:
            vector = process.vector()
            for _ in range(m):
                process.push(A.matvec(vector).astype(dtype, copy=False))
        H = cuprum.asnumpy(columns).T
        used, size = m, numpy.linalg.norm(H)
        for j in range(m):
            # The space of b is complete: f(t A) b is in it.
            if abs(H[j + 1, j]) <= 1e-2 * float(numpy.finfo(dtype).eps) * size:
                used = j + 1
                break
        block = H[:used, :used]
        if kinds[assume_a]:
            block = (block + block.conj().T) / 2
        total = _bordered(total, block)
        values = cuprum.asarray(f(t * cuprum.asarray(total[0])))[-used:, 0]
        change = beta * (values.astype(dtype) @ basis[:used])
        y = y + change
        if used < m or norm(change) <= bound:
            break
        total = total[0], H[m, m - 1]
        basis[0] = basis[m].copy()
    return y


def _bordered(before, block):
    """Returns the Hessenberg matrix of all restarts: the one before, the new block, and between them the norm that joins both."""
    if before is None:
        return block, None
    H, joint = before
    size, new = len(H), len(block)
    whole = numpy.zeros((size + new, size + new), block.dtype)
    whole[:size, :size], whole[size:, size:] = H, block
    whole[size, size - 1] = joint
    return whole, None
