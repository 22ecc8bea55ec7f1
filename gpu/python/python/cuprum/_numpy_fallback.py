"""Functions that need the host: iterators, and functions of Python functions.

Nothing here computes what the library computes.
"""

import math as _math

import numpy as _np

import cuprum as _cp
from cuprum import _cuprum

asnumpy, asarray = _cp.asnumpy, _cp.asarray


# Iterators.


def fromiter(*args, **kwargs):
    """Creates an array from an iterator."""
    return asarray(_np.fromiter(*args, **kwargs))


# Functions of Python functions.


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """Creates an array from a function of the coordinates of its elements, which are arrays."""
    if like is not None:
        raise NotImplementedError("fromfunction: the parameter `like` is not supported")
    return function(*_cp.indices(shape, dtype=float if dtype is None else dtype), **kwargs)


def mask_indices(n, mask_func, k=0):
    """Returns the indices of the elements of a square matrix that a function like `triu` keeps."""
    return _cp.nonzero(mask_func(_cp.ones((n, n), dtype=int), k) != 0)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Applies a function to each 1-D slice along an axis, and stacks the results."""
    arr = asarray(arr)
    axis = _np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    lines = _cp.moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [asarray(func1d(lines[at], *args, **kwargs)) for at in _np.ndindex(*outer)]
    made = _cp.stack(results).reshape(outer + results[0].shape)
    # The axes of the function's result replace the axis.
    inner = range(len(outer), made.ndim)
    return _cp.moveaxis(made, tuple(inner), tuple(axis + i for i in range(len(inner))))


def apply_over_axes(func, a, axes):
    """Calls a function with the array and each axis in turn; axes that it removes are inserted again."""
    value = asarray(a)
    for axis in _np.atleast_1d(axes):
        axis = _np.lib.array_utils.normalize_axis_index(int(axis), value.ndim)
        result = func(value, axis)
        value = result if result.ndim == value.ndim else _cp.expand_dims(result, axis)
        if value.ndim != asarray(a).ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluates a piecewise function: for each element the value, or the function's result, of the last condition
    that is true."""
    x = asarray(x)
    one = isinstance(condlist, _cp.ndarray) and condlist.ndim == x.ndim
    one = one or isinstance(condlist, (bool, _np.bool_)) or getattr(condlist, "ndim", None) == 0
    # Booleans in a list are one condition, unless `x` has no axes.
    if one or isinstance(condlist, (list, tuple)) and condlist and x.ndim and _np.ndim(condlist[0]) == 0:
        condlist = [condlist]
    conditions = [_cp.broadcast_to(asarray(c, dtype=bool), x.shape) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        anywhere = _cp.zeros(x.shape, dtype=bool)
        for condition in conditions:
            anywhere |= condition
        conditions.append(~anywhere)
    elif len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    out = _cp.zeros_like(x)
    for condition, piece in zip(conditions, funclist):
        out[condition] = piece(x[condition], *args, **kw) if callable(piece) else piece
    return out


# Indices.


def _number(end):
    return end.item() if isinstance(end, (_np.generic, _cp.ndarray)) else end


class _Grid:
    """Coordinates of a grid that is written as slices: `mgrid[0:3, 0:2]`."""

    def __init__(self, name):
        self._function = _cuprum.tables["cuprum"][name]
        self._name = name

    def __getitem__(self, key):
        if key == ():
            return _cp.arange(0)
        axes = key if isinstance(key, tuple) else (key,)
        if not isinstance(key, tuple) and key.stop is None:
            # Without an end, the start is the end, as in `arange`.
            return _cp.arange(key.start or 0, None, key.step)
        if any(_np.ndim(end) for axis in axes for end in (axis.start, axis.stop)):
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
        starts = [0 if axis.start is None else asarray(axis.start) for axis in axes]
        steps, counts = [], []
        for axis, start in zip(axes, starts):
            step = 1 if axis.step is None else _number(axis.step)
            if isinstance(step, complex):
                counts.append(int(abs(step)))
                step = (asarray(axis.stop) - start) / (counts[-1] - 1) if counts[-1] != 1 else 1
            else:
                counts.append(_math.ceil((asarray(axis.stop) - start) / step))
            steps.append(step)
        if not several:
            return _cp.arange(counts[0]) * steps[0] + starts[0]
        counted = _cp.indices(counts, sparse=self._name == "ogrid")
        points = [at * step + start for at, step, start in zip(counted, steps, starts)]
        if self._name == "ogrid":
            return tuple(points)
        return _cp.stack([_cp.broadcast_to(part, tuple(counts)) for part in points])

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
                counted = isinstance(step, (complex, _np.complexfloating))
                part = _cp.linspace(start, stop, int(abs(step))) if counted else _cp.arange(start, stop, step)
            elif isinstance(part, str):
                raise ValueError("special directives must be the first entry.")
            elif _np.isscalar(part):
                weak.append(len(made))
                made.append(part)
                continue
            else:
                part = asarray(part)
                if part.ndim >= ndmin:
                    made.append(part)
                    continue
            # New axes are prepended, except as many as `trans1d` that come after.
            new = ndmin - part.ndim
            before = new if trans1d < 0 or new == 0 else min(trans1d, new)
            made.append(part.reshape((1,) * before + part.shape + (1,) * (new - before)))
        strong = [a.dtype for at, a in enumerate(made) if at not in weak]
        dtype = _cp.result_type(*strong, *(made[at] for at in weak))
        for at in weak:
            made[at] = _cp.full((1,) * ndmin, made[at], dtype=dtype)
        return _cp.concatenate([a.astype(dtype, copy=False) for a in made], axis=axis)

    def __len__(self):
        return 0


r_, c_ = _Joined(0), _Joined(-1, 2, 0)


class broadcast:
    """Arrays broadcast to one shape: its `shape`, `nd`, `size`, and the broadcast arrays, its `values`."""

    def __init__(self, *arrays):
        if len(arrays) > 64:
            raise ValueError(f'broadcast: {len(arrays)} arrays are more than 64')
        arrays = [asarray(a) if isinstance(a, (list, tuple, _np.ndarray)) else a for a in arrays]
        given = [a.shape if isinstance(a, _cp.ndarray) else () for a in arrays]
        self.shape = _np.broadcast_shapes(*given)
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(arrays)
        self.size = int(_np.prod(self.shape, dtype=int))
        self.values = tuple(_cp.broadcast_to(a, self.shape) if isinstance(a, _cp.ndarray) else a for a in arrays)


# Miscellaneous.


def isposinf(x, out=None):
    """Tests for positive infinity."""
    x = asarray(x)
    return _cp.logical_and(_cp.isinf(x), ~_cp.signbit(x), out=out)


def isneginf(x, out=None):
    """Tests for negative infinity."""
    x = asarray(x)
    return _cp.logical_and(_cp.isinf(x), _cp.signbit(x), out=out)


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
    made = asarray(a, dtype=dtype, order=order)
    lacking = "O" in wanted and not made.flags.owndata or "W" in wanted and not made.flags.writeable
    return made.copy(order) if lacking else made


class ndenumerate:
    """Iterates over the indices and the elements of an array in C order; the elements are copied to the host, all
    at once."""

    def __init__(self, arr):
        self.iter = _np.ndenumerate(asnumpy(asarray(arr)))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.iter)


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


