"""What iterative solvers share: the operands of a system of equations, and the loop around the iterations of a method."""

import math

import numpy

import cuprum
from cuprum import _cuprum

from ._incomplete import IncompleteFactors
from ._interface import IdentityOperator, LinearOperator, MatrixLinearOperator, aslinearoperator

# Iterations between two reads of the residual, at most: a read waits for the device.
MOST_UNREAD = 10


def floating(*dtypes):
    """Returns the dtype in which a solver computes: float32, float64, complex64 or complex128."""
    dtype = numpy.result_type(*dtypes)
    if dtype.kind not in 'fc':
        return numpy.dtype(numpy.float64)
    return numpy.dtype(numpy.float32) if dtype.itemsize < 4 else dtype


def square(name, A):
    """Returns the operator of a square matrix; ValueError for another shape."""
    A = aslinearoperator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f'{name}: expected square matrix, but got shape={A.shape}')
    return A


def vector(name, what, v, n):
    """Returns a vector of one axis; ValueError for another shape than (n,) or (n, 1)."""
    v = cuprum.asarray(v)
    if v.shape not in ((n,), (n, 1)):
        raise ValueError(f'{name}: shape mismatch: {what} has shape {v.shape}, the matrix needs ({n},) or ({n}, 1)')
    return v.ravel()


def norm(v):
    """Returns the Euclidean norm of a vector, as a number: waits for the device."""
    return math.sqrt(float(cuprum.vdot(v, v).real))


def ratio(a, b):
    """Returns a / b on the device, zero where b is zero."""
    zero = b == 0
    return cuprum.where(zero, 0, a / cuprum.where(zero, 1, b))


class System:
    """A square system A x = b with the preconditioner M and the first guess."""

    def __init__(self, name, A, b, x0, M):
        self.name = name
        A = square(name, A)
        n = A.shape[0]
        b = vector(name, 'b', b, n)
        self.dtype = floating(b.dtype if A.dtype is None else A.dtype, b.dtype)
        self.A, self.n, self.b = A, n, b.astype(self.dtype, copy=False)
        self.M = IdentityOperator(A.shape, self.dtype) if M is None else aslinearoperator(M)
        if self.M.shape != A.shape:
            raise ValueError(f'{name}: matrix and preconditioner have different shapes: {A.shape} and {self.M.shape}')
        self.guessed = x0 is not None
        if x0 is None:
            self.x = cuprum.zeros(n, self.dtype)
        elif isinstance(x0, str) and x0 == 'Mb':
            self.x = self.precondition(self.b).copy()
        else:
            self.x = vector(name, 'x0', x0, n).astype(self.dtype, copy=True)

    def multiply(self, v):
        """Returns A v."""
        return self.A.matvec(v).astype(self.dtype, copy=False)

    def multiply_adjoint(self, v):
        """Returns the product of the conjugate transpose of A with v."""
        return self.A.rmatvec(v).astype(self.dtype, copy=False)

    def precondition(self, v):
        """Returns M v."""
        return self.M.matvec(v).astype(self.dtype, copy=False)

    def residual(self):
        """Returns b - A x."""
        return self.b - self.multiply(self.x)

    def bound(self, rtol, atol):
        """Returns the norm of the residual at which a solution is accepted."""
        return max(float(atol), float(rtol) * norm(self.b))


def operand(operator, dtype):
    """Returns the core of an operator that is a matrix of the device, or its incomplete factors, whose products are captured in a graph;
    None for another one."""
    if isinstance(operator, IncompleteFactors):
        return operator._core if operator.dtype == dtype else None
    if not isinstance(operator, MatrixLinearOperator) or (operator.dtype.kind == 'c' and dtype.kind != 'c'):
        return None
    A = operator.A.astype(dtype, copy=False)
    if isinstance(A, cuprum.ndarray):
        return A
    return (A if A.format in ('csr', 'csc') else A.tocsr())._sparse


def captured(system, callback):
    """Returns the cores of the matrix and of the preconditioner of a system whose iterations the device repeats; None for a callback, and
    for operators that are not both matrices."""
    if callback is not None or not system.n:
        return None
    a = operand(system.A, system.dtype)
    if a is None or isinstance(system.M, IdentityOperator):
        return None if a is None else (a, None)
    m = operand(system.M, system.dtype)
    return None if m is None else (a, m)


def solve(system, method, rtol, atol, maxiter, callback, broken=None, shift=0.0):
    """Solves a system by a method, on the device if the operators are matrices and there is no callback; returns `(x, info)`."""
    cores = captured(system, callback)
    if cores is not None:
        maxiter = None if maxiter is None else int(maxiter)
        a, m = cores
        return _cuprum.Sparse.solve(system.name, a, system.b, system.x, (float(rtol), float(atol)), maxiter, m, float(shift))
    return iterate(system, method, rtol, atol, maxiter, callback, broken)


def iterate(system, method, rtol, atol, maxiter, callback, broken=None):
    """Iterates a method until the true residual is small; returns the solution and `info`.

    `method(system, r)` is a generator, which updates `system.x` and returns the residual of its recurrence after each iteration. Where
    that is small, and where it breaks down, the true residual is computed, and the method goes on from there unless it is small, too.
    `info` is 0 then, and `maxiter`, or `broken`, where that no longer helps.
    """
    maxiter = system.n * 10 if maxiter is None else maxiter
    bound, done, stalled, best = system.bound(rtol, atol), 0, 0, math.inf
    if norm(system.b) == 0:
        return cuprum.zeros_like(system.b), 0
    while True:
        r = system.residual()
        size = norm(r)
        if size <= bound:
            return system.x, 0
        stalled = 0 if size < best / 2 else stalled + 1
        best = min(best, size)
        if not math.isfinite(size) or done >= maxiter or stalled > 3:
            gave_up = stalled > 3 and done < maxiter and broken is not None
            return system.x, broken if gave_up else max(maxiter, 1)
        unread, period = 0, 1
        for r in method(system, r):
            done += 1
            unread += 1
            if callback is not None:
                callback(system.x)
            if done >= maxiter:
                break
            if unread >= period or callback is not None:
                size = norm(r)
                if size <= bound or not math.isfinite(size):
                    break
                unread, period = 0, min(period * 2, MOST_UNREAD)


def operator_of(A):
    """Returns the operator of a rectangular matrix."""
    return A if isinstance(A, LinearOperator) else aslinearoperator(A)
