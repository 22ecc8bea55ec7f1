"""Functions of the main namespace with arguments that the call table has no kind for: polynomials as objects, pad
widths by axes, samples as a list of coordinates."""

import functools
import operator
import warnings

import numpy as np

import cuprum

__all__ = ['complete']

# The options of each mode of `pad`.
TOLD = {
    'constant': ('constant_values',),
    'edge': (),
    'empty': (),
    'linear_ramp': ('end_values',),
    'maximum': ('stat_length',),
    'mean': ('stat_length',),
    'median': ('stat_length',),
    'minimum': ('stat_length',),
    'reflect': ('reflect_type',),
    'symmetric': ('reflect_type',),
    'wrap': (),
}


def _coefficients(p):
    return cuprum.asarray(p.coeffs) if isinstance(p, (cuprum.poly1d, np.poly1d)) else p


def _of_polynomials(own, operands):
    """Wraps a function of coefficients so that it accepts polynomial objects: if an operand is one, the results are
    objects."""

    @functools.wraps(own)
    def function(*args, **kwargs):
        given = [*args[:operands], *kwargs.values()]
        if not any(isinstance(p, (cuprum.poly1d, np.poly1d)) for p in given):
            return own(*args, **kwargs)
        result = own(*map(_coefficients, args), **{name: _coefficients(p) for name, p in kwargs.items()})
        return tuple(map(cuprum.poly1d, result)) if isinstance(result, tuple) else cuprum.poly1d(result)

    return function


def _pad(own):
    def pad(array, pad_width, mode='constant', **kwargs):
        """Pads the array: `pad_width` elements before and after along each axis."""
        array = array if isinstance(array, (cuprum.ndarray, np.ndarray)) else cuprum.asarray(array)
        if isinstance(pad_width, dict):
            widths = [(0, 0)] * array.ndim
            for axis, width in pad_width.items():
                widths[axis] = (width, width) if isinstance(width, (int, np.integer)) else tuple(width)
            pad_width = widths
        widths = np.asarray(pad_width.get() if isinstance(pad_width, cuprum.ndarray) else pad_width)
        if widths.dtype.kind not in 'iu':
            raise TypeError(f'pad: pad_width is of {widths.dtype}: it must be of integers')
        if array.ndim:
            widths = np.broadcast_to(widths, (array.ndim, 2))
        widths = widths.tolist()
        if callable(mode):
            # Writes the ends of each 1-D slice, along one axis after the other.
            made = own(array, widths)
            for axis, width in enumerate(widths):
                lines = cuprum.moveaxis(made, axis, -1)
                for at in np.ndindex(*lines.shape[:-1]):
                    mode(lines[at], tuple(width), axis, kwargs)
            return made
        if not isinstance(mode, str) or mode not in TOLD:
            raise ValueError(f'pad: mode is {mode!r}: it is a function or one of {", ".join(TOLD)}')
        if other := [name for name in kwargs if name not in TOLD[mode]]:
            raise ValueError(f'pad: the mode {mode!r} has no parameter {other[0]!r}')
        return own(array, widths, mode, **kwargs)

    return pad


def _ix_(own):
    def ix_(*args):
        """Returns an open mesh from 1-D index sequences, one for each axis."""
        lists = []
        for indices in args:
            if not isinstance(indices, cuprum.ndarray):
                indices = np.asarray(indices)
                indices = cuprum.asarray(indices.astype(np.intp) if indices.size == 0 else indices)
            if indices.ndim != 1:
                raise ValueError('ix_: indices along an axis have one axis themselves')
            lists.append(indices)
        return own(*lists)

    return ix_


def _points(own, sample, bins, range, density, weights):
    """Computes a histogram of points; either the fourth or the fifth argument may be the weights, in NumPy's order
    or in CuPy's."""
    if isinstance(density, (list, tuple, cuprum.ndarray)):
        density, weights = weights, density
    given = {'range': range, 'density': density, 'weights': weights}
    return own(*sample, 10 if bins is None else bins, **{name: value for name, value in given.items() if value is not None})


def _histogramdd(own):
    def histogramdd(sample, bins=10, range=None, density=None, weights=None):
        """Returns the number of points in each bin of a grid, and the edges along each axis."""
        if isinstance(sample, (list, tuple)):
            # The coordinates along each axis.
            sample = cuprum.atleast_2d(cuprum.asarray(sample)).T
        return _points(own, (sample,), bins, range, density, weights)

    return histogramdd


def _histogram2d(own):
    def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
        """Returns the number of points in each bin of a grid, and the edges along both axes."""
        return _points(own, (x, y), bins, range, density, weights)

    return histogram2d


