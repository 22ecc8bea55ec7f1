"""Einstein's sums: operands with labels as a string or as lists of numbers."""

import numpy as np

import cuprum
from cuprum import _cuprum
from cuprum._cuprum.routines import einsum as _einsum
from cuprum._decorators import set_module

__all__ = ['einsum', 'einsum_path']


def _operand(a):
    return cuprum.asarray(a) if isinstance(a, (list, tuple)) or np.isscalar(a) else a


def _subscripts(operands):
    """Returns the subscripts as a string, and the arrays: from a string and arrays, or from arrays each with a list
    of numbers."""
    if not operands:
        raise ValueError('einsum: there is no operand')
    if isinstance(operands[0], str):
        return operands[0], [_operand(a) for a in operands[1:]]
    letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    arrays = [_operand(a) for a in (operands[:-1:2] if len(operands) % 2 else operands[::2])]
    lists = list(operands[1::2]) + ([operands[-1]] if len(operands) % 2 else [])
    if any(axis is not Ellipsis and not 0 <= axis < len(letters) for axes in lists for axis in axes):
        raise ValueError('einsum: an axis is an Ellipsis or a number from 0 to 51')
    texts = [''.join('...' if axis is Ellipsis else letters[axis] for axis in axes) for axes in lists]
    named = ','.join(texts[: len(arrays)])
    return (f'{named}->{texts[-1]}' if len(operands) % 2 else named), arrays


@set_module('cuprum')
def einsum(*operands, out=None, dtype=None, casting='safe', order='K', optimize=False):
    """Computes sums of products over labelled axes: `einsum('ij,jk->ik', a, b)`, or `einsum(a, [0, 1], b, [1,
    2], [0, 2])`."""
    order = order.upper() if isinstance(order, str) else order
    if order not in ('K', 'A', 'C', 'F'):
        raise ValueError(f"einsum: order is {order!r}: it must be one of 'K', 'A', 'C' and 'F'")
    subscripts, arrays = _subscripts(operands)
    result = _einsum(subscripts, arrays, out, dtype, casting, optimize)
    if out is not None or result.base is not None:
        # `order` does not apply to a view.
        return result
    if order == 'A':
        order = 'F' if all(cuprum.asarray(a).flags.f_contiguous for a in arrays) else 'C'
    return cuprum.asarray(result, order=order) if order in 'CF' else result


@set_module('cuprum')
def einsum_path(*operands, optimize='greedy', einsum_call=False):
    """Returns the order in which `einsum` contracts its operands: a list that begins with `'einsum_path'`, and
    a description."""
    subscripts, arrays = _subscripts(operands)
    arrays = [cuprum.asarray(a) for a in arrays]
    if isinstance(optimize, tuple) and optimize and isinstance(optimize[0], str) and optimize[0] != 'einsum_path':
        # A memory limit after the name does not affect pairwise contractions.
        optimize = optimize[0]
    if optimize is False or optimize is None:
        path, description = [tuple(range(len(arrays)))], f'contraction: {subscripts}\nall operands at once\n'
    else:
        steps = optimize if isinstance(optimize, (str, bool)) else [list(step) for step in optimize if step != 'einsum_path']
        path, description = _cuprum.einsum_path(subscripts, arrays, steps)
    return ['einsum_path', *map(tuple, path)], description
