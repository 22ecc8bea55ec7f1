// Scalar types, named as the dtypes' device names. The 64-bit types are `long long`, as in PTX.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define DEVICE __device__ __forceinline__

// A value of any dtype among the parameters of a kernel: 16 bytes.
template <class T> union parameter {
  T value;
  u64 words[2];
};

// The two results of an operation that has two.
template <class A, class B> struct pair { A first; B second; };

DEVICE f32 bits_to_f32(u32 b) { return __uint_as_float(b); }
DEVICE u32 f32_to_bits(f32 x) { return __float_as_uint(x); }

// Integers wrap: signed overflow is undefined in C++, so sums and products go through the unsigned type.
template <class T> struct unsigned_of { typedef T type; };
template <> struct unsigned_of<i8> { typedef u8 type; };
template <> struct unsigned_of<i16> { typedef u16 type; };
template <> struct unsigned_of<i32> { typedef u32 type; };
template <> struct unsigned_of<i64> { typedef u64 type; };
template <class T> DEVICE T wrapping_add(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)(U)((U)a + (U)b); }
template <class T> DEVICE T wrapping_sub(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)(U)((U)a - (U)b); }
// 16-bit operands would be promoted to a signed int, whose product can overflow: they are widened to 32 bits unsigned
// first.
template <class T> DEVICE T wrapping_mul(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)(U)(1u * (U)a * (U)b); }
template <class T> DEVICE T wrapping_neg(T a) { return wrapping_sub((T)0, a); }

// The sum over the lanes of a whole warp: one instruction from sm_80 on.
DEVICE u32 warp_sum(u32 x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, x);
#else
#pragma unroll
  for (u32 lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
#endif
}
