"""A plugin of pytest for SciPy's tests on arrays of the device: what is known to fail, with its reason.

`ci/scipy_known.txt` has a line for each: an id of a test, or of a class of tests with `*` after it, ` # ` and the reason. A test that is
listed by its id and passes fails the run (so that the list shrinks), and one that fails without being listed does, too. A line that begins
with `missing ` has the full name of functions of CuPy's that the package does not have: a test fails as expected where it calls one. A test
of a line that begins with `slow ` is skipped: it takes minutes on the simulator.
"""

import collections
import fnmatch
import pathlib
import re

import pytest

import cuprum
import cuprum.scipy.special
from cuprum import _not_yet

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
                raise ValueError(f'{LIST.name}: {line!r} has no reason: write it after ` # `')
            known.append((pattern.strip(), reason.strip()))
    return known


def pytest_configure(config):
    """Reads the list."""
    lines = read(LIST.read_text())
    config.missing = [(pattern.removeprefix('missing '), reason) for pattern, reason in lines if pattern.startswith('missing ')]
    config.slow = [(pattern.removeprefix('slow '), reason) for pattern, reason in lines if pattern.startswith('slow ')]
    config.known = [line for line in lines if not line[0].startswith(('missing ', 'slow '))]
    config.met = collections.Counter()


def missing_function(excinfo):
    """Returns the full name of the missing function whose call raised an exception, or an empty string."""
    if isinstance(excinfo.value, _not_yet.NotYet):
        return str(excinfo.value).partition(' ')[0]
    # SciPy passes arrays to its own special function where CuPy's namespace has none of the name.
    for entry in excinfo.traceback if isinstance(excinfo.value, TypeError) else ():
        if entry.path.as_posix().endswith('scipy/special/_support_alternative_backends.py'):
            name = getattr(entry.frame.f_locals.get('self'), 'name', None)
            if name and not hasattr(cuprum.scipy.special, name):
                return f'cuprum.scipy.special.{name}'
    return ''


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Reports the call of a function that is known to be missing as an expected failure."""
    report = yield
    if report.failed and call.excinfo is not None:
        name = missing_function(call.excinfo)
        for pattern, reason in item.config.missing:
            if fnmatch.fnmatchcase(name, pattern):
                report.outcome, report.wasxfail = 'skipped', f'{name}: {reason}'
                break
    return report


def matches(name, pattern):
    """Returns whether a pattern is a name, with `*` for any text; brackets are themselves."""
    return re.fullmatch('.*'.join(map(re.escape, pattern.split('*'))), name) is not None


def pytest_collection_modifyitems(config, items):
    """Marks the tests that are known to fail."""
    for item in items:
        # From the package on, whatever folder it is installed in; ids are relative to a folder that depends on the modules that run.
        name = '::'.join([item.path.as_posix().rpartition('site-packages/')[2], *item.nodeid.split('::', 1)[1:]])
        for pattern, reason in config.slow:
            if matches(name, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))
        for pattern, reason in config.known:
            if matches(name, pattern):
                config.met[pattern] += 1
                item.add_marker(pytest.mark.xfail(reason=reason, strict='*' not in pattern))
                break


def pytest_terminal_summary(terminalreporter, config):
    """Prints how many tests each line of the list covers."""
    for pattern, reason in config.known:
        if config.met[pattern]:
            terminalreporter.write_line(f'{config.met[pattern]:5} {pattern}: {reason}')
