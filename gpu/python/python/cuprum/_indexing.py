"""Objects and functions of indices: grids, open meshes, and iteration."""

import functools
import math

import numpy as np

import cuprum
from cuprum._cuprum import routines as _routines
from cuprum._decorators import set_module

__all__ = ['c_', 'diag_indices_from', 'ix_', 'mask_indices', 'mgrid', 'ndenumerate', 'ogrid', 'r_', 'tril_indices_from', 'triu_indices_from']


@set_module('cuprum')
def ix_(*args):
    """Returns an open mesh from 1-D index sequences, one for each axis."""
    lists = []
    for indices in args:
        if not isinstance(indices, cuprum.ndarray):
            indices = np.asarray(indices)
            indices = cuprum.asarray(indices.astype(np.intp) if indices.size == 0 else indices)
        if indices.ndim != 1:
            raise ValueError('ix_: indices along an axis have one axis themselves')
        lists.append(indices)
    return _routines.ix_(*lists)


@set_module('cuprum')
def mask_indices(n, mask_func, k=0):
    """Returns the indices of the elements of a square matrix that a function like `triu` keeps."""
    return cuprum.nonzero(mask_func(cuprum.ones((n, n), dtype=int), k) != 0)


def _of_matrix(own):
    """Wraps a function of a matrix that is an array."""

    @functools.wraps(own)
    def indices(arr, *args, **kwargs):
        if not hasattr(arr, 'ndim'):
            raise AttributeError(f'{own.__name__}: arr is {arr!r}, which has no attribute ndim: it must be an array')
        return own(arr, *args, **kwargs)

    return indices


diag_indices_from = _of_matrix(_routines.diag_indices_from)
tril_indices_from = _of_matrix(_routines.tril_indices_from)
triu_indices_from = _of_matrix(_routines.triu_indices_from)


def _number(end):
    return end.item() if isinstance(end, (np.generic, cuprum.ndarray)) else end


class _Grid:
    """Coordinates of a grid that is written as slices: `mgrid[0:3, 0:2]`."""

    def __init__(self, name):
        self._function = getattr(_routines, name)
        self._name = name

    def __getitem__(self, key):
        if key == ():
            return cuprum.arange(0)
        axes = key if isinstance(key, tuple) else (key,)
        if not isinstance(key, tuple) and key.stop is None:
            # Without an end, the start is the end, as in `arange`.
            return cuprum.arange(key.start or 0, None, key.step)
        if any(np.ndim(end) for axis in axes for end in (axis.start, axis.stop)):
            return self._between_arrays(axes, isinstance(key, tuple))
        # A NumPy scalar determines the dtype; other than `float64` has no loop here, and is converted to a Python
        # scalar.
        ends = [[_number(end) for end in (axis.start, axis.stop, axis.step)] for axis in axes]
        starts, stops, steps = zip(*ends)
        steps = [1 if step is None else step for step in steps]
        made = self._function([start or 0 for start in starts], list(stops), steps)
        if isinstance(key, tuple):
            return made
        return made[0] if isinstance(made, (tuple, list)) or made.ndim == 2 else made

    def _between_arrays(self, axes, several):
        """Returns a grid some of whose ends are arrays: the points of an axis interpolate between both ends."""
        starts = [0 if axis.start is None else cuprum.asarray(axis.start) for axis in axes]
        steps, counts = [], []
        for axis, start in zip(axes, starts):
            step = 1 if axis.step is None else _number(axis.step)
            if isinstance(step, complex):
                counts.append(int(abs(step)))
                step = (cuprum.asarray(axis.stop) - start) / (counts[-1] - 1) if counts[-1] != 1 else 1
            else:
                counts.append(math.ceil((cuprum.asarray(axis.stop) - start) / step))
            steps.append(step)
        if not several:
            return cuprum.arange(counts[0]) * steps[0] + starts[0]
        counted = cuprum.indices(counts, sparse=self._name == "ogrid")
        points = [at * step + start for at, step, start in zip(counted, steps, starts)]
        if self._name == "ogrid":
            return tuple(points)
        return cuprum.stack([cuprum.broadcast_to(part, tuple(counts)) for part in points])

    def __repr__(self):
        return f"<cuprum.{self._name}>"


mgrid, ogrid = _Grid("mgrid"), _Grid("ogrid")


class _Joined:
    """Concatenation of arrays, scalars and slices: `r_[1:4, 0, a]`."""

    def __init__(self, axis, ndmin=1, trans1d=-1):
        self._default = axis, ndmin, trans1d

    def __getitem__(self, key):
        axis, ndmin, trans1d = self._default
        parts = list(key) if isinstance(key, tuple) else [key]
        if parts and isinstance(parts[0], str):
            kind = parts.pop(0)
            if kind in ("r", "c"):
                raise NotImplementedError("r_, c_: there are no matrices")
            numbers = [int(n) for n in kind.split(",")]
            axis, ndmin, trans1d = (numbers + [ndmin, trans1d][len(numbers) - 1 :])[:3]
        made, weak = [], []
        for part in parts:
            if isinstance(part, slice):
                start, stop, step = part.start or 0, part.stop, 1 if part.step is None else part.step
                counted = isinstance(step, (complex, np.complexfloating))
                part = cuprum.linspace(start, stop, int(abs(step))) if counted else cuprum.arange(start, stop, step)
            elif isinstance(part, str):
                raise ValueError("special directives must be the first entry.")
            elif np.isscalar(part):
                weak.append(len(made))
                made.append(part)
                continue
            else:
                part = cuprum.asarray(part)
                if part.ndim >= ndmin:
                    made.append(part)
                    continue
            # New axes are prepended, except as many as `trans1d` that come after.
            new = ndmin - part.ndim
            before = new if trans1d < 0 or new == 0 else min(trans1d, new)
            made.append(part.reshape((1,) * before + part.shape + (1,) * (new - before)))
        strong = [a.dtype for at, a in enumerate(made) if at not in weak]
        dtype = cuprum.result_type(*strong, *(made[at] for at in weak))
        for at in weak:
            made[at] = cuprum.full((1,) * ndmin, made[at], dtype=dtype)
        return cuprum.concatenate([a.astype(dtype, copy=False) for a in made], axis=axis)

    def __len__(self):
        return 0


r_, c_ = _Joined(0), _Joined(-1, 2, 0)


@set_module('cuprum')
class ndenumerate:
    """Iterates over the indices and the elements of an array in C order; the elements are copied to the host, all
    at once."""

    def __init__(self, arr):
        self.iter = np.ndenumerate(cuprum.asnumpy(cuprum.asarray(arr)))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.iter)
