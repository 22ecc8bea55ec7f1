"""Tests of user-defined kernels."""

import numpy as np
import pytest

import cuprum as cp


def test_a_raw_kernel_takes_what_c_takes():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void fill(const float *x, double *out, int n, double by, signed char c, bool flag, long long k) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n && flag) out[i] = x[i] * by + c + k;
        }""",
        "fill",
    )
    x, out = cp.arange(70, dtype=np.float32), cp.zeros(70)
    kernel((3,), (32,), (x, out, np.int32(70), np.float64(0.5), np.int8(-3), True, 1 << 40))
    np.testing.assert_array_equal(out.get(), np.arange(70) * 0.5 - 3 + (1 << 40))
    assert kernel.max_threads_per_block == 1024 and "shared_size_bytes" in kernel.attributes
    with pytest.raises(TypeError, match="takes arrays"):
        kernel((1,), (1,), (x, "text"))


def test_structs_shared_memory_and_streams():
    kernel = cp.RawKernel(
        r"""
        struct Pair { int a; double b; };
        extern "C" __global__ void f(double *out, Pair p) {
            extern __shared__ double room[];
            room[threadIdx.x] = p.a * p.b;
            __syncthreads();
            out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x] + threadIdx.x;
        }""",
        "f",
    )
    pair = np.array((3, 1.5), dtype=np.dtype([("a", np.int32), ("b", np.float64)], align=True))
    out = cp.zeros(4)
    kernel((1,), (4,), (out, pair), shared_mem=32, stream=cp.cuda.Stream())
    np.testing.assert_array_equal(out.get(), [4.5, 5.5, 6.5, 7.5])


def test_a_module_has_templates_and_variables():
    module = cp.RawModule(
        code=r"""
        __device__ int unused;
        extern "C" { __constant__ float factor[2]; }
        template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= (T)factor[1]; }
        """,
        name_expressions=["scale<float>", "scale<double>"],
    )
    host = np.array([1, 4], dtype=np.float32)
    module.get_global("factor").copy_from_host(host.ctypes.data, 8)
    for dtype, name in ((np.float32, "scale<float>"), (np.float64, "scale<double>")):
        x = cp.arange(3, dtype=dtype)
        module.get_function(name)((1,), (3,), (x,))
        np.testing.assert_array_equal(x.get(), [0, 4, 8])


def test_pieces_are_linked(tmp_path):
    library = cp.RawCode('extern "C" __device__ float f(float x) { return 2 * x; } __device__ float table[2] = {1, 5};')
    text = r'''
        extern "C" __device__ float f(float);
        extern __device__ float table[2];
        extern "C" __global__ void apply(float *x) { x[threadIdx.x] = f(x[threadIdx.x]) + table[1]; }'''
    (tmp_path / "user.cu").write_text(text)
    (tmp_path / "library.bin").write_bytes(bytes(library))
    for module in (
        cp.RawModule(code=text, link=[library], link_options=("-O3",)),
        cp.RawModule(path=tmp_path / "user.cu", link=[cp.RawCode(path=tmp_path / "library.bin")]),
    ):
        x = cp.arange(3, dtype=np.float32)
        module.get_function("apply")((1,), (3,), (x,))
        np.testing.assert_array_equal(x.get(), [5, 7, 9])
    with pytest.raises(cp.cuda.compiler.CompileException, match="which no piece defines|f"):
        cp.RawModule(code=text, link=[cp.RawCode("__device__ int other;")]).compile()
    with pytest.raises(TypeError, match="RawCode"):
        cp.RawModule(code=text, link=[bytes(library)])


def test_code_for_the_linker_is_made_without_a_gpu():
    alone = 'extern "C" __global__ void k(int *x) { x[threadIdx.x] += 1; }'
    assert cp.RawCode(alone, options=("-dlto",)).kind == "LTO-IR"
    x = cp.zeros(2, dtype=np.int32)
    module = cp.RawModule(code=alone, options=("-dlto",))
    try:
        module.get_function("k")((1,), (2,), (x,))
    except (NotImplementedError, OSError, ImportError) as rejected:
        assert "LTO-IR" in str(rejected) or "nvJitLink" in str(rejected)
    else:
        assert x.tolist() == [1, 1]


def test_a_text_that_does_not_compile_says_why():
    kernel = cp.RawKernel('extern "C" __global__ void f() { nonsense; }', "f")
    with pytest.raises(cp.cuda.compiler.CompileException, match="nonsense"):
        kernel((1,), (1,), ())
    with pytest.raises(cp.CUDADriverError, match="g"):
        cp.RawKernel('extern "C" __global__ void f() {}', "g").compile()


def test_elementwise_kernels():
    squared = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    y = cp.arange(5, dtype=np.float32)
    want = (x.get() - y.get()) ** 2
    np.testing.assert_array_equal(squared(x, y).get(), want)
    np.testing.assert_array_equal(squared(x, 5).get(), (x.get() - 5) ** 2)
    out = cp.empty((2, 5), dtype=np.float32)
    assert squared(x, y, out) is out
    np.testing.assert_array_equal(out.get(), want)
    with pytest.raises(TypeError, match="mismatched"):
        squared(x.astype(np.float64), y)
    with pytest.raises(TypeError, match="Wrong number"):
        squared(x)


def test_letters_several_outputs_and_raw_arrays():
    both = cp.ElementwiseKernel("T x, T y", "T a, T b", "a = x + y; b = x - y", "both")
    a, b = both(cp.array([5, 6]), 2)
    assert a.dtype == np.int64 and a.tolist() == [7, 8] and b.tolist() == [3, 4]
    reverse = cp.ElementwiseKernel("raw T x", "raw T y", "y[_ind.size() - i - 1] = x[i]", "reverse")
    y = cp.empty(4)
    reverse(cp.arange(4.0), y, size=4)
    assert y.tolist() == [3, 2, 1, 0]
    total = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[i] + y[n - i - 1]", "total", preamble="#define UNUSED 1")
    assert total(cp.arange(3), cp.array([10, 20, 30])).tolist() == [40, 41, 42]
    named = cp.ElementwiseKernel("int32 n", "int32 y", "y = n * n")
    assert int(named(7, cp.zeros((), dtype=np.int32))) == 49
    assert both.name == "both" and both.nin == 2 and both.nout == 2


def test_functions_of_the_preamble():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = twice(x)", "use", preamble="template <class T> __device__ T twice(T x) { return x + x; }")
    for dtype in (np.int8, np.float16, np.complex64):
        np.testing.assert_array_equal(kernel(cp.arange(4).astype(dtype)).get(), (np.arange(4) * 2).astype(dtype))


def test_reduction_kernels():
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    np.testing.assert_allclose(norm(x, axis=1).get(), np.sqrt((x.get() ** 2).sum(axis=1)), rtol=1e-6)
    np.testing.assert_allclose(norm(x).get(), np.sqrt((x.get() ** 2).sum()), rtol=1e-6)
    assert norm(x, axis=0, keepdims=True).shape == (1, 5)
    counted = cp.ReductionKernel("T x, T limit", "int64 n", "x > limit", "a + b", "n = a", "0", "counted", reduce_type="int64")
    assert int(counted(cp.arange(1000), 990)) == 9


def test_numbers_of_pythons_take_the_size_of_their_parameter():
    kernel = cp.RawKernel(
        r"""
        #include <cuprum/complex.cuh>
        extern "C" __global__ void f(double *out, int n, float x, unsigned char b, complex<float> z) {
            out[0] = n; out[1] = x; out[2] = b; out[3] = z.imag();
        }""",
        "f",
    )
    out = cp.zeros(4)
    kernel((1,), (1,), (out, -3, 1.5, 200, 2j))
    assert out.tolist() == [-3, 1.5, 200, 2]
    with pytest.raises(OverflowError, match="does not fit"):
        kernel((1,), (1,), (out, 1 << 40, 1.5, 1, 2j))
    with pytest.raises(TypeError, match="takes 5 arguments, and 4 are given"):
        kernel((1,), (1,), (out, 1, 1.5, 1))
    with pytest.raises(TypeError, match="has 8 bytes, and its parameter has 4"):
        kernel((1,), (1,), (out, np.int64(1), 1.5, 1, 2j))


def test_arrays_by_value_files_and_blocks_that_meet(tmp_path):
    (tmp_path / "by.h").write_text("#define BY 3")
    (tmp_path / "f.cu").write_text(r"""
        #include "by.h"
        #include <cuprum/array.cuh>
        extern "C" __global__ void f(CArray<double, 2> x) { x[threadIdx.x] *= BY; }""")
    x = cp.arange(4.0).reshape(2, 2)
    cp.RawModule(path=str(tmp_path / "f.cu")).get_function("f")((1,), (3,), (x.T,))
    # The first three elements of the transpose.
    assert x.tolist() == [[0, 3], [6, 3]]
    kernel = cp.RawKernel(
        r"""
        #include <cooperative_groups.h>
        extern "C" __global__ void meet(int *x, int *y) {
            x[blockIdx.x] = blockIdx.x + 1;
            cooperative_groups::this_grid().sync();
            y[blockIdx.x] = x[1 - blockIdx.x];
        }""",
        "meet",
        enable_cooperative_groups=True,
    )
    y = cp.zeros(2, dtype=np.int32)
    kernel((2,), (1,), (cp.zeros(2, dtype=np.int32), y))
    assert y.tolist() == [2, 1]
    kernel.max_dynamic_shared_size_bytes = 96 << 10
    assert kernel.max_dynamic_shared_size_bytes == 96 << 10
    assert kernel.suggested_block() % 32 == 0 and kernel.max_active_blocks(64) >= 1
