"""Tests of scalar functions applied to arrays, and of functions over core axes."""

import math

import numpy as np
import pytest

import cuprum as cp
from cuprum.cupyx import GeneralizedUFunc, jit

A = np.arange(12.0).reshape(3, 4)


def clipped(a, b):
    """The difference, or the sum."""
    if a > b:
        return a - b
    return a + b


def polynomial(x):
    y = x
    for i in range(3):
        y = y * x + i
    return y


def power(x, n):
    y = x * 0 + 1
    for i in range(n):
        y = y * x
    return y


def two(a, b):
    if a > b:
        return a, 1
    return b, 0.5


@jit.rawkernel(mode='numpy', device=True)
def doubled(x):
    return x + x


def of_device_function(x):
    return doubled(x) - 1


def of_mathematics(x):
    return math.sqrt(x) if x > 1 else abs(x)


def same(ours, expected):
    if isinstance(expected, tuple):
        return [same(a, b) for a, b in zip(ours, expected, strict=True)]
    expected = np.asarray(expected)
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(ours.get(), expected)


@pytest.mark.parametrize('dtype', ['float64', 'float32', 'int32', 'int64', 'uint8'])
def test_translated_functions_give_what_those_of_the_host_do(dtype):
    a, b = A.astype(dtype), np.array([3, 1, 4, 1], dtype)
    same(cp.vectorize(clipped)(cp.asarray(a), cp.asarray(b)), np.vectorize(clipped, otypes=[dtype])(a, b))
    same(cp.vectorize(clipped, otypes='f')(cp.asarray(a), cp.asarray(b)), np.vectorize(clipped, otypes='f')(a, b))
    same(cp.vectorize(of_device_function)(cp.asarray(a)), (a + a - 1).astype(dtype))


def test_types_meet_in_all_that_is_returned():
    a, b = cp.asarray(A), cp.asarray([3, 1, 4, 1])
    first, second = cp.vectorize(two)(a, b)
    same(first, np.maximum(A, [3, 1, 4, 1]))
    same(second, np.where(A > [3, 1, 4, 1], 1, 0.5))
    with pytest.raises(ValueError, match='1 otypes are given for 2 results'):
        cp.vectorize(two, otypes='f')(a, b)
    same(cp.vectorize(polynomial)(a), ((A * A + 0) * A + 1) * A + 2)
    same(cp.vectorize(of_mathematics)(a), np.vectorize(of_mathematics, otypes='d')(A))
    same(cp.vectorize(clipped)(3, 2.5), np.asarray(0.5))


def test_lambdas_and_functions_of_arrays():
    a = cp.asarray(A)
    same(cp.vectorize(lambda x, y: x * y + 1)(a, 2), A * 2 + 1)
    pair = [cp.vectorize(lambda x: x + 1), cp.vectorize(lambda x: x - 1)]
    same(pair[0](a), A + 1)
    same(pair[1](a), A - 1)
    same(cp.vectorize(abs)(-a), A)
    same(cp.vectorize(cp.negative)(a), -A)
    same(cp.vectorize(lambda x: cp.where(x > 3, x, cp.float64(0)))(a), np.where(A > 3, A, 0.0))


def test_functions_that_are_not_of_elements_are_rejected():
    a = cp.asarray(A)
    with pytest.raises(ValueError, match='is not element by element: of arrays'):
        cp.vectorize(lambda x: x.sum(axis=0))(a)
    with pytest.raises(ValueError, match='is not element by element: of the last'):
        cp.vectorize(lambda x: x - x.mean())(a)
    with pytest.raises(TypeError, match='no function'):
        cp.vectorize(3)
    with pytest.raises(TypeError, match='excluded'):
        cp.vectorize(abs, excluded=[1.5])
    with pytest.raises(ValueError, match='otypes'):
        cp.vectorize(abs, otypes=3)

    def undecided(x):
        if bool(x.any() if hasattr(x, 'any') else x):
            raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        cp.vectorize(undecided)(a)


def test_excluded_arguments_keywords_and_decorators():
    a = cp.asarray(A)

    @cp.vectorize(otypes='f', excluded=['weights'])
    def weighed(x, weights):
        """Doc."""
        total = x * 0
        for weight in weights:
            total = total * x + weight
        return total

    same(weighed(a, weights=[1, 2, 3]), ((A * 0 + 1) * A + 2).astype('f') * 0 + np.polyval([1, 2, 3], A).astype('f'))
    assert weighed.__doc__ == 'Doc.' and weighed.__name__ == 'weighed'
    same(cp.vectorize(clipped)(a, b=2), np.vectorize(lambda a, b: abs(a - b) if a > b else a + b)(A, 2))
    same(cp.vectorize(lambda x, y: x + y[0], excluded={1})(a, [5]), A + 5)
    same(cp.vectorize(power, excluded={1})(a, 3), A**3)
    with pytest.raises(TypeError):
        cp.vectorize(clipped)(a)


