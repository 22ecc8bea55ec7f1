"""NumPy-compatible arrays on NVIDIA GPUs, and on a simulator where there is none."""

import atexit as _atexit
import importlib as _importlib
import os as _os
import sys as _sys
import types as _types
from importlib.machinery import ModuleSpec as _Spec

import numpy as _numpy

# The kernel compiler is searched in the packages of this interpreter.
_os.environ.setdefault("CUPRUM_PYTHON", _sys.executable or "python3")

from cuprum import _cuprum  # noqa: E402
from cuprum._cuprum import CompileException, CUDADriverError, OutOfMemoryError, ndarray, ufunc  # noqa: E402

_atexit.register(_cuprum.report_untaken_errors)


def _cupys(path):
    """Returns the name of a module in CuPy."""
    return "cupyx" + path[6:] if path.startswith("cuprum.scipy") else "cupy" + path[6:]


def _lacking(path):
    """Returns the error for names that a module does not have: CuPy's are not implemented yet, others do not exist."""
    shown = _cupys(path)

    def __getattr__(name):
        if shown == "cupyx.scipy" and _os.path.exists(_os.path.join(_ALIASES, f"{name}.py")):
            return _importlib.import_module(f"{path}.{name}")
        from cuprum import _not_yet

        if name in _not_yet.known_names().get(shown, ()):
            raise _not_yet.NotYet(_not_yet.sentence(f"{path}.{name}"))
        raise AttributeError(f"module {path!r} has no attribute {name!r}")

    return __getattr__


# Modules of `cuprum.scipy` that are files: other names of those of `cuprum.cupyx.scipy`.
_ALIASES = _os.path.join(_os.path.dirname(__file__), "_aliases")


def _stub(path):
    """Returns the stub of a module."""
    file = _os.path.join(_os.path.dirname(__file__), *path.split(".")[1:])
    return _os.path.join(file, "__init__.pyi") if _os.path.isdir(file) else file + ".pyi"


def _namespaces():
    for _path, _names in _cuprum.tables.items():
        # A package of files adds its names itself, when it is imported.
        if _path == "cuprum.cupyx":
            continue
        _module = _sys.modules[__name__]
        for _part in _path.split(".")[1:]:
            _name = _module.__name__ + "." + _part
            if _name not in _sys.modules:
                _sys.modules[_name] = _types.ModuleType(_name, f"Functions with the names and parameters of `{_cupys(_name)}`.")
                _sys.modules[_name].__spec__ = _Spec(_name, None, is_package=True)
                _sys.modules[_name].__path__ = [_ALIASES] if _name == "cuprum.scipy" else []
                # The file that declares the functions, for editors and `inspect`.
                _sys.modules[_name].__file__ = _stub(_name)
                _sys.modules[_name].__getattr__ = _lacking(_name)
                setattr(_module, _part, _sys.modules[_name])
            _module = _sys.modules[_name]
        vars(_module).update(_names)


_namespaces()
globals().update({_function.__name__: _function for _function in _cuprum.own_functions})

# Constants and dtypes are NumPy's own objects.
from numpy import (  # noqa: E402
    bool_,
    byte,
    cdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    double,
    dtype,
    e,
    euler_gamma,
    finfo,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    iinfo,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    longlong,
    nan,
    newaxis,
    number,
    pi,
    short,
    signedinteger,
    single,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulonglong,
    unsignedinteger,
    ushort,
)

# Names from other modules of the package.
from cuprum import cuda  # noqa: E402
from cuprum._cuprum import from_dlpack, fromDlpack  # noqa: E402
from cuprum._fuse import fuse  # noqa: E402
from cuprum._kernels import ElementwiseKernel, RawCode, RawKernel, RawModule, ReductionKernel  # noqa: E402
from cuprum.cuda.memory import get_default_memory_pool  # noqa: E402
from cuprum.cuda.pinned_memory import get_default_pinned_memory_pool  # noqa: E402

from cuprum import _numpy_fallback  # noqa: E402
from cuprum._cuprum import flatiter  # noqa: E402
from cuprum._files import (  # noqa: E402
    NpzFile,
    frombuffer,
    fromfile,
    fromstring,
    genfromtxt,
    load,
    loadtxt,
    save,
    savetxt,
    savez,
    savez_compressed,
)
from cuprum._poly1d import poly1d  # noqa: E402
from cuprum._text import array2string, array_repr, array_str  # noqa: E402
from cuprum._vectorize import vectorize  # noqa: E402

globals().update(_numpy_fallback._public())

# Last, the missing names.
from cuprum import _namespace  # noqa: E402

_namespace.add(globals())

from cuprum import _registrations  # noqa: E402

_registrations.install()
