"""The import hook of `import cupy`: CuPy's modules under their names.

`cupy.a.b` is the module `cuprum.a.b`, the same object; `cupyx` is `cuprum.cupyx`. A module of CuPy without a
counterpart is an empty one, whose names raise an error that they are not implemented yet.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

from . import _not_yet

__all__ = ['CUPY_VERSION', 'install_as_cupy']

# The version of CuPy whose names and signatures the package has. Programs read it to choose between old and new APIs.
CUPY_VERSION = '14.0.1'

# Modules of CuPy that are not documented, or that have another path here: programs import them nevertheless.
EMPTY = """
    cupy._core cupy._core.core cupy._core.internal cupy._core.flags cupy._core.fusion cupy._core.raw cupy._core.syncdetect
    cupy._core._accelerator cupy._core._carray cupy._core._cub_reduction cupy._core._dtype cupy._core._fusion_interface
    cupy._core._fusion_kernel cupy._core._kernel cupy._core._memory_range cupy._core._optimize_config
    cupy._core._reduction cupy._core._routines_binary cupy._core._routines_indexing cupy._core._routines_linalg
    cupy._core._routines_logic cupy._core._routines_manipulation cupy._core._routines_math cupy._core._routines_sorting
    cupy._core._routines_statistics cupy._core._scalar cupy._core._ufuncs cupy._core.dlpack cupy._core.new_fusion
    cupy._core._gufuncs cupy._binary cupy._creation cupy._functional cupy._indexing cupy._io cupy._logic
    cupy._manipulation cupy._math cupy._misc cupy._padding cupy._sorting cupy._statistics
    cupy._environment cupy._util cupy.cublas cupy.cusolver cupy.cusparse cupy.cutensor
    cupy.cuda cupy.cuda.compiler cupy.cuda.cub cupy.cuda.cublas cupy.cuda.cudnn cupy.cuda.cufft cupy.cuda.curand
    cupy.cuda.cusolver cupy.cuda.cusparse cupy.cuda.cutensor cupy.cuda.device cupy.cuda.driver cupy.cuda.function
    cupy.cuda.graph cupy.cuda.jitify cupy.cuda.memory cupy.cuda.memory_hook cupy.cuda.memory_hooks cupy.cuda.nccl cupy.cuda.nvrtc
    cupy.cuda.nvtx cupy.cuda.pinned_memory cupy.cuda.profiler cupy.cuda.runtime cupy.cuda.stream cupy.cuda.texture
    cupy.cuda.thrust cupy.cuda.common cupy.exceptions cupy.fft cupy.fft._cache cupy.fft._fft cupy.fft.config cupy.lib
    cupy.lib.stride_tricks cupy.lib._routines_poly cupy.lib._shape_base cupy.linalg cupy.linalg._decomposition
    cupy.linalg._eigenvalue cupy.linalg._einsum cupy.linalg._norms cupy.linalg._product cupy.linalg._solve
    cupy.linalg._util cupy.linalg._batched cupy.ma cupy.polynomial cupy.polynomial.polynomial cupy.polynomial.polyutils cupy.prof
    cupy.random cupy.random._distributions cupy.random._generator cupy.random._generator_api cupy.random._kernels
    cupy.random._bit_generator cupy.random._permutations cupy.random._sample cupy.testing cupy.typing cupy.xpu
    cupyx cupyx.cudnn cupyx.cusolver cupyx.cusparse cupyx.cutensor cupyx.distributed cupyx.distributed.array cupyx.jit
    cupyx.jit.cg cupyx.jit.cub cupyx.jit.thrust cupyx.lapack cupyx.linalg cupyx.linalg.sparse cupyx.optimizing
    cupyx.optimizing._optimize cupyx.profiler cupyx.profiler._time cupyx.runtime cupyx.time cupyx.tools cupyx.signal
    cupyx.scipy cupyx.scipy.fft cupyx.scipy.fftpack cupyx.scipy.interpolate cupyx.scipy.linalg cupyx.scipy.ndimage
    cupyx.scipy.signal cupyx.scipy.signal.windows cupyx.scipy.sparse cupyx.scipy.sparse.csgraph
    cupyx.scipy.sparse.linalg cupyx.scipy.spatial cupyx.scipy.spatial.distance cupyx.scipy.spatial.transform
    cupyx.scipy.special cupyx.scipy.stats
    cupy_backends cupy_backends.cuda cupy_backends.cuda.api cupy_backends.cuda.api.driver
    cupy_backends.cuda.api.runtime cupy_backends.cuda.libs cupy_backends.cuda.libs.cublas cupy_backends.cuda.libs.cudnn
    cupy_backends.cuda.libs.curand cupy_backends.cuda.libs.cusolver cupy_backends.cuda.libs.cusparse
    cupy_backends.cuda.libs.nccl cupy_backends.cuda.libs.nvrtc cupy_backends.cuda.libs.nvtx
    cupy_backends.cuda.libs.profiler cupy_backends.cuda.stream