def asfarray(a, dtype=_np.float64):
    """Converts to a floating-point array: float64 if the requested dtype is no float."""
    return asarray(a, dtype if _np.issubdtype(dtype, _np.inexact) else _np.float64)


def find_common_type(array_types, scalar_types):
    """Returns the common dtype of arrays and scalars of these dtypes."""
    return _np.result_type(*array_types, *scalar_types)


def show_config(*, _full=False):
    """Prints the runtime configuration of the library."""
    print(_cuprum.show_config())


def memoize(for_each_device=False):
    """Caches the results of a function by its arguments, for each device if `for_each_device`."""
    import functools

    def decorated(function):
        kept = {}
        _MEMOS.append(kept)

        @functools.wraps(function)
        def call(*args, **kwargs):
            key = (args, frozenset(kwargs.items()), _cp.cuda.Device().id if for_each_device else None)
            if key not in kept:
                kept[key] = function(*args, **kwargs)
            return kept[key]

        return call

    return decorated


_MEMOS = []


def clear_memo():
    """Clears the caches of functions that are decorated by `memoize`."""
    for kept in _MEMOS:
        kept.clear()


def who(vardict=None):
    """Prints a table of the arrays of a dictionary, by default of the caller's globals, and the sum of their bytes."""
    import sys

    names = sys._getframe(1).f_globals if vardict is None else vardict
    arrays = {name: value for name, value in names.items() if isinstance(value, _cp.ndarray)}
    rows = [(str(name), " x ".join(map(str, a.shape)), str(a.nbytes), str(a.dtype)) for name, a in arrays.items()]
    head = ("Name", "Shape", "Bytes", "Type")
    widths = [max(16, *(len(row[column]) + 2 for row in rows)) if rows else 16 for column in range(3)]
    lines = ["".join(f"{text:<{width}}" for text, width in zip(row, [*widths, 0])) for row in (head, *rows)]
    lines.insert(1, "=" * (sum(widths) + len("complex128")))
    lines.append(f"Upper bound on total bytes  =       {sum(a.nbytes for a in arrays.values())}")
    print("\n".join(lines))


