"""Tests of CuPy's names and positions of parameters in addition to NumPy's, of explicit defaults, and of forms of
`out`."""

import inspect

import numpy as np
import pytest

import cuprum as cp
from same import same

A = np.array([[3, 1], [2, 5]])
X = np.array([0.0, 1.0, 1.0, 2.0])

# The function, its arguments in NumPy's form, and those in CuPy's.
NAMES = {
    'cov': (lambda xp, **k: xp.cov(**k), {'m': A}, {'a': A}),
    'corrcoef': (lambda xp, **k: xp.corrcoef(**k), {'x': A}, {'a': A, 'bias': None, 'ddof': 1}),
    'concatenate': (lambda xp, **k: xp.concatenate([k.popitem()[1][0]]) if xp is np else xp.concatenate(**k), {'tup': [A]}, {'tup': [A]}),
    'stack': (lambda xp, **k: xp.stack(**k), {'arrays': [A]}, {'tup': [A]}),
    'flip': (lambda xp, **k: xp.flip(**k), {'m': A}, {'a': A}),
    'fliplr': (lambda xp, **k: xp.fliplr(**k), {'m': A}, {'a': A}),
    'flipud': (lambda xp, **k: xp.flipud(**k), {'m': A}, {'a': A}),
    'rot90': (lambda xp, **k: xp.rot90(**k), {'m': A}, {'a': A}),
    'take_along_axis': (lambda xp, **k: xp.take_along_axis(axis=0, **k), {'arr': A, 'indices': A % 2}, {'a': A, 'indices': A % 2}),
    'extract': (lambda xp, **k: xp.extract(**k), {'condition': A > 2, 'arr': A}, {'condition': A > 2, 'a': A}),
    'histogram': (lambda xp, **k: xp.histogram(bins=2, **k), {'a': A}, {'x': A}),
    'ediff1d': (lambda xp, **k: xp.ediff1d(**k), {'ary': A}, {'arr': A}),
    'union1d': (lambda xp, **k: xp.union1d(**k), {'ar1': A, 'ar2': A}, {'arr1': A, 'arr2': A}),
    'intersect1d': (lambda xp, **k: xp.intersect1d(**k), {'ar1': A, 'ar2': A}, {'arr1': A, 'arr2': A}),
    'array': (lambda xp, **k: xp.array(**k), {'object': A}, {'obj': A}),
    'percentile': (lambda xp, **k: xp.percentile(X if xp is np else cp.asarray(X), 40, **k), {'method': 'lower'}, {'interpolation': 'lower'}),
    'quantile': (lambda xp, **k: xp.quantile(X if xp is np else cp.asarray(X), 0.4, **k), {'method': 'higher'}, {'interpolation': 'higher'}),
    'reshape': (lambda xp, **k: xp.reshape(X if xp is np else cp.asarray(X), **k), {'shape': (2, 2)}, {'newshape': (2, 2)}),
    'array_str': (lambda xp, **k: xp.array_str(**k), {'a': A}, {'arr': A}),
    'delete': (lambda xp, **k: xp.delete(arr=k.pop('arr'), axis=0, **k), {'arr': A, 'obj': 0}, {'arr': A, 'indices': 0}),
    'unravel_index': (lambda xp, **k: xp.unravel_index(**k), {'indices': A, 'shape': (3, 3)}, {'indices': A, 'dims': (3, 3)}),
    'matrix_power': (lambda xp, **k: xp.linalg.matrix_power(n=2, **k), {'a': A}, {'M': A}),
    'matrix_rank': (lambda xp, **k: xp.asarray(xp.linalg.matrix_rank(**k)), {'A': A}, {'M': A}),
}


@pytest.mark.parametrize('name', NAMES)
def test_names_of_both(name):
    f, numpy_form, cupy_form = NAMES[name]

    def call(xp):
        form = numpy_form if xp is np else cupy_form
        put = {k: [cp.asarray(a) for a in v] if isinstance(v, list) else cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in form.items()}
        return f(xp, **(form if xp is np else put))

    same(call)


