"""Tests of `python -m cuprum.as_cupy` and `install_as_cupy()`: CuPy's names refer to this package."""

import pathlib
import subprocess
import sys

import pytest


def python(*arguments, text=None, cwd=None):
    """Runs Python, and returns its output."""
    done = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, timeout=120, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAM = '''
import sys
import cupy as cp
print(__name__, sys.argv[1:], cp.asnumpy(cp.arange(3)).tolist())
'''


def test_script(tmp_path):
    (tmp_path / 'beside.py').write_text('NAME = "beside"')
    script = tmp_path / 'script.py'
    script.write_text(PROGRAM + 'import beside; print(beside.NAME, __file__ == sys.argv[0])')
    printed = python('-m', 'cuprum.as_cupy', str(script), '--n', '3')
    assert printed.splitlines() == ["__main__ ['--n', '3'] [0, 1, 2]", 'beside True']


def test_module(tmp_path):
    (tmp_path / 'program.py').write_text(PROGRAM)
    printed = python('-m', 'cuprum.as_cupy', '-m', 'program', 'x', cwd=tmp_path)
    assert printed.strip() == "__main__ ['x'] [0, 1, 2]"


def test_code():
    assert python('-m', 'cuprum.as_cupy', '-c', PROGRAM, 'y').strip() == "__main__ ['y'] [0, 1, 2]"


def test_a_device_is_available():
    assert python('-m', 'cuprum.as_cupy', '-c', 'import cupy; print(cupy.is_available())').strip() == 'True'


def test_folder(tmp_path):
    (tmp_path / '__main__.py').write_text(PROGRAM)
    assert python('-m', 'cuprum.as_cupy', str(tmp_path)).startswith('__main__')


