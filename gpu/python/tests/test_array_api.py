"""Tests of the array API standard 2025.12: names, signatures, and results compared with array-api-strict."""

import inspect
import random

import numpy as np
import pytest

import cuprum as cp

strict = pytest.importorskip('array_api_strict', reason='array-api-strict is not installed: the standard is not held')

if hasattr(strict, 'set_array_api_strict_flags'):
    strict.set_array_api_strict_flags(api_version='2025.12')

DTYPES = {
    'bool': ['bool'],
    'int': ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'],
    'float': ['float32', 'float64'],
    'complex': ['complex64', 'complex128'],
}
REAL = ('int', 'float')
NUMERIC = ('int', 'float', 'complex')
FLOATING = ('float', 'complex')
SHAPES = [(), (1,), (4,), (2, 3), (3, 1, 2), (0,), (2, 0)]

UNARY = {
    'abs': NUMERIC,
    'acos': FLOATING,
    'acosh': FLOATING,
    'asin': FLOATING,
    'asinh': FLOATING,
    'atan': FLOATING,
    'atanh': FLOATING,
    'bitwise_invert': ('bool', 'int'),
    'ceil': REAL,
    'conj': FLOATING,
    'cos': FLOATING,
    'cosh': FLOATING,
    'exp': FLOATING,
    'expm1': FLOATING,
    'floor': REAL,
    'imag': ('complex',),
    'isfinite': NUMERIC,
    'isinf': NUMERIC,
    'isnan': NUMERIC,
    'log': FLOATING,
    'log10': FLOATING,
    'log1p': FLOATING,
    'log2': FLOATING,
    'logical_not': ('bool',),
    'negative': NUMERIC,
    'positive': NUMERIC,
    'real': NUMERIC,
    'reciprocal': FLOATING,
    'round': NUMERIC,
    'sign': NUMERIC,
    'signbit': ('float',),
    'sin': FLOATING,
    'sinh': FLOATING,
    'sqrt': FLOATING,
    'square': NUMERIC,
    'tan': FLOATING,
    'tanh': FLOATING,
    'trunc': REAL,
}
BINARY = {
    'add': NUMERIC,
    'atan2': ('float',),
    'bitwise_and': ('bool', 'int'),
    'bitwise_or': ('bool', 'int'),
    'bitwise_xor': ('bool', 'int'),
    'bitwise_left_shift': ('int',),
    'bitwise_right_shift': ('int',),
    'copysign': ('float',),
    'divide': FLOATING,
    'equal': NUMERIC,
    'floor_divide': REAL,
    'greater': REAL,
    'greater_equal': REAL,
    'hypot': ('float',),
    'less': REAL,
    'less_equal': REAL,
    'logaddexp': ('float',),
    'logical_and': ('bool',),
    'logical_or': ('bool',),
    'logical_xor': ('bool',),
    'maximum': REAL,
    'minimum': REAL,
    'multiply': NUMERIC,
    'nextafter': ('float',),
    'not_equal': NUMERIC,
    'pow': NUMERIC,
    'remainder': REAL,
    'subtract': NUMERIC,
}
REDUCTIONS = {
    'max': REAL,
    'min': REAL,
    'sum': NUMERIC,
    'prod': NUMERIC,
    'mean': FLOATING,
    'std': ('float',),
    'var': ('float',),
    'all': ('bool', *NUMERIC),
    'any': ('bool', *NUMERIC),
    'count_nonzero': NUMERIC,
    'argmax': REAL,
    'argmin': REAL,
    'cumulative_sum': NUMERIC,
    'cumulative_prod': NUMERIC,
}


def numbers(dice, shape, dtype):
    """Returns small elements of a shape, so that no integer overflows in only one of the functions."""
    count = int(np.prod(shape, dtype=int))
    if dtype == 'bool':
        return np.array([dice.random() < 0.5 for _ in range(count)], dtype).reshape(shape)
    if 'int' in dtype:
        low = 0 if dtype.startswith('u') else -3
        return np.array([dice.randint(low, 5) for _ in range(count)], dtype).reshape(shape)
    draw = lambda: dice.choice([0.25, 0.5, -0.75, 1.5, -2.0, 3.0])
    values = [complex(draw(), draw()) if 'complex' in dtype else draw() for _ in range(count)]
    return np.array(values, dtype).reshape(shape)


