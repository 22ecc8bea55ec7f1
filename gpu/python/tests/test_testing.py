"""Tests of `cuprum.testing`: its assertions fail when they should, and its decorators call the tests correctly."""

import unittest

import numpy as np
import pytest

import cuprum as cp
from cuprum import testing

OURS = [
    'numpy_cupy_allclose',
    'numpy_cupy_array_almost_equal',
    'numpy_cupy_array_almost_equal_nulp',
    'numpy_cupy_array_equal',
    'numpy_cupy_array_less',
    'numpy_cupy_array_list_equal',
    'numpy_cupy_array_max_ulp',
    'numpy_cupy_equal',
    'numpy_cupy_raises',
]


def rejected(match=None):
    return pytest.raises(AssertionError, match=match)


class TestAssertions:
    @pytest.mark.parametrize('left', [np.asarray, cp.asarray])
    @pytest.mark.parametrize('right', [np.asarray, cp.asarray])
    def test_either_side(self, left, right):
        a, b = left([1.0, 2.0]), right([1.0, 2.5])
        testing.assert_array_equal(a, right([1.0, 2.0]))
        testing.assert_allclose(a, b, atol=0.6)
        testing.assert_array_almost_equal(a, b, decimal=0)
        testing.assert_array_almost_equal_nulp(a, right([1.0, 2.0]))
        testing.assert_array_max_ulp(a, right([1.0, 2.0]))
        testing.assert_array_less(a, right([2.0, 3.0]))
        testing.assert_array_list_equal([a], [right([1.0, 2.0])])
        for check in (
            testing.assert_array_equal,
            testing.assert_allclose,
            testing.assert_array_almost_equal,
            testing.assert_array_almost_equal_nulp,
            testing.assert_array_max_ulp,
            testing.assert_array_less,
        ):
            with rejected():
                check(a, b)
        with rejected():
            testing.assert_array_list_equal([a], [b])
        with rejected('lengths'):
            testing.assert_array_list_equal([a], [])

    def test_numbers_and_lists(self):
        testing.assert_array_equal(cp.asarray(3), 3)
        testing.assert_allclose(cp.asarray([1, 2]), [1, 2])

    def test_strict(self):
        with rejected():
            testing.assert_array_equal(cp.zeros(2, 'f4'), np.zeros(2, 'f8'), strict=True)

    def test_strides(self):
        a = np.zeros((2, 3))
        testing.assert_array_equal(cp.asarray(a), a, strides_check=True)
        with rejected('Strides'):
            testing.assert_array_equal(cp.asarray(a), np.asfortranarray(a), strides_check=True)


