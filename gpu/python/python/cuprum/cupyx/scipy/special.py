"""Special functions: `scipy.special`."""

import cuprum as _cuprum
from cuprum import rint as round
from cuprum._cuprum.routines import sinc
from cuprum._cuprum.routines.cupyx.scipy.special import zeta as _zeta
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.special import (
    bdtr, bdtrc, bdtri, beta, betainc, betaincinv, betaln, binom, boxcox, boxcox1p, btdtr, btdtri, cbrt, chdtr, chdtrc, chdtri, cosdg, cosm1, cotdg,
    digamma, ellipeinc, ellipj, ellipk, ellipkinc, ellipkm1, entr, erf, erfc, erfcinv, erfcx, erfinv, exp1, exp10, exp2, expi, expit, expm1, expn, exprel,
    fdtr, fdtrc, fdtri, gamma, gammainc, gammaincc, gammainccinv, gammaincinv, gammaln, gammasgn, gdtr, gdtrc, huber, i0, i0e, i1, i1e, inv_boxcox,
    inv_boxcox1p, j0, j1, k0, k0e, k1, k1e, kl_div, lambertw, log1p, log_expit, log_ndtr, log_softmax, loggamma, logit, logsumexp, lpmv, multigammaln,
    nbdtr, nbdtrc, nbdtri, ndtr, ndtri, pdtr, pdtrc, pdtri, poch, polygamma, pseudo_huber, psi, radian, rel_entr, rgamma, shichi, sici, sindg, softmax,
    softplus, sph_harm, sph_harm_y, sph_legendre_p, spherical_yn, tandg, wright_bessel, xlog1py, xlogy, y0, y1, yn, zetac,
)
# End of the routines.
# fmt: on


def zeta(x, q=None, out=None):
    """Returns Hurwitz' zeta function of `x` and `q`, or Riemann's zeta function without `q`."""
    if q is None:
        return _cuprum.add(zetac(x), 1, out=out)
    return _zeta(x, q, out)


__getattr__ = _lacking(__name__)
