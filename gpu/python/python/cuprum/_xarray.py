"""Vectorized indexing of xarray around arrays of the device.

xarray indexes an array of the array API standard only along one axis at a time: the standard has no index of several integer arrays. Ours
have NumPy's, so `register` has xarray index them as it indexes arrays of NumPy.
"""

import cuprum

__all__ = ['register']

METHODS = ('_oindex_get', '_oindex_set', '_vindex_get', '_vindex_set', '__getitem__', '__setitem__')


def register():
    """Enables `x[DataArray, DataArray]`, `x.isel` with arrays of several dimensions, and assignment to them, for arrays of the device.

    Other arrays are indexed as before. A second call does nothing.
    """
    from xarray.core import indexing

    adapter = indexing.ArrayApiIndexingAdapter
    if getattr(adapter, '_indexes_cuprum', False):
        return
    for name in METHODS:
        setattr(adapter, name, _method(getattr(adapter, name), name, indexing.NdArrayLikeIndexingAdapter))
    adapter._indexes_cuprum = True


def _method(general, name, adapter):
    def method(self, *args):
        if isinstance(self.array, cuprum.ndarray):
            return getattr(adapter(self.array), name)(*args)
        return general(self, *args)

    return method