def test_names_of_methods_and_other_modules():
    a = cp.asarray(A)
    a.put(indices=[0], values=[9])
    assert a[0, 0] == 9
    np.testing.assert_allclose(cp.scipy.linalg.expm(a=cp.zeros((2, 2))).get(), np.eye(2))
    assert cp.std(cp.asarray(A), correction=None) == cp.std(cp.asarray(A))
    assert 'introselect' in str(inspect.signature(cp.partition))
    state = cp.random.RandomState(1)
    state.shuffle(a=a)
    assert state.permutation(a=3).shape == (3,)
    y = cp.scipy.special.sph_harm_y(1, 0, cp.ones(2), cp.ones(2), diff_n=0)
    out = cp.empty_like(y)
    assert cp.scipy.special.sph_harm(0, 1, cp.ones(2), cp.ones(2), out=out) is out
    np.testing.assert_array_equal(out.get(), y.get())
    assert cp.scipy.fftpack.fft(cp.ones(4), plan=None).shape == (4,)
    assert cp.scipy.fftpack.get_fft_plan(cp.ones(4, 'c8'), None, None, 'C2C') is not None
    with pytest.raises(TypeError, match='another name'):
        cp.cov(m=a, a=a)


def test_weights_of_histograms_by_either_position():
    x, w = cp.asarray(X), cp.asarray([1.0, 2, 3, 4])
    expected = np.histogram2d(X, X, 2, weights=w.get())[0]
    for found in (cp.histogram2d(x, x, 2, None, w), cp.histogram2d(x, x, 2, None, False, w), cp.histogram2d(x, x, bins=2, range=None, weights=w)):
        np.testing.assert_array_equal(found[0].get(), expected)
    points = cp.stack([x, x], axis=1)
    for found in (cp.histogramdd(points, 2, None, w), cp.histogramdd(points, 2, None, None, w)):
        np.testing.assert_array_equal(found[0].get(), expected)
    np.testing.assert_array_equal(cp.histogram2d(x, x)[0].get(), np.histogram2d(X, X)[0])


@pytest.mark.parametrize('name', ['argmax', 'argmin', 'nanargmax', 'nanargmin'])
def test_positions_of_a_dtype(name):
    a, out = cp.asarray(A, dtype='d'), cp.zeros(2, int)
    f, expected = getattr(cp, name), getattr(np, name)(A, 0)
    for dtype in ('i1', np.uint8, 'i8', float):
        found = f(a, axis=0, dtype=dtype)
        assert found.dtype == dtype and (found.get() == expected).all()
    assert f(a, 0, 'i2').dtype == 'i2'
    for given in (dict(out=out), dict(out=out, dtype=int)):
        assert f(a, 0, **given) is out and (out.get() == expected).all()
    assert f(a, 0, out) is out and f(a, 0, None, out) is out and f(a, 0, None).dtype == int
    if hasattr(a, name):
        assert getattr(a, name)(dtype='i1').dtype == 'i1' and getattr(a, name)(0, None, out) is out
    assert f(a, axis=0, dtype='i4', keepdims=True).shape == (1, 2)


DEFAULTS = {
    'correlations': lambda xp: xp.corrcoef(xp.asarray(A), rowvar=None),
    'covariance': lambda xp: xp.cov(xp.asarray(A), y=None, bias=False, ddof=None, fweights=None, aweights=None, dtype=None),
    'histogram2d': lambda xp: xp.histogram2d(xp.asarray(X), xp.asarray(X), bins=10, range=None, density=None, weights=None),
    'histogramdd': lambda xp: xp.histogramdd((xp.asarray(X), xp.asarray(X)), bins=10, range=None, density=None, weights=None)[0],
    'histogram': lambda xp: xp.histogram(xp.asarray(X), bins=10, range=None, density=None, weights=None),
    'endpoint': lambda xp: xp.linspace(0, 1, 5, endpoint=None),
    'degrees of freedom': lambda xp: xp.std(xp.asarray(A), ddof=0, keepdims=False, out=None, dtype=None),
}


