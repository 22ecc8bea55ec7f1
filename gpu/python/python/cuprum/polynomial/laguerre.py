"""Laguerre series: `numpy.polynomial.laguerre`."""

import numpy as _np

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.laguerre import (
    lag2poly, lagadd, lagcompanion, lagder, lagdiv, lagfit, lagfromroots, laggauss, laggrid2d, laggrid3d, lagint, lagline, lagmul, lagmulx, lagpow,
    lagroots, lagsub, lagtrim, lagval, lagval2d, lagval3d, lagvalnd, lagvander, lagvander2d, lagvander3d, lagweight, poly2lag,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
lagdomain = _np.array([0.0, 1.0])
lagzero = _np.array([0])
lagone = _np.array([1])
lagx = _np.array([1, -1])


class Laguerre(_series.Series):
    domain = lagdomain.copy()
    window = lagdomain.copy()
    basis_name = 'L'
    _prefix = 'lag'


__getattr__ = _lacking(__name__)
