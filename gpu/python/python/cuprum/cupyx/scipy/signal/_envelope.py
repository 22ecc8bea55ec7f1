"""Envelopes of signals of `scipy.signal`."""

import numbers

import cuprum

from ._images import _array
from ._resampling import resample

__all__ = ['envelope']


def _band(bp_in, n):
    """Returns the first frequency of a band and the one after the last, as multiples of the lowest."""
    if len(bp_in) != 2 or not all(b is None or isinstance(b, numbers.Integral) for b in bp_in):
        raise ValueError(f"bp_in={bp_in!r} isn't a 2-tuple of type (int | None, int | None)!")
    low, high = -(n // 2), (n + 1) // 2
    first, after = low if bp_in[0] is None else int(bp_in[0]), high if bp_in[1] is None else int(bp_in[1])
    if not low <= first < after <= high:
        raise ValueError(f'`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for n=z.shape[axis]={n} and bp_in={(first, after)}!')
    return first, after


def _clear(spectrum, first, after):
    """Sets the elements of a range of frequencies to 0."""
    n = spectrum.shape[-1]
    if first < min(after, 0):
        spectrum[..., n + first : n + min(after, 0)] = 0
    if max(first, 0) < after:
        spectrum[..., max(first, 0) : after] = 0


def envelope(z, bp_in=(1, None), *, n_out=None, squared=False, residual='lowpass', axis=-1):
    """Envelope of the part of a signal in a band of frequencies, and the rest of the signal, by transforms along an axis.

    The frequencies from `bp_in[0]` up to `bp_in[1]`, without the latter, are multiples of the lowest of a periodic signal; `None` is the end of the
    spectrum. The envelope is the magnitude, or with `squared` its square, of that part, or of its analytic signal if `z` is real. The rest has the
    frequencies below the band, or with `residual='all'` all others. The result has the shape `(2, *z.shape)`, with the envelope first, or, with
    `residual=None`, is the envelope alone; the length along the axis is `n_out` where that is passed. The rest of a band that begins at 0 is what is
    described here; SciPy's is 0.
    """
    if residual not in ('lowpass', 'all', None):
        raise ValueError(f"residual={residual!r} not in ['lowpass', 'all', None]!")
    z = _array(z, 'z')
    if not -z.ndim <= axis < z.ndim:
        raise ValueError(f'Invalid parameter axis={axis} for z.shape={z.shape}!')
    lines = cuprum.moveaxis(z, axis, -1)
    n = lines.shape[-1]
    if n == 0:
        raise ValueError(f'z.shape[axis] not > 0 for z.shape={z.shape}, axis={axis}!')
    first, after = _band(bp_in, n)
    if n_out is not None and not (isinstance(n_out, numbers.Integral) and n_out > 0):
        raise ValueError(f'n_out={n_out} is not a positive integer or None!')
    n_out = n if n_out is None else int(n_out)
    spectrum, is_real = cuprum.fft.fft(lines), z.dtype.kind != 'c'
    # A shift of frequencies does not change the magnitude: the band begins at 0.
    band = cuprum.roll(spectrum, -first, -1)[..., : min(after - first, n_out)].copy()
    if is_real:
        # The analytic signal has no negative frequencies. Half the sampling rate is one of them, and the opposite of itself.
        band[..., int(2 * first == -n) : max(-first, 0)] = 0
        band[..., max(1 - first, 0) :] *= 2
    band = cuprum.fft.ifft(band, n_out) * (n_out / n)
    magnitude = band.real**2 + band.imag**2 if squared else abs(band)
    magnitude = cuprum.moveaxis(magnitude, -1, axis)
    if residual is None:
        return magnitude
    last = after if residual == 'all' else (n + 1) // 2
    if is_real:
        # Negative frequencies follow from their opposites, but for half the sampling rate.
        _clear(spectrum, max(first, 0), last)
        _clear(spectrum, 1 - last, 1 - max(first, 0))
        if 2 * first == -n:
            _clear(spectrum, first, first + 1)
    else:
        _clear(spectrum, first, last)
    others = resample(spectrum, n_out, axis=-1, domain='freq')
    return cuprum.stack((magnitude, cuprum.moveaxis(others.real if is_real else others, -1, axis)))
