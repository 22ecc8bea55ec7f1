"""Support of device arrays in Dask.

Dask dispatches some functions by the type of the chunks, where NumPy's protocols do not apply: the package's
functions are registered after the imports of Dask's modules.
"""

import numpy as np

from cuprum import _dask_routines

__all__ = ['REGISTRATIONS']


def _register_sizes(module):
    module.sizeof.register_lazy('cuprum', _fill_sizes)


def _register_functions(module):
    tables = [
        module.concatenate_lookup,
        module.take_lookup,
        module.tensordot_lookup,
        module.einsum_lookup,
        module.empty_lookup,
        module.divide_lookup,
        module.percentile_lookup,
        module.numel_lookup,
        module.nannumel_lookup,
        module.to_numpy_dispatch,
    ]
    for table in tables:
        table.register_lazy('cuprum', _fill)


# Registrations after the import of a module of Dask.
REGISTRATIONS = {'dask.array.dispatch': _register_functions, 'dask.sizeof': _register_sizes, **_dask_routines.REGISTRATIONS}


def _fill_sizes():
    import cuprum
    from dask.sizeof import sizeof

    sizeof.register(cuprum.ndarray, lambda a: int(a.nbytes))


def _fill():
    import cuprum
    from dask.array import backends, dispatch

    ours = cuprum.ndarray
    dispatch.concatenate_lookup.register(ours, cuprum.concatenate)
    dispatch.take_lookup.register(ours, _take)
    dispatch.tensordot_lookup.register(ours, cuprum.tensordot)
    dispatch.einsum_lookup.register(ours, _einsum)
    dispatch.empty_lookup.register(ours, cuprum.empty)
    dispatch.divide_lookup.register(ours, _divide)
    dispatch.percentile_lookup.register(ours, backends.percentile)
    dispatch.numel_lookup.register(ours, _numel)
    dispatch.nannumel_lookup.register(ours, _count)
    dispatch.to_numpy_dispatch.register(ours, lambda a, **options: cuprum.asnumpy(a, **options))


def _take(a, indices, axis=None, **options):
    """Returns the elements at indices, which Dask holds on the host."""
    import cuprum

    return cuprum.take(a, cuprum.asarray(indices), axis=axis, **options)


def _einsum(*operands, dtype=None, **_options):
    import cuprum

    return cuprum.einsum(*operands, **({} if dtype is None else {'dtype': dtype}))


def _divide(x1, x2, out=None, dtype=None):
    import cuprum

    result = cuprum.true_divide(*(cuprum.asarray(x) for x in (x1, x2)), out=out)
    return result if dtype is None else result.astype(dtype, copy=False)


def _numel(a, axis=None, keepdims=False, dtype=None, **_options):
    """Returns the number of elements of each result of a reduction, as a device array of the result's shape."""
    import cuprum

    axes = range(a.ndim) if axis is None else [n % a.ndim for n in np.atleast_1d(axis).tolist()]
    count = int(np.prod([a.shape[n] for n in axes], dtype=np.int64))
    shape = [1 if n in axes else length for n, length in enumerate(a.shape) if keepdims or n not in axes]
    return cuprum.full(shape, count, dtype=np.int64 if dtype is None else dtype)


def _count(a, **options):
    """Returns the number of elements that are not NaN for each result of a reduction."""
    import cuprum

    return cuprum.sum(~cuprum.isnan(a), **options)
