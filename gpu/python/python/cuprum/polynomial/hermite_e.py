"""Hermite series of the probabilists: `numpy.polynomial.hermite_e`."""

import numpy as _np

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.hermite_e import (
    herme2poly, hermeadd, hermecompanion, hermeder, hermediv, hermefit, hermefromroots, hermegauss, hermegrid2d, hermegrid3d, hermeint, hermeline, hermemul,
    hermemulx, hermepow, hermeroots, hermesub, hermetrim, hermeval, hermeval2d, hermeval3d, hermevalnd, hermevander, hermevander2d, hermevander3d,
    hermeweight, poly2herme,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
hermedomain = _np.array([-1.0, 1.0])
hermezero = _np.array([0])
hermeone = _np.array([1])
hermex = _np.array([0, 1])


class HermiteE(_series.Series):
    domain = hermedomain.copy()
    window = hermedomain.copy()
    basis_name = 'He'
    _prefix = 'herme'


__getattr__ = _lacking(__name__)
