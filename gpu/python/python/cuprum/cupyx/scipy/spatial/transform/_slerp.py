"""Spherical linear interpolation of rotations."""

import numpy

import cuprum
from cuprum._decorators import set_module

from ._rotation import Rotation


@set_module('cuprum.cupyx.scipy.spatial.transform')
class Slerp:
    """Interpolant of rotations at ascending times: between two of them the angle is proportional to the time. Creating one, and calling it, synchronises to check times."""

    def __init__(self, times, rotations):
        if not isinstance(rotations, Rotation):
            raise TypeError('`rotations` must be a `Rotation` instance.')
        if len(rotations.shape) > 1:
            raise ValueError(f'Rotations with more than 1 leading dimension are not supported: their shape is {rotations.shape}.')
        if rotations.single or len(rotations) <= 1:
            raise ValueError('`rotations` must be a sequence of at least 2 rotations.')
        times = cuprum.asarray(times)
        times = times if times.dtype.kind == 'f' else times.astype(float)
        if times.ndim != 1:
            raise ValueError(f'Expected times to be specified in a 1 dimensional array, got {times.ndim} dimensions.')
        if times.shape[0] != len(rotations):
            raise ValueError(
                f'Expected number of rotations to be equal to number of timestamps given, got {len(rotations)} rotations and {times.shape[0]} timestamps.'
            )
        self.times = times
        self.timedelta = cuprum.diff(times)
        if (self.timedelta <= 0).any():
            raise ValueError('Times must be in strictly increasing order.')
        self.rotations = rotations[:-1]
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()

    def __call__(self, times):
        """Returns the rotations at times, within those of the rotations given."""
        times = cuprum.asarray(times)
        single = times.ndim == 0
        times = times.reshape(-1) if single else times
        if times.ndim > 1:
            raise ValueError('`times` must be at most 1-dimensional.')
        if times.size and ((times < self.times[0]) | (times > self.times[-1])).any():
            low, high = (float(t) for t in self.times[numpy.array([0, -1])])
            raise ValueError(f'Interpolation times must be within the range [{low}, {high}], both inclusive.')
        at = cuprum.maximum(cuprum.searchsorted(self.times, times) - 1, 0)
        share = (times - self.times[at]) / self.timedelta[at]
        found = self.rotations[at] * Rotation.from_rotvec(self.rotvecs[at] * share[:, None])
        return found[0] if single else found
