"""Files of sparse arrays, in SciPy's format."""

import numpy

from ._base import CLASSES, issparse, sparray


def save_npz(file, matrix, compressed=True):
    """Writes a sparse array to a file in NumPy's `.npz` format, which SciPy's `load_npz` reads, too. It synchronises.

    `file` is a name, to which `.npz` is added where it is missing, or a file object. With `compressed` false the arrays are not
    compressed. Raises TypeError for what is not a sparse array.
    """
    if not issparse(matrix):
        raise TypeError(f'save_npz: a sparse array is needed, not {type(matrix).__name__}: make one of it with csr_array')
    if matrix.format == 'dia':
        arrays = {'offsets': matrix.offsets.get()}
    elif matrix.format != 'coo':
        arrays = {'indices': matrix.indices.get(), 'indptr': matrix.indptr.get()}
    elif matrix.ndim == 2:
        arrays = {'row': matrix.row.get(), 'col': matrix.col.get()}
    else:
        arrays = {'coords': numpy.stack([index.get() for index in matrix.coords])}
    arrays |= {'format': matrix.format.encode('ascii'), 'shape': matrix.shape, 'data': matrix.data.get()}
    if isinstance(matrix, sparray):
        arrays['_is_array'] = True
    (numpy.savez_compressed if compressed else numpy.savez)(file, **arrays)


def load_npz(file):
    """Reads a sparse array from a file that `save_npz` or SciPy's function of that name wrote; pickled objects are not read.

    The result has the class that was written. Raises ValueError for a file without a sparse array, and for a format that is
    not one of this package.
    """
    with numpy.load(file, allow_pickle=False) as arrays:
        if 'format' not in arrays:
            raise ValueError(f'load_npz: the file {file} has no sparse array')
        format = arrays['format'].item()
        format = format if isinstance(format, str) else format.decode('ascii')
        cls = CLASSES.get((format, '_is_array' in arrays and bool(arrays['_is_array'])))
        if cls is None:
            raise ValueError(f'load_npz: the format {format!r} is not supported: read the file with SciPy and convert it to csr')
        shape = tuple(int(n) for n in arrays['shape'])
        if format == 'dia':
            parts = arrays['data'], arrays['offsets']
        elif format == 'coo':
            parts = arrays['data'], tuple(arrays['coords']) if 'coords' in arrays else (arrays['row'], arrays['col'])
        else:
            parts = arrays['data'], arrays['indices'], arrays['indptr']
        return cls(parts, shape=shape)
