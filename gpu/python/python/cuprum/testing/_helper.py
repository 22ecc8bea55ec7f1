"""Inputs of tests, and queries of the environment."""

import contextlib
import importlib.metadata
import inspect
import unittest
import unittest.mock
import warnings

import numpy as np

from ._modules import cuprum, sparse_of

__all__ = [
    'AssertFunctionIsCalled',
    'NumpyAliasBasicTestBase',
    'NumpyAliasTestBase',
    'NumpyAliasValuesTestBase',
    'NumpyError',
    'assert_warns',
    'empty',
    'generate_matrix',
    'installed',
    'numpy_satisfies',
    'shaped_arange',
    'shaped_linspace',
    'shaped_random',
    'shaped_reverse_arange',
    'shaped_sparse_random',
    'suppress_warnings',
    'with_requires',
]


def installed(*specifiers):
    """Returns true if the packages are installed in the versions of `specifiers`, such as 'numpy>=2.0'."""
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
    """Returns true if NumPy's version is in a range, such as '>=2.0,<3'."""
    return installed(f'numpy{version_range}')


def with_requires(*requirements):
    """Skips a test unless the packages are installed in the requested versions."""
    import pytest

    return pytest.mark.skipif(not installed(*requirements), reason='requires: {}'.format(', '.join(requirements)))


def shaped_arange(shape, xp=cuprum, dtype=np.float32, order='C'):
    """Returns an array with the elements 1, 2, 3 and so on. Complex ones have an equal imaginary part; bools
    alternate."""
    return _shaped(np.arange(1, _size(shape) + 1), shape, xp, dtype, order)


def shaped_reverse_arange(shape, xp=cuprum, dtype=np.float32, order='C'):
    """Returns an array with elements that descend from its size to 1."""
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
    """Returns an array with evenly spaced numbers from `start` to `stop`."""
    dtype = np.dtype(dtype)
    size = _size(shape)
    if dtype == np.bool_:
        return xp.array((np.arange(size) % 2 == 0).reshape(shape))
    numbers = np.linspace(start, stop, size)
    if dtype.kind == 'c':
        numbers = numbers + numbers * 1j
    return xp.array(numbers.astype(dtype).reshape(shape))


def shaped_random(shape, xp=cuprum, dtype=np.float32, scale=10, seed=0, order='C'):
    """Returns an array with reproducible random elements, uniform from 0 to `scale`, or 0 or 1 for a bool."""
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
    """Returns a sparse matrix with reproducible random elements."""
    import scipy.sparse

    made = scipy.sparse.random(*shape, density=density, format='coo', random_state=np.random.RandomState(seed))
    sp = sparse_of(cuprum) if sp is None else sp
    if sp is not scipy.sparse:
        made = sp.coo_matrix(made)
    return made.astype(dtype).asformat(format)


def generate_matrix(shape, xp=cuprum, dtype=np.float32, *, singular_values=None):
    """Returns a random matrix, or a batch of them, with the requested singular values.

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
    # NumPy raises a ValueError for a shape that does not broadcast.
    values = np.broadcast_to(values, (*shape[:-2], min(shape[-2:])))
    numbers = np.random.randn(*shape)
    if dtype.kind == 'c':
        numbers = numbers + 1j * np.random.randn(*shape)
    left, _, right = np.linalg.svd(numbers, full_matrices=False)
    return xp.asarray(((left * values[..., None, :]) @ right).astype(dtype))


def empty(xp=cuprum, dtype=np.float32):
    """Returns an array without elements."""
    return xp.zeros((0,), dtype=dtype)


@contextlib.contextmanager
def assert_warns(expected):
    """Raises an AssertionError unless the `with` block emits a warning of the class `expected`."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        yield
    if not any(issubclass(one.category, expected) for one in seen):
        raise AssertionError(f'{expected.__name__} is expected, and there were {[one.category.__name__ for one in seen]}')


class suppress_warnings:
    """Suppresses warnings in a `with` block, and collects them with `record`."""

    def __init__(self, forwarding_rule='always'):
        self._held = None
        self._filters = []

    def filter(self, category=Warning, message='', module=None):
        """Suppresses warnings of a class whose text begins with `message`."""
        self._filters.append((category, message))
        if self._held is not None:
            warnings.filterwarnings('ignore', message=message, category=category)

    def record(self, category=Warning, message='', module=None):
        """Returns the list in which warnings of a class are collected."""
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
    """Sets the handling of NumPy's floating-point errors as `numpy.errstate` does, with the same keywords."""

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
        """The name of the function."""
        raise NotImplementedError

    @property
    def cupy_func(self):
        """Cuprum's function."""
        return getattr(cuprum, self.func)

    @property
    def numpy_func(self):
        """NumPy's function."""
        return getattr(np, self.func)


class NumpyAliasBasicTestBase(NumpyAliasTestBase):
    """Tests that an alias has the signature and the docstring of the function."""

    def test_argspec(self):
        """Tests that the signatures are equal."""
        try:
            wanted = inspect.signature(self.numpy_func)
        except (TypeError, ValueError, NotImplementedError) as error:
            raise unittest.SkipTest(f'there is no signature of {self.func}') from error
        self.assertEqual(inspect.signature(self.cupy_func), wanted)

    def test_docstring(self):
        """Tests that there is a docstring if NumPy has one."""
        self.assertEqual(hasattr(self.cupy_func, '__doc__'), hasattr(self.numpy_func, '__doc__'))


class NumpyAliasValuesTestBase(NumpyAliasTestBase):
    """Tests that an alias returns the same as the function, for `self.args`."""

    @property
    def args(self):
        """The arguments of the call."""
        raise NotImplementedError

    def test_values(self):
        """Tests that the results are equal."""
        self.assertEqual(self.cupy_func(*self.args), self.numpy_func(*self.args))


class AssertFunctionIsCalled:
    """Fails unless a function, given by its full path or as a method of an object, is called the expected number of
    times in a `with` block."""

    def __init__(self, mock_mod, *, times_called=1, **kwargs):
        self.patched = unittest.mock.patch(mock_mod, **kwargs) if isinstance(mock_mod, str) else (unittest.mock.patch.object(*mock_mod, **kwargs))
        self.times_called = times_called

    def __enter__(self):
        self.handle = self.patched.__enter__()
        if self.handle.call_count:
            raise AssertionError('the function has been called before')
        return self.handle

    def __exit__(self, *raised):
        if raised[0] is None and self.handle.call_count != self.times_called:
            self.patched.__exit__(*raised)
            raise AssertionError(f'the function is called {self.handle.call_count} times, and {self.times_called} are expected')
        return self.patched.__exit__(*raised)
