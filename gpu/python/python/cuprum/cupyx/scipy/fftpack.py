"""Fourier transforms under the names of `scipy.fftpack`."""

from cuprum._cuprum import get_fft_plan
from cuprum._not_yet import lacking as _lacking

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.fftpack import fft, fft2, fftn, ifft, ifft2, ifftn, irfft, rfft
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
