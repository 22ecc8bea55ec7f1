"""Ranges for profilers."""

import contextlib
import functools

import cuprum

__all__ = ['profile', 'time_range']


@contextlib.contextmanager
def profile():
    """Enables the profiler for a `with` block only."""
    cuprum.cuda.profiler.start()
    try:
        yield
    finally:
        cuprum.cuda.profiler.stop()


class time_range(contextlib.ContextDecorator):
    """Marks a `with` block or a function as a named range for profilers.

    With `sync`, the device is synchronised at both ends. A decorator without a message uses the name of the
    function.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError('time_range: a color is given by color_id or by argb_color, not by both')
        self.message, self.color, self.sync = message, -1 if color_id is None else color_id, sync
        self.argb = argb_color

    def __call__(self, func):
        if self.message is None:
            self.message = func.__name__

        @functools.wraps(func)
        def ranged(*args, **kw):
            with self:
                return func(*args, **kw)

        return ranged

    def __enter__(self):
        if self.message is None:
            raise TypeError('time_range: a with statement needs a message')
        self._wait()
        nvtx = cuprum.cuda.nvtx
        if self.argb is not None:
            nvtx.RangePushC(self.message, self.argb)
        else:
            nvtx.RangePush(self.message, self.color)
        return self

    def __exit__(self, *raised):
        self._wait()
        cuprum.cuda.nvtx.RangePop()

    def _wait(self):
        if self.sync:
            cuprum.cuda.Device().synchronize()