def of_kinds(kinds):
    return [dtype for kind in kinds for dtype in DTYPES[kind]]


def judge(name, ours, theirs):
    """Compares one result with that of array-api-strict."""
    if isinstance(theirs, (tuple, list)):
        assert isinstance(ours, (tuple, list)) and len(ours) == len(theirs), name
        for one, other in zip(ours, theirs):
            judge(name, one, other)
        return
    if not isinstance(theirs, type(strict.asarray(0))):
        assert ours == theirs, name
        return
    assert isinstance(ours, cp.ndarray), f'{name} gives {type(ours)}'
    expected = np.asarray(theirs._array)
    assert ours.shape == expected.shape, name
    assert ours.dtype == expected.dtype, name
    eps = np.finfo(expected.dtype).eps if expected.dtype.kind in 'fc' else 0
    np.testing.assert_allclose(cp.asnumpy(ours), expected, rtol=64 * eps, atol=64 * eps, err_msg=name)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all='ignore'):
        yield


def call_both(name, arrays, *args, **kw):
    """Calls a function of both namespaces, with host arrays converted; both must return the same, or both raise."""
    functions = getattr(cp, name), getattr(strict, name)
    results = []
    for xp, function in zip((cp, strict), functions):
        operands = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
        try:
            results.append(function(*operands, *args, **kw))
        except (TypeError, ValueError, IndexError) as error:
            results.append(error)
    ours, theirs = results
    if isinstance(theirs, Exception):
        # array-api-strict rejects calls that the standard leaves undefined; accepting more is also correct.
        return
    if isinstance(ours, Exception):
        raise AssertionError(f'{name} is rejected: {ours}') from ours
    judge(name, ours, theirs)


def skip_unless_there(name):
    """Skips a test whose function is not implemented yet: tensor products only."""
    if name == 'tensordot' and not hasattr(cp, name):
        pytest.skip('there is no tensordot yet')


@pytest.mark.parametrize('name', sorted(UNARY))
def test_unary(name):
    dice = random.Random(name)
    for dtype in of_kinds(UNARY[name]):
        call_both(name, [numbers(dice, dice.choice(SHAPES), dtype)])


@pytest.mark.parametrize('name', sorted(BINARY))
def test_binary(name):
    dice = random.Random(name)
    for kind in BINARY[name]:
        for dtype in DTYPES[kind]:
            other = dice.choice(DTYPES[kind])
            if {dtype, other} & {'uint64'} and not {dtype, other} <= set(DTYPES['int'][4:]):
                # The standard defines no common dtype.
                other = dtype
            shapes = dice.choice([((2, 3), (3,)), ((), (4,)), ((2, 1), (1, 3)), ((0,), (1,)), ((5,), (5,))])
            a, b = numbers(dice, shapes[0], dtype), numbers(dice, shapes[1], other)
            if name in ('floor_divide', 'remainder', 'pow', 'bitwise_left_shift', 'bitwise_right_shift'):
                # The results of a division by 0 and of a negative exponent are undefined.
                b = abs(b) + (b == 0).astype(other)
            call_both(name, [a, b])


@pytest.mark.parametrize('name', sorted(REDUCTIONS))
def test_reduction(name):
    dice = random.Random(name)
    for k, dtype in enumerate(of_kinds(REDUCTIONS[name])):
        # The axes are the same code for all dtypes.
        for shape in [(2, 3), (4,), (3, 1, 2)][: 3 if k < 2 else 1]:
            a = numbers(dice, shape, dtype)
            call_both(name, [a], axis=dice.randrange(-len(shape), len(shape)))
            if not name.startswith('cumulative'):
                call_both(name, [a])
                call_both(name, [a], axis=0, keepdims=True)
    if name.startswith('cumulative'):
        call_both(name, [np.arange(6.0).reshape(2, 3)], axis=1, include_initial=True)
    if name in ('sum', 'prod', 'cumulative_sum'):
        call_both(name, [np.arange(6, dtype='int8').reshape(2, 3)], axis=0)
    if name in ('std', 'var'):
        call_both(name, [np.arange(6.0)], correction=1.0)


