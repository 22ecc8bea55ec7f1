"""Linear filters of `scipy.signal`: rational filters, cascades of sections, both of them forwards and backwards, and what follows from them."""

import math
import operator

import numpy

import cuprum
from cuprum import _cuprum
from cuprum._cuprum.routines.cupyx.scipy.signal import convolve as _convolve

from .._axes import normalize_axis
from ._images import _array

__all__ = [
    'deconvolve',
    'detrend',
    'filtfilt',
    'hilbert',
    'hilbert2',
    'lfilter',
    'lfilter_zi',
    'lfiltic',
    'sosfilt',
    'sosfilt_zi',
    'sosfiltfilt',
    'symiirorder1',
]


def coefficients(c, name):
    """Returns coefficients of a filter as an array of the host. Reading a device array synchronises."""
    c = numpy.atleast_1d(numpy.asarray(cuprum.asnumpy(c) if isinstance(c, cuprum.ndarray) else c))
    if c.ndim != 1 or c.size == 0:
        raise ValueError(f'Parameter {name} is not a non-empty 1d array: its shape is {c.shape}')
    return c


def sections(sos):
    """Returns sections of order 2 as an array of the host."""
    sos = numpy.atleast_2d(numpy.asarray(cuprum.asnumpy(sos) if isinstance(sos, cuprum.ndarray) else sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f'sos array must be 2D with 6 columns, not of shape {sos.shape}')
    if not (sos[:, 3] == 1).all():
        raise ValueError('sos[:, 3] should be all ones')
    return sos


def signal(x):
    """Returns a device array with at least one axis."""
    x = _array(x, 'x')
    if x.ndim == 0:
        raise ValueError('x must be at least 1-D')
    return x


def floating(*dtypes):
    """Returns the dtype of a result."""
    dtype = numpy.result_type(*dtypes)
    return dtype if dtype.kind in 'fcV' else numpy.dtype(float)


def cut(x, axis, *bounds):
    """Returns a slice along an axis."""
    index = [slice(None)] * x.ndim
    index[axis] = slice(*bounds)
    return x[tuple(index)]


def _numbers(*lists):
    """Returns lists of coefficients: numbers, or pairs of the parts of complex ones if one list is complex."""
    if all(c.dtype.kind != 'c' for c in lists):
        return [c.astype(float).tolist() for c in lists]
    return [[(z.real, z.imag) for z in c.astype(complex).tolist()] for c in lists]


def lfilter(b, a, x, axis=-1, zi=None):
    """Filters along an axis by the coefficients of a difference equation; with a state before the first element the result is a pair with the
    state after the last one."""
    b, a, x = coefficients(b, 'b'), coefficients(a, 'a'), signal(x)
    axis = normalize_axis(axis, x.ndim)
    dtypes = [b.dtype, a.dtype, x.dtype]
    if zi is not None:
        zi = cuprum.asarray(zi)
        dtypes.append(zi.dtype)
    dtype = floating(*dtypes)
    out = cuprum.empty(x.shape, dtype)
    if zi is None:
        _cuprum.filter_rational(x, axis, _numbers(b, a), None, out)
        return out
    if zi.ndim != x.ndim:
        raise ValueError(f'zi has {zi.ndim} axes, and x has {x.ndim}')
    states = max(a.size, b.size) - 1
    if zi.shape[axis] != states:
        raise ValueError(f'Unexpected shape for parameter zi: {zi.shape}: {states} elements along axis {axis} are needed')
    last = _cuprum.filter_rational(x, axis, _numbers(b, a), zi.astype(dtype), out)
    return out, last


def lfiltic(b, a, y, x=None):
    """State of `lfilter` after the past results `y` and inputs `x`, the latest first."""
    b, a = coefficients(b, 'b'), coefficients(a, 'a')
    if a[0] == 0:
        raise ValueError('First `a` filter coefficient must be non-zero.')
    n, m = a.size - 1, b.size - 1
    past = [numpy.atleast_1d(numpy.asarray(cuprum.asnumpy(v) if isinstance(v, cuprum.ndarray) else v)) for v in (y, () if x is None else x)]
    dtype = floating(b.dtype, a.dtype, past[0].dtype, *([] if x is None else [past[1].dtype]))
    y, x = (numpy.concatenate([v.astype(dtype), numpy.zeros(max(0, k - v.size), dtype)]) for v, k in zip(past, (n, m)))
    zi = numpy.zeros(max(m, n), dtype)
    for k in range(m):
        zi[k] += (b[k + 1 :] * x[: m - k]).sum()
    for k in range(n):
        zi[k] -= (a[k + 1 :] * y[: n - k]).sum()
    return cuprum.asarray(zi / a[0] if a[0] != 1 else zi)


def _step_state(b, a):
    """State of a filter in which a step has settled."""
    while a.size > 1 and a[0] == 0:
        a = a[1:]
    if a[0] == 0:
        raise ValueError('There must be at least one nonzero `a` coefficient.')
    n = max(a.size, b.size)
    dtype = floating(a.dtype, b.dtype)
    a, b = (numpy.concatenate([c, numpy.zeros(n - c.size)]) / a[0] for c in (a, b))
    # The state z = A z + B with the shift matrix A whose first column is -a[1:].
    matrix = (numpy.eye(n - 1) - numpy.eye(n - 1, k=1)).astype(a.dtype)
    if n > 1:
        matrix[:, 0] += a[1:]
    return numpy.linalg.solve(matrix, b[1:] - a[1:] * b[0]).astype(dtype)


def lfilter_zi(b, a):
    """State of `lfilter` in which a step has settled."""
    return cuprum.asarray(_step_state(coefficients(b, 'b'), coefficients(a, 'a')))


def _step_states(sos):
    states, scale = numpy.empty((len(sos), 2), floating(sos.dtype)), 1.0
    for state, section in zip(states, sos):
        state[...] = scale * _step_state(section[:3], section[3:])
        scale *= section[:3].sum() / section[3:].sum()
    return states


def sosfilt_zi(sos):
    """States of `sosfilt` in which a step has settled."""
    sos = numpy.asarray(cuprum.asnumpy(sos) if isinstance(sos, cuprum.ndarray) else sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f'sos must be shape (n_sections, 6), not {sos.shape}')
    return cuprum.asarray(_step_states(sos))


def sosfilt(sos, x, axis=-1, zi=None):
    """Filters along an axis by a cascade of sections of order 2; with states before the first element the result is a pair with those after
    the last one."""
    x, sos = signal(x), sections(sos)
    axis = normalize_axis(axis, x.ndim)
    dtypes = [sos.dtype, x.dtype]
    if zi is not None:
        zi = cuprum.asarray(zi)
        dtypes.append(zi.dtype)
        shape = (len(sos), *x.shape[:axis], 2, *x.shape[axis + 1 :])
        if zi.shape != shape:
            raise ValueError(f'Invalid zi shape: with axis={axis}, x of shape {x.shape} and {len(sos)} sections it is {shape}, not {zi.shape}')
    dtype = floating(*dtypes)
    out = cuprum.empty(x.shape, dtype)
    last = _cuprum.filter_cascade(x, axis, _numbers(*sos), None if zi is None else zi.astype(dtype), out)
    return out if zi is None else (out, last)


def _edge(padtype, padlen, x, axis, taps):
    """Returns the number of elements by which a signal is continued at both ends."""
    if padtype not in ('even', 'odd', 'constant', None):
        raise ValueError(f"Unknown value '{padtype}' given to padtype: it must be 'even', 'odd', 'constant', or None.")
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    n = x.shape[axis]
    if n <= edge:
        raise ValueError(f'The length of the input vector x must be greater than padlen, which is {edge}.')
    return max(edge, 0)


def _extended(padtype, edge, x, axis):
    """Returns a signal with its continuation at both ends."""
    if edge == 0:
        return x
    n = x.shape[axis]
    first, last = cut(x, axis, 0, 1), cut(x, axis, n - 1, n)
    if padtype == 'constant':
        shape = (*x.shape[:axis], edge, *x.shape[axis + 1 :])
        before, after = cuprum.broadcast_to(first, shape), cuprum.broadcast_to(last, shape)
    else:
        before, after = cut(x, axis, edge, 0, -1), cut(x, axis, n - 2, n - edge - 2 if n - edge >= 2 else None, -1)
        if padtype == 'odd':
            before, after = 2 * first - before, 2 * last - after
    return cuprum.concatenate((before, x, after), axis)


def _padding(padtype, edge):
    """Returns the number of a rule, as that of `FilterPadding`, and that of elements."""
    return {'odd': 0, 'even': 1, 'constant': 2, None: 0}[padtype], edge


# States of a filter that is computed as a scan, with real and with complex coefficients.
_MOST_STATES = (16, 8)


def _is_scan(states, *lists):
    return 0 < states <= _MOST_STATES[any(c.dtype.kind == 'c' for c in lists)]


def _both_ways(run, x, axis, edge):
    """Filters forwards and backwards: `run(signal, its first elements)`."""
    y = run(x, cut(x, axis, 0, 1))
    y = cut(y, axis, None, None, -1)
    y = cut(run(y, cut(y, axis, 0, 1)), axis, None, None, -1)
    return cut(y, axis, edge, y.shape[axis] - edge) if edge else y


def _filtfilt_gust(b, a, x, axis, irlen):
    """Filters forwards and backwards from the states for which the other order has the nearest result (F. Gustafsson, "Determining the Initial
    States in Forward-Backward Filtering", IEEE Transactions on Signal Processing 44(4), 1996). The states are those of a least-squares problem,
    which is solved on the device for all elements or for `irlen` of them at both ends."""
    order = max(b.size, a.size) - 1
    if order == 0:
        return (b[0] / a[0]) ** 2 * x
    lines = cuprum.moveaxis(x, axis, -1)
    n = lines.shape[-1]
    ends = n if irlen is None or n <= 2 * irlen else operator.index(irlen)
    # Results of the states alone: column k is that of a 1 in state k, which is column 0 moved by k elements.
    unit = numpy.zeros(order)
    unit[0] = 1
    column = lfilter(b, a, cuprum.zeros(ends), zi=cuprum.asarray(unit))[0]
    of_states = cuprum.zeros((ends, order), column.dtype)
    for k in range(min(order, ends)):
        of_states[k:, k] = column[: ends - k]
    of_ends = of_states[::-1]
    # The same after the other pass.
    passed = lfilter(b, a, of_ends, 0)
    both = lfilter(b, a, lfilter(b, a, lines)[..., ::-1])[..., ::-1]
    change = lfilter(b, a, lfilter(b, a, lines[..., ::-1])[..., ::-1]) - both
    begin, end = passed[::-1] - of_states, of_ends - passed
    if ends == n:
        matrix, response = cuprum.hstack((begin, end)), cuprum.hstack((passed[::-1], of_ends))
    else:
        # The states of one end have no effect at the other.
        zero = cuprum.zeros_like(begin)
        matrix = cuprum.vstack((cuprum.hstack((begin, zero)), cuprum.hstack((zero, end))))
        response = cuprum.vstack((cuprum.hstack((passed[::-1], zero)), cuprum.hstack((zero, of_ends))))
        change = cuprum.concatenate((change[..., :ends], change[..., n - ends :]), -1)
    rows = change.reshape((-1, change.shape[-1])).T
    states = cuprum.linalg.lstsq(matrix, rows, rcond=numpy.finfo(matrix.dtype).eps)[0]
    added = (response @ states).T.reshape(change.shape).astype(both.dtype)
    if ends == n:
        both += added
    else:
        both[..., :ends] += added[..., :ends]
        both[..., n - ends :] += added[..., ends:]
    return cuprum.moveaxis(both, -1, axis)


def filtfilt(b, a, x, axis=-1, padtype='odd', padlen=None, method='pad', irlen=None):
    """Filters along an axis forwards and backwards by the coefficients of a difference equation, without a shift of phase."""
    b, a, x = coefficients(b, 'b'), coefficients(a, 'a'), _array(x, 'x')
    if method not in ('pad', 'gust'):
        raise ValueError(f"method must be 'pad' or 'gust', not {method!r}")
    axis = normalize_axis(axis, x.ndim)
    if method == 'gust':
        return _filtfilt_gust(b, a, x, axis, irlen)
    edge = _edge(padtype, padlen, x, axis, max(a.size, b.size))
    if a.size > 1 and _is_scan(max(a.size, b.size) - 1, a, b) and a[0] != 0 and a.sum() != 0:
        return _cuprum.filter_rational_twice(x, axis, _numbers(b, a), _padding(padtype, edge), floating(b.dtype, a.dtype, x.dtype))
    extended = _extended(padtype, edge, x, axis)
    state = _step_state(b, a)
    shape = [1] * x.ndim
    shape[axis] = state.size
    state = cuprum.asarray(state.reshape(shape))

    def run(y, first):
        return lfilter(b, a, y, axis, state * first)[0]

    return _both_ways(run, extended, axis, edge)


def sosfiltfilt(sos, x, axis=-1, padtype='odd', padlen=None):
    """Filters along an axis forwards and backwards by a cascade of sections of order 2, without a shift of phase."""
    return both_ways(sections(sos), signal(x), axis, padtype, padlen)


def both_ways(sos, x, axis, padtype='odd', padlen=None, every=1):
    """Filters forwards and backwards by sections that are checked. Results are `every` elements apart."""
    axis = normalize_axis(axis, x.ndim)
    taps = 2 * len(sos) + 1 - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())
    edge = _edge(padtype, padlen, x, axis, int(taps))
    if _is_scan(2 * len(sos), sos) and (sos[:, 3:].sum(1) != 0).all():
        return _cuprum.filter_cascade_twice(x, axis, _numbers(*sos), _padding(padtype, edge), every, floating(sos.dtype, x.dtype))
    extended = _extended(padtype, edge, x, axis)
    shape = [len(sos)] + [1] * x.ndim
    shape[axis + 1] = 2
    state = cuprum.asarray(_step_states(sos).reshape(shape))

    def run(y, first):
        return sosfilt(sos, y, axis, state * first)[0]

    return cut(_both_ways(run, extended, axis, edge), axis, None, None, every)


