"""Sums of products of arrays over devices: `einsum`, and the functions that follow from it."""

import string

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle

from . import _calls


def _labels(subscripts, operands):
    """Returns the labels of the axes of each operand and of the result."""
    text = subscripts.replace(' ', '')
    inputs, arrow, output = text.partition('->')
    terms = inputs.split(',')
    if len(terms) != len(operands):
        raise ValueError(f'einsum: subscripts is {subscripts!r}: it has {len(terms)} terms for {len(operands)} operands')
    free = iter(letter for letter in string.ascii_letters if letter not in text)
    dots = []
    for k, (term, operand) in enumerate(zip(terms, operands)):
        named = term.replace('...', '')
        more = operand.ndim - len(named)
        if more < 0 or (more and '...' not in term) or not named.isalpha() and named:
            raise ValueError(f'einsum: subscripts is {subscripts!r}: the term {term!r} does not fit operand {k} of {operand.ndim} axes')
        while len(dots) < more:
            dots.insert(0, next(free))
        terms[k] = term.replace('...', ''.join(dots[len(dots) - more :]))
    every = ''.join(terms)
    if arrow:
        output = output.replace('...', ''.join(dots))
    else:
        output = ''.join(dots) + ''.join(sorted(label for label in set(every) if every.count(label) == 1 and label not in dots))
    if len(set(output)) < len(output) or not set(output) <= set(every):
        raise ValueError(f'einsum: subscripts is {subscripts!r}: the output has a label twice, or one of no operand')
    return terms, output


def _divided(operand):
    """Returns the axes along which chunks divide an array."""
    return [k for k, n in enumerate(operand.shape) if any(index[k] != slice(0, n, 1) for _, index, _ in operand._handle.chunks())]


def einsum(subscripts, *operands, out=None, **kwargs):
    """Sums products over labels. One label is divided among the devices: that along which most elements need not move.

    Chunks of the result are disjoint where the result has the label; otherwise they are parts of a sum.
    """
    kwargs.pop('optimize', None)
    if not isinstance(subscripts, str):
        raise NotImplementedError('einsum: lists of labels are not available for arrays over devices: give subscripts as text')
    if kwargs:
        raise NotImplementedError(f'einsum: {next(iter(kwargs))} is not available for arrays over devices')
    _calls._check_operands('einsum', operands)
    operands = [operand if isinstance(operand, _calls.DistributedArray) else np.asarray(operand) for operand in operands]
    terms, output = _labels(subscripts, operands)
    sizes = {}
    for term, operand in zip(terms, operands):
        for label, n in zip(term, operand.shape):
            if sizes.setdefault(label, n) != n and 1 not in (n, sizes[label]):
                raise ValueError(f'einsum: operands have the lengths {sizes[label]} and {n} for the label {label!r}')
            sizes[label] = max(sizes[label], n)
    arrays = [(term, operand) for term, operand in zip(terms, operands) if isinstance(operand, _calls.DistributedArray)]
    dtype = np.result_type(*(operand.dtype for operand in operands))
    allowed = [label for label in sizes if sizes[label] > 1 and (label in output or dtype != bool)]
    stays = dict.fromkeys(allowed, 0)
    lead = {}
    for term, operand in arrays:
        divided = _divided(operand)
        if len(divided) == 1 and term[divided[0]] in stays and operand.mode == 'replica':
            label = term[divided[0]]
            stays[label] += operand.nbytes
            if label not in lead or operand.nbytes > lead[label][1].nbytes:
                lead[label] = (divided[0], operand)
    label = max(allowed, key=lambda label: (stays[label], label in output, sizes[label]), default=None)
    entries = _entries(label, sizes, lead, arrays)
    parts = []
    for term, operand in zip(terms, operands):
        if not isinstance(operand, _calls.DistributedArray):
            parts.append([operand] * len(entries))
            continue
        cut = [k for k, (own, n) in enumerate(zip(term, operand.shape)) if own == label and n > 1]
        chosen = [(device, tuple(span if k in cut[:1] else slice(None) for k in range(operand.ndim))) for device, span in entries]
        placed = operand.change_mode('replica')._handle.reshard(chosen).chunks()
        # Of a diagonal each device needs the same part of all axes.
        own = [tuple(span if k in cut[1:] else slice(None) for k in range(operand.ndim)) for _, span in entries]
        parts.append([chunk[key] if cut[1:] else chunk for (_, _, chunk), key in zip(placed, own)])
    text = f'{",".join(terms)}->{output}'
    shape = tuple(sizes[own] for own in output)
    chunks = []
    for k, (device, span) in enumerate(entries):
        with cuprum.cuda.Device(device):
            # Chunks have one order in memory, whatever the order of each device's products would be.
            result = cuprum.einsum(text, *(part[k] for part in parts), order='C')
        chunks.append((tuple(span if own == label else slice(0, sizes[own]) for own in output), result))
    mode = 'sum' if label is not None and label not in output and len(entries) > 1 else 'replica'
    result = _calls.DistributedArray._of(DistributedHandle.from_chunks(shape, chunks, mode))
    return result if out is None else _calls._store('einsum', (result,), out)


