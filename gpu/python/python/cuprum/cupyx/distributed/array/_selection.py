"""Selection of elements of arrays over devices by arrays of indices and of booleans."""

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle

from . import _along, _calls


def is_basic(key):
    """Returns whether an index has integers, slices, new axes and an ellipsis only."""
    return not any(_is_array(part) for part in (key if isinstance(key, tuple) else (key,)))


def _is_array(part):
    return isinstance(part, (list, bool, np.bool_)) or (hasattr(part, 'dtype') and (part.ndim > 0 or part.dtype == bool))


def _on_host(part):
    return part.get() if hasattr(part, 'get') else np.asarray(part)


def index(array, key):
    """Selects elements by an index with one array: of integers, or of booleans."""
    parts = list(key) if isinstance(key, tuple) else [key]
    positions = [k for k, part in enumerate(parts) if _is_array(part)]
    if len(positions) > 1:
        raise NotImplementedError('__getitem__: several arrays are no index of an array over devices: collect it with to_device() first')
    (at,) = positions
    own = parts[at]
    if getattr(own, 'dtype', None) == bool and own.ndim > 1 or isinstance(own, (bool, np.bool_)) or (_dtype(own) == bool and len(parts) == 1):
        if len(parts) > 1:
            raise NotImplementedError('__getitem__: an array of booleans of several axes is the only part of an index of an array over devices')
        return masked(array, own)
    indices = _on_host(own)
    if indices.dtype == bool:
        indices = np.flatnonzero(indices)
    if any(isinstance(part, (int, np.integer)) for part in parts):
        raise NotImplementedError('__getitem__: an integer with an array is no index of an array over devices: select by the integer first')
    # The axis of the result of the other parts.
    parts[at] = slice(None)
    if at == 0 or Ellipsis not in parts[:at]:
        axis = at
    else:
        axis = array.ndim + sum(part is None for part in parts) - (len(parts) - at)
    if not all(isinstance(part, slice) and part == slice(None) for part in parts):
        array = array[tuple(parts)]
    return take(array, indices, axis)


def _dtype(part):
    return part.dtype if hasattr(part, 'dtype') else np.asarray(part).dtype


def _replaced(shape, axis, new):
    return (*shape[:axis], *new, *shape[axis + 1 :])


def take(a, indices, axis=None, out=None, mode='raise'):
    """Selects elements along an axis. Indices of a device are copied to the host, which distributes them."""
    axis = _along._axis('take', a, axis)
    indices = _on_host(indices)
    if indices.dtype.kind not in 'iu' and indices.size:
        raise IndexError(f'take: arrays used as indices must be of integer (or boolean) type, not {indices.dtype}')
    n = a.shape[axis]
    indices = indices.astype(np.int64)
    if mode == 'raise':
        wrong = indices[(indices < -n) | (indices >= n)]
        if wrong.size:
            raise IndexError(f'take: index {wrong[0]} is out of bounds for axis {axis} with size {n}')
        indices = np.where(indices < 0, indices + n, indices)
    else:
        indices = indices % n if mode == 'wrap' else indices.clip(0, n - 1)
    result = _take(a, indices, axis)
    return result if out is None else _calls._store('take', (result,), out)