def deconvolve(signal, divisor):
    """Quotient and remainder of the division of one sequence by another, as of polynomials."""
    num, den = cuprum.atleast_1d(_array(signal, 'signal')), coefficients(divisor, 'divisor')
    if num.ndim != 1 or num.size == 0:
        raise ValueError(f'Parameter signal must be a non-empty 1d array, but its shape is {num.shape}')
    n = num.size - den.size + 1
    if n < 1:
        return cuprum.asarray([]), num
    quotient = lfilter([1.0], den, num[:n].astype(floating(num.dtype, float)))
    return quotient, num - _convolve(cuprum.asarray(den), quotient, mode='full')


def symiirorder1(signal, c0, z1, precision=-1.0):
    """Filters forwards and backwards by one pole, with mirrored borders: c0 / ((1 - z1 / z) (1 - z1 z)). Rows of a 2-D array are filtered."""
    signal = _array(signal, 'signal')
    if abs(z1) >= 1:
        raise ValueError(f'|z1| must be less than 1.0, not {abs(z1)}')
    rows, dtype = _rows(signal)
    n = rows.shape[1]
    # As many terms as SciPy adds: until a power of the pole is below the precision.
    precision = precision if 0 < precision <= 1 else 1e-6 if dtype.itemsize // (1 + (dtype.kind == 'c')) == 4 else 1e-11
    terms = 1 if z1 == 0 else max(1, math.ceil(math.log(precision) / math.log(abs(z1))))
    if terms >= n:
        raise ValueError('Sum to find symmetric boundary conditions did not converge.')
    powers = cuprum.asarray(z1 ** numpy.arange(1, terms + 1, dtype=float))
    first = rows[:, :1] + (rows[:, :terms] * powers).sum(axis=1, keepdims=True).astype(dtype)
    rest = lfilter([1.0], [1.0, -z1], rows[:, 1:], zi=first * z1)[0]
    forth = cuprum.concatenate((first, rest), 1).astype(dtype)
    last = -c0 / (z1 - 1.0) * forth[:, -1:]
    rest = lfilter([c0], [1.0, -z1], forth[:, -2::-1], zi=last * z1)[0]
    result = cuprum.concatenate((rest[:, ::-1], last), 1).astype(dtype)
    return result[0] if signal.ndim == 1 else result


