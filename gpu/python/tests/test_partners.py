"""Tests of programs of other libraries that use CuPy's name: each is a script of `partners`, which runs if its
library is installed."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

PROGRAMS = pathlib.Path(__file__).parent / 'partners'
LIBRARIES = ('array_api_extra', 'autoray', 'einops', 'opt_einsum', 'sigpy', 'tensorly')


def as_cupy(library, *arguments):
    """Runs a program with this package in CuPy's place, if its library is installed."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f'{library} is not installed: its program is not run')
    environment = {'CUPRUM_DEVICE': 'sim', **os.environ}
    return subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', *arguments], capture_output=True, text=True, env=environment, timeout=600)


@pytest.mark.parametrize('library', LIBRARIES)
def test_program(library):
    done = as_cupy(library, str(PROGRAMS / f'{library}_program.py'))
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_pylops_lacks():
    """PyLops imports SciPy modules of CuPy that are not implemented yet."""
    done = as_cupy('pylops', '-c', 'import pylops')
    assert 'cupyx.scipy.ndimage' in done.stderr


def test_each_program_has_a_library():
    assert {f'{library}_program.py' for library in LIBRARIES} == {path.name for path in PROGRAMS.glob('*.py')}
