"""Control of a profiler: CuPy's `cupy.cuda.profiler`.

Without an attached profiler these calls do nothing, as in CUDA.
"""

from cuprum import _cuprum

__all__ = ["initialize", "start", "stop"]


def initialize(config_file, output_file, output_mode):
    """Does nothing: it configures profilers for CUDA before 11 only."""
    raise NotImplementedError("profiler.initialize: CUDA has no such function since version 12; start and stop need none")


def start():
    """Starts the profiler."""
    _cuprum.profiler(True)


def stop():
    """Stops the profiler."""
    _cuprum.profiler(False)
