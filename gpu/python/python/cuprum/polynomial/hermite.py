"""Hermite series of the physicists: `numpy.polynomial.hermite`."""

import numpy as _np

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.hermite import (
    herm2poly, hermadd, hermcompanion, hermder, hermdiv, hermfit, hermfromroots, hermgauss, hermgrid2d, hermgrid3d, hermint, hermline, hermmul, hermmulx,
    hermpow, hermroots, hermsub, hermtrim, hermval, hermval2d, hermval3d, hermvalnd, hermvander, hermvander2d, hermvander3d, hermweight, poly2herm,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
hermdomain = _np.array([-1.0, 1.0])
hermzero = _np.array([0])
hermone = _np.array([1])
hermx = _np.array([0, 0.5])


class Hermite(_series.Series):
    domain = hermdomain.copy()
    window = hermdomain.copy()
    basis_name = 'H'
    _prefix = 'herm'


__getattr__ = _lacking(__name__)
