"""Marks of tests: hardware requirements and duration."""

import unittest

from ._modules import cuprum

__all__ = ['gpu', 'multi_gpu', 'slow']


def _mark(name):
    """Returns pytest's mark, or a decorator without effect if pytest is not installed."""
    try:
        import pytest
    except ImportError:
        return lambda test: test
    return getattr(pytest.mark, name)


def slow(test=None):
    """Marks a slow test, for `pytest -m 'not slow'`."""
    return _mark('slow') if test is None else _mark('slow')(test)


def device_count():
    """Returns the number of devices; the simulator counts as one."""
    try:
        return cuprum.cuda.runtime.getDeviceCount()
    except (AttributeError, NotImplementedError):
        return 1


def multi_gpu(gpu_num):
    """Skips a test if there are fewer than `gpu_num` devices."""
    if not isinstance(gpu_num, int):
        raise TypeError(f'multi_gpu() takes the number of devices, not {gpu_num!r}')

    def decorator(test):
        count = device_count()
        if count < gpu_num:
            return unittest.skip(f'{gpu_num} GPUs are needed, and there are {count}')(test)
        return _mark('multi_gpu')(test)

    return decorator


def gpu(test):
    """Marks a test that needs a device. The simulator is one, so that nothing is skipped."""
    return _mark('gpu')(test)
