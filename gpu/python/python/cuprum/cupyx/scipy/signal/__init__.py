"""Signal processing: `scipy.signal`."""

from cuprum._not_yet import lacking as _lacking
from cuprum.cupyx.scipy.signal import windows
from cuprum.cupyx.scipy.signal._convolution import choose_conv_method
from cuprum.cupyx.scipy.signal._extrema import argrelextrema, argrelmax, argrelmin
from cuprum.cupyx.scipy.signal._filters import (
    deconvolve,
    detrend,
    filtfilt,
    hilbert,
    hilbert2,
    lfilter,
    lfilter_zi,
    lfiltic,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
    symiirorder1,
)
from cuprum.cupyx.scipy.signal._images import convolve2d, correlate2d, medfilt, medfilt2d, order_filter, sepfir2d, wiener
from cuprum.cupyx.scipy.signal._peaks import find_peaks, peak_prominences, peak_widths
from cuprum.cupyx.scipy.signal._resampling import decimate, resample, resample_poly, savgol_coeffs, savgol_filter, upfirdn
from cuprum.cupyx.scipy.signal._spectra import (
    check_COLA,
    check_NOLA,
    coherence,
    csd,
    istft,
    lombscargle,
    periodogram,
    spectrogram,
    stft,
    vectorstrength,
    welch,
)
from cuprum.cupyx.scipy.signal._splines import (
    cspline1d,
    cspline1d_eval,
    cspline2d,
    gauss_spline,
    qspline1d,
    qspline1d_eval,
    qspline2d,
    spline_filter,
    symiirorder2,
)
from cuprum.cupyx.scipy.signal.windows import get_window

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve, correlate, correlation_lags, fftconvolve, oaconvolve
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
