"""Tests of `einsum` of two tensors: values, dtypes and the order of results in memory, compared with NumPy."""

import cuprum as cp
import numpy as np
import pytest

SIZES = dict(zip('abcdefgijkz', (2, 3, 4, 5, 3, 2, 4, 3, 5, 2, 1)))
# The first ten are those of the benchmark TCCG.
TEXTS = [
    'bda,dc->abc',
    'dca,bd->abc',
    'dbea,ec->abcd',
    'deca,be->abcd',
    'ebad,ce->abcd',
    'efbad,cf->abcde',
    'efcad,bf->abcde',
    'aebf,dfce->abcd',
    'dega,gfbc->abcdef',
    'gdab,efgc->abcdef',
    'ij,jk->ki',
    'ij,bjk->bik',
    'bij,kj->kbi',
    'bij,bjk->kib',
    'bij,j->ib',
    'bij,i->jb',
    'iajb,cjd->dbcai',
    'zij,zjk->kzi',
    'azij,ajk->kazi',
    'ij,kl->jlik',
    'ij,j->ji',
    'aij,a->j',
]


def operands(text, dtype, order):
    """Returns arrays of integers, so that sums are exact in every order of their terms."""
    rng = np.random.default_rng(len(text))
    arrays = []
    for labels in text.split('->')[0].split(','):
        shape = [SIZES.get(label, 3) for label in labels]
        a = rng.integers(-4, 5, [2 * n for n in shape]).astype(dtype)
        if np.issubdtype(dtype, np.complexfloating):
            a = a + 1j * rng.integers(-4, 5, a.shape).astype(dtype)
        a = a.astype(dtype)
        a = {
            'C': lambda a: a[tuple(slice(n) for n in shape)].copy('C'),
            'F': lambda a: a[tuple(slice(n) for n in shape)].copy('F'),
            'strided': lambda a: a[tuple(slice(None, None, 2) for _ in shape)],
            'negative': lambda a: a[tuple(slice(None, None, -2) for _ in shape)],
            'broadcast': lambda a: np.broadcast_to(a[(slice(1), *(slice(n) for n in shape[1:]))], shape),
        }[order](a)
        arrays.append(a)
    return arrays


def on_device(a):
    """Returns an array of the same strides."""
    if a.base is None:
        return cp.asarray(a, order='K')
    if 0 in a.strides:
        return cp.broadcast_to(cp.asarray(a[:1]), a.shape)
    step = 2 if all(s > 0 for s in a.strides) else -2
    whole = cp.zeros([2 * n for n in a.shape], a.dtype)
    view = whole[tuple(slice(None, None, step) for _ in a.shape)]
    view[...] = cp.asarray(a)
    return view


@pytest.mark.parametrize('order', ['C', 'F', 'strided', 'negative', 'broadcast'])
@pytest.mark.parametrize('dtype', ['float32', 'complex128', 'int16', 'bool'])
@pytest.mark.parametrize('text', TEXTS)
def test_values(text, dtype, order):
    arrays = operands(text, np.dtype(dtype), order)
    expected = np.einsum(text, *arrays)
    result = cp.einsum(text, *map(on_device, arrays))
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert np.array_equal(result.get(), expected)


@pytest.mark.parametrize('text', TEXTS)
def test_results_are_dense_in_some_order(text):
    arrays = operands(text, np.dtype('float32'), 'C')
    result = cp.einsum(text, *map(cp.asarray, arrays))
    assert sorted(result.strides)[0] == 4 or result.size == 1
    axes = sorted(range(result.ndim), key=lambda axis: -result.strides[axis])
    assert result.transpose(axes).flags.c_contiguous
    for order, name in (('C', 'c_contiguous'), ('F', 'f_contiguous')):
        ordered = cp.einsum(text, *map(cp.asarray, arrays), order=order)
        assert getattr(ordered.flags, name)
        assert np.array_equal(ordered.get(), result.get())


@pytest.mark.parametrize('text', ['ij,jk->ik', 'ij,jk->ki', 'ij,kj->ki', 'bij,bjk->bik'])
def test_products_that_need_no_copy_are_in_c_order(text):
    arrays = operands(text, np.dtype('float32'), 'C')
    assert cp.einsum(text, *map(cp.asarray, arrays)).flags.c_contiguous


@pytest.mark.parametrize('text', TEXTS[:10])
def test_writes_to_out(text):
    arrays = operands(text, np.dtype('float64'), 'C')
    expected = np.einsum(text, *arrays)
    out = cp.empty(expected.shape, order='F')
    assert cp.einsum(text, *map(cp.asarray, arrays), out=out) is out
    assert np.array_equal(out.get(), expected)