def _entries(label, sizes, lead, arrays):
    """Returns the devices, with the part of a label that each computes."""
    devices = list(dict.fromkeys(device for _, operand in arrays for device in operand.devices))
    if label is None:
        return [(devices[0], slice(None))]
    n = sizes[label]
    if label in lead:
        axis, operand = lead[label]
        spans = [(device, index[axis]) for device, index, _ in operand._handle.chunks()]
        ordered = sorted((span.start, span.stop, span.step) for _, span in spans)
        ends = [0, *(stop for _, stop, _ in ordered)]
        if all(step == 1 and start == end for (start, _, step), end in zip(ordered, ends)):
            return spans
    bounds = [n * k // len(devices) for k in range(len(devices) + 1)]
    return [(device, slice(low, high)) for device, low, high in zip(devices, bounds, bounds[1:]) if low < high]


def tensordot(a, b, axes=2):
    """Sums products over pairs of axes."""
    if isinstance(axes, (int, np.integer)):
        axes = (range(a.ndim - axes, a.ndim), range(axes))
    first, second = ([axis] if isinstance(axis, (int, np.integer)) else list(axis) for axis in axes)
    if len(first) != len(second):
        raise ValueError(f'tensordot: axes has {len(first)} and {len(second)} axes: both numbers must be equal')
    letters = iter(string.ascii_letters)
    left, right = [next(letters) for _ in range(a.ndim)], [next(letters) for _ in range(b.ndim)]
    for i, j in zip(first, second):
        if a.shape[i] != b.shape[j]:
            raise ValueError(f'tensordot: shape-mismatch for sum: axis {i} of a has the length {a.shape[i]}, axis {j} of b {b.shape[j]}')
        right[j] = left[i]
    output = [x for x in left if x not in right] + [x for x in right if x not in left]
    return einsum(f'{"".join(left)},{"".join(right)}->{"".join(output)}', a, b)


def inner(a, b):
    """Sums products over the last axes."""
    return a * b if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, (-1, -1))


def outer(a, b, out=None):
    """Multiplies each element of one axis with each of another."""
    if a.ndim != 1 or b.ndim != 1:
        raise NotImplementedError('outer: arrays over devices of several axes are not flattened: the operands must have one axis')
    return einsum('i,j->ij', a, b, out=out)


def vdot(a, b):
    """Sums products of the conjugate of one array with another."""
    if a.shape != b.shape:
        raise ValueError(f'vdot: the operands have the shapes {a.shape} and {b.shape}: both must be equal')
    letters = string.ascii_letters[: a.ndim]
    return einsum(f'{letters},{letters}->', a.conj(), b)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sums the diagonal of a matrix."""
    if offset or a.ndim != 2 or {axis1 % 2, axis2 % 2} != {0, 1} or a.shape[0] != a.shape[1]:
        raise NotImplementedError('trace: of an array over devices it is available for the main diagonal of a square matrix')
    return einsum('ii->', a if dtype is None else a.astype(dtype), out=out)


def norm(x, ord=None, axis=None, keepdims=False):
    """Returns the norm of all elements, or of vectors along an axis."""
    if ord not in (None, 2, 'fro') or (ord == 2 and (axis is None and x.ndim != 1 or isinstance(axis, (tuple, list)))):
        raise NotImplementedError(f'linalg.norm: ord is {ord!r}: for arrays over devices the root of the sum of squares is available')
    size = abs(x)
    return _calls.call_function('sqrt', ((size * size).sum(axis=axis, keepdims=keepdims),), {})


FUNCTIONS = {
    'einsum': einsum, 'tensordot': tensordot, 'inner': inner, 'outer': outer, 'vdot': vdot, 'trace': trace, 'linalg.norm': norm,
}  # fmt: skip