class TestComparisons:
    @pytest.mark.parametrize('name', OURS)
    def test_both_names(self, name):
        assert getattr(testing, name.replace('cupy', 'cuprum')) is getattr(testing, name)

    def test_called_with_both(self):
        seen = []

        @testing.numpy_cupy_allclose()
        def test(xp):
            seen.append(xp)
            return xp.zeros(2)

        test()
        assert set(seen) == {cp, np}

    def test_other_keyword(self):
        @testing.numpy_cupy_array_equal(name='module')
        def test(module):
            return module.arange(3)

        test()

    @pytest.mark.parametrize(
        'wrong, match',
        [
            (lambda xp: xp.zeros(2) if xp is cp else xp.ones(2), 'Mismatch'),
            (lambda xp: xp.zeros(2, 'f4') if xp is cp else xp.zeros(2), 'dtypes'),
            (lambda xp: xp.zeros(2) if xp is cp else xp.zeros(3), 'Shapes'),
            (lambda xp: xp.zeros(2) if xp is cp else None, 'type'),
            (lambda xp: (xp.zeros(2), xp.zeros(2)) if xp is cp else xp.zeros(2), 'numbers'),
            (lambda xp: xp.asfortranarray(xp.zeros((2, 3))) if xp is cp else xp.zeros((2, 3)), 'contiguous'),
            (lambda xp: 1 / 0, 'Both'),
            (lambda xp: 1 / 0 if xp is cp else xp.zeros(2), 'Only cupy'),
            (lambda xp: xp.zeros(2) if xp is cp else 1 / 0, 'Only numpy'),
        ],
    )
    def test_rejected(self, wrong, match):
        def test(xp):
            return wrong(xp)

        with rejected(match):
            testing.numpy_cupy_allclose()(test)()

    def test_accept_error(self):
        def test(xp):
            raise ValueError(xp.__name__)

        testing.numpy_cupy_allclose(accept_error=True)(test)()
        testing.numpy_cupy_allclose(accept_error=ValueError)(test)()
        testing.numpy_cupy_allclose(accept_error=(TypeError, ValueError))(test)()
        testing.numpy_cupy_raises()(test)()
        with rejected('Both'):
            testing.numpy_cupy_allclose(accept_error=TypeError)(test)()
        with rejected('expected to raise'):
            testing.numpy_cupy_raises()(lambda xp: None)()

    def test_other_error(self):
        def test(xp):
            raise ValueError if xp is cp else TypeError

        with rejected('Different types'):
            testing.numpy_cupy_raises()(test)()

    def test_skips(self):
        def test(xp):
            pytest.skip('no')

        with pytest.raises(pytest.skip.Exception):
            testing.numpy_cupy_allclose()(test)()

        def alone(xp):
            if xp is cp:
                pytest.skip('no')

        with rejected('one side'):
            testing.numpy_cupy_allclose()(alone)()

    def test_tolerances_by_dtype(self):
        @testing.for_dtypes([np.float16, np.float64])
        @testing.numpy_cupy_allclose(rtol={np.float16: 1e-2, 'default': 1e-9})
        def test(xp, dtype):
            return xp.asarray([1.001 if xp is cp and dtype is np.float16 else 1], dtype)

        test()
        with pytest.raises(TypeError):
            testing.numpy_cupy_allclose(rtol={'default': 1}, type_check=False)
        with pytest.raises(TypeError):
            testing.numpy_cupy_allclose(atol={'f': 1})

    def test_negative_numbers_in_unsigned_dtypes(self):
        @testing.numpy_cupy_array_equal()
        def test(xp, one, other):
            return xp.array([3, 7 if xp is cp else 200, 5] if other is np.uint8 else [3, -1, 5], dtype=other)

        test(one=np.int8, other=np.uint8)
        with rejected():
            test(one=np.uint8, other=np.uint8)

    def test_equal_and_lists(self):
        testing.numpy_cupy_equal()(lambda xp: xp.zeros((2, 3)).shape)()
        with rejected():
            testing.numpy_cupy_equal()(lambda xp: xp is cp)()
        testing.numpy_cupy_array_list_equal()(lambda xp: [xp.zeros(2), xp.ones(3)])()
        testing.numpy_cupy_array_less()(lambda xp: xp.zeros(2) if xp is cp else xp.ones(2))()

    def test_scalars(self):
        testing.numpy_cupy_allclose()(lambda xp: 2.5)()
        testing.numpy_cupy_allclose()(lambda xp: np.float32(2))()

    @pytest.mark.parametrize('fixture', [1, 2])
    @testing.numpy_cupy_equal()
    def test_beside_fixtures(self, fixture, xp):
        return xp.zeros(fixture).size


