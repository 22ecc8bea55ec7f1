"""Peaks of signals of `scipy.signal`: local maxima, prominences and widths.

Searches to both sides of a peak skip blocks of elements by a tree of maxima and minima over 16 elements, and 16 blocks, each: a search takes
O(log n) steps.
"""

import math
import operator
import warnings

import numpy

import cuprum
from cuprum._kernels import ElementwiseKernel

from ._peak_distance import apart
from ._images import _array

__all__ = ['find_peaks', 'peak_prominences', 'peak_widths']

# Windows of at most this many elements are searched without a tree.
_SHORT = 64

# 1 at the left edge of a peak, 2 at that of a plateau whose right edge is not among the next 64 elements, else 0.
_rises = ElementwiseKernel(
    'raw float64 x, int64 n',
    'int8 kind',
    '''
    kind = 0;
    if (i > 0 && i < n - 1 && x[i - 1] < x[i]) {
      const double top = x[i];
      const long long last = min((long long)(n - 1), (long long)i + 64);
      long long j = i + 1;
      while (j < last && x[j] == top) ++j;
      if (x[j] < top) kind = 1;
      else if (x[j] == top && j < n - 1) kind = 2;
    }
    ''',
    'signal_rises',
)
_right_edges = ElementwiseKernel(
    'int64 left, raw float64 x, int64 n',
    'int64 right',
    '''
    const double top = x[left];
    const long long last = min((long long)(n - 1), (long long)left + 64);
    long long j = left + 1;
    while (j < last && x[j] == top) ++j;
    right = x[j] < top ? j - 1 : -1;
    ''',
    'signal_right_edges',
)
# NaN is the largest and the smallest element of a block: a search never skips a block that has one.
_extremes = ElementwiseKernel(
    'raw float64 tops, raw float64 lows, int64 n',
    'float64 top, float64 low',
    '''
    const long long begin = 16 * (long long)i, end = min((long long)n, begin + 16);
    top = tops[begin];
    low = lows[begin];
    for (long long k = begin + 1; k < end; ++k) {
      const double t = tops[k], l = lows[k];
      if (t > top || t != t) top = t;
      if (l < low || l != l) low = l;
    }
    ''',
    'signal_extremes',
)
_TREE = '''
// Elements at a level of the tree over n elements, and the index of the level's first one.
__device__ inline long long level_size(long long n, int level) { return (n + (1LL << 4 * level) - 1) >> (4 * level); }
__device__ inline long long level_begin(long long n, int level) {
  long long begin = 0;
  for (int k = 1; k < level; ++k) begin += level_size(n, k);
  return begin;
}
// The last element, in the direction of the search, of the block of a level that begins at i.
__device__ inline long long block_end(long long n, long long i, int level, int step) {
  const long long end = i + step * ((1LL << 4 * level) - 1);
  return end < n ? end : n - 1;
}
// The level of the next block: one level up where i is the first element of a larger block.
__device__ inline int level_at(long long i, int level, int levels, int step) {
  return level < levels && ((step < 0 ? i + 1 : i) & ((16LL << 4 * level) - 1)) == 0 ? level + 1 : level;
}
'''
_prominences = ElementwiseKernel(
    'int64 peak, raw float64 x, raw float64 tops, raw float64 lows, int64 n, int32 levels, int64 half',
    'float64 prominence, int64 left, int64 right',
    '''
    const double height = x[peak];
    double sides[2];
    long long bases[2];
    for (int side = 0; side < 2; ++side) {
      const int step = side ? 1 : -1;
      const long long limit = side ? min((long long)(n - 1), (long long)peak + half) : max(0LL, (long long)peak - half);
      double low = height;
      long long block = peak, p = peak + step;
      int of_low = 0, level = 0;
      while (step < 0 ? p >= limit : p <= limit) {
        double least;
        if (level == 0) {
          least = x[p];
          if (!(least <= height)) break;
        } else {
          const long long end = block_end(n, p, level, step), at = level_begin(n, level) + (p >> 4 * level);
          if ((step < 0 ? end < limit : end > limit) || !(tops[at] <= height)) {
            --level;
            continue;
          }
          least = lows[at];
        }
        if (least < low) {
          low = least;
          of_low = level;
          block = p >> 4 * level;
        }
        p += step * (1LL << 4 * level);
        level = level_at(p, level, levels, step);
      }
      // The minimum's element that is nearest to the peak, in its block.
      while (of_low > 0) {
        --of_low;
        const long long begin = level_begin(n, of_low);
        block = step < 0 ? min(16 * block + 15, level_size(n, of_low) - 1) : 16 * block;
        while ((of_low ? lows[begin + block] : x[block]) != low) block += step;
      }
      sides[side] = low;
      bases[side] = block;
    }
    prominence = height - (sides[0] > sides[1] ? sides[0] : sides[1]);
    left = bases[0];
    right = bases[1];
    ''',
    'signal_prominences',
    preamble=_TREE,
)
# The height is rounded after the product, as on the host: whether an element is as high depends on it.
_widths = ElementwiseKernel(
    'int64 peak, float64 prominence, int64 left, int64 right, raw float64 x, raw float64 lows, int64 n, int32 levels, float64 part',
    'float64 width, float64 height, float64 begin, float64 end',
    '''
    height = __dsub_rn(x[peak], __dmul_rn(prominence, part));
    for (int side = 0; side < 2; ++side) {
      const int step = side ? 1 : -1;
      const long long limit = side ? right : left;
      long long p = peak;
      int level = 0;
      while (step < 0 ? p > limit : p < limit) {
        if (level == 0) {
          if (!(height < x[p])) break;
        } else {
          const long long last = block_end(n, p, level, step);
          if ((step < 0 ? last <= limit : last >= limit) || !(height < lows[level_begin(n, level) + (p >> 4 * level)])) {
            --level;
            continue;
          }
        }
        p += step * (1LL << 4 * level);
        level = level_at(p, level, levels, step);
      }
      double at = (double)p;
      if (x[p] < height && p != peak) at -= step * ((height - x[p]) / (x[p - step] - x[p]));
      if (side) end = at;
      else begin = at;
    }
    width = end - begin;
    ''',
    'signal_widths',
    preamble=_TREE,
)


