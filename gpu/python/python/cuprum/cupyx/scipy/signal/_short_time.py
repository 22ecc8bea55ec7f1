"""Short-time Fourier transforms with a window and its dual: `ShortTimeFFT`."""

import math
import operator
import types

import numpy

import cuprum
from cuprum._decorators import set_module

from .._axes import normalize_axis
from ._filters import detrend
from ._images import _array
from ._representations import device, host
from ._segments import _computed
from .windows import get_window

__all__ = ['ShortTimeFFT', 'closest_STFT_dual_window']

_MODES = ('twosided', 'centered', 'onesided', 'onesided2X')
_PADS = {
    'zeros': {'mode': 'constant'},
    'edge': {'mode': 'edge'},
    'even': {'mode': 'reflect', 'reflect_type': 'even'},
    'odd': {'mode': 'reflect', 'reflect_type': 'odd'},
}

# Segment `f` of a line begins at the sample `begin + f * step`, and is rotated by `shift` within its `nfft` elements, of which `size` are of the signal. `I` is the type of indices: divisions of
# 64-bit integers would take longer than the memory.
_cut = cuprum.ElementwiseKernel(
    'raw T x, raw W win, I length, I step, I begin, I frames, I size, I nfft, I shift',
    'W y',
    """
    I row = I(i) / nfft, j = I(i) - row * nfft + shift, line = row / frames, f = row - line * frames;
    if (j >= nfft) j -= nfft;
    I k = begin + f * step + j;
    y = j < size && k >= 0 && k < length ? win[j] * W(x[line * length + k]) : W(0);
    """,
    'cuprum_short_time_cut',
)

# Sample `i` of a line is the sum over the segments that have it, in their order.
_overlap_add = cuprum.ElementwiseKernel(
    'raw T x, raw T dual, I length, I step, I begin, I frames, I size, I nfft, I shift',
    'T y',
    """
    I line = I(i) / length, k = I(i) - line * length - begin;
    I first = k < size ? 0 : (k - size) / step + 1, last = k / step;
    if (last >= frames) last = frames - 1;
    T sum = T(0);
    for (I f = first; f <= last; ++f) {
        I j = k - f * step, at = j - shift;
        if (at < 0) at += nfft;
        sum += x[(line * frames + f) * nfft + at] * dual[j];
    }
    y = sum;
    """,
    'cuprum_short_time_overlap_add',
)


def _launched(kernel, source, window, out, *numbers):
    """Calls a kernel with indices of 32 bits if both arrays have them, with room for a segment beyond the end."""
    largest = max(source.size, out.size) + 2 * max(abs(number) for number in numbers)
    kind = numpy.int32 if largest < 1 << 31 else numpy.int64
    kernel(source, window, *map(kind, numbers), out)
    return out


def _folded(products, hop):
    """Returns sums of elements that are a multiple of `hop` apart, at the position of each of them."""
    sums = numpy.zeros(hop, products.dtype)
    numpy.add.at(sums, numpy.arange(products.size) % hop, products)
    return sums[numpy.arange(products.size) % hop]


def _energy(win):
    return win.real**2 + win.imag**2


def _canonical_dual(win, hop):
    """Returns the dual window of least energy."""
    if hop > win.size:
        raise ValueError(f'hop={hop} is larger than window length of {win.size}: the transform is not invertible.')
    sums = _folded(_energy(win), hop)
    if (sums < numpy.finfo(sums.dtype).resolution * sums.max()).any():
        raise ValueError('Short-time Fourier Transform not invertible: the squares of the windows sum to 0 somewhere.')
    return win / sums


def _window_elements(win, name='win'):
    win = host(win)
    if win.ndim != 1 or win.size == 0:
        raise ValueError(f'Parameter {name} {"must be" if name == "win" else "is not"} 1d, but {name}.shape={win.shape}!')
    if not numpy.isfinite(win).all():
        raise ValueError(f'Parameter {name} {"must be a finite array" if name == "dual_win" else "must have finite entries"}!')
    return win if win.dtype.kind in 'fc' else win.astype(float)


