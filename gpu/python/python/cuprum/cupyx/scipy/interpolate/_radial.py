"""Interpolation of scattered points: radial basis functions, and the nearest point."""

from itertools import combinations_with_replacement

import numpy

import cuprum
from cuprum import _cuprum

from ..spatial import KDTree
from ._arguments import all_true, reals, values
from ._nd import points_of

_KERNELS = {'linear': 0, 'thin_plate_spline': 1, 'cubic': 2, 'quintic': 3, 'multiquadric': 4, 'inverse_multiquadric': 5, 'inverse_quadratic': 6, 'gaussian': 7}
# Kernels that do not depend on the scale of the points.
_SCALE_FREE = ('linear', 'thin_plate_spline', 'cubic', 'quintic')
# Degree of the polynomials that a kernel needs for a unique solution.
_LEAST_DEGREE = {'multiquadric': 0, 'linear': 0, 'thin_plate_spline': 1, 'cubic': 1, 'quintic': 2}
# Numbers of a block of systems of neighbours.
_BLOCK = 1 << 24


def _powers(ndim, degree):
    """Returns the exponents of all monomials of at most a degree."""
    found = []
    for total in range(degree + 1):
        for combination in combinations_with_replacement(range(ndim), total):
            found.append([combination.count(d) for d in range(ndim)])
    return numpy.array(found, dtype=int).reshape(-1, ndim)


def _monomials(x, powers):
    """Returns monomials of points along a new last axis."""
    out = cuprum.ones((*x.shape[:-1], len(powers)))
    for j, exponents in enumerate(powers):
        for d, exponent in enumerate(exponents):
            if exponent:
                out[..., j] *= x[..., d] ** int(exponent)
    return out


