"""Statistics: `scipy.stats`."""

from cuprum._not_yet import lacking as _lacking
from cuprum.cupyx.scipy.stats._kde import gaussian_kde
from cuprum.cupyx.scipy.stats._slices import boxcox_llf, entropy, trim_mean

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.stats import zmap, zscore
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
