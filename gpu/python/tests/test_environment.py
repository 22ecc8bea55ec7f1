"""Tests of CuPy's environment variables: their counterparts, their effects and their page in the guide."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from cuprum import _environment

ROOT = pathlib.Path(__file__).parents[3]


def run(code, *, status=0, **variables):
    """Runs a program under CuPy's name with environment variables, and returns what it printed and its errors."""
    # Variables of the package would have precedence over those of CuPy.
    needed = ('CUPRUM_DEVICE', 'CUPRUM_NVRTC')
    kept = {name: value for name, value in os.environ.items() if name in needed or not name.startswith(('CUPRUM_', 'CUPY_'))}
    command = [sys.executable, '-m', 'cuprum.as_cupy', '-c', code]
    done = subprocess.run(command, env=kept | variables, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def test_the_page_has_every_variable_of_cupy_with_its_counterpart():
    page = (ROOT / 'docs/src/environment.md').read_text().split('## Variables of CuPy')[1]
    rows = dict(re.findall(r'^\| `(CU\w+)` \| (.*) \|$', page, re.MULTILINE))
    assert sorted(rows) == sorted({**_environment.COUNTERPARTS, **_environment.WITHOUT})
    for name, (ours, _) in _environment.COUNTERPARTS.items():
        assert rows[name].startswith(f'`{ours}`'), name
    for name, reason in _environment.WITHOUT.items():
        assert rows[name] == f'none: {reason}', name


@pytest.mark.parametrize(
    'given, expected',
    [
        ({'CUPY_CACHE_DIR': 'a'}, {'CUPRUM_CACHE_DIR': 'a'}),
        ({'CUPY_CACHE_DIR': 'a', 'CUPRUM_CACHE_DIR': 'b'}, {'CUPRUM_CACHE_DIR': 'b'}),
        ({'CUPY_CACHE_IN_MEMORY': '1'}, {'CUPRUM_CACHE_LIMIT': '0'}),
        ({'CUPY_CACHE_IN_MEMORY': '0'}, {}),
        ({'CUPY_GPU_MEMORY_LIMIT': '90%'}, {'CUPRUM_MEMORY_LIMIT': '90%'}),
        ({'CUPY_GPU_MEMORY_LIMIT': '0'}, {}),
        ({'CUPY_DUMP_CUDA_SOURCE_ON_ERROR': '1'}, {'CUPRUM_LOG': 'source'}),
        ({'CUPY_DUMP_CUDA_SOURCE_ON_ERROR': '1', 'CUPRUM_LOG': 'launch'}, {'CUPRUM_LOG': 'launch,source'}),
        ({'CUPY_TF32': '1'}, {'CUPRUM_TF32': '1'}),
        ({'CUPY_TF32': '0'}, {}),
        ({'CUPY_TF32': '1', 'CUPRUM_TF32': '0'}, {'CUPRUM_TF32': '0'}),
        ({'CUPY_ACCELERATORS': 'cub'}, {}),
        ({'CUPY_CUDA_ARRAY_INTERFACE_SYNC': '0'}, {'CUPRUM_CUDA_ARRAY_INTERFACE_SYNC': '0'}),
    ],
)
def test_counterparts(given, expected):
    environ = dict(given)
    _environment.apply(environ)
    assert {name: value for name, value in environ.items() if name.startswith('CUPRUM_')} == expected


def test_variables_are_described_with_their_counterparts():
    described = dict(_environment.describe({'CUPY_TF32': '1', 'CUPY_NVRTC_USE_PCH': '1', 'OTHER': '1'}))
    assert described['CUPY_TF32'] == '1 (CUPRUM_TF32)' and len(described) == 2


def test_the_source_is_stored_next_to_the_code(tmp_path):
    code = 'import cupy; cupy.RawKernel(\'extern "C" __global__ void kept() {}\', "kept").compile()'
    run(code, CUPY_CACHE_DIR=str(tmp_path), CUPY_CACHE_SAVE_CUDA_SOURCE='1')
    sources = [path for path in tmp_path.rglob('*.cu') if 'void kept()' in path.read_text()]
    assert len(sources) == 1 and sources[0].read_text().startswith('// raw, compiled for')
    assert sources[0].with_suffix('').stat().st_size > 0


def test_a_cache_in_memory_writes_nothing(tmp_path):
    run('import cupy; print((cupy.arange(3) + 1).tolist())', CUPY_CACHE_DIR=str(tmp_path), CUPY_CACHE_IN_MEMORY='1')
    assert list(tmp_path.iterdir()) == []


def test_the_source_of_a_failed_compile_is_printed():
    code = 'import cupy\ntry:\n    cupy.RawKernel("the source", "f").compile()\nexcept cupy.cuda.compiler.CompileException: print("raised")'
    assert run(code) == ('raised\n', '')
    printed, dumped = run(code, CUPY_DUMP_CUDA_SOURCE_ON_ERROR='1')
    assert printed == 'raised\n' and '1 | the source' in dumped


def test_kernels_with_debug_information_run(tmp_path):
    code = """
import cupy
x = cupy.arange(1000.)
print(float((x * 2).sum()), int(cupy.argsort(-x)[0]))
"""
    printed, _ = run(code, CUPY_CUDA_COMPILE_WITH_DEBUG='1', CUPY_CACHE_SAVE_CUDA_SOURCE='1', CUPY_CACHE_DIR=str(tmp_path))
    assert printed == '999000.0 999\n'
    heads = {path.read_text().splitlines()[0] for path in tmp_path.rglob('*.cu')}
    assert heads and all('--device-debug --generate-line-info' in head for head in heads)


def test_kernels_are_compiled_to_ptx(tmp_path):
    code = 'import cupy; print(float(cupy.arange(10.).sum()))'
    printed, _ = run(code, CUPY_COMPILE_WITH_PTX='1', CUPY_CACHE_DIR=str(tmp_path))
    assert printed == '45.0\n'
    codes = [path.read_bytes() for path in tmp_path.rglob('*') if path.is_file()]
    assert codes and all(b'.address_size 64' in code for code in codes)


def test_seeds():
    code = 'import cupy; print(cupy.random.rand(2).tolist() == cupy.random.RandomState(6).rand(2).tolist())'
    for name in ('CUPY_SEED', 'CUPRUM_SEED'):
        assert run(code, **{name: '6'})[0] == 'True\n'
    _, error = run(code, status=1, CUPY_SEED='six')
    assert "CUPRUM_SEED is 'six': it must be an integer" in error


def test_accelerators():
    code = 'from cupy import _core; print(_core.get_routine_accelerators(), _core.get_reduction_accelerators())'
    assert run(code)[0] == '[1] [1]\n'
    assert run(code, CUPY_ACCELERATORS='cutensor, cub')[0] == '[2, 1] [2, 1]\n'
    assert "'cudnn' is none of" in run(code, status=1, CUPY_ACCELERATORS='cudnn')[1]


def test_an_invalid_switch_is_named():
    _, error = run('import cupy; cupy.arange(3) + 1', status=1, CUPRUM_COMPILE_DEBUG='yes')
    assert 'CUPRUM_COMPILE_DEBUG is "yes": it is 1, 0, or not set' in error


def test_show_config_has_the_rows_that_a_report_to_cupy_has():
    printed, _ = run('import cupy; cupy.show_config(_full=True)', CUPY_TF32='1', CUPY_ACCELERATORS='cub')
    rows = dict(re.split(r'\s+: ', line, maxsplit=1) for line in printed.split('\n\n')[0].splitlines() if ' : ' in line)
    for name in 'OS, Python Version, CuPy Version, NumPy Version, SciPy Version, CUDA Root, nvcc PATH, NVRTC Version, cuBLAS Library'.split(', '):
        assert name in rows, (name, printed)
    assert rows['CUPY_TF32'] == '1 (CUPRUM_TF32)' and rows['CuPy Version'].startswith('1')
    assert 'Kernel cache' in printed and 'CUPRUM_TF32           1' in printed
