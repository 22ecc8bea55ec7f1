"""Where a profiler begins and ends: CuPy's `cupy.cuda.profiler`.

Where no profiler of NVIDIA's looks on, these calls have nothing to do, and do nothing: so does CUDA.
"""

from cuprum import _cuprum

__all__ = ["initialize", "start", "stop"]


def initialize(config_file, output_file, output_mode):
    """Does nothing but for CUDA before 11, which this function configures profilers of."""
    raise NotImplementedError("profiler.initialize: CUDA has no such function since version 12; start and stop need none")


def start():
    """A profiler looks from here on."""
    _cuprum.profiler(True)


def stop():
    """A profiler looks no more."""
    _cuprum.profiler(False)
