"""Functions of arrays over devices along whole axes: Fourier transforms, sorting, order statistics."""

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle

from . import _calls

# Functions along one axis, with its default, whose results have the axis, too.
_KEEPING = {'argsort': -1, 'diff': -1, 'flip': None, 'roll': None, 'repeat': None}
# Functions along one axis whose results lack it.
_REDUCING = frozenset('median nanmedian percentile nanpercentile quantile nanquantile'.split())
# Fourier transforms along one axis.
_FFT = frozenset('fft ifft rfft irfft hfft ihfft'.split())
# Those of several axes, with the one of the last axis and that of the others.
_FFTN = {'fftn': ('fft', 'fftn'), 'ifftn': ('ifft', 'ifftn'), 'rfftn': ('rfft', 'fftn'), 'irfftn': ('irfft', 'ifftn')}


def call(name, args, kwargs):
    """Calls a function of this module by its name; `NotImplemented` if there is none."""
    if name in _KEEPING or name in _REDUCING:
        return _along_one(name, args, dict(kwargs))
    if not name.startswith('fft.'):
        return NotImplemented
    base = name.removeprefix('fft.')
    if base in _FFT:
        return _fft(base, *args, **kwargs)
    if base in _FFTN:
        return _fftn(base, *args, **kwargs)
    if base.endswith('2') and base[:-1] + 'n' in _FFTN:
        return _fft2(base[:-1] + 'n', *args, **kwargs)
    if base in ('fftshift', 'ifftshift'):
        return _shift(getattr(cuprum.fft, base), *args, **kwargs)
    return NotImplemented


def _assembled(array, results, changed):
    """Returns the array of results, of which the axes in `changed` are whole in each chunk."""
    chunks, shape = [], None
    for index, result in results:
        index = tuple(slice(0, result.shape[k]) if k in changed else s for k, s in enumerate(index))
        shape = tuple(result.shape[k] if k in changed else n for k, n in enumerate(array.shape))
        chunks.append((index, result))
    return array._of(DistributedHandle.from_chunks(shape, chunks, 'replica'))


def on_chunks(array, function):
    """Yields the index of each chunk and the result of a function on its device."""
    for device, index, chunk in array._handle.chunks():
        with cuprum.cuda.Device(device):
            yield index, function(chunk)


def along(array, axis, function):
    """Calls a function that changes the length of one axis at most, of chunks that hold the axis whole."""
    return _assembled(array, on_chunks(array.with_whole_axis(axis), function), {axis})


def _axis(name, array, axis):
    if axis is None:
        if array.ndim != 1:
            raise NotImplementedError(f'{name}: axis is None: an array over devices of {array.ndim} axes is not flattened, give an axis')
        return 0
    if not isinstance(axis, (int, np.integer)):
        raise NotImplementedError(f'{name}: axis is {axis}: one axis is possible for arrays over devices')
    return np.lib.array_utils.normalize_axis_index(axis, array.ndim)


def _along_one(name, args, kwargs):
    array, *rest = args
    _calls._check_operands(name, (*rest, *kwargs.values()))
    if kwargs.pop('out', None) is not None:
        raise NotImplementedError(f'{name}: out is not available for arrays over devices')
    position = {'diff': 1, 'roll': 1, 'repeat': 1, 'flip': 0, 'argsort': 0, 'median': 0, 'nanmedian': 0}.get(name, 1)
    axis = rest.pop(position) if len(rest) > position else kwargs.pop('axis', _KEEPING.get(name))
    axis = _axis(name, array, axis)
    function = getattr(cuprum, name)
    if name in _KEEPING:
        return along(array, axis, lambda chunk: function(chunk, *rest, axis=axis, **kwargs))
    keepdims = kwargs.pop('keepdims', False)
    several = np.ndim(rest[0] if rest else kwargs.get('q', 0))
    if several:
        raise NotImplementedError(f'{name}: q is a sequence: call the function for each number with arrays over devices')
    result = along(array, axis, lambda chunk: function(chunk, *rest, axis=axis, keepdims=True, **kwargs))
    return result if keepdims else result[tuple(0 if k == axis else slice(None) for k in range(array.ndim))]


def _fft(name, a, n=None, axis=-1, norm=None):
    axis = _axis(f'fft.{name}', a, axis)
    return along(a, axis, lambda chunk: getattr(cuprum.fft, name)(chunk, n, axis, norm))


def _fft2(name, a, s=None, axes=(-2, -1), norm=None):
    return _fftn(name, a, s, axes, norm)


def _fftn(name, a, s=None, axes=None, norm=None):
    last, others = _FFTN[name]
    if axes is None:
        axes = range(a.ndim) if s is None else range(a.ndim - len(s), a.ndim)
    axes = [_axis(f'fft.{name}', a, axis) for axis in axes]
    if s is not None and len(s) != len(axes):
        raise ValueError(f'fft.{name}: shape and axes have different lengths: {len(s)} and {len(axes)}')
    lengths = list(zip(axes, s if s is not None else [None] * len(axes)))
    if not lengths or len(set(axes)) < len(axes):
        raise ValueError(f'fft.{name}: axes is {tuple(axes)}: different axes are needed, one at least')
    real = None if last in ('fft', 'ifft') else lengths.pop()
    if real is not None and last == 'rfft':
        a = _fft(last, a, real[1], real[0], norm)
    a = _complex(others, a, lengths, norm)
    return _fft(last, a, real[1], real[0], norm) if last == 'irfft' else a


def _complex(name, a, lengths, norm):
    """Transforms along axes, those together that chunks hold whole, so that elements move between devices once at most for each group."""
    while lengths:
        whole = [k for k in range(a.ndim) if all(index[k] == slice(0, a.shape[k], 1) for _, index, _ in a._handle.chunks())]
        now = [pair for pair in lengths if pair[0] in whole]
        if not now:
            a = a.with_whole_axis(lengths[-1][0])
            continue
        axes = [axis for axis, _ in now]
        s = [a.shape[axis] if n is None else n for axis, n in now]
        source = a.with_whole_axis(axes[0])
        a = _assembled(source, on_chunks(source, lambda chunk: getattr(cuprum.fft, name)(chunk, s, axes, norm)), set(axes))
        lengths = [pair for pair in lengths if pair not in now]
    return a


def _shift(function, x, axes=None):
    axes = range(x.ndim) if axes is None else axes if isinstance(axes, (tuple, list)) else [axes]
    for axis in (_axis('fft.fftshift', x, axis) for axis in axes):
        x = along(x, axis, lambda chunk, axis=axis: function(chunk, axis))
    return x
