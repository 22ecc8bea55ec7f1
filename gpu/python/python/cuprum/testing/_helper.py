"""Inputs for tests, and what tests ask of their surroundings."""

import contextlib
import importlib.metadata
import inspect
import unittest
import unittest.mock
import warnings

import numpy as np

from ._modules import cuprum, sparse_of

__all__ = [
    'AssertFunctionIsCalled', 'NumpyAliasBasicTestBase', 'NumpyAliasTestBase', 'NumpyAliasValuesTestBase', 'NumpyError',
    'assert_warns', 'empty', 'generate_matrix', 'installed', 'numpy_satisfies', 'shaped_arange', 'shaped_linspace',
    'shaped_random', 'shaped_reverse_arange', 'shaped_sparse_random', 'suppress_warnings', 'with_requires',
]


def installed(*specifiers):
    """Whether the packages are installed, in the versions that `specifiers` ask for, such as 'numpy>=2.0'."""
    from packaging.requirements import Requirement
    for specifier in specifiers:
        wanted = Requirement(specifier)
        try:
            have = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if not wanted.specifier.contains(have, prereleases=True):
            return False
    return True


def numpy_satisfies(version_range):
    """Whether NumPy's version is in a range, such as '>=2.0,<3'."""
    return installed(f'numpy{version_range}')


def with_requires(*requirements):
    """Skips a test unless the packages are installed, in the versions that are requested."""
    import pytest
    return pytest.mark.skipif(not installed(*requirements), reason='requires: {}'.format(', '.join(requirements)))


def shaped_arange(shape, xp=cuprum, dtype=np.float32, order='C'):
    """An array with the elements 1, 2, 3 and so on. Complex ones have the same number as their imaginary part; bools alternate."""
    return _shaped(np.arange(1, _size(shape) + 1), shape, xp, dtype, order)


def shaped_reverse_arange(shape, xp=cuprum, dtype=np.float32, order='C'):
    """An array with as its elements its size, and down from there to 1."""
    return _shaped(np.arange(_size(shape), 0, -1), shape, xp, dtype, order)


def _size(shape):
    return int(np.prod(shape, dtype=np.int64))


def _shaped(numbers, shape, xp, dtype, order):
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        numbers = numbers % 2 == 0
    elif dtype.kind == 'c':
        numbers = numbers + numbers * 1j
    return xp.array(numbers.astype(dtype).reshape(shape), order=order)


def shaped_linspace(start, stop, shape, xp=cuprum, dtype=np.float32):
    """An array with numbers from `start` to `stop`, evenly spaced."""
    dtype = np.dtype(dtype)
    size = _size(shape)
    if dtype == np.bool_:
        return xp.array((np.arange(size) % 2 == 0).reshape(shape))
    numbers = np.linspace(start, stop, size)
    if dtype.kind == 'c':
        numbers = numbers + numbers * 1j
    return xp.array(numbers.astype(dtype).reshape(shape))


def shaped_random(shape, xp=cuprum, dtype=np.float32, scale=10, seed=0, order='C'):
    """An array with random elements from 0 to `scale`, the same at each run: uniform, for a bool 0 or 1."""
    dice, dtype = np.random.RandomState(seed), np.dtype(dtype)
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    if dtype == np.bool_:
        numbers = dice.randint(2, size=shape)
    elif dtype.kind == 'c':
        numbers = (dice.random_sample(shape) + 1j * dice.random_sample(shape)) * scale
    else:
        numbers = dice.random_sample(shape) * scale
    return xp.array(np.asarray(numbers, dtype=dtype), order=order)


def shaped_sparse_random(shape, sp=None, dtype=np.float32, density=0.01, format='coo', seed=0):
    """A sparse matrix with random elements, the same at each run."""
    import scipy.sparse
    made = scipy.sparse.random(*shape, density=density, format='coo', random_state=np.random.RandomState(seed))
    sp = sparse_of(cuprum) if sp is None else sp
    if sp is not scipy.sparse:
        made = sp.coo_matrix(made)
    return made.astype(dtype).asformat(format)


def generate_matrix(shape, xp=cuprum, dtype=np.float32, *, singular_values=None):
    """A random matrix, or a stack of them, with the singular values that are requested.

    `singular_values` has a shape that broadcasts to `shape[:-2] + (min(shape[-2:]),)`.
    """
    if len(shape) < 2:
        raise ValueError(f'a matrix has two dimensions or more, and shape is {tuple(shape)}')
    if singular_values is None:
        raise TypeError('generate_matrix() needs singular_values')
    dtype, values = np.dtype(dtype), np.asarray(singular_values)
    if dtype.kind not in 'fc':
        raise ValueError(f'a matrix is of a floating or complex dtype, not {dtype}')
    if values.dtype.kind == 'c':
        raise ValueError('singular values are real')
    if (values < 0).any():
        raise ValueError('singular values are not negative')
    # A shape that does not broadcast is rejected by NumPy, with a ValueError.
    values = np.broadcast_to(values, (*shape[:-2], min(shape[-2:])))
    numbers = np.random.randn(*shape)
    if dtype.kind == 'c':
        numbers = numbers + 1j * np.random.randn(*shape)
    left, _, right = np.linalg.svd(numbers, full_matrices=False)
    return xp.asarray(((left * values[..., None, :]) @ right).astype(dtype))


