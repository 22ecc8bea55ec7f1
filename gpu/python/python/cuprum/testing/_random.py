"""Reproducible random numbers for tests."""

import functools
import os
import random as _python
import types
import unittest

import numpy as np

from ._modules import cuprum

__all__ = ['do_setup', 'do_teardown', 'fix_random', 'generate_seed', 'random']

_saved = []


def do_setup(deterministic=True):
    """Saves the state of the generators of Python, NumPy and Cuprum, and seeds them with a fixed number or with the
    clock.

    `CUPY_TEST_RANDOM_NONDETERMINISTIC=1` selects the clock everywhere.
    """
    if os.environ.get('CUPY_TEST_RANDOM_NONDETERMINISTIC', '0') not in ('', '0'):
        deterministic = False
    ours = cuprum.random.get_random_state()
    _saved.append((_python.getstate(), np.random.get_state(), ours))
    seed = 99 if deterministic else int.from_bytes(os.urandom(4), 'little')
    _python.seed(seed)
    np.random.seed(seed)
    cuprum.random.set_random_state(cuprum.random.RandomState(seed))


def do_teardown():
    """Restores the generators to the state that `do_setup` saved."""
    python, numpy, ours = _saved.pop()
    _python.setstate(python)
    np.random.set_state(numpy)
    cuprum.random.set_random_state(ours)


def generate_seed():
    """Returns a seed from NumPy's generator, which `fix_random` has seeded."""
    return int(np.random.randint(0xFFFFFFFF, dtype=np.int64))


def fix_random():
    """Seeds the generators for a test function, or for each test of a class."""

    def decorator(test):
        if isinstance(test, type) and issubclass(test, unittest.TestCase):
            return _fixed_case(test)
        if isinstance(test, type):
            for name, member in list(vars(test).items()):
                if name.startswith('test') and isinstance(member, types.FunctionType):
                    setattr(test, name, _fixed(member))
            return test
        return _fixed(test)

    return decorator


def _fixed(test):
    @functools.wraps(test)
    def fixed(*args, **kw):
        do_setup()
        try:
            return test(*args, **kw)
        finally:
            do_teardown()

    return fixed


def _fixed_case(case):
    set_up, tear_down = case.setUp, case.tearDown

    @functools.wraps(set_up)
    def setUp(self):
        do_setup()
        set_up(self)

    @functools.wraps(tear_down)
    def tearDown(self):
        try:
            tear_down(self)
        finally:
            do_teardown()

    case.setUp, case.tearDown = setUp, tearDown
    return case


# `cupy.testing.random` for programs that seed explicitly.
random = types.SimpleNamespace(do_setup=do_setup, do_teardown=do_teardown, fix_random=fix_random, generate_seed=generate_seed)
