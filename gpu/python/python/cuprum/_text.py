"""Text of arrays, equal to NumPy's with its print options. Of a large array only the edges are transferred."""

import numpy as _np

import cuprum as _cp
from cuprum import _cuprum
from cuprum._decorators import renamed as _renamed
from cuprum._decorators import set_module as _set_module


def edges(a, threshold=None, edgeitems=None):
    """Returns a host array with the elements that NumPy shows: all, or of a large array those at the edges."""
    options = _np.get_printoptions()
    threshold = options['threshold'] if threshold is None else threshold
    count = options['edgeitems'] if edgeitems is None else edgeitems
    if a.size <= threshold:
        return _cp.asnumpy(a)
    shown = _np.ix_(*(_np.r_[:count, n - count : n] if n > 2 * count else _np.arange(n) for n in a.shape))
    host = _np.empty(a.shape, a.dtype)
    host[shown] = _cp.asnumpy(a[tuple(_cp.asarray(at) for at in shown)])
    return host


def _written(a, form, options, **around):
    return _cuprum.array_text(a, form, options, **around) if isinstance(a, _cp.ndarray) else None


def _on_host(a, threshold=None, edgeitems=None):
    return edges(a, threshold, edgeitems) if isinstance(a, _cp.ndarray) else _cp.asnumpy(a)


@_set_module('cuprum')
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Returns the text of `repr`, with other options."""
    options = dict(linewidth=max_line_width, precision=precision, suppress=suppress_small)
    text = _written(arr, 'repr', options)
    return _np.array_repr(_on_host(arr), max_line_width, precision, suppress_small) if text is None else text


@_renamed(arr='a')
@_set_module('cuprum')
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Returns the text of `str`, with other options."""
    options = dict(linewidth=max_line_width, precision=precision, suppress=suppress_small)
    text = _written(a, 'str', options)
    return _np.array_str(_on_host(a), max_line_width, precision, suppress_small) if text is None else text


@_set_module('cuprum')
def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=' ',
    prefix='',
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix='',
    legacy=None,
):
    """Formats the array, with NumPy's options."""
    own = dict(precision=precision, threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode)
    options = dict(own, linewidth=max_line_width, suppress=suppress_small, formatter=formatter, legacy=legacy)
    text = _written(a, 'elements', options, separator=separator, prefix=prefix, suffix=suffix)
    if text is not None:
        return text
    return _np.array2string(
        _on_host(a, threshold, edgeitems),
        max_line_width,
        suppress_small=suppress_small,
        separator=separator,
        prefix=prefix,
        formatter=formatter,
        suffix=suffix,
        legacy=legacy,
        **own,
    )
