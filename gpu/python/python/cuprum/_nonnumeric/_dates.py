"""Arithmetic of datetime64 and timedelta64: in the int64 in which they are stored, with the rules of NaT. NumPy
determines the units."""

import datetime
import math

import numpy as np

import cuprum

from . import _array
from ._layout import elements

NAT = np.iinfo('i8').min
# NumPy 2.5 changed the dtype of the result.
SIGN_IS_FLOAT = np.sign(np.timedelta64(1, 's')).dtype.kind == 'f'
# Attoseconds of each unit that has a fixed length.
LENGTHS = {'as': 1}
for _unit, _of, _count in (
    ('fs', 'as', 1000),
    ('ps', 'fs', 1000),
    ('ns', 'ps', 1000),
    ('us', 'ns', 1000),
    ('ms', 'us', 1000),
    ('s', 'ms', 1000),
    ('m', 's', 60),
    ('h', 'm', 60),
    ('D', 'h', 24),
    ('W', 'D', 7),
):
    LENGTHS[_unit] = _count * LENGTHS[_of]
MONTHS = {'M': 1, 'Y': 12}
HOST = (np.generic, bool, int, float, datetime.date, datetime.timedelta)

# Days of the first of a month, and months of a day, both counted from 1970-01, in the Gregorian calendar. Years are counted from March, so
# that the leap day is the last of its year, in cycles of 400 years.
_days_of_months = cuprum.ElementwiseKernel(
    'int64 months',
    'int64 days',
    '''long long whole = months >= 0 ? months / 12 : (months - 11) / 12;
    long long month = months - 12 * whole;
    long long year = whole + 1970 - (month < 2);
    long long cycle = (year >= 0 ? year : year - 399) / 400;
    long long of_cycle = year - 400 * cycle;
    long long of_year = (153 * ((month + 10) % 12) + 2) / 5;
    days = cycle * 146097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - 719468;''',
    'days_of_months',
)
_months_of_days = cuprum.ElementwiseKernel(
    'int64 days',
    'int64 months',
    '''long long shifted = days + 719468;
    long long cycle = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    long long of_cycle = shifted - cycle * 146097;
    long long year = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
    long long of_year = of_cycle - (365 * year + year / 4 - year / 100);
    long long month = (5 * of_year + 2) / 153;
    months = (cycle * 400 + year - 1970) * 12 + month + 2;''',
    'months_of_days',
)


def ints(a):
    """Returns the elements as int64: a view, or a copy if they are not aligned."""
    layout = a._layout
    if not (layout.flags.aligned and layout.dtype.isnative):
        return ints(a.copy())
    return elements(a, layout.view('i8'))


def _kept(result, nat):
    """Returns the result, with NaT where a mask is true."""
    return cuprum.where(nat, NAT, result)


