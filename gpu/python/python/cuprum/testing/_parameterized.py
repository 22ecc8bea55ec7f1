"""Parametrisation of test classes and functions."""

import inspect
import itertools
import sys
import types
import unittest

__all__ = ['parameterize', 'parameterize_pytest', 'product', 'product_dict', 'from_pytest_parameterize']


def product(parameter):
    """Returns every combination of parameters: of a dict of lists, or of a list of lists of dicts.

    >>> product({'a': [1, 2], 'b': [3, 4]})
    [{'a': 1, 'b': 3}, {'a': 1, 'b': 4}, {'a': 2, 'b': 3}, {'a': 2, 'b': 4}]
    """
    if isinstance(parameter, dict):
        keys = sorted(parameter)
        return [dict(zip(keys, row)) for row in itertools.product(*(parameter[key] for key in keys))]
    if isinstance(parameter, list):
        if not all(isinstance(part, list) for part in parameter):
            raise TypeError('product() takes a dict of lists, or a list of lists of dicts')
        return product_dict(*parameter)
    raise TypeError(f'product() takes a dict or a list, not {type(parameter).__name__}')


def product_dict(*parameters):
    """Returns every combination of dicts, one of each list, merged.

    >>> product_dict([{'a': 1}, {'a': 2}], [{'b': 3, 'c': 4}])
    [{'a': 1, 'b': 3, 'c': 4}, {'a': 2, 'b': 3, 'c': 4}]
    """
    return [{key: value for part in row for key, value in part.items()} for row in itertools.product(*parameters)]


def from_pytest_parameterize(names, values):
    """Returns the list of dicts that is equivalent to `pytest.mark.parametrize(names, values)`.

    >>> from_pytest_parameterize('a,b', [(1, 2)])
    [{'a': 1, 'b': 2}]
    """
    if isinstance(names, str):
        names = [name.strip() for name in names.split(',')]
    if len(names) == 1:
        values = [(value,) for value in values]
    return [dict(zip(names, row)) for row in values]


def parameterize(*params, _ids=True):
    """Runs a test class once for each dict of `params`, whose entries are attributes of `self` in the tests.

    The tests of a plain class are parametrised as with pytest. A `unittest.TestCase` becomes one class for each
    dict, named `Name_param_0_{...}`. A function takes the entries as keyword arguments.
    """
    for one in params:
        if not isinstance(one, dict):
            raise TypeError(f'a set of parameters is a dict, not {type(one).__name__}')

    def decorator(test):
        if not isinstance(test, type):
            return _function(test, params)
        if issubclass(test, unittest.TestCase):
            return _cases(test, params)
        return _pytest_class(test, params, _ids)

    return decorator


def parameterize_pytest(names, argvalues):
    """Runs a test class once for each row of `argvalues`, in the format of `pytest.mark.parametrize`."""
    return parameterize(*from_pytest_parameterize(names, argvalues))


def described(params):
    """Formats a set of parameters in one line, for the names of tests."""
    return '{' + ', '.join(f'{key}={_short(value)}' for key, value in sorted(params.items(), key=lambda kv: kv[0])) + '}'


def _short(value):
    if isinstance(value, type) or inspect.isroutine(value):
        return getattr(value, '__name__', repr(value))
    return repr(value)


def _function(test, params):
    import functools

    @functools.wraps(test)
    def test_func(*args, **kw):
        for one in params:
            try:
                test(*args, **kw, **one)
            except Exception:
                print(f'parameters: {described(one)}')
                raise

    names = {key for one in params for key in one}
    seen = inspect.signature(test)
    test_func.__signature__ = seen.replace(parameters=[p for n, p in seen.parameters.items() if n not in names])
    return test_func


def _pytest_class(test, params, ids):
    import pytest

    @pytest.fixture(autouse=True)
    def _cupy_testing_parameterize(self, _cupy_testing_param):
        # pytest creates a new object for each test, so that a test sees its own set only.
        self.__dict__.update(_cupy_testing_param)

    if test.__init__ is not object.__init__:
        raise TypeError(f'a test class cannot have __init__: {test.__name__}')
    members = {
        '_cupy_testing_parameterize': _cupy_testing_parameterize,
        '__module__': test.__module__,
        '__qualname__': test.__qualname__,
        '__doc__': test.__doc__,
        '__repr__': lambda self: f'<{type(self).__qualname__}  parameter: {described(self.__dict__)}>',
    }
    made = type(test.__name__, (test,), members)
    # Inherited marks remain with the base class; the new one applies to this class only.
    names = [f'_param_{at}_{described(one)}' for at, one in enumerate(params)] if ids else None
    return pytest.mark.parametrize('_cupy_testing_param', list(params), ids=names)(made)


def _cases(test, params):
    """Creates a test case for each set, in the module of the class, where unittest and pytest find them."""
    module = sys.modules[test.__module__]
    for at, one in enumerate(params):
        name = f'{test.__name__}_param_{at}_{described(one)}'
        members = {**one, '__module__': test.__module__, '__doc__': test.__doc__, '__str__': _description(one, test)}
        setattr(module, name, types.new_class(name, (test,), exec_body=lambda ns, m=members: ns.update(m)))
    # The original name has no tests: each set has its own class.
    return None


def _description(params, test):
    def described(self):
        return f'{super(type(self), self).__str__()}  parameter: {described(params)}'

    return described
