"""Manipulation of arrays with arguments that the call table has no kind for."""

import operator

import numpy as np

import cuprum
from cuprum._cuprum import routines as _routines
from cuprum._decorators import renamed, set_module

__all__ = ['asarray_chkfinite', 'block', 'broadcast', 'byte_bounds', 'delete', 'imag', 'require', 'roll', 'squeeze']


@set_module('cuprum')
def imag(val):
    """Returns the imaginary parts: a view for complex dtypes, zeros for others."""
    return val.imag if isinstance(val, cuprum.ndarray) else _routines.imag(val)


@set_module('cuprum')
def squeeze(a, axis=None):
    """Removes axes of length one: all of them, or those passed."""
    # An axis number, unlike a tuple, may be 0 or -1 for an array without axes.
    scalar = isinstance(a, cuprum.ndarray) and a.ndim == 0 and isinstance(axis, (int, np.integer)) and axis in (0, -1)
    return _routines.squeeze(a, None if scalar else axis)


@set_module('cuprum')
def roll(a, shift, axis=None):
    """Rolls the elements along axes, from the end to the beginning: by integers of any size."""
    try:
        return _routines.roll(a, shift, axis)
    except OverflowError:
        pass
    # Whole turns have no effect.
    a = a if isinstance(a, cuprum.ndarray) else cuprum.asarray(a)
    shifts = [operator.index(n) for n in (shift if isinstance(shift, (list, tuple)) else np.ravel(shift).tolist())]
    axes = [None] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if len(shifts) != len(axes):
        shifts, axes = (shifts * len(axes), axes) if len(shifts) == 1 else (shifts, axes * len(shifts))
    lengths = [a.size if n is None else a.shape[n] for n in axes]
    rests = [n % length if length else 0 for n, length in zip(shifts, lengths, strict=True)]
    return _routines.roll(a, sum(rests) % max(a.size, 1)) if axis is None else _routines.roll(a, tuple(rests), tuple(axes))


delete = renamed(indices='obj')(_routines.delete)


def _depth(arrays):
    """Returns the depth of nested lists of arrays, which is the same in each of them."""
    if isinstance(arrays, tuple):
        raise TypeError('block: arrays are in lists, not in tuples')
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError('block: a list without arrays makes no block')
    depths = {_depth(one) for one in arrays}
    if len(depths) > 1:
        raise ValueError(f'block: lists of one block are as deep as each other, and these are {sorted(depths)} deep')
    return depths.pop() + 1


def _leaves(arrays):
    """Converts the leaves of nested lists to arrays: a list of scalars is one of blocks, too."""
    return [_leaves(one) for one in arrays] if isinstance(arrays, list) else cuprum.asarray(arrays)


@set_module('cuprum')
def block(arrays):
    """Assembles an array from nested lists of blocks: those of the innermost lists along the last axis."""
    if _depth(arrays) == 0:
        return cuprum.array(arrays)
    return _routines.block(_leaves(arrays))


@set_module('cuprum')
def asarray_chkfinite(a, dtype=None, order=None):
    """Converts to an array of finite numbers: others are rejected."""
    # A list with a number that is not finite has no integer: NumPy's OverflowError, or its ValueError.
    return _routines.asarray_chkfinite(cuprum.asarray(a, dtype=dtype, order=order))


@set_module('cuprum')
class broadcast:
    """Arrays broadcast to one shape: its `shape`, `nd`, `size`, and the broadcast arrays, its `values`."""

    def __init__(self, *arrays):
        if len(arrays) > 64:
            raise ValueError(f'broadcast: {len(arrays)} arrays are more than 64')
        arrays = [cuprum.asarray(a) if isinstance(a, (list, tuple, np.ndarray)) else a for a in arrays]
        given = [a.shape if isinstance(a, cuprum.ndarray) else () for a in arrays]
        self.shape = np.broadcast_shapes(*given)
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(arrays)
        self.size = int(np.prod(self.shape, dtype=int))
        self.values = tuple(cuprum.broadcast_to(a, self.shape) if isinstance(a, cuprum.ndarray) else a for a in arrays)


@set_module('cuprum')
def require(a, dtype=None, requirements=None):
    """Returns the array with required properties: 'C', 'F', 'O' (owns its elements), 'W' (writable); 'A' and 'E'
    always hold."""
    known = {
        "C": "C",
        "C_CONTIGUOUS": "C",
        "CONTIGUOUS": "C",
        "F": "F",
        "F_CONTIGUOUS": "F",
        "FORTRAN": "F",
        "O": "O",
        "OWNDATA": "O",
        "W": "W",
        "WRITEABLE": "W",
        "A": "A",
        "ALIGNED": "A",
        "E": "E",
        "ENSUREARRAY": "E",
    }
    wanted = set()
    for word in requirements or ():
        if word.upper() not in known:
            raise ValueError(f"Requirement '{word}' is not one of {', '.join(known)}")
        wanted.add(known[word.upper()])
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    made = cuprum.asarray(a, dtype=dtype, order=order)
    lacking = "O" in wanted and not made.flags.owndata or "W" in wanted and not made.flags.writeable
    return made.copy(order) if lacking else made


@set_module('cuprum')
def byte_bounds(a):
    """Returns the addresses of the first byte of the elements and of the end."""
    low = high = a.data.ptr
    if a.size == 0:
        return low, low
    for length, stride in zip(a.shape, a.strides):
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + a.itemsize