def _cov(own):
    def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
        """Returns the covariance of variables, whose observations are in rows."""
        for name, weights in (('fweights', fweights), ('aweights', aweights)):
            if weights is None:
                continue
            shape, of = np.shape(weights), np.shape(m)
            if len(shape) > 1:
                raise RuntimeError(f'cov: {name} has the shape {shape}: it has more than one axis')
            observations = of[-1 if rowvar or len(of) == 1 else 0] if of else 1
            if len(shape) == 1 and shape[0] != observations:
                raise RuntimeError(f'cov: {name} has {shape[0]} elements, and there are {observations} observations')
        if ddof is not None and ddof != int(ddof):
            raise ValueError(f'cov: ddof is {ddof}: it must be an integer')
        ddof = None if ddof is None else int(ddof)
        return own(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)

    return renamed(cov, a='m')


def _corrcoef(own):
    def corrcoef(x, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
        """Returns the correlation coefficients of variables, whose observations are in rows; `bias` and `ddof` have
        no effect."""
        return own(x, y, rowvar, dtype=dtype)

    return renamed(corrcoef, a='x')


def _composed(p, x):
    """Composes two polynomials: substitutes a polynomial for the variable."""
    x, made = cuprum.poly1d(x), None
    for coefficient in cuprum.atleast_1d(cuprum.asarray(p)):
        term = cuprum.poly1d(coefficient)
        made = term if made is None else made * x + term
    return cuprum.poly1d([0]) if made is None else made


def _polyval(own):
    def polyval(p, x):
        """Evaluates a polynomial at points, or composes it with another polynomial."""
        p = _coefficients(p)
        return _composed(p, x) if isinstance(x, (cuprum.poly1d, np.poly1d)) else own(p, x)

    return polyval


def _polyfit(own):
    def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
        """Returns the least-squares fit of a polynomial of a degree to values at points."""
        deg = int(deg)
        of_full = own(x, y, deg, rcond, True, w)
        if full:
            return of_full
        if int(of_full[2]) != deg + 1:
            warnings.warn('Polyfit may be poorly conditioned', np.exceptions.RankWarning, stacklevel=2)
        return own(x, y, deg, rcond, False, w, cov) if cov else of_full[0]

    return polyfit


def _poly(own):
    def poly(seq_of_zeros):
        """Returns the coefficients of the polynomial with these roots, or the characteristic polynomial of a square
        matrix."""
        zeros = cuprum.asarray(seq_of_zeros)
        if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
            zeros = cuprum.linalg.eigvals(zeros)
        return own(zeros)

    return poly


def _roots(own):
    def roots(p):
        """Returns the roots of a polynomial."""
        p = _coefficients(p)
        if np.ndim(p) == 0:
            raise TypeError('roots: p has no axis: it must have one, of coefficients')
        return own(p)

    return roots


def _of_matrix(own):
    """Wraps a function of a matrix that is an array."""

    @functools.wraps(own)
    def indices(arr, *args, **kwargs):
        if not hasattr(arr, 'ndim'):
            raise AttributeError(f'{own.__name__}: arr is {arr!r}, which has no attribute ndim: it must be an array')
        return own(arr, *args, **kwargs)

    return indices


def _broadcast_arrays(own):
    def broadcast_arrays(*args, subok=False):
        """Broadcasts arrays to one shape: returns views, or the arrays themselves if all have one shape."""
        found = own(*args, subok=subok)
        args = tuple(a if isinstance(a, cuprum.ndarray) else view for a, view in zip(args, found))
        return args if all(a.shape == view.shape for a, view in zip(args, found)) else found

    return broadcast_arrays


def renamed(function, **names):
    """Returns the function with other parameter names, which are CuPy's."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        for other, own in names.items():
            if other in kwargs:
                if own in kwargs:
                    raise TypeError(f'{function.__name__}: {other} is another name of {own}: give one of them')
                kwargs[own] = kwargs.pop(other)
        return function(*args, **kwargs)

    return call


def _imag(own):
    def imag(val):
        """Returns the imaginary parts: a view for complex dtypes, zeros for others."""
        return val.imag if isinstance(val, cuprum.ndarray) else own(val)

    return imag


def _squeeze(own):
    def squeeze(a, axis=None):
        """Removes axes of length one: all of them, or those passed."""
        # An axis number, unlike a tuple, may be 0 or -1 for an array without axes.
        scalar = isinstance(a, cuprum.ndarray) and a.ndim == 0 and isinstance(axis, (int, np.integer)) and axis in (0, -1)
        return own(a, None if scalar else axis)

    return squeeze


def _as_strided(own):
    def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
        """Returns a view with any shape and strides; by default the array's own."""
        x = cuprum.asarray(x)
        return own(x, x.shape if shape is None else shape, x.strides if strides is None else strides, subok=subok, writeable=writeable)

    return as_strided


def _isclose(own):
    def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Tests whether elements differ by at most `atol + rtol * abs(b)`. A tolerance may be an array, and one of
        NumPy has its dtype."""
        if type(rtol) in (int, float) and type(atol) in (int, float):
            return own(a, b, rtol, atol, equal_nan)
        a, b, rtol, atol = map(cuprum.asarray, (a, b, rtol, atol))
        b = b.astype(cuprum.result_type(b, 1.0), copy=False)
        # Infinities are close only to equal ones.
        close = (abs(a - b) <= atol + rtol * abs(b)) & cuprum.isfinite(b) | (a == b)
        return close | cuprum.isnan(a) & cuprum.isnan(b) if equal_nan else close

    return isclose


def _allclose(own):
    def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Returns whether all elements are close in the sense of `isclose`."""
        if type(rtol) in (int, float) and type(atol) in (int, float):
            return own(a, b, rtol, atol, equal_nan)
        return cuprum.isclose(a, b, rtol, atol, equal_nan).all()

    return allclose


def _roll(own):
    def roll(a, shift, axis=None):
        """Rolls the elements along axes, from the end to the beginning: by integers of any size."""
        try:
            return own(a, shift, axis)
        except OverflowError:
            pass
        # Whole turns have no effect.
        a = a if isinstance(a, cuprum.ndarray) else cuprum.asarray(a)
        shifts = [operator.index(n) for n in (shift if isinstance(shift, (list, tuple)) else np.ravel(shift).tolist())]
        axes = [None] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
        if len(shifts) != len(axes):
            shifts, axes = (shifts * len(axes), axes) if len(shifts) == 1 else (shifts, axes * len(shifts))
        lengths = [a.size if n is None else a.shape[n] for n in axes]
        rests = [n % length if length else 0 for n, length in zip(shifts, lengths, strict=True)]
        return own(a, sum(rests) % max(a.size, 1)) if axis is None else own(a, tuple(rests), tuple(axes))

    return roll


def _whole(own):
    """Wraps a function of a number of points, which may be a float."""

    @functools.wraps(own)
    def window(M, *args, **kwargs):
        if isinstance(M, (float, np.floating, np.ndarray, cuprum.ndarray)):
            if np.ndim(M) or float(M) != int(M):
                raise TypeError(f'{own.__name__}: {M!r} is no number of points: it is an integer')
            M = int(M)
        return own(M, *args, **kwargs)

    return window


def _bincount(own):
    def bincount(x, /, weights=None, minlength=0):
        """Counts the occurrences of each integer from 0 on; with weights, sums theirs."""
        if isinstance(x, (list, tuple)) and len(x) == 0:
            x = cuprum.zeros(0, dtype=np.intp)
        return own(x, weights, minlength)

    return bincount


def _positions(name, obj):
    """Returns indices: a list as an array, which must not be of floats. A boolean without axes is no mask of an
    axis."""
    if isinstance(obj, (bool, np.bool_)) or isinstance(obj, (np.ndarray, cuprum.ndarray)) and obj.ndim == 0 and obj.dtype == bool:
        raise ValueError(f'{name}: obj is a boolean without axes: a mask has one axis')
    if isinstance(obj, (list, tuple, float, np.ndarray, np.floating)):
        obj = np.asarray(obj)
        if obj.size == 0:
            obj = obj.astype(np.intp)
        if obj.dtype.kind not in 'biu':
            raise IndexError(f'{name}: indices are integers or booleans, not {obj.dtype}')
        obj = obj.tolist()
    elif isinstance(obj, cuprum.ndarray) and obj.dtype.kind not in 'biu':
        raise IndexError(f'{name}: indices are integers or booleans, not {obj.dtype}')
    return obj


def _insert(own):
    def insert(arr, obj, values, axis=None):
        """Inserts values before the indices of an axis."""
        return own(arr, _positions('insert', obj), values, axis)

    return insert


def _delete(own):
    def delete(arr, obj, axis=None):
        """Deletes the elements at the indices of an axis."""
        obj = _positions('delete', obj)
        if isinstance(obj, list) and obj and isinstance(obj[0], list):
            obj = np.ravel(obj).tolist()
        elif isinstance(obj, cuprum.ndarray) and obj.ndim > 1:
            obj = obj.ravel()
        return own(arr, obj, axis)

    return renamed(delete, indices='obj')


def _arrays(own):
    """Wraps a function of arrays in a sequence, which must not be a generator."""

    @functools.wraps(own)
    def function(tup, *args, **kwargs):
        if not hasattr(tup, '__getitem__'):
            raise TypeError(f'{own.__name__}: arrays are in a list or a tuple, not in a {type(tup).__name__}')
        return own(tup, *args, **kwargs)

    return function


def _depth(arrays):
    """Returns the depth of nested lists of arrays, which is the same in each of them."""
    if isinstance(arrays, tuple):
        raise TypeError('block: arrays are in lists, not in tuples')
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError('block: a list without arrays makes no block')
    depths = {_depth(one) for one in arrays}
    if len(depths) > 1:
        raise ValueError(f'block: lists of one block are as deep as each other, and these are {sorted(depths)} deep')
    return depths.pop() + 1


def _leaves(arrays):
    """Converts the leaves of nested lists to arrays: a list of scalars is one of blocks, too."""
    return [_leaves(one) for one in arrays] if isinstance(arrays, list) else cuprum.asarray(arrays)


def _block(own):
    def block(arrays):
        """Assembles an array from nested lists of blocks: those of the innermost lists along the last axis."""
        if _depth(arrays) == 0:
            return cuprum.array(arrays)
        return own(_leaves(arrays))

    return block


def _asarray_chkfinite(own):
    def asarray_chkfinite(a, dtype=None, order=None):
        """Converts to an array of finite numbers: others are rejected."""
        # A list with a number that is not finite has no integer: NumPy's OverflowError, or its ValueError.
        return own(cuprum.asarray(a, dtype=dtype, order=order))

    return asarray_chkfinite


def _common_type(own):
    def common_type(*arrays):
        """Returns the class of floating-point scalars to which the elements of all arrays can be cast."""
        return own(*arrays).type if arrays else np.float16

    return common_type


def _mintypecode(own):
    def mintypecode(typechars, typeset='GDFgdf', default='d'):
        """Returns the character of the smallest dtype in the set to which those of characters, and of arrays, are
        cast."""

        def code(one):
            return one if isinstance(one, str) else (one if hasattr(one, 'dtype') else np.asarray(one)).dtype.char

        # The characters of the set are single ones.
        return own(''.join(c for c in map(code, typechars) if len(c) == 1), typeset, default)

    return mintypecode


def _of_dtypes(name):
    """Wraps a function of dtypes; for dtypes that no array here has, NumPy's function is called."""

    def form(own):
        @functools.wraps(own)
        def function(*args, **kwargs):
            try:
                return own(*args, **kwargs)
            except cuprum.exceptions.UnsupportedDType:
                if any(isinstance(one, cuprum.ndarray) for one in args):
                    raise
            return getattr(np, name)(*args, **kwargs)

        return function

    return form


FORMS = {
    'asarray_chkfinite': _asarray_chkfinite,
    'bincount': _bincount,
    'block': _block,
    'delete': _delete,
    'insert': _insert,
    'roll': _roll,
    'mintypecode': _mintypecode,
    'common_type': _common_type,
    **{name: _whole for name in ('bartlett', 'blackman', 'hamming', 'hanning', 'kaiser')},
    **{name: _arrays for name in ('column_stack', 'dstack', 'hstack', 'vstack')},
    **{name: _of_dtypes(name) for name in ('can_cast', 'promote_types', 'result_type')},
    'allclose': _allclose,
    'isclose': _isclose,
    'broadcast_arrays': _broadcast_arrays,
    'corrcoef': _corrcoef,
    'cov': _cov,
    'histogram2d': _histogram2d,
    'histogramdd': _histogramdd,
    'imag': _imag,
    'ix_': _ix_,
    'pad': _pad,
    'poly': _poly,
    'polyfit': _polyfit,
    'polyval': _polyval,
    'roots': _roots,
    'squeeze': _squeeze,
    **{name: _of_matrix for name in ('diag_indices_from', 'tril_indices_from', 'triu_indices_from')},
    **{name: lambda own: _of_polynomials(own, 2) for name in ('polyadd', 'polysub', 'polymul', 'polydiv')},
    **{name: lambda own: _of_polynomials(own, 1) for name in ('polyder', 'polyint')},
}


def _put(namespace, name, form, module):
    own = namespace.get(name)
    if own is None:
        return
    function = form(own)
    function.__module__, function.__qualname__, function.__name__ = module, name, name
    namespace[name] = function


def complete(namespace, tricks):
    """Wraps functions of the main namespace, and of the stride tricks namespace, with NumPy's signatures."""
    for name, form in FORMS.items():
        _put(namespace, name, form, 'cuprum')
    if tricks is not None:
        _put(tricks, 'as_strided', _as_strided, 'cuprum.lib.stride_tricks')
