"""Tests of the text of arrays against NumPy's, with each of its print options."""

import tracemalloc

import cuprum as cp
import numpy as np
import pytest

RNG = np.random.default_rng(7)
ARRAYS = [
    np.arange(5),
    np.array(2.5),
    np.array(7, 'i4'),
    np.zeros(0),
    np.zeros((0, 3), 'f4'),
    np.zeros((2, 0, 2)),
    np.arange(2000),
    RNG.normal(size=(50, 60)),
    RNG.normal(size=(3, 4, 500)).astype('f4'),
    np.array([1.5, np.nan, -np.inf, -0.0]),
    np.array([1e-9, 1.0, 1e12]),
    np.array([1 + 2j, -0.5j]),
    RNG.normal(size=1500) * (1 + 1j),
    np.array([True, False]),
    np.arange(6, dtype='u1').reshape(2, 3).T,
    np.array([0.1, 2.0], 'f2'),
    np.ones((1001, 2), bool),
    np.ones((1, 1, 2000), 'i2'),
]
OPTIONS = [
    {},
    {'precision': 2},
    {'suppress': True},
    {'threshold': 5},
    {'threshold': 0, 'edgeitems': 1},
    {'linewidth': 30},
    {'sign': '+'},
    {'floatmode': 'fixed', 'precision': 3},
    {'nanstr': '?', 'infstr': 'oo'},
    {'formatter': {'float': lambda x: f'<{x:.1f}>', 'int': lambda n: f'#{n}'}},
    {'legacy': '1.13'},
    {'precision': None},
]


@pytest.mark.parametrize('options', OPTIONS, ids=lambda options: ','.join(options) or 'defaults')
def test_text_is_numpys(options):
    with cp.printoptions(**options):
        for host in ARRAYS:
            a = cp.asarray(host)
            assert repr(a) == repr(host)
            assert str(a) == str(host) == f'{a}'
            assert cp.array_repr(a) == np.array_repr(host) and cp.array_str(a) == np.array_str(host)
            assert cp.array2string(a) == np.array2string(host)


@pytest.mark.parametrize('host', ARRAYS, ids=lambda host: f'{host.dtype}{host.shape}')
def test_functions_of_text(host):
    a = cp.asarray(host)
    assert cp.array_repr(a, 40, 3, True) == np.array_repr(host, 40, 3, True)
    assert cp.array_str(a, 40, 3, True) == np.array_str(host, 40, 3, True)
    for options in (
        {'separator': ', ', 'prefix': 'name = '},
        {'suffix': ';', 'max_line_width': 30},
        {'threshold': 3, 'edgeitems': 1},
        {'precision': 1, 'sign': ' ', 'floatmode': 'maxprec_equal'},
        {'formatter': {'all': str}, 'threshold': 3},
    ):
        assert cp.array2string(a, **options) == np.array2string(host, **options)


def test_only_the_edges_are_transferred():
    a = cp.zeros((1 << 11, 1 << 10))
    expected = repr(np.zeros((1 << 11, 1 << 10)))
    tracemalloc.start()
    try:
        assert repr(a) == expected and len(str(a)) < 1000
        # NumPy counts the memory of its arrays: no copy of 16 MiB is among it.
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_format_is_of_one_element():
    assert f'{cp.array(2.5):.3f}' == '2.500' and f'{cp.array(7):>4d}' == '   7'
    with pytest.raises(TypeError, match='unsupported format string'):
        f'{cp.arange(3):.3f}'


@pytest.mark.parametrize('x', [0.1, 1e20, -2.5, np.float32(0.1), np.float16(3.14), 7, np.inf, np.nan])
def test_text_of_one_float_is_numpys(x):
    for name, options in [
        ('positional', {}),
        ('scientific', {}),
        ('positional', {'precision': 3}),
        ('positional', {'trim': '-', 'sign': True}),
        ('positional', {'unique': False, 'precision': 5, 'pad_left': 8}),
        ('scientific', {'precision': 2, 'exp_digits': 3}),
    ]:
        own, numpys = getattr(cp, f'format_float_{name}'), getattr(np, f'format_float_{name}')
        assert own(x, **options) == own(cp.asarray(x, dtype=np.asarray(x, dtype=getattr(x, 'dtype', float)).dtype), **options) == numpys(x, **options)
