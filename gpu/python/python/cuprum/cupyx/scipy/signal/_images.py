"""Filters of `scipy.signal` over windows of elements: convolution of images with borders, separable filters, ranks, and Wiener's filter."""

import math
import operator
import warnings

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve as _convolve
from cuprum._cuprum.routines.cupyx.scipy.signal import correlate as _correlate

__all__ = ['convolve2d', 'correlate2d', 'medfilt', 'medfilt2d', 'order_filter', 'sepfir2d', 'wiener']

# The numbers of the border rules of `BorderRule`.
_BOUNDARIES = {'fill': 4, 'pad': 4, 'wrap': 3, 'circular': 3, 'symm': 0, 'symmetric': 0}
_MODES = ('full', 'same', 'valid')


def _array(x, name):
    if isinstance(x, numpy.ndarray):
        raise TypeError(f'Unsupported type numpy.ndarray: `{name}` is on the host, make an array of it with cuprum.asarray')
    return cuprum.asarray(x)


def _real(x, name, function):
    x = _array(x, name)
    if x.dtype.kind not in 'iu' and x.dtype not in (numpy.float32, numpy.float64):
        raise ValueError(f'dtype={x.dtype} is not supported by {function}')
    return x


def _sums(signal, window, out, leads, rule, fill):
    """Computes correlations of real or complex images by their parts."""

    def run(source, weights, result, part):
        shape = list(weights.shape)
        area = shape, [True] * weights.size, weights.ravel().tolist(), [0, 0], [rule, rule], (part, 0.0)
        _cuprum.window_place(source, area, leads, result)

    if out.dtype.kind != 'c':
        return run(signal, window.astype(float), out, float(fill))
    window, fill = window.astype(complex), complex(fill)
    zero = cuprum.zeros((), out.real.dtype)
    for target, pairs in ((out.real, ((0, 0, 1), (1, 1, -1))), (out.imag, ((0, 1, 1), (1, 0, 1)))):
        total = zero
        for source, factor, sign in pairs:
            if source and signal.dtype.kind != 'c':
                continue
            part = cuprum.empty(out.shape, out.real.dtype)
            weights = numpy.ascontiguousarray(window.imag if factor else window.real)
            run(signal.imag if source else signal.real, weights, part, fill.imag if source else fill.real)
            total = total + sign * part
        target[...] = total
    return out


