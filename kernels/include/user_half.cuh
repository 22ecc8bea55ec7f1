// 16-bit floating-point numbers, under the names of their dtypes: storage only; arithmetic is that of float.
#define CUPRUM_ASSIGNMENTS(T)                                                                                          \
  __device__ T &operator+=(float x) { return *this = T((float)*this + x); }                                            \
  __device__ T &operator-=(float x) { return *this = T((float)*this - x); }                                            \
  __device__ T &operator*=(float x) { return *this = T((float)*this * x); }                                            \
  __device__ T &operator/=(float x) { return *this = T((float)*this / x); }
class float16 {
  unsigned short bits;
public:
  CUPRUM_ASSIGNMENTS(float16)
  __device__ float16() {}
  __device__ float16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __device__ operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};
class bfloat16 {
  unsigned short bits;
public:
  CUPRUM_ASSIGNMENTS(bfloat16)
  __device__ bfloat16() {}
  // Rounded to nearest, ties to even; a NaN remains one.
  __device__ bfloat16(float x) {
    const unsigned u = __float_as_uint(x);
    bits = x != x ? 0x7fc0 : (unsigned short)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  __device__ operator float() const { return __uint_as_float((unsigned)bits << 16); }
};
#undef CUPRUM_ASSIGNMENTS
