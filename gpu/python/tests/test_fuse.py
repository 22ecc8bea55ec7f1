"""Tests of fusion: bit-identical with separate calls, as blocks and decorators."""

import threading

import numpy as np
import pytest

import cuprum as cp

X = np.linspace(-3, 3, 60).reshape(5, 12)


def softplus(x):
    return cp.log1p(cp.exp(-cp.abs(x))) + cp.maximum(x, 0)


def chain(x):
    y = cp.where(x > 0, x * 2 - 1, x**2)
    return y.astype('float32') / 3, cp.clip(y, -1, 1) + x, (y > 1) & (x < 2)


def rows(x):
    parts = cp.exp(x - x.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def mixed(x):
    return cp.sqrt(abs(x)) * np.float32(0.1) + cp.arange(x.shape[-1]), -x % 3, x // 0.7, cp.isnan(x) | ~(x > 1)


def written(x):
    x = x.copy()
    y = x + 1
    x += 100
    return y * x, x


PROGRAMS = (softplus, chain, rows, mixed, written)


def bits(result):
    """Returns dtypes, shapes and bytes."""
    parts = result if isinstance(result, tuple) else (result,)
    return [(a.dtype, a.shape, a.get().tobytes()) for a in parts]


@pytest.mark.parametrize('program', PROGRAMS)
@pytest.mark.parametrize('dtype', ['float64', 'float32', 'float16', 'int32'])
@pytest.mark.parametrize('layout', ['whole', 'transposed', 'gaps'])
def test_results_are_the_same_to_the_bit(program, dtype, layout):
    x = cp.asarray(X.astype(dtype))
    x = {'whole': x, 'transposed': x.T, 'gaps': x[:, ::3]}[layout]
    expected = bits(program(x))
    with cp.fuse(wait=True):
        inside = program(x)
    assert bits(inside) == expected
    for decorated in (cp.fuse(program), cp.fuse()(program), cp.fuse(kernel_name='named')(program)):
        assert bits(decorated(x)) == expected
        assert decorated.__name__ == program.__name__


def test_calls_wait():
    a = cp.arange(1000.0)
    before = cp.fuse.memory_stats()
    with cp.fuse():
        b = a * 2 + 1
        c = cp.where(b > 3, b, a)
        during = cp.fuse.memory_stats()
        assert during['pending'] - before['pending'] >= 3
        assert during['pending_bytes'] - before['pending_bytes'] >= 16000
        # Both the array and nothing, twice.
        assert during['held_bytes'] - before['held_bytes'] == 8000
        total = float(c.sum())
        assert total == float(np.where(np.arange(1000) * 2 + 1 > 3, np.arange(1000) * 2 + 1, np.arange(1000)).sum())
    assert cp.fuse.memory_stats() == before
    del b, c
    assert cp.fuse.memory_stats() == before


def reduced(x):
    apart = (x - x[0]) ** 2
    return (
        apart.sum(axis=1),
        abs(x - 1).mean(axis=0),
        cp.argmin(x * x - x),
        cp.where(x > 0, x, 0).max(axis=-1, keepdims=True),
        (x > 1).any(),
        cp.var(x * 2, axis=0, ddof=1),
        cp.sum(x + 1, axis=1, where=x > 0),
        cp.nonzero(x * x > 2)[0],
        x[x + 1 > 0.5],
    )


@pytest.mark.parametrize('dtype', ['float32', 'float16', 'int8'])
@pytest.mark.parametrize('transposed', [False, True])
def test_reductions_read_through_pending_arrays(dtype, transposed):
    x = cp.asarray(X.astype(dtype))
    x = x.T if transposed else x
    expected = bits(reduced(x))
    with cp.fuse(wait=True):
        inside = reduced(x)
    assert bits(inside) == expected
    total, before = (x * 2 + 1).sum(), cp.fuse.memory_stats()
    with cp.fuse():
        assert (x * 2 + 1).sum() == total
        assert cp.fuse.memory_stats() == before


def test_views_of_what_waits():
    a = cp.arange(12.0)
    with cp.fuse():
        b = (a + 1).reshape(3, 4)
        c = b.T[1:] * 2
        d = cp.asarray(b)
        assert d is b
    assert c.get().tolist() == ((np.arange(12.0) + 1).reshape(3, 4).T[1:] * 2).tolist()


def test_scopes_nest_and_end_by_exceptions():
    a = cp.arange(3.0)
    with cp.fuse():
        with cp.fuse():
            b = a + 1
        with pytest.raises(ValueError):
            with cp.fuse():
                a + cp.arange(4.0)
        c = b * 2
    assert c.get().tolist() == [2, 4, 6]
    assert cp.fuse.memory_stats()['pending'] == 0
    with pytest.raises(RuntimeError, match='no scope'):
        cp.fuse().__exit__(None, None, None)


def test_threads_have_scopes_of_their_own():
    a, found = cp.arange(4.0), {}

    def other():
        before = cp.fuse.memory_stats()['pending']
        found['b'] = a + 1
        found['pending'] = cp.fuse.memory_stats()['pending'] - before

    with cp.fuse():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found['pending'] == 0 and found['b'].get().tolist() == [1, 2, 3, 4]
    # A thread may end within a scope.
    thread = threading.Thread(target=lambda: cp.fuse().__enter__())
    thread.start()
    thread.join()


def test_methods_and_names():
    class Layer:
        def __init__(self, scale):
            self.scale = scale

        @cp.fuse
        def call(self, x, shift=0.0):
            """Scales."""
            return x * self.scale + shift

    assert Layer(3.0).call(cp.arange(3.0), shift=1.0).get().tolist() == [1, 4, 7]
    assert Layer.call.__doc__ == 'Scales.'
    assert 'call' in repr(Layer.call)
    Layer.call.clear_cache()
    assert cp.fuse(lambda x: x * 2)(3) == 6
