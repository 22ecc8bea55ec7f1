"""Tests of structured dtypes, datetime64 and timedelta64 against NumPy."""

import copy
import datetime
import itertools
import pickle

import numpy as np
import pytest

import cuprum as cp
from same import on_host, same

DAYS = np.array(['2020-01-01', 'NaT', '1969-07-20', '2024-02-29'], 'M8[D]')
SECONDS = DAYS.astype('M8[s]') + np.array([5, 6, 7, 8], 'm8[s]')
SPANS = np.array([5, -7, 'NaT', 0], 'm8[s]')
RECORDS = np.array(
    [(1, 2.5, (1, 2, 3), '2020-01-01'), (4, 5.5, (4, 5, 6), 'NaT'), (1, 2.5, (1, 2, 3), '2020-01-01')],
    np.dtype([('a', 'i4'), ('b', 'f8'), ('p', 'f4', (3,)), ('d', 'M8[D]')], align=True),
)
PACKED = np.array([(1, 2.5), (3, 4.5)], [('a', 'i1'), ('b', 'f8')])
NESTED = np.array([((1, 2.5), b'x'), ((3, 4.5), b'yz')], [('n', [('i', 'i8'), ('f', 'f8')]), ('s', 'S8')])
ALL = {'days': DAYS, 'seconds': SECONDS, 'spans': SPANS, 'records': RECORDS, 'packed': PACKED, 'nested': NESTED}
DATES = {'days': DAYS, 'seconds': SECONDS, 'spans': SPANS, 'pair': SPANS[:2]}


def equal(got, expected):
    """Fails if dtype, shape or values differ; padding bytes are ignored."""
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            equal(one, other)
        return
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, cp.ndarray), type(got)
    equal_on_host(np.asarray(on_host(got)), np.asarray(expected))


def equal_on_host(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, got.shape)
    if expected.dtype.names is None:
        np.testing.assert_array_equal(got, expected)
        return
    for name in expected.dtype.names:
        equal_on_host(got[name], expected[name])


def written(a, key, value):
    new = a.copy()
    new[key] = value
    return new


CALLS = {
    'asarray': lambda xp, a: a,
    'copy': lambda xp, a: a.copy(),
    'backwards': lambda xp, a: a[::-1],
    'copy of a view': lambda xp, a: a[::-1].copy(),
    'element': lambda xp, a: a[1],
    'new axis': lambda xp, a: a[None, ..., None],
    'indices': lambda xp, a: a[xp.asarray([1, 0, 1])],
    'mask': lambda xp, a: a[xp.arange(len(a)) != 1],
    'indices of axes': lambda xp, a: xp.stack([a, a])[xp.asarray([1, 0]), ..., xp.asarray([0, 1])],
    'list': lambda xp, a: a[[1, 0]],
    'transposed': lambda xp, a: a.reshape(-1, 1).T,
    'ravel': lambda xp, a: a.reshape(1, -1).T.ravel(),
    'attributes': lambda xp, a: [a.shape, a.strides, a.itemsize, a.nbytes, a.size, a.ndim, len(a)],
    'zeros_like': lambda xp, a: xp.zeros_like(a),
    'zeros': lambda xp, a: xp.zeros((2, 3), a.dtype),
    'ones': lambda xp, a: xp.ones(2, a.dtype),
    'full': lambda xp, a: xp.full((2, 2), a[0], a.dtype),
    'empty_like': lambda xp, a: xp.empty_like(a).shape,
    'full_like': lambda xp, a: xp.full_like(a, a[1]),
    'array': lambda xp, a: xp.array(a, ndmin=2),
    'concatenate': lambda xp, a: xp.concatenate([a, a[:1]]),
    'stack': lambda xp, a: xp.stack([a, a], axis=-1),
    'roll': lambda xp, a: xp.roll(a, 1),
    'flip': lambda xp, a: xp.flip(a),
    'tile': lambda xp, a: xp.tile(a, (2, 2)),
    'take': lambda xp, a: xp.take(a, xp.asarray([1, 1])),
    'repeat': lambda xp, a: a.repeat(2),
    'broadcast_to': lambda xp, a: xp.broadcast_to(a, (2, len(a))),
    'array_split': lambda xp, a: xp.array_split(a, 2),
    'where': lambda xp, a: xp.where(xp.arange(len(a)) > 0, a, a[0]),
    'expand_dims': lambda xp, a: xp.expand_dims(a, (0, -1)),
    'moveaxis': lambda xp, a: xp.moveaxis(xp.stack([a, a]), 0, 1),
    'bytes': lambda xp, a: a.view('u1').shape,
    'order F': lambda xp, a: xp.zeros((2, 3), a.dtype, order='F').strides,
    'order K': lambda xp, a: xp.stack([a, a]).T.copy('K').strides,
    'empty': lambda xp, a: a[:0],
    'write an element': lambda xp, a: written(a, 0, a[1]),
    'write at indices': lambda xp, a: written(a, xp.asarray([0, 1]), a[:2][::-1]),
    'write to all': lambda xp, a: written(a, ..., a[1]),
    'write under a mask': lambda xp, a: written(a, xp.arange(len(a)) > 0, a[0]),
    'equal': lambda xp, a: a == a[0] if a.dtype != NESTED.dtype else 0,
    'not equal': lambda xp, a: a != a[::-1] if a.dtype != NESTED.dtype else 0,
    'copyto': lambda xp, a: (new := a.copy(), xp.copyto(new, a[0]), new)[2],
    'array_equal': lambda xp, a: [xp.array_equal(a, b) for b in (a[:1], a[::-1])] if a.dtype != NESTED.dtype else 0,
    'no reductions of structures': lambda xp, a: a.cumprod(),
    'no sines': lambda xp, a: xp.sin(a),
    'too many axes': lambda xp, a: a[0, 0],
    'out of bounds': lambda xp, a: a[7],
    'no such shape': lambda xp, a: a.reshape(5, 7),
}