def _rows(signal):
    """Returns the rows of a signal with one or two axes in a floating-point dtype."""
    if signal.ndim not in (1, 2):
        raise ValueError(f'Input must be 1D or 2D, not {signal.ndim}D')
    dtype = numpy.dtype(numpy.float32) if signal.dtype == numpy.float16 else floating(signal.dtype)
    return signal.astype(dtype).reshape((-1, signal.shape[-1])), dtype


def detrend(data, axis=-1, type='linear', bp=0, overwrite_data=False):
    """Removes the mean or straight lines between break points along an axis."""
    if type not in ('linear', 'l', 'constant', 'c'):
        raise ValueError(f"Trend type must be 'linear' or 'constant', not {type!r}.")
    data = _array(data, 'data')
    if type in ('constant', 'c'):
        return data - cuprum.mean(data, axis, keepdims=True)
    axis = normalize_axis(axis, data.ndim)
    dtype = data.dtype if data.dtype.char in 'dfDF' else numpy.dtype(float)
    n = data.shape[axis]
    bounds = numpy.unique(numpy.concatenate([[0], numpy.atleast_1d(cuprum.asnumpy(bp) if isinstance(bp, cuprum.ndarray) else bp), [n]]))
    if (bounds > n).any():
        raise ValueError('Breakpoints must be less than length of data along given axis.')
    lines = cuprum.moveaxis(data, axis, -1).astype(dtype)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
        part = lines[..., start:stop]
        x = numpy.arange(stop - start) - (stop - start - 1) / 2
        part -= part.mean(axis=-1, keepdims=True)
        if stop - start > 1:
            x = cuprum.asarray(x / math.sqrt((x * x).sum()))
            part -= ((part @ x)[..., None] * x).astype(dtype)
    result = cuprum.moveaxis(lines, -1, axis)
    if overwrite_data and data.dtype == dtype:
        data[...] = result
        return data
    return result


