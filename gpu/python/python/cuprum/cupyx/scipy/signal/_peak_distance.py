"""Selection of peaks by their distance, from the highest to the lowest."""

import math

import numpy

import cuprum
from cuprum._kernels import ElementwiseKernel

# A peak is kept (1) if all nearer peaks that are not removed are lower, and removed (2) if a nearer one is kept; it is undecided (0) before.
_round = ElementwiseKernel(
    'raw int64 peaks, raw float64 heights, raw int8 before, int64 m, int64 distance',
    'int8 after',
    '''
    after = before[i];
    if (after == 0) {
      const long long peak = peaks[i];
      const double height = heights[i];
      bool lower = false;
      for (int step = -1; step <= 1; step += 2) {
        for (long long k = (long long)i + step; k >= 0 && k < m && step * (peaks[k] - peak) < distance; k += step) {
          const int state = before[k];
          if (state == 1) after = 2;
          else if (state == 0 && heights[k] >= height) lower = true;
        }
      }
      if (after == 0 && !lower) after = 1;
    }
    ''',
    'signal_peak_round',
)
# Nearer peaks on average, above which the host decides: it takes a step for each kept peak.
_MANY = 64


def _on_device(peaks, heights, distance):
    """Returns which peaks are kept, or None if rounds do not end: equal peaks, and long chains of ever higher ones."""
    state, undecided = cuprum.zeros(peaks.size, 'int8'), peaks.size
    for _ in range(12):
        for _ in range(4):
            state = _round(peaks, heights, state, peaks.size, distance, size=peaks.size)
        before, undecided = undecided, int(cuprum.count_nonzero(state == 0))
        if undecided == 0:
            return state == 1
        if undecided == before:
            break
    return None


def _on_host(peaks, heights, distance):
    """Returns which peaks are kept; NumPy's sort decides the order of equal ones, as in SciPy."""
    peaks, order = cuprum.asnumpy(peaks), numpy.argsort(cuprum.asnumpy(heights))
    first, last = numpy.searchsorted(peaks, peaks - distance, 'right'), numpy.searchsorted(peaks, peaks + distance, 'left')
    keep, order = bytearray(b'\1' * len(peaks)), order[(last - first > 1)[order]][::-1]
    first, last = first[order].tolist(), last[order].tolist()
    for peak, begin, end in zip(order.tolist(), first, last):
        if keep[peak]:
            keep[begin:end] = bytes(end - begin)
            keep[peak] = 1
    return cuprum.asarray(numpy.frombuffer(keep, bool))


def apart(peaks, heights, distance, n):
    """Returns which peaks of a signal of n elements remain if each one, from the highest to the lowest, removes those nearer than a distance; None for
    all. It synchronises."""
    distance = math.ceil(min(distance, n))
    if distance <= 1 or peaks.size <= 1:
        return None
    keep = _on_device(peaks, heights, distance) if peaks.size * distance <= _MANY * n else None
    return _on_host(peaks, heights, distance) if keep is None else keep
