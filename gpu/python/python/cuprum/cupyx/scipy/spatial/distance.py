"""Distances of points: `scipy.spatial.distance`.

Points of float16, bfloat16 and float32 have distances of float32, those of other dtypes float64; SciPy's are float64 always.
"""

from itertools import combinations as _combinations

import numpy as _np

import cuprum as _cuprum
from cuprum._cuprum import spatial_distance as _distance
from cuprum._cuprum.routines.cupyx.scipy.spatial import distance_matrix
from cuprum._cuprum.routines.cupyx.scipy.spatial.distance import cdist as _cdist
from cuprum._cuprum.routines.cupyx.scipy.spatial.distance import pdist as _pdist
from cuprum._cuprum.routines.cupyx.scipy.special import rel_entr as _rel_entr
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.spatial.distance import squareform
# End of the routines.
# fmt: on

_METRICS = {
    'braycurtis': '',
    'canberra': '',
    'chebyshev': 'chebychev cheby cheb ch',
    'cityblock': 'cblock cb c manhattan l1',
    'correlation': 'co',
    'cosine': 'cos',
    'dice': '',
    'euclidean': 'euclid eu e l2',
    'hamming': 'matching hamm ha h',
    'hellinger': '',
    'jaccard': 'jacc ja j',
    'jensenshannon': 'js',
    'kl_divergence': '',
    'mahalanobis': 'mahal mah',
    'minkowski': 'mi m pnorm',
    'rogerstanimoto': '',
    'russellrao': '',
    'seuclidean': 'se s',
    'sokalsneath': '',
    'sqeuclidean': 'sqe sqeuclid',
    'yule': '',
}
_NAMES = {name: metric for metric, others in _METRICS.items() for name in (metric, *others.split())}


def _metric(metric):
    """Returns the name of a metric that has several; None for a Python function that is not one of SciPy's metrics."""
    if callable(metric):
        # SciPy's functions and those here have the names of their metrics.
        name = getattr(metric, '__name__', '')
        if name in _METRICS and getattr(metric, '__module__', '').endswith('scipy.spatial.distance'):
            return name
        return None
    if not isinstance(metric, str):
        raise TypeError(f'the metric is the name of one, not {metric!r}')
    name = _NAMES.get(metric.lower().removeprefix('test_'))
    if name is None:
        raise ValueError(f'unknown distance metric: {metric!r}')
    return name


def _options(kwargs):
    return {name: _cuprum.asarray(value) if name in ('w', 'V', 'VI') else value for name, value in kwargs.items() if value is not None}


def _rows(x, name):
    x = _cuprum.asarray(x)
    if x.ndim != 2:
        raise ValueError(f'{name} must be a 2-dimensional array.')
    return x


def _call_pairs(metric, pairs, shape, out, kwargs):
    """Calls a Python function for pairs of rows, and returns the results as float64 of a shape, in `out` if it is passed."""
    if out is not None:
        if out.shape != shape:
            raise ValueError('Output array has incorrect shape.')
        if not out.flags.c_contiguous:
            raise ValueError('Output array must be C-contiguous.')
        if out.dtype != float:
            raise ValueError('Output array must be double type.')
    found = _np.array([float(metric(u, v, **kwargs)) for u, v in pairs], float).reshape(shape)
    if out is None:
        return _cuprum.asarray(found)
    out[...] = _cuprum.asarray(found)
    return out


def cdist(XA, XB, metric='euclidean', out=None, **kwargs):
    """Returns the distances of each row of `XA` from each row of `XB`, of the shape (rows of `XA`, rows of `XB`).

    `p` is the exponent of 'minkowski', `w` the weights of columns, `V` the variances of 'seuclidean', `VI` the inverse covariances
    of 'mahalanobis'. With weights, it synchronises to check them. A metric that is a Python function is called for each pair of rows, with arrays of the
    device and the other options, and its results are read one by one: that synchronises for each pair, and suits a few rows.
    """
    name = _metric(metric)
    if name is not None:
        return _cdist(_cuprum.asarray(XA), _cuprum.asarray(XB), metric=name, out=out, **_options(kwargs))
    XA, XB = _rows(XA, 'XA'), _rows(XB, 'XB')
    if XA.shape[1] != XB.shape[1]:
        raise ValueError('XA and XB must have the same number of columns (i.e. feature dimension.)')
    pairs = ((u, v) for u in XA for v in XB)
    return _call_pairs(metric, pairs, (XA.shape[0], XB.shape[0]), out, kwargs)


