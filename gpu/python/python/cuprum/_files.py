"""Files of arrays. The library reads and writes those with a path. NumPy handles the others, and the elements are copied:
open files, elements of a dtype that no device array has, and options that the library does not have."""

import os as _os
from collections.abc import Mapping as _Mapping

import numpy as _np

import cuprum as _cp
from cuprum._cuprum import NpzArchive as _NpzArchive
from cuprum._cuprum import routines as _routines
from cuprum._decorators import set_module as _set_module

# Characters of the dtypes that device arrays have in common with NumPy.
_NUMERIC = frozenset('?bBhHiIlLqQefdFD')

# Suffixes of files that NumPy decompresses.
_COMPRESSED = ('.gz', '.bz2', '.xz', '.lzma')


def _own(name):
    """Returns the function of the library."""
    return getattr(_routines, name)


def _path(file, suffixes=_COMPRESSED):
    """Returns a path as text; `None` for an open file and for a compressed one."""
    path = _os.fspath(file) if isinstance(file, (str, _os.PathLike)) else None
    return path if isinstance(path, str) and not path.endswith(suffixes) and '://' not in path else None


def _existing(file):
    """Returns the path of a file to read, or `None`; an error of the system names a file that cannot be read."""
    path = _path(file)
    if path is not None:
        open(path, 'rb').close()
    return path


def _writable(file):
    """Returns the path of a file to write, or `None`; where there is no folder, NumPy's error names it."""
    path = _path(file)
    return path if path is not None and _os.path.isdir(_os.path.dirname(path) or '.') else None


def _is_numeric(dtype):
    dtype = _np.dtype(dtype)
    return dtype.char in _NUMERIC and dtype.isnative


def _on_device(*arrays):
    return all(isinstance(a, _cp.ndarray) and _is_numeric(a.dtype) for a in arrays)


def _only(options, names):
    """Returns true if all options that are not the defaults have one of these names."""
    return all(name in names or value is None for name, value in options.items())


@_set_module('cuprum')
class NpzFile(_Mapping):
    """An archive of arrays: each is read, and copied to the device, when it is requested."""

    def __init__(self, archive, own=None):
        self.npz_file, self._own = archive, own

    def __enter__(self):
        self.npz_file.__enter__()
        return self

    def __exit__(self, *error):
        self.npz_file.__exit__(*error)

    def __getitem__(self, name):
        made = self._own.get(name) if self._own is not None and self.npz_file.fid is not None else None
        return _cp.asarray(self.npz_file[name]) if made is None else made

    def __contains__(self, name):
        return name in self.npz_file

    def __repr__(self):
        return repr(self.npz_file)

    def __iter__(self):
        return iter(self.npz_file)

    def __len__(self):
        return len(self.npz_file.files)

    @property
    def files(self):
        """The names of the arrays."""
        return self.npz_file.files

    @property
    def fid(self):
        """The file, if it was opened here."""
        return self.npz_file.fid

    @property
    def zip(self):
        """The archive as a `zipfile.ZipFile`."""
        return self.npz_file.zip

    def close(self):
        """Closes the file."""
        self.npz_file.close()


@_set_module('cuprum')
def load(file, mmap_mode=None, allow_pickle=None):
    """Loads an array from a file of NumPy (`.npy`), an archive of them (`.npz`), or a pickle."""
    path = _existing(file)
    if path is not None and mmap_mode in (None, 'r', 'r+', 'c'):
        try:
            return _own('load')(path, mmap_mode)
        except (NotImplementedError, TypeError, ValueError):
            # An archive, a pickle, elements of another dtype, or a damaged file, for which the error is NumPy's.
            pass
    found = _np.load(file, mmap_mode, allow_pickle=bool(allow_pickle))
    if isinstance(found, _np.lib.npyio.NpzFile):
        return NpzFile(found, None if path is None else _NpzArchive(path))
    return _cp.asarray(found) if isinstance(found, _np.ndarray) else found


@_set_module('cuprum')
def save(file, arr, allow_pickle=None):
    """Writes an array to a file of NumPy (`.npy`)."""
    path = _writable(file)
    if path is not None and _on_device(arr):
        _own('save')(path, arr)
    else:
        _np.save(file, _cp.asnumpy(arr), allow_pickle=allow_pickle is not False)


