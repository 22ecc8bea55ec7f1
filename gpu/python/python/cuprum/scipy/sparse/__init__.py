"""`cuprum.scipy.sparse`: an alias of `cuprum.cupyx.scipy.sparse`, which replaces this module when it is imported."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module('cuprum.cupyx.scipy.sparse')
# Its modules are the same ones under this name, too: a second copy of a class would not be recognised.
for _name in ('csgraph', 'linalg'):
    sys.modules[f'{__name__}.{_name}'] = importlib.import_module(f'cuprum.cupyx.scipy.sparse.{_name}')