CALLS = [
    ('concat', lambda xp, a: xp.concat([a, a], axis=1)),
    ('concat', lambda xp, a: xp.concat((a, a), axis=None)),
    ('expand_dims', lambda xp, a: xp.expand_dims(a, axis=1)),
    ('flip', lambda xp, a: xp.flip(a, axis=0)),
    ('flip', lambda xp, a: xp.flip(a)),
    ('moveaxis', lambda xp, a: xp.moveaxis(a, 0, 1)),
    ('permute_dims', lambda xp, a: xp.permute_dims(a, (1, 0))),
    ('repeat', lambda xp, a: xp.repeat(a, 2, axis=1)),
    ('reshape', lambda xp, a: xp.reshape(a, (-1,))),
    ('reshape', lambda xp, a: xp.reshape(a, (3, 2), copy=True)),
    ('roll', lambda xp, a: xp.roll(a, 1, axis=0)),
    ('roll', lambda xp, a: xp.roll(a, (1, 2), axis=(0, 1))),
    ('squeeze', lambda xp, a: xp.squeeze(a[:1, :], axis=0)),
    ('stack', lambda xp, a: xp.stack([a, a], axis=-1)),
    ('tile', lambda xp, a: xp.tile(a, (2, 1))),
    ('unstack', lambda xp, a: xp.unstack(a, axis=1)),
    ('broadcast_to', lambda xp, a: xp.broadcast_to(a, (2, 2, 3))),
    ('broadcast_arrays', lambda xp, a: xp.broadcast_arrays(a, a[:1, :])),
    ('take', lambda xp, a: xp.take(a, xp.asarray([1, 0]), axis=0)),
    ('take_along_axis', lambda xp, a: xp.take_along_axis(a, xp.asarray([[1], [0]]), axis=1)),
    ('where', lambda xp, a: xp.where(a > 1, a, -a)),
    ('nonzero', lambda xp, a: xp.nonzero(a)),
    ('searchsorted', lambda xp, a: xp.searchsorted(xp.asarray([1.0, 2.0, 3.0]), xp.asarray([0.5, 2.0]), side='right')),
    ('searchsorted', lambda xp, a: xp.searchsorted(xp.asarray([3.0, 1.0, 2.0]), xp.asarray([0.5, 2.0]), sorter=xp.asarray([1, 2, 0]))),
    ('searchsorted', lambda xp, a: xp.searchsorted(xp.asarray([1.0, 2.0, 3.0]), 2.0, side='right')),
    ('searchsorted', lambda xp, a: xp.searchsorted(xp.asarray([1.0, 2.0, 3.0]), 2)),
    ('isin', lambda xp, a: xp.isin(xp.astype(a, xp.int64), xp.asarray([0, 2]))),
    ('isin', lambda xp, a: xp.isin(xp.astype(a, xp.int64), 2)),
    ('isin', lambda xp, a: xp.isin(2, xp.asarray([2, 3]))),
    ('broadcast_shapes', lambda xp, a: xp.broadcast_shapes((2, 1), (3,), ())),
    ('permute_dims', lambda xp, a: xp.permute_dims(a[None, :, :], (-1, 0, -2))),
    ('sort', lambda xp, a: xp.sort(a, axis=0)),
    ('sort', lambda xp, a: xp.sort(a, descending=True)),
    ('argsort', lambda xp, a: xp.argsort(a, axis=1, stable=True)),
    ('argsort', lambda xp, a: xp.argsort(a, axis=1, descending=True)),
    ('diff', lambda xp, a: xp.diff(a, axis=0, n=1)),
    ('diff', lambda xp, a: xp.diff(a, prepend=a[:, :1])),
    ('clip', lambda xp, a: xp.clip(a, 0.0, 1.0)),
    ('clip', lambda xp, a: xp.clip(a, min=0.5)),
    ('astype', lambda xp, a: xp.astype(a, xp.int32)),
    ('astype', lambda xp, a: xp.astype(a, xp.float64, copy=False)),
    ('matmul', lambda xp, a: xp.matmul(a, xp.matrix_transpose(a))),
    ('matmul', lambda xp, a: a @ a.mT),
    ('tensordot', lambda xp, a: xp.tensordot(a, a, axes=((0,), (0,)))),
    ('vecdot', lambda xp, a: xp.vecdot(a, a)),
    ('unique_all', lambda xp, a: xp.unique_all(a)),
    ('unique_counts', lambda xp, a: xp.unique_counts(a)),
    ('unique_inverse', lambda xp, a: xp.unique_inverse(a)),
    ('unique_values', lambda xp, a: xp.sort(xp.unique_values(a))),
    ('tril', lambda xp, a: xp.tril(a, k=-1)),
    ('triu', lambda xp, a: xp.triu(a, k=1)),
    ('meshgrid', lambda xp, a: xp.meshgrid(a[0, :], a[:, 0], indexing='ij')),
    ('arange', lambda xp, a: xp.arange(1, 7, 2, dtype=xp.float32)),
    ('arange', lambda xp, a: xp.arange(4)),
    ('linspace', lambda xp, a: xp.linspace(0, 1, num=5, endpoint=False)),
    ('eye', lambda xp, a: xp.eye(2, 3, k=1, dtype=xp.int16)),
    ('full', lambda xp, a: xp.full((2,), 3)),
    ('full', lambda xp, a: xp.full((2,), True)),
    ('full_like', lambda xp, a: xp.full_like(a, 2)),
    ('zeros', lambda xp, a: xp.zeros(3, dtype=xp.complex64)),
    ('zeros_like', lambda xp, a: xp.zeros_like(a, dtype=xp.int8)),
    ('ones', lambda xp, a: xp.ones((2, 2))),
    ('ones_like', lambda xp, a: xp.ones_like(a)),
    ('asarray', lambda xp, a: xp.asarray([[1, 2], [3, 4]], dtype=xp.float32)),
    ('asarray', lambda xp, a: xp.asarray(True)),
    ('asarray', lambda xp, a: xp.asarray(a, copy=True)),
    ('asarray', lambda xp, a: xp.asarray(1j)),
    ('can_cast', lambda xp, a: xp.can_cast(xp.int8, xp.int16)),
    ('isdtype', lambda xp, a: [xp.isdtype(xp.float32, kind) for kind in ('real floating', 'integral', ('bool', 'numeric'))]),
    ('finfo', lambda xp, a: [xp.finfo(xp.float32).eps == 2**-23, xp.finfo(xp.float64).bits]),
    ('iinfo', lambda xp, a: [xp.iinfo(xp.int8).max, xp.iinfo(xp.uint16).min]),
    ('operators', lambda xp, a: [a + 1, 1 - a, a * 2.0, a / 2, a // 1, a % 2, a**2, -a, abs(a), a == a, a != 0, a < 1]),
    ('indices', lambda xp, a: [a[0, ...], a[:, ::-1], a[a > 1], a[None, 1, :], a[1, 2], xp.take(a, xp.asarray([1, 0]), axis=1)]),
    ('conversions', lambda xp, a: [float(a[0, 0]), int(a[0, 0]), bool(a[0, 0] > 0), complex(a[1, 1])]),
    ('attributes', lambda xp, a: [a.ndim, a.size, a.shape, a.T, a.mT]),
]


@pytest.mark.parametrize('name, call', CALLS, ids=[f'{name}-{at}' for at, (name, _) in enumerate(CALLS)])
def test_call(name, call):
    skip_unless_there(name)
    a = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, 2.0]])
    theirs = call(strict, strict.asarray(a))
    judge(name, call(cp, cp.asarray(a)), theirs)