def _take(a, indices, axis):
    n, shape = a.shape[axis], _replaced(a.shape, axis, indices.shape)
    whole = (slice(0, n, 1),)
    if indices.ndim == 0 or all(index[axis : axis + 1] == whole for _, index, _ in a._handle.chunks()):
        source = a.with_whole_axis(axis)
        chunks = [
            (_replaced(index, axis, tuple(slice(0, m) for m in indices.shape)), chunk)
            for index, chunk in _along.on_chunks(source, lambda chunk: cuprum.take(chunk, indices, axis))
        ]
        return a._of(DistributedHandle.from_chunks(shape, chunks, 'replica'))
    # Each device gets the elements of some of the indices.
    parts, devices, chunks = a._handle.parts(), a.devices, []
    rows = indices.shape[0]
    for k, device in enumerate(devices):
        low, high = rows * k // len(devices), rows * (k + 1) // len(devices)
        if low == high and (rows or k):
            continue
        own = indices[low:high].reshape(-1)
        with cuprum.cuda.Device(device):
            target = cuprum.empty(_replaced(a.shape, axis, own.shape), a.dtype)
        for index, part in parts:
            span = index[axis]
            local, rest = np.divmod(own - span.start, span.step)
            found = np.flatnonzero((own >= span.start) & (own < span.stop) & (rest == 0))
            if not found.size or not part.size:
                continue
            with cuprum.cuda.Device(part.device.id):
                selected = cuprum.take(part, local[found], axis)
            with cuprum.cuda.Device(device):
                target[_replaced(index, axis, (found,))] = selected.to_device(cuprum.cuda.Device(device))
        target = target.reshape(_replaced(a.shape, axis, (high - low, *indices.shape[1:])))
        region = _replaced(tuple(slice(0, m) for m in a.shape), axis, (slice(low, high), *(slice(0, m) for m in indices.shape[1:])))
        chunks.append((region, target))
    return a._of(DistributedHandle.from_chunks(shape, chunks, 'replica'))


def _rows(a):
    """Returns the array in one chunk of rows for each device."""
    devices, n = a.devices, a.shape[0]
    return a.reshard({device: slice(n * k // len(devices), n * (k + 1) // len(devices)) for k, device in enumerate(devices)}).change_mode('replica')


def _joined(a, chunks, rest):
    """Assembles chunks one after the other along the first axis."""
    total = sum(chunk.shape[0] for chunk in chunks)
    placed, start = [], 0
    for chunk in chunks:
        if chunk.shape[0] or (total == 0 and not placed):
            placed.append(((slice(start, start + chunk.shape[0]), *(slice(0, n) for n in rest)), chunk))
            start += chunk.shape[0]
    return a._of(DistributedHandle.from_chunks((total, *rest), placed, 'replica'))


def masked(a, mask):
    """Selects the elements where an array of booleans is true, in C order. It waits for the devices: the shape depends on the elements."""
    if not isinstance(mask, _calls.DistributedArray) and not isinstance(mask, cuprum.ndarray):
        mask = np.asarray(mask)
    if mask.ndim == 0:
        raise NotImplementedError('__getitem__: a boolean is no index of an array over devices: use where(condition, x, y)')
    if mask.shape != a.shape[: mask.ndim]:
        axis = next(k for k in range(mask.ndim) if k >= a.ndim or mask.shape[k] != a.shape[k])
        size = a.shape[axis] if axis < a.ndim else None
        raise IndexError(
            f'__getitem__: boolean index did not match indexed array along axis {axis}; size of axis is {size} but size of corresponding '
            f'boolean axis is {mask.shape[axis]}'
        )
    source, chunks = _rows(a), []
    if isinstance(mask, _calls.DistributedArray):
        mask = mask.reshard({device: index[0][0] for device, index in source.index_map.items()}).change_mode('replica')
        masks = [chunk for _, _, chunk in mask._handle.chunks()]
    else:
        masks = [mask[index[0]] for _, index, _ in source._handle.chunks()]
    for (device, _, chunk), own in zip(source._handle.chunks(), masks):
        with cuprum.cuda.Device(device):
            own = own.to_device(cuprum.cuda.Device(device)) if isinstance(own, cuprum.ndarray) else cuprum.asarray(own)
            chunks.append(chunk[own])
    return _joined(a, chunks, a.shape[mask.ndim :])


def nonzero(a):
    """Returns the indices of the elements that are not zero, an array for each axis. It waits for the devices."""
    source, found = _rows(a), []
    for device, index, chunk in source._handle.chunks():
        with cuprum.cuda.Device(device):
            first, *rest = cuprum.nonzero(chunk)
            found.append([first + index[0].start, *rest])
    return tuple(_joined(a, list(chunks), ()) for chunks in zip(*found))


def compress(condition, a, axis=None, out=None):
    """Selects the slices along an axis for which a condition of one axis is true."""
    condition = _on_host(condition)
    if condition.ndim != 1:
        raise ValueError(f'compress: condition has {condition.ndim} axes: it must have one')
    return take(a, np.flatnonzero(condition), axis, out)
