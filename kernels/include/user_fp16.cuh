// CUDA's names of 16-bit floating-point numbers, and of the most common operations with them. Each result is rounded
// once.
typedef float16 half;
typedef float16 __half;
typedef bfloat16 nv_bfloat16;
typedef bfloat16 __nv_bfloat16;
struct __align__(4) half2 {
  half x, y;
};
typedef half2 __half2;
struct __align__(4) __nv_bfloat162 {
  bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

__device__ inline half __float2half(float x) { return half(x); }
__device__ inline half __float2half_rn(float x) { return half(x); }
__device__ inline half __double2half(double x) {
  half r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(*(unsigned short *)&r) : "d"(x));
  return r;
}
__device__ inline float __half2float(half x) { return x; }
__device__ inline half __int2half_rn(int x) { return half((float)x); }
__device__ inline half __uint2half_rn(unsigned x) { return half((float)x); }
__device__ inline int __half2int_rn(half x) { return __float2int_rn(x); }
__device__ inline int __half2int_rz(half x) { return __float2int_rz(x); }
__device__ inline unsigned short __half_as_ushort(half x) { return *(unsigned short *)&x; }
__device__ inline half __ushort_as_half(unsigned short x) { return *(half *)&x; }
__device__ inline bfloat16 __float2bfloat16(float x) { return bfloat16(x); }
__device__ inline bfloat16 __float2bfloat16_rn(float x) { return bfloat16(x); }
__device__ inline float __bfloat162float(bfloat16 x) { return x; }
__device__ inline unsigned short __bfloat16_as_ushort(bfloat16 x) { return *(unsigned short *)&x; }
__device__ inline bfloat16 __ushort_as_bfloat16(unsigned short x) { return *(bfloat16 *)&x; }

// A sum, difference, product or quotient in float may be rounded twice without changing the result; a fused
// multiply-add may not.
#define CUPRUM_HALVES(T, T2, kind)                                                                                     \
  __device__ inline T __hadd(T a, T b) { return T((float)a + (float)b); }                                              \
  __device__ inline T __hsub(T a, T b) { return T((float)a - (float)b); }                                              \
  __device__ inline T __hmul(T a, T b) { return T((float)a * (float)b); }                                              \
  __device__ inline T __hdiv(T a, T b) { return T(__fdiv_rn(a, b)); }                                                  \
  __device__ inline T __hfma(T a, T b, T c) {                                                                          \
    T r;                                                                                                               \
    asm("fma.rn." kind " %0, %1, %2, %3;"                                                                              \
        : "=h"(*(unsigned short *)&r)                                                                                  \
        : "h"(*(unsigned short *)&a), "h"(*(unsigned short *)&b), "h"(*(unsigned short *)&c));                         \
    return r;                                                                                                          \
  }                                                                                                                    \
  __device__ inline T __hneg(T a) { return T(-(float)a); }                                                             \
  __device__ inline T __habs(T a) { return T(fabsf(a)); }                                                              \
  __device__ inline T __hmax(T a, T b) { return T(fmaxf(a, b)); }                                                      \
  __device__ inline T __hmin(T a, T b) { return T(fminf(a, b)); }                                                      \
  __device__ inline bool __heq(T a, T b) { return (float)a == (float)b; }                                              \
  __device__ inline bool __hne(T a, T b) { return (float)a != (float)b; }                                              \
  __device__ inline bool __hlt(T a, T b) { return (float)a < (float)b; }                                               \
  __device__ inline bool __hle(T a, T b) { return (float)a <= (float)b; }                                              \
  __device__ inline bool __hgt(T a, T b) { return (float)a > (float)b; }                                               \
  __device__ inline bool __hge(T a, T b) { return (float)a >= (float)b; }                                              \
  __device__ inline bool __hisnan(T a) { return (float)a != (float)a; }                                                \
  __device__ inline T hsqrt(T a) { return T(__fsqrt_rn(a)); }                                                          \
  __device__ inline T hexp(T a) { return T(expf(a)); }                                                                 \
  __device__ inline T hlog(T a) { return T(logf(a)); }                                                                 \
  __device__ inline T hrcp(T a) { return T(1.0f / (float)a); }                                                         \
  __device__ inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }                            \
  __device__ inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }                            \
  __device__ inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }                            \
  __device__ inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }            \
  __device__ inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                            \
  __device__ inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                            \
  __device__ inline T2 __hneg2(T2 a) { return {__hneg(a.x), __hneg(a.y)}; }                                            \
  __device__ inline float __low2float(T2 a) { return a.x; }                                                            \
  __device__ inline float __high2float(T2 a) { return a.y; }
CUPRUM_HALVES(half, half2, "f16")
CUPRUM_HALVES(bfloat16, __nv_bfloat162, "bf16")
#undef CUPRUM_HALVES

__device__ inline half2 make_half2(half x, half y) { return {x, y}; }
__device__ inline half2 __halves2half2(half x, half y) { return {x, y}; }
__device__ inline half2 __half2half2(half x) { return {x, x}; }
__device__ inline half2 __float2half2_rn(float x) { return {half(x), half(x)}; }
__device__ inline half2 __floats2half2_rn(float x, float y) { return {half(x), half(y)}; }
__device__ inline half2 __float22half2_rn(float2 x) { return {half(x.x), half(x.y)}; }
__device__ inline float2 __half22float2(half2 x) { return make_float2(x.x, x.y); }
__device__ inline half __low2half(half2 x) { return x.x; }
__device__ inline half __high2half(half2 x) { return x.y; }
__device__ inline __nv_bfloat162 __halves2bfloat162(bfloat16 x, bfloat16 y) { return {x, y}; }
__device__ inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {bfloat16(x), bfloat16(y)}; }
__device__ inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {bfloat16(x), bfloat16(x)}; }
__device__ inline float2 __bfloat1622float2(__nv_bfloat162 x) { return make_float2(x.x, x.y); }

__device__ inline half atomicAdd(half *to, half x) {
  half old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(*(unsigned short *)&old)
               : "l"(to), "h"(*(unsigned short *)&x)
               : "memory");
  return old;
}
__device__ inline half2 atomicAdd(half2 *to, half2 x) {
  half2 old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(*(unsigned *)&old) : "l"(to), "r"(*(unsigned *)&x) : "memory");
  return old;
}
