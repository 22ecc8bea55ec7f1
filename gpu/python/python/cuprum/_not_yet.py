"""Names that CuPy has and this package does not have yet: they say so."""

import functools
import os
import types

__all__ = ['NotYet', 'NotYetImport', 'module', 'known_names']


class NotYet(NotImplementedError, AttributeError):
    """A name of CuPy's that is not there yet. `hasattr` takes it for an attribute that is missing, which it is."""


class NotYetImport(NotImplementedError, ImportError):
    """A name of CuPy's that is imported and is not there yet. What looks out for an `ImportError` gets one."""


@functools.lru_cache(maxsize=None)
def known_names():
    """The names that CuPy documents, by the module that has them."""
    table = {}
    with open(os.path.join(os.path.dirname(__file__), 'cupy_names.txt')) as lines:
        for line in lines:
            if not line.startswith('#'):
                module, _, names = line.partition(':')
                table[module] = frozenset(names.split())
    return table


def sentence(full):
    """What is said where a name of CuPy's is used."""
    return f'{full} is not in Cuprum yet'


def _public(shown, name):
    """Finds what a module that is not documented has under a name: what `_private_names` lists, or the public object of the module
    around it.

    Programs use `cupy.cuda.stream.Stream` for `cupy.cuda.Stream`, and `cupy._core.internal.prod`, which is not `cupy.prod`.
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
    """A module of CuPy's that is none here: it can be imported. Of a documented module each name says that it is not there
    yet; one that is not documented has the names of the module around it.

    `shown` is what CuPy calls it.
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
