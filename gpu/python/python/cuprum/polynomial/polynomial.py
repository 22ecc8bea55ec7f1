"""Power series: `numpy.polynomial.polynomial`."""

import numpy as _np

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.polynomial import (
    polyadd, polycompanion, polyder, polydiv, polyfit, polyfromroots, polygrid2d, polygrid3d, polyint, polyline, polymul, polymulx, polypow, polyroots,
    polysub, polytrim, polyval, polyval2d, polyval3d, polyvalfromroots, polyvalnd, polyvander, polyvander2d, polyvander3d,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
polydomain = _np.array([-1.0, 1.0])
polyzero = _np.array([0])
polyone = _np.array([1])
polyx = _np.array([0, 1])


class Polynomial(_series.Series):
    domain = polydomain.copy()
    window = polydomain.copy()
    basis_name = None
    _prefix = 'poly'


__getattr__ = _lacking(__name__)