@pytest.mark.parametrize('name', CALLS)
def test_any_dtype(name):
    for host in ALL.values():
        try:
            expected = CALLS[name](np, host)
        except Exception as error:
            with pytest.raises((TypeError, IndexError, ValueError)):
                CALLS[name](cp, cp.asarray(host))
            assert isinstance(error, (TypeError, IndexError, ValueError))
            continue
        equal(CALLS[name](cp, cp.asarray(host)), expected)


def test_is_an_array():
    for host in ALL.values():
        a = cp.asarray(host)
        assert isinstance(a, cp.ndarray) and cp.get_array_module(a) is cp
        equal(pickle.loads(pickle.dumps(a)), host)
        equal(copy.deepcopy(a), host)
        # Records with subarrays cannot be compared, but their representations can.
        assert repr(a.tolist()) == repr(host.tolist()) or a.dtype.kind in 'Mm' or 'd' in a.dtype.names
        assert repr(a) == repr(host) and a[1:].base is a and a.base is None
        assert a.flags.c_contiguous and a[::2].flags.c_contiguous == host[::2].flags.c_contiguous and cp.may_share_memory(a, a[1:])
        out = np.empty_like(host)
        assert a.get(out=out) is out
        equal_on_host(out, host)
        with pytest.raises(TypeError, match='Implicit conversion'):
            np.asarray(a)


FIELDS = {
    'number': lambda xp, a: a['a'],
    'sum': lambda xp, a: a['b'].sum(),
    'array': lambda xp, a: a['p'][:, 1],
    'date': lambda xp, a: a['d'],
    'several': lambda xp, a: a[['a', 'd']].copy(),
    'of an element': lambda xp, a: a[1]['p'],
    'write': lambda xp, a: [written(a, 'a', 7), written(a, 'd', np.datetime64('2021-05-05')), written(a, 'p', 1.5)],
    'no such field': lambda xp, a: a['z'],
}


@pytest.mark.parametrize('name', FIELDS)
def test_fields(name):
    if name == 'no such field':
        with pytest.raises(ValueError, match='no field'):
            cp.asarray(RECORDS)['z']
        return
    equal(FIELDS[name](cp, cp.asarray(RECORDS)), FIELDS[name](np, RECORDS.copy()))


def test_bytes_between_fields_are_initialised():
    a = cp.empty(2, RECORDS.dtype)
    a['a'], a['b'], a['p'], a['d'] = 1, 2, 3, np.datetime64('2020-01-01')
    assert a.get()['p'].tolist() == [[3, 3, 3]] * 2


def test_fields_are_views():
    a = cp.asarray(RECORDS)
    a['b'] *= 2
    a['p'][:, 0] = 9
    expected = RECORDS.copy()
    expected['b'] *= 2
    expected['p'][:, 0] = 9
    equal(a, expected)
    assert type(a['b']) is cp.ndarray and a['b'].base is a
    assert cp.asarray(NESTED)['n']['f'].tolist() == [2.5, 4.5]


def test_fields_that_are_not_aligned():
    a = cp.asarray(PACKED)
    equal(a['b'], PACKED['b'])
    with pytest.raises(TypeError, match=r'float64 is not supported.*a\.copy\(\)'):
        a['b'] + 1
    equal(a['b'].copy() + 1, PACKED['b'] + 1)
    equal(written(a, 'b', 7), written(PACKED, 'b', 7))
    equal(written(a, 'b', cp.arange(2)), written(PACKED, 'b', np.arange(2)))
    aligned = np.dtype([('a', 'i2'), ('b', 'f4')], align=True)
    equal(a.astype(aligned), PACKED.astype(aligned))


