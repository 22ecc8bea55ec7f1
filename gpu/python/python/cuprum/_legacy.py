"""Names that NumPy 2 has removed, and CuPy keeps."""

import numpy as np

from cuprum._cuprum.routines import all as alltrue
from cuprum._cuprum.routines import any as sometrue
from cuprum._cuprum.routines import cumprod as cumproduct
from cuprum._cuprum.routines import prod as product

Inf = Infinity = PINF = infty = np.inf
NINF = -np.inf
NAN = NaN = np.nan
PZERO, NZERO = 0.0, -0.0
cfloat = complex_ = np.complex128
float_ = np.float64
singlecomplex = np.complex64
