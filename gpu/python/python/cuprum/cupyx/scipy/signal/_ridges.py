"""Peaks of a signal by ridges of its wavelet transform, of `scipy.signal`."""

import dataclasses
import math

import numpy

import cuprum
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve as _convolve

from ._extrema import argrelmax
from ._images import _array
from ._wavelets import ricker

__all__ = ['find_peaks_cwt']


@dataclasses.dataclass
class _Ridge:
    """Local maxima at widths one after another, from the greatest on, and the number of widths since the last one."""

    rows: list
    columns: list
    gap: int = 0


def _transform(vector, widths, wavelet):
    """Returns the wavelet transform, one row for each width."""
    rows = []
    for width in widths.tolist():
        n = int(min(10 * width, vector.size))
        window = cuprum.conj(cuprum.asarray(wavelet(n, width))[::-1])
        rows.append(_convolve(vector, window, mode='same'))
    return cuprum.stack(rows) if rows else cuprum.empty((0, vector.size))


def _maxima(transform):
    """Returns the columns of the local maxima of each row, on the host."""
    rows, columns = (cuprum.asnumpy(x) for x in argrelmax(transform, axis=1, order=1))
    ends = numpy.searchsorted(rows, numpy.arange(transform.shape[0] + 1)).tolist()
    return [columns[a:b].tolist() for a, b in zip(ends, ends[1:])]


def _ridges(maxima, max_distances, gap_thresh):
    """Connects the maxima of rows, from the last one that has any to the first, with the nearest of those before that are near enough."""
    last = max((row for row, columns in enumerate(maxima) if columns), default=None)
    if last is None:
        return []
    active, closed = [_Ridge([last], [column]) for column in maxima[last]], []
    for row in range(last - 1, -1, -1):
        ends = numpy.array([ridge.columns[-1] for ridge in active])
        known = len(active)
        for ridge in active:
            ridge.gap += 1
        for column in maxima[row]:
            distances = abs(column - ends)
            nearest = int(distances.argmin()) if known else None
            if nearest is not None and distances[nearest] <= max_distances[row]:
                ridge = active[nearest]
                ridge.rows.append(row)
                ridge.columns.append(column)
                ridge.gap = 0
            else:
                active.append(_Ridge([row], [column]))
        closed += [ridge for ridge in active if ridge.gap > gap_thresh]
        active = [ridge for ridge in active if ridge.gap <= gap_thresh]
    return closed + active


def find_peaks_cwt(vector, widths, wavelet=None, max_distances=None, gap_thresh=None, min_length=None, min_snr=1, noise_perc=10, window_size=None):
    """Positions of the peaks of a signal by its wavelet transform, int64 in ascending order (P. Du, W. A. Kibbe and S. M. Lin, "Improved Peak Detection
    in Mass Spectrum by Incorporating Continuous Wavelet Transform-Based Pattern Matching", Bioinformatics 22(17), 2006).

    A peak is where a ridge ends: local maxima of the transform at widths one after another. The transform and its maxima are computed on the
    device, ridges on the host, which synchronises. `wavelet(points, width)` returns an array of weights; by default it is `ricker`.
    """
    vector = _array(vector, 'vector')
    if vector.ndim != 1:
        raise ValueError(f'find_peaks_cwt: vector must have one axis, not {vector.ndim}')
    widths = numpy.atleast_1d(cuprum.asnumpy(widths) if isinstance(widths, cuprum.ndarray) else numpy.asarray(widths))
    if widths.ndim > 1 or vector.size == 0:
        raise ValueError(f'find_peaks_cwt: vector and widths must be sequences, and vector not empty: their shapes are {vector.shape} and {widths.shape}')
    if widths.size == 0:
        raise IndexError('find_peaks_cwt: widths must have at least one element')
    gap_thresh = math.ceil(widths[0]) if gap_thresh is None else gap_thresh
    max_distances = widths / 4.0 if max_distances is None else max_distances
    max_distances = numpy.asarray(cuprum.asnumpy(max_distances) if isinstance(max_distances, cuprum.ndarray) else max_distances)
    transform = _transform(vector, widths, ricker if wavelet is None else wavelet)
    if len(max_distances) < len(widths):
        raise ValueError(f'max_distances must have at least as many elements as there are widths, {len(widths)}, not {len(max_distances)}')
    ridges = _ridges(_maxima(transform), max_distances, gap_thresh)
    min_length = math.ceil(len(widths) / 4) if min_length is None else min_length
    n = vector.size
    window_size = math.ceil(n / 20) if window_size is None else window_size
    half, odd = divmod(int(window_size), 2)
    first_row = cuprum.asnumpy(transform[0])
    peaks = []
    for ridge in ridges:
        if len(ridge.rows) < min_length:
            continue
        # The signal is at the least width, the noise a percentile of the transform at the first width around it.
        row, column = ridge.rows[-1], ridge.columns[-1]
        around = first_row[max(column - half, 0) : min(column + half + odd, n)]
        noise = numpy.percentile(around, noise_perc) if around.size else numpy.nan
        signal = first_row[column] if row == 0 else float(transform[row, column])
        with numpy.errstate(divide='ignore', invalid='ignore'):
            ratio = abs(signal / noise)
        if not ratio < min_snr:
            peaks.append(ridge.columns[-1])
    return cuprum.asarray(numpy.sort(numpy.array(peaks, int)))