def _save_archive(name, file, args, kwds):
    path = _writable(file)
    if path is not None and _on_device(*args, *kwds.values()):
        _own(name)(path, [*args, *kwds.values()], list(kwds))
    else:
        getattr(_np, name)(file, *map(_cp.asnumpy, args), **{name: _cp.asnumpy(a) for name, a in kwds.items()})


@_set_module('cuprum')
def savez(file, *args, **kwds):
    """Writes arrays to an archive of NumPy (`.npz`)."""
    _save_archive('savez', file, args, kwds)


@_set_module('cuprum')
def savez_compressed(file, *args, **kwds):
    """Writes arrays to an archive of NumPy (`.npz`), compressed."""
    _save_archive('savez_compressed', file, args, kwds)


@_set_module('cuprum')
def savetxt(fname, X, fmt='%.18e', delimiter=' ', newline='\n', header='', footer='', comments='# ', encoding=None):
    """Writes an array to a text file."""
    path = _writable(fname)
    if path is not None and encoding is None and isinstance(fmt, str) and _on_device(X):
        _own('savetxt')(path, X, fmt, delimiter, newline, header, footer, comments)
    else:
        _np.savetxt(fname, _cp.asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


def _columns(usecols):
    return [usecols] if isinstance(usecols, (int, _np.integer)) else usecols


@_set_module('cuprum')
def loadtxt(
    fname,
    dtype=float,
    comments='#',
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    like=None,
):
    """Reads an array from a text file."""
    options = dict(
        dtype=dtype,
        comments=comments,
        delimiter=delimiter,
        skiprows=skiprows,
        usecols=_columns(usecols),
        unpack=unpack,
        ndmin=ndmin,
        max_rows=max_rows,
        quotechar=quotechar,
    )
    path = _existing(fname)
    is_text = all(text is None or isinstance(text, str) for text in (comments, delimiter, quotechar))
    others = converters is None and encoding is None and like is None
    if path is not None and is_text and others and _is_numeric(dtype):
        return _own('loadtxt')(path, **options)
    return _cp.asarray(_np.loadtxt(fname, **options, converters=converters, encoding=encoding, like=like))


# The options of `genfromtxt` that the library has.
_OF_GENFROMTXT = ('skip_header', 'skip_footer', 'usecols', 'autostrip', 'unpack', 'loose', 'invalid_raise', 'max_rows', 'ndmin')


@_set_module('cuprum')
def genfromtxt(fname, dtype=float, comments='#', delimiter=None, **options):
    """Reads an array from a text file in which values may be missing."""
    path = _existing(fname)
    is_text = isinstance(delimiter, (str, type(None))) and not isinstance(options.get('usecols'), str)
    if path is not None and is_text and dtype is not None and _is_numeric(dtype) and _only(options, _OF_GENFROMTXT):
        own = {name: value for name, value in options.items() if value is not None}
        if 'usecols' in own:
            own['usecols'] = _columns(own['usecols'])
        return _own('genfromtxt')(path, dtype, comments=comments, delimiter=delimiter, **own)
    return _cp.asarray(_np.genfromtxt(fname, dtype, comments, delimiter, **options))


@_set_module('cuprum')
def frombuffer(*args, **kwargs):
    """Creates an array from the bytes of an object."""
    return _cp.asarray(_np.frombuffer(*args, **kwargs))


@_set_module('cuprum')
def fromfile(file, dtype=float, count=-1, sep='', offset=0, *, like=None):
    """Creates an array from the bytes or the text of a file."""
    path = _existing(file)
    if path is not None and like is None and _is_numeric(dtype):
        return _own('fromfile')(path, dtype, count, sep, offset)
    return _cp.asarray(_np.fromfile(file, dtype, count, sep, offset, like=like))


@_set_module('cuprum')
def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """Creates an array from the numbers in a text."""
    if isinstance(string, str) and sep and like is None and _is_numeric(dtype):
        return _own('fromstring')(string, dtype, count, sep=sep)
    return _cp.asarray(_np.fromstring(string, dtype, count, sep=sep, like=like))