def closest_STFT_dual_window(win, hop, desired_dual=None, *, scaled=True):
    """Dual window nearest to a desired one, which is rectangular by default, or to a multiple of it if `scaled`. Returns the dual window and the factor.

    It is computed on the host in float64.
    """
    hop = operator.index(hop)
    if desired_dual is not None and numpy.shape(win) != numpy.shape(desired_dual):
        raise ValueError(f'Parameters `win` and `desired_dual` are of different shapes, {numpy.shape(win)} and {numpy.shape(desired_dual)}')
    win = _window_elements(win)
    desired = numpy.ones_like(win) if desired_dual is None else _window_elements(desired_dual, 'desired_dual')
    if not 1 <= hop <= win.size:
        raise ValueError(f'hop={hop} is not between 1 and len(win)={win.size}!')
    dual = _canonical_dual(win, hop)
    sums, overlap = _folded(_energy(win), hop), _folded(win.conj() * desired, hop)
    factor = 1.0
    if scaled:
        # Each residue modulo hop counts once: the least squares of the distances of all residues.
        own, weight = overlap[:hop], sums[:hop]
        below = (_energy(own) / weight).sum()
        if below <= numpy.finfo(below.dtype).resolution * (_energy(desired).sum() or 1.0):
            raise ValueError('Unable to calculate the scaled closest dual window: it would be 0.')
        factor = (own.conj() / weight).sum() / below
    found = factor * desired + dual * (1 - factor * overlap)
    return device(found), factor