# Names that NumPy 2 has removed, and CuPy keeps.
Inf = Infinity = PINF = infty = _np.inf
NINF = -_np.inf
NAN = NaN = _np.nan
PZERO, NZERO = 0.0, -0.0
cfloat = complex_ = _np.complex128
float_ = _np.float64
singlecomplex = _np.complex64
alltrue, sometrue, product, cumproduct = _cp.all, _cp.any, _cp.prod, _cp.cumprod


def issctype(rep):
    """Returns whether it names a dtype's type."""
    try:
        return rep is not None and not isinstance(rep, bool) and issubclass(_np.dtype(rep).type, _np.generic)
    except TypeError:
        return False


def issubclass_(arg1, arg2):
    """Returns `issubclass`, and False for an object that is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issubsctype(arg1, arg2):
    """Returns whether a dtype is of a kind."""
    return issubclass(_np.dtype(arg1).type, arg2 if isinstance(arg2, type) else _np.dtype(arg2).type)


def obj2sctype(rep, default=None):
    """Returns the scalar type of an object that describes a dtype."""
    try:
        return rep.dtype.type if isinstance(rep, _cp.ndarray) else _np.dtype(rep).type
    except TypeError:
        return default


def sctype2char(sctype):
    """Returns the character of a dtype."""
    return _np.dtype(sctype).char


def disp(mesg, device=None, linefeed=True):
    """Prints a text."""
    import sys

    (sys.stdout if device is None else device).write(f"{mesg}\n" if linefeed else f"{mesg}")


def safe_eval(source):
    """Evaluates a text that is a Python constant."""
    import ast

    return ast.literal_eval(source)


def get_array_wrap(*args):
    """Returns the `__array_wrap__` of the argument with the highest priority."""
    wraps = [(getattr(x, "__array_priority__", 0), -at, x.__array_wrap__) for at, x in enumerate(args) if hasattr(x, "__array_wrap__")]
    return max(wraps)[-1] if wraps else None


def _public():
    """Returns the names of this file that the package exports."""
    return {name: value for name, value in globals().items() if name[0] != "_" and name not in ("asnumpy", "asarray")}
