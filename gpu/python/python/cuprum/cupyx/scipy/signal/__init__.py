"""Signal processing: `scipy.signal`."""

from cuprum._not_yet import lacking as _lacking
from cuprum.cupyx.scipy.signal import windows
from cuprum.cupyx.scipy.signal._bessel import besselap
from cuprum.cupyx.scipy.signal._convolution import choose_conv_method
from cuprum.cupyx.scipy.signal._equiripple import remez
from cuprum.cupyx.scipy.signal._envelope import envelope
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
from cuprum.cupyx.scipy.signal._fir import firls, firwin, firwin2, firwin_2d, kaiser_atten, kaiser_beta, kaiserord, minimum_phase
from cuprum.cupyx.scipy.signal._iir import (
    bessel,
    buttap,
    butter,
    cheb1ap,
    cheb2ap,
    cheby1,
    cheby2,
    ellip,
    ellipap,
    gammatone,
    iircomb,
    iirdesign,
    iirfilter,
    iirnotch,
    iirpeak,
)
from cuprum.cupyx.scipy.signal._images import convolve2d, correlate2d, medfilt, medfilt2d, order_filter, sepfir2d, wiener
from cuprum.cupyx.scipy.signal._irregular import lombscargle, vectorstrength
from cuprum.cupyx.scipy.signal._lti import StateSpace, TransferFunction, ZerosPolesGain, cont2discrete, dlti, lti
from cuprum.cupyx.scipy.signal._orders import band_stop_obj, buttord, cheb1ord, cheb2ord, ellipord
from cuprum.cupyx.scipy.signal._partial_fractions import invres, invresz, residue, residuez, unique_roots
from cuprum.cupyx.scipy.signal._peaks import find_peaks, peak_prominences, peak_widths
from cuprum.cupyx.scipy.signal._pole_placement import place_poles
from cuprum.cupyx.scipy.signal._representations import (
    BadCoefficients,
    bilinear,
    bilinear_zpk,
    lp2bp,
    lp2bp_zpk,
    lp2bs,
    lp2bs_zpk,
    lp2hp,
    lp2hp_zpk,
    lp2lp,
    lp2lp_zpk,
    normalize,
    sos2tf,
    sos2zpk,
    tf2sos,
    tf2zpk,
    zpk2sos,
    zpk2tf,
)
from cuprum.cupyx.scipy.signal._resampling import decimate, resample, resample_poly, savgol_coeffs, savgol_filter, upfirdn
from cuprum.cupyx.scipy.signal._responses import (
    CZT,
    ZoomFFT,
    czt,
    czt_points,
    findfreqs,
    freqs,
    freqs_zpk,
    freqz,
    freqz_sos,
    freqz_zpk,
    group_delay,
    sosfreqz,
    zoom_fft,
)
from cuprum.cupyx.scipy.signal._ridges import find_peaks_cwt
from cuprum.cupyx.scipy.signal._short_time import ShortTimeFFT, closest_STFT_dual_window
from cuprum.cupyx.scipy.signal._simulation import bode, dbode, dfreqresp, dimpulse, dlsim, dstep, freqresp, impulse, lsim, step
from cuprum.cupyx.scipy.signal._spectra import coherence, csd, periodogram, welch
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
from cuprum.cupyx.scipy.signal._state_spaces import abcd_normalize, ss2tf, ss2zpk, tf2ss, zpk2ss
from cuprum.cupyx.scipy.signal._stft import check_COLA, check_NOLA, istft, spectrogram, stft
from cuprum.cupyx.scipy.signal._waveforms import chirp, gausspulse, max_len_seq, sawtooth, square, sweep_poly, unit_impulse
from cuprum.cupyx.scipy.signal._wavelets import cwt, morlet, morlet2, qmf, ricker
from cuprum.cupyx.scipy.signal.windows import get_window

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve, correlate, correlation_lags, fftconvolve, oaconvolve
# End of the routines.
# fmt: on

__getattr__ = _lacking(__name__)
