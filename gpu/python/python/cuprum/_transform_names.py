"""Functions of transforms and signals in addition to the call table: plans, the choice of the convolution method,
and the settings module."""

import sys
import types

from cuprum import _cuprum, _fft_config, _scipy_backend

__all__ = ['complete']


def _module(name, kind=types.ModuleType, **names):
    module = kind(name)
    vars(module).update(names)
    sys.modules[name] = module
    return module


def _timed(call):
    """Returns the seconds of a call on the device, the best of some."""
    from cuprum.cupyx.profiler import benchmark

    return float(benchmark(call, n_repeat=5, n_warmup=1).gpu_times.min())


def complete(namespace):
    """Adds missing names to the namespaces of transforms and signals."""
    fft, signal = sys.modules['cuprum.fft'], sys.modules['cuprum.scipy.signal']
    cache = _module('cuprum.fft._cache', PlanCache=_cuprum.PlanCache, PlanKey=_cuprum.PlanKey)
    config = _module(
        'cuprum.fft.config',
        _fft_config.Config,
        get_plan_cache=_cuprum.get_plan_cache,
        show_plan_cache_info=_cuprum.show_plan_cache_info,
        set_cufft_callbacks=_fft_config.set_cufft_callbacks,
        set_cufft_gpus=_fft_config.set_cufft_gpus,
    )
    lacking = vars(fft).get('__getattr__')
    if lacking is not None:
        config.__getattr__ = namespace['_lacking']('cuprum.fft.config')
    fft._cache, fft.config = cache, config
    for name in ('cuprum.scipy.fft', 'cuprum.scipy.fftpack'):
        sys.modules[name].get_fft_plan = _cuprum.get_fft_plan
    _scipy_backend.complete(sys.modules['cuprum.scipy.fft'])
    own = signal.choose_conv_method

    def choose_conv_method(in1, in2, mode='full', measure=False):
        """Chooses between sums of products and transforms for a convolution, by speed: `'direct'` or `'fft'`. With
        `measure` both are timed, and the seconds of each are returned, too."""
        if not measure:
            return own(in1, in2, mode)
        times = {method: _timed(lambda: signal.convolve(in1, in2, mode, method)) for method in ('fft', 'direct')}
        return ('fft' if times['fft'] < times['direct'] else 'direct'), times

    choose_conv_method.__module__, choose_conv_method.__qualname__ = 'cuprum.scipy.signal', 'choose_conv_method'
    signal.choose_conv_method = choose_conv_method
