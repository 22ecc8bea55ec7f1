"""Sizes of blocks that are found by trying: `cupyx.optimizing`."""

from ._optimize import optimize

__all__ = ['optimize']
