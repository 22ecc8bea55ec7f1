"""NumPy-compatible arrays on NVIDIA GPUs, and on a simulator where there is none."""

import atexit as _atexit
import os as _os
import sys as _sys

# The kernel compiler is searched in the packages of this interpreter.
_os.environ.setdefault("CUPRUM_PYTHON", _sys.executable or "python3")

# fmt: off
# Routines of the call table, written by gpu/python/routines.py.
from cuprum._cuprum.routines import (
    abs, absolute, acos, acosh, add, all, allclose, amax, amin, angle, any, append, apply_along_axis, apply_over_axes, arange, arccos, arccosh, arcsin,
    arcsinh, arctan, arctan2, arctanh, argmax, argmin, argpartition, argsort, argwhere, around, array, array_equal, array_equiv, array_split, asanyarray,
    asarray, ascontiguousarray, asfarray, asfortranarray, asin, asinh, asnumpy, astype, atan, atan2, atanh, atleast_1d, atleast_2d, atleast_3d, average,
    bartlett, base_repr, binary_repr, bincount, bitwise_and, bitwise_count, bitwise_invert, bitwise_left_shift, bitwise_not, bitwise_or,
    bitwise_right_shift, bitwise_xor, blackman, block, broadcast_arrays, broadcast_to, cbrt, ceil, choose, clip, column_stack, compress, concat,
    concatenate, conj, conjugate, convolve, copy, copysign, copyto, corrcoef, correlate, cos, cosh, count_nonzero, cross, cumprod, cumsum, cumulative_prod,
    cumulative_sum, deg2rad, degrees, diag, diag_indices, diagflat, diagonal, diff, digitize, divide, divmod, dot, dsplit, dstack, ediff1d, einsum,
    einsum_path, empty, empty_like, equal, exp, exp2, expand_dims, expm1, extract, eye, fabs, fill_diagonal, fix, flatnonzero, flip, fliplr, flipud,
    float_power, floor, floor_divide, fmax, fmin, fmod, format_float_positional, format_float_scientific, frexp, full, full_like, gcd, geomspace,
    get_array_module, gradient, greater, greater_equal, hamming, hanning, heaviside, histogram, histogram_bin_edges, hsplit, hstack, hypot, i0, identity,
    imag, in1d, indices, inner, insert, interp, intersect1d, invert, isclose, iscomplex, iscomplexobj, isfinite, isfortran, isin, isinf, isnan, isneginf,
    isposinf, isreal, isrealobj, isscalar, kaiser, kron, lcm, ldexp, left_shift, less, less_equal, lexsort, linspace, log, log10, log1p, log2, logaddexp,
    logaddexp2, logical_and, logical_not, logical_or, logical_xor, logspace, matmul, matrix_transpose, matvec, max, maximum, may_share_memory, mean, median,
    meshgrid, min, min_scalar_type, minimum, mod, modf, moveaxis, msort, multiply, nan_to_num, nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmean,
    nanmedian, nanmin, nanpercentile, nanprod, nanquantile, nanstd, nansum, nanvar, ndim, negative, nextafter, nonzero, not_equal, ones, ones_like, outer,
    packbits, pad, partition, percentile, permute_dims, piecewise, place, poly, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval,
    positive, pow, power, prod, ptp, put, put_along_axis, putmask, quantile, rad2deg, radians, ravel, ravel_multi_index, real, real_if_close, reciprocal,
    remainder, repeat, reshape, resize, right_shift, rint, roll, rollaxis, roots, rot90, round, round_, row_stack, searchsorted, select, setdiff1d,
    setxor1d, shape, shares_memory, sign, signbit, sin, sinc, sinh, size, sort, sort_complex, spacing, split, sqrt, square, stack, std, subtract, sum,
    swapaxes, take, take_along_axis, tan, tanh, tensordot, tile, trace, transpose, trapezoid, trapz, tri, tril, tril_indices, trim_zeros, triu,
    triu_indices, true_divide, trunc, typename, union1d, unique, unique_all, unique_counts, unique_inverse, unique_values, unpackbits, unravel_index,
    unstack, unwrap, vander, var, vdot, vecdot, vecmat, vsplit, vstack, where, zeros, zeros_like,
)
# End of the routines.

