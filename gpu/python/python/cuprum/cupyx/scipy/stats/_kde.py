"""Estimation of densities by sums of normal distributions."""

import math
import numbers

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._decorators import set_module

# Numbers of radial functions and of squared distances in the engine of radial sums.
_GAUSSIAN, _SQUARED_DISTANCE = 7, 9
# Elements of a block of distances.
_BLOCK = 1 << 24


def _host(a):
    return cuprum.asnumpy(a) if isinstance(a, cuprum.ndarray) else numpy.asarray(a)


@set_module('cuprum.cupyx.scipy.stats')
class gaussian_kde:
    """Estimate of a density by a normal distribution around each point of `dataset`, of the shape (dimensions, points) or (points,).

    `bw_method` is `'scott'`, `'silverman'`, a factor of the standard deviations, or a function of the estimate that returns it. The covariance, a matrix of as many rows as dimensions, is factored on the
    host, which synchronises; sums over the points run on the device, in float64, by the tiled kernel of radial functions, each in the order of the points.
    """

    def __init__(self, dataset, bw_method=None, weights=None):
        self.dataset = cuprum.atleast_2d(cuprum.asarray(dataset)).astype(float)
        if not self.dataset.size > 1:
            raise ValueError('`dataset` input should have multiple elements.')
        self.d, self.n = self.dataset.shape
        if weights is None:
            self._weights = cuprum.full(self.n, 1 / self.n)
            self._neff = float(self.n)
        else:
            weights = cuprum.atleast_1d(cuprum.asarray(weights)).astype(float)
            if weights.ndim != 1:
                raise ValueError('`weights` input should be one-dimensional.')
            if weights.size != self.n:
                raise ValueError(f'`weights` input should be of length n: {weights.size} and {self.n}')
            self._weights = weights / weights.sum()
            self._neff = float(1 / (self._weights**2).sum())
        if self.d > self.n:
            raise ValueError(
                f'Number of dimensions is greater than number of samples: {self.d} and {self.n}. Each row of `dataset` is a dimension, and each column a sample: did you pass the transpose?'
            )
        deviations = self.dataset - (self.dataset * self._weights).sum(axis=1, keepdims=True)
        # The unbiased covariance of weighted samples.
        self._data_covariance = ((deviations * self._weights) @ deviations.T).get() / (1 - 1 / self._neff)
        self.set_bandwidth(bw_method)

    @property
    def weights(self):
        """The weights of the points, whose sum is 1."""
        return self._weights

    @property
    def neff(self):
        """The effective number of points."""
        return self._neff

    def scotts_factor(self):
        """Returns the factor of D. W. Scott, "Multivariate Density Estimation", 1992."""
        return self._neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self):
        """Returns the factor of B. W. Silverman, "Density Estimation for Statistics and Data Analysis", 1986."""
        return (self._neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    covariance_factor = scotts_factor

    def set_bandwidth(self, bw_method=None):
        """Sets the factor of the standard deviations."""
        if bw_method is None or bw_method == 'scott':
            self.covariance_factor = self.scotts_factor
        elif bw_method == 'silverman':
            self.covariance_factor = self.silverman_factor
        elif isinstance(bw_method, numbers.Real) or getattr(bw_method, 'shape', None) == ():
            factor = float(bw_method)
            self.covariance_factor = lambda: factor
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        else:
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        self.factor = float(self.covariance_factor())
        covariance = self._data_covariance * self.factor**2
        try:
            self._root = numpy.linalg.cholesky(covariance)
        except numpy.linalg.LinAlgError as error:
            raise numpy.linalg.LinAlgError(
                'The covariance of the data is singular: its points are in a subspace. Reduce their dimensions, as by a singular value decomposition.'
            ) from error
        self._covariance = covariance
        self.covariance = cuprum.asarray(covariance)
        self.log_det = float(2 * numpy.log(numpy.diag(self._root) * math.sqrt(2 * math.pi)).sum())

    @property
    def inv_cov(self):
        """The inverse of the covariance."""
        return cuprum.asarray(numpy.linalg.inv(self._covariance))

    def _points(self, points):
        """Returns points as columns of as many rows as dimensions."""
        points = cuprum.atleast_2d(cuprum.asarray(points)).astype(float)
        d, m = points.shape
        if d != self.d:
            if d != 1 or m != self.d:
                raise ValueError(f'points have dimension {d}, dataset has dimension {self.d}')
            points = points.reshape(self.d, 1)
        return points

    @staticmethod
    def _whitened(points, root):
        """Returns points as rows, in coordinates in which the covariance is the identity."""
        return cuprum.ascontiguousarray(points.T @ cuprum.asarray(numpy.linalg.inv(root).T))

    @staticmethod
    def _sums(points, centres, weights):
        """Returns the sums of weights times exp(-r^2 / 2) over all centres at each point."""
        return _cuprum.interpolate_radial(points, centres, cuprum.ascontiguousarray(weights[:, None]), _GAUSSIAN, math.sqrt(0.5))[:, 0]

    def evaluate(self, points):
        """Returns the density at points of the shape (dimensions, points)."""
        points = self._points(points)
        sums = self._sums(self._whitened(points, self._root), self._whitened(self.dataset, self._root), self._weights)
        return sums * math.exp(-0.5 * self.log_det)

    __call__ = evaluate

    def pdf(self, x):
        """Returns the density at points; same as `evaluate`."""
        return self.evaluate(x)

    def logpdf(self, x):
        """Returns the logarithm of the density at points, which does not underflow."""
        from cuprum.cupyx.scipy.special import logsumexp

        points, centres = self._whitened(self._points(x), self._root), self._whitened(self.dataset, self._root)
        block, found = max(1, _BLOCK // self.n), []
        for begin in range(0, points.shape[0], block):
            squares = _cuprum.interpolate_radial(points[begin : begin + block], centres, None, _SQUARED_DISTANCE, 1.0)
            found.append(logsumexp(-0.5 * squares, axis=1, b=self._weights))
        return (cuprum.concatenate(found) if found else cuprum.empty(0)) - 0.5 * self.log_det

    def integrate_gaussian(self, mean, cov):
        """Returns the integral of the product with a normal distribution."""
        mean, cov = numpy.atleast_1d(numpy.squeeze(_host(mean))), numpy.atleast_2d(_host(cov))
        if mean.shape != (self.d,):
            raise ValueError(f'mean does not have dimension {self.d}')
        if cov.shape != (self.d, self.d):
            raise ValueError(f'covariance does not have dimension {self.d}')
        root = numpy.linalg.cholesky(self._covariance + cov)
        sums = self._sums(self._whitened(cuprum.asarray(mean.astype(float)[:, None]), root), self._whitened(self.dataset, root), self._weights)
        return float(sums[0]) * self._scale(root)

    @staticmethod
    def _scale(root):
        return math.exp(-float(numpy.log(numpy.diag(root) * math.sqrt(2 * math.pi)).sum()))

    def integrate_box_1d(self, low, high):
        """Returns the integral of a density of one dimension between limits."""
        from cuprum.cupyx.scipy.special import ndtr

        if self.d != 1:
            raise ValueError('integrate_box_1d() only handles 1D pdfs')
        deviation = math.sqrt(self._covariance[0, 0])
        below, above = (ndtr((float(limit) - self.dataset[0]) / deviation) for limit in (low, high))
        return float((self._weights * (above - below)).sum())

    def integrate_box(self, low_bounds, high_bounds, maxpts=None, *, rng=None):
        """Raises an error: SciPy integrates over boxes by random points, on the host."""
        raise NotImplementedError('gaussian_kde.integrate_box is not supported: integrate_box_1d integrates densities of one dimension')

    def integrate_kde(self, other):
        """Returns the integral of the product with another estimate."""
        if other.d != self.d:
            raise ValueError('KDEs are not the same dimensionality')
        root = numpy.linalg.cholesky(self._covariance + other._covariance)
        sums = self._sums(self._whitened(self.dataset, root), self._whitened(other.dataset, root), other._weights)
        return float((self._weights * sums).sum()) * self._scale(root)

    def resample(self, size=None, seed=None):
        """Returns samples of the density, of the shape (dimensions, size). `seed` is a generator of the device, or a seed."""
        size = int(self._neff) if size is None else int(size)
        generator = seed if isinstance(seed, cuprum.random.Generator) else cuprum.random.default_rng(seed)
        noise = cuprum.asarray(self._root) @ generator.standard_normal((self.d, size))
        chosen = cuprum.searchsorted(cuprum.cumsum(self._weights), generator.random(size))
        return self.dataset[:, cuprum.minimum(chosen, self.n - 1)] + noise

    def marginal(self, dimensions):
        """Returns the estimate of the density of some of the dimensions."""
        chosen = numpy.atleast_1d(_host(dimensions))
        if not numpy.issubdtype(chosen.dtype, numpy.integer):
            raise ValueError('Elements of `dimensions` must be integers - the indices of the marginal variables being retained.')
        n = len(self.dataset)
        if ((chosen < -n) | (chosen >= n)).any():
            raise ValueError(f'Dimensions {chosen[(chosen < -n) | (chosen >= n)].tolist()} are invalid for a distribution in {n} dimensions.')
        chosen = chosen % n
        if len(set(chosen.tolist())) != len(chosen):
            raise ValueError('All elements of `dimensions` must be unique.')
        return gaussian_kde(self.dataset[cuprum.asarray(chosen)], self.factor, self._weights)
