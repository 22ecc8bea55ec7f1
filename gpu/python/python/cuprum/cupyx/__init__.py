"""CuPy's extensions to NumPy's API: `cupyx`."""

import contextlib
import importlib
import threading

import cuprum

from .. import _cuprum, _not_yet
from .._cuprum import DeviceSynchronized
from ._gufunc import GeneralizedUFunc
from ._pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from ._runtime import get_runtime_info

__all__ = [
    'DeviceSynchronized',
    'GeneralizedUFunc',
    'allow_synchronize',
    'empty_like_pinned',
    'empty_pinned',
    'errstate',
    'get_runtime_info',
    'geterr',
    'rsqrt',
    'scatter_add',
    'scatter_max',
    'scatter_min',
    'seterr',
    'zeros_like_pinned',
    'zeros_pinned',
]


# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx import rsqrt
# End of the routines.
# fmt: on


def scatter_add(a, slices, value, *, order='deterministic'):
    """Adds `value` to the elements of `a` that `slices` selects; an element that is selected twice is added to
    twice.

    It is equivalent to `cuprum.add.at`. With `order='any'` floats are added in an order that is not specified, and the
    result may differ in every call; CuPy's order is not specified either.
    """
    cuprum.add.at(a, slices, value, order=order)


def scatter_max(a, slices, value):
    """Sets the elements of `a` that `slices` selects to their maximum with `value`."""
    cuprum.maximum.at(a, slices, value)


def scatter_min(a, slices, value):
    """Sets the elements of `a` that `slices` selects to their minimum with `value`."""
    cuprum.minimum.at(a, slices, value)


_ERRORS = threading.local()


def geterr():
    """Returns the handling of each kind of numerical error. Only the kind `linalg` can be reported."""
    none = dict.fromkeys(('divide', 'over', 'under', 'invalid'))
    return {**none, 'linalg': getattr(_ERRORS, 'linalg', None), 'fallback_mode': None}


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    """Sets the handling of numerical errors in this thread, and returns the previous settings.

    A kernel reports no floating-point error, so that the first four kinds can only be None. A matrix that is
    singular, or invalid for a decomposition, is reported by the next call that synchronises; with `linalg='raise'`
    by the call itself, which then synchronises, and with `'ignore'` it is not reported.
    """
    before = geterr()
    for kind, way in {'divide': divide, 'over': over, 'under': under, 'invalid': invalid}.items():
        if way not in (None, 'ignore'):
            raise NotImplementedError(f'seterr: {kind}={way!r}: a device reports no floating-point errors')
    if linalg not in (None, 'ignore', 'raise'):
        raise NotImplementedError(f"seterr: linalg={linalg!r}: there are 'ignore' and 'raise'")
    if fallback_mode not in (None, 'ignore'):
        raise NotImplementedError('seterr: there is no fallback mode')
    if linalg is not None:
        _say(linalg)
    return before


def _say(linalg):
    _ERRORS.linalg = linalg
    _cuprum.set_linalg_errors(linalg)


@contextlib.contextmanager
def errstate(**kw):
    """Applies the settings of `seterr` in a `with` block."""
    before = seterr(**kw)
    try:
        yield
    finally:
        _say(before['linalg'])


@contextlib.contextmanager
def allow_synchronize(allow):
    """Sets whether calls in a `with` block may synchronise with the device; if not, they raise `DeviceSynchronized`."""
    before = _cuprum.allow_synchronize(bool(allow))
    try:
        yield
    finally:
        _cuprum.allow_synchronize(before)


def __getattr__(name):
    if name in ('jit', 'linalg', 'optimizing', 'scipy', 'profiler', 'time'):
        return importlib.import_module(f'{__name__}.{name}')
    from .._cupy_import import EMPTY, resolve

    if f'cupyx.{name}' in EMPTY and (module := resolve(f'cupyx.{name}')) is not None:
        globals()[name] = module
        return module
    if name in _not_yet.known_names().get('cupyx', ()):
        raise _not_yet.NotYet(_not_yet.sentence(f'cupyx.{name}'))
    raise AttributeError(f"module 'cupyx' has no attribute {name!r}")
