"""The modules with which tests are run: Cuprum, NumPy, and the related ones."""

import importlib

import cuprum
import numpy

__all__ = ['cuprum', 'numpy', 'sparse_of', 'scipy_of']


def sparse_of(xp):
    """Returns the module of sparse matrices that corresponds to `xp`."""
    return importlib.import_module('scipy.sparse' if xp is numpy else 'cuprum.cupyx.scipy.sparse')


def scipy_of(xp):
    """Returns SciPy's counterpart for `xp`."""
    return importlib.import_module('scipy' if xp is numpy else 'cuprum.cupyx.scipy')
