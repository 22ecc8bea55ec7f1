"""Peaks of signals of `scipy.signal`: local maxima, prominences and widths."""

import math
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum

from ._images import _array

__all__ = ['find_peaks', 'peak_prominences', 'peak_widths']


class PeakPropertyWarning(RuntimeWarning):
    """Warning about a peak whose property has an unexpected value."""


def _window_length(wlen):
    if wlen is None:
        return None
    if not wlen > 1:
        raise ValueError(f'`wlen` must be larger than 1, was {wlen}')
    return operator.index(math.ceil(wlen) if isinstance(wlen, float) else wlen)


def _positions(peaks):
    """Returns positions of peaks as int64."""
    peaks = _array(peaks, 'peaks')
    if peaks.size == 0:
        return cuprum.zeros(peaks.shape, int)
    if not numpy.can_cast(peaks.dtype, numpy.intp, 'safe'):
        raise TypeError(f"cannot safely cast `peaks` to dtype('intp'): it is {peaks.dtype}")
    return peaks


def _warn_of_zeros(values, name):
    """Warns of a property of 0, which synchronises if the values are an array."""
    if values.any() if isinstance(values, cuprum.ndarray) else values:
        warnings.warn(f'some peaks have a {name} of 0', PeakPropertyWarning, stacklevel=3)


def peak_prominences(x, peaks, wlen=None):
    """Prominence of each peak: its height above the higher one of the minima between it and higher elements, and these minima's positions.

    With `wlen`, only a window of that many elements around a peak is searched. The results are `prominences`, `left_bases` and `right_bases`.
    """
    result = tuple(_cuprum.peaks_prominences(_array(x, 'x'), _positions(peaks), _window_length(wlen)))
    _warn_of_zeros(result[0] == 0, 'prominence')
    return result


def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """Width of each peak at a part `rel_height` of its prominence below its height, between positions that are interpolated linearly.

    `prominence_data` is the result of `peak_prominences`. The results are `widths`, `width_heights`, `left_ips` and `right_ips`.
    """
    x, peaks = _array(x, 'x'), _positions(peaks)
    if prominence_data is None:
        wlen = _window_length(wlen)
        prominence_data = tuple(_cuprum.peaks_prominences(x, peaks, wlen))
        _warn_of_zeros(prominence_data[0] == 0, 'prominence')
    else:
        prominence_data, wlen = tuple(_array(data, 'prominence_data') for data in prominence_data), None
    result = tuple(_cuprum.peaks_widths(x, peaks, float(rel_height), prominence_data, wlen))
    _warn_of_zeros(result[0] == 0, 'width')
    return result


def _interval(interval):
    """Returns the borders of a condition: numbers, None, or arrays with an element for each of the signal."""
    arrays = (numpy.ndarray, cuprum.ndarray)
    if isinstance(interval, arrays) and (interval.ndim == 0 or interval.shape[0] != 2):
        borders = interval, None
    else:
        try:
            borders = lower, upper = interval
        except (TypeError, ValueError):
            borders = interval, None
    return tuple(cuprum.asarray(x) if isinstance(x, arrays) and x.ndim else None if x is None else float(x) for x in borders)


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5, plateau_size=None):
    """Positions of the local maxima of a signal that fulfil conditions, and a dictionary of their properties.

    A condition is a least value, or a pair of the least and the greatest, either of which may be an array with an element for each of `x`. It
    synchronises: the number of peaks is that of the elements of the result. Which peaks `distance` removes is decided on the device, or on the host
    where peaks nearer than it are equally high, many, or in long chains.
    """
    conditions = {'plateau_size': plateau_size, 'height': height, 'threshold': threshold, 'prominence': prominence, 'width': width}
    conditions = [(name, _interval(interval)) for name, interval in conditions.items() if interval is not None]
    distance = None if distance is None else float(distance)
    wlen = None if prominence is None and width is None else _window_length(wlen)
    peaks, properties, (flat, narrow) = _cuprum.peaks_find(_array(x, 'x'), conditions, distance, wlen, float(rel_height))
    _warn_of_zeros(flat, 'prominence')
    _warn_of_zeros(narrow, 'width')
    return peaks, dict(properties)
