"""`cuprum.scipy.interpolate`: an alias of `cuprum.cupyx.scipy.interpolate`, which replaces this module when it is imported."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module('cuprum.cupyx.scipy.interpolate')
