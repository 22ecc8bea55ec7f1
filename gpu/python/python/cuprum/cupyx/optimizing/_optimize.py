"""Scopes in which user-defined kernels are tuned for their block sizes."""

import contextlib
import os
import threading
import warnings

from cuprum import _cuprum

__all__ = ['optimize']

# The tuning results by key, kept for the lifetime of the process.
_FOUND = {}
_LOCK = threading.Lock()


def _of(key, max_trials=100, timeout=1.0, expected_total_time_per_trial=100e-6, max_total_time_per_trial=0.1):
    """Returns the tuning results of a key; the configuration is that of its first use, as in CuPy."""
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
    """Tunes the block sizes of `ElementwiseKernel` and `ReductionKernel` in a `with` block, by measurement.

    The first call for some dtypes, shapes and strides tries several sizes; it and later ones use the fastest on the
    device. Results are bit-identical. The block sizes are stored under `key`, for the process, and with `path` in a
    file, which is read if it exists and written if the scope ends without an exception, unless it is `readonly` or
    there are no new results. A file of another key is a ValueError.

    `max_trials` (100), `timeout` (1 second for a call) and `max_total_time_per_trial` (0.1 seconds) limit the
    measurements; `expected_total_time_per_trial` is accepted and ignored. Kernels whose source depends on the
    block, as by `threadIdx`, keep their size, and so do calls with a `block_size`, raw kernels, for which there is
    `RawKernel.tune`, and the library's own functions, whose sizes have been measured.

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
