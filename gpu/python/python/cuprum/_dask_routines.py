"""Dask functions that create chunks of NumPy, for arrays whose chunks are on a device.

Each calls Dask's own function for other arrays.
"""

import functools
import inspect
import sys

import numpy as np

__all__ = ['REGISTRATIONS']


def _on_device(array):
    """Returns whether the chunks of a Dask array, or of the first one of a sequence, are device arrays."""
    import cuprum

    if isinstance(array, (list, tuple)):
        array = array[0] if array else None
    return isinstance(getattr(array, '_meta', None), cuprum.ndarray)


def _replace(module, **functions):
    """Replaces functions of a module of Dask, in the module and in `dask.array` if it has been imported."""
    package = sys.modules.get('dask.array')
    for name, function in functions.items():
        if getattr(package, name, None) is getattr(module, name):
            setattr(package, name, function)
        setattr(module, name, function)


def _register_solvers(module):
    """Makes Dask call the functions of `cuprum.scipy.linalg` on blocks on a device."""
    safe = module.scipy_linalg_safe

    @functools.wraps(safe)
    def scipy_linalg_safe(func_name, *args, **kwargs):
        import cuprum

        if isinstance(args[0], cuprum.ndarray):
            return getattr(cuprum.scipy.linalg, func_name)(*args, **kwargs)
        return safe(func_name, *args, **kwargs)

    module.scipy_linalg_safe = scipy_linalg_safe


def _register_lu(module):
    lu = module.lu

    @functools.wraps(lu)
    def lu_of_device(a):
        factors = lu(a)
        return tuple(_lu_on_device(factor) for factor in factors) if _on_device(a) else factors

    module.lu = lu_of_device


def _lu_on_device(factor):
    """Returns a factor of `dask.array.linalg.lu` whose tasks call the package's functions in place of SciPy's and
    NumPy's."""
    import cuprum
    import scipy.linalg
    from dask.array import Array
    from dask.highlevelgraph import HighLevelGraph

    ours = {scipy.linalg.lu: cuprum.scipy.linalg.lu, np.zeros: cuprum.zeros}
    layer = {
        key: (ours[task[0]], *task[1:]) if isinstance(task, tuple) and callable(task[0]) and task[0] in ours else task
        for key, task in factor.dask.layers[factor.name].items()
    }
    graph = HighLevelGraph({**factor.dask.layers, factor.name: layer}, factor.dask.dependencies)
    return Array(graph, factor.name, chunks=factor.chunks, meta=factor._meta)


def _register_routines(module):
    argwhere, unique = module.argwhere, module._unique_internal

    @functools.wraps(argwhere)
    def argwhere_of_device(a):
        return _argwhere(a) if _on_device(a) and a.ndim else argwhere(a)

    @functools.wraps(unique)
    def unique_of_device(ar, *args, **kwargs):
        import cuprum

        return (_unique if isinstance(ar, cuprum.ndarray) else unique)(ar, *args, **kwargs)

    _replace(
        module,
        argwhere=argwhere_of_device,
        _unique_internal=unique_of_device,
        _block_histogramdd_rect=_as_block(module._block_histogramdd_rect),
        _block_histogramdd_multiarg=_as_block(module._block_histogramdd_multiarg),
        histogram=_with_density(module.histogram),
        histogramdd=_with_density(module.histogramdd),
    )


def _argwhere(a):
    import cuprum
    from dask.array import arange

    shape = a.shape
    nonzero = (a != 0).ravel()
    flat = arange(a.size, chunks=nonzero.chunks, dtype=np.intp).map_blocks(cuprum.asarray)[nonzero]
    return flat.map_blocks(
        lambda block: cuprum.stack(cuprum.unravel_index(block, shape), axis=1), dtype=np.intp, new_axis=1, chunks=(flat.chunks[0], (len(shape),))
    )


def _unique(ar, indices, counts, return_inverse=False):
    """Returns the unique elements of a block as a structured array, with their first indices, inverse and counts
    where requested."""
    import cuprum

    values, inverse = cuprum.unique(ar, return_inverse=True)
    inverse = inverse.ravel()
    fields = {'values': values}
    if indices is not None:
        fields['indices'] = cuprum.full(values.shape, np.iinfo(np.intp).max, dtype=np.intp)
        cuprum.minimum.at(fields['indices'], inverse, cuprum.asarray(indices))
    if return_inverse:
        fields['inverse'] = cuprum.arange(values.size, dtype=np.intp)
    if counts is not None:
        fields['counts'] = cuprum.zeros(values.shape, dtype=np.intp)
        cuprum.add.at(fields['counts'], inverse, cuprum.asarray(counts))
    record = cuprum.empty(values.shape, dtype=[(name, field.dtype) for name, field in fields.items()])
    for name, field in fields.items():
        record[name] = field
    return record


def _as_block(function):
    """Wraps a function that returns the counts of a block in a tuple, which is no operand of a sum of device arrays."""

    @functools.wraps(function)
    def counts_of_block(*args):
        import cuprum

        result = function(*args)
        return result[0][np.newaxis] if isinstance(result[0], cuprum.ndarray) else result

    return counts_of_block


def _with_density(histogram):
    """Wraps a histogram function whose density divides by bin widths on the host."""
    signature = inspect.signature(histogram)

    @functools.wraps(histogram)
    def histogram_of_device(*args, **kwargs):
        passed = signature.bind(*args, **kwargs).arguments
        if not (passed.get('density') and _on_device(next(iter(passed.values())))):
            return histogram(*args, **kwargs)
        import cuprum
        from dask.array import asarray, diff

        # The edges are those of the call itself; its density is never computed.
        _, edges = histogram(**passed)
        counts, _ = histogram(**{**passed, 'density': None})
        density = counts
        for axis, of_axis in enumerate(edges if isinstance(edges, (list, tuple)) else [edges]):
            widths = diff(asarray(of_axis)).astype(float).rechunk(-1).map_blocks(cuprum.asarray)
            density = density / widths[(slice(None), *[np.newaxis] * (counts.ndim - 1 - axis))]
        return density / counts.sum(), edges

    return histogram_of_device


def _register_reductions(module):
    """Makes `nanquantile` call the package's function: Dask's computes positions of quantiles on the host."""
    nanquantile = module._custom_nanquantile

    @functools.wraps(nanquantile)
    def nanquantile_of_device(a, q, **options):
        import cuprum

        if isinstance(a, cuprum.ndarray):
            options = {name: value for name, value in options.items() if value is not None}
            return cuprum.nanquantile(a, cuprum.asarray(q), **options)
        return nanquantile(a, q, **options)

    module._custom_nanquantile = nanquantile_of_device


# Registrations, by the module of Dask after whose import they run.
REGISTRATIONS = {
    'dask.array.linalg': _register_lu,
    'dask.array.reductions': _register_reductions,
    'dask.array.routines': _register_routines,
    'dask.array.utils': _register_solvers,
}
