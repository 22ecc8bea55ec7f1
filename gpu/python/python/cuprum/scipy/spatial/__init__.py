"""`cuprum.scipy.spatial`: an alias of `cuprum.cupyx.scipy.spatial`, which replaces this module when it is imported."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module('cuprum.cupyx.scipy.spatial')
# Its modules are the same ones under this name, too: a second copy of a class would not be recognised.
sys.modules[f'{__name__}.distance'] = importlib.import_module('cuprum.cupyx.scipy.spatial.distance')
sys.modules[f'{__name__}.transform'] = importlib.import_module('cuprum.cupyx.scipy.spatial.transform')
