"""Timing of calls: `cupyx.profiler`."""

from ._time import _PerfCaseResult, benchmark
from ._range import profile, time_range

__all__ = ['benchmark', 'profile', 'time_range']
