"""Calls of functions and kernels with arrays over devices."""

import numpy as np

import cuprum
from cuprum._cuprum import DistributedHandle

# The class, which its module sets.
DistributedArray = None

# Functions other than ufuncs that compute each element alone.
_ELEMENTWISE = frozenset('angle around clip fix i0 imag isclose iscomplex isneginf isposinf isreal nan_to_num real round sinc where'.split())

# Functions that are methods of the class, by the function's name.
_METHODS = {
    name: name for name in 'all any argmax argmin astype copy cumprod cumsum dot max mean min prod ptp sort squeeze std sum swapaxes transpose var'.split()
} | {'amax': 'max', 'amin': 'min', 'cumulative_sum': 'cumsum', 'cumulative_prod': 'cumprod', 'permute_dims': 'transpose'}

# Methods of ufuncs that are reductions.
_REDUCTIONS = {'add': 'sum', 'multiply': 'prod', 'maximum': 'max', 'minimum': 'min', 'logical_or': 'any', 'logical_and': 'all'}


def is_concerned(args):
    """Returns whether an argument is an array over devices."""
    return any(isinstance(value, DistributedArray) for value in args)


def _check_operands(name, args):
    for value in args:
        if isinstance(value, (cuprum.ndarray, np.ndarray)) and value.ndim > 0:
            where = 'one device' if isinstance(value, cuprum.ndarray) else 'the host'
            raise RuntimeError(
                f'{name}: Mix `cupy.ndarray` with distributed arrays is not supported: an operand is an array of {where}: '
                'distribute it with distributed_array(array, index_map)'
            )


def elementwise(function, args, kwargs, name):
    """Calls an elementwise function for each chunk on its device."""
    kwargs = dict(kwargs)
    out = kwargs.pop('out', None)
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    _check_operands(name, (*args, *kwargs.values()))
    operands = [value for value in args if isinstance(value, DistributedArray)]
    if any(isinstance(value, DistributedArray) for value in kwargs.values()):
        raise NotImplementedError(f'{name}: keyword arguments cannot be arrays over devices: use where(condition, x, y)')
    aligned = DistributedHandle.align([operand._handle for operand in operands])
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    results = None
    is_tuple = False
    for device, index, parts in aligned:
        parts = iter(parts)
        with cuprum.cuda.Device(device):
            result = function(*(next(parts) if isinstance(value, DistributedArray) else value for value in args), **kwargs)
        is_tuple = isinstance(result, tuple)
        listed = result if is_tuple else (result,)
        if results is None:
            results = [[] for _ in listed]
        for chunks, one in zip(results, listed):
            chunks.append((index, one))
    arrays = tuple(DistributedArray._of(DistributedHandle.from_chunks(shape, chunks, 'replica')) for chunks in results)
    if out is not None:
        return _store(name, arrays, out)
    return arrays if is_tuple else arrays[0]


def _store(name, arrays, out):
    """Replaces the elements of output arrays."""
    outs = out if isinstance(out, tuple) else (out,)
    for array, to in zip(arrays, outs):
        if not isinstance(to, DistributedArray):
            raise TypeError(f'{name}: out is a {type(to).__name__}: it must be an array over devices')
        if to.shape != array.shape:
            raise ValueError(f'{name}: out has the shape {to.shape}: {array.shape} is needed')
        if not np.can_cast(array.dtype, to.dtype, 'same_kind'):
            raise np._core._exceptions._UFuncOutputCastingError(getattr(np, name, np.add), 'same_kind', array.dtype, to.dtype, 0)
        to._handle = array.astype(to.dtype)._handle.reshard([(device, index) for device, index, _ in to._handle.chunks()])
    return out


def call_ufunc(ufunc, method, inputs, kwargs):
    """Implements `__array_ufunc__`."""
    name = ufunc.__name__ if hasattr(ufunc, '__name__') else str(ufunc)
    if method == '__call__':
        return call_function(name, inputs, kwargs)
    return call_function(f'{name}.{method}', inputs, kwargs)