def pdist(X, metric='euclidean', *, out=None, **kwargs):
    """Returns the distances of the pairs of rows (0, 1), (0, 2), …, (1, 2), …, with the options of `cdist`."""
    name = _metric(metric)
    if name is not None:
        return _pdist(_cuprum.asarray(X), metric=name, out=out, **_options(kwargs))
    X = _rows(X, 'X')
    n = X.shape[0]
    return _call_pairs(metric, _combinations(X, 2), (n * (n - 1) // 2,), out, kwargs)


def _of(metric, u, v, **kwargs):
    u, v = (_cuprum.asarray(x) for x in (u, v))
    for x in (u, v):
        if x.ndim != 1:
            raise ValueError('Input vector should be 1-D.')
    return _distance(u, v, metric, **_options(kwargs))


def minkowski(u, v, p=2, w=None):
    """Returns the p-th root of the sum of |u - v|^p."""
    return _of('minkowski', u, v, p=float(p), w=w)


def canberra(u, v, w=None):
    """Returns the sum of |u - v| / (|u| + |v|), where 0/0 is 0."""
    return _of('canberra', u, v, w=w)


def chebyshev(u, v, w=None):
    """Returns the largest |u - v| among elements with a weight above 0."""
    return _of('chebyshev', u, v, w=w)


def cityblock(u, v, w=None):
    """Returns the sum of |u - v|."""
    return _of('cityblock', u, v, w=w)


def correlation(u, v, w=None, centered=True):
    """Returns one minus the correlation coefficient of two vectors; one minus the cosine of their angle unless `centered`."""
    return _of('correlation' if centered else 'cosine', u, v, w=w)


def cosine(u, v, w=None):
    """Returns one minus the cosine of the angle of two vectors."""
    return _of('cosine', u, v, w=w)


def braycurtis(u, v, w=None):
    """Returns the sum of |u - v|, divided by the sum of |u + v|."""
    return _of('braycurtis', u, v, w=w)


def euclidean(u, v, w=None):
    """Returns the square root of the sum of squares of u - v."""
    return _of('euclidean', u, v, w=w)


def sqeuclidean(u, v, w=None):
    """Returns the sum of squares of u - v."""
    return _of('sqeuclidean', u, v, w=w)


def seuclidean(u, v, V):
    """Returns the square root of the sum of squares of u - v, each divided by its variance in `V`."""
    return _of('seuclidean', u, v, matrix=_cuprum.asarray(V))


def mahalanobis(u, v, VI):
    """Returns the square root of (u - v) VI (u - v)."""
    return _of('mahalanobis', u, v, matrix=_cuprum.asarray(VI))


def hamming(u, v, w=None):
    """Returns the fraction of elements that differ."""
    return _of('hamming', u, v, w=w)


def dice(u, v, w=None):
    """Returns Dice's dissimilarity of two vectors of booleans."""
    return _of('dice', u, v, w=w)


def jaccard(u, v, w=None):
    """Returns Jaccard's dissimilarity of two vectors of booleans: the fraction of the elements that are true in one alone."""
    return _of('jaccard', u, v, w=w)


def rogerstanimoto(u, v, w=None):
    """Returns Rogers' and Tanimoto's dissimilarity of two vectors of booleans."""
    return _of('rogerstanimoto', u, v, w=w)


def russellrao(u, v, w=None):
    """Returns Russell's and Rao's dissimilarity of two vectors of booleans."""
    return _of('russellrao', u, v, w=w)


def sokalsneath(u, v, w=None):
    """Returns Sokal's and Sneath's dissimilarity of two vectors of booleans."""
    return _of('sokalsneath', u, v, w=w)


def yule(u, v, w=None):
    """Returns Yule's dissimilarity of two vectors of booleans."""
    return _of('yule', u, v, w=w)


def hellinger(u, v):
    """Returns Hellinger's distance of two distributions: the square root of 1 minus the sum of sqrt(u v)."""
    return _of('hellinger', u, v)


def kl_divergence(u, v):
    """Returns the Kullback-Leibler divergence of two distributions: the sum of u log(u / v)."""
    return _of('kl_divergence', u, v)


def jensenshannon(u, v, base=None, *, axis=0, keepdims=False):
    """Returns the square root of the Jensen-Shannon divergence of distributions along an axis, which are normalised first."""
    u, v = (_cuprum.asarray(x) for x in (u, v))
    u, v = (x / x.sum(axis, keepdims=True) for x in (u, v))
    middle = (u + v) / 2
    sums = [_rel_entr(x, middle).sum(axis, keepdims=keepdims) for x in (u, v)]
    result = _cuprum.sqrt((sums[0] + sums[1]) / 2)
    return result if base is None else result / float(_np.sqrt(_np.log(base)))


__getattr__ = _lacking(__name__)