class PeakPropertyWarning(RuntimeWarning):
    """Warning about a peak whose property has an unexpected value."""


class _Signal:
    """A signal in float64, and the tree of its extremes, which is built when it is first needed."""

    def __init__(self, x):
        x = _array(x, 'x')
        if x.ndim != 1:
            raise ValueError(f'`x` must be a 1-D array, not {x.ndim}-D')
        self.x, self.n = cuprum.ascontiguousarray(x.astype(float, copy=False)), x.size
        self._tree = None

    def tree(self, needed=True):
        """Returns the levels of maxima, those of minima, and the number of levels; without levels if they are not needed."""
        if not needed:
            return self.x, self.x, 0
        if self._tree is None:
            sizes = []
            while (sizes[-1] if sizes else self.n) > 16:
                sizes.append(-(-(sizes[-1] if sizes else self.n) // 16))
            if not sizes:
                return self.x, self.x, 0
            tops, lows = cuprum.empty(sum(sizes)), cuprum.empty(sum(sizes))
            source, begin = (self.x, self.x, self.n), 0
            for size in sizes:
                level = tops[begin : begin + size], lows[begin : begin + size]
                _extremes(*source, *level)
                source, begin = (*level, size), begin + size
            self._tree = tops, lows, len(sizes)
        return self._tree

    def prominences(self, peaks, wlen):
        """Returns prominences and both bases; warns of prominences of 0, which synchronises."""
        if peaks.size == 0:
            return cuprum.zeros(0), cuprum.zeros(0, int), cuprum.zeros(0, int)
        half = self.n if wlen is None else min(wlen // 2, self.n)
        result = _prominences(peaks, self.x, *self._lengths(half), half)
        if (result[0] == 0).any():
            warnings.warn('some peaks have a prominence of 0', PeakPropertyWarning, stacklevel=3)
        return result

    def _lengths(self, half):
        tops, lows, levels = self.tree(2 * half > _SHORT)
        return tops, lows, self.n, levels

    def widths(self, peaks, rel_height, prominences, left, right, wlen=None):
        """Returns widths, their heights and both ends; warns of widths of 0, which synchronises."""
        if rel_height < 0:
            raise ValueError(f'`rel_height` must be greater or equal to 0.0, not {rel_height}')
        if peaks.size == 0:
            return tuple(cuprum.zeros(0) for _ in range(4))
        _, lows, levels = self.tree(wlen is None or wlen > _SHORT)
        result = _widths(peaks, prominences, left, right, self.x, lows, self.n, levels, float(rel_height))
        if (result[0] == 0).any():
            warnings.warn('some peaks have a width of 0', PeakPropertyWarning, stacklevel=3)
        return result

    def maxima(self):
        """Returns the middles, the left and the right edges of local maxima. It synchronises."""
        if self.n < 3:
            return tuple(cuprum.zeros(0, int) for _ in range(3))
        x = self.x
        left = cuprum.flatnonzero(_rises(x, self.n, size=self.n))
        if left.size == 0:
            return left, left.copy(), left.copy()
        right = _right_edges(left, x, self.n)
        if (right < 0).any():
            # Edges of long plateaus: the last elements of all runs of equal ones.
            ends = cuprum.flatnonzero(x[1:] != x[:-1])
            right = cuprum.append(ends, self.n - 1)[cuprum.searchsorted(ends, left)]
            falls = cuprum.flatnonzero((right < self.n - 1) & (x[cuprum.minimum(right + 1, self.n - 1)] < x[left]))
            left, right = left[falls], right[falls]
        return (left + right) // 2, left, right


def _window_length(wlen):
    if wlen is None:
        return None
    if not wlen > 1:
        raise ValueError(f'`wlen` must be larger than 1, was {wlen}')
    return operator.index(math.ceil(wlen) if isinstance(wlen, float) else wlen)


def _positions(signal, peaks, function):
    """Returns positions of peaks as int64. Checking them synchronises."""
    peaks = _array(peaks, 'peaks')
    if peaks.size == 0:
        peaks = cuprum.zeros(peaks.shape, int)
    if not numpy.can_cast(peaks.dtype, numpy.intp, 'safe'):
        raise TypeError(f"cannot safely cast `peaks` to dtype('intp'): it is {peaks.dtype}")
    if peaks.ndim != 1:
        raise ValueError(f'`peaks` must be a 1-D array, not {peaks.ndim}-D')
    peaks = peaks.astype(int, copy=False)
    wrong = cuprum.flatnonzero((peaks < 0) | (peaks >= signal.n))
    if wrong.size:
        raise ValueError(f'{function}: peak {int(peaks[wrong[0]])} is not a valid index for `x`, which has {signal.n} elements')
    return peaks


def peak_prominences(x, peaks, wlen=None):
    """Prominence of each peak: its height above the higher one of the minima between it and higher elements, and these minima's positions.

    With `wlen`, only a window of that many elements around a peak is searched. The results are `prominences`, `left_bases` and `right_bases`.
    """
    signal = _Signal(x)
    return signal.prominences(_positions(signal, peaks, 'peak_prominences'), _window_length(wlen))


def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """Width of each peak at a part `rel_height` of its prominence below its height, between positions that are interpolated linearly.

    `prominence_data` is the result of `peak_prominences`. The results are `widths`, `width_heights`, `left_ips` and `right_ips`.
    """
    signal = _Signal(x)
    peaks = _positions(signal, peaks, 'peak_widths')
    if prominence_data is None:
        return signal.widths(peaks, rel_height, *signal.prominences(peaks, _window_length(wlen)))
    prominences, left, right = (_array(data, 'prominence_data') for data in prominence_data)
    if not prominences.shape == left.shape == right.shape == peaks.shape:
        raise ValueError(f'arrays in `prominence_data` must have the same shape as `peaks`: {peaks.shape}')
    left, right = left.astype(int, copy=False), right.astype(int, copy=False)
    wrong = cuprum.flatnonzero((left < 0) | (left > peaks) | (peaks > right) | (right >= signal.n))
    if wrong.size:
        raise ValueError(f'prominence data is invalid for peak {int(peaks[wrong[0]])}')
    return signal.widths(peaks, rel_height, prominences.astype(float, copy=False), left, right)


def _interval(interval, x, peaks):
    """Returns the borders of a condition: numbers, None, or an element for each peak."""
    arrays = (numpy.ndarray, cuprum.ndarray)
    if isinstance(interval, arrays) and (interval.ndim == 0 or interval.shape[0] != 2):
        borders = [interval, None]
    else:
        try:
            lower, upper = interval
        except (TypeError, ValueError):
            lower, upper = interval, None
        borders = [lower, upper]
    for side, border in enumerate(borders):
        if isinstance(border, arrays) and border.ndim:
            if border.size != x.size:
                raise ValueError(f'array size of {("lower", "upper")[side]} interval border must match x: {border.size} is not {x.size}')
            borders[side] = cuprum.asarray(border)[peaks]
    return borders


def _selected(peaks, properties, *conditions):
    """Returns the peaks, and their properties, for which all of the conditions hold."""
    keep = None
    for condition in conditions:
        if condition is not None:
            keep = condition if keep is None else keep & condition
    if keep is None:
        return peaks, properties
    kept = cuprum.flatnonzero(keep)
    return peaks[kept], {name: values[kept] for name, values in properties.items()}


def _between(values, lower, upper, of_upper=None):
    return None if lower is None else values >= lower, None if upper is None else (values if of_upper is None else of_upper) <= upper


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5, plateau_size=None):
    """Positions of the local maxima of a signal that fulfil conditions, and a dictionary of their properties.

    A condition is a least value, or a pair of the least and the greatest, either of which may be an array with an element for each of `x`. It
    synchronises: the number of peaks is that of the elements of the result. Which peaks `distance` removes is decided on the device, or on the host
    where peaks nearer than it are equally high, many, or in long chains.
    """
    signal = _Signal(x)
    if distance is not None and distance < 1:
        raise ValueError(f'`distance` must be greater or equal to 1, not {distance}')
    x = signal.x
    peaks, left, right = signal.maxima()
    found = {}
    if plateau_size is not None:
        found = {'plateau_sizes': right - left + 1, 'left_edges': left, 'right_edges': right}
        peaks, found = _selected(peaks, found, *_between(found['plateau_sizes'], *_interval(plateau_size, x, peaks)))
    if height is not None:
        found['peak_heights'] = x[peaks]
        peaks, found = _selected(peaks, found, *_between(found['peak_heights'], *_interval(height, x, peaks)))
    if threshold is not None:
        found['left_thresholds'] = left = x[peaks] - x[peaks - 1]
        found['right_thresholds'] = right = x[peaks] - x[peaks + 1]
        conditions = _between(cuprum.minimum(left, right), *_interval(threshold, x, peaks), of_upper=cuprum.maximum(left, right))
        peaks, found = _selected(peaks, found, *conditions)
    if distance is not None:
        peaks, found = _selected(peaks, found, apart(peaks, x[peaks], distance, signal.n))
    if prominence is not None or width is not None:
        wlen = _window_length(wlen)
        found.update(zip(('prominences', 'left_bases', 'right_bases'), signal.prominences(peaks, wlen)))
    if prominence is not None:
        peaks, found = _selected(peaks, found, *_between(found['prominences'], *_interval(prominence, x, peaks)))
    if width is not None:
        widths = signal.widths(peaks, rel_height, found['prominences'], found['left_bases'], found['right_bases'], wlen)
        found.update(zip(('widths', 'width_heights', 'left_ips', 'right_ips'), widths))
        peaks, found = _selected(peaks, found, *_between(found['widths'], *_interval(width, x, peaks)))
    return peaks, found
