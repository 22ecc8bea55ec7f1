// The names of CUDA's header `cuComplex.h` for complex<float> and complex<double>, which have operators.
typedef complex<float> cuFloatComplex;
typedef complex<double> cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define CUPRUM_OF(Z, T, F)                                                                                             \
  __device__ inline T cuCreal##F(Z z) { return z.real(); }                                                             \
  __device__ inline T cuCimag##F(Z z) { return z.imag(); }                                                             \
  __device__ inline Z cuConj##F(Z z) { return conj(z); }                                                               \
  __device__ inline Z cuCadd##F(Z a, Z b) { return a + b; }                                                            \
  __device__ inline Z cuCsub##F(Z a, Z b) { return a - b; }                                                            \
  __device__ inline Z cuCmul##F(Z a, Z b) { return a * b; }                                                            \
  __device__ inline Z cuCdiv##F(Z a, Z b) { return a / b; }                                                            \
  __device__ inline T cuCabs##F(Z z) { return abs(z); }                                                                \
  __device__ inline Z cuCfma##F(Z a, Z b, Z c) { return a * b + c; }
CUPRUM_OF(cuFloatComplex, float, f)
CUPRUM_OF(cuDoubleComplex, double, )
#undef CUPRUM_OF
__device__ inline cuFloatComplex make_cuFloatComplex(float re, float im) { return cuFloatComplex(re, im); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double re, double im) { return cuDoubleComplex(re, im); }
__device__ inline cuComplex make_cuComplex(float re, float im) { return cuComplex(re, im); }
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex(z); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex(z); }
