"""The choice between sums of products and transforms for a convolution."""

from cuprum._cuprum.routines.cupyx.scipy.signal import choose_conv_method as _choose_conv_method
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve

__all__ = ['choose_conv_method']


def _seconds(call):
    """Returns the seconds of a call on the device, the best of some."""
    from cuprum.cupyx.profiler import benchmark

    return float(benchmark(call, n_repeat=5, n_warmup=1).gpu_times.min())


def choose_conv_method(in1, in2, mode='full', measure=False):
    """Chooses between sums of products and transforms for a convolution, by speed: `'direct'` or `'fft'`. With
    `measure` both are timed, and the seconds of each are returned, too."""
    if not measure:
        return _choose_conv_method(in1, in2, mode)
    times = {method: _seconds(lambda: convolve(in1, in2, mode, method)) for method in ('fft', 'direct')}
    return ('fft' if times['fft'] < times['direct'] else 'direct'), times
