"""Interpolation in one and several variables, and splines: `cupyx.scipy.interpolate`."""

from ._cubic import Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator, pchip_interpolate
from ._piecewise import BPoly, PPoly
