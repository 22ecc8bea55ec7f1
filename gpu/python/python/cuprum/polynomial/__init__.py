"""Series in six bases of polynomials, as functions of coefficients and as classes: `numpy.polynomial`."""

from numpy.polynomial import set_default_printstyle

from cuprum._not_yet import lacking as _lacking
from cuprum.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from cuprum.polynomial.chebyshev import Chebyshev
from cuprum.polynomial.hermite import Hermite
from cuprum.polynomial.hermite_e import HermiteE
from cuprum.polynomial.laguerre import Laguerre
from cuprum.polynomial.legendre import Legendre
from cuprum.polynomial.polynomial import Polynomial

__getattr__ = _lacking(__name__)
