"""The stubs are those that the package says, and a type checker accepts them."""

import pathlib
import runpy
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def test_are_generated():
    done = subprocess.run([sys.executable, str(HERE.parent / 'stubs.py'), '--check'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_program_runs():
    runpy.run_path(str(HERE / 'typed_program.py'))['main']()


def test_type_checker(tmp_path):
    pytest.importorskip('mypy', reason='mypy is not installed: the stubs are not checked')
    done = subprocess.run(
        [sys.executable, '-m', 'mypy', '--strict', '--cache-dir', str(tmp_path), str(HERE / 'typed_program.py'),
         str(HERE.parent / 'python' / 'cuprum' / '__init__.pyi')],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_type_checker_finds_a_fault(tmp_path):
    pytest.importorskip('mypy', reason='mypy is not installed: the stubs are not checked')
    program = tmp_path / 'wrong.py'
    program.write_text('import cuprum as cp\nn: str = cp.zeros(3).ndim\ncp.no_such_function()\n')
    done = subprocess.run(
        [sys.executable, '-m', 'mypy', '--cache-dir', str(tmp_path), str(program)], capture_output=True, text=True)
    assert done.stdout.count('error:') == 2, done.stdout

