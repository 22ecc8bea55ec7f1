"""Discrete Fourier, cosine, sine and Hankel transforms: `scipy.fft`. The module is a backend of it, by the protocol of
`uarray`."""

import inspect as _inspect

from cuprum._cuprum import get_fft_plan
from cuprum._cuprum import ndarray as _ndarray
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.fft import (
    dct, dctn, dst, dstn, fft, fft2, fftfreq, fftn, fftshift, fht, fhtoffset, hfft, hfft2, hfftn, idct, idctn, idst, idstn, ifft, ifft2, ifftn, ifftshift,
    ifht, ihfft, ihfft2, ihfftn, irfft, irfft2, irfftn, next_fast_len, prev_fast_len, rfft, rfft2, rfftfreq, rfftn,
)
# End of the routines.
# fmt: on

__ua_domain__ = 'numpy.scipy.fft'


def __ua_function__(method, args, kwargs):
    """Calls the function of the module with the name of SciPy's `method`. Returns `NotImplemented` if there is none, and
    for arrays of other libraries, which another backend may transform."""
    function = globals().get(method.__name__)
    operand = args[0] if args else next(iter(kwargs.values()), None)
    if function is None or not isinstance(operand, _ndarray):
        return NotImplemented
    known = _inspect.signature(function).parameters
    # SciPy passes host threads and plans on even if the caller did not pass them.
    kept = {name: value for name, value in kwargs.items() if name in known or value is not None}
    return function(*args, **kept)


__getattr__ = _lacking(__name__)
