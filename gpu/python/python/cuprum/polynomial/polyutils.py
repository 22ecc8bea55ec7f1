"""Functions for series in any basis: `numpy.polynomial.polyutils`."""

import numpy as _np

from cuprum._cuprum.routines.polynomial.polyutils import trimseq as _trimseq
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.polynomial.polyutils import as_series, getdomain, mapdomain, mapparms, trimcoef
# End of the routines.
# fmt: on


def trimseq(seq):
    """Returns the coefficients without trailing zeros."""
    if _np.ndim(seq) == 0:
        raise TypeError('trimseq: seq has no axis: it must have one, of coefficients')
    return _trimseq(seq)


__getattr__ = _lacking(__name__)