# Constants, dtypes and functions that need no device are NumPy's own objects.
from numpy import (
    bool, bool_, broadcast_shapes, byte, cdouble, complex64, complex128, complexfloating, csingle, double, dtype, e, euler_gamma, finfo, float16, float32,
    float64, floating, generic, get_printoptions, half, iinfo, index_exp, inexact, inf, int8, int16, int32, int64, int_, intc, integer, intp, issubdtype,
    iterable, long, longlong, nan, ndindex, newaxis, number, pi, printoptions, s_, set_printoptions, short, signedinteger, single, ubyte, uint, uint8,
    uint16, uint32, uint64, uintc, uintp, ulong, ulonglong, unsignedinteger, ushort,
)
from numpy.exceptions import AxisError, ComplexWarning, ModuleDeprecationWarning, RankWarning, TooHardError, VisibleDeprecationWarning
from numpy.lib.npyio import DataSource
from numpy.rec import format_parser

from cuprum import _cuprum, _cupy_import, _environment, _not_yet, cuda
from cuprum._array_api import VERSION as __array_api_version__
from cuprum._array_api import __array_namespace_info__
from cuprum._cupy_import import install_as_cupy
from cuprum._cuprum import CompileException, CUDADriverError, OutOfMemoryError, flatiter, from_dlpack, fromDlpack, ndarray, ufunc
from cuprum._dtypes import (
    can_cast, common_type, find_common_type, isdtype, issctype, issubclass_, issubsctype, mintypecode, obj2sctype, promote_types, result_type, sctype2char,
)
from cuprum._files import NpzFile, frombuffer, fromfile, fromstring, genfromtxt, load, loadtxt, save, savetxt, savez, savez_compressed
from cuprum._functional import fromfunction, fromiter
from cuprum._fuse import fuse
from cuprum._indexing import c_, diag_indices_from, ix_, mask_indices, mgrid, ndenumerate, ogrid, r_, tril_indices_from, triu_indices_from
from cuprum._kernels import ElementwiseKernel, RawCode, RawKernel, RawModule, ReductionKernel
from cuprum._legacy import (
    NAN, NINF, NZERO, PINF, PZERO, Inf, Infinity, NaN, alltrue, cfloat, complex_, cumproduct, float_, infty, product, singlecomplex, sometrue,
)
from cuprum._logic import isnat
from cuprum._manipulation import asarray_chkfinite, broadcast, byte_bounds, delete, require, squeeze
from cuprum._misc import clear_memo, disp, get_array_wrap, is_available, memoize, safe_eval, show_config, who
from cuprum._poly1d import poly1d
from cuprum._statistics import cov, histogram2d, histogramdd
from cuprum._text import array2string, array_repr, array_str
from cuprum._vectorize import vectorize
from cuprum.cuda.memory import get_default_memory_pool
from cuprum.cuda.pinned_memory import get_default_pinned_memory_pool
# fmt: on

__version__ = getattr(_cuprum, "__version__", "0.1.0")

# Modules that are imported on first access.
_MODULES = ("cupyx", "exceptions", "fft", "lib", "linalg", "polynomial", "prof", "random", "scipy", "testing", "typing")

# What `from cuprum import *` imports.
__all__ = [*(_name for _name in globals() if _name[0] != "_"), "fft", "lib", "linalg", "polynomial", "scipy"]

_missing = _not_yet.lacking(__name__)


def __getattr__(name):
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"cuprum.{name}")
    if name == "array_api":
        return _sys.modules["cuprum"]
    if f"cupy.{name}" in _cupy_import.EMPTY:
        module = globals()[name] = _not_yet.module(f"cupy.{name}")
        return module
    return _missing(name)


def __dir__():
    return sorted({*globals(), *_MODULES})


# Kernels of common calls that were compiled ahead of time: wheels have them, builds from source do not.
_cuprum.add_kernel_folder(_os.path.join(_os.path.dirname(__file__), "kernels"))

# Errors of kernels that no call has reported are reported at the end.
_atexit.register(_cuprum.report_untaken_errors)

from cuprum import _registrations

_registrations.install()
