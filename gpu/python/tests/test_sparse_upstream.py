"""Reports of other libraries about sparse arrays, each with an input of our own."""

import cuprum as cp
import cuprum.cupyx.scipy.sparse as sparse
import numpy as np
import pytest

scipy_sparse = pytest.importorskip('scipy.sparse')


def test_sums_of_narrow_integers_and_of_long_axes_do_not_overflow():
    """cupy#4223: `sum` of a matrix raised OverflowError, whose number of elements did not fit 32 bits."""
    n = 70_000
    a = sparse.csr_array((cp.full(n, 255, 'u1'), (cp.arange(n) % 7, cp.arange(n))), shape=(7, n))
    host = scipy_sparse.csr_array((np.full(n, 255, 'u1'), (np.arange(n) % 7, np.arange(n))), shape=(7, n))
    assert int(a.sum()) == host.sum() == 255 * n > 2**24
    np.testing.assert_array_equal(a.sum(axis=1).get(), host.sum(axis=1))
    wide = sparse.coo_array((cp.array([3, 4], 'i1'), (cp.array([0, 1]), cp.array([2**40, 5]))), shape=(2, 2**41))
    assert int(wide.sum()) == 7 and wide.sum(axis=1).tolist() == [3, 4]
    assert wide.tocsr().sum(axis=1).tolist() == [3, 4]


@pytest.mark.parametrize('length', [40, 1500, 5000])
def test_products_of_many_intermediate_ones(length):
    """CUDALibrarySamples#38: a product of sparse matrices needed memory for all intermediate products."""
    rows, columns = np.repeat(np.arange(3), length), np.tile(np.arange(length), 3)
    a = scipy_sparse.csr_array((columns % 5 + 1.0, (rows, columns)), shape=(3, length))
    b = scipy_sparse.csr_array((columns % 3 - 1.0, (columns, (rows + columns) % 4)), shape=(length, 4))
    found, want = sparse.csr_array(a) @ sparse.csr_array(b), a @ b
    np.testing.assert_array_equal(found.toarray().get(), want.toarray())
    # As many entries as the result has, however many the products were.
    assert found.nnz <= 12 and found.data.size == found.indices.size == found.nnz


def test_products_of_many_rows_and_of_rows_that_are_nearly_full():
    """ginkgo#1823 and its repair #1794: a library's workspace for the products of long and of full matrices was larger than any memory."""
    n = 9000
    gradient = scipy_sparse.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n)).tocsr()
    ours = sparse.csr_array(gradient)
    found, want = ours.T.tocsr() @ ours, (gradient.T @ gradient).tocsr()
    assert found.nnz == want.nnz == 3 * n - 2 and abs(found.get() - want).max() == 0
    full = np.arange(90 * 90).reshape(90, 90) % 7 - 3.0
    found = sparse.csr_array(cp.asarray(full)) @ sparse.csr_array(cp.asarray(full.T))
    np.testing.assert_array_equal(found.toarray().get(), full @ full.T)
