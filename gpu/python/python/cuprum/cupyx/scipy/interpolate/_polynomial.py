"""Polynomials through points: the barycentric formula, and Newton's form with derivatives."""

import numpy

import cuprum

from ._arguments import all_true, host, reals, to_axis, to_front, values


class _Polynomial:
    def __init__(self, axis):
        self._axis = axis

    @property
    def dtype(self):
        """Dtype of the values."""
        return self._y.dtype if self._y is not None else numpy.dtype(float)

    def __call__(self, x):
        """Values at points."""
        x = cuprum.asarray(x)
        return self._shaped(self._values(reals(x).ravel()), x)

    def _shaped(self, y, x):
        return to_axis(y.reshape((*x.shape, *self._y.shape[1:])), x.ndim, self._axis)

    def derivatives(self, x, der=None):
        """Value and derivatives at points, along a first axis: as many as there are points of interpolation unless `der` says otherwise."""
        x = cuprum.asarray(x)
        count = self.n if der is None else der
        found = self._all_derivatives(reals(x).ravel(), count)
        return cuprum.stack([self._shaped(y, x) for y in found])

    def derivative(self, x, der=1):
        """One derivative at points."""
        x = cuprum.asarray(x)
        if der >= self.n:
            return self._shaped(cuprum.zeros((x.size, *self._y.shape[1:]), self._y.dtype), x)
        return self._shaped(self._one_derivative(reals(x).ravel(), der), x)


class BarycentricInterpolator(_Polynomial):
    """Polynomial through points by the barycentric formula (J.-P. Berrut, L. N. Trefethen, SIAM Review 46, 2004)."""

    def __init__(self, xi, yi=None, axis=0, *, wi=None, rng=None, random_state=None):
        xi = reals(xi, 'xi')
        super().__init__(axis)
        self._y = None
        self._set_points(xi)
        self.set_yi(yi, axis)
        self.wi = reals(wi, 'wi') if wi is not None else self._weights()

    def _set_points(self, xi):
        self.xi, self.n = xi, xi.shape[0]

    def _weights(self):
        if self.n > 1 and not all_true(cuprum.diff(cuprum.sort(self.xi)) != 0)[0]:
            raise ValueError('Interpolation points xi must be distinct.')
        # Distances are scaled by the capacity of the interval, so that products neither overflow nor underflow.
        scale = 4.0 / (self.xi.max() - self.xi.min()) if self.n > 1 else 1.0
        distances = scale * (self.xi[:, None] - self.xi[None, :])
        i = cuprum.arange(self.n)
        distances[i, i] = 1.0
        return 1.0 / distances.prod(axis=1)

    def set_yi(self, yi, axis=None):
        """Sets the values at the points."""
        if yi is None:
            self._y = None
            return
        yi, axis = to_front(values(yi), self._axis if axis is None else axis)
        if yi.shape[0] != self.n:
            raise ValueError(f'x and y arrays must be equal in length along interpolation axis: {self.n} and {yi.shape[0]}.')
        self._y, self._axis = cuprum.ascontiguousarray(yi), axis

    @property
    def yi(self):
        """Values at the points, a row for each."""
        return None if self._y is None else self._y.reshape(self.n, -1)

    def add_xi(self, xi, yi=None):
        """Adds points, and their values if there are any."""
        xi = reals(xi, 'xi')
        if yi is not None:
            if self._y is None:
                raise ValueError('No previous yi value to update!')
            yi = cuprum.moveaxis(values(yi), self._axis, 0)
            if yi.shape[0] != xi.shape[0]:
                raise ValueError(f'x and y arrays must be equal in length: {xi.shape[0]} and {yi.shape[0]}.')
            self._y = cuprum.concatenate([self._y, yi])
        elif self._y is not None:
            raise ValueError('No update to yi provided!')
        self._set_points(cuprum.concatenate([self.xi, xi]))
        self.wi = self._weights()

    def _values(self, x, y=None):
        if self._y is None:
            raise ValueError('values yi are missing: pass them at construction or by set_yi')
        y = self._y.reshape(self.n, -1) if y is None else y
        distances = x[:, None] - self.xi
        same = distances == 0
        weights = self.wi / cuprum.where(same, 1.0, distances)
        result = (weights.astype(y.dtype) @ y) / weights.sum(1)[:, None]
        at_point = same.any(1)
        return cuprum.where(at_point[:, None], y[cuprum.argmax(same, 1)], result)

    def _differentiated(self, y):
        """Returns the values at the points of the derivative of the polynomial with values y."""
        distances = self.xi[:, None] - self.xi
        i = cuprum.arange(self.n)
        distances[i, i] = 1.0
        matrix = self.wi / self.wi[:, None] / distances
        matrix[i, i] = 0.0
        matrix[i, i] = -matrix.sum(1)
        return matrix.astype(y.dtype) @ y

    def _all_derivatives(self, x, count):
        y, found = self._y.reshape(self.n, -1), []
        for _ in range(count):
            found.append(self._values(x, y))
            y = self._differentiated(y)
        return found

    def _one_derivative(self, x, der):
        return self._all_derivatives(x, der + 1)[-1]


