"""A scope in which kernels of the user's look for the sizes of their blocks."""

import contextlib
import os
import threading
import warnings

from cuprum import _cuprum

__all__ = ['optimize']

# What was found by key, for as long as the process lives.
_FOUND = {}
_LOCK = threading.Lock()


def _of(key, max_trials=100, timeout=1.0, expected_total_time_per_trial=100e-6, max_total_time_per_trial=0.1):
    """What was found by this key; the configuration is that of its first use, as in CuPy."""
    if key is not None and not isinstance(key, str):
        raise TypeError(f'optimize: key is a str or None, not {type(key).__name__}')
    if int(max_trials) < 1:
        raise ValueError(f'optimize: max_trials is 1 or more, not {max_trials}')
    for what, given in (('timeout', timeout), ('max_total_time_per_trial', max_total_time_per_trial)):
        if not 0 <= given < 1e9:
            raise ValueError(f'optimize: {what} is a number of seconds, not {given}')
    with _LOCK:
        if key not in _FOUND:
            _FOUND[key] = _cuprum.TuningHandle(key, int(max_trials), float(timeout), float(max_total_time_per_trial))
        return _FOUND[key]


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config_dict):
    """A scope in which `ElementwiseKernel` and `ReductionKernel` look for the sizes of their blocks, by measuring.

    The first call for some dtypes, shapes and strides tries several sizes; it and later ones use the one that took the least time on
    the device. Results are the same to the bit. What is found is kept by `key`, for the process, and with `path` in a file, which is
    read if it is there and written as the scope ends without an exception, unless it is `readonly` or nothing new was found. A file of another
    key is a ValueError.

    `max_trials` (100), `timeout` (1 second for a call) and `max_total_time_per_trial` (0.1 seconds) say how long it tries;
    `expected_total_time_per_trial` is taken and says nothing here. Kernels whose text can tell blocks apart, as by `threadIdx`, keep their size, and
    so do calls with a `block_size`, raw kernels, which `RawKernel.tune` is for, and the library's own functions, which have sizes that were measured.

    >>> import cuprum as cp
    >>> from cuprum.cupyx.optimizing import optimize
    >>> square = cp.ElementwiseKernel('T x', 'T y', 'y = x * x', 'square')
    >>> with optimize(key='squares', timeout=0.1):
    ...     y = square(cp.arange(4))
    >>> y
    array([0, 1, 4, 9])
    """
    found = _of(key, **config_dict)
    if path is not None:
        path = os.fspath(path)
        if os.path.exists(path):
            found.load(path)
        elif readonly:
            warnings.warn(f'optimize: {path} is not there, and readonly=True keeps it from being written', stacklevel=3)
    found.begin()
    try:
        yield found
    finally:
        found.end()
    if path is not None and not readonly and (found.is_dirty or not os.path.exists(path)):
        found.save(path)
