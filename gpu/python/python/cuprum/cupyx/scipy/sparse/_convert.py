"""Sparse arrays from and to SciPy's, on the host."""

import cuprum

from ._base import CLASSES


def from_scipy(a, as_array):
    """Returns a copy on the device of a sparse array of SciPy's; of a format that is not here, the CSR array of the same elements."""
    if a.format not in ('coo', 'csr', 'csc', 'bsr', 'dia'):
        a = a.tocsr() if a.ndim == 2 else a.tocoo(copy=False)
    cls = CLASSES[a.format, as_array]
    if a.format == 'coo':
        return cls((cuprum.asarray(a.data), tuple(cuprum.asarray(index) for index in a.coords)), shape=a.shape)
    if a.format == 'dia':
        return cls((cuprum.asarray(a.data), cuprum.asarray(a.offsets)), shape=a.shape)
    return cls(tuple(cuprum.asarray(part) for part in (a.data, a.indices, a.indptr)), shape=a.shape)


def to_scipy(a, stream=None):
    """Returns a copy of a sparse array on the host: an object of SciPy's class of the same name."""
    import scipy.sparse

    cls = getattr(scipy.sparse, type(a).__name__, None) or getattr(scipy.sparse, CLASSES[a.format, _is_array(a)].__name__)
    if a.dtype.name in ('float16', 'bfloat16'):
        # SciPy has no such elements: float32 holds them all.
        a = a.astype('float32')

    def host(x):
        return x.get(stream=stream)

    if a.format == 'coo':
        return cls((host(a.data), tuple(host(index) for index in a.coords)), shape=a.shape)
    if a.format == 'dia':
        return cls((host(a.data), host(a.offsets)), shape=a.shape)
    return cls((host(a.data), host(a.indices), host(a.indptr)), shape=a.shape)


def _is_array(a):
    from ._base import sparray

    return isinstance(a, sparray)