def test_signatures_call_with_the_core():
    a, b = cp.asarray(A), cp.asarray([1.0, 2, 3, 4])
    dot = cp.vectorize(lambda x, y: (x * y).sum(), signature='(n),(n)->()')
    same(dot(a, b), A @ [1, 2, 3, 4])
    outer = cp.vectorize(lambda x: (x[::-1], x * 2), signature='(n)->(n),(n)', otypes='fd')
    first, second = outer(a)
    same(first, A[:, ::-1].astype('f'))
    same(second, A * 2)
    empty = cp.vectorize(lambda x: x, signature='(n)->(n)', otypes='f')(cp.zeros((0, 3)))
    assert empty.shape == (0, 3) and empty.dtype == np.float32
    for wrong in (lambda: dot(a, b[:2]), lambda: dot(1, 1), lambda: cp.vectorize(abs, signature='(n->')(a), lambda: dot(cp.zeros((0, 2)), cp.zeros((0, 2)))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        dot(a)


def test_generalised_functions():
    a, b = cp.asarray(A), cp.asarray([1.0, 2, 3, 4])
    dot = GeneralizedUFunc(lambda x, y: (x * y).sum(-1), '(n),(n)->()', supports_batched=True, name='dot', doc='Dot.')
    assert (dot.nin, dot.nout, dot.nargs, dot.__name__, dot.__doc__) == (2, 1, 3, 'dot', 'Dot.')
    same(dot(a, b), np.vecdot(A, [1, 2, 3, 4]))
    cube = np.arange(24.0).reshape(2, 3, 4)
    ours = cp.asarray(cube)
    for how in (
        dict(axes=[1, 1]),
        dict(axes=[(1,), (1,), ()]),
        dict(axes=[1, 1], keepdims=True),
        dict(axes=[1, 1, 0], keepdims=True),
        dict(axis=1),
        dict(axis=1, keepdims=True),
        dict(dtype='float32'),
    ):
        same(dot(ours, ours, **how), np.vecdot(cube, cube, **how))
    out = cp.zeros((5, 2, 3))
    assert dot(ours, ours, out=out) is out
    same(out, np.broadcast_to(np.vecdot(cube, cube), (5, 2, 3)))
    out = cp.zeros((2, 3))
    assert dot(ours, ours, out) is out and dot(ours, ours, out=(out,)) is out
    for how, error in (
        (dict(axes=(1, 1)), TypeError),
        (dict(axes=[1]), ValueError),
        (dict(axes=[1, 1, 0]), ValueError),
        (dict(axes=[(1, 0), 1]), ValueError),
        (dict(axes=[5, 1]), ValueError),
        (dict(axis=1, axes=[1, 1]), TypeError),
        (dict(dtype='i4'), TypeError),
        (dict(out=cp.zeros((2, 4))), ValueError),
        (dict(out=cp.zeros((2, 3), int)), TypeError),
        (dict(out=(None, None)), ValueError),
        (dict(signature='ff->f'), TypeError),
        (dict(casting='none'), ValueError),
    ):
        with pytest.raises(error):
            np.vecdot(cube, cube, **{k: v.get() if isinstance(v, cp.ndarray) else v for k, v in how.items()})
            raise error
        with pytest.raises(error):
            dot(ours, ours, **how)
    with pytest.raises(TypeError, match='operands are taken'):
        dot(a)
    product = GeneralizedUFunc(lambda x, y: x @ y, '(n?,k),(k,m?)->(n?,m?)')
    same(product(ours, cp.ones(4)), cube @ np.ones(4))
    same(product(cp.ones(3), ours), np.ones(3) @ cube)
    with pytest.raises(TypeError, match='axis is for'):
        product(ours, ours, axis=0)
    with pytest.raises(TypeError, match='keepdims'):
        product(ours, ours, keepdims=True)


def test_loops_of_generalised_functions():
    a = cp.asarray(A)
    total = GeneralizedUFunc(lambda x: x.sum(-1), '(n)->()', supports_batched=True, signatures=['f->f', ('d->d', lambda x: x.max(-1))])
    assert total.types == ['f->f', 'd->d']
    same(total(a), A.max(-1))
    same(total(a.astype('f')), A.sum(-1).astype('f'))
    same(total(a, dtype='f'), A.sum(-1).astype('f'))
    same(total(a, signature='f->f'), A.sum(-1).astype('f'))
    with pytest.raises(TypeError, match='no loop'):
        total(a.astype('complex64'))
    with pytest.raises(TypeError, match='cast'):
        total(a, dtype='f', casting='no')
    with pytest.raises(ValueError, match='not a dtype for each'):
        GeneralizedUFunc(abs, '(n)->()', signatures=['dd->d'])

    def raises(x):
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        GeneralizedUFunc(raises, '(n)->()')(a)
