"""Tests that functions can be looked up: by `help`, by `inspect`, by their modules, and in the stubs that editors read."""

import ast
import importlib
import inspect
import pathlib
import pickle
import pydoc
import subprocess
import sys

import cuprum as cp
import pytest

NAMES = [
    'sum',
    'add',
    'concatenate',
    'einsum',
    'isclose',
    'roll',
    'polyfit',
    'apply_along_axis',
    'piecewise',
    'array2string',
    'save',
    'loadtxt',
    'histogramdd',
    'zeros',
    'asarray',
    'linalg.svd',
    'linalg.norm',
    'linalg.solve',
    'fft.fft',
    'fft.fftshift',
    'random.normal',
    'random.default_rng',
    'polynomial.polyutils.trimcoef',
    'polynomial.polynomial.polyval',
    'polynomial.chebyshev.chebval',
    'polynomial.legendre.leggauss',
    'polynomial.hermite.hermfit',
    'scipy.special.erf',
    'scipy.linalg.lu',
    'scipy.signal.convolve',
    'scipy.ndimage.gaussian_filter',
    'scipy.fft.dct',
    'lib.stride_tricks.as_strided',
    'get_array_module',
    'cuda.get_current_stream',
]
STUBS = pathlib.Path(cp.__file__).parent


def found(path):
    owner = cp
    for part in path.split('.')[:-1]:
        owner = getattr(owner, part)
    return getattr(owner, path.split('.')[-1])


def stubs_of(folders):
    """Returns the texts of the stub and of the source of a module."""
    files = [STUBS.joinpath(*folders, f'__init__.{end}') for end in ('pyi', 'py')]
    files += [STUBS.joinpath(*folders).with_suffix(f'.{end}') for end in ('pyi', 'py')] if folders else []
    return [file.read_text() for file in files if file.exists()]


@pytest.mark.parametrize('path', NAMES)
def test_a_function_can_be_looked_up(path):
    function = found(path)
    assert inspect.getdoc(function) and function.__name__ in pydoc.render_doc(function)
    if isinstance(function, cp.ufunc):
        return
    assert inspect.signature(function).parameters or path == 'cuda.get_current_stream'
    module = importlib.import_module(function.__module__)
    assert module.__name__.startswith('cuprum') and module.__doc__ is not None
    assert getattr(module, function.__name__) is function and pathlib.Path(inspect.getsourcefile(module)).exists()
    if inspect.isfunction(function):
        assert pathlib.Path(inspect.getsourcefile(function)).exists()


@pytest.mark.parametrize('path', [path for path in NAMES if 'ndimage' not in path])
def test_a_stub_declares_it(path):
    *folders, name = path.split('.')
    if folders[:1] == ['scipy']:
        # A second name, whose stub imports all of the first.
        assert f'from cuprum.cupyx.{".".join(folders)} import *' in stubs_of(folders)[0]
        folders.insert(0, 'cupyx')
    texts = stubs_of(folders)
    assert texts, f'no stub of {".".join(folders)}'
    declared = {node.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imported = {alias.asname or alias.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) for alias in node.names}
    variables = {
        node.target.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert name in declared | imported | variables


MODULES = ['linalg', 'fft', 'fft.config', 'lib.stride_tricks', 'polynomial', 'polynomial.chebyshev', 'cupyx.scipy.linalg', 'cupyx.scipy.special']


@pytest.mark.parametrize('path', MODULES)
def test_a_module_is_a_file(path):
    module = importlib.import_module(f'cuprum.{path}')
    source = pathlib.Path(inspect.getsourcefile(module))
    assert source.suffix == '.py' and source.relative_to(STUBS).with_suffix('').parts[: path.count('.') + 1] == tuple(path.split('.'))
    # Each name has one definition: none is imported or defined again below.
    text = ast.parse(source.read_text())
    names = [alias.asname or alias.name for node in text.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    names += [node.name for node in text.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert len(names) == len(set(names))
    assert importlib.import_module(f'cuprum.{path.removeprefix("cupyx.")}') is module


def test_modules_import_the_routines_of_the_table():
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).parents[1] / 'routines.py'), '--check'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_chapters_are_imported_when_they_are_used():
    program = (
        "import cuprum, sys; print(*(name for name in cuprum._MODULES if f'cuprum.{name}' in sys.modules)); assert set(cuprum._MODULES) <= set(dir(cuprum))"
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split() == [], (done.stdout, done.stderr)


def test_functions_are_pickled_by_name():
    functions = [found(path) for path in NAMES if path != 'random.normal']
    assert all(pickle.loads(pickle.dumps(function)) is function for function in functions)
