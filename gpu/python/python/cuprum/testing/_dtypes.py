"""Decorators that run a test once for each dtype, memory order, casting rule or set of axes."""

import functools
import inspect
import itertools
import os
import random

import numpy as np

__all__ = [
    'for_CF_orders',
    'for_all_dtypes',
    'for_all_dtypes_combination',
    'for_castings',
    'for_complex_dtypes',
    'for_contiguous_axes',
    'for_dtypes',
    'for_dtypes_combination',
    'for_float_dtypes',
    'for_int_dtypes',
    'for_int_dtypes_combination',
    'for_orders',
    'for_signed_dtypes',
    'for_signed_dtypes_combination',
    'for_unsigned_dtypes',
    'for_unsigned_dtypes_combination',
]

# By letter: `q` is another NumPy type than `l`, though both have 64 bits here.
SIGNED = tuple(np.dtype(letter).type for letter in 'bhilq')
UNSIGNED = tuple(np.dtype(letter).type for letter in 'BHILQ')
INTEGERS = SIGNED + UNSIGNED
WIDE_FLOATS = (np.float64, np.float32)
FLOATS = WIDE_FLOATS + (np.float16,)
COMPLEX = (np.complex64, np.complex128)


def without(func, *names):
    """Returns a decorator that gives a wrapper the metadata of `func`, and hides the parameters `names` from test
    runners.

    pytest treats a visible parameter as a fixture.
    """

    def decorate(wrapper):
        functools.update_wrapper(wrapper, func)
        seen = inspect.signature(func)
        kept = [p for name, p in seen.parameters.items() if name not in names]
        wrapper.__signature__ = seen.replace(parameters=kept)
        return wrapper

    return decorate


def run_for_each(name, values):
    """Returns a decorator that calls a test once for each of `values`, passed as the keyword `name`."""
    values = list(values)

    def decorator(impl):
        @without(impl, name)
        def test_func(*args, **kw):
            for value in values:
                try:
                    impl(*args, **{**kw, name: value})
                except _skipped():
                    raise
                except BaseException:
                    print(f'{name} is {value}')
                    raise

        return test_func

    return decorator


def _skipped():
    """Returns the exceptions that test runners raise to skip a test."""
    import unittest

    kinds = [unittest.SkipTest]
    try:
        import _pytest.outcomes

        kinds.append(_pytest.outcomes.Skipped)
    except ImportError:
        pass
    return tuple(kinds)


def all_dtypes(no_float16=False, no_bool=False, no_complex=False):
    """Returns every dtype, except those that are excluded."""
    return (WIDE_FLOATS if no_float16 else FLOATS) + INTEGERS + (() if no_bool else (np.bool_,)) + (() if no_complex else COMPLEX)


def integer_dtypes(no_bool=False):
    """Returns every integer dtype, and bool."""
    return INTEGERS + (() if no_bool else (np.bool_,))


def for_dtypes(dtypes, name='dtype'):
    """Runs a test for each dtype of a list, passed as the keyword `name`."""
    return run_for_each(name, dtypes)


def for_all_dtypes(name='dtype', no_float16=False, no_bool=False, no_complex=False):
    """Runs a test for bool and for each integer, floating and complex dtype."""
    return for_dtypes(all_dtypes(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name='dtype', no_float16=False):
    """Runs a test for each floating dtype."""
    return for_dtypes(WIDE_FLOATS if no_float16 else FLOATS, name)


def for_signed_dtypes(name='dtype'):
    """Runs a test for each signed integer dtype."""
    return for_dtypes(SIGNED, name)


def for_unsigned_dtypes(name='dtype'):
    """Runs a test for each unsigned integer dtype."""
    return for_dtypes(UNSIGNED, name)


def for_int_dtypes(name='dtype', no_bool=False):
    """Runs a test for each integer dtype, and for bool."""
    return for_dtypes(integer_dtypes(no_bool), name)


def for_complex_dtypes(name='dtype'):
    """Runs a test for each complex dtype."""
    return for_dtypes(COMPLEX, name)


def _pairs(types, names, full):
    """Returns the combinations of dtypes.

    With `full`, they are the Cartesian product. Otherwise there are as many combinations as types, from a
    separately shuffled list per name, so that each type occurs once for each name. The shuffle is seeded by the
    names, so that a test is reproducible. `CUPY_TEST_FULL_COMBINATION=1` selects the product everywhere.
    """
    if full is None:
        full = os.environ.get('CUPY_TEST_FULL_COMBINATION', '0') not in ('', '0')
    if full:
        return [dict(zip(names, row)) for row in itertools.product(types, repeat=len(names))]
    dice = random.Random(','.join(names))
    columns = [dice.sample(list(types), len(types)) for _ in names]
    return [dict(zip(names, row)) for row in dict.fromkeys(zip(*columns))]


def for_dtypes_combination(types, names=('dtype',), full=None):
    """Runs a test for combinations of dtypes, one for each of the keywords `names`."""
    types, names = list(types), list(names)
    combinations = _pairs(types, names, full)

    def decorator(impl):
        @without(impl, *names)
        def test_func(*args, **kw):
            for combination in combinations:
                try:
                    impl(*args, **{**kw, **combination})
                except _skipped():
                    raise
                except BaseException:
                    print(', '.join(f'{name} is {dtype}' for name, dtype in combination.items()))
                    raise

        return test_func

    return decorator


def for_all_dtypes_combination(names=('dtyes',), no_float16=False, no_bool=False, full=None, no_complex=False):
    """Runs a test for combinations of all dtypes."""
    return for_dtypes_combination(all_dtypes(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=('dtype',), full=None):
    """Runs a test for combinations of signed integer dtypes."""
    return for_dtypes_combination(SIGNED, names, full)


def for_unsigned_dtypes_combination(names=('dtype',), full=None):
    """Runs a test for combinations of unsigned integer dtypes."""
    return for_dtypes_combination(UNSIGNED, names, full)


def for_int_dtypes_combination(names=('dtype',), no_bool=False, full=None):
    """Runs a test for combinations of integer dtypes, and bool."""
    return for_dtypes_combination(integer_dtypes(no_bool), names, full)


def for_orders(orders, name='order'):
    """Runs a test for each memory order of a list, passed as the keyword `name`."""
    return run_for_each(name, orders)


def for_CF_orders(name='order'):
    """Runs a test for the memory orders 'C' and 'F'."""
    return for_orders([None, 'C', 'F', 'c', 'f'], name)


def for_castings(castings=None, name='casting'):
    """Runs a test for each casting rule."""
    return run_for_each(name, ['no', 'equiv', 'safe', 'same_kind', 'unsafe'] if castings is None else castings)


def for_contiguous_axes(name='axis'):
    """Runs a test for each set of axes that is contiguous in memory, according to `self.shape` and `self.order`."""

    def decorator(impl):
        @without(impl, name)
        def test_func(self, *args, **kw):
            ndim = len(self.shape)
            if self.order in ('c', 'C'):
                runs = [tuple(range(first, ndim)) for first in reversed(range(ndim))]
            elif self.order in ('f', 'F'):
                runs = [tuple(range(last + 1)) for last in range(ndim)]
            else:
                raise ValueError(f"self.order must be 'C' or 'F', not {self.order!r}")
            for axes in runs:
                try:
                    impl(self, *args, **{**kw, name: axes})
                except _skipped():
                    raise
                except BaseException:
                    print(f'{name} is {axes}, ndim is {ndim}, shape is {self.shape}, order is {self.order}')
                    raise

        return test_func

    return decorator
