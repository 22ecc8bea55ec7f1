"""Linear operators: `LinearOperator`, `aslinearoperator`."""

import numpy

import cuprum

from .._arithmetic import is_sparse
from .._utils import is_scalar

__all__ = ['LinearOperator', 'aslinearoperator']


def _is_array(x):
    return isinstance(x, (cuprum.ndarray, numpy.ndarray))


class LinearOperator:
    """Linear map that is given by its products with vectors; SciPy's and CuPy's class of the same name.

    `LinearOperator(shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None)` makes one of functions: `matvec(v)` is the
    product with a vector, `rmatvec(v)` that of the conjugate transpose, `matmat` and `rmatmat` those with matrices. A subclass defines
    `_matvec` or `_matmat`, and `_rmatvec` or `_adjoint` where it has a conjugate transpose. Sums, products, powers and multiples of
    operators are operators. Raises ValueError for a shape that does not have two lengths.
    """

    ndim = 2
    __array_ufunc__ = None

    def __new__(cls, *args, **kwargs):
        """Returns an operator of functions for the class itself, and an instance of a subclass."""
        if cls is LinearOperator:
            return super().__new__(_FunctionOperator)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            import warnings

            warnings.warn('LinearOperator subclass should implement at least one of _matvec and _matmat.', RuntimeWarning, stacklevel=2)
        return super().__new__(cls)

    def __init__(self, dtype, shape):
        shape = tuple(shape)
        if len(shape) != 2 or any(not hasattr(n, '__index__') for n in shape):
            raise ValueError(f'invalid shape {shape!r} (must be 2-d): LinearOperator has two lengths, which are integers')
        self.dtype = None if dtype is None else numpy.dtype(dtype)
        self.shape = tuple(n.__index__() for n in shape)

    def _init_dtype(self):
        """Finds the dtype of the results, by a product with zeros, where none is given."""
        if self.dtype is None:
            self.dtype = cuprum.asarray(self.matvec(cuprum.zeros(self.shape[1]))).dtype

    # What subclasses define.

    def _matvec(self, x):
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X):
        return cuprum.stack([self.matvec(X[:, k]) for k in range(X.shape[1])], axis=1)

    def _rmatvec(self, x):
        if type(self)._adjoint is LinearOperator._adjoint:
            raise NotImplementedError('rmatvec is not defined: this operator has no conjugate transpose')
        return self.H.matvec(x)

    def _rmatmat(self, X):
        if type(self)._adjoint is LinearOperator._adjoint:
            return cuprum.stack([self.rmatvec(X[:, k]) for k in range(X.shape[1])], axis=1)
        return self.H.matmat(X)

    def _adjoint(self):
        return _Adjoint(self)

    def _transpose(self):
        return _Transpose(self)

    # Products.

    def _vector(self, x, length, name, call):
        x = x if isinstance(x, cuprum.ndarray) else cuprum.asarray(x)
        if x.shape not in ((length,), (length, 1)):
            raise ValueError(f'{name}: dimension mismatch: a vector of {length} elements is needed, not one of shape {x.shape}')
        y = cuprum.asarray(call(x))
        n = self.shape[0] if name == 'matvec' else self.shape[1]
        return y.reshape(n) if x.ndim == 1 else y.reshape(n, 1)

    def _matrix(self, X, length, name, call):
        X = X if isinstance(X, cuprum.ndarray) or is_sparse(X) else cuprum.asarray(X)
        if X.ndim != 2:
            raise ValueError(f'{name}: expected a matrix of two axes, not {X.ndim}')
        if X.shape[0] != length:
            raise ValueError(f'{name}: dimension mismatch: a matrix of {length} rows is needed, not one of shape {X.shape}')
        return call(X)

    def matvec(self, x):
        """Returns the product with a vector, of shape (N,) or (N, 1). Raises ValueError for another shape."""
        return self._vector(x, self.shape[1], 'matvec', self._matvec)

    def rmatvec(self, x):
        """Returns the product of the conjugate transpose with a vector. Raises ValueError for another shape than (M,) or (M, 1)."""
        return self._vector(x, self.shape[0], 'rmatvec', self._rmatvec)

    def matmat(self, X):
        """Returns the product with a matrix. Raises ValueError for a matrix of another number of rows."""
        return self._matrix(X, self.shape[1], 'matmat', self._matmat)

    def rmatmat(self, X):
        """Returns the product of the conjugate transpose with a matrix."""
        return self._matrix(X, self.shape[0], 'rmatmat', self._rmatmat)

    def __call__(self, x):
        return self * x

    def dot(self, x):
        """Returns the product with an operator, a number, a vector or a matrix."""
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if is_scalar(x):
            return _Scaled(self, x)
        if not is_sparse(x):
            x = cuprum.asarray(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1 and not is_sparse(x)):
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f'dot: expected a vector or a matrix, not an array of {x.ndim} axes')

    def __mul__(self, x):
        return self.dot(x)

    def __matmul__(self, other):
        if is_scalar(other):
            raise ValueError("matmul: a number is no operand of '@': use '*'")
        return self.dot(other)

    def __rmul__(self, x):
        return _Scaled(self, x) if is_scalar(x) else self._rdot(x)

    def __rmatmul__(self, other):
        if is_scalar(other):
            raise ValueError("matmul: a number is no operand of '@': use '*'")
        return self._rdot(other)

    def _rdot(self, x):
        if isinstance(x, LinearOperator):
            return _Product(x, self)
        x = cuprum.asarray(x)
        if x.ndim == 1:
            return self.T.matvec(x)
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise ValueError(f'dot: expected a vector or a matrix, not an array of {x.ndim} axes')

    def __pow__(self, p):
        return _Power(self, p) if is_scalar(p) else NotImplemented

    def __add__(self, x):
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self):
        return _Scaled(self, -1)

    def __sub__(self, x):
        return self.__add__(-x) if isinstance(x, LinearOperator) else NotImplemented

    def __truediv__(self, other):
        if not is_scalar(other):
            raise ValueError('truediv: a linear operator is divided by a number alone')
        return _Scaled(self, 1.0 / other)

    def __repr__(self):
        rows, columns = self.shape
        return f'<{rows}x{columns} {type(self).__name__} with dtype={self.dtype}>'

    def adjoint(self):
        """Returns the conjugate transpose."""
        return self._adjoint()

    def transpose(self):
        """Returns the transpose."""
        return self._transpose()

    H = property(adjoint, doc='Conjugate transpose.')
    T = property(transpose, doc='Transpose.')