def test_several_arrays_are_a_tuple():
    a, info = cp.ones((2, 1)), cp.__array_namespace_info__()
    for several in (
        cp.broadcast_arrays(a, cp.ones(3)),
        cp.broadcast_arrays(),
        cp.meshgrid(a[0], a[1]),
        cp.meshgrid(),
        cp.unstack(a),
        cp.nonzero(a),
        info.devices(),
    ):
        assert type(several) is tuple


def test_expand_dims_takes_several_axes():
    a = np.ones((2, 3))
    for axes in [(0, -1), (1, 2), (-1, -2), ()]:
        assert cp.expand_dims(cp.asarray(a), axis=axes).shape == np.expand_dims(a, axes).shape
    with pytest.raises(ValueError):
        cp.expand_dims(cp.asarray(a), axis=(0, 0))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 2.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize('name', sorted({**UNARY, **BINARY}))
def test_special_values(name):
    """Returns signed zeros, infinities and NaN, for which the standard defines special cases of each function:
    NumPy's values."""
    kinds = {**UNARY, **BINARY}[name]
    x = np.array(SPECIAL)
    hosts = [x] if name in UNARY else [part.ravel().copy() for part in np.meshgrid(x, x)]
    if not set(kinds) & {'float'}:
        hosts = []
    both = [hosts] if hosts else []
    if name in UNARY and 'complex' in kinds and name != 'round':
        both.append([np.array([complex(re, im) for re in SPECIAL for im in SPECIAL])])
    for operands in both:
        expected = np.asarray(getattr(np, name)(*operands))
        result = getattr(cp, name)(*map(cp.asarray, operands)).get()
        # The standard leaves signs undefined for NaN, and those of zeros compared with zeros.
        open_signs = np.isnan(expected) | np.any([np.isnan(x) for x in operands], axis=0)
        if name in ('maximum', 'minimum'):
            open_signs |= (operands[0] == 0) & (operands[1] == 0)
        for part in (np.real, np.imag):
            ours, theirs = part(result), part(expected)
            np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-12, atol=1e-15)
            decided = ~open_signs & ((theirs == 0) == (ours == 0))
            np.testing.assert_array_equal(np.signbit(ours[decided]), np.signbit(theirs[decided]))


