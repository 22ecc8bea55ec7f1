"""Special functions: `scipy.special`."""

from cuprum._cuprum.routines import round, sinc
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.special import (
    cbrt, cosdg, cotdg, digamma, entr, erf, erfc, erfcinv, erfcx, erfinv, exp10, exp2, expit, expm1, gamma, gammainc, gammaincc, gammainccinv, gammaincinv,
    gammaln, huber, i0, i1, j0, j1, kl_div, log1p, log_expit, logit, lpmv, ndtr, poch, polygamma, pseudo_huber, psi, radian, rel_entr, sindg, sph_harm,
    sph_harm_y, sph_legendre_p, tandg, xlog1py, xlogy, y0, y1, yn, zeta,
)
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
