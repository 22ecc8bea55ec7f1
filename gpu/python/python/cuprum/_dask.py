"""How dask.array computes with chunks that are arrays of a device.

Dask asks a few functions by the type of the chunks, where NumPy's own dispatch does not reach. `register` tells it ours. The
installed package does so by itself, when dask is imported: it has an entry point that dask calls.
"""

import numpy as np

__all__ = ['register']


def register(sizeof=None):
    """Tells dask.array the functions for arrays of a device, as soon as it meets the first one.

    `sizeof` is Dask's own table of sizes, which it calls entry points with.
    """
    from dask.array import dispatch
    from dask.sizeof import sizeof as sizes

    tables = [
        dispatch.concatenate_lookup, dispatch.take_lookup, dispatch.tensordot_lookup, dispatch.einsum_lookup,
        dispatch.empty_lookup, dispatch.divide_lookup, dispatch.percentile_lookup, dispatch.numel_lookup,
        dispatch.nannumel_lookup, dispatch.to_numpy_dispatch,
    ]
    for table in tables:
        table.register_lazy('cuprum', _fill)
    (sizes if sizeof is None else sizeof).register_lazy('cuprum', _fill_sizes)


def _fill_sizes():
    import cuprum
    from dask.sizeof import sizeof

    sizeof.register(cuprum.ndarray, lambda a: int(a.nbytes))


def _fill():
    import cuprum
    from dask.array import backends, dispatch

    ours = cuprum.ndarray
    dispatch.concatenate_lookup.register(ours, cuprum.concatenate)
    dispatch.take_lookup.register(ours, cuprum.take)
    # Looked up when they are called: what is not there yet says so.
    dispatch.tensordot_lookup.register(ours, lambda *a, **kw: cuprum.tensordot(*a, **kw))
    dispatch.einsum_lookup.register(ours, _einsum)
    dispatch.empty_lookup.register(ours, cuprum.empty)
    dispatch.divide_lookup.register(ours, _divide)
    dispatch.percentile_lookup.register(ours, backends.percentile)
    dispatch.numel_lookup.register(ours, _numel)
    dispatch.nannumel_lookup.register(ours, _count)
    dispatch.to_numpy_dispatch.register(ours, lambda a, **kw: cuprum.asnumpy(a, **kw))


def _einsum(*operands, dtype=None, **how):
    import cuprum
    return cuprum.einsum(*operands, **({} if dtype is None else {'dtype': dtype}))


def _divide(x1, x2, out=None, dtype=None):
    import cuprum
    result = cuprum.true_divide(*(cuprum.asarray(x) for x in (x1, x2)), out=out)
    return result if dtype is None else result.astype(dtype, copy=False)


def _numel(a, axis=None, keepdims=False, dtype=None, **how):
    """How many elements each result of a reduction has seen: as an array of ours, in the result's shape."""
    import cuprum
    axes = range(a.ndim) if axis is None else [n % a.ndim for n in np.atleast_1d(axis).tolist()]
    count = int(np.prod([a.shape[n] for n in axes], dtype=np.int64))
    shape = [1 if n in axes else length for n, length in enumerate(a.shape) if keepdims or n not in axes]
    return cuprum.full(shape, count, dtype=np.int64 if dtype is None else dtype)


def _count(a, **how):
    """The same without those that are no numbers."""
    import cuprum
    return cuprum.sum(~cuprum.isnan(a), **how)
