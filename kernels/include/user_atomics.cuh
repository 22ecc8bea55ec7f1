// Atomic operations that CUDA's runtime lacks: on float16, and minimum and maximum of floating-point numbers.
__device__ inline float16 atomicAdd(float16 *at, float16 value) {
  unsigned short old;
  const unsigned short added = *(unsigned short *)&value;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(at), "h"(added) : "memory");
  return *(float16 *)&old;
}
// The bits as integers have the order of the numbers if both are positive, and the reverse order if one is negative. A
// NaN is larger than every number there, and remains.
#define CUPRUM_OF(T, S, U, to_bits, to_signed_bits, from_bits)                                                         \
  __device__ inline T atomicMax(T *at, T value) {                                                                      \
    return value != value || !(to_signed_bits(value) < 0)                                                              \
               ? from_bits(atomicMax((S *)at, (S)to_signed_bits(value)))                                               \
               : from_bits((S)atomicMin((U *)at, (U)to_bits(value)));                                                  \
  }                                                                                                                    \
  __device__ inline T atomicMin(T *at, T value) {                                                                      \
    return value != value || !(to_signed_bits(value) < 0)                                                              \
               ? from_bits(atomicMin((S *)at, (S)to_signed_bits(value)))                                               \
               : from_bits((S)atomicMax((U *)at, (U)to_bits(value)));                                                  \
  }
CUPRUM_OF(float, int, unsigned int, __float_as_uint, __float_as_int, __int_as_float)
CUPRUM_OF(double, long long, unsigned long long, (unsigned long long)__double_as_longlong, __double_as_longlong,
          __longlong_as_double)
#undef CUPRUM_OF
