"""Legendre series: `numpy.polynomial.legendre`."""

import numpy as _np

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.legendre import (
    leg2poly, legadd, legcompanion, legder, legdiv, legfit, legfromroots, leggauss, leggrid2d, leggrid3d, legint, legline, legmul, legmulx, legpow,
    legroots, legsub, legtrim, legval, legval2d, legval3d, legvalnd, legvander, legvander2d, legvander3d, legweight, poly2leg,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
legdomain = _np.array([-1.0, 1.0])
legzero = _np.array([0])
legone = _np.array([1])
legx = _np.array([0, 1])


class Legendre(_series.Series):
    domain = legdomain.copy()
    window = legdomain.copy()
    basis_name = 'P'
    _prefix = 'leg'


__getattr__ = _lacking(__name__)
