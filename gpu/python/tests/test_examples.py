"""Tests of the example programs, which import `cupy`: their results agree with NumPy's."""

import importlib
import pathlib
import runpy
import subprocess
import sys
import types

import numpy as np
import pytest

import cuprum

DOCS = pathlib.Path(__file__).parents[3] / 'docs' / 'src'
EXAMPLES = sorted((pathlib.Path(__file__).parent.parent / 'examples').glob('*.py'))
# Programs without a NumPy counterpart check themselves.
WITHOUT_NUMPY = {'circuit', 'custom_struct', 'distributed', 'julia', 'kernels', 'poisson', 'streams', 'textures', 'waves'}
# Modules that programs import by name, of `cupy` and of `cupyx.scipy`.
OF_CUPY = ('lib', 'lib.stride_tricks', 'testing', 'linalg')
OF_SCIPY = ('ndimage', 'signal', 'sparse', 'sparse.linalg')


class NumpyAsCupy(types.ModuleType):
    """Returns NumPy under CuPy's name, with the few names that NumPy does not have."""

    def __init__(self):
        super().__init__('cupy')
        self.__path__ = []
        self.asnumpy = np.asarray
        self.get_array_module = lambda *args: np

    def __getattr__(self, name):
        return getattr(np, name)


def run(path, monkeypatch, cupy, scipy):
    """Returns the result of a program's `main()`, with a module in CuPy's place, and another one in that of `cupyx.scipy`."""
    cupyx = types.ModuleType('cupyx')
    cupyx.scipy = importlib.import_module(scipy)
    for name, module in (('cupy', cupy), ('cupyx', cupyx), ('cupyx.scipy', cupyx.scipy)):
        monkeypatch.setitem(sys.modules, name, module)
    for part in OF_CUPY:
        module = cupy
        for name in part.split('.'):
            module = getattr(module, name)
        monkeypatch.setitem(sys.modules, f'cupy.{part}', module)
    for part in OF_SCIPY:
        monkeypatch.setitem(sys.modules, f'cupyx.scipy.{part}', importlib.import_module(f'{scipy}.{part}'))
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
    ours = run(path, monkeypatch, cuprum, 'cuprum.cupyx.scipy')
    theirs = run(path, monkeypatch, NumpyAsCupy(), 'scipy')
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        if isinstance(value, cuprum.ndarray):
            assert value.dtype == np.asarray(theirs[name]).dtype, name
        np.testing.assert_allclose(host(value), np.asarray(theirs[name]), rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.stem)
def test_is_short(path):
    # The program of several processes is a test of its own.
    assert len(path.read_text().splitlines()) <= 80 or path.stem == 'distributed'


def test_the_gallery_shows_twelve_with_a_picture():
    shown = [path for path in EXAMPLES if 'def draw(figure, found):' in path.read_text()]
    gallery = (DOCS / 'gallery.md').read_text()
    assert len(shown) >= 12
    for path in shown:
        assert f'pictures/gallery/{path.stem}.png' in gallery and (DOCS / 'pictures' / 'gallery' / f'{path.stem}.png').exists(), path.stem
        assert path.read_text() in gallery, f'the gallery lacks {path.stem} as it is: run `cargo run -p cuprum-generate`'
