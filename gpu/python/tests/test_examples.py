"""Tests of the example programs, which import `cupy`: their results agree with NumPy's."""

import pathlib
import runpy
import subprocess
import sys
import types

import numpy as np
import pytest

import cuprum

EXAMPLES = sorted((pathlib.Path(__file__).parent.parent / 'examples').glob('*.py'))
# Programs without a NumPy counterpart check themselves.
WITHOUT_NUMPY = {'circuit', 'custom_struct', 'distributed', 'kernels', 'poisson', 'streams', 'textures'}


class NumpyAsCupy(types.ModuleType):
    """Returns NumPy under CuPy's name, with the few names that NumPy does not have."""

    def __init__(self):
        super().__init__('cupy')
        self.__path__ = []
        self.asnumpy = np.asarray
        self.get_array_module = lambda *args: np

    def __getattr__(self, name):
        return getattr(np, name)


def run(path, monkeypatch, cupy):
    """Returns the result of a program's `main()`, with a module in CuPy's place."""
    monkeypatch.setitem(sys.modules, 'cupy', cupy)
    for part in ('lib', 'lib.stride_tricks', 'testing', 'linalg'):
        module = cupy
        for name in part.split('.'):
            module = getattr(module, name)
        monkeypatch.setitem(sys.modules, f'cupy.{part}', module)
    return runpy.run_path(str(path))['main']()


def host(value):
    return tuple(map(host, value)) if isinstance(value, tuple) else cuprum.asnumpy(value)


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.stem)
def test_runs_as_cupy(path):
    done = subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize('path', [path for path in EXAMPLES if path.stem not in WITHOUT_NUMPY], ids=lambda path: path.stem)
def test_gives_what_numpy_gives(path, monkeypatch):
    ours = run(path, monkeypatch, cuprum)
    theirs = run(path, monkeypatch, NumpyAsCupy())
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        if isinstance(value, cuprum.ndarray):
            assert value.dtype == np.asarray(theirs[name]).dtype, name
        np.testing.assert_allclose(host(value), np.asarray(theirs[name]), rtol=1e-6, atol=1e-9, err_msg=name)


def test_there_are_twenty():
    assert len(EXAMPLES) >= 20
