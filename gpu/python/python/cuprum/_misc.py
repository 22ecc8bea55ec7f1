"""Functions of the package rather than of arrays."""

import ast
import functools
import sys

import cuprum
from cuprum import _cuprum
from cuprum._decorators import set_module

__all__ = ['clear_memo', 'disp', 'get_array_wrap', 'is_available', 'memoize', 'safe_eval', 'show_config', 'who']


@set_module('cuprum')
def show_config(*, _full=False):
    """Prints the runtime configuration of the library: `cupyx.get_runtime_info`, then devices, compiler, libraries,
    caches and environment variables. With `_full`, the first part has devices and libraries, too, under CuPy's names."""
    print(cuprum.cupyx.get_runtime_info(full=_full))
    print(_cuprum.show_config())


_MEMOS = []


@set_module('cuprum')
def memoize(for_each_device=False):
    """Caches the results of a function by its arguments, for each device if `for_each_device`."""

    def decorated(function):
        kept = {}
        _MEMOS.append(kept)

        @functools.wraps(function)
        def call(*args, **kwargs):
            key = (args, frozenset(kwargs.items()), cuprum.cuda.Device().id if for_each_device else None)
            if key not in kept:
                kept[key] = function(*args, **kwargs)
            return kept[key]

        return call

    return decorated


@set_module('cuprum')
def clear_memo():
    """Clears the caches of functions that are decorated by `memoize`."""
    for kept in _MEMOS:
        kept.clear()


@set_module('cuprum')
def who(vardict=None):
    """Prints a table of the arrays of a dictionary, by default of the caller's globals, and the sum of their bytes."""
    names = sys._getframe(1).f_globals if vardict is None else vardict
    arrays = {name: value for name, value in names.items() if isinstance(value, cuprum.ndarray)}
    rows = [(str(name), " x ".join(map(str, a.shape)), str(a.nbytes), str(a.dtype)) for name, a in arrays.items()]
    head = ("Name", "Shape", "Bytes", "Type")
    widths = [max(16, *(len(row[column]) + 2 for row in rows)) if rows else 16 for column in range(3)]
    lines = ["".join(f"{text:<{width}}" for text, width in zip(row, [*widths, 0])) for row in (head, *rows)]
    lines.insert(1, "=" * (sum(widths) + len("complex128")))
    lines.append(f"Upper bound on total bytes  =       {sum(a.nbytes for a in arrays.values())}")
    print("\n".join(lines))


@set_module('cuprum')
def disp(mesg, device=None, linefeed=True):
    """Prints a text."""
    (sys.stdout if device is None else device).write(f"{mesg}\n" if linefeed else f"{mesg}")


@set_module('cuprum')
def safe_eval(source):
    """Evaluates a text that is a Python constant."""
    return ast.literal_eval(source)


@set_module('cuprum')
def get_array_wrap(*args):
    """Returns the `__array_wrap__` of the argument with the highest priority."""
    wraps = [(getattr(x, "__array_priority__", 0), -at, x.__array_wrap__) for at, x in enumerate(args) if hasattr(x, "__array_wrap__")]
    return max(wraps)[-1] if wraps else None


@set_module('cuprum')
def is_available():
    """Returns whether there is a device that runs kernels: a GPU, or the simulator. `cuda.is_available` tests for a
    GPU."""
    try:
        return cuprum.cuda.runtime.getDeviceCount() > 0
    except Exception:
        return False