class _FunctionOperator(LinearOperator):
    """Operator of functions."""

    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        super().__init__(dtype, shape)
        self.args = ()
        self._functions = matvec, rmatvec, matmat, rmatmat
        self._init_dtype()

    def _matvec(self, x):
        return self._functions[0](x)

    def _matmat(self, X):
        matmat = self._functions[2]
        return super()._matmat(X) if matmat is None else matmat(X)

    def _rmatvec(self, x):
        if self._functions[1] is None:
            raise NotImplementedError('rmatvec is not defined: LinearOperator was made without it')
        return self._functions[1](x)

    def _rmatmat(self, X):
        rmatmat = self._functions[3]
        return super()._rmatmat(X) if rmatmat is None else rmatmat(X)

    def _adjoint(self):
        matvec, rmatvec, matmat, rmatmat = self._functions
        if rmatvec is None:
            return _Adjoint(self)
        return _FunctionOperator(self.shape[::-1], rmatvec, matvec, rmatmat, self.dtype, matmat)


class _Adjoint(LinearOperator):
    """Conjugate transpose of an operator."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape[::-1])
        self.A = A
        self.args = (A,)

    def _matvec(self, x):
        return self.A._rmatvec(x)

    def _rmatvec(self, x):
        return self.A._matvec(x)

    def _matmat(self, X):
        return self.A._rmatmat(X)

    def _rmatmat(self, X):
        return self.A._matmat(X)

    def _adjoint(self):
        return self.A


class _Transpose(LinearOperator):
    """Transpose of an operator."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape[::-1])
        self.A = A
        self.args = (A,)

    def _matvec(self, x):
        return self.A._rmatvec(x.conj()).conj()

    def _rmatvec(self, x):
        return self.A._matvec(x.conj()).conj()

    def _matmat(self, X):
        return self.A._rmatmat(X.conj()).conj()

    def _rmatmat(self, X):
        return self.A._matmat(X.conj()).conj()


def _dtype_of(*operators):
    return numpy.result_type(*(x.dtype if isinstance(x, LinearOperator) else x for x in operators))


