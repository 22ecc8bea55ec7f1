"""Interpolation in one and several variables, and splines: `cupyx.scipy.interpolate`.

Classes have SciPy's signatures, dtypes and exceptions. Degrees, numbers of knots and numbers of axes are parameters of the kernels, so that a new size
compiles nothing.
"""

from ._bsplines import BSpline, splantider, splder, splev
from ._construction import make_interp_spline, make_lsq_spline
from ._cubic import Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator, pchip_interpolate
from ._fitpack import insert, spalde, splint, sproot
from ._grid import RegularGridInterpolator, interpn
from ._griddata import griddata
from ._interp1d import interp1d
from ._nd import NdBSpline, NdPPoly
from ._piecewise import BPoly, PPoly
from ._polynomial import BarycentricInterpolator, KroghInterpolator, barycentric_interpolate, krogh_interpolate
from ._radial import NearestNDInterpolator, RBFInterpolator
from ._triangles import CloughTocher2DInterpolator, LinearNDInterpolator
from ._univariate import InterpolatedUnivariateSpline, LSQUnivariateSpline, UnivariateSpline, splrep
