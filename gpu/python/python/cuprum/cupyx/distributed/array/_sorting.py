"""Sorting of arrays of one axis over devices: each device sorts a part, the parts are split at common values, and each device merges the
elements between two of them (parallel sorting by regular sampling, H. Shi and J. Schaeffer, 1992)."""

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle

# Samples of a part for each device: the imbalance is some percents of a part.
_SAMPLES = 64


def is_possible(array):
    """Returns whether the elements have a total order by comparison, and more than one device holds them."""
    return array.ndim == 1 and array.dtype.kind in 'biuf' and len(array.devices) > 1 and array.size >= _SAMPLES * len(array.devices) ** 2


def sort(array):
    """Returns the array in ascending order, NaN last, with the same index map. It waits for the devices: the sizes of parts depend on values."""
    devices, n = array.devices, array.size
    p = len(devices)
    bounds = [n * k // p for k in range(p + 1)]
    rows = array.change_mode('replica').reshard({device: slice(bounds[k], bounds[k + 1]) for k, device in enumerate(devices)})
    parts, samples = [], []
    for device, _, chunk in rows._handle.chunks():
        with cuprum.cuda.Device(device):
            parts.append(cuprum.sort(chunk))
            samples.append(parts[-1][np.linspace(0, chunk.size - 1, _SAMPLES * p).astype(int)])
    every = np.sort(np.concatenate([sample.get() for sample in samples]))
    values = every[[len(every) * k // p for k in range(1, p)]]
    sides = []
    for device, part in zip(devices, parts):
        with cuprum.cuda.Device(device):
            own = cuprum.asarray(values)
            sides.append([cuprum.searchsorted(part, own, side=side) for side in ('left', 'right')])
    # Numbers of elements of each part before each value, and of those that are not after it.
    less, most = (np.stack([side[k].get() for side in sides]) for k in (0, 1))
    cuts = np.zeros((p, p + 1), np.int64)
    cuts[:, p] = [part.size for part in parts]
    for k in range(1, p):
        # Equal elements are divided, so that many of them burden no device.
        rest = max(0, min(bounds[k], int(most[:, k - 1].sum())) - int(less[:, k - 1].sum()))
        for row in range(p):
            more = min(rest, int(most[row, k - 1] - less[row, k - 1]))
            cuts[row, k] = less[row, k - 1] + more
            rest -= more
    chunks, start = [], 0
    for k, device in enumerate(devices):
        where = cuprum.cuda.Device(device)
        with where:
            pieces = [part[cut[k] : cut[k + 1]].to_device(where) for part, cut in zip(parts, cuts) if cut[k] < cut[k + 1]]
            if pieces:
                merged = cuprum.sort(cuprum.concatenate(pieces))
                chunks.append(((slice(start, start + merged.size),), merged))
                start += merged.size
    result = DistributedHandle.from_chunks((n,), chunks, 'replica')
    return array._of(result.reshard([(device, index) for device, index, _ in array._handle.chunks()]))