def call_function(name, args, kwargs):
    """Calls the function of a name with arrays over devices."""
    name = name.removeprefix('scipy.special.')
    base, _, method = name.partition('.')
    if method == 'reduce' and base in _REDUCTIONS:
        # The first axis, unless one is given.
        return getattr(args[0], _REDUCTIONS[base])(*args[1:], **({'axis': 0} | kwargs if len(args) == 1 else kwargs))
    if method == 'accumulate' and base in ('add', 'multiply'):
        return getattr(args[0], 'cumsum' if base == 'add' else 'cumprod')(*(args[1:] or (kwargs.get('axis', 0),)))
    if name == 'matmul':
        out = kwargs.get('out', args[2] if len(args) > 2 else None)
        return product(*args[:2], out, {key: value for key, value in kwargs.items() if key != 'out'})
    function = None if method else getattr(cuprum, name, None) or getattr(cuprum.scipy.special, name, None)
    if isinstance(function, cuprum.ufunc) or name in _ELEMENTWISE:
        nin = getattr(function, 'nin', len(args))
        if len(args) > nin:
            kwargs = {**kwargs, 'out': args[nin:]}
        if not kwargs and isinstance(function, cuprum.ufunc) and function is getattr(cuprum, name, None):
            # Without options the chunks are computed by one call.
            handle = DistributedHandle.ufunc(name, [getattr(value, '_handle', value) for value in args])
            if handle is not None:
                return DistributedArray._of(handle)
        return elementwise(function, args[:nin], kwargs, name)
    if name in _METHODS and isinstance(args[0], DistributedArray):
        return getattr(args[0], _METHODS[name])(*args[1:], **kwargs)
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*args, **kwargs)
    result = _along.call(name, args, kwargs)
    if result is not NotImplemented:
        return result
    raise NotImplementedError(f'{name}: it is not available for arrays over devices: use to_device() to collect the array on a device, or get() for the host')


def product(a, b, out, kwargs):
    """Multiplies matrices."""
    if kwargs:
        raise TypeError(f'matmul: the keyword {next(iter(kwargs))!r} is not available for arrays over devices')
    _check_operands('matmul', (a, b))
    for operand, name in ((a, 'a'), (b, 'b')):
        if not isinstance(operand, DistributedArray):
            raise TypeError(f'matmul: {name} is a {type(operand).__name__}: it must be an array over devices')
    result = DistributedArray._of(a._handle.matmul(b._handle))
    return result if out is None else _store('matmul', (result,), out)


def reduction_kernel(kernel, args, kwargs):
    """Calls a `ReductionKernel` for each chunk, along axes that chunks hold whole."""
    axis, keepdims = kwargs.get('axis'), kwargs.get('keepdims', False)
    arrays = [value for value in args if isinstance(value, DistributedArray)]
    if kwargs.get('out') is not None:
        raise NotImplementedError(f'{kernel.name}: out is not available for arrays over devices')
    if not isinstance(axis, (int, np.integer)):
        raise RuntimeError(
            f'{kernel.name}: axis is {axis}: a reduction kernel reduces arrays over devices along one axis, whose partial results need no '
            'combination: give an axis, or collect the array with to_device()'
        )
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError(f'{kernel.name}: arrays over devices have the shapes {[array.shape for array in arrays]}: all must be equal')
    _check_operands(kernel.name, args)
    ndim = arrays[0].ndim
    axis = np.lib.array_utils.normalize_axis_index(axis, ndim)
    handles = [array.with_whole_axis(axis)._handle for array in arrays]
    shape = tuple(1 if k == axis else n for k, n in enumerate(arrays[0].shape) if k != axis or keepdims)
    chunks = []
    for device, index, parts in DistributedHandle.align(handles):
        parts = iter(parts)
        with cuprum.cuda.Device(device):
            result = kernel(*(next(parts) if isinstance(value, DistributedArray) else value for value in args), axis=axis, keepdims=keepdims)
        index = tuple(slice(0, 1) if k == axis else s for k, s in enumerate(index) if k != axis or keepdims)
        chunks.append((index, result))
    return DistributedArray._of(DistributedHandle.from_chunks(shape, chunks, 'replica'))


# At the end: these modules call the functions of this one.
from . import _along, _contraction, _selection  # noqa: E402

_FUNCTIONS = {'take': _selection.take, 'compress': _selection.compress, 'nonzero': _selection.nonzero} | _contraction.FUNCTIONS