class TestLoops:
    def dtypes(self, decorator):
        seen = []
        decorator(lambda dtype: seen.append(dtype))()
        return seen

    def test_dtypes(self):
        every = self.dtypes(testing.for_all_dtypes())
        assert {np.bool_, np.int8, np.uint64, np.float16, np.complex128} <= set(every)
        fewer = self.dtypes(testing.for_all_dtypes(no_float16=True, no_bool=True, no_complex=True))
        assert not {np.bool_, np.float16, np.complex64} & set(fewer) and np.float32 in fewer
        assert np.float16 in self.dtypes(testing.for_float_dtypes())
        assert self.dtypes(testing.for_float_dtypes(no_float16=True)) == [np.float64, np.float32]
        assert all(np.issubdtype(d, np.signedinteger) for d in self.dtypes(testing.for_signed_dtypes()))
        assert all(np.issubdtype(d, np.unsignedinteger) for d in self.dtypes(testing.for_unsigned_dtypes()))
        assert np.bool_ in self.dtypes(testing.for_int_dtypes())
        assert np.bool_ not in self.dtypes(testing.for_int_dtypes(no_bool=True))
        assert self.dtypes(testing.for_complex_dtypes()) == [np.complex64, np.complex128]
        assert self.dtypes(testing.for_dtypes('bf')) == ['b', 'f']

    def test_combinations(self):
        seen = []
        testing.for_all_dtypes_combination(names=['a', 'b'], full=True)(lambda a, b: seen.append((a, b)))()
        count = len(self.dtypes(testing.for_all_dtypes()))
        assert len(seen) == count**2
        seen.clear()
        testing.for_all_dtypes_combination(names=('a', 'b'))(lambda a, b: seen.append((a, b)))()
        assert len(seen) == count == len({a for a, _ in seen}) == len({b for _, b in seen})
        for decorator in (testing.for_signed_dtypes_combination, testing.for_unsigned_dtypes_combination, testing.for_int_dtypes_combination):
            seen.clear()
            decorator(names=['a', 'b'], full=True)(lambda a, b: seen.append((a, b)))()
            assert len(seen) in (25, 121)

    def test_orders(self):
        seen = []
        testing.for_orders('CF')(lambda order: seen.append(order))()
        testing.for_CF_orders(name='order')(lambda order: seen.append(order))()
        assert seen == ['C', 'F', None, 'C', 'F', 'c', 'f']
        castings = []
        testing.for_castings()(lambda casting: castings.append(casting))()
        assert castings == ['no', 'equiv', 'safe', 'same_kind', 'unsafe']

    @pytest.mark.parametrize('order, expected', [('C', [(2,), (1, 2), (0, 1, 2)]), ('F', [(0,), (0, 1), (0, 1, 2)])])
    def test_contiguous_axes(self, order, expected):
        seen = []

        class Some:
            shape = (2, 3, 4)

            @testing.for_contiguous_axes()
            def run(self, axis):
                seen.append(axis)

        Some.order = order
        Some().run()
        assert seen == expected

    def test_the_failing_value_is_reported(self, capsys):
        @testing.for_dtypes([np.int8])
        def test(dtype):
            raise ValueError

        with pytest.raises(ValueError):
            test()
        assert 'dtype is ' in capsys.readouterr().out


@testing.parameterize(*testing.product({'shape': [(3,), (2, 3)], 'axis': [0, -1]}))
class TestParameterized:
    @testing.numpy_cupy_allclose(rtol=1e-6)
    def test_sum(self, xp):
        return testing.shaped_arange(self.shape, xp).sum(axis=self.axis)

    def test_attributes(self):
        assert self.shape in [(3,), (2, 3)] and self.axis in (0, -1)


@testing.parameterize({'n': 1}, {'n': 2})
class TestParameterizedCase(unittest.TestCase):
    def setUp(self):
        self.twice = 2 * self.n

    @testing.for_orders('CF')
    @testing.numpy_cupy_array_equal()
    def test_it(self, xp, order):
        return xp.zeros((self.n, self.twice), order=order)


def test_every_case_is_a_class():
    names = [name for name in globals() if name.startswith('TestParameterizedCase_param_')]
    assert len(names) == 2


@testing.fix_random()
class TestFixed(unittest.TestCase):
    def test_seed(self):
        assert testing.generate_seed() == np.random.RandomState(99).randint(0xFFFFFFFF, dtype=np.int64)


