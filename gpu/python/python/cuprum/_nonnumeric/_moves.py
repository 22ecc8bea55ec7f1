"""Functions that move elements of any dtype without interpreting them."""

import numpy as np

import cuprum

from ._array import NonNumericArray, of_words, operand, unsupported, upload, wrap
from ._layout import word_width, words

# Functions whose results are views of their first argument: NumPy computes the layouts.
VIEWS = (
    'array_split',
    'broadcast_to',
    'diagonal',
    'dsplit',
    'expand_dims',
    'flip',
    'fliplr',
    'flipud',
    'hsplit',
    'matrix_transpose',
    'moveaxis',
    'permute_dims',
    'rollaxis',
    'rot90',
    'split',
    'squeeze',
    'swapaxes',
    'transpose',
    'vsplit',
)
# Functions whose results are copies of elements.
MOVES = (
    'append',
    'choose',
    'column_stack',
    'compress',
    'concat',
    'concatenate',
    'delete',
    'dstack',
    'extract',
    'hstack',
    'insert',
    'repeat',
    'resize',
    'roll',
    'row_stack',
    'stack',
    'take',
    'take_along_axis',
    'tile',
    'vstack',
    'where',
)
SCALARS = (np.datetime64, np.timedelta64, np.void)


def _view(name):
    function = getattr(np, name)

    def view(a, *args, **kwargs):
        result = function(a._layout, *args, **kwargs)
        if isinstance(result, (list, tuple)):
            return type(result)(wrap(one, a) for one in result)
        return wrap(result, a)

    return view


def reshape(a, /, shape, order='C', *, copy=None):
    """Returns the elements of `a` in another shape; a view where the strides allow it."""
    return a.reshape(shape, order=order, copy=copy)


def ravel(a, order='C'):
    """Returns the elements of `a` along one axis; a view where the strides allow it."""
    return a.ravel(order)


def _at_least(name):
    function = getattr(np, name)

    def view(*arrays):
        result = [wrap(function(a._layout), a) for a in arrays]
        return result[0] if len(result) == 1 else tuple(result)

    return view


def _move(name):
    def move(*args, **kwargs):
        """Moves the indices of elements in the same way, and then takes the elements."""
        if kwargs.get('out') is not None:
            raise unsupported(f'{name}: the parameter `out`', kwargs['out'].dtype)
        pool, count = [], 0

        def indices(value):
            nonlocal count
            if isinstance(value, SCALARS):
                value = upload(np.asarray(value))
            if isinstance(value, NonNumericArray):
                pool.append(value)
                numbers = cuprum.arange(count, count + value.size).reshape(value.shape)
                count += value.size
                return numbers
            if isinstance(value, (list, tuple)):
                return type(value)(map(indices, value))
            return value

        args, kwargs = [indices(value) for value in args], {key: indices(value) for key, value in kwargs.items()}
        dtype = pool[0].dtype if len(pool) == 1 else np.result_type(*(a.dtype for a in pool))
        moved = getattr(cuprum, name)(*args, **kwargs)
        pool = [operand(a, dtype, name).ravel() for a in pool]
        width = min(word_width(a._layout) for a in pool)
        parts = [words(a, a._layout, width) for a in pool]
        return of_words((parts[0] if len(parts) == 1 else cuprum.concatenate(parts))[moved], dtype)

    return move


def copyto(dst, src, casting='same_kind', where=True):
    """Copies elements into an array."""
    if isinstance(src, cuprum.ndarray) and not np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f'copyto: {src.dtype} cannot be cast to {dst.dtype} by the rule {casting}')
    src = operand(src, dst.dtype, 'copyto')
    dst[...] = src if where is True else cuprum.where(where, src, dst)


def array_equal(a1, a2, equal_nan=False):
    """Tests whether two arrays have the same shape and equal elements."""
    a1, a2 = (a if isinstance(a, cuprum.ndarray) else cuprum.asarray(a) for a in (a1, a2))
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and a1.dtype.kind in 'Mm' and a2.dtype.kind in 'Mm':
        same = same | cuprum.isnat(a1) & cuprum.isnat(a2)
    return bool(same.all())


FUNCTIONS = {
    **{name: _view(name) for name in VIEWS},
    **{name: _at_least(name) for name in ('atleast_1d', 'atleast_2d', 'atleast_3d')},
    **{name: _move(name) for name in MOVES},
    'reshape': reshape,
    'ravel': ravel,
    'copyto': copyto,
    'array_equal': array_equal,
}
