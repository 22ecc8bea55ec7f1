"""Sparse arrays and matrices on a device: `cupyx.scipy.sparse`.

The classes are SciPy's of the same names: `*_array` has the operators of arrays, `*_matrix` those of matrices. An array holds its elements
in one of five formats: COO (coordinates, any number of axes), CSR and CSC (compressed rows and columns), BSR (compressed rows of dense
blocks) and DIA (diagonals).
"""

import importlib
import importlib.util

from ._arithmetic import call_function as _call_function
from ._base import issparse, sparray
from ._bsr import bsr_array, bsr_matrix, isspmatrix_bsr
from ._compressed import csc_array, csc_matrix, csr_array, csr_matrix, isspmatrix_csc, isspmatrix_csr
from ._construct import (
    diags,
    diags_array,
    expand_dims,
    eye,
    eye_array,
    find,
    identity,
    kron,
    kronsum,
    matrix_transpose,
    permute_dims,
    spdiags,
    swapaxes,
    tril,
    triu,
)
from ._coo import coo_array, coo_matrix, isspmatrix_coo
from ._dia import dia_array, dia_matrix, isspmatrix_dia
from ._io import load_npz, save_npz
from ._matrix import spmatrix
from ._random import rand, random, random_array
from ._stack import block_array, block_diag, bmat, hstack, vstack
from ._utils import SparseEfficiencyWarning, SparseWarning, get_index_dtype, safely_cast_index_arrays

__all__ = [
    'SparseEfficiencyWarning',
    'SparseWarning',
    'block_array',
    'block_diag',
    'bmat',
    'bsr_array',
    'bsr_matrix',
    'coo_array',
    'coo_matrix',
    'csc_array',
    'csc_matrix',
    'csr_array',
    'csr_matrix',
    'dia_array',
    'dia_matrix',
    'diags',
    'diags_array',
    'expand_dims',
    'eye',
    'eye_array',
    'find',
    'get_index_dtype',
    'hstack',
    'identity',
    'issparse',
    'isspmatrix',
    'isspmatrix_bsr',
    'isspmatrix_coo',
    'isspmatrix_csc',
    'isspmatrix_csr',
    'isspmatrix_dia',
    'kron',
    'kronsum',
    'load_npz',
    'matrix_transpose',
    'permute_dims',
    'rand',
    'random',
    'random_array',
    'safely_cast_index_arrays',
    'save_npz',
    'sparray',
    'spdiags',
    'spmatrix',
    'swapaxes',
    'tril',
    'triu',
    'vstack',
]


def isspmatrix(x):
    """Tests for a sparse matrix, `*_matrix`; `issparse` tests for arrays, too."""
    return isinstance(x, spmatrix)


def __getattr__(name):
    from cuprum import _not_yet
    from cuprum._cupy_import import EMPTY

    full = f'cupyx.scipy.sparse.{name}'
    if full in EMPTY:
        own = f'{__name__}.{name}'
        return importlib.import_module(own) if importlib.util.find_spec(own) else _not_yet.module(full)
    if name in _not_yet.known_names().get('cupyx.scipy.sparse', ()):
        raise _not_yet.NotYet(_not_yet.sentence(full))
    raise AttributeError(f"module 'cupyx.scipy.sparse' has no attribute {name!r}")
