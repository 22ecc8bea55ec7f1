"""Test utilities: assertions, parametrisation over dtypes and orders, and comparison of a test's results with NumPy
and Cuprum.

A test decorated with `numpy_cupy_allclose` is called twice, with `xp` as NumPy and as this package, and the results
are compared:

>>> from cuprum import testing
>>> @testing.for_float_dtypes()
... @testing.numpy_cupy_allclose(rtol=1e-6)
... def test_mean(xp, dtype):
...     return testing.shaped_arange((2, 3), xp, dtype).mean(axis=0)
>>> test_mean()

The decorators have two names, `numpy_cupy_…` and `numpy_cuprum_…`. They work with functions and methods, under
pytest and under unittest.
"""

from . import _condition as condition
from ._array import *  # noqa: F401,F403
from ._attr import gpu, multi_gpu, slow
from ._compare import *  # noqa: F401,F403
from ._compare import __all__ as _comparisons
from ._condition import repeat, repeat_with_success_at_least, retry
from ._dtypes import *  # noqa: F401,F403
from ._helper import *  # noqa: F401,F403
from ._parameterized import from_pytest_parameterize, parameterize, parameterize_pytest, product, product_dict
from ._random import do_setup, do_teardown, fix_random, generate_seed, random
from . import _attr, _loops, _pytest_impl

globals().update({name.replace('cupy', 'cuprum'): globals()[name] for name in _comparisons})
