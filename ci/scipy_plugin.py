"""A plugin of pytest for SciPy's tests on arrays of the device: what is known to fail, with its reason.

`ci/scipy_known.txt` has a line for each: an id of a test, or of a class of tests with `*` behind it, ` # ` and the reason. A test that is
listed by its id and passes fails the run (so that the list shrinks), and one that fails without being listed does, too.
"""

import collections
import fnmatch
import pathlib

import pytest

import cuprum

# SciPy's configuration of the tests, which comes after this, asks whether there is a CuPy.
cuprum.install_as_cupy()

LIST = pathlib.Path(__file__).with_name('scipy_known.txt')


def read(text):
    """Returns pairs of a pattern and its reason."""
    known = []
    for line in text.splitlines():
        if line and not line.startswith('#'):
            pattern, found, reason = line.partition(' # ')
            if not found:
                raise ValueError(f'{LIST.name}: {line!r} has no reason: write it behind ` # `')
            known.append((pattern.strip(), reason.strip()))
    return known


def pytest_configure(config):
    """Reads the list."""
    config.known = read(LIST.read_text())
    config.met = collections.Counter()


def pytest_collection_modifyitems(config, items):
    """Marks the tests that are known to fail."""
    for item in items:
        # From the package on, whatever folder it is installed in.
        name = item.nodeid.rpartition('site-packages/')[2]
        for pattern, reason in config.known:
            if name == pattern or ('*' in pattern and fnmatch.fnmatchcase(name, pattern)):
                config.met[pattern] += 1
                item.add_marker(pytest.mark.xfail(reason=reason, strict='*' not in pattern))
                break


def pytest_terminal_summary(terminalreporter, config):
    """Prints how many tests each line of the list covers."""
    for pattern, reason in config.known:
        if config.met[pattern]:
            terminalreporter.write_line(f'{config.met[pattern]:5} {pattern}: {reason}')
