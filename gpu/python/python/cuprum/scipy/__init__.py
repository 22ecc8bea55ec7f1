"""SciPy's functions for device arrays: other names of the modules of `cuprum.cupyx.scipy`."""

import importlib as _importlib

from cuprum._not_yet import lacking as _lacking

_MODULES = ('fft', 'fftpack', 'interpolate', 'linalg', 'ndimage', 'signal', 'sparse', 'spatial', 'special', 'stats')
_missing = _lacking(__name__)


def __getattr__(name):
    if name in _MODULES:
        module = globals()[name] = _importlib.import_module(f'{__name__}.{name}')
        return module
    return _missing(name)


def __dir__():
    return sorted({*globals(), *_MODULES})