def empty(xp=cuprum, dtype=np.float32):
    """An array without elements."""
    return xp.zeros((0,), dtype=dtype)


@contextlib.contextmanager
def assert_warns(expected):
    """Fails unless what it holds warns, with a warning of the class `expected`."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        yield
    if not any(issubclass(one.category, expected) for one in seen):
        raise AssertionError(f'{expected.__name__} is expected, and there were {[one.category.__name__ for one in seen]}')


class suppress_warnings:
    """Holds what may warn without being heard, and collects with `record` what would have been."""

    def __init__(self, forwarding_rule='always'):
        self._held = None
        self._filters = []

    def filter(self, category=Warning, message='', module=None):
        """Leaves out warnings of a class whose text begins with `message`."""
        self._filters.append((category, message))
        if self._held is not None:
            warnings.filterwarnings('ignore', message=message, category=category)

    def record(self, category=Warning, message='', module=None):
        """The list that warnings of a class are collected in."""
        if self._held is None:
            raise RuntimeError('record() is called inside of the with statement')
        warnings.filterwarnings('always', message=message, category=category)
        return self.log

    def __enter__(self):
        self._held = warnings.catch_warnings(record=True)
        self.log = self._held.__enter__()
        for category, message in self._filters:
            warnings.filterwarnings('ignore', message=message, category=category)
        return self

    def __exit__(self, *raised):
        held, self._held = self._held, None
        return held.__exit__(*raised)


class NumpyError(contextlib.ContextDecorator):
    """Holds NumPy's floating-point errors as `numpy.errstate` does, with the same keywords."""

    def __init__(self, **kw):
        self.kw = kw

    def __enter__(self):
        self.before = np.seterr(**self.kw)

    def __exit__(self, *raised):
        np.seterr(**self.before)


class NumpyAliasTestBase(unittest.TestCase):
    """A test of a function that NumPy has under the same name: `func` is the name."""

    @property
    def func(self):
        """The function's name."""
        raise NotImplementedError

    @property
    def cupy_func(self):
        """The function of ours."""
        return getattr(cuprum, self.func)

    @property
    def numpy_func(self):
        """The function of NumPy's."""
        return getattr(np, self.func)


class NumpyAliasBasicTestBase(NumpyAliasTestBase):
    """Tests that an alias looks as the function does."""

    def test_argspec(self):
        """The signatures are equal."""
        try:
            wanted = inspect.signature(self.numpy_func)
        except (TypeError, ValueError, NotImplementedError) as error:
            raise unittest.SkipTest(f'there is no signature of {self.func}') from error
        self.assertEqual(inspect.signature(self.cupy_func), wanted)

    def test_docstring(self):
        """There is a docstring where NumPy has one."""
        self.assertEqual(hasattr(self.cupy_func, '__doc__'), hasattr(self.numpy_func, '__doc__'))


class NumpyAliasValuesTestBase(NumpyAliasTestBase):
    """Tests that an alias gives what the function gives, for `self.args`."""

    @property
    def args(self):
        """What the function is called with."""
        raise NotImplementedError

    def test_values(self):
        """The results are equal."""
        self.assertEqual(self.cupy_func(*self.args), self.numpy_func(*self.args))


class AssertFunctionIsCalled:
    """Fails unless a function, named by its full path or as a method of an object, is called so many times while it is held."""

    def __init__(self, mock_mod, *, times_called=1, **kwargs):
        self.patched = unittest.mock.patch(mock_mod, **kwargs) if isinstance(mock_mod, str) else (
            unittest.mock.patch.object(*mock_mod, **kwargs))
        self.times_called = times_called

    def __enter__(self):
        self.handle = self.patched.__enter__()
        if self.handle.call_count:
            raise AssertionError('the function has been called before')
        return self.handle

    def __exit__(self, *raised):
        if raised[0] is None and self.handle.call_count != self.times_called:
            self.patched.__exit__(*raised)
            raise AssertionError(
                f'the function is called {self.handle.call_count} times, and {self.times_called} are expected')
        return self.patched.__exit__(*raised)