class _Sum(LinearOperator):
    """Sum of two operators."""

    def __init__(self, A, B):
        if A.shape != B.shape:
            raise ValueError(f'cannot add {A} and {B}: shape mismatch')
        self.args = (A, B)
        super().__init__(_dtype_of(A, B), A.shape)

    def _matvec(self, x):
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x):
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X):
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X):
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self):
        return self.args[0].H + self.args[1].H


class _Product(LinearOperator):
    """Product of two operators."""

    def __init__(self, A, B):
        if A.shape[1] != B.shape[0]:
            raise ValueError(f'cannot multiply {A} and {B}: shape mismatch')
        self.args = (A, B)
        super().__init__(_dtype_of(A, B), (A.shape[0], B.shape[1]))

    def _matvec(self, x):
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x):
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X):
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X):
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self):
        return self.args[1].H * self.args[0].H


class _Scaled(LinearOperator):
    """Operator times a number."""

    def __init__(self, A, alpha):
        self.args = (A, alpha)
        super().__init__(_dtype_of(A, type(alpha)) if isinstance(alpha, (float, complex)) else A.dtype, A.shape)

    def _matvec(self, x):
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x):
        return numpy.conj(self.args[1]) * self.args[0].rmatvec(x)

    def _matmat(self, X):
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X):
        return numpy.conj(self.args[1]) * self.args[0].rmatmat(X)

    def _adjoint(self):
        return self.args[0].H * numpy.conj(self.args[1])


class _Power(LinearOperator):
    """Power of a square operator."""

    def __init__(self, A, p):
        if A.shape[0] != A.shape[1]:
            raise ValueError(f'power: {A} is not square')
        if not isinstance(p, (int, numpy.integer)) or p < 0:
            raise ValueError(f'power: the exponent must be an integer that is not negative, not {p!r}')
        self.args = (A, int(p))
        super().__init__(A.dtype, A.shape)

    def _repeat(self, call, x):
        for _ in range(self.args[1]):
            x = call(x)
        return x.copy() if self.args[1] == 0 else x

    def _matvec(self, x):
        return self._repeat(self.args[0].matvec, x)

    def _rmatvec(self, x):
        return self._repeat(self.args[0].rmatvec, x)

    def _matmat(self, X):
        return self._repeat(self.args[0].matmat, X)

    def _rmatmat(self, X):
        return self._repeat(self.args[0].rmatmat, X)

    def _adjoint(self):
        return self.args[0].H ** self.args[1]


class MatrixLinearOperator(LinearOperator):
    """Operator of a dense or sparse matrix, which is its attribute `A`."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.args = (A,)
        self._conjugate_transpose = None

    def _matvec(self, x):
        return self.A @ x

    _matmat = _matvec

    def _rmatvec(self, x):
        if self._conjugate_transpose is None:
            transposed = self.A.T
            self._conjugate_transpose = transposed.conj() if self.dtype.kind == 'c' else transposed
        return self._conjugate_transpose @ x

    _rmatmat = _rmatvec

    def _adjoint(self):
        return _Adjoint(self)


class IdentityOperator(LinearOperator):
    """Identity of a number of axes."""

    def __init__(self, shape, dtype=None):
        super().__init__(dtype, shape)

    def _matvec(self, x):
        return x

    _rmatvec = _matmat = _rmatmat = _matvec

    def _adjoint(self):
        return self


def aslinearoperator(A):
    """Returns a linear operator of a dense or sparse matrix, or of an object with `shape` and `matvec`; SciPy's function.

    A `LinearOperator` is returned as it is. Raises TypeError for other objects, ValueError for an array of more than two axes.
    """
    if isinstance(A, LinearOperator):
        return A
    if is_sparse(A):
        return MatrixLinearOperator(A)
    if isinstance(A, cuprum.ndarray):
        if A.ndim > 2:
            raise ValueError(f'aslinearoperator: the array has {A.ndim} axes, two are needed')
        return MatrixLinearOperator(cuprum.atleast_2d(A))
    if hasattr(A, 'shape') and hasattr(A, 'matvec'):
        get = lambda name: getattr(A, name, None)  # noqa: E731
        return LinearOperator(A.shape, A.matvec, rmatvec=get('rmatvec'), rmatmat=get('rmatmat'), dtype=get('dtype'))
    raise TypeError(f'aslinearoperator: a LinearOperator, a matrix of the device or an object with matvec is needed, not {type(A)}')
