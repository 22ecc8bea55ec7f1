"""Rotations of space: `scipy.spatial.transform`. SciPy's functions that CuPy does not have."""

from cuprum.cupyx.scipy.spatial.transform._rotation import Rotation
from cuprum.cupyx.scipy.spatial.transform._rotation_spline import RotationSpline
from cuprum.cupyx.scipy.spatial.transform._slerp import Slerp

__all__ = ['Rotation', 'RotationSpline', 'Slerp']
