"""Names that CuPy has and this package does not have yet: they say so."""

import functools
import pathlib
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
    for line in (pathlib.Path(__file__).parent / 'cupy_names.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            module, _, names = line.partition(':')
            table[module] = frozenset(names.split())
    return table


def sentence(full):
    """What is said where a name of CuPy's is used."""
    return f'{full} is not in Cuprum yet'


@functools.lru_cache(maxsize=None)
def module(shown):
    """A module of CuPy's that has nothing yet: it can be imported, and each of its names says that it is not there.

    `shown` is what CuPy calls it.
    """
    made = types.ModuleType(shown, f'{shown} has nothing in Cuprum yet.')

    def __getattr__(name):
        if name in known_names().get(shown, ()):
            raise NotYet(sentence(f'{shown}.{name}'))
        raise AttributeError(f'module {shown!r} has no attribute {name!r}, and nothing else yet')

    made.__getattr__ = __getattr__
    made.__path__ = []
    made.__all__ = []
    return made
