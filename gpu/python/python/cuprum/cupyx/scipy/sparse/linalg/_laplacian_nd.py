"""The Laplacian of a regular grid: `LaplacianNd`."""

import functools
import math

import numpy

import cuprum

from .._construct import diags_array, eye_array, kron
from .._utils import is_integer
from ._interface import LinearOperator

__all__ = ['LaplacianNd']

_CONDITIONS = ('dirichlet', 'neumann', 'periodic')


@functools.cache
def _neighbours():
    """Returns the kernel of the products: the sum of the neighbours of a point along all axes, less the point twice for each."""
    return cuprum.ElementwiseKernel(
        'raw T x, raw int64 lengths, int32 axes, int64 columns, int32 kind',
        'T out',
        """
        T sum = T(0);
        const long long own = (long long)i;
        long long point = own / columns, step = columns;
        for (int axis = axes - 1; axis >= 0; --axis) {
          const long long n = lengths[axis], at = point % n, last = (n - 1) * step;
          // Beyond the boundary are zeros, the point itself, or the other end.
          const bool first = at == 0, final = at == n - 1;
          if (!first || kind > 0) sum += x[own - (!first ? step : kind == 1 ? 0 : -last)];
          if (!final || kind > 0) sum += x[own + (!final ? step : kind == 1 ? 0 : -last)];
          sum -= x[own];
          sum -= x[own];
          point /= n;
          step *= n;
        }
        out = sum;
        """,
        'cuprum_laplacian_nd',
    )


class LaplacianNd(LinearOperator):
    """Laplacian of a regular grid of any number of axes, as an operator without a matrix; SciPy's class.

    `grid_shape` has the number of points along each axis, and `boundary_conditions` is 'neumann', 'dirichlet' or 'periodic'. `dtype` is
    that of `toarray` and `tosparse`. The operator is symmetric and has no positive eigenvalue. Products run on the device. Raises
    ValueError for other boundary conditions. For an axis of one point the matrix is that of the products, which SciPy's is not.
    """

    def __init__(self, grid_shape, *, boundary_conditions='neumann', dtype=numpy.int8):
        if boundary_conditions not in _CONDITIONS:
            raise ValueError(f'LaplacianNd: boundary_conditions must be one of {_CONDITIONS}, not {boundary_conditions!r}')
        self.grid_shape = (int(grid_shape),) if is_integer(grid_shape) else tuple(int(n) for n in grid_shape)
        self.boundary_conditions = boundary_conditions
        size = math.prod(self.grid_shape)
        super().__init__(dtype, (size, size))

    def _adjoint(self):
        return self

    _transpose = _adjoint

    def _matvec(self, x):
        x = cuprum.ascontiguousarray(x)
        columns = x.size // max(self.shape[0], 1)
        if x.size == 0:
            return x.copy()
        lengths = cuprum.asarray(self.grid_shape, dtype=numpy.int64)
        kind = _CONDITIONS.index(self.boundary_conditions)
        return _neighbours()(x, lengths, len(self.grid_shape), columns, kind, cuprum.empty_like(x))

    _matmat = _matvec

    def _along(self, n):
        """Returns the sparse Laplacian of an axis of n points, in COO format."""
        ones = numpy.ones(max(n - 1, 0))
        diagonal = numpy.full(n, -2.0)
        if self.boundary_conditions == 'neumann':
            diagonal[0] += 1
            diagonal[-1] += 1
        if self.boundary_conditions == 'periodic' and n == 1:
            # The point is its own neighbour on both sides.
            diagonal += 2
        line = diags_array([ones, diagonal, ones], offsets=[-1, 0, 1], shape=(n, n), format='coo')
        if self.boundary_conditions == 'periodic' and n > 1:
            corner = numpy.ones(1)
            line = line + diags_array([corner, corner], offsets=[n - 1, 1 - n], shape=(n, n), format='coo')
        return line.astype(self.dtype)

    def tosparse(self):
        """Returns the matrix as a sparse array: in DIA format for one axis, in CSR format for more."""
        parts = [self._along(n) for n in self.grid_shape]
        if len(parts) == 1:
            return parts[0].todia()
        identities = [eye_array(n, dtype=self.dtype, format='coo') for n in self.grid_shape]
        sums = []
        for axis, part in enumerate(parts):
            factors = [part if k == axis else identity for k, identity in enumerate(identities)]
            sums.append(functools.reduce(kron, factors).tocsr())
        return functools.reduce(lambda a, b: a + b, sums)

    def toarray(self):
        """Returns the matrix as a dense array."""
        return self.tosparse().toarray()

    def _eigenvalues_along(self, n):
        j = cuprum.arange(n)
        if self.boundary_conditions == 'dirichlet':
            angle = math.pi * (j + 1) / (2 * (n + 1))
        elif self.boundary_conditions == 'neumann':
            angle = math.pi * j / (2 * n)
        else:
            angle = math.pi * ((j + 1) // 2) / n
        return -4 * cuprum.sin(angle) ** 2

    def _ordered(self, m):
        """Returns the m largest eigenvalues, ascending, and their positions in the grid of the eigenvalues along the axes."""
        grid = cuprum.zeros(self.grid_shape)
        for axis, n in enumerate(self.grid_shape):
            grid = grid + self._eigenvalues_along(n).reshape([-1 if k == axis else 1 for k in range(len(self.grid_shape))])
        values = grid.ravel()
        order = cuprum.argsort(values, kind='stable')
        if m is not None:
            order = order[max(len(values) - m, 0) :]
        return values[order], cuprum.unravel_index(order, self.grid_shape)

    def eigenvalues(self, m=None):
        """Returns the m largest eigenvalues, all by default, in ascending order, of float64: they are known in closed form."""
        return self._ordered(m)[0]

    def _eigenvectors_along(self, j, n):
        """Returns the orthonormal eigenvectors of an axis of n points with these numbers, a column each."""
        i = cuprum.arange(n)[:, None]
        if self.boundary_conditions == 'dirichlet':
            return math.sqrt(2 / (n + 1)) * cuprum.sin(math.pi * (i + 1) * (j + 1) / (n + 1))
        if self.boundary_conditions == 'neumann':
            scale = cuprum.where(j == 0, math.sqrt(1 / n), math.sqrt(2 / n))
            return scale * cuprum.cos(math.pi * (i + 0.5) * j / n)
        angle = 2 * math.pi * (i + 0.5) * ((j + 1) // 2) / n
        # The last one of an even number of points alternates.
        alternates = (j == n - 1) & (n % 2 == 0) & (j > 0)
        scale = cuprum.where((j == 0) | alternates, math.sqrt(1 / n), math.sqrt(2 / n))
        waves = cuprum.where(j % 2 == 1, cuprum.sin(angle), cuprum.cos(angle))
        return scale * cuprum.where(alternates, 1 - 2 * (i % 2), waves)

    def eigenvectors(self, m=None):
        """Returns orthonormal eigenvectors of the m largest eigenvalues, all by default, as the columns of an array of float64.

        They are in the order of `eigenvalues`. Those of an eigenvalue that is not simple may be others than SciPy's.
        """
        _, numbers = self._ordered(m)
        vectors = cuprum.ones((1, numbers[0].size))
        for j, n in zip(numbers, self.grid_shape):
            along = self._eigenvectors_along(j, n)
            vectors = (vectors[:, None, :] * along).reshape(-1, along.shape[1])
        return vectors
