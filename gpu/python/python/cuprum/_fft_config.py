"""What `cuprum.fft.config` has beside the cache of plans."""

from cuprum import _cuprum

__all__ = ['set_cufft_callbacks']

_LEGACY = (
    "legacy callbacks are linked by nvcc into a static cuFFT, which is not done here: give cb_ver='jit', and with cb_load_name and "
    "cb_store_name the functions, whose texts need no d_loadCallbackPtr or d_storeCallbackPtr then")


def _data(side, array, pointer):
    """What a function is told the address of: an array, or the memory behind a pointer."""
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
    """In a `with` block Fourier transforms of this thread call `cb_load` for each element that they read, and `cb_store` for
    each that they write: functions in CUDA C++ as cuFFT's link-time callbacks are, in a text, by the names `cb_load_name` and
    `cb_store_name` (where they are left out, those that cuFFT looks for). They are told the address of `cb_load_data` and
    `cb_store_data`, arrays or pointers to memory of the device; `cb_load_aux_arr` and `cb_store_aux_arr` are other names for those.
    `nvrtc_options` are options of the compiler. `cb_ver` must be `'jit'`."""

    def __init__(self, cb_load=None, cb_store=None, *, cb_load_aux_arr=None, cb_store_aux_arr=None, cb_load_name=None,
                 cb_store_name=None, cb_load_data=None, cb_store_data=None, cb_ver='legacy', nvrtc_options=()):
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

    def __exit__(self, *_told):
        self._callbacks.leave()


set_cufft_callbacks.__module__ = 'cuprum.fft.config'
