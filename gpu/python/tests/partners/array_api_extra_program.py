"""array-api-extra calls functions of CuPy's namespace where they exist."""

import array_api_extra as xpx
import cupy as cp
import numpy as np
from array_api_compat import array_namespace, is_cupy_array

host, table = np.array([3.0, 1.0, 2.0]), np.arange(12.0).reshape(3, 4)
a, t = cp.asarray(host), cp.asarray(table)
assert is_cupy_array(a) and array_namespace(a).ndarray is cp.ndarray


def same(result, expected):
    if isinstance(expected, tuple):
        assert len(result) == len(expected)
        for one, other in zip(result, expected):
            same(one, other)
        return
    assert isinstance(result, cp.ndarray), type(result)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result.get(), expected, atol=1e-15)


missing = np.array([np.nan, 1.0, 2.0])
m = cp.asarray(missing)
same(xpx.partition(t[:, ::-1], 1, axis=1)[:, 1], np.partition(table[:, ::-1], 1, axis=1)[:, 1])
same(cp.take_along_axis(a, xpx.argpartition(a, 1), 0)[1:2], [2.0])
same(xpx.atleast_nd(a, ndim=3), host[None, None])
same(xpx.cov(t), np.cov(table))
same(xpx.create_diagonal(a, offset=-1), np.diag(host, -1))
same(xpx.deg2rad(a), np.deg2rad(host))
same(xpx.rad2deg(a), np.rad2deg(host))
same(xpx.diag_indices(3, ndim=3, xp=cp), np.diag_indices(3, 3))
same(xpx.tril_indices(3, offset=-1, m=4, xp=cp), np.tril_indices(3, -1, 4))
same(xpx.triu_indices(3, offset=1, m=4, xp=cp), np.triu_indices(3, 1, 4))
same(xpx.unravel_index(cp.asarray([3, 5]), (2, 3)), np.unravel_index([3, 5], (2, 3)))
same(xpx.isclose(a, a * (1 + 1e-9), equal_nan=True), [True] * 3)
same(xpx.isin(a, cp.asarray([1.0]), assume_unique=True, invert=True), [True, False, True])
same(xpx.kron(a, t), np.kron(host, table))
same(xpx.nan_to_num(m, fill_value=7.0), [7.0, 1.0, 2.0])
same(xpx.nanmax(m), 2.0)
same(xpx.nanmin(m, axis=0), 1.0)
same(xpx.nansum(m), 3.0)
same(xpx.pad(t, ((1, 2), (0, 1)), constant_values=5), np.pad(table, ((1, 2), (0, 1)), constant_values=5))
same(xpx.searchsorted(cp.asarray([1.0, 2.0, 3.0]), a, side='right'), [3, 1, 2])
same(xpx.setdiff1d(a, cp.asarray([1.0])), [2.0, 3.0])
same(xpx.sinc(a), np.sinc(host))
same(xpx.union1d(a, cp.asarray([5.0])), [1.0, 2.0, 3.0, 5.0])
same(xpx.one_hot(cp.asarray([0, 2]), 3), np.eye(3)[[0, 2]])
same(xpx.at(a)[cp.asarray([0, 1])].add(1, copy=True), [4.0, 2.0, 2.0])
same(xpx.apply_where(a > 1, a, lambda x: 1 / x, fill_value=0.0), [1 / 3, 0.0, 0.5])
assert xpx.nunique(a).item() == 3
assert xpx.at(a)[0].add(1, copy=False) is a
same(a, [4.0, 1.0, 2.0])
