"""Names of CuPy that this package does not implement yet: they raise an error."""

import functools
import os
import types

__all__ = ['NotYet', 'NotYetImport', 'known_names', 'lacking', 'module']


class NotYet(NotImplementedError, AttributeError):
    """The error of a CuPy name that is not implemented yet. It is an `AttributeError`, so that `hasattr` returns
    False."""


class NotYetImport(NotImplementedError, ImportError):
    """The error of importing a CuPy name that is not implemented yet. It is an `ImportError`, so that fallbacks for
    one apply."""


@functools.lru_cache(maxsize=None)
def known_names():
    """Returns the names that CuPy documents, by module."""
    table = {}
    with open(os.path.join(os.path.dirname(__file__), 'cupy_names.txt')) as lines:
        for line in lines:
            if not line.startswith('#'):
                module, _, names = line.partition(':')
                table[module] = frozenset(names.split())
    return table


def sentence(full):
    """Returns the message for a CuPy name."""
    return f'{full} is not in Cuprum yet'


def lacking(path):
    """Returns the `__getattr__` of a module for the names that it does not have: CuPy's are not implemented yet, others
    do not exist."""
    shown = 'cupyx' + path[6:] if path.startswith('cuprum.scipy') else path[7:] if path.startswith('cuprum.cupyx') else 'cupy' + path[6:]

    def __getattr__(name):
        if name in known_names().get(shown, ()):
            raise NotYet(sentence(f'{path}.{name}'))
        raise AttributeError(f'module {path!r} has no attribute {name!r}')

    return __getattr__


def _public(shown, name):
    """Looks up a name in an undocumented module: in the list of `_private_names`, or among the public objects of
    the enclosing module.

    Programs use `cupy.cuda.stream.Stream` for `cupy.cuda.Stream`, and `cupy._core.internal.prod`, which is not
    `cupy.prod`.
    """
    from . import _private_names
    from ._cupy_import import resolve

    if _private_names.holds(shown):
        try:
            return _private_names.find(shown, name)
        except KeyError:
            return None
    inner = shown
    while inner not in known_names() and '.' in inner:
        inner = inner.rpartition('.')[0]
    if inner == shown:
        return None
    return getattr(resolve(inner), name, None)


@functools.lru_cache(maxsize=None)
def module(shown):
    """Creates a placeholder for a module of CuPy that does not exist here, so that it can be imported. The names of a
    documented module raise an error; an undocumented one has the names of the enclosing module.

    `shown` is CuPy's name of the module.
    """
    made = types.ModuleType(shown, f'{shown} has nothing in Cuprum yet.')

    def __getattr__(name):
        if not name.startswith('__') and (found := _public(shown, name)) is not None:
            return found
        if name in known_names().get(shown, ()):
            raise NotYet(sentence(f'{shown}.{name}'))
        raise AttributeError(f'module {shown!r} has no attribute {name!r}, and nothing else yet')

    made.__getattr__ = __getattr__
    made.__path__ = []
    made.__all__ = []
    return made
