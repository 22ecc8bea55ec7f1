"""Device functions that translated functions call."""

__all__ = ['COMPLEX_CODE', 'DEVICE_CODE']

# The prefix `py_` is reserved for them: user names with this prefix are renamed.
DEVICE_CODE = r'''#include <cuprum/kernel.cuh>
#define PY template <class T> __device__ inline T
// Integers wrap around, in unsigned arithmetic; division by zero gives zero.
PY py_add(T a, T b) { return (T)((unsigned long long)a + (unsigned long long)b); }
PY py_subtract(T a, T b) { return (T)((unsigned long long)a - (unsigned long long)b); }
PY py_multiply(T a, T b) { return (T)((unsigned long long)a * (unsigned long long)b); }
PY py_negative(T a) { return (T)(0ull - (unsigned long long)a); }
PY py_absolute(T a) { return a < (T)0 ? py_negative(a) : a; }
PY py_power(T a, T b) {
  if (b < (T)0) return a == (T)1 || (a == (T)-1 && (b & 1) == 0) ? (T)1 : a == (T)-1 ? (T)-1 : (T)0;
  T r = 1;
  for (; b > (T)0; b = (T)(b >> 1)) {
    if (b & 1) r = py_multiply(r, a);
    a = py_multiply(a, a);
  }
  return r;
}
PY py_floor_divide(T a, T b) {
  if (b == (T)0) return (T)0;
  if ((T)-1 < (T)0 && b == (T)-1) return py_negative(a);
  const T q = (T)(a / b);
  return (T)-1 < (T)0 && (T)(a % b) != (T)0 && (a < (T)0) != (b < (T)0) ? (T)(q - 1) : q;
}
PY py_remainder(T a, T b) {
  if (b == (T)0 || ((T)-1 < (T)0 && b == (T)-1)) return (T)0;
  const T r = (T)(a % b);
  return r != (T)0 && (r < (T)0) != (b < (T)0) ? (T)(r + b) : r;
}
PY py_left_shift(T a, T b) {
  return (unsigned long long)b < 8 * sizeof(T) ? (T)((unsigned long long)a << (unsigned long long)b) : (T)0;
}
PY py_right_shift(T a, T b) {
  return (unsigned long long)b < 8 * sizeof(T) ? (T)(a >> b) : a < (T)0 ? (T)-1 : (T)0;
}
// -1, 0 or 1: integers of both signs are compared by value.
__device__ inline int py_order(long long a, unsigned long long b) {
  return a < 0 || (unsigned long long)a < b ? -1 : (unsigned long long)a > b;
}
PY py_float_remainder(T a, T b) {
  const T r = fmod(a, b);
  return r == (T)0 ? copysign(r, b) : (r < (T)0) != (b < (T)0) && r == r ? r + b : r;
}
PY py_float_floor_divide(T a, T b) {
  if (b == (T)0) return a / b;
  const T r = fmod(a, b);
  T q = (a - r) / b;
  if (r != (T)0 && (b < (T)0) != (r < (T)0)) q -= (T)1;
  if (q == (T)0) return copysign((T)0, a / b);
  const T down = floor(q);
  return q - down > (T)0.5 ? down + (T)1 : down;
}
__device__ inline float py_floor_divide(float a, float b) { return py_float_floor_divide(a, b); }
__device__ inline double py_floor_divide(double a, double b) { return py_float_floor_divide(a, b); }
__device__ inline float py_remainder(float a, float b) { return py_float_remainder(a, b); }
__device__ inline double py_remainder(double a, double b) { return py_float_remainder(a, b); }
PY py_sign(T a) { return a != a ? a : (T)((a > (T)0) - (a < (T)0)); }
PY py_square(T a) { return a * a; }
// Of two numbers, a NaN where one is; `fmin` and `fmax` pass over it.
PY py_minimum(T a, T b) { return a != a || a < b ? a : b; }
PY py_maximum(T a, T b) { return a != a || b < a ? a : b; }
PY py_fmin(T a, T b) { return b != b || a <= b ? a : b; }
PY py_fmax(T a, T b) { return b != b || b <= a ? a : b; }
__device__ inline bool py_true(double a) { return a != 0; }
__device__ inline bool py_true(float a) { return a != 0; }
__device__ inline bool py_true(float16 a) { return (float)a != 0; }
template <class T> __device__ inline bool py_true(T a) { return a != (T)0; }
__device__ inline float16 py_half(double a) {
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(a));
  return *(float16 *)&bits;
}
'''

# Device functions of complex numbers.
COMPLEX_CODE = r'''#include <cuprum/complex.cuh>
template <class T> __device__ inline bool py_true(complex<T> a) { return a.real() != 0 || a.imag() != 0; }
// Complex numbers are ordered by their real parts, then by their imaginary ones; none of it holds for a NaN.
template <class T> __device__ inline bool py_less(complex<T> a, complex<T> b) {
  return (a.real() < b.real() && a.imag() == a.imag() && b.imag() == b.imag()) || (a.real() == b.real() && a.imag() < b.imag());
}
template <class T> __device__ inline bool py_less_equal(complex<T> a, complex<T> b) {
  return (a.real() < b.real() && a.imag() == a.imag() && b.imag() == b.imag()) || (a.real() == b.real() && a.imag() <= b.imag());
}
'''
