"""The decorator of `jit`, and the kernels that it creates."""

import functools

import numpy as np

import cuprum

from ._translate import translated
from ._types import Array, dtype_of_number

__all__ = ['rawkernel']


class _JitRawKernel:
    """A kernel in Python. ``kernel(grid, block, args)`` or ``kernel[grid, block](*args)`` launches it."""

    def __init__(self, func, mode, device):
        functools.update_wrapper(self, func)
        self._func, self._mode, self._device = func, mode, device
        self._compiled = {}
        self._codes = {}
        if device:
            self._translated_as_device = True

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        if self._device:
            raise RuntimeError(f'{self._func.__name__} is a device function: kernels call it')
        types, given = [], []
        for a in args:
            if isinstance(a, cuprum.ndarray):
                types.append(Array(np.dtype(a.dtype), a.ndim, a.flags.c_contiguous))
                given.append(a)
                continue
            dtype = dtype_of_number(a, self._mode)
            if dtype is None:
                raise TypeError(f'{self._func.__name__}: {type(a).__name__} is no argument of a kernel: arrays and numbers are')
            types.append(dtype)
            given.append(dtype.type(a))
        key = tuple(getattr(t, 'key', None) or t.name for t in types)
        kernel = self._compiled.get(key)
        if kernel is None:
            code, name, groups = translated(self._func, types, self._mode)
            kernel = cuprum.RawKernel(code, name, enable_cooperative_groups=groups)
            self._codes[key], self._compiled[key] = code, kernel
        kernel(_sizes(grid), _sizes(block), tuple(given), shared_mem=shared_mem, stream=stream)

    def __getitem__(self, grid_and_block):
        grid, block = grid_and_block
        return lambda *args, **kwargs: self(grid, block, args, **kwargs)

    @property
    def cached_codes(self):
        """The source for each set of argument types that the kernel was called with."""
        return dict(self._codes)

    @property
    def cached_code(self):
        """The source, if the kernel was called with a single set of argument types."""
        if len(self._codes) > 1:
            raise RuntimeError(f'{self._func.__name__} was called with arguments of {len(self._codes)} kinds: see cached_codes')
        return next(iter(self._codes.values()), None)


def _sizes(given):
    return tuple(given) if isinstance(given, (tuple, list)) else (int(given),)


def rawkernel(*, mode='cuda', device=False):
    """Creates a kernel from a function. `mode` is 'cuda', with type promotion as in C, or 'numpy'; `device` creates
    a function that kernels call."""
    if mode not in ('cuda', 'numpy'):
        raise ValueError(f"jit.rawkernel: mode is 'cuda' or 'numpy', not {mode!r}")
    return lambda func: functools.wraps(func)(_JitRawKernel(func, mode, device))
