"""SciPy's functions for device arrays: `cupyx.scipy`. Its modules are imported on first access."""

import importlib as _importlib

import cuprum as _cuprum

__all__ = ['get_array_module']

_MODULES = ('fft', 'fftpack', 'interpolate', 'linalg', 'ndimage', 'signal', 'sparse', 'spatial', 'special', 'stats')


def get_array_module(*args):
    """Returns `cupyx.scipy` if one of the arguments is a device array or a sparse matrix of one, otherwise `scipy`."""
    if any(isinstance(a, _cuprum.ndarray) or type(a).__module__.startswith('cuprum.') for a in args):
        return _importlib.import_module(__name__)
    return _importlib.import_module('scipy')


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module(f'{__name__}.{name}')
    from cuprum._cupy_import import EMPTY, resolve

    if not name.startswith('_') and f'cupyx.scipy.{name}' in EMPTY:
        module = globals()[name] = resolve(f'cupyx.scipy.{name}')
        return module
    raise AttributeError(f"module 'cupyx.scipy' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_MODULES})
