"""Tests of shapes, types and headers of user-defined kernels."""

import ctypes
import io

import numpy as np
import pytest

import cuprum as cp

ONE = ((1,), (1,))


def test_outputs_take_part_in_broadcasting():
    kernel = cp.ElementwiseKernel('float32 a, int32 n', 'float32 y', 'y = a + n + i', 'add_index')
    a = np.arange(3, dtype='f')
    y = cp.zeros((2, 3), dtype='f')
    assert kernel(cp.array(a), 1, y) is y
    np.testing.assert_array_equal(y.get(), a + 1 + np.arange(6).reshape(2, 3))
    # A NumPy scalar is cast to the type of its parameter.
    np.testing.assert_array_equal(kernel(cp.array(a), np.int64(3)).get(), a + 3 + np.arange(3))
    np.testing.assert_array_equal(kernel(cp.array(a), np.float64(3.7)).get(), a + 3 + np.arange(3))
    for wrong in (cp.zeros(2, dtype='f'), cp.zeros((1, 1), dtype='f'), cp.zeros((), dtype='f')):
        with pytest.raises(ValueError):
            kernel(cp.array(a), 1, wrong)
    with pytest.raises(OverflowError):
        kernel(cp.array(a), np.int64(1 << 40))
    with pytest.raises(TypeError, match='a is float64, and its parameter is declared as float32'):
        kernel(cp.array(a, dtype='d'), 1)
    letters = cp.ElementwiseKernel('T x, T y', 'T z', 'z = x - y', 'difference')
    assert letters(cp.array(a), np.float64(2)).dtype == np.float32
    with pytest.raises(TypeError, match='y is int32, and T is float32'):
        letters(cp.array(a), cp.array([1], dtype='i'))


def test_the_number_of_elements_has_to_be_known():
    raw = cp.ElementwiseKernel('raw float32 x', 'float32 y', 'y = x[i]', 'taken')
    x, y = cp.arange(4, dtype='f'), cp.zeros(2, dtype='f')
    assert raw(x, size=3).tolist() == [0, 1, 2] and raw(x, y).tolist() == [0, 1]
    number = cp.ElementwiseKernel('float32 x', 'float32 y', 'y = x', 'number')
    nothing = cp.ElementwiseKernel('', 'float32 y', 'y = 1', 'nothing')
    for call in (lambda: raw(x), lambda: raw(x, y, size=2), lambda: number(1.0), lambda: nothing(), lambda: number(x, size=4)):
        with pytest.raises(ValueError):
            call()
    whole = cp.ElementwiseKernel('raw T x', 'raw T y', 'y[i] = x[i] + 1', 'whole')
    assert whole(x, size=4).tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match='raw output y'):
        cp.ElementwiseKernel('T x', 'raw T y', 'y[i] = x', 'half_raw')(x)


@pytest.mark.parametrize('name', ['1', 'a b', '', 'x-y', 'float', 'for', 'a.b'])
def test_names_that_are_no_identifiers(name):
    with pytest.raises(ValueError, match='Invalid kernel name'):
        cp.ElementwiseKernel('T x', 'T y', 'y = x', name)
    with pytest.raises(ValueError, match='Invalid kernel name'):
        cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', name)


def test_raw_arrays_by_every_kind_of_index():
    x = cp.arange(6.0).reshape(2, 3)
    kernel = cp.ElementwiseKernel(
        'T x, raw T r',
        'T y',
        '''
        int narrow[2] = {(int)_ind.get()[0], (int)_ind.get()[1]};
        long long wide[] = {_ind.get()[0], _ind.get()[1]};
        const ptrdiff_t *pointer = _ind.get();
        const unsigned *of_unsigned = (const unsigned *)narrow;
        y = r[_ind.get()] + 10 * r[narrow] + 100 * r[wide] + 1000 * r[pointer] + 10000 * r[of_unsigned] + 0 * r[i]''',
        'indexed',
        reduce_dims=False,
    )
    for each in (x, cp.asfortranarray(x), cp.arange(12.0).reshape(2, 6)[:, ::2]):
        np.testing.assert_array_equal(kernel(each, each).get(), each.get() * 11111)