class TestInputs:
    @testing.for_all_dtypes()
    @testing.for_orders('CF')
    @testing.numpy_cupy_array_equal(strides_check=True)
    def test_arange(self, xp, dtype, order):
        return testing.shaped_arange((2, 3), xp, dtype, order)

    @testing.for_all_dtypes()
    @testing.numpy_cupy_array_equal()
    def test_random(self, xp, dtype):
        return testing.shaped_random((2, 3), xp, dtype, scale=100)

    @testing.for_all_dtypes()
    @testing.numpy_cupy_array_equal()
    def test_others(self, xp, dtype):
        return testing.shaped_reverse_arange((2, 3), xp, dtype), testing.shaped_linspace(0, 5, (6,), xp, dtype)

    def test_values(self):
        assert testing.shaped_arange((2, 2), np).tolist() == [[1, 2], [3, 4]]
        assert testing.shaped_reverse_arange((3,), np).tolist() == [3, 2, 1]
        assert testing.shaped_arange((2,), np, 'F').tolist() == [1 + 1j, 2 + 2j]
        assert testing.empty(np).shape == (0,)

    def test_matrix(self):
        a = testing.generate_matrix((2, 4, 3), cp, np.float64, singular_values=[3, 2, 1])
        np.testing.assert_allclose(np.linalg.svd(cp.asnumpy(a))[1], [[3, 2, 1]] * 2)
        for shape, how, error in (
            ((2, 2), {}, TypeError),
            ((2,), {'singular_values': 1}, ValueError),
            ((2, 2), {'singular_values': -1}, ValueError),
            ((2, 2), {'singular_values': 1, 'dtype': int}, ValueError),
            ((2, 2), {'singular_values': [1, 2, 3]}, ValueError),
        ):
            with pytest.raises(error):
                testing.generate_matrix(shape, np, **how)


class TestHelpers:
    def test_product(self):
        assert testing.product({'a': [1], 'b': [2, 3]}) == [{'a': 1, 'b': 2}, {'a': 1, 'b': 3}]
        assert testing.product([[{'a': 1}], [{'b': 2}, {'b': 3}]]) == testing.product({'a': [1], 'b': [2, 3]})
        assert testing.product_dict([{'a': 1}], [{'b': 2}]) == [{'a': 1, 'b': 2}]
        assert testing.from_pytest_parameterize('a, b', [(1, 2)]) == [{'a': 1, 'b': 2}]

    def test_requirements(self):
        assert testing.installed('numpy>=1.20') and not testing.installed('numpy>=99')
        assert not testing.installed('there-is-no-such-package')
        assert testing.numpy_satisfies('>=1.20')

    @testing.with_requires('numpy>=99')
    def test_never(self):
        raise AssertionError

    def test_multi_gpu(self):
        @testing.multi_gpu(1000)
        def test():
            raise AssertionError

        with pytest.raises(unittest.SkipTest):
            test()

    def test_condition(self):
        calls = []

        @testing.condition.retry(3)
        def test():
            calls.append(1)
            assert len(calls) == 3

        test()
        with rejected('passed'):
            testing.condition.repeat(2)(lambda: (_ for _ in ()).throw(AssertionError('no')))()
        with pytest.raises(ValueError):
            testing.condition.repeat_with_success_at_least(1, 2)

    def test_warnings(self):
        import warnings

        with testing.assert_warns(UserWarning):
            warnings.warn('so')
        with rejected():
            with testing.assert_warns(UserWarning):
                pass

    def test_function_is_called(self):
        with testing.AssertFunctionIsCalled('os.getcwd'):
            import os

            os.getcwd()
        with rejected('0 times'):
            with testing.AssertFunctionIsCalled('os.getcwd'):
                pass


class TestAlias(testing.NumpyAliasBasicTestBase):
    func = 'issubdtype'


class TestAliasValues(testing.NumpyAliasValuesTestBase):
    func = 'issubdtype'
    args = (np.int8, np.integer)
