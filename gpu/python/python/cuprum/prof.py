"""The old name of `cupyx.profiler.time_range`."""

from .cupyx.profiler import time_range

__all__ = ['TimeRangeDecorator', 'time_range']


class TimeRangeDecorator(time_range):
    """Shows each call of the function that it decorates as a range in a profiler's picture."""
