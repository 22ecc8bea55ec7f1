"""Settings of Fourier transforms: the cache of plans, callbacks, and devices. `use_multi_gpus` and `enable_nd_planning`
are attributes of the module itself."""

import operator as _operator
import sys as _sys
import types as _types
import warnings as _warnings

from cuprum import _cuprum
from cuprum._cuprum import get_plan_cache, show_plan_cache_info
from cuprum._not_yet import lacking as _lacking

_LEGACY = (
    "legacy callbacks are linked by nvcc into a static cuFFT, which is not done here: give cb_ver='jit', and with cb_load_name and "
    "cb_store_name the functions, whose texts need no d_loadCallbackPtr or d_storeCallbackPtr then"
)


def _data(side, array, pointer):
    """Returns the data whose address is passed to a callback: an array, or the memory of a pointer."""
    if array is not None and pointer is not None:
        raise ValueError(f'cb_{side}_aux_arr and cb_{side}_data are two names of one address: give one of them')
    given = array if pointer is None else pointer
    if given is None or isinstance(given, _cuprum.ndarray):
        return given
    if isinstance(given, _cuprum.MemoryPointer):
        return _cuprum.ndarray((given.mem.size - (given.ptr - given.mem.ptr),), 'B', given)
    raise TypeError(f'the data of a callback are an array or a MemoryPointer, not {type(given).__name__}')


def _callback(side, text, name, array, pointer):
    if text is None or text == '':
        if not (name is None and array is None and pointer is None):
            raise ValueError(f'cb_{side} is missing: the text of a function in CUDA C++')
        return None
    if not isinstance(text, str):
        raise TypeError(f'cb_{side} is the text of a function in CUDA C++, not {type(text).__name__}')
    return text, name, _data(side, array, pointer)


class set_cufft_callbacks:
    """Sets callbacks of Fourier transforms: in a `with` block the transforms of this thread call `cb_load` for each
    element that they read, and `cb_store` for each that they write.

    The callbacks are functions in CUDA C++ like cuFFT's link-time callbacks, in a source, with the names
    `cb_load_name` and `cb_store_name` (by default those that cuFFT uses). They receive the addresses of
    `cb_load_data` and `cb_store_data`, arrays or pointers to device memory; `cb_load_aux_arr` and
    `cb_store_aux_arr` are other names for those. `nvrtc_options` are options of the compiler. `cb_ver` must be
    `'jit'`.
    """

    def __init__(
        self,
        cb_load=None,
        cb_store=None,
        *,
        cb_load_aux_arr=None,
        cb_store_aux_arr=None,
        cb_load_name=None,
        cb_store_name=None,
        cb_load_data=None,
        cb_store_data=None,
        cb_ver='legacy',
        nvrtc_options=(),
    ):
        if cb_ver == 'legacy':
            raise ValueError(_LEGACY)
        if cb_ver != 'jit':
            raise ValueError(f"cb_ver is 'jit', not {cb_ver!r}")
        load = _callback('load', cb_load, cb_load_name, cb_load_aux_arr, cb_load_data)
        store = _callback('store', cb_store, cb_store_name, cb_store_aux_arr, cb_store_data)
        if load is None and store is None:
            raise ValueError('there is no callback: give cb_load, cb_store, or both')
        self._callbacks = _cuprum.FftCallbacks(load, store, list(nvrtc_options))

    def __enter__(self):
        self._callbacks.enter()
        return self

    def __exit__(self, *_exc):
        self._callbacks.leave()


# The numbers of the devices over which transforms are distributed, and whether they are.
_gpus, _shared = (), False


def _share(gpus, shared):
    """Sets whether devices share transforms. An error changes nothing."""
    global _gpus, _shared
    _cuprum.set_fft_devices(list(gpus) if shared else [])
    _gpus, _shared = gpus, shared


def set_cufft_gpus(gpus):
    """Sets the devices over which Fourier transforms of one axis are distributed, if `use_multi_gpus` is true: a
    number of devices, or a list of device numbers, at least two. The setting applies to all threads."""
    try:
        numbers = tuple(range(_operator.index(gpus)))
    except TypeError:
        numbers = tuple(_operator.index(number) for number in gpus)
    if len(numbers) < 2:
        raise ValueError(f'{gpus!r} devices: two at least share a transform')
    if len(set(numbers)) < len(numbers):
        raise ValueError(f'{gpus!r} names a device twice')
    missing = [number for number in numbers if not 0 <= number < _cuprum.device_count()]
    if missing:
        raise ValueError(f'there is no device {missing[0]}: there are {_cuprum.device_count()}')
    _share(numbers, _shared)


# The value of `enable_nd_planning`.
_several_axes = True


def _warn_of_planning():
    _warnings.warn(
        'fft.config.enable_nd_planning is deprecated: transforms along several axes have a plan of all of them where the library has one, whatever it says',
        DeprecationWarning,
        stacklevel=3,
    )


class _Config(_types.ModuleType):
    """The module `cuprum.fft.config`, whose settings are attributes."""

    @property
    def enable_nd_planning(self):
        """True if transforms along several axes may use one plan for all of them. They always may: the value is
        stored and returned."""
        _warn_of_planning()
        return _several_axes

    @enable_nd_planning.setter
    def enable_nd_planning(self, enabled):
        global _several_axes
        _warn_of_planning()
        _several_axes = bool(enabled)

    @property
    def use_multi_gpus(self):
        """True if complex-to-complex transforms of one axis are distributed over the devices of `set_cufft_gpus`."""
        return _shared

    @use_multi_gpus.setter
    def use_multi_gpus(self, shared):
        _share(_gpus, bool(shared))


__getattr__ = _lacking(__name__)
# Attributes of a module with settings need a class of their own.
_sys.modules[__name__].__class__ = _Config
