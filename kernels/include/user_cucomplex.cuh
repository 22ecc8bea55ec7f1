// The complex numbers of CUDA's header `cuComplex.h`, which are those of C.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define CUPRUM_OF(Z, T, F)                                                                                             \
  __device__ inline T cuCreal##F(Z z) { return z.x; }                                                                  \
  __device__ inline T cuCimag##F(Z z) { return z.y; }                                                                  \
  __device__ inline Z cuConj##F(Z z) { z.y = -z.y; return z; }                                                         \
  __device__ inline Z cuCadd##F(Z a, Z b) { a.x += b.x; a.y += b.y; return a; }                                        \
  __device__ inline Z cuCsub##F(Z a, Z b) { a.x -= b.x; a.y -= b.y; return a; }                                        \
  __device__ inline Z cuCmul##F(Z a, Z b) {                                                                            \
    Z c;                                                                                                               \
    c.x = a.x * b.x - a.y * b.y;                                                                                       \
    c.y = a.x * b.y + a.y * b.x;                                                                                       \
    return c;                                                                                                          \
  }                                                                                                                    \
  __device__ inline T cuCabs##F(Z z) { return hypot(z.x, z.y); }                                                       \
  /* Scaled by the larger part, so that nothing overflows on the way. */                                               \
  __device__ inline Z cuCdiv##F(Z a, Z b) {                                                                            \
    const T scale = 1 / (fabs(b.x) + fabs(b.y)), ar = a.x * scale, ai = a.y * scale, br = b.x * scale,                 \
            bi = b.y * scale, over = 1 / (br * br + bi * bi);                                                          \
    Z c;                                                                                                               \
    c.x = (ar * br + ai * bi) * over;                                                                                  \
    c.y = (ai * br - ar * bi) * over;                                                                                  \
    return c;                                                                                                          \
  }                                                                                                                    \
  __device__ inline Z cuCfma##F(Z a, Z b, Z c) { return cuCadd##F(cuCmul##F(a, b), c); }
CUPRUM_OF(cuFloatComplex, float, f)
CUPRUM_OF(cuDoubleComplex, double, )
#undef CUPRUM_OF
__device__ inline cuFloatComplex make_cuFloatComplex(float re, float im) { return make_float2(re, im); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double re, double im) { return make_double2(re, im); }
__device__ inline cuComplex make_cuComplex(float re, float im) { return make_float2(re, im); }
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_float2((float)z.x, (float)z.y); }
