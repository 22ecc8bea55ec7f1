"""Reductions, scans and histograms of whole arrays: CuPy's `cupy.cuda.cub`.

The functions have CuPy's names and parameters. The package's own kernels compute them, and not CUB.
"""

import cuprum as _cuprum

from cuprum._not_yet import lacking as _lacking

__all__ = [
    "available", "can_use_device_reduce", "can_use_device_segmented_reduce", "device_csrmv", "device_histogram", "device_reduce", "device_scan",
    "device_segmented_reduce", "get_build_version", "CUPY_CUB_SUM", "CUPY_CUB_MIN", "CUPY_CUB_MAX", "CUPY_CUB_ARGMIN", "CUPY_CUB_ARGMAX",
    "CUPY_CUB_CUMSUM", "CUPY_CUB_CUMPROD", "CUPY_CUB_PROD",
]  # fmt: skip

# Programs check it before they use the functions.
available = True

CUPY_CUB_SUM, CUPY_CUB_MIN, CUPY_CUB_MAX, CUPY_CUB_ARGMIN, CUPY_CUB_ARGMAX, CUPY_CUB_CUMSUM, CUPY_CUB_CUMPROD, CUPY_CUB_PROD = range(8)

_REDUCTIONS = {CUPY_CUB_SUM: "sum", CUPY_CUB_PROD: "prod", CUPY_CUB_MIN: "min", CUPY_CUB_MAX: "max"}
_POSITIONS = {CUPY_CUB_ARGMIN: "argmin", CUPY_CUB_ARGMAX: "argmax"}
_SCANS = {CUPY_CUB_CUMSUM: "cumsum", CUPY_CUB_CUMPROD: "cumprod"}


def _name(call, op, known):
    try:
        return known[op]
    except (KeyError, TypeError):
        names = ", ".join(f"CUPY_CUB_{name.upper()}" for name in known.values())
        raise ValueError(f"{call}: op is {op!r}: it must be one of {names}") from None


def _reduce(x, name, axis, out, keepdims):
    """Reduces in the dtype of the array, as CUB does, which promotes nothing."""
    keywords = {"dtype": x.dtype} if name in ("sum", "prod") else {}
    return getattr(x, name)(axis=axis, out=out, keepdims=keepdims, **keywords)


def get_build_version():
    """Returns `None`: CUB is not used."""
    return None


def _keeps(x_dtype, dtype):
    # NumPy's dtypes compare equal to None if they are float64.
    return dtype is None or dtype == x_dtype


def can_use_device_reduce(op, x_dtype, out_axis, dtype=None):
    """Returns true if `device_reduce` computes a reduction: over all axes, in the dtype of the array."""
    return tuple(out_axis) == () and op in {**_REDUCTIONS, **_POSITIONS} and _keeps(x_dtype, dtype)


def can_use_device_segmented_reduce(op, x_dtype, ndim, reduce_axis, dtype=None, order="C"):
    """Returns true if `device_segmented_reduce` computes a reduction: in the dtype of the array, over any axes."""
    return op in _REDUCTIONS and _keeps(x_dtype, dtype) and all(0 <= axis < ndim for axis in reduce_axis)


def device_reduce(x, op, out_axis, out=None, keepdims=False):
    """Reduces an array over all its axes. `out_axis` must be ``()``."""
    name = _name("device_reduce", op, {**_REDUCTIONS, **_POSITIONS})
    if tuple(out_axis) != ():
        raise ValueError(f"device_reduce: out_axis is {out_axis!r}: it must be (), as all axes are reduced; see device_segmented_reduce")
    return _reduce(x, name, None, out, keepdims)


def device_segmented_reduce(x, op, reduce_axis, out_axis, out=None, keepdims=False):
    """Reduces an array over the axes `reduce_axis`; `out_axis` are the others."""
    name = _name("device_segmented_reduce", op, _REDUCTIONS)
    if sorted((*reduce_axis, *out_axis)) != list(range(x.ndim)):
        raise ValueError(f"device_segmented_reduce: reduce_axis {reduce_axis!r} and out_axis {out_axis!r} must be the axes of an array of {x.ndim} dimensions")
    return _reduce(x, name, tuple(reduce_axis), out, keepdims)


def device_csrmv(n_rows, n_cols, nnz, values, indptr, indices, x):
    """Multiplies a sparse matrix in CSR format and a vector."""
    if x.ndim != 1 or x.size != n_cols:
        raise ValueError(f"device_csrmv: x has the shape {x.shape}: it must have the {n_cols} elements of a row")
    from cuprum.cupyx.scipy.sparse import csr_matrix

    return csr_matrix((values[:nnz], indices[:nnz], indptr), shape=(n_rows, n_cols)) @ x


def device_scan(x, op):
    """Scans the elements of an array, in its memory if they are contiguous in C order; otherwise in a copy."""
    name = _name("device_scan", op, _SCANS)
    x = _cuprum.ascontiguousarray(x)
    flat = x.reshape(-1)
    getattr(_cuprum, name)(flat, dtype=x.dtype, out=flat)
    return x


def device_histogram(x, bins, y):
    """Counts the elements of each bin in `y`. `bins` are the edges, in ascending order; each bin excludes its upper edge,
    and so does the last one."""
    if y.size != bins.size - 1:
        raise ValueError(f"device_histogram: y has {y.size} elements: it must have one less than bins, which has {bins.size}")
    # Elements below the first edge are counted in the first cell, and those above the last one in the last, which are dropped.
    cells = _cuprum.searchsorted(bins, x.ravel(), side="right")
    y[...] = _cuprum.bincount(cells, minlength=bins.size + 1)[1:-1]
    return y


__getattr__ = _lacking(__name__)