def test_fields_of_the_other_byte_order():
    host = np.array([(1, 2 + 3j), (4, 5 - 6j)], [('a', '>i4'), ('z', '>c16')])
    a = cp.asarray(host)
    equal(a, host)
    for name, dtype in (('a', 'i4'), ('z', 'c16')):
        equal(a[name].astype(dtype), host[name].astype(dtype))
        with pytest.raises(TypeError, match='byte order'):
            a[name] + 1


def test_tuples_are_structures():
    dtype = [('a', 'i4'), ('b', 'f8')]
    for call in (lambda xp: xp.array([(1, 2.0), (3, 4.0)], dtype=dtype), lambda xp: written(xp.zeros(2, dtype), 0, (9, 8.0))):
        equal(call(cp), call(np))


BINARY = [
    'add',
    'subtract',
    'multiply',
    'divide',
    'floor_divide',
    'remainder',
    'maximum',
    'minimum',
    'fmax',
    'fmin',
    'equal',
    'not_equal',
    'less',
    'less_equal',
    'greater',
    'greater_equal',
]
NUMBERS = [np.array([1, 2, 3, 4]), np.array([1.5, -2, np.nan, 0])]


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('name', BINARY)
def test_arithmetic(name):
    dates = [DAYS, SECONDS, SPANS]
    for x, y in itertools.product(dates + NUMBERS, repeat=2):
        if 'M' in x.dtype.kind.upper() + y.dtype.kind.upper():
            same(lambda xp, x, y: getattr(xp, name)(x, y), x, y)


ONE = [
    'negative',
    'absolute',
    'positive',
    'sign',
    'isnat',
    'isfinite',
    'isinf',
    'isnan',
    'max',
    'min',
    'argmax',
    'argmin',
    'sum',
    'mean',
    'ptp',
    'cumsum',
    'diff',
    'sort',
    'argsort',
    'unique',
    'any',
    'all',
    'count_nonzero',
    'sqrt',
    'var',
]


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('name', ONE)
def test_functions_of_dates(name):
    for host in DATES.values():
        try:
            expected = getattr(np, name)(host)
        except TypeError:
            with pytest.raises(TypeError, match=f'{name}: .*use '):
                getattr(cp, name)(cp.asarray(host))
            continue
        if name == 'var':
            continue
        equal(getattr(cp, name)(cp.asarray(host)), expected)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_sign_of_timedeltas_into_an_array():
    spans = np.array([-2, 0, 3, 'NaT'], 'm8[s]')
    for dtype in ('m8[s]', 'm8[D]', 'f8', 'c16'):
        same(lambda xp, x: xp.sign(x, out=xp.zeros(4, dtype)), spans)


CASES = {
    'scalar': lambda xp, a: a + np.timedelta64(3, 'h'),
    'scalar first': lambda xp, a: np.timedelta64(3, 'D') + a,
    'isin': lambda xp, a: xp.isin(a, a[:2]),
    'not in': lambda xp, a: xp.isin(a, np.datetime64('2024-02-29T00'), invert=True),
    'number': lambda xp, a: a + 3,
    'in place': lambda xp, a: a.__iadd__(np.timedelta64(1, 'D')),
    'date': lambda xp, a: a == datetime.date(2020, 1, 1),
    'span': lambda xp, a: (a - a[0]) / np.timedelta64(1, 'h'),
    'product': lambda xp, a: 2.5 * (a - a[0]),
    'quotient': lambda xp, a: (a - a[0]) / 7,
    'as integers': lambda xp, a: a.astype('i8'),
    'bits': lambda xp, a: a.view('i8'),
    'clip': lambda xp, a: xp.clip(a, np.datetime64('2000-01-01'), np.datetime64('2021-01-01')),
    'axis': lambda xp, a: xp.sort(a.reshape(2, 2), axis=0),
    'largest along an axis': lambda xp, a: a.reshape(2, 2).max(axis=1, keepdims=True),
    'nowhere': lambda xp, a: a == (a - a),
    'search': lambda xp, a: xp.searchsorted(xp.sort(a), np.datetime64('2020-06-01')),
    'two dates': lambda xp, a: a + a,
    'another kind': lambda xp, a: a.astype('m8[s]', casting='same_kind'),
    'a sum of dates': lambda xp, a: a.sum(),
    'numpy': lambda xp, a: np.add(np.sort(a), np.timedelta64(1, 'D')),
}


@pytest.mark.parametrize('name', CASES)
def test_dates(name):
    try:
        expected = CASES[name](np, DAYS.copy())
    except TypeError:
        with pytest.raises(TypeError):
            CASES[name](cp, cp.asarray(DAYS))
        return
    equal(CASES[name](cp, cp.asarray(DAYS)), expected)


