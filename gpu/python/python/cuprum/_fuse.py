"""Fusion: elementwise calls that share kernels, as a `with` block or as a decorator."""

import functools
import types

from cuprum import _cuprum

__all__ = ['Fusion', 'fuse']


class Fusion:
    """A function in which elementwise calls share kernels."""

    def __init__(self, func, name=None):
        functools.update_wrapper(self, func)
        self.func, self.name = func, name

    def __call__(self, *args, **kwargs):
        with fuse():
            return self.func(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<Fusion name='{self.name or self.__name__}'>"

    def clear_cache(self):
        """Does nothing: kernels belong to expressions, which functions share, and are cached like all others."""


class fuse:
    """A scope in which elementwise calls are pending until their elements are needed, and then share a kernel, with
    the same results to the bit: `with cuprum.fuse():`, or a function that is decorated by `fuse` or `fuse()`.

    When the scope ends, all pending arrays that are still referenced are computed. A new chain of calls is compiled
    in the background while its calls are executed one by one; with `wait` it is compiled at once. `kernel_name` is
    the name of the decorated function in its representation: kernels are named after their calls.
    """

    def __new__(cls, function=None, kernel_name=None, *, wait=False):
        if function is not None:
            return Fusion(function, kernel_name)
        return super().__new__(cls)

    def __init__(self, function=None, kernel_name=None, *, wait=False):
        self._name, self._wait = kernel_name, wait

    def __call__(self, function):
        return Fusion(function, self._name)

    def __enter__(self):
        _cuprum.begin_fusion(self._wait)
        return self

    def __exit__(self, *_):
        _cuprum.end_fusion()

    @staticmethod
    def memory_stats():
        """Returns statistics of all threads: the number of pending arrays, the bytes that they will take, and the
        bytes of the arrays that they keep alive until then."""
        pending, pending_bytes, held_bytes = _cuprum.fusion_stats()
        return {'pending': pending, 'pending_bytes': pending_bytes, 'held_bytes': held_bytes}