class RBFInterpolator:
    """Interpolant by radial basis functions around the points, and a polynomial."""

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel='thin_plate_spline', epsilon=None, degree=None):
        y = cuprum.ascontiguousarray(reals(y, 'y'))
        if y.ndim != 2:
            raise ValueError('`y` must be a 2-dimensional array.')
        ny, ndim = y.shape
        d = values(d)
        if d.ndim == 0 or d.shape[0] != ny:
            raise ValueError(f'Expected the first axis of `d` to have length {ny}.')
        self.d_shape, self.d_dtype = d.shape[1:], d.dtype
        d = cuprum.ascontiguousarray(d.reshape(ny, -1))
        d = d.view(float) if d.dtype.kind == 'c' else d
        if numpy.ndim(smoothing) == 0 and not isinstance(smoothing, cuprum.ndarray):
            smoothing = cuprum.full(ny, smoothing, dtype=float)
        else:
            smoothing = reals(smoothing, 'smoothing')
            if smoothing.ndim == 0:
                smoothing = cuprum.broadcast_to(smoothing, (ny,))
            if smoothing.shape != (ny,):
                raise ValueError(f'Expected `smoothing` to be a scalar or have shape ({ny},).')
        kernel = kernel.lower()
        if kernel not in _KERNELS:
            raise ValueError(f'`kernel` must be one of {sorted(_KERNELS)}.')
        if epsilon is None:
            if kernel not in _SCALE_FREE:
                raise ValueError(f'`epsilon` must be specified if `kernel` is not one of {sorted(_SCALE_FREE)}.')
            epsilon = 1.0
        least = _LEAST_DEGREE.get(kernel, -1)
        if degree is None:
            degree = max(least, 0)
        else:
            degree = int(degree)
            if degree < -1:
                raise ValueError('`degree` must be at least -1.')
            if -1 < degree < least:
                import warnings

                warnings.warn(
                    f'`degree` should not be below {least} except -1 when `kernel` is {kernel!r}. The interpolant may not be uniquely solvable.',
                    UserWarning,
                    stacklevel=2,
                )
        nobs = ny if neighbors is None else min(neighbors, ny)
        self.powers = _powers(ndim, degree)
        if len(self.powers) > nobs:
            raise ValueError(f'At least {len(self.powers)} data points are required when `degree` is {degree} and the number of dimensions is {ndim}.')
        self.y, self.d, self.smoothing = y, d, smoothing
        self.kernel, self.epsilon, self.neighbors = kernel, float(epsilon), None if neighbors is None else int(nobs)
        # `PointTree` rejects points that are not finite.
        self._tree = None if neighbors is None else _cuprum.PointTree(y, None)
        if neighbors is None:
            system = self._systems(y[None], smoothing[None])
            right = self._right_sides(d[None])
            try:
                solution = cuprum.linalg.solve(system[0], right[0])
                known = all_true(cuprum.isfinite(solution))[0]
            except numpy.linalg.LinAlgError:
                known = False
            if not known:
                self._raise_singular(y)
            self._shift, self._scale = self._frame(y)
            self._coefficients = solution

    def _raise_singular(self, y):
        message = 'Singular matrix.'
        count = len(self.powers)
        if count:
            shift, scale = self._frame(y)
            rank = int(cuprum.linalg.matrix_rank(_monomials((y - shift) / scale, self.powers)))
            if rank < count:
                message = f'Singular matrix. The matrix of monomials evaluated at the data point coordinates does not have full column rank ({rank}/{count}).'
        raise numpy.linalg.LinAlgError(message)

    @staticmethod
    def _frame(y):
        """Returns the shift and the scale that map points to [-1, 1] along each axis."""
        low, high = y.min(-2), y.max(-2)
        scale = (high - low) / 2
        return (high + low) / 2, cuprum.where(scale == 0, 1.0, scale)

    def _kernel_of(self, square):
        """Returns the kernel of squared, scaled distances."""
        k = self.kernel
        if k == 'thin_plate_spline':
            return cuprum.where(square == 0, 0.0, 0.5 * square * cuprum.log(cuprum.where(square == 0, 1.0, square)))
        if k == 'gaussian':
            return cuprum.exp(-square)
        if k == 'inverse_quadratic':
            return 1 / (square + 1)
        if k == 'multiquadric':
            return -cuprum.sqrt(square + 1)
        if k == 'inverse_multiquadric':
            return 1 / cuprum.sqrt(square + 1)
        root = cuprum.sqrt(square)
        return {'linear': -root, 'cubic': square * root, 'quintic': -square * square * root}[k]

    def _systems(self, y, smoothing):
        """Returns the matrices of systems of equations, for a batch of sets of points."""
        batch, p, ndim = y.shape
        r = len(self.powers)
        system = cuprum.zeros((batch, p + r, p + r))
        if batch == 1:
            system[0, :p, :p] = _cuprum.interpolate_radial(y[0], y[0], None, _KERNELS[self.kernel], self.epsilon)
        else:
            difference = (y[:, :, None, :] - y[:, None, :, :]) * self.epsilon
            system[:, :p, :p] = self._kernel_of((difference * difference).sum(-1))
        i = cuprum.arange(p)
        system[:, i, i] += smoothing
        if r:
            shift, scale = self._frame(y)
            monomials = _monomials((y - shift[:, None]) / scale[:, None], self.powers)
            system[:, :p, p:] = monomials
            system[:, p:, :p] = monomials.transpose(0, 2, 1)
        return system

    def _right_sides(self, d):
        return cuprum.concatenate([d, cuprum.zeros((d.shape[0], len(self.powers), d.shape[2]))], 1)

    def __call__(self, x):
        """Values at points, a row of coordinates each."""
        x = cuprum.ascontiguousarray(reals(x))
        if x.ndim != 2:
            raise ValueError('`x` must be a 2-dimensional array.')
        nx, ndim = x.shape
        if ndim != self.y.shape[1]:
            raise ValueError(f'Expected the second axis of `x` to have length {self.y.shape[1]}.')
        out = self._near(x) if self.neighbors is not None else self._all(x)
        if self.d_dtype.kind == 'c':
            out = cuprum.ascontiguousarray(out).view(complex)
        return out.reshape(nx, *self.d_shape)

    def _all(self, x):
        p = self.y.shape[0]
        c = self._coefficients
        out = _cuprum.interpolate_radial(x, self.y, cuprum.ascontiguousarray(c[:p]), _KERNELS[self.kernel], self.epsilon)
        if len(self.powers):
            out = out + _monomials((x - self._shift) / self._scale, self.powers) @ c[p:]
        return out

    def _near(self, x):
        """Returns values by the nearest points of each point: a batch of systems for each block of points."""
        k, r = self.neighbors, len(self.powers)
        block = max(2, _BLOCK // (k + r) ** 2)
        found = []
        near = self._tree.query(x, k, 0.0, 2.0, numpy.inf)[1]
        # The order of the neighbours is that of their numbers, as the same set has the same system. A point that is not finite has none, and any system gives NaN.
        near = cuprum.where(near < self.y.shape[0], cuprum.sort(near, axis=1), cuprum.arange(k))
        for begin in range(0, x.shape[0], block):
            own, points = near[begin : begin + block], x[begin : begin + block]
            y = self.y[own]
            system, right = self._systems(y, self.smoothing[own]), self._right_sides(self.d[own])
            c = cuprum.linalg.solve(system, right)
            difference = (points[:, None] - y) * self.epsilon
            vector = self._kernel_of((difference * difference).sum(-1))
            if r:
                shift, scale = self._frame(y)
                vector = cuprum.concatenate([vector, _monomials((points - shift) / scale, self.powers)], 1)
            found.append((vector[:, None, :] @ c)[:, 0])
        return cuprum.concatenate(found) if found else cuprum.empty((0, self.d.shape[1]))


class NearestNDInterpolator:
    """Value at the nearest of scattered points, which a tree finds. `tree_options` are those of `KDTree`."""

    def __init__(self, x, y, rescale=False, tree_options=None):
        x, y = points_of(x, 2) if isinstance(x, tuple) else reals(x), cuprum.asarray(y)
        if x.ndim != 2:
            raise ValueError(f'invalid shape for input data points: {x.shape}')
        if x.shape[1] < 2:
            raise ValueError('input data must be at least 2-D')
        if y.ndim == 0 or y.shape[0] != x.shape[0]:
            raise ValueError(f'different number of values and points: {y.shape} and {x.shape}')
        if y.dtype.kind not in 'fc':
            # Points without a near one are NaN.
            y = y.astype(float)
        self.rescale, self.points, self.values = rescale, x, y
        if rescale:
            self.offset = x.mean(0)
            scale = x.max(0) - x.min(0)
            self.scale = cuprum.where(scale > 0, scale, 1.0)
            self.points = (x - self.offset) / self.scale
        self.tree = KDTree(self.points, **(tree_options or {}))

    def __call__(self, *args, **query_options):
        """Values at points. Options are those of `KDTree.query`; `distance_upper_bound` makes those NaN that have no point nearer."""
        xi = args[0] if len(args) == 1 else tuple(args)
        ndim = self.points.shape[1]
        xi = points_of(xi, ndim)
        if xi.shape[-1] != ndim:
            raise ValueError(f'number of dimensions in xi does not match x: {xi.shape[-1]} and {ndim}')
        if self.rescale:
            xi = (xi - self.offset) / self.scale
        flat = cuprum.ascontiguousarray(xi.reshape(-1, ndim))
        i = self.tree.query(flat, **query_options)[1]
        near = i < self.tree.n
        i = cuprum.minimum(i, self.tree.n - 1)
        result = self.values[i]
        result = cuprum.where(near.reshape(-1, *[1] * (result.ndim - 1)), result, numpy.nan)
        return result.reshape((*xi.shape[:-1], *self.values.shape[1:]))
