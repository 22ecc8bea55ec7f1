"""Tests of xarray and pandas with device arrays."""

import numpy as np
import pytest

import cuprum as cp


class TestXarray:
    @pytest.fixture(autouse=True)
    def xarray(self):
        self.xr = pytest.importorskip('xarray', reason='xarray is not installed: it is not tested around our arrays')
        self.host = np.arange(12.0).reshape(3, 4)
        self.array = self.xr.DataArray(cp.asarray(self.host), dims=('t', 'x'), coords={'t': [10, 20, 30]})

    def same(self, result, expected):
        assert isinstance(result.data, cp.ndarray), type(result.data)
        np.testing.assert_allclose(cp.asnumpy(result.data), expected)

    def test_holds(self):
        assert isinstance(self.array.data, cp.ndarray)
        self.same(self.array.copy(deep=True), self.host)

    def test_arithmetic(self):
        self.same(self.array * 2 + 1, self.host * 2 + 1)
        self.same(np.sqrt(self.array), np.sqrt(self.host))
        self.same(self.array - self.array.mean('t'), self.host - self.host.mean(0))

    @pytest.mark.parametrize('name', ['sum', 'mean', 'std', 'var', 'min', 'max', 'prod', 'count', 'median'])
    def test_reductions(self, name):
        host = self.xr.DataArray(self.host, dims=('t', 'x'))
        self.same(getattr(self.array, name)('x'), getattr(host, name)('x').data)

    def test_selection(self):
        self.same(self.array.sel(t=20), self.host[1])
        self.same(self.array.isel(x=slice(1, 3)), self.host[:, 1:3])
        self.same(self.array.where(self.array > 3, 0), np.where(self.host > 3, self.host, 0))
        self.same(self.array.transpose('x', 't'), self.host.T)

    def test_joining(self):
        self.same(self.xr.concat([self.array, self.array], dim='t'), np.concatenate([self.host] * 2))
        self.same(self.array.stack(all=('t', 'x')), self.host.ravel())

    def test_to_host(self):
        assert isinstance(self.array.copy(data=self.array.data.get()).data, np.ndarray)
        # xarray recognises CuPy's arrays by name; others it copies to the host by a conversion that is rejected here.
        with pytest.raises(TypeError):
            self.array.as_numpy()

    def test_dataset(self):
        data = self.xr.Dataset({'a': self.array, 'b': self.array + 1})
        self.same(data.mean('t')['b'], self.host.mean(0) + 1)

    @pytest.mark.parametrize('value', [5.0, np.float32(5), [1.0, 2.0, 3.0, 4.0]])
    def test_assignment(self, value):
        expected = self.host.copy()
        expected[0] = value
        self.array[{'t': 0}] = cp.asarray(value) if isinstance(value, list) else value
        self.same(self.array, expected)
        self.array.loc[{'t': 20}] = 7.0
        expected[1] = 7
        self.same(self.array, expected)

    def test_vectorized_indexing(self):
        host = self.xr.DataArray(self.host, dims=('t', 'x'))
        rows = self.xr.DataArray(np.array([[0, 2], [1, 1]]), dims=('a', 'b'))
        columns = self.xr.DataArray(np.array([[3, 0], [2, 2]]), dims=('a', 'b'))
        for index in (
            lambda x: x[rows, columns],
            lambda x: x.isel(t=rows),
            lambda x: x.isel(x=columns, t=rows[0]),
            lambda x: x[{'t': [0, 2], 'x': [1, 3]}],
            lambda x: x.isel(t=[2, 0]),
        ):
            result, expected = index(self.array), index(host)
            assert result.dims == expected.dims
            self.same(result, expected.data)
        self.array[rows[0], columns[0]] = 5.0
        host[rows[0], columns[0]] = 5.0
        self.array[{'t': [0, 2], 'x': [1, 3]}] = -1.0
        host[{'t': [0, 2], 'x': [1, 3]}] = -1.0
        self.same(self.array, host.data)

    def test_shown(self):
        assert '(t: 3, x: 4)' in repr(self.array)


class TestPandas:
    @pytest.fixture(autouse=True)
    def pandas(self):
        self.pd = pytest.importorskip('pandas', reason='pandas is not installed: its round trip is not tested')

    def test_there_and_back(self):
        frame = self.pd.DataFrame({'a': [1.5, 2.5], 'b': [3.0, 4.0]})
        a = cp.asarray(frame.to_numpy())
        back = self.pd.DataFrame(cp.asnumpy(a * 2), columns=frame.columns)
        self.pd.testing.assert_frame_equal(back, frame * 2)

    def test_a_column(self):
        column = self.pd.Series([3, 1, 2])
        assert cp.asarray(column).tolist() == [3, 1, 2]
        assert self.pd.Series(cp.sort(cp.asarray(column)).get()).tolist() == [1, 2, 3]

    def test_groups(self):
        frame = self.pd.DataFrame({'key': [0, 1, 0, 2], 'value': [1.0, 2.0, 3.0, 4.0]})
        sums = cp.bincount(cp.asarray(frame['key']), weights=cp.asarray(frame['value']))
        assert sums.tolist() == frame.groupby('key')['value'].sum().tolist()