def test_preambles_may_declare_what_is_there():
    kernel = cp.ElementwiseKernel(
        'T x',
        'uint64 y',
        'uint64_t z = twice(x); y = z + (M_PI > 3) + isinf(INFINITY) + isnan(NAN)',
        'declared',
        preamble='''
        typedef unsigned long long uint64_t;
        __device__ uint64_t twice(uint64_t x) { return 2 * x; }''',
    )
    assert kernel(cp.arange(3)).tolist() == [3, 5, 7]
    largest = cp.ElementwiseKernel('float32 x', 'raw float32 y', 'atomicMax(&y[0], x); atomicMin(&y[1], x)', 'extremes')
    for values in ([3, -5, 7, 0.5], [-3, -5, -7, -0.5]):
        y = cp.array([-np.inf, np.inf], dtype='f')
        largest(cp.array(values, dtype='f'), y)
        assert y.tolist() == [max(values), min(values)]


def test_indices_of_reductions():
    x = np.arange(24.0).reshape(2, 3, 4)
    weights = np.arange(4.0) + 1
    summed = cp.ReductionKernel('T x, raw T w', 'T y', 'x * w[_in_ind.get()[0]] + 0 * _J', 'a + b', 'y = a + 100 * _out_ind.get()[1]', '0', 'weighed')
    expected = (x * weights).sum(-1) + 100 * np.arange(3)
    np.testing.assert_array_equal(summed(cp.array(x), cp.array(weights), axis=2).get(), expected)
    where = cp.ReductionKernel('T x', 'int64 y', 'x > 5 ? (long long)_J : 1 << 20', 'min(a, b)', 'y = a', '1 << 20', 'first_above', reduce_type='int64')
    np.testing.assert_array_equal(where(cp.array(x), axis=1).get(), np.argmax(x > 5, axis=1) + (x <= 5).all(1) * (1 << 20))
    with pytest.raises(ValueError, match='not known'):
        cp.ReductionKernel('raw T x', 'T y', 'x[i]', 'a + b', 'y = a', '0', 'raw_alone')(cp.array(x))


class Pair(ctypes.Structure):
    _fields_ = [('n', ctypes.c_int), ('x', ctypes.c_double)]


def test_arguments_by_value():
    kernel = cp.RawKernel(
        r'''
        struct Pair { int n; double x; };
        struct Three { float v[3]; };
        extern "C" __global__ void by_value(double *out, Pair p, Three t, Pair q, float f, const double *none, int c) {
            out[0] = p.n + p.x; out[1] = t.v[0] + t.v[1] + t.v[2]; out[2] = q.n * q.x; out[3] = f; out[4] = none == nullptr; out[5] = c;
        }''',
        'by_value',
    )
    out = cp.zeros(6)
    aligned = np.dtype([('n', 'i4'), ('x', 'f8')], align=True)
    kernel(*ONE, (out, Pair(3, 1.5), np.array([1, 2, 4], 'f'), np.array([(5, 0.5)], aligned), np.array([2.5], 'f'), None, ctypes.c_int(7)))
    assert out.tolist() == [4.5, 7, 2.5, 2.5, 1, 7]
    with pytest.raises(TypeError, match='has 16 bytes, and its parameter has 12'):
        kernel(*ONE, (out, Pair(), np.ones(4, 'f'), Pair(), 1.0, None, 1))


def test_headers():
    kernel = cp.RawKernel(
        r'''
        #include <cupy/complex.cuh>
        #include <cupy/carray.cuh>
        #include <cupy/atomics.cuh>
        #include <cupy/math_constants.h>
        #include <type_traits>
        #include <limits>
        #include <float.h>
        #include <stdint.h>
        template <class T> __device__ typename std::enable_if<std::is_floating_point<T>::value, int>::type kind(T) { return 1; }
        template <class T> __device__ typename std::enable_if<std::is_integral<T>::value, int>::type kind(T) { return 2; }
        extern "C" __global__ void f(double *out, float16 *h) {
            out[0] = M_PI; out[1] = isinf(INFINITY); out[2] = isnan(NAN); out[3] = std::numeric_limits<float>::max() == FLT_MAX;
            out[4] = 10 * kind(1.5f) + kind((uint8_t)3); out[5] = std::is_same<std::make_unsigned_t<int>, uint32_t>::value;
            out[6] = std::numeric_limits<double>::infinity() > DBL_MAX && std::numeric_limits<int>::min() == INT_MIN;
            h[0] += float16(1.5f); h[0] *= 2.0f; h[0] -= h[0] / 2; h[0] /= 0.5f;
            atomicAdd(h + 1, float16(0.25f));
        }''',
        'f',
    )
    out, h = cp.zeros(7), cp.ones(2, dtype='e')
    kernel(*ONE, (out, h))
    assert out.tolist() == [np.pi, 1, 1, 1, 12, 1, 1] and h.tolist() == [5, 1.25]
    if cp.cuda.is_available():
        # An installed toolkit has the first two.
        return
    for header, instead in (
        ('curand_kernel.h', 'curand_kernel.h is not built in'),
        ('cub/cub.cuh', 'reductions, scans and sorts'),
        ('mine.h', 'the option -I'),
    ):
        with pytest.raises(cp.cuda.compiler.CompileException, match=instead):
            cp.RawKernel(f'#include <{header}>\nextern "C" __global__ void f() {{}}', 'f').compile()


