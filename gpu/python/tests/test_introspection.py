"""Tests that functions can be looked up: by `help`, by `inspect`, by their modules, and in the stubs that editors read."""

import ast
import importlib
import inspect
import pathlib
import pydoc

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
    stubs = [STUBS.joinpath(*folders, '__init__.pyi')] + ([STUBS.joinpath(*folders).with_suffix('.pyi')] if folders else [])
    source = [STUBS.joinpath(*folders, '__init__.py')] + ([STUBS.joinpath(*folders).with_suffix('.py')] if folders else [])
    texts = [file.read_text() for file in stubs + source if file.exists()]
    assert texts, f'no stub of {".".join(folders)}'
    declared = {node.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imported = {alias.asname or alias.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) for alias in node.names}
    variables = {
        node.target.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert name in declared | imported | variables
