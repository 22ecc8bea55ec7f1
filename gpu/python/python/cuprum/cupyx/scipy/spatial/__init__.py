"""Points in space: `scipy.spatial`."""

import importlib as _importlib

from cuprum._not_yet import lacking as _lacking
from cuprum.cupyx.scipy.spatial._delaunay import Delaunay
from cuprum.cupyx.scipy.spatial._kdtree import KDTree, cKDTree

__all__ = ['Delaunay', 'KDTree', 'cKDTree', 'distance', 'distance_matrix']

distance = _importlib.import_module('cuprum.cupyx.scipy.spatial.distance')

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.spatial import distance_matrix
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