FUNCTIONS = 'sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh exp log log10 sqrt'.split()


@pytest.mark.parametrize('dtype', ['F', 'D'])
def test_functions_of_complex_numbers(dtype):
    lines = [f'y[{k}] = {f.replace("arc", "a")}(x);' for k, f in enumerate(FUNCTIONS)]
    kernel = cp.ElementwiseKernel(
        'T x, T p',
        'raw T r, raw bool s',
        f'T y[{len(FUNCTIONS) + 3}]; {" ".join(lines)}'
        + f'''
        y[{len(FUNCTIONS)}] = pow(x, p); y[{len(FUNCTIONS) + 1}] = pow(x, 2); y[{len(FUNCTIONS) + 2}] = pow(x, (T)p);
        for (int k = 0; k < {len(FUNCTIONS) + 3}; k++) r[k * n + i] = y[k];
        s[i] = isnan(x) || isinf(x) || !isfinite(x) || !(x <= x) || x < x''',
        'functions',
    )
    x = np.array([0.5 + 0.25j, -2 + 3j, 1.5 - 0.125j, -0.25 - 4j]).astype(dtype)
    r, s = cp.zeros((len(FUNCTIONS) + 3, 4), dtype=dtype), cp.ones(4, dtype=bool)
    kernel(cp.array(x), 1.5 - 1j, r, s)
    wide = x.astype('D')
    expected = [getattr(np, f)(wide) for f in FUNCTIONS] + [wide ** (1.5 - 1j), wide**2, wide ** (1.5 - 1j)]
    np.testing.assert_allclose(r.get(), np.array(expected), rtol=4 * np.finfo(dtype).eps)
    assert not s.any()


CUCOMPLEX = r'''#include <cuComplex.h>
extern "C" __global__ void f(const cuFloatComplex *a, const cuDoubleComplex *b, cuDoubleComplex *out, cuFloatComplex z) {
    cuFloatComplex s = cuCaddf(a[0], z) * a[1] - cuConjf(a[0]) / 2;
    out[0] = cuComplexFloatToDouble(s);
    out[1] = cuCmul(b[0], b[1]) + cuCdiv(b[0], make_cuDoubleComplex(0, 2)) * cuCabs(b[1]);
    out[2] = make_cuDoubleComplex(cuCreal(b[0]), cuCimagf(a[1]));
}'''


def test_numbers_of_cucomplex_with_operators():
    a, b = np.array([1 + 2j, 3 - 1j], 'F'), np.array([2 - 1j, 3 + 4j])
    for z in (np.complex64(1 - 1j), 1 - 1j):
        out = cp.zeros(3, dtype='D')
        cp.RawModule(code=CUCOMPLEX, translate_cucomplex=True).get_function('f')(*ONE, (cp.array(a), cp.array(b), out, z))
        np.testing.assert_allclose(out.get(), [(a[0] + z) * a[1] - a[0].conj() / 2, b[0] * b[1] + b[0] / 2j * 5, 2 - 1j], rtol=1e-6)
    with pytest.raises(cp.cuda.compiler.CompileException):
        cp.RawKernel(CUCOMPLEX, 'f').compile()


def test_the_log_of_the_compiler():
    log = io.StringIO()
    kernel = cp.RawKernel('extern "C" __global__ void f(int *x) { int unused; x[0] = N; }', 'f', options=('-DN=4',))
    kernel.compile(log_stream=log)
    assert 'unused' in log.getvalue()
    x = cp.zeros(1, dtype='i')
    kernel(*ONE, (x,))
    assert x.tolist() == [4]
    cp.RawModule(code='__device__ int quiet;').compile(log_stream=(log := io.StringIO()))
    assert log.getvalue() == ''