""".split()

# Modules with another path here.
ELSEWHERE = {
    # The standard's namespace is the main one.
    'cupy.array_api': 'cuprum',
    'cupy_backends.cuda.api.runtime': 'cuprum.cuda.runtime',
    'cupy_backends.cuda.api.driver': 'cuprum.cuda.driver',
    'cupy_backends.cuda.libs.cusparse': 'cuprum.cuda.cusparse',
    'cupy_backends.cuda.libs.cutensor': 'cuprum.cuda.cutensor',
    'cupy_backends.cuda.libs.nccl': 'cuprum.cuda.nccl',
    'cupy_backends.cuda.libs.nvrtc': 'cuprum.cuda.nvrtc',
    'cupy_backends.cuda.libs.nvtx': 'cuprum.cuda.nvtx',
    'cupy_backends.cuda.stream': 'cuprum.cuda.stream',
}


def counterpart(name):
    """Returns the names of modules of the package that may correspond to a module of CuPy, the likeliest first."""
    if name in ELSEWHERE:
        return [ELSEWHERE[name]]
    root, _, rest = name.partition('.')
    if root == 'cupy':
        return ['cuprum' + name[4:]]
    if root == 'cupyx':
        # SciPy's functions are in a namespace of the package too.
        return ['cuprum.cupyx' + name[5:]] + (['cuprum.' + rest] if rest.startswith('scipy.') else [])
    return []


def resolve(name):
    """Returns the module that CuPy calls `name`: one of the package, or an empty one; None for names that CuPy does
    not have either."""
    for ours in counterpart(name):
        if found := _ours(ours):
            return found
    if name in EMPTY or name in _not_yet.known_names():
        return _not_yet.module(name)
    return None


def _ours(name):
    """Returns a module of the package by its name: imported, or an attribute of its parent."""
    if name in sys.modules:
        return sys.modules[name]
    parent, _, last = name.rpartition('.')
    holder = _ours(parent) if parent else None
    if parent and holder is None:
        return None
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        # The parent is no package: its modules are its attributes.
        spec = None
    if spec is not None:
        return importlib.import_module(name)
    # `cupyx` looks up its modules here: its own `__getattr__` is not called.
    found = vars(holder).get(last) if name.startswith('cuprum.cupyx') else getattr(holder, last, None)
    return found if isinstance(found, type(sys)) else None


class CupyFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder and loader of CuPy's modules, which loads those of the package."""

    ROOTS = ('cupy', 'cupyx', 'cupy_backends')

    def find_spec(self, name, path=None, target=None):
        """Returns a spec for modules of CuPy; raises for a name that is not implemented yet."""
        if name.startswith('cuprum.cupyx.'):
            # `from package import name` looks for a module, if a package of files does not have the name.
            parent, _, last = name.removeprefix('cuprum.').rpartition('.')
            if last in _not_yet.known_names().get(parent, ()) and importlib.machinery.PathFinder.find_spec(name, path) is None:
                raise _not_yet.NotYetImport(_not_yet.sentence(f'{parent}.{last}'))
            return None
        if name.partition('.')[0] not in self.ROOTS:
            return None
        module = resolve(name)
        if module is None:
            parent, _, last = name.rpartition('.')
            if last in _not_yet.known_names().get(parent, ()) and not _has(parent, last):
                raise _not_yet.NotYetImport(_not_yet.sentence(name))
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.loader_state = (module, getattr(module, '__spec__', None))
        return spec

    def create_module(self, spec):
        """Returns the module of the package."""
        module, _ = spec.loader_state
        if not hasattr(module, '__path__'):
            # So that its submodules can be imported by their names.
            module.__path__ = []
        return module

    def exec_module(self, module):
        """Restores the module's own spec, which the import has replaced by CuPy's."""
        _, own = module.__spec__.loader_state
        module.__spec__.loader_state = None
        if own is not None:
            module.__spec__ = own


def _has(parent, name):
    module = sys.modules.get(parent)
    return module is not None and hasattr(module, name)


def install_as_cupy():
    """Redirects later imports of `cupy` and `cupyx`, with all their modules, to this package.

    It must be called before CuPy is imported; `python -m cuprum.as_cupy script.py` does so for an unmodified
    program. `cupy` is then this module, and `__version__` is the version of CuPy whose names it has, because
    programs compare it; `__cuprum_version__` remains Cuprum's own.

    >>> import cuprum
    >>> cuprum.install_as_cupy()
    >>> import cupy
    >>> cupy is cuprum
    True
    """
    import cuprum

    if any(isinstance(finder, CupyFinder) for finder in sys.meta_path):
        return
    for root in CupyFinder.ROOTS:
        if root in sys.modules:
            raise ImportError(f'{root} has been imported already, from {getattr(sys.modules[root], "__file__", "elsewhere")}; call install_as_cupy() before')
    cuprum._environment.apply()
    cuprum.__cuprum_version__ = cuprum.__version__
    cuprum.__version__ = CUPY_VERSION
    # Programs compare the name of the module that `get_array_module` gives.
    cuprum.__name__ = 'cupy'
    sys.meta_path.insert(0, CupyFinder())
    # CuPy imports these modules itself: `from cupy.cuda import cublas` is valid, although they are empty here.
    for name in ('cublas', 'curand', 'cusolver'):
        importlib.import_module(f'cupy.cuda.{name}')
    # Modules that CuPy itself imports are also available to `from cupy import *`.
    for name in ('exceptions', 'random', 'testing'):
        importlib.import_module(f'cuprum.{name}')
        if name not in cuprum.__all__:
            cuprum.__all__.append(name)