@pytest.mark.parametrize(
    'name',
    sorted(name for name in strict.__all__ if not name.startswith('_') and callable(getattr(strict, name)) and inspect.isfunction(getattr(strict, name))),
)
def test_names(name):
    """Tests that each function of the standard exists and accepts the standard's parameters by name."""
    if name in ('get_array_api_strict_flags', 'reset_array_api_strict_flags', 'set_array_api_strict_flags'):
        return
    skip_unless_there(name)
    ours = getattr(cp, name)
    try:
        have = inspect.signature(ours)
    except ValueError:
        return
    if any(p.kind is p.VAR_KEYWORD for p in have.parameters.values()):
        return
    wanted = inspect.signature(getattr(strict, name))
    missing = [p.name for p in wanted.parameters.values() if p.kind is p.KEYWORD_ONLY and p.name not in have.parameters]
    assert not missing, f'{name}{have} does not take {missing}'


def test_namespace():
    a = cp.zeros(2)
    assert a.__array_namespace__() is cp
    for version in ('2021.12', '2022.12', '2023.12', '2024.12', '2025.12'):
        assert a.__array_namespace__(api_version=version) is cp
    with pytest.raises(ValueError):
        a.__array_namespace__(api_version='1999.12')
    assert cp.__array_api_version__ == '2025.12'


def test_info():
    info, theirs = cp.__array_namespace_info__(), strict.__array_namespace_info__()
    assert info.capabilities()['boolean indexing'] and info.capabilities()['data-dependent shapes']
    assert info.default_device() in info.devices()
    assert set(info.default_dtypes(device=info.default_device())) == set(theirs.default_dtypes())
    for kind in (None, 'bool', 'signed integer', 'integral', 'numeric', ('bool', 'real floating')):
        assert info.dtypes(kind=kind) == {name: np.dtype(name) for name in theirs.dtypes(kind=kind)}
    with pytest.raises(ValueError):
        info.dtypes(kind='text')