@pytest.mark.parametrize('unit', ['Y', 'M', 'W', 'D', 'h', 'm', 's', 'ms', 'us', '3D'])
def test_units(unit):
    far = np.arange(-800_000, 800_000, 54_321).astype('M8[D]')
    for host in (DAYS, SECONDS, far):
        there = host.astype(f'M8[{unit}]')
        equal(cp.asarray(host).astype(f'M8[{unit}]'), there)
        equal(cp.asarray(there).astype('M8[D]'), there.astype('M8[D]'))
    if unit not in 'YM':
        equal(cp.asarray(SPANS).astype(f'm8[{unit}]'), SPANS.astype(f'm8[{unit}]'))


RANGES = {
    'days': lambda xp: xp.arange('2020-01', '2020-03', dtype='M8[D]'),
    'weeks': lambda xp: xp.arange(np.datetime64('2020-01-01'), np.datetime64('2020-02-01'), np.timedelta64(7, 'D')),
    'spans': lambda xp: xp.arange(np.timedelta64(5, 's')),
    'texts': lambda xp: xp.array(['2020-01-01', 'NaT'], dtype='M8[s]'),
    'integers': lambda xp: xp.arange(3).view('M8[s]'),
    'cast integers': lambda xp: xp.arange(3).astype('m8[s]'),
    'cast floats': lambda xp: xp.array([1.5, np.nan]).astype('m8[s]'),
    'scalars': lambda xp: xp.asarray([np.datetime64('2020-01-01')]),
    'of a scalar': lambda xp: xp.full(2, np.timedelta64(3, 's')),
    'of the other order': lambda xp: xp.asarray(DAYS.astype('>M8[D]')) == DAYS[0],
}


@pytest.mark.parametrize('name', RANGES)
def test_creation(name):
    equal(RANGES[name](cp), RANGES[name](np))


def test_what_is_not_supported_says_so():
    days, records = cp.asarray(DAYS), cp.asarray(RECORDS)
    for call, words in (
        (lambda: cp.sin(days), r"sin: datetime64\[D\] is not supported: use a.view\('i8'\)"),
        (lambda: cp.linalg.norm(days), r"linalg.norm: datetime64\[D\] is not supported"),
        (lambda: records + 1, r"add: .* is not supported: use its fields: a\['name'\]"),
        (lambda: records.sum(), r"sum: .* is not supported: use its fields"),
        (lambda: records.dot(records), r"dot: .* is not supported"),
        (lambda: days.real, r"real: datetime64\[D\] is not supported"),
        (lambda: cp.arange(3) + records, r"add: .* is not supported"),
        (lambda: cp.ndarray((2,), 'M8[s]'), r'ndarray: Unsupported dtype .*cuprum\.empty'),
        (lambda: cp.sqrt([days]), ''),
        (lambda: cp.random.shuffle(days), r"Unsupported dtype datetime64\[D\]"),
        (lambda: cp.zeros(2, 'S5'), 'Unsupported dtype'),
        (lambda: cp.zeros(2, object), 'Unsupported dtype'),
        (lambda: cp.asarray([object()]), 'Unsupported dtype'),
        (lambda: days.std(), r"std: datetime64\[D\] is not supported"),
        (lambda: np.fft.fft(days), ''),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(IndexError):
        cp.arange(3)[days]
    with pytest.raises(TypeError):
        cp.zeros(2)[:] = days


def test_kernels_take_structures():
    kernel = cp.RawKernel(
        '''struct item { int a; double b; };
        extern "C" __global__ void sum(const item *items, double *out) { out[threadIdx.x] = items[threadIdx.x].a + items[threadIdx.x].b; }''',
        'sum',
    )
    host = np.array([(1, 2.5), (3, 4.5)], np.dtype([('a', 'i4'), ('b', 'f8')], align=True))
    out = cp.zeros(2)
    kernel((1,), (2,), (cp.asarray(host), out))
    assert out.tolist() == [3.5, 7.5]


def test_cuda_array_interface():
    a = cp.asarray(RECORDS)
    if a['a'].device != cp.cuda.Device() or not hasattr(a['a'], '__cuda_array_interface__'):
        assert not hasattr(a, '__cuda_array_interface__')
        return
    interface = a[::2].__cuda_array_interface__
    assert interface['typestr'] == RECORDS.dtype.str and interface['descr'] == RECORDS.dtype.descr
    assert interface['shape'] == (2,) and interface['strides'] == RECORDS[::2].strides

    class Other:
        __cuda_array_interface__ = interface
        owner = a

    equal(cp.asarray(Other()), RECORDS[::2])
