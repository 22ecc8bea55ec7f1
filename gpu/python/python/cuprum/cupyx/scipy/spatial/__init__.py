"""Points in space: `scipy.spatial`."""

import importlib as _importlib

from cuprum._not_yet import lacking as _lacking
from cuprum.cupyx.scipy.spatial._convex_hull import ConvexHull
from cuprum.cupyx.scipy.spatial._delaunay import Delaunay, _qhull_error_class
from cuprum.cupyx.scipy.spatial._kdtree import KDTree, cKDTree

__all__ = ['ConvexHull', 'Delaunay', 'KDTree', 'cKDTree', 'distance', 'distance_matrix', 'transform']

distance = _importlib.import_module('cuprum.cupyx.scipy.spatial.distance')

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.spatial import distance_matrix
# End of the routines.
# fmt: on

_missing = _lacking(__name__)


def __getattr__(name):
    if name == 'transform':
        return _importlib.import_module(f'{__name__}.transform')
    if name == 'QhullError':
        # SciPy's class, which is imported where a program names it.
        return _qhull_error_class()
    return _missing(name)
