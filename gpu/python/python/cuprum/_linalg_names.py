"""Functions of linear algebra that stand in the main namespace under other rules: those of the array API standard, which
NumPy has in `numpy.linalg` with the same parameters."""

from typing import Any, NamedTuple

import cuprum

__all__ = ['complete', 'complete_scipy']


class EigResult(NamedTuple):
    """What `eig` gives."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """What `eigh` gives."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What `qr` gives."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """What `slogdet` gives."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """What `svd` gives."""

    U: Any
    S: Any
    Vh: Any


def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of three elements along an axis."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f'cross: vectors of three elements are expected, and there are {x1.shape[axis]} and {x2.shape[axis]}')
    return cuprum.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices, which are in the last two axes."""
    return cuprum.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums along the diagonals of matrices, which are in the last two axes."""
    return cuprum.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def matmul(x1, x2, /):
    """The product of matrices."""
    return cuprum.matmul(x1, x2)


def matrix_transpose(x, /):
    """The array with its last two axes in the place of each other."""
    return cuprum.matrix_transpose(x)


def outer(x1, x2, /):
    """The products of each element of one vector and each of another."""
    for x in (x1, x2):
        if x.ndim != 1:
            raise ValueError(f'outer: vectors are expected, and there is an array with {x.ndim} axes')
    return cuprum.multiply(x1[:, None], x2[None, :])


def vecdot(x1, x2, /, *, axis=-1):
    """The inner product along an axis, of which the first operand is conjugated."""
    return cuprum.vecdot(x1, x2, axis=axis)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors: of all elements, or along axes."""
    if axis is None:
        result = cuprum.linalg.norm(x.ravel(), ord)
        return result.reshape((1,) * x.ndim) if keepdims else result
    if not isinstance(axis, tuple):
        return cuprum.linalg.norm(x, ord, axis, keepdims)
    axes = [n % x.ndim for n in axis]
    others = [n for n in range(x.ndim) if n not in axes]
    # The axes of the norm become one, at the end.
    flat = x.transpose(*others, *axes).reshape(*(x.shape[n] for n in others), -1)
    result = cuprum.linalg.norm(flat, ord, -1)
    return result.reshape([1 if n in axes else length for n, length in enumerate(x.shape)]) if keepdims else result


def matrix_norm(x, /, *, keepdims=False, ord='fro'):
    """The norm of matrices, which are in the last two axes."""
    return cuprum.linalg.norm(x, None if ord == 'fro' else ord, (-2, -1), keepdims)


WRITTEN = (cross, diagonal, trace, matmul, matrix_transpose, outer, vecdot, vector_norm, matrix_norm)


def complete(linalg):
    """Adds to the namespace of linear algebra what it lacks; what it has stays."""
    for function in WRITTEN:
        if function.__name__ not in linalg:
            function.__module__ = 'cuprum.linalg'
            linalg[function.__name__] = function


def complete_scipy(linalg):
    """Gives the functions that take factors as a pair the form that SciPy has for them."""
    lu_solver, cho_solver = linalg['lu_solve'], linalg['cho_solve']

    def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False):
        """The solution of systems of equations with the factors of `lu_factor`."""
        lu, piv = lu_and_piv
        return lu_solver(lu, piv, b, trans)

    def cho_solve(c_and_lower, b, overwrite_b=False):
        """The solution of systems of equations with the factor of `cho_factor`."""
        c, lower = c_and_lower
        return cho_solver(c, b, lower)

    for function in (lu_solve, cho_solve):
        function.__module__ = 'cuprum.scipy.linalg'
        function.__qualname__ = function.__name__
        linalg[function.__name__] = function
    # Functions of the main namespace that SciPy had here, too.
    for name in ('kron', 'tri', 'tril', 'triu'):
        linalg.setdefault(name, getattr(cuprum, name))
