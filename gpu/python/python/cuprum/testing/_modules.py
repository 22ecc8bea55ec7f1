"""The modules that tests are run with: ours, NumPy, and the ones that stand beside them."""

import importlib

import cuprum
import numpy

__all__ = ['cuprum', 'numpy', 'sparse_of', 'scipy_of']


def sparse_of(xp):
    """The module of sparse matrices that belongs to `xp`."""
    return importlib.import_module('scipy.sparse' if xp is numpy else 'cuprum.cupyx.scipy.sparse')


def scipy_of(xp):
    """What SciPy is to `xp`."""
    return importlib.import_module('scipy' if xp is numpy else 'cuprum.cupyx.scipy')
