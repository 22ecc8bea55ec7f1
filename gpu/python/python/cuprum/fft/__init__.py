"""Discrete Fourier transforms: `numpy.fft`."""

from cuprum._not_yet import lacking as _lacking
from cuprum.fft import _cache, config

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.fft import (
    fft, fft2, fftfreq, fftn, fftshift, hfft, ifft, ifft2, ifftn, ifftshift, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftfreq, rfftn,
)
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