def _two_axes(name, in1, in2, mode, boundary, fillvalue, convolution):
    in1, in2 = _array(in1, 'in1'), _array(in2, 'in2')
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f'{name} inputs must both be 2-D arrays, not {in1.ndim}-D and {in2.ndim}-D')
    if mode not in _MODES:
        raise ValueError(f"{name}: mode must be 'full', 'same' or 'valid', not {mode!r}")
    if boundary not in _BOUNDARIES:
        raise ValueError(f"{name}: boundary must be 'fill', 'wrap' or 'symm', not {boundary!r}")
    if not numpy.isscalar(fillvalue) and numpy.ndim(fillvalue) != 0:
        raise ValueError(f'{name}: fillvalue must be a number, not {fillvalue!r}')
    swapped = False
    if mode == 'valid':
        swapped = not all(n >= k for n, k in zip(in1.shape, in2.shape))
        if swapped and not all(k >= n for n, k in zip(in1.shape, in2.shape)):
            raise ValueError(f"{name}: for mode 'valid' one input must be at least as large as the other along both axes")
    if swapped:
        in1, in2 = in2, in1
    if in1.size == 0 or in2.size == 0:
        raise ValueError(f'{name}: an input of shape {in1.shape if in1.size == 0 else in2.shape} has no elements')
    dtype = numpy.promote_types(in1.dtype, in2.dtype)
    if dtype.kind != 'c' and numpy.iscomplexobj(fillvalue) or dtype.kind in 'biu' and not numpy.isfinite(fillvalue):
        raise ValueError(f'{name}: could not cast `fillvalue`, which is {fillvalue!r}, to the output type, {dtype}')
    if dtype.kind in 'iu':
        fillvalue = int(fillvalue)
    # Sums of integers wrap: they are computed exactly, where the constant is 0, by the engine of sequences.
    if convolution and dtype.kind in 'biu' and _BOUNDARIES[boundary] == 4 and not fillvalue:
        return _convolve(in1, in2, mode, 'direct')
    window = cuprum.asnumpy(in2)
    window = window[::-1, ::-1] if convolution else window.conj()
    sizes = {'full': [n + k - 1 for n, k in zip(in1.shape, in2.shape)], 'same': in1.shape, 'valid': [n - k + 1 for n, k in zip(in1.shape, in2.shape)]}[mode]
    middle = (lambda k: k // 2) if convolution else (lambda k: (k - 1) // 2)
    leads = [{'full': k - 1, 'same': middle(k), 'valid': 0}[mode] for k in in2.shape]
    out = cuprum.empty(sizes, dtype)
    _sums(in1.astype(dtype, copy=False), window, out, leads, _BOUNDARIES[boundary], fillvalue)
    return out[::-1, ::-1] if swapped and not convolution else out


def convolve2d(in1, in2, mode='full', boundary='fill', fillvalue=0):
    """Convolves two images."""
    return _two_axes('convolve2d', in1, in2, mode, boundary, fillvalue, True)


def correlate2d(in1, in2, mode='full', boundary='fill', fillvalue=0):
    """Cross-correlates two images."""
    return _two_axes('correlate2d', in1, in2, mode, boundary, fillvalue, False)


def sepfir2d(input, hrow, hcol):
    """Filters the rows and the columns of an image with borders mirrored about the edge."""
    from cuprum.cupyx.scipy.ndimage import convolve1d

    input = _array(input, 'input')
    filters = [numpy.asarray(cuprum.asnumpy(h) if isinstance(h, cuprum.ndarray) else h) for h in (hrow, hcol)]
    if input.ndim != 2 or any(h.ndim != 1 for h in filters):
        raise ValueError(f'sepfir2d: an image and two sequences are needed, not arrays of {input.ndim}, {filters[0].ndim} and {filters[1].ndim} axes')
    if any(h.size % 2 == 0 for h in filters):
        raise ValueError(f'hrow and hcol must be odd length, not {filters[0].size} and {filters[1].size}')
    single = input.dtype.itemsize <= 2 or input.dtype in (numpy.float32, numpy.complex64)
    if input.dtype.kind == 'c':
        dtype = numpy.dtype('complex64' if single else 'complex128')
    else:
        dtype = numpy.dtype('float32' if single else 'float64')
    rows = convolve1d(input.astype(dtype, copy=False), filters[0], 1, output=dtype)
    return convolve1d(rows, filters[1], 0, output=dtype)


def order_filter(a, domain, rank):
    """Element of a rank among those of a domain around each element; beyond the borders is 0."""
    from cuprum.cupyx.scipy.ndimage import rank_filter

    domain = numpy.asarray(cuprum.asnumpy(domain) if isinstance(domain, cuprum.ndarray) else domain)
    if any(n % 2 != 1 for n in domain.shape):
        raise ValueError(f'Each dimension of domain argument should have an odd number of elements, not {domain.shape}.')
    return rank_filter(_real(a, 'a', 'order_filter'), rank, footprint=domain, mode='constant')


def _odd(kernel_size, ndim):
    if isinstance(kernel_size, cuprum.ndarray):
        kernel_size = cuprum.asnumpy(kernel_size)
    kernel_size = 3 if kernel_size is None else kernel_size
    if isinstance(kernel_size, int) or numpy.ndim(kernel_size) == 0:
        sizes = [int(kernel_size)] * ndim
    else:
        sizes = [int(k) for k in kernel_size]
    if any(k % 2 != 1 for k in sizes):
        raise ValueError(f'Each element of kernel_size should be odd, not {sizes}.')
    return sizes


def _median(volume, sizes):
    from cuprum.cupyx.scipy.ndimage import rank_filter

    return rank_filter(volume, math.prod(sizes) // 2, size=sizes, mode='constant')


def medfilt(volume, kernel_size=None):
    """Median filter; beyond the borders is 0."""
    volume = _real(volume, 'volume', 'medfilt')
    volume = cuprum.atleast_1d(volume)
    sizes = _odd(kernel_size, volume.ndim)
    if any(k > n for k, n in zip(sizes, volume.shape)):
        warnings.warn('kernel_size exceeds volume extent: the volume will be zero-padded.', stacklevel=2)
    return _median(volume, sizes)


def medfilt2d(input, kernel_size=3):
    """Median filter of an image; beyond the borders is 0."""
    input = _real(input, 'input', 'medfilt2d')
    if input.ndim != 2:
        raise ValueError(f'medfilt2d: an image has two axes, not {input.ndim}')
    sizes = _odd(kernel_size, 2)
    # SciPy warns of windows larger than the image for the dtypes that it passes to `medfilt`.
    return _median(input, sizes) if input.dtype.char in 'Bfd' else medfilt(input, sizes)


def wiener(im, mysize=None, noise=None):
    """Wiener's filter: shrinks elements towards the mean around them where the variance is near that of the noise."""
    im = _array(im, 'im')
    sizes = [3] * im.ndim if mysize is None else mysize
    if isinstance(sizes, cuprum.ndarray):
        sizes = cuprum.asnumpy(sizes)
    sizes = [operator.index(n) for n in (sizes if numpy.ndim(sizes) else [sizes] * im.ndim)]
    ones, count = cuprum.ones(sizes), float(math.prod(sizes))
    mean = _correlate(im, ones, 'same') / count
    variance = _correlate(im**2, ones, 'same') / count - mean**2
    noise = cuprum.mean(variance) if noise is None else noise
    result = im - mean
    result *= 1 - noise / variance
    result += mean
    return cuprum.where(variance < noise, mean, result)
