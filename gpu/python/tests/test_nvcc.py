"""Tests of kernels that nvcc compiles, with a program in its place where there is none, and of include paths."""

import os
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest

import cuprum as cp

SOURCE = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= BY; }'

# It writes prepared code and adds its arguments to a list.
FAKE = """#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/calls"
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then cp "$here/code" "$2"; fi
    shift
done
grep -q broken "$1" && { echo "raw.cu(1): error: broken" >&2; exit 2; }
exit 0
"""

PROGRAM = """
import numpy as np, cuprum as cp
x = cp.arange(3, dtype='f')
kernel = cp.RawKernel(SOURCE, 'twice', ('-DBY=2', '-std=c++20'), backend='nvcc')
kernel((1,), (3,), (x,))
print(x.tolist())
"""


def run(program, folder, **variables):
    environment = {**os.environ, 'NVCC': str(folder / 'nvcc'), 'CUPRUM_CACHE_DIR': str(folder / 'cache'), **variables}
    return subprocess.run([sys.executable, '-c', f'SOURCE = {SOURCE!r}\n{program}'], env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def fake(tmp_path):
    program = tmp_path / 'nvcc'
    program.write_text(FAKE)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / 'code').write_bytes(bytes(cp.RawCode(SOURCE, options=('-DBY=2',))))
    return tmp_path


def test_the_program_is_called_once_and_its_code_is_cached(fake):
    for _ in range(2):
        done = run(PROGRAM, fake)
        assert done.stdout == '[0.0, 2.0, 4.0]\n', done.stderr
    calls = (fake / 'calls').read_text().splitlines()
    assert len(calls) == 1
    kind = '--ptx' if cp.cuda.runtime.getDeviceCount() == 0 or 'sim' in str(cp.cuda.Device()).lower() else ''
    assert calls[0].startswith(kind) and '-DBY=2' in calls[0].split() and calls[0].count('-std') == 1
    # Another compiler: another key.
    (fake / 'nvcc').write_text(FAKE + '# changed\n')
    assert run(PROGRAM, fake).stdout == '[0.0, 2.0, 4.0]\n' and len((fake / 'calls').read_text().splitlines()) == 2


def test_a_changed_header_is_compiled_anew(fake):
    program = PROGRAM.replace('SOURCE,', '"#include <by.h>\\n" + SOURCE,').replace("'-DBY=2'", f"'-I{fake}'")
    for value in (2, 3, 3):
        (fake / 'by.h').write_text(f'#define BY {value}\n')
        assert run(program, fake).returncode == 0
    assert len((fake / 'calls').read_text().splitlines()) == 2


def test_an_error_of_the_program_has_its_output_and_the_source(fake):
    done = run('import cuprum as cp; cp.RawKernel("broken", "f", backend="nvcc").compile()', fake)
    assert done.returncode == 1 and 'CompileException' in done.stderr
    assert 'error: broken' in done.stderr and '1 | broken' in done.stderr


def test_a_missing_program_is_an_error_that_says_what_to_do(tmp_path):
    done = run('import cuprum as cp; cp.RawKernel(SOURCE, "twice", backend="nvcc").compile()', tmp_path)
    assert done.returncode == 1
    for part in (str(tmp_path / 'nvcc'), 'is missing', 'backend nvrtc', 'NVCC'):
        assert part in done.stderr, done.stderr


def test_what_the_backend_does_not_take():
    with pytest.raises(ValueError, match="backend is 'clang'"):
        cp.RawKernel(SOURCE, 'twice', backend='clang')
    with pytest.raises(ValueError, match='jitify needs'):
        cp.RawModule(code=SOURCE, backend='nvcc', jitify=True)
    with pytest.raises(ValueError, match='translate_cucomplex'):
        cp.RawModule(code=SOURCE, backend='nvcc', translate_cucomplex=True)
    with pytest.raises(ValueError, match='name expression "f<int>" needs the backend nvrtc'):
        cp.RawModule(code='template <class T> __global__ void f() {}', backend='nvcc', name_expressions=['f<int>']).compile()


@pytest.mark.skipif(cp.cuda.get_nvcc_path() is None or not shutil.which('g++'), reason='there is no nvcc')
def test_nvcc_compiles_with_the_headers_of_its_toolkit():
    source = """
#include <cuda_fp16.h>
#include <type_traits>
extern "C" __global__ void halve(__half *x, std::conditional<true, int, float>::type n) {
    if (threadIdx.x < n) x[threadIdx.x] = __hmul(x[threadIdx.x], __float2half(0.5f));
}
"""
    x = cp.arange(4, dtype='e')
    cp.RawKernel(source, 'halve', backend='nvcc')((1,), (32,), (x, np.int32(4)))
    assert x.tolist() == [0, 0.5, 1, 1.5]
    with pytest.raises(cp.cuda.compiler.CompileException, match='undeclared'):
        cp.RawKernel('extern "C" __global__ void f() { undeclared = 1; }', 'f', backend='nvcc').compile()


@pytest.mark.parametrize('jitify', [None, False, True])
def test_headers_are_searched_in_the_folders_of_the_options(tmp_path, jitify):
    (tmp_path / 'inner').mkdir()
    (tmp_path / 'outer.h').write_text('#pragma once\n#include "inner/by.h"\n#include <type_traits>\n')
    (tmp_path / 'inner' / 'by.h').write_text('template <class T> __device__ T by() { return 3; }\n')
    source = """
#include <outer.h>
#include <outer.h>
extern "C" __global__ void scale(int *x) { x[threadIdx.x] *= by<std::remove_const<const int>::type>(); }
"""
    x = cp.arange(3, dtype='i')
    cp.RawModule(code=source, options=('-I', str(tmp_path)), jitify=jitify).get_function('scale')((1,), (3,), (x,))
    assert x.tolist() == [0, 3, 6]
