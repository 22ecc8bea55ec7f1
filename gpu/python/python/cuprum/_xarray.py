"""Vectorised indexing of device arrays in xarray.

xarray indexes an array of the array API standard along one axis at a time, because the standard has no index of
several integer arrays. Device arrays have NumPy's indexing, so xarray indexes them like NumPy arrays. It has no
registry of such arrays: the methods of its adapter are replaced, for device arrays only.
"""

__all__ = ['REGISTRATIONS']

METHODS = ('_oindex_get', '_oindex_set', '_vindex_get', '_vindex_set', '__getitem__', '__setitem__')


def _register_indexing(module):
    ours = getattr(module, 'NdArrayLikeIndexingAdapter', None)
    adapter = getattr(module, 'ArrayApiIndexingAdapter', None)
    if ours is None or adapter is None:
        # Another version of xarray, with its own indexing.
        return
    for name in METHODS:
        if hasattr(adapter, name):
            setattr(adapter, name, _method(getattr(adapter, name), name, ours))


def _method(of_others, name, ours):
    def method(self, *args):
        import cuprum

        if isinstance(self.array, cuprum.ndarray):
            return getattr(ours(self.array), name)(*args)
        return of_others(self, *args)

    return method


REGISTRATIONS = {'xarray.core.indexing': _register_indexing}
