"""Tests that the stubs match the package, and that type checkers accept them."""

import contextlib
import importlib.util
import json
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import cuprum as cp

HERE = pathlib.Path(__file__).parent


def test_are_generated():
    done = subprocess.run([sys.executable, str(HERE.parent / 'stubs.py'), '--check'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('name', ['typed_program', 'typed_device'])
def test_program_runs(name):
    runpy.run_path(str(HERE / f'{name}.py'))['main']()


@pytest.fixture(scope='session')
def mypy(tmp_path_factory):
    """Returns a function that runs mypy, with a cache common to the tests: NumPy's stubs are read once."""
    pytest.importorskip('mypy', reason='mypy is not installed: the stubs are not checked')
    command = [sys.executable, '-m', 'mypy', '--strict', '--cache-dir', str(tmp_path_factory.mktemp('mypy'))]
    return lambda *arguments: subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)


def pyright(project):
    """Returns the diagnostics of pyright, or of basedpyright, for the files of a project."""
    name = next((name for name in ('basedpyright', 'pyright') if importlib.util.find_spec(name)), None)
    if name is None:
        pytest.skip('neither basedpyright nor pyright is installed: the stubs are not checked')
    done = subprocess.run(
        [sys.executable, '-m', name, '--pythonpath', sys.executable, '--project', str(project), '--outputjson'], capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    assert report['summary']['filesAnalyzed'] > 0, done.stderr
    return [one for one in report['generalDiagnostics'] if one['severity'] == 'error']


def test_type_checker(mypy):
    done = mypy(*HERE.glob('typed_*.py'), HERE.parent / 'python' / 'cuprum' / '__init__.pyi')
    assert done.returncode == 0, done.stdout


def test_other_type_checker():
    assert pyright(HERE.parent) == []


WRONG = """import cuprum as cp
n: str = cp.zeros(3).ndim
cp.no_such_function()
cp.linalg.svd(cp.eye(3), compute_uv=False).S
cp.cuda.Stream(colour=1)
"""


def test_type_checkers_find_faults(mypy, tmp_path):
    program = tmp_path / 'wrong.py'
    program.write_text(WRONG)
    assert mypy(program).stdout.count('error:') == 4
    (tmp_path / 'pyrightconfig.json').write_text(json.dumps({'include': ['wrong.py'], 'extraPaths': [str(HERE.parent / 'python')]}))
    assert [one['range']['start']['line'] for one in pyright(tmp_path) if one['rule'] != 'reportUnusedExpression'] == [1, 2, 3, 4]


def test_functions_give_what_stubs_say():
    """Tests the functions declared to return one array, each called with the first arguments that it accepts."""
    text = (HERE.parent / 'python' / 'cuprum' / '__init__.pyi').read_text()
    a, m = cp.arange(4.0), cp.ones((2, 2))
    some = [(3,), (a,), (m,), (m, m), (a, 1), (a, a, a), ('abc',), ((2, 3),), (5, 2), (cp.arange(3), 2, 1)]
    given = {}
    for name in re.findall(r'(?<!@overload\n)^def (\w+)\(.*\) -> ndarray: ', text, re.MULTILINE):
        for arguments in some:
            with contextlib.suppress(Exception):
                result = getattr(cp, name)(*arguments)
                given.setdefault(name, set()).add(type(result).__name__)
    assert len(given) > 160
    assert {name: types for name, types in given.items() if types != {'ndarray'}} == {}
