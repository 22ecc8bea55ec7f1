"""Types for annotations, as `numpy.typing` has them."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NBitBase

import cuprum

__all__ = ['ArrayLike', 'DTypeLike', 'NBitBase', 'NDArray']

_Scalar = TypeVar('_Scalar', bound=np.generic, covariant=True)

# An array with elements of a type: NDArray[numpy.float64].
NDArray = cuprum.ndarray[Any, np.dtype[_Scalar]]
