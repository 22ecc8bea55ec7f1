"""Chebyshev series: `numpy.polynomial.chebyshev`."""

import numpy as _np

from cuprum._cuprum import chebinterpolate
from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import _series

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.chebyshev import (
    cheb2poly, chebadd, chebcompanion, chebder, chebdiv, chebfit, chebfromroots, chebgauss, chebgrid2d, chebgrid3d, chebint, chebline, chebmul, chebmulx,
    chebpow, chebpts1, chebpts2, chebroots, chebsub, chebtrim, chebval, chebval2d, chebval3d, chebvalnd, chebvander, chebvander2d, chebvander3d, chebweight,
    poly2cheb,
)
# End of the routines.
# fmt: on

# Coefficients of 0, of 1 and of the variable, and the default domain: arrays of the host.
chebdomain = _np.array([-1.0, 1.0])
chebzero = _np.array([0])
chebone = _np.array([1])
chebx = _np.array([0, 1])


class Chebyshev(_series.Series):
    domain = chebdomain.copy()
    window = chebdomain.copy()
    basis_name = 'T'
    _prefix = 'cheb'

    @classmethod
    def interpolate(cls, func, deg, domain=None, args=()):
        """Returns the series that interpolates a function at the Chebyshev points of the first kind."""
        domain = cls.domain if domain is None else domain
        off, scl = _series.parameters(cls.domain, domain)
        return cls(chebinterpolate(lambda x: func(off + scl * x, *args), deg), domain)


__getattr__ = _lacking(__name__)