def _scaled(values, nat, numerator, denominator):
    common = math.gcd(numerator, denominator)
    numerator, denominator = numerator // common, denominator // common
    if (numerator, denominator) == (1, 1):
        return values
    if max(numerator, denominator) > np.iinfo('i8').max:
        raise OverflowError(f'astype: the units differ by a factor of {max(numerator, denominator)}, which int64 does not hold')
    return _kept(values * numerator // denominator if denominator > 1 else values * numerator, nat)


def astype(a, dtype):
    """Casts dates to another unit, or to numbers."""
    values = ints(a)
    if dtype.kind not in 'Mm':
        return values.astype(dtype)
    if dtype.kind != a.dtype.kind:
        raise _array.unsupported(f'astype to {dtype}', a.dtype)
    (unit, number), (to, to_number) = np.datetime_data(a.dtype), np.datetime_data(dtype)
    if 'generic' in (unit, to) or a.dtype == dtype:
        return values.copy().view(a.dtype if to == 'generic' else dtype)
    nat = values == NAT
    if unit in LENGTHS and to in LENGTHS:
        values = _scaled(values, nat, number * LENGTHS[unit], to_number * LENGTHS[to])
    elif unit in MONTHS and to in MONTHS:
        values = _scaled(values, nat, number * MONTHS[unit], to_number * MONTHS[to])
    elif unit in MONTHS:
        days = _kept(_days_of_months(values * (number * MONTHS[unit])), nat)
        values = _scaled(days, nat, LENGTHS['D'], to_number * LENGTHS[to])
    else:
        days = _scaled(values, nat, number * LENGTHS[unit], LENGTHS['D'])
        values = _scaled(_kept(_months_of_days(days), nat), nat, 1, to_number * MONTHS[to])
    return (values.copy() if values.base is not None else values).view(dtype)


def _operand(value):
    """Returns an operand as an array or a scalar, and its argument for NumPy's promotion."""
    if isinstance(value, cuprum.ndarray):
        return value, value.dtype
    if isinstance(value, (bool, int, float)):
        return value, type(value)
    if isinstance(value, HOST):
        value = value if isinstance(value, np.generic) else np.asarray(value, dtype='m8' if isinstance(value, datetime.timedelta) else 'M8')[()]
        return value, value.dtype
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>: its elements are on the host, make an array of it with cuprum.asarray")
    value = cuprum.asarray(value)
    return value, value.dtype


def _cast(value, dtype):
    """Returns an operand in the dtype of a loop, dates as int64."""
    if dtype.kind in 'Mm':
        if isinstance(value, _array.NonNumericArray):
            return ints(value if value.dtype == dtype else astype(value, dtype))
        if isinstance(value, cuprum.ndarray):
            return value.astype('i8')
        return np.asarray(value, dtype).astype('i8').item()
    if isinstance(value, cuprum.ndarray):
        return value.astype(dtype, copy=False)
    return dtype.type(value).item()


def _is_nat(value, dtype):
    """Returns a mask of the elements of an operand that are NaT; `None` if none can be."""
    if dtype.kind not in 'Mm':
        return None
    return value == NAT


def _either(one, other):
    if one is None or one is False:
        return other
    return one if other is None or other is False else one | other


def _quotient(a, b):
    """Returns the quotient of integers, truncated; NaT for a division by 0."""
    whole = cuprum.abs(a) // cuprum.where(b == 0, 1, abs(b)) if isinstance(b, cuprum.ndarray) else cuprum.abs(a) // (abs(b) or 1)
    return cuprum.where(b == 0, NAT, whole * cuprum.sign(a) * cuprum.sign(b))


def _of_floats(result):
    """Converts floating-point numbers to timedeltas: NaT if they are not finite."""
    finite = cuprum.isfinite(result)
    return cuprum.where(finite, cuprum.where(finite, result, 0).astype('i8'), NAT)


def _multiply(a, b, dtypes):
    if 'f' in (dtypes[0].kind, dtypes[1].kind):
        return _of_floats(a * 1.0 * b)
    return a * b


def _divide(a, b, dtypes):
    if dtypes[2].kind == 'f':
        return a / b
    return _of_floats(a / b) if dtypes[1].kind == 'f' else _quotient(cuprum.asarray(a), cuprum.asarray(b))


def _floor_divide(a, b, dtypes):
    if dtypes[2].kind != 'm':
        return a // b
    return _of_floats(a / b) if dtypes[1].kind == 'f' else _quotient(cuprum.asarray(a), cuprum.asarray(b))


BINARY = {
    'add': lambda a, b, dtypes: a + b,
    'subtract': lambda a, b, dtypes: a - b,
    'multiply': _multiply,
    'divide': _divide,
    'true_divide': _divide,
    'floor_divide': _floor_divide,
    'remainder': lambda a, b, dtypes: cuprum.where(b == 0, NAT, a % b),
    'maximum': lambda a, b, dtypes: cuprum.maximum(a, b),
    'minimum': lambda a, b, dtypes: cuprum.minimum(a, b),
    'fmax': lambda a, b, dtypes: cuprum.maximum(a, b),
    'fmin': lambda a, b, dtypes: cuprum.minimum(a, b),
}
BINARY['mod'] = BINARY['remainder']
COMPARISONS = {
    'equal': lambda a, b: a == b,
    'not_equal': lambda a, b: a != b,
    'less': lambda a, b: a < b,
    'less_equal': lambda a, b: a <= b,
    'greater': lambda a, b: a > b,
    'greater_equal': lambda a, b: a >= b,
}


def _loop(name, types):
    ufunc = getattr(np, name)
    try:
        return ufunc.resolve_dtypes((*types, *[None] * ufunc.nout))
    except TypeError as error:
        shown = ' and '.join(str(t if isinstance(t, np.dtype) else t.__name__) for t in types)
        raise _array.NoLoop(f"{name}: there is no loop for {shown}: use a.view('i8') to compute with the integers of dates") from error


def _write(name, result, out):
    if out is None:
        return result
    out = out[0] if isinstance(out, tuple) else out
    if out.dtype != result.dtype and not np.can_cast(result.dtype, out.dtype, 'same_kind'):
        raise TypeError(f'{name}: a result of {result.dtype} cannot be cast to out of {out.dtype}')
    if np.broadcast_shapes(result.shape, out.shape) != out.shape:
        raise ValueError(f'{name}: a result of shape {result.shape} does not fit in out of shape {out.shape}')
    out[...] = result
    return out


def _options(name, options):
    """Rejects options of ufuncs that are not supported for dates."""
    usual = {'where': True, 'casting': 'same_kind', 'order': 'K', 'dtype': None, 'subok': True, 'signature': None, 'sig': None}
    for option, value in options.items():
        if option not in usual:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
        if value is not usual[option]:
            raise TypeError(f"{name}: the option {option} is not supported for dates: use a.view('i8')")


def _binary(name):
    combine = BINARY[name]

    def function(x1, x2, /, out=None, **options):
        _options(name, options)
        (x1, first), (x2, second) = _operand(x1), _operand(x2)
        dtypes = _loop(name, (first, second))
        a, b = _cast(x1, dtypes[0]), _cast(x2, dtypes[1])
        nats = [_is_nat(value, dtype) for value, dtype in zip((a, b), dtypes)]
        result = combine(a, b, dtypes)
        if name in ('fmax', 'fmin'):
            result = cuprum.where(nats[0], b, cuprum.where(nats[1], a, result))
        elif (nat := _either(*nats)) is not None and nat is not False:
            missing = {'m': NAT, 'M': NAT, 'f': np.nan, 'i': 0}[dtypes[2].kind]
            result = cuprum.where(nat, missing, result)
        return _write(name, result.view(dtypes[2]) if dtypes[2].kind in 'Mm' else result, out)

    return function


def _comparison(name):
    compare = COMPARISONS[name]

    def function(x1, x2, /, out=None, **options):
        _options(name, options)
        (x1, first), (x2, second) = _operand(x1), _operand(x2)
        dtypes = _loop(name, (first, second))
        a, b = _cast(x1, dtypes[0]), _cast(x2, dtypes[1])
        result = compare(a, b)
        nat = _either(*(_is_nat(value, dtype) for value, dtype in zip((a, b), dtypes)))
        if nat is not None and nat is not False:
            result = result | nat if name == 'not_equal' else cuprum.logical_and(result, cuprum.logical_not(nat))
        return _write(name, result, out)

    return function


def _span(name, a):
    if a.dtype.kind != 'm':
        raise TypeError(f"{name}: {a.dtype} is not supported: use a - a[0], a timedelta64, or a.view('i8')")
    return ints(a)


def negative(x, /, out=None, **options):
    """Returns the negative of each timedelta."""
    _options('negative', options)
    return _write('negative', (-_span('negative', x)).view(x.dtype), out)


def positive(x, /, out=None, **options):
    """Returns a copy."""
    _options('positive', options)
    return _write('positive', _span('positive', x).copy().view(x.dtype), out)


def absolute(x, /, out=None, **options):
    """Returns the absolute value of each timedelta; NaT has none but itself, as the smallest integer."""
    _options('absolute', options)
    return _write('absolute', cuprum.abs(_span('absolute', x)).view(x.dtype), out)


def sign(x, /, out=None, **options):
    """Returns the sign of each timedelta as the installed NumPy does: from NumPy 2.5 on float64 with NaN for NaT, before it timedelta64
    with -1 for NaT.
    """
    _options('sign', options)
    signs = cuprum.sign(_span('sign', x))
    if not SIGN_IS_FLOAT:
        return _write('sign', signs.view(x.dtype), out)
    nat, target = ints(x) == NAT, out[0] if isinstance(out, tuple) else out
    if target is not None and target.dtype.kind == 'm':
        return _write('sign', _kept(signs, nat).view(target.dtype), out)
    return _write('sign', cuprum.where(nat, np.nan, signs), out)


def isnat(x, /, out=None, **options):
    """Tests whether each date is NaT."""
    _options('isnat', options)
    return _write('isnat', ints(x) == NAT, out)


def isfinite(x, /, out=None, **options):
    """Tests whether each date is not NaT."""
    _options('isfinite', options)
    return _write('isfinite', ints(x) != NAT, out)


def isinf(x, /, out=None, **options):
    """Returns False everywhere: no date is infinite."""
    _options('isinf', options)
    return _write('isinf', cuprum.zeros(x.shape, bool), out)


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    """Returns the dates limited to an interval."""
    low, high = a_min if min is None else min, a_max if max is None else max
    result = a if low is None else cuprum.maximum(a, low)
    result = result if high is None else cuprum.minimum(result, high)
    return _write('clip', result.copy() if result is a else result, out)


# Reductions.


def _dated(result, dtype, name, out):
    return _write(name, result.view(dtype), out)


def _extreme(name):
    def function(a, axis=None, out=None, keepdims=False):
        values = ints(a)
        result = getattr(cuprum, name)(values, axis=axis, keepdims=keepdims)
        if name == 'max':
            # NaT is the smallest integer, which a minimum finds by itself.
            result = _kept(result, cuprum.any(values == NAT, axis=axis, keepdims=keepdims))
        return _dated(result, a.dtype, name, out)

    return function


def _index_of_extreme(name):
    def function(a, axis=None, out=None, *, keepdims=False):
        values = ints(a)
        if name == 'argmax':
            # The first NaT is the answer: as the largest integer.
            values = values - 1
        return _write(name, getattr(cuprum, name)(values, axis=axis, keepdims=keepdims), out)

    return function


def sum(a, axis=None, dtype=None, out=None, keepdims=False):
    """Returns the sum of timedeltas; NaT if one is NaT."""
    values = _span('sum', a)
    result = cuprum.sum(values, axis=axis, keepdims=keepdims)
    return _dated(_kept(result, cuprum.any(values == NAT, axis=axis, keepdims=keepdims)), a.dtype, 'sum', out)


def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    """Returns the mean of timedeltas, in their unit."""
    _span('mean', a)
    total = sum(a, axis, None, None, keepdims)
    return _write('mean', total / (a.size // max(total.size, 1)), out)


def ptp(a, axis=None, out=None, keepdims=False):
    """Returns the difference of the largest and the smallest date."""
    return _write('ptp', cuprum.max(a, axis=axis, keepdims=keepdims) - cuprum.min(a, axis=axis, keepdims=keepdims), out)


def cumsum(a, axis=None, dtype=None, out=None):
    """Returns the running sum of timedeltas."""
    values = _span('cumsum', a)
    if axis is None:
        values, axis = values.ravel(), 0
    missing = cuprum.cumsum(values == NAT, axis=axis) > 0
    return _dated(_kept(cuprum.cumsum(values, axis=axis), missing), a.dtype, 'cumsum', out)


def diff(a, n=1, axis=-1):
    """Returns the difference of each date and the one before."""
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    for _ in range(n):
        part = lambda ends: a[(slice(None),) * axis + (ends,)]
        a = part(slice(1, None)) - part(slice(None, -1))
    return a


# Order: NaT is the last. As integers one less than they are, NaT is the largest.


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Returns the dates in order, NaT last."""
    return (cuprum.sort(ints(a) - 1, axis=axis) + 1).view(a.dtype)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Returns the indices that sort the dates, NaT last."""
    return cuprum.argsort(ints(a) - 1, axis=axis)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """Returns the dates that occur, in order; NaT once, the last."""
    if not equal_nan or axis is not None:
        raise _array.unsupported('unique with axis or equal_nan=False', ar.dtype)
    result = cuprum.unique(ints(ar) - 1, return_index, return_inverse, return_counts)
    if isinstance(result, tuple):
        return ((result[0] + 1).view(ar.dtype), *result[1:])
    return (result + 1).view(ar.dtype)


def searchsorted(a, v, side='left', sorter=None):
    """Returns the insertion positions of dates in sorted ones."""
    (v, second) = _operand(v)
    dtype = np.result_type(a.dtype, second)
    wanted = _cast(v, dtype)
    wanted = wanted - 1 if isinstance(wanted, cuprum.ndarray) else (wanted - 1 if wanted != NAT else np.iinfo('i8').max)
    return cuprum.searchsorted(_cast(a, dtype) - 1, wanted, side, sorter)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Tests whether each date is among others; NaT is in no array."""
    (element, first), (test_elements, second) = _operand(element), _operand(test_elements)
    dtype = np.result_type(first, second)
    element, test_elements = _cast(element, dtype), _cast(test_elements, dtype)
    found = cuprum.logical_and(cuprum.isin(element, test_elements), element != NAT)
    return cuprum.logical_not(found) if invert else found


def _of_ints(name):
    def function(a, *args, **kwargs):
        return getattr(cuprum, name)(ints(a), *args, **kwargs)

    return function


FUNCTIONS = {
    **{name: _binary(name) for name in BINARY},
    **{name: _comparison(name) for name in COMPARISONS},
    **{name: _of_ints(name) for name in ('all', 'any', 'argwhere', 'count_nonzero', 'flatnonzero', 'nonzero')},
    'absolute': absolute,
    'abs': absolute,
    'negative': negative,
    'positive': positive,
    'sign': sign,
    'isnat': isnat,
    'isnan': isnat,
    'isfinite': isfinite,
    'isinf': isinf,
    'clip': clip,
    'max': _extreme('max'),
    'amax': _extreme('max'),
    'min': _extreme('min'),
    'amin': _extreme('min'),
    'argmax': _index_of_extreme('argmax'),
    'argmin': _index_of_extreme('argmin'),
    'sum': sum,
    'mean': mean,
    'ptp': ptp,
    'cumsum': cumsum,
    'diff': diff,
    'sort': sort,
    'argsort': argsort,
    'unique': unique,
    'searchsorted': searchsorted,
    'isin': isin,
}