def hilbert(x, N=None, axis=-1):
    """Analytic signal along an axis, whose imaginary part is the Hilbert transform."""
    x = _array(x, 'x')
    if x.dtype.kind == 'c':
        raise ValueError('x must be real.')
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError(f'N must be positive, not {n}.')
    transform = cuprum.fft.fft(x, n, axis)
    parts = cuprum.moveaxis(transform, axis, -1)
    parts[..., 1 : (n + 1) // 2] *= 2
    parts[..., n // 2 + 1 :] = 0
    return cuprum.fft.ifft(transform, axis=axis)


def hilbert2(x, N=None, axes=(-2, -1)):
    """Analytic signal along two axes."""
    x = cuprum.atleast_2d(_array(x, 'x'))
    if x.dtype.kind == 'c':
        raise ValueError('x must be real.')
    if len(axes) != 2:
        raise ValueError(f'axes must be a tuple of length 2, not {axes}')
    if axes[0] == axes[1]:
        raise ValueError(f'axes must contain 2 distinct axes, not {axes}')
    if N is None:
        N = x.shape[axes[0]], x.shape[axes[1]]
    elif isinstance(N, int):
        if N <= 0:
            raise ValueError(f'N must be positive. It is {N}')
        N = N, N
    if len(N) != 2 or min(N) <= 0:
        raise ValueError(f'When given as a tuple, N must hold exactly two positive integers, not {N}')
    transform = cuprum.fft.fft2(x, N, axes)
    for n, axis in zip(N, axes):
        parts, half = cuprum.moveaxis(transform, axis, -1), (n + 1) // 2
        parts[..., 1:half] *= 2
        parts[..., half:] = 0
    return cuprum.fft.ifft2(transform, axes=axes)
