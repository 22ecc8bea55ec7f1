"""Names of the main namespace in addition to the functions of the call table: NumPy's own objects under CuPy's
names, modules that are imported on first access, and names that are not implemented yet."""

import importlib
import sys

import numpy as np

from . import _array_api, _cupy_import, _not_yet

__all__ = ['add']

# Objects of NumPy that need no device.
ALIASES = (
    'base_repr',
    'binary_repr',
    'broadcast_shapes',
    'bool',
    'byte',
    'bool_',
    'get_printoptions',
    'index_exp',
    'issubdtype',
    'iterable',
    'long',
    'mintypecode',
    'ndindex',
    'printoptions',
    's_',
    'set_printoptions',
    'short',
    'typename',
    'ulong',
)

# NumPy has these in `exceptions`; programs still use them from the main namespace.
EXCEPTIONS = ('AxisError', 'ComplexWarning', 'ModuleDeprecationWarning', 'RankWarning', 'TooHardError', 'VisibleDeprecationWarning')

# Modules that are files of the package, imported on first access.
MODULES = ('cupyx', 'exceptions', 'prof', 'random', 'testing', 'typing')


def get_array_module(*args):
    """Returns `cuprum` if one of the arguments is a device array, else `numpy`. A program that uses the result
    works with arrays of both."""
    import cuprum

    if any(isinstance(a, cuprum.ndarray) for a in args):
        return cuprum
    return np


def is_available():
    """Returns whether there is a device that runs kernels: a GPU, or the simulator. `cuda.is_available` tests for a
    GPU."""
    import cuprum

    try:
        return cuprum.cuda.runtime.getDeviceCount() > 0
    except Exception:
        return False


def isnat(x, /, out=None, **options):
    """Tests whether each datetime64 or timedelta64 is NaT (not a time)."""
    from cuprum import _nonnumeric

    return _nonnumeric.isnat(x, out, **options)


OWN = (get_array_module, is_available, isnat, _cupy_import.install_as_cupy)


def _missing(name):
    """Handles a missing name of the main namespace: a module is imported, and stored."""
    package = sys.modules['cuprum']
    if name in MODULES:
        return importlib.import_module(f'cuprum.{name}')
    if name == 'array_api':
        return package
    if f'cupy.{name}' in _cupy_import.EMPTY:
        module = vars(package)[name] = _not_yet.module(f'cupy.{name}')
        return module
    if name in _not_yet.known_names()['cupy']:
        raise _not_yet.NotYet(_not_yet.sentence(f'cuprum.{name}'))
    raise AttributeError(f"module 'cuprum' has no attribute {name!r}")


def add(namespace):
    """Adds missing names to the main namespace; existing names are kept."""
    for name in ALIASES:
        namespace.setdefault(name, getattr(np, name))
    namespace.setdefault('DataSource', np.lib.npyio.DataSource)
    namespace.setdefault('format_parser', np.rec.format_parser)
    for function in OWN:
        namespace.setdefault(function.__name__, function)
    _array_api.complete(namespace)
    for name in EXCEPTIONS:
        namespace.setdefault(name, getattr(np.exceptions, name))
    from . import _call_signatures, _linalg_names, _polynomial_classes, _stride_tricks, _transform_names

    _transform_names.complete(namespace)
    _linalg_names.complete_main(namespace)
    if 'cuprum.linalg' in sys.modules:
        _linalg_names.complete(vars(sys.modules['cuprum.linalg']))
    if 'cuprum.scipy.linalg' in sys.modules:
        _linalg_names.complete_scipy(vars(sys.modules['cuprum.scipy.linalg']))
    if 'cuprum.scipy.signal' in sys.modules:
        from . import _signal_windows

        _signal_windows.complete(vars(sys.modules['cuprum.scipy.signal']))
    special = sys.modules.get('cuprum.scipy.special')
    if special is not None:
        # SciPy has them among the special functions, too.
        for name in ('round', 'sinc'):
            vars(special).setdefault(name, namespace[name])
    tricks = sys.modules.get('cuprum.lib.stride_tricks')
    if tricks is not None:
        vars(tricks).setdefault('sliding_window_view', _stride_tricks.sliding_window_view)
    if 'cuprum.polynomial' in sys.modules:
        _polynomial_classes.complete(sys.modules['cuprum.polynomial'])
    _call_signatures.complete(namespace, None if tricks is None else vars(tricks))
    namespace.setdefault('__version__', _version())
    namespace.setdefault('__getattr__', _missing)


def _version():
    # The version of the crate; that of the distribution would have to be looked up on disk at each start.
    from . import _cuprum

    return getattr(_cuprum, '__version__', '0.1.0')
