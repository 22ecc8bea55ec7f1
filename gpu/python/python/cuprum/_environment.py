"""Environment variables of CuPy: their counterparts here.

`install_as_cupy` sets the counterpart of each variable of CuPy that is set, unless the counterpart is set itself.
"""

import os

from cuprum import _cuprum

__all__ = ['COUNTERPARTS', 'WITHOUT', 'apply', 'describe', 'get_cuda_path', 'get_nvcc_path']


def _same(value, own):
    """Returns the value, unless the counterpart has one."""
    return own if own is not None else value


def _switch(value, own):
    """Returns the value of a switch, which CuPy turns on by 1 and nothing else."""
    return own if own is not None or value != '1' else '1'


def _off(value, own):
    """Returns the limit of the disk cache: no bytes for a cache in memory alone."""
    return own if own is not None or value != '1' else '0'


def _limit(value, own):
    """Returns the limit of the memory pool. CuPy's 0 is no limit."""
    return own if own is not None or value.strip() in ('', '0', '0%') else value


def _source(value, own):
    """Returns the words of the log, with `source` among them."""
    words = [word for word in (own or '').split(',') if word]
    return ','.join([*words, 'source']) if value == '1' and 'source' not in words else own


# Each variable of CuPy, with its counterpart and the value of that, from CuPy's and from its own.
COUNTERPARTS = {
    'CUPY_CACHE_DIR': ('CUPRUM_CACHE_DIR', _same),
    'CUPY_CACHE_IN_MEMORY': ('CUPRUM_CACHE_LIMIT', _off),
    'CUPY_CACHE_SAVE_CUDA_SOURCE': ('CUPRUM_CACHE_SOURCE', _switch),
    'CUPY_COMPILE_WITH_PTX': ('CUPRUM_COMPILE_PTX', _switch),
    'CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION': ('CUPRUM_CUDA_ARRAY_INTERFACE_EXPORT_VERSION', _same),
    'CUPY_CUDA_ARRAY_INTERFACE_SYNC': ('CUPRUM_CUDA_ARRAY_INTERFACE_SYNC', _same),
    'CUPY_CUDA_COMPILE_WITH_DEBUG': ('CUPRUM_COMPILE_DEBUG', _switch),
    'CUPY_CUDA_PER_THREAD_DEFAULT_STREAM': ('CUPRUM_PER_THREAD_DEFAULT_STREAM', _switch),
    'CUPY_DUMP_CUDA_SOURCE_ON_ERROR': ('CUPRUM_LOG', _source),
    'CUPY_GPU_MEMORY_LIMIT': ('CUPRUM_MEMORY_LIMIT', _limit),
    'CUPY_SEED': ('CUPRUM_SEED', _same),
    'CUPY_TF32': ('CUPRUM_TF32', _switch),
}

# Variables of CuPy that have no counterpart, with the reason.
WITHOUT = {
    'CUPY_ACCELERATORS': 'sets what `get_routine_accelerators()` returns; no routine has two implementations to choose from',
    'CUPY_DISABLE_JITIFY_CACHE': 'headers are expanded into the source, and no cache of headers exists',
    'CUPY_DLPACK_EXPORT_VERSION': 'managed memory is exported as memory of a CUDA device, as CuPy does below 0.6, which every library imports',
    'CUPY_EXPERIMENTAL_SLICE_COPY': 'assignment of NumPy arrays to slices is always allowed',
    'CUPY_INSTALL_USE_HIP': 'only read when CuPy is built; [AMD GPUs](devices.md#amd-gpus) take no other build',
    'CUPY_NUM_BUILD_JOBS': 'only read when CuPy is built; cargo has `CARGO_BUILD_JOBS`',
    'CUPY_NUM_NVCC_THREADS': 'only read when CuPy is built; building takes no nvcc',
    'CUPY_NVCC_GENERATE_CODE': 'only read when CuPy is built; kernels are compiled for the GPU that is there',
    'CUPY_NVRTC_USE_PCH': 'kernels include no header that could be compiled before them',
    'CUPY_USE_CUDA_PYTHON': 'only read when CuPy is built; the driver is loaded at run time',
    'CUTENSOR_PATH': 'only read when CuPy is built; cuTENSOR is not used',
}


def apply(environ=os.environ):
    """Sets the counterparts of CuPy's variables."""
    for name, (ours, convert) in COUNTERPARTS.items():
        if name in environ:
            value = convert(environ[name], environ.get(ours))
            if value is not None:
                environ[ours] = value


def describe(environ=os.environ):
    """Returns the variables of CuPy that are set, with their values and what becomes of them."""
    for name in sorted({*COUNTERPARTS, *WITHOUT} & {*environ}):
        became = COUNTERPARTS[name][0] if name in COUNTERPARTS else WITHOUT[name]
        yield name, f'{environ[name]} ({became})'


def get_cuda_path():
    """Returns the folder of the CUDA toolkit: that of `CUDA_PATH` or `CUDA_HOME`, the one that nvcc is in, or
    ``/usr/local/cuda``. `None` if there is none."""
    named = (os.environ.get(name) for name in ('CUDA_PATH', 'CUDA_HOME'))
    nvcc = get_nvcc_path()
    beside = os.path.dirname(os.path.dirname(os.path.realpath(nvcc.split()[-1]))) if nvcc else None
    return next((folder for folder in (*named, beside, '/usr/local/cuda') if folder and os.path.isdir(folder)), None)


def get_nvcc_path():
    """Returns the command of nvcc: that of `NVCC`, or the program that is found. `None` if there is none."""
    return _cuprum.nvcc_command()
