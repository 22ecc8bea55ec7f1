"""The deprecated name of `cupyx.profiler.benchmark`."""

import warnings

from .profiler import benchmark

__all__ = ['repeat']


def repeat(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=float('inf'), devices=None):
    """Times a call like `cupyx.profiler.benchmark`, with a warning that this name is deprecated."""
    warnings.warn('cupyx.time.repeat is cupyx.profiler.benchmark', FutureWarning, stacklevel=2)
    return benchmark(func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup, max_duration=max_duration, devices=devices)
