"""Registration of functions for device arrays with other libraries, after their import.

Neither does `import cuprum` import such a library, nor the other way round: a registration runs when a module of it
is imported, or at once if it has been imported.
"""

import importlib.abc
import importlib.util
import sys

from cuprum import _autoray, _dask, _xarray

__all__ = ['install']

# Registrations after the import of a module.
_REGISTRATIONS = {**_dask.REGISTRATIONS, **_xarray.REGISTRATIONS, **_autoray.REGISTRATIONS}


def install():
    """Registers the functions for device arrays with other libraries, now or as soon as they are imported."""
    waiting = set()
    for name in _REGISTRATIONS:
        module = sys.modules.get(name)
        if module is None or getattr(module.__spec__, '_initializing', False):
            waiting.add(name)
        else:
            _REGISTRATIONS[name](module)
    if waiting:
        sys.meta_path.insert(0, _Imports(waiting))


class _Imports(importlib.abc.MetaPathFinder):
    """A finder for the imports of some modules, which it finds and loads like the other finders, and after each of
    which it registers functions."""

    def __init__(self, waiting):
        self._waiting = waiting

    def find_spec(self, name, path=None, target=None):
        """Returns the spec of a watched module, with a loader that registers functions after the import."""
        if name not in self._waiting:
            return None
        self._waiting.discard(name)
        if not self._waiting:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _REGISTRATIONS[name](module)

            spec.loader.exec_module = exec_module
        return spec