def test_exit_status(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('import sys, cupy; sys.exit(7)')
    assert subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', str(script)]).returncode == 7
    script.write_text('import cupy; 1 / 0')
    done = subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', str(script)], capture_output=True, text=True)
    assert done.returncode == 1 and 'ZeroDivisionError' in done.stderr and 'script.py", line 1' in done.stderr
    done = subprocess.run([sys.executable, '-m', 'cuprum.as_cupy', 'not-there.py'], capture_output=True, text=True)
    assert done.returncode == 2 and 'not-there.py' in done.stderr
    assert subprocess.run([sys.executable, '-m', 'cuprum.as_cupy'], capture_output=True).returncode == 2


MODULES = '''
    cupy cupy.cuda cupy.cuda.stream cupy.cuda.runtime cupy.cuda.memory cupy.cuda.device cupy.cuda.driver cupy.cuda.nvrtc cupy.cuda.nvtx
    cupy.cuda.profiler cupy.cuda.compiler cupy.cuda.function cupy.cuda.pinned_memory cupy.cuda.memory_hooks cupy.cuda.nccl
    cupy.cuda.texture cupy.cuda.cub cupy.cuda.cufft cupy.cuda.cublas cupy.exceptions cupy.fft cupy.fft.config cupy.lib
    cupy.lib.stride_tricks cupy.linalg cupy.polynomial cupy.polynomial.polynomial cupy.random cupy.testing cupy._core
    cupy._core.core cupy._core._kernel cupy._core.internal cupy._core._accelerator cupy._util cupy._environment cupy.array_api
    cupy.typing cupy.prof cupyx cupyx.distributed cupyx.jit cupyx.jit.cg cupyx.optimizing cupyx.profiler cupyx.time
    cupyx.tools cupyx.signal cupyx.linalg cupyx.scipy cupyx.scipy.fft cupyx.scipy.fftpack cupyx.scipy.interpolate
    cupyx.scipy.linalg cupyx.scipy.ndimage cupyx.scipy.signal cupyx.scipy.signal.windows cupyx.scipy.sparse
    cupyx.scipy.sparse.csgraph cupyx.scipy.sparse.linalg cupyx.scipy.spatial cupyx.scipy.spatial.distance
    cupyx.scipy.special cupyx.scipy.stats cupyx.cusparse cupyx.cusolver cupyx.cutensor cupyx.lapack
    cupy_backends.cuda.api.runtime cupy_backends.cuda.libs.nvrtc
'''.split()

IMPORTS = '''
import importlib, importlib.util
import cuprum
cuprum.install_as_cupy()
cuprum.install_as_cupy()
from cupy.cuda import cublas, curand, cusolver
for name in {names}:
    module = importlib.import_module(name)
    assert importlib.util.find_spec(name) is not None, name
    parent, _, last = name.rpartition('.')
    if parent:
        assert getattr(importlib.import_module(parent), last) is module, name
        scope = {{}}
        exec(f'from {{parent}} import {{last}}', scope)
        assert scope[last] is module, name
'''


def test_every_module_imports():
    python('-c', IMPORTS.format(names=MODULES))
    # In reverse order, so that none depends on an earlier one.
    python('-c', IMPORTS.format(names=MODULES[::-1]))


def test_the_same_objects():
    python(
        '-c',
        '''
import cuprum, cuprum.testing, cuprum.linalg
cuprum.install_as_cupy()
import cupy, cupy.testing, cupy.linalg, cupyx, cupyx.scipy.special
assert cupy is cuprum and cupy.testing is cuprum.testing and cupy.linalg is cuprum.linalg
assert cupyx is cuprum.cupyx and cupyx.scipy.special is cuprum.scipy.special
assert isinstance(cupy.zeros(2), cuprum.ndarray)
assert cupy.get_array_module(cupy.zeros(2)) is cupy
assert cupy.get_array_module(cupy.zeros(2)).__name__ == 'cupy'
assert int(cupy.__version__.split('.')[0]) >= 13
assert cupy.__cuprum_version__ != cupy.__version__
from cupy import *
''',
    )


def test_not_there_yet():
    python(
        '-c',
        '''
import cuprum
cuprum.install_as_cupy()
import cupy, cupyx.scipy.ndimage
try:
    cupy.MachAr
except NotImplementedError as error:
    assert 'MachAr' in str(error)
else:
    raise AssertionError
assert not hasattr(cupy, 'MachAr')
try:
    from cupy import MachAr
except ImportError as error:
    assert isinstance(error, NotImplementedError) and 'MachAr' in str(error)
else:
    raise AssertionError
try:
    import cupy.no_such_module
except ModuleNotFoundError:
    pass
else:
    raise AssertionError
try:
    cupyx.scipy.ndimage.no_such_name
except NotImplementedError:
    raise
except AttributeError:
    pass
''',
    )


def test_too_late(tmp_path):
    (tmp_path / 'cupy.py').write_text('')
    python(
        '-c',
        f'''
import sys
sys.path.insert(0, {str(tmp_path)!r})
import cupy, cuprum
try:
    cuprum.install_as_cupy()
except ImportError as error:
    assert 'before' in str(error)
else:
    raise AssertionError
''',
    )


def test_without_it_nothing_is_cupy():
    done = subprocess.run([sys.executable, '-c', 'import cuprum, cupy'], capture_output=True, text=True)
    if pathlib.Path(sys.prefix).glob('lib/*/site-packages/cupy') and done.returncode == 0:
        pytest.skip('CuPy is installed')
    assert 'ModuleNotFoundError' in done.stderr


def test_modules_that_are_not_documented():
    python(
        '-c',
        '''
import cuprum
cuprum.install_as_cupy()
import cupy, cupy.typing
from cupy._core.core import ndarray
from cupy._core import core, internal
from cupy._core._kernel import ufunc
assert ndarray is cupy.ndarray and ufunc is cupy.ufunc
from cupy.exceptions import AxisError, ComplexWarning, VisibleDeprecationWarning, RankWarning
import numpy
assert AxisError is numpy.exceptions.AxisError
try:
    from cupy._core import no_such_thing
except ImportError:
    pass
def f(a: cupy.typing.NDArray[numpy.float64]): pass
''',
    )


def test_private_modules():
    python(
        '-c',
        '''
import cuprum
cuprum.install_as_cupy()
import cupy, warnings
from cupy import _core, _util
from cupy._core import core, internal
from cupy._core._scalar import get_typename
from cupy._core._dtype import get_dtype
from cupy._core._kernel import ElementwiseKernel
from cupy._core.raw import RawModule
product = internal.prod((2, 3, 4))
assert product == 24 and type(product) is int and internal.prod([]) == 1
assert internal.get_size(None) == () and internal.get_size(3) == _core.get_size([3]) == (3,)
assert internal._normalize_axis_index(-1, 3) == 2
assert internal._normalize_axis_indices(None, 2) == (0, 1) and internal._normalize_axis_indices([-1, 0], 3) == (0, 2)
for wrong in ((3, 3), (-4, 3)):
    try:
        internal._normalize_axis_index(*wrong)
    except cupy.exceptions.AxisError:
        pass
    else:
        raise AssertionError
assert core.ndarray is cupy.ndarray and ElementwiseKernel is cupy.ElementwiseKernel and RawModule is cupy.RawModule
assert get_typename('c8') == 'complex<float>' and get_typename(int) == 'long long' and get_dtype('f4') == cupy.float32
assert issubclass(_util.PerformanceWarning, RuntimeWarning) and _util.memoize is cupy.memoize and not _util.is_shutting_down()
before = _core.get_routine_accelerators()
_core.set_routine_accelerators(['cub', 'cutensor'])
assert _core.get_routine_accelerators() == [1, 2]
_core.set_routine_accelerators(before)
# No public function replaces a private one of the same name.
for module, name in ((internal, 'sum'), (core, 'concatenate'), (_util, 'take'), (_core, 'prod')):
    assert not hasattr(module, name), (module, name)
''',
    )


def test_modules_of_scipy_under_cupyx():
    python(
        '-c',
        '''
import cuprum.cupyx.scipy.special
import cuprum.cupyx.scipy.fft as fft
import cuprum
assert cuprum.cupyx.scipy.special is cuprum.scipy.special and fft is cuprum.scipy.fft
from cuprum.cupyx.scipy import linalg
from cuprum.cupyx.scipy.signal import convolve
assert linalg is cuprum.scipy.linalg and convolve is cuprum.scipy.signal.convolve
''',
    )
