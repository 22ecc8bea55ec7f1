"""Autotuning of block sizes: `cupyx.optimizing`."""

from ._optimize import optimize

__all__ = ['optimize']