@pytest.mark.parametrize('name', DEFAULTS)
def test_defaults_by_name(name):
    same(DEFAULTS[name], rtol=1e-14)


AXES = {
    'sum': lambda xp: xp.sum(xp.asarray(A), axis=[0, 1]),
    'maximum': lambda xp: xp.max(xp.asarray(A), axis=[0]),
    'nanmean': lambda xp: xp.nanmean(xp.asarray(A), axis=[0]),
    'count': lambda xp: xp.count_nonzero(xp.asarray(A), axis=[0]),
    'norm': lambda xp: xp.linalg.norm(xp.asarray(A), axis=[0, 1]),
    'squeeze': lambda xp: xp.squeeze(xp.asarray(A)[None], axis=[0]),
    'method': lambda xp: xp.asarray(A).all(axis=[0]),
    'ufunc': lambda xp: xp.add.reduce(xp.asarray(A), axis=[0]),
    'flip': lambda xp: xp.flip(xp.asarray(A), axis=[0, 1]),
    'median': lambda xp: xp.median(xp.asarray(A), axis=[0, 1]),
    'no axis of a real transform': lambda xp: xp.fft.rfftn(xp.ones((2, 3)), axes=()),
    'no axis back': lambda xp: xp.fft.irfft2(xp.ones((2, 3)), axes=()),
}


@pytest.mark.parametrize('name', AXES)
def test_axes_as_in_numpy(name):
    same(AXES[name])


OUT = {
    'dot of another dtype': lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((3, 4)), out=xp.ones((2, 4), 'f')),
    'dot in Fortran order': lambda xp: xp.ones((2, 3)).dot(xp.ones((3, 4)), out=xp.ones((2, 4), order='F')),
    'strided dot': lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((3, 4)), out=xp.ones((2, 8))[:, ::2]),
    'dot of another shape': lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((3, 4)), out=xp.ones((2, 5))),
    'dot': lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((3, 4)), out=xp.ones((2, 4))),
    'deviation': lambda xp: xp.std(xp.ones((1, 3)), axis=0, mean=xp.ones((1, 3)), out=xp.ones((2, 3))),
    'nanvar': lambda xp: xp.nanvar(xp.ones((1, 3)), axis=0, mean=xp.ones((1, 3)), out=xp.ones((2, 3))),
    'covariance of integers': lambda xp: xp.cov(xp.array([[0, 1, 2], [5, 6, 8]]), dtype=int),
    'covariance of booleans': lambda xp: xp.cov(xp.array([[0, 1, 2], [5, 6, 8]]), dtype=bool),
    'correlation of integers': lambda xp: xp.corrcoef(xp.array([[0, 1, 2], [5, 6, 8]]), dtype=int),
}


@pytest.mark.parametrize('name', OUT)
def test_out_and_dtype_as_in_numpy(name):
    same(OUT[name])


def test_sums_over_axes_that_are_not_there():
    for axis in (2, -3, 4):
        with pytest.raises(np.exceptions.AxisError):
            cp.apply_over_axes(cp.sum, cp.ones((5, 2)), axis)
    with pytest.raises(np.exceptions.AxisError):
        cp.apply_over_axes(cp.sum, cp.array(7), 0)
    same(lambda xp: xp.apply_over_axes(xp.sum, xp.ones((5, 2)), [0, -1]))


def test_the_table_of_arrays(capsys):
    cp.who({})
    assert capsys.readouterr().out.splitlines()[-1].split() == 'Upper bound on total bytes = 0'.split()
    cp.who({'x': cp.ones(10), 'y': cp.ones((2, 3), 'f4'), 'other': 5})
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ['Name', 'Shape', 'Bytes', 'Type'] and set(rule) == {'='}
    assert [row.split() for row in rows[:2]] == [['x', '10', '80', 'float64'], ['y', '2', 'x', '3', '24', 'float32']]
    assert len(rows) == 3 and rows[-1].split()[-1] == '104'