class KroghInterpolator(_Polynomial):
    """Polynomial in Newton's form; a repeated point has the value and derivatives. The points are read on the host."""

    def __init__(self, xi, yi, axis=0):
        yi, axis = to_front(values(yi), axis)
        super().__init__(axis)
        self.xi = reals(xi, 'xi')
        self.n = self.xi.shape[0]
        if yi.shape[0] != self.n:
            raise ValueError(f'x and y arrays must be equal in length along interpolation axis: {self.n} and {yi.shape[0]}.')
        self._y = cuprum.ascontiguousarray(yi)
        self._x = x = host(self.xi)
        y = self._y.reshape(self.n, -1)
        # Divided differences; a point that repeats has those of its derivatives.
        self.c = cuprum.zeros_like(y)
        order = [0]
        for k in range(1, self.n):
            order.append(order[-1] + 1 if x[k] == x[k - 1] else 0)
        table = cuprum.stack([y[k - order[k]] for k in range(self.n)])
        self.c[0] = table[0]
        factorial = 1.0
        for level in range(1, self.n):
            factorial *= level
            # Row i is the divided difference of the points from i to i + level.
            width = x[level:] - x[:-level]
            repeated = cuprum.asarray(width == 0)[:, None]
            steps = cuprum.asarray(numpy.where(width == 0, 1.0, width))[:, None]
            derivative = [y[min(i - order[i] + level, self.n - 1)] for i in range(self.n - level)]
            table = cuprum.where(repeated, cuprum.stack(derivative) / factorial, cuprum.diff(table, axis=0) / steps)
            self.c[level] = table[0]

    @property
    def yi(self):
        """Values and derivatives, a row for each."""
        return self._y.reshape(self.n, -1)

    def _values(self, x):
        return self._all_derivatives(x, 1)[0]

    def _all_derivatives(self, x, count):
        """Returns derivatives by Horner's scheme of Newton's form, applied once for each order."""
        x = x[:, None]
        found = [cuprum.zeros((x.shape[0], self.c.shape[1]), self.c.dtype) for _ in range(count)]
        for k in range(self.n - 1, -1, -1):
            for d in range(min(count - 1, self.n - 1 - k), 0, -1):
                found[d] = found[d] * (x - self._x[k]) + found[d - 1]
            if found:
                found[0] = found[0] * (x - self._x[k]) + self.c[k]
        factorial = 1.0
        for d in range(1, count):
            factorial *= d
            found[d] = found[d] * factorial
        return found

    def _one_derivative(self, x, der):
        return self._all_derivatives(x, der + 1)[-1]


def _derivatives(p, x, der):
    if numpy.ndim(der) == 0:
        return p(x) if der == 0 else p.derivative(x, der=der)
    found = p.derivatives(x, der=max(der) + 1)
    return found[cuprum.asarray(list(der))]


def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    """Values, or derivatives, of the polynomial through points, by the barycentric formula."""
    return _derivatives(BarycentricInterpolator(xi, yi, axis), x, der)


def krogh_interpolate(xi, yi, x, der=0, axis=0):
    """Values, or derivatives, of the polynomial through points, in Newton's form."""
    return _derivatives(KroghInterpolator(xi, yi, axis), x, der)
