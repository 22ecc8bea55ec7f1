"""SciPy's functions for device arrays: `cupyx.scipy`."""

import importlib
import sys

import cuprum

__all__ = ['get_array_module']


def get_array_module(*args):
    """Returns `cupyx.scipy` if one of the arguments is a device array or a sparse matrix of one, otherwise `scipy`."""
    if any(isinstance(a, cuprum.ndarray) or type(a).__module__.startswith('cuprum.') for a in args):
        return importlib.import_module(__name__)
    return importlib.import_module('scipy')


def _share_modules():
    """Makes the modules of `cuprum.scipy` modules of this package too, so that `import cuprum.cupyx.scipy.special`
    works."""
    prefix = 'cuprum.scipy.'
    for name, module in list(sys.modules.items()):
        # A module of a file is one of this package, under another name.
        if name.startswith(prefix) and getattr(module.__spec__, "loader", None) is None:
            rest = name[len(prefix) :]
            sys.modules[f'{__name__}.{rest}'] = module
            if '.' not in rest:
                globals()[rest] = module


_share_modules()


def __getattr__(name):
    from cuprum._cupy_import import EMPTY, resolve

    if not name.startswith('_') and f'cupyx.scipy.{name}' in EMPTY:
        module = resolve(f'cupyx.scipy.{name}')
        globals()[name] = module
        return module
    raise AttributeError(f"module 'cupyx.scipy' has no attribute {name!r}")
