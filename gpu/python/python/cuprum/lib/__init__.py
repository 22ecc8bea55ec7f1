"""Functions of arrays under the names of `numpy.lib`."""

from cuprum._not_yet import lacking as _lacking
from cuprum.lib import stride_tricks

__getattr__ = _lacking(__name__)
