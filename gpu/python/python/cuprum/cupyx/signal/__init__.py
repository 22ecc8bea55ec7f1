"""Radar signals and filter banks, which SciPy does not have: `cupyx.signal`."""

import operator

import cuprum as _cuprum
from cuprum._cuprum import radar_alpha as _alpha
from cuprum._cuprum import radar_cfar as _cfar
from cuprum._cuprum import radar_channels as _channels
from cuprum._cuprum import radar_convolve as _convolve
from cuprum._cuprum import radar_pulses as _pulses
from cuprum._cuprum import radar_shift as _shift
from cuprum._not_yet import lacking as _lacking

__all__ = ['ca_cfar', 'cfar_alpha', 'channelize_poly', 'convolve1d3o', 'freq_shift', 'pulse_compression', 'pulse_doppler']


def cfar_alpha(pfa, N):
    """Returns the factor of the noise level for a probability of false alarms and `N` reference cells: `N * (pfa ** (-1 / N) - 1)`."""
    return _alpha(float(pfa), float(N))


def _cells(cells, ndim):
    try:
        return [operator.index(cells)] if ndim == 1 else [operator.index(n) for n in cells]
    except TypeError:
        raise TypeError(f'a number of cells for each of {ndim} axes is needed, not {cells!r}') from None


def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3):
    """Returns the thresholds of a cell-averaging detector with a constant rate of false alarms, and which elements are above theirs.

    `array` has one axis, with integers for the cells on both sides of the cell under test, or two axes with pairs of them. Thresholds
    of cells whose reference cells are not all in the array are 0.
    """
    array = _cuprum.asarray(array)
    if array.ndim > 2:
        raise TypeError('Only 1D and 2D arrays are currently supported.')
    return _cfar(array, _cells(guard_cells, array.ndim), _cells(reference_cells, array.ndim), float(pfa))


def freq_shift(x, freq, fs):
    """Returns a signal times `exp(-2j pi k freq / fs)`, with k the position of the element.

    The result is complex128, and complex64 for float16, float32 and complex64. CuPy's is complex128, and of real signals alone.
    """
    return _shift(_cuprum.asarray(x), float(freq), float(fs))


def convolve1d3o(in1, in2, mode='valid', method='direct'):
    """Returns the third-order convolution of a signal and a filter of three axes, where the signal has all of its elements.

    Other modes than 'valid' and other methods than 'direct' raise `NotImplementedError`, as CuPy's do.
    """
    in1, in2 = _cuprum.asarray(in1), _cuprum.asarray(in2)
    if mode != 'valid' or method != 'direct':
        raise NotImplementedError(f"convolve1d3o: mode={mode!r} and method={method!r}: there are 'valid' and 'direct'")
    return _convolve(in1, in2)


def channelize_poly(x, h, n_chans):
    """Returns the channels of a polyphase filter bank with the taps `h`, complex of the shape (n_chans, len(x) // n_chans)."""
    return _channels(_cuprum.asarray(x), _cuprum.asarray(h), operator.index(n_chans))


def _window(window, n):
    if window is None:
        return None
    if callable(window):
        return _cuprum.asarray(window(_cuprum.fft.fftfreq(n)))
    if isinstance(window, _cuprum.ndarray):
        return window
    from cuprum.cupyx.scipy.signal.windows import get_window

    return get_window(window, n, False)


def pulse_compression(x, template, normalize=False, window=None, nfft=None):
    """Returns the circular correlations of received pulses, the rows of `x`, with the transmitted one, by transforms of the length `nfft`.

    `window` is applied to the template: an array, a name of `get_window` or a function of the frequencies; `normalize` divides it by its
    norm.
    """
    x, template = _cuprum.asarray(x), _cuprum.asarray(template)
    return _pulses(x, template, bool(normalize), _window(window, len(template)), nfft)


def pulse_doppler(x, window=None, nfft=None):
    """Returns the Fourier transforms of `x` along its first axis, the pulses, after a window: of ranges and Doppler shifts."""
    x = _cuprum.asarray(x)
    return _pulses(x, None, False, _window(window, x.shape[0] if x.ndim else 0), nfft)


__getattr__ = _lacking(__name__)