def test_devices():
    device = cp.__array_namespace_info__().default_device()
    a = cp.ones((2, 2), device=device)
    assert a.device == device
    assert a.to_device(device).device == device
    for made in (
        cp.arange(3, device=device),
        cp.asarray([1], device=device),
        cp.empty(2, device=device),
        cp.empty_like(a, device=device),
        cp.eye(2, device=device),
        cp.full(2, 1, device=device),
        cp.full_like(a, 1, device=device),
        cp.linspace(0, 1, 3, device=device),
        cp.ones_like(a, device=device),
        cp.zeros(2, device=device),
        cp.zeros_like(a, device=device),
    ):
        assert made.device == device


def test_constants():
    assert (cp.e, cp.pi, cp.inf, cp.newaxis) == (np.e, np.pi, np.inf, None) and np.isnan(cp.nan)


def test_from_dlpack():
    a = cp.arange(3)
    assert cp.from_dlpack(a).tolist() == [0, 1, 2]


MATRICES = np.arange(1.0, 19).reshape(2, 3, 3)
LINALG = [
    ('eig', lambda xp, a: xp.sort(xp.abs(xp.linalg.eig(a).eigenvalues))),
    ('eigvals', lambda xp, a: xp.sort(xp.abs(xp.linalg.eigvals(a)))),
    (
        'eig',
        lambda xp, a: xp.abs(
            xp.matmul(xp.astype(a, xp.complex128), xp.linalg.eig(a).eigenvectors) - xp.linalg.eig(a).eigenvectors * xp.linalg.eig(a).eigenvalues[:, None, :]
        ),
    ),
    ('cross', lambda xp, a: xp.linalg.cross(a[0, ...], a[1, ...])),
    ('diagonal', lambda xp, a: xp.linalg.diagonal(a, offset=1)),
    ('trace', lambda xp, a: xp.linalg.trace(a)),
    ('matmul', lambda xp, a: xp.linalg.matmul(a, a)),
    ('matrix_transpose', lambda xp, a: xp.linalg.matrix_transpose(a)),
    ('outer', lambda xp, a: xp.linalg.outer(a[0, 0, :], a[0, :, 1])),
    ('vecdot', lambda xp, a: xp.linalg.vecdot(a, a)),
    ('vector_norm', lambda xp, a: xp.linalg.vector_norm(a)),
    ('vector_norm', lambda xp, a: xp.linalg.vector_norm(a, axis=1, ord=1)),
    ('vector_norm', lambda xp, a: xp.linalg.vector_norm(a, axis=(0, 2), keepdims=True)),
    ('vector_norm', lambda xp, a: xp.linalg.vector_norm(a, keepdims=True, ord=float('inf'))),
    ('matrix_norm', lambda xp, a: xp.linalg.matrix_norm(a)),
    ('matrix_norm', lambda xp, a: xp.linalg.matrix_norm(a, keepdims=True)),
]


@pytest.mark.parametrize('name, call', LINALG, ids=[f'{name}-{at}' for at, (name, _) in enumerate(LINALG)])
def test_linalg(name, call):
    judge(name, call(cp, cp.asarray(MATRICES)), call(strict, strict.asarray(MATRICES)))


def test_vecdot_options():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3) + 1j
    ours = cp.vecdot(cp.asarray(b), cp.asarray(a))
    np.testing.assert_allclose(ours.get(), np.vecdot(b, a))
    out = cp.zeros((2, 1))
    assert cp.vecdot(cp.asarray(a), cp.asarray(a), out, keepdims=True) is out
    np.testing.assert_allclose(out.get(), np.vecdot(a, a)[:, None])
    assert cp.vecdot(cp.asarray(a), cp.asarray(a), dtype='f4').dtype == np.float32
    for rejected in (lambda xp: xp.vecdot(xp.ones(2), xp.ones(3)), lambda xp: xp.vecdot(xp.ones(2), xp.ones(2), dtype='i4')):
        for xp in (cp, np):
            with pytest.raises((ValueError, TypeError)):
                rejected(xp)
