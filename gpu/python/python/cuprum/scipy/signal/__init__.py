"""`cuprum.scipy.signal`: an alias of `cuprum.cupyx.scipy.signal`, which replaces this module when it is imported."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module('cuprum.cupyx.scipy.signal')
# Its modules are the same ones under this name, too: a second copy of a class would not be recognised.
sys.modules[f'{__name__}.windows'] = importlib.import_module('cuprum.cupyx.scipy.signal.windows')
