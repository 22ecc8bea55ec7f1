"""Statistics along axes: several axes at once, treatment of NaN, and axes that are kept."""

import math

import cuprum
from cuprum._cuprum.routines.cupyx.scipy.stats import boxcox_llf as _boxcox_llf
from cuprum._cuprum.routines.cupyx.scipy.stats import entropy as _entropy
from cuprum._cuprum.routines.cupyx.scipy.stats import trim_mean as _trim_mean

from .._axes import normalize_axis

_POLICIES = ('raise', 'propagate', 'omit')


def _axes(axis, ndim):
    """Returns distinct non-negative axes."""
    if axis is None:
        return list(range(ndim))
    axes = [normalize_axis(a, ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
    if len(set(axes)) != len(axes):
        raise ValueError('`axis` must contain only distinct elements')
    return axes


def _rows(a, axes):
    """Returns an array whose last axis has the elements along axes."""
    others = [n for n in range(a.ndim) if n not in axes]
    a = cuprum.transpose(a, (*others, *axes))
    return a.reshape((*a.shape[: len(others)], math.prod(a.shape[len(others) :])))


def _without_nan(statistic, arrays, unknown):
    """Returns a statistic of each slice without the positions where an array has a NaN. It synchronises."""
    shape = arrays[0].shape
    known = ~unknown.reshape((-1, shape[-1]))
    slices = [a.reshape((-1, shape[-1])) for a in arrays]
    results = []
    for n, count in enumerate(known.sum(axis=1).tolist()):
        parts = [a[n][known[n]] for a in slices]
        # SciPy's statistics of no elements are NaN.
        results.append(statistic(*parts) if count else cuprum.full((), math.nan))
    return cuprum.stack(results).reshape(shape[:-1])


def _reduced(statistic, arrays, axis, nan_policy, keepdims):
    """Returns a statistic of arrays along axes; `statistic` reduces the last axis of arrays."""
    if nan_policy not in _POLICIES:
        raise ValueError(f'nan_policy must be one of {_POLICIES}, not {nan_policy!r}')
    arrays = cuprum.broadcast_arrays(*(cuprum.atleast_1d(cuprum.asarray(a)) for a in arrays))
    ndim = arrays[0].ndim
    axes = _axes(axis, ndim)
    kept = tuple(1 if n in axes else length for n, length in enumerate(arrays[0].shape))
    arrays = [_rows(a, axes) for a in arrays]
    result = None
    if any(a.dtype.kind in 'fc' for a in arrays) and arrays[0].size:
        unknown = cuprum.isnan(arrays[0])
        for a in arrays[1:]:
            unknown = unknown | cuprum.isnan(a)
        if nan_policy == 'propagate':
            result = statistic(*arrays)
            result = cuprum.where(unknown.any(axis=-1), math.nan, result).astype(result.dtype, copy=False)
        elif unknown.any():
            if nan_policy == 'raise':
                raise ValueError('The input contains nan values')
            result = _without_nan(statistic, arrays, unknown)
    if result is None:
        result = statistic(*arrays)
    return result.reshape(kept) if keepdims else result


def entropy(pk, qk=None, base=None, axis=0, *, nan_policy='propagate', keepdims=False):
    """Returns the Shannon entropy of distributions along axes, or the relative entropy with `qk`. Distributions are normalised to a sum of 1 first.

    `nan_policy` is 'propagate', 'raise' or 'omit'; the last two synchronise.
    """
    if qk is None:
        return _reduced(lambda p: _entropy(p, None, base, -1), [pk], axis, nan_policy, keepdims)
    return _reduced(lambda p, q: _entropy(p, q, base, -1), [pk, qk], axis, nan_policy, keepdims)


def trim_mean(a, proportiontocut, axis=0, *, nan_policy='propagate', keepdims=False):
    """Returns the mean along axes without a fraction of the smallest and of the largest elements.

    `nan_policy` is 'propagate', 'raise' or 'omit'; the last two synchronise.
    """
    return _reduced(lambda rows: _trim_mean(rows, proportiontocut, -1), [a], axis, nan_policy, keepdims)


def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy='propagate'):
    """Returns the logarithm of the likelihood of the exponent of a Box-Cox transform along axes, given positive data.

    `nan_policy` is 'propagate', 'raise' or 'omit'; the last two synchronise.
    """
    return _reduced(lambda rows: _boxcox_llf(lmb, cuprum.moveaxis(rows, -1, 0)), [data], axis, nan_policy, keepdims)