@set_module('cuprum.cupyx.scipy.signal')
class ShortTimeFFT:
    """Short-time Fourier transform with a window, and its inverse with the dual window.

    Windows are designed on the host; transforms run on the device, in float32 for signals of float16 and float32. Segment `p` is centred at the sample `p * hop`.
    """

    def __init__(self, win, hop, fs, *, fft_mode='onesided', mfft=None, dual_win=None, scale_to=None, phase_shift=0):
        self._win = _window_elements(win)
        if not (isinstance(hop, (int, numpy.integer)) and hop >= 1):
            raise ValueError(f'Parameter hop={hop} is not an integer >= 1!')
        self._hop = int(hop)
        self.fs = fs
        self._dual, self._scaling = None, None
        self._arrays = {}
        if dual_win is not None:
            dual = _window_elements(dual_win, 'dual_win')
            if dual.shape != self._win.shape:
                raise ValueError(f'dual_win.shape={dual.shape} must equal win.shape={self._win.shape}!')
            self._dual = dual
        self._mfft, self._mode, self._shift = self.m_num, 'onesided', 0
        self.mfft = self.m_num if mfft is None else mfft
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode, self.phase_shift = fft_mode, phase_shift

    # Annotations name the dtype of windows.
    __class_getitem__ = classmethod(types.GenericAlias)

    @classmethod
    def from_dual(cls, dual_win, hop, fs, *, fft_mode='onesided', mfft=None, scale_to=None, phase_shift=0):
        """Returns the transform whose dual window is given; its window is the dual one of least energy."""
        dual_win = _window_elements(dual_win, 'dual_win')
        win = _canonical_dual(dual_win, hop)
        return cls(win, hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=dual_win, scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    def from_window(cls, win_param, fs, nperseg, noverlap, *, symmetric_win=False, fft_mode='onesided', mfft=None, scale_to=None, phase_shift=0):
        """Returns the transform with a window of `get_window`, and segments of `nperseg` samples of which `noverlap` are also in the next one."""
        win = get_window(win_param, nperseg, fftbins=not symmetric_win)
        return cls(win, nperseg - noverlap, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    def from_win_equals_dual(cls, desired_win, hop, fs, *, fft_mode='onesided', mfft=None, scale_to=None, phase_shift=0):
        """Returns the transform whose window equals its dual one up to a factor, and is nearest to a desired one. `scale_to='unitary'` makes the transform unitary."""
        win = _window_elements(desired_win, 'desired_win')
        if not 1 <= hop <= win.size:
            raise ValueError(f'hop={hop} is not between 1 and len(desired_win)={win.size}!')
        _canonical_dual(win, hop)
        win = win / numpy.sqrt(_folded(_energy(win), hop))
        dual = win.copy()
        unitary = scale_to == 'unitary'
        if unitary:
            root = math.sqrt(win.size if mfft is None else mfft)
            win, dual = win / root, dual * root
        found = cls(win, hop, fs, fft_mode='twosided', mfft=mfft, dual_win=dual, scale_to=None if unitary else scale_to, phase_shift=phase_shift)
        if unitary:
            found._scaling = 'unitary'
        found.fft_mode = fft_mode
        return found

    @property
    def win(self):
        """The window, as an array on the device."""
        return self._array('win', self._win.dtype)

    @property
    def dual_win(self):
        """The dual window, as an array on the device: a `ValueError` if there is none."""
        return self._array('dual', self._dual_elements().dtype)

    def _dual_elements(self):
        if self._dual is None:
            self._dual = _canonical_dual(self._win, self._hop)
        return self._dual

    def _array(self, name, dtype):
        """Returns a window on the current device in a dtype: `win`, its conjugate `conj`, or `dual`."""
        key = (name, cuprum.cuda.Device().id, numpy.dtype(dtype))
        if key not in self._arrays:
            elements = {'win': lambda: self._win, 'conj': lambda: self._win.conj(), 'dual': self._dual_elements}[name]()
            self._arrays[key] = cuprum.asarray(elements.astype(dtype))
        return self._arrays[key]

    @property
    def hop(self):
        """The number of samples between two segments."""
        return self._hop

    @property
    def fs(self):
        """The sampling frequency."""
        return self._fs

    @fs.setter
    def fs(self, value):
        if not value > 0:
            raise ValueError(f'Sampling frequency fs={value} must be positive!')
        self._fs = value

    @property
    def T(self):
        """The sampling interval."""
        return 1 / self._fs

    @T.setter
    def T(self, value):
        if not value > 0:
            raise ValueError(f'Sampling interval T={value} must be positive!')
        self._fs = 1 / value

    @property
    def fft_mode(self):
        """The kind of the transforms: `'twosided'`, `'centered'`, `'onesided'`, or `'onesided2X'`, whose values count both sides."""
        return self._mode

    @fft_mode.setter
    def fft_mode(self, value):
        if value not in _MODES:
            raise ValueError(f'fft_mode={value!r} not in {_MODES}!')
        if value.startswith('onesided') and self._win.dtype.kind == 'c':
            raise ValueError(f"One-sided spectra, i.e., fft_mode='{value}', are not allowed for complex-valued windows!")
        if value == 'onesided2X' and self._scaling is None:
            raise ValueError("For scaling is None, fft_mode='onesided2X' is invalid: call scale_to('psd') or scale_to('magnitude').")
        self._mode = value

    @property
    def mfft(self):
        """The length of the transforms; longer than the window, segments are continued by zeros."""
        return self._mfft

    @mfft.setter
    def mfft(self, value):
        if not value >= self.m_num:
            raise ValueError(f'Attribute mfft={value} needs to be at least the window length m_num={self.m_num}!')
        self._mfft = operator.index(value)

    @property
    def phase_shift(self):
        """The distance in samples of the phase's origin from the middle of a segment, or None for an origin at its first sample."""
        return self._shift

    @phase_shift.setter
    def phase_shift(self, value):
        if value is None:
            self._shift = None
            return
        if not isinstance(value, (int, numpy.integer)):
            raise ValueError(f'phase_shift={value} has the unit samples: it must be an integer or None.')
        if not -self._mfft < value < self._mfft:
            raise ValueError(f'-mfft < phase_shift < mfft does not hold for mfft={self._mfft}, phase_shift={value}!')
        self._shift = int(value)

    @property
    def _rotation(self):
        """The number of elements by which a segment is rotated before its transform."""
        return 0 if self._shift is None else (self._shift + self.m_num_mid) % self.m_num

    @property
    def scaling(self):
        """The scaling of the window: `'magnitude'`, `'psd'`, `'unitary'` or None."""
        return self._scaling

    def scale_to(self, scaling):
        """Scales the window so that the values are magnitudes of a spectrum, or their squares a power spectral density."""
        if scaling not in ('magnitude', 'psd'):
            raise ValueError(f"scaling={scaling!r} not in {{'magnitude', 'psd'}}!")
        if self._scaling == scaling:
            return
        factor = self.fac_psd if scaling == 'psd' else self.fac_magnitude
        self._win = self._win * factor
        if self._dual is not None:
            self._dual = self._dual / factor
        self._scaling = scaling
        self._arrays = {}

    @property
    def fac_magnitude(self):
        """The factor to values that are magnitudes of a spectrum."""
        return 1 if self._scaling == 'magnitude' else float(1 / abs(self._win.sum()))

    @property
    def fac_psd(self):
        """The factor to values whose squares are a power spectral density."""
        return 1 if self._scaling == 'psd' else float(1 / math.sqrt(_energy(self._win).sum() / self.T))

    @property
    def m_num(self):
        """The number of samples of the window."""
        return self._win.size

    @property
    def m_num_mid(self):
        """The index of the window's middle."""
        return self.m_num // 2

    @property
    def invertible(self):
        """Whether there is a dual window."""
        try:
            return self._dual_elements().size == self.m_num
        except ValueError:
            return False

    @property
    def onesided_fft(self):
        """Whether frequencies are 0 and above alone."""
        return self._mode.startswith('onesided')

    @property
    def f_pts(self):
        """The number of frequencies."""
        return self._mfft // 2 + 1 if self.onesided_fft else self._mfft

    @property
    def f(self):
        """The frequencies, as an array on the device."""
        if self.onesided_fft:
            return cuprum.fft.rfftfreq(self._mfft, self.T)
        found = cuprum.fft.fftfreq(self._mfft, self.T)
        return cuprum.fft.fftshift(found) if self._mode == 'centered' else found

    @property
    def delta_f(self):
        """The distance of two frequencies."""
        return 1 / (self._mfft * self.T)

    @property
    def delta_t(self):
        """The time between two segments."""
        return self.T * self._hop

    def _support(self):
        """Returns the indices of the first and of the last sample of the window that is not 0."""
        found = numpy.flatnonzero(_energy(self._win))
        return (int(found[0]), int(found[-1])) if found.size else (0, self.m_num - 1)

    @property
    def p_min(self):
        """The first segment, which is 0 or below."""
        mid = self.m_num_mid
        # As in SciPy, zeros at the end of the window do not shorten it, unless the segment before segment 0 has no more samples than these.
        if mid + self._hop <= self.m_num - 1 - self._support()[1]:
            return 0
        return min(0, -((self.m_num - 1 - mid) // self._hop))

    @property
    def k_min(self):
        """The first sample of the first segment."""
        return self.p_min * self._hop - self.m_num_mid

    def _checked_length(self, n):
        if n < self.m_num - self.m_num_mid:
            raise ValueError(f'Parameter n must be >= ceil(m_num/2) = {self.m_num - self.m_num_mid}!')
        return n

    def p_max(self, n):
        """Returns the end of the segments of a signal of `n` samples."""
        self._checked_length(n)
        first = self._support()[0]
        return max(n // self._hop, -((first - n - self.m_num_mid) // self._hop) - 1) + 1

    def k_max(self, n):
        """Returns the end of the samples of the last segment of a signal of `n` samples."""
        return (self.p_max(n) - 1) * self._hop - self.m_num_mid + self.m_num

    def p_num(self, n):
        """Returns the number of segments of a signal of `n` samples."""
        return self.p_max(n) - self.p_min

    @property
    def lower_border_end(self):
        """The first sample and the first segment that no sample before the signal affects."""
        mid, first = self.m_num_mid, self._support()[0]
        if first - mid > self._hop:
            return 0, max(self.p_min, 0)
        p = max(1, -((first - mid) // self._hop))
        return (p - 1) * self._hop - mid + first + self.m_num, p

    def upper_border_begin(self, n):
        """Returns the first sample and the first segment that samples after a signal of `n` samples affect."""
        self._checked_length(n)
        p = (n + self.m_num_mid - self._support()[1] - 1) // self._hop + 1
        return p * self._hop - self.m_num_mid, p

    def p_range(self, n, p0=None, p1=None):
        """Returns the first segment and the end of the segments, by default of all that a signal of `n` samples has."""
        end = self.p_max(n)
        p0, p1 = self.p_min if p0 is None else p0, end if p1 is None else p1
        if not self.p_min <= p0 < p1 <= end:
            raise ValueError(
                f'Invalid Parameter p0={p0}, p1={p1}, i.e., self.p_min={self.p_min} <= p0 < p1 <= p_max={end} does not hold for signal length n={n}!'
            )
        return p0, p1

    def t(self, n, p0=None, p1=None, k_offset=0):
        """Returns the times of the segments of a signal of `n` samples, as an array on the device."""
        p0, p1 = self.p_range(n, p0, p1)
        return cuprum.arange(p0, p1) * self.delta_t + k_offset * self.T

    def nearest_k_p(self, k, left=True):
        """Returns the sample at the middle of a segment nearest to a sample, on the left or on the right."""
        p, rest = divmod(k, self._hop)
        return k if rest == 0 else (p if left else p + 1) * self._hop

    def extent(self, n, axes_seq='tf', center_bins=False):
        """Returns the limits of times and of frequencies, for the axes of an image."""
        if axes_seq not in ('tf', 'ft'):
            raise ValueError(f"Parameter axes_seq={axes_seq} not in ['tf', 'ft']!")
        if self._mode == 'twosided':
            raise ValueError(f"Attribute fft_mode={self._mode} must be in ['centered', 'onesided', 'onesided2X']: frequencies are not in ascending order.")
        p0, p1 = self.p_range(n)
        first = -(self._mfft // 2) if self._mode == 'centered' else 0
        times = [p0 * self.delta_t, p1 * self.delta_t]
        frequencies = [first * self.delta_f, (first + self.f_pts) * self.delta_f]
        if center_bins:
            times = [t - self.delta_t / 2 for t in times]
            frequencies = [f - self.delta_f / 2 for f in frequencies]
        return tuple(times + frequencies if axes_seq == 'tf' else frequencies + times)

    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding='zeros', axis=-1):
        """Returns the transforms of segments: frequencies along `axis`, and segments along a new last axis. They are complex64 if the signal and the window are of
        single precision, and complex128 otherwise and in SciPy."""
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding='zeros', axis=-1):
        """Returns the transforms of segments of which a trend is subtracted: `'constant'`, `'linear'`, or by a function."""
        x = _array(x, 'x')
        at = normalize_axis(operator.index(axis), x.ndim)
        if self.onesided_fft and x.dtype.kind == 'c':
            raise ValueError(f"Complex-valued `x` not allowed for self.fft_mode='{self._mode}': set it to 'twosided' or 'centered'.")
        if isinstance(detr, str) and detr not in ('linear', 'constant'):
            raise ValueError("Trend type must be 'linear' or 'constant'.")
        if not (detr is None or isinstance(detr, str) or callable(detr)):
            raise ValueError(f'Parameter detr={detr} is not a string, a function or None!')
        if padding not in _PADS:
            raise ValueError(f'Parameter padding={padding!r} not in {tuple(_PADS)}!')
        n = x.shape[at]
        if n < self.m_num - self.m_num_mid:
            raise ValueError(f'len(x)={n} must be >= ceil(m_num/2) = {self.m_num - self.m_num_mid}!')
        p0, p1 = self.p_range(n, p0, p1)
        # That of the product with the window.
        real = numpy.result_type(_computed(x), self._win.real.dtype)
        lines = cuprum.moveaxis(x, at, -1)
        if x.dtype.kind not in 'fc':
            lines = lines.astype(real)
        begin, end = p0 * self._hop - self.m_num_mid + k_offset, (p1 - 1) * self._hop - self.m_num_mid + k_offset + self.m_num
        if padding != 'zeros' and (begin < 0 or end > n):
            lines = lines[..., max(begin, 0) : min(end, n)]
            left, right = max(-begin, 0), max(end - n, 0)
            lines = cuprum.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(left, right)], **_PADS[padding])
            begin = 0
        complex_valued = lines.dtype.kind == 'c' or self._win.dtype.kind == 'c'
        dtype = numpy.result_type(real, numpy.complex64) if complex_valued else real
        window, count = self._array('conj', dtype), p1 - p0
        spectra = self._transformed(self._segments(lines, window, begin, count, detr))
        return cuprum.moveaxis(spectra, (-2, -1), (-1, at))

    def _segments(self, lines, window, begin, count, detr):
        """Returns windowed segments in their order of the transform: the shape of `lines` without the last axis, then segments and samples."""
        size, nfft, step = self.m_num, self._mfft, self._hop
        outer = lines.shape[:-1]
        lines = cuprum.ascontiguousarray(lines)
        length = lines.shape[-1]
        if detr is not None:
            pieces = cuprum.empty((*outer, count, size), lines.dtype)
            _launched(_cut, lines, cuprum.ones(size, lines.dtype), pieces, length, step, begin, count, size, size, 0)
            pieces = detr(pieces) if callable(detr) else detrend(pieces, type=detr)
            lines = cuprum.ascontiguousarray(pieces).reshape(*outer, count * size)
            length, step, begin = count * size, size, 0
        out = cuprum.empty((*outer, count, nfft), window.dtype)
        return _launched(_cut, lines, window, out, length, step, begin, count, size, nfft, self._rotation)

    def _transformed(self, segments):
        if self.onesided_fft:
            spectra = cuprum.fft.rfft(segments)
            if self._mode == 'onesided2X':
                # The frequencies 0 and fs/2 have no other side.
                both = spectra[..., 1 : -1 if self._mfft % 2 == 0 else None]
                both *= math.sqrt(2) if self._scaling == 'psd' else 2
            return spectra
        spectra = cuprum.fft.fft(segments)
        return cuprum.fft.fftshift(spectra, axes=-1) if self._mode == 'centered' else spectra

    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding='zeros', axis=-1):
        """Returns the squares of the magnitudes of `stft_detrend`, or the products of those of `x` and the conjugates of those of `y`."""
        options = {'p0': p0, 'p1': p1, 'k_offset': k_offset, 'padding': padding, 'axis': axis}
        sx = self.stft_detrend(x, detr, **options)
        if y is None or y is x:
            return sx.real**2 + sx.imag**2
        return sx * self.stft_detrend(y, detr, **options).conj()

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):
        """Returns the samples from `k0` to `k1` of the signal of these transforms; it is real if the transforms are one-sided."""
        S = _array(S, 'S')
        f_at, t_at = normalize_axis(f_axis, S.ndim), normalize_axis(t_axis, S.ndim)
        if f_at == t_at:
            raise ValueError(f'f_axis={f_axis} may not be equal to t_axis={t_axis}!')
        if S.shape[f_at] != self.f_pts:
            raise ValueError(f'S.shape[f_axis]={S.shape[f_at]} must be equal to f_pts={self.f_pts} (S.shape={S.shape})!')
        count, half = S.shape[t_at], self.m_num - self.m_num_mid
        least = self.p_num(half)
        if count < least:
            raise ValueError(f'S.shape[t_axis]={count} needs to have at least {least} slices (S.shape={S.shape})!')
        end = (count + self.p_min - 1) * self._hop + half
        k1 = end if k1 is None else k1
        if not self.k_min <= k0 < k1 <= end:
            raise ValueError(f'(self.k_min={self.k_min}) <= (k0={k0}) < (k1={k1}) <= (k_max={end}) is false!')
        if k1 - k0 < half:
            raise ValueError(f'(k1={k1}) - (k0={k0}) = {k1 - k0} has to be at least the half the window length {half}!')
        dual = self._dual_elements()
        # The first segment of those that have these samples, and their end.
        first = max(self.p_min, -(-(k0 + self.m_num_mid - self.m_num + 1) // self._hop))
        last = min(self.p_min + count, (k1 - 1 + self.m_num_mid) // self._hop + 1)
        moved = cuprum.moveaxis(S, (t_at, f_at), (-2, -1))[..., first - self.p_min : last - self.p_min, :]
        frames = cuprum.ascontiguousarray(self._inverse(moved))
        dtype = numpy.result_type(frames.dtype, numpy.complex64) if dual.dtype.kind == 'c' else frames.dtype
        frames = frames.astype(dtype, copy=False)
        n = k1 - k0
        x = cuprum.empty((*frames.shape[:-2], n), dtype)
        begin = first * self._hop - self.m_num_mid - k0
        _launched(_overlap_add, frames, self._array('dual', dtype), x, n, self._hop, begin, last - first, self.m_num, self._mfft, self._rotation)
        # SciPy's position of the time: that of the frequencies, unless they come last.
        return cuprum.moveaxis(x, -1, f_at if f_at < x.ndim else t_at) if x.ndim > 1 else x

    def _inverse(self, spectra):
        if not self.onesided_fft:
            return cuprum.fft.ifft(cuprum.fft.ifftshift(spectra, axes=-1) if self._mode == 'centered' else spectra)
        if self._mode == 'onesided2X':
            spectra = spectra.copy()
            both = spectra[..., 1 : -1 if self._mfft % 2 == 0 else None]
            both /= math.sqrt(2) if self._scaling == 'psd' else 2
        return cuprum.fft.irfft(spectra, self._mfft)
