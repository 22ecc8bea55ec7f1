// Counterparts of what CUDA's compiler has built in, for AMD GPUs: compiled, never run.
//
// A wavefront has 64 lanes, on which two warps of 32 run: a lane is that of its half, votes are those of the half, and
// shuffles stay in it. Both warps may diverge; a kernel must not make one wait for the other outside of a barrier.
//
// hipRTC precedes every source with HIP's own headers: their macros are replaced, and its compile puts the rest of this
// one and the source into a namespace, whose names hide those of the same spelling.
#undef __align__
#undef __launch_bounds__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
// clang rejects `alignas` after `__shared__`.
#define alignas(n) __attribute__((aligned(n)))
// Functions without an execution space are functions of the device.
#pragma clang force_cuda_host_device begin
#pragma clang fp contract(off)

typedef __SIZE_TYPE__ size_t;

#define HIP_DEVICE static __device__ __forceinline__

// Vectors of CUDA.
#define HIP_VECTORS(type, name, quarter)                                                          \
  struct __align__(2 * sizeof(type)) name##2 { type x, y; };                                      \
  struct __align__(quarter) name##4 { type x, y, z, w; };                                         \
  HIP_DEVICE name##2 make_##name##2(type x, type y) { return {x, y}; }                            \
  HIP_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HIP_VECTORS(signed char, char, 4)
HIP_VECTORS(unsigned char, uchar, 4)
HIP_VECTORS(short, short, 8)
HIP_VECTORS(unsigned short, ushort, 8)
HIP_VECTORS(int, int, 16)
HIP_VECTORS(unsigned, uint, 16)
HIP_VECTORS(long long, longlong, 16)
HIP_VECTORS(unsigned long long, ulonglong, 16)
HIP_VECTORS(float, float, 16)
HIP_VECTORS(double, double, 16)
#undef HIP_VECTORS
struct uint3 { unsigned x, y, z; };

// Indices of threads and blocks.
HIP_DEVICE uint3 hip_thread() {
  return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()};
}
HIP_DEVICE uint3 hip_block() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()};
}
HIP_DEVICE uint3 hip_block_size() {
  return {__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z()};
}
HIP_DEVICE uint3 hip_grid_size() {
  const uint3 block = hip_block_size();
  return {__builtin_amdgcn_grid_size_x() / block.x, __builtin_amdgcn_grid_size_y() / block.y,
          __builtin_amdgcn_grid_size_z() / block.z};
}
#define threadIdx hip_thread()
#define blockIdx hip_block()
#define blockDim hip_block_size()
#define gridDim hip_grid_size()

// Warps: `hip_lane` is the lane in the wavefront.
HIP_DEVICE unsigned hip_lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
HIP_DEVICE unsigned hip_half() { return hip_lane() & 32; }
// The comparison is the vote of compilers before LLVM 16; 33 is "not equal".
#if __has_builtin(__builtin_amdgcn_ballot_w64)
#define HIP_BALLOT(vote) __builtin_amdgcn_ballot_w64(vote)
#else
#define HIP_BALLOT(vote) __builtin_amdgcn_uicmp((unsigned)(vote), 0u, 33)
#endif
HIP_DEVICE unsigned hip_ballot(bool vote) { return (unsigned)(HIP_BALLOT(vote) >> hip_half()); }
HIP_DEVICE unsigned __ballot_sync(unsigned mask, bool vote) { return hip_ballot(vote) & mask; }
HIP_DEVICE bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
HIP_DEVICE bool __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, !vote) == 0; }
HIP_DEVICE unsigned __activemask() { return hip_ballot(true); }
HIP_DEVICE void __syncwarp(unsigned = ~0u) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
// The value of a lane of the same half, word by word.
template <class T> HIP_DEVICE T hip_value_of(T value, unsigned lane) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  int word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (unsigned i = 0; i < words; ++i) word[i] = __builtin_amdgcn_ds_bpermute((hip_half() | lane) * 4, word[i]);
  __builtin_memcpy(&value, word, sizeof(T));
  return value;
}
template <class T> HIP_DEVICE T __shfl_sync(unsigned, T value, int from, int width = 32) {
  const unsigned lane = hip_lane() & 31, first = lane & ~(width - 1);
  return hip_value_of(value, first | (from & (width - 1)));
}
template <class T> HIP_DEVICE T __shfl_xor_sync(unsigned, T value, int with, int width = 32) {
  const unsigned lane = hip_lane() & 31, from = lane ^ with, end = (lane & ~(width - 1)) + width;
  return hip_value_of(value, from < end ? from : lane);
}
template <class T> HIP_DEVICE T __shfl_up_sync(unsigned, T value, unsigned by, int width = 32) {
  const unsigned lane = hip_lane() & 31, own = lane & (width - 1);
  return hip_value_of(value, own >= by ? lane - by : lane);
}
template <class T> HIP_DEVICE T __shfl_down_sync(unsigned, T value, unsigned by, int width = 32) {
  const unsigned lane = hip_lane() & 31, own = lane & (width - 1);
  return hip_value_of(value, own + by < (unsigned)width ? lane + by : lane);
}
HIP_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  for (int with = 16; with > 0; with /= 2) value += __shfl_xor_sync(mask, value, with);
  return value;
}

// Barriers and fences.
HIP_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
HIP_DEVICE int __syncthreads_count(int vote) {
  __shared__ int count;
  const uint3 t = threadIdx;
  if ((t.x | t.y | t.z) == 0) count = 0;
  __syncthreads();
  if (vote) __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  const int all = count;
  __syncthreads();
  return all;
}
HIP_DEVICE int __syncthreads_or(int vote) { return __syncthreads_count(vote) != 0; }
HIP_DEVICE int __syncthreads_and(int vote) { return __syncthreads_count(!vote) == 0; }
HIP_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
HIP_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
HIP_DEVICE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }

// Atomic operations, at the scope of the device.
#define HIP_ATOMIC(name, call)                                                                    \
  template <class T, class U> HIP_DEVICE T name(T *at, U value) {                                 \
    return call(at, (T)value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                        \
  }
HIP_ATOMIC(atomicAdd, __hip_atomic_fetch_add)
HIP_ATOMIC(atomicMin, __hip_atomic_fetch_min)
HIP_ATOMIC(atomicMax, __hip_atomic_fetch_max)
HIP_ATOMIC(atomicAnd, __hip_atomic_fetch_and)
HIP_ATOMIC(atomicOr, __hip_atomic_fetch_or)
HIP_ATOMIC(atomicXor, __hip_atomic_fetch_xor)
HIP_ATOMIC(atomicExch, __hip_atomic_exchange)
#undef HIP_ATOMIC
template <class T, class U, class V> HIP_DEVICE T atomicCAS(T *at, U expected, V value) {
  T found = (T)expected;
  __hip_atomic_compare_exchange_strong(at, &found, (T)value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return found;
}

// Bits.
HIP_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
HIP_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HIP_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
HIP_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
HIP_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
HIP_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
HIP_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HIP_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HIP_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned)(both >> (selector >> (4 * i) & 7) * 8 & 0xff) << (8 * i);
  return r;
}
HIP_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
HIP_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
HIP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
HIP_DEVICE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
HIP_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HIP_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HIP_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HIP_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HIP_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
HIP_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
HIP_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }

// Arithmetic in one rounding mode, without contraction.
HIP_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HIP_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
HIP_DEVICE float __fadd_rn(float a, float b) { return a + b; }
HIP_DEVICE float __fmul_rn(float a, float b) { return a * b; }
HIP_DEVICE double __dadd_rn(double a, double b) { return a + b; }
// The next number below the sum, if that was rounded upwards: the error of the sum is exact (D. E. Knuth, "The Art of
// Computer Programming", volume 2, 1997). An exact sum of 0 is -0, unless both terms are +0.
HIP_DEVICE double __dadd_rd(double a, double b) {
  const double r = a + b, z = r - a, error = (a - (r - z)) + (b - z);
  const long long bits = __double_as_longlong(r), signs = __double_as_longlong(a) | __double_as_longlong(b);
  if (error < 0) return __longlong_as_double(bits + (r < 0 ? 1 : -1));
  if (r == __builtin_inf() && a < r && b < r) return __longlong_as_double(bits - 1);
  return r == 0 && signs < 0 ? -0.0 : r;
}
HIP_DEVICE double __dsub_rn(double a, double b) { return a - b; }
HIP_DEVICE double __dmul_rn(double a, double b) { return a * b; }
HIP_DEVICE float __fdiv_rn(float a, float b) { return a / b; }
HIP_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
HIP_DEVICE float __fdividef(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
extern "C" __device__ float __ocml_native_log2_f32(float);
extern "C" __device__ float __ocml_native_exp2_f32(float);
HIP_DEVICE float __logf(float x) { return __ocml_native_log2_f32(x) * 0.693147180559945309f; }
HIP_DEVICE float __expf(float x) { return __ocml_native_exp2_f32(x * 1.442695040888963407f); }
HIP_DEVICE float __frcp_rn(float x) { return 1.0f / x; }

// Conversions that saturate, as CUDA's do. NaN is the value that CUDA documents for it.
#define HIP_CONVERT(name, from, to, lowest, highest, of_nan)                                      \
  HIP_DEVICE to name(from x) {                                                                    \
    const from cut = __builtin_trunc((double)x);                                                  \
    if (x != x) return of_nan;                                                                    \
    return cut <= (from)lowest ? (to)lowest : cut >= (from)highest ? (to)highest : (to)cut;       \
  }
HIP_CONVERT(__float2int_rz, float, int, (-0x7fffffff - 1), 0x7fffffff, 0)
HIP_CONVERT(__float2uint_rz, float, unsigned, 0, 0xffffffffu, 0)
HIP_CONVERT(__float2ll_rz, float, long long, (-0x7fffffffffffffffLL - 1), 0x7fffffffffffffffLL, (long long)(1ULL << 63))
HIP_CONVERT(__float2ull_rz, float, unsigned long long, 0, 0xffffffffffffffffULL, 1ULL << 63)
HIP_CONVERT(__double2int_rz, double, int, (-0x7fffffff - 1), 0x7fffffff, (int)(1U << 31))
HIP_CONVERT(__double2uint_rz, double, unsigned, 0, 0xffffffffu, 1U << 31)
HIP_CONVERT(__double2ll_rz, double, long long, (-0x7fffffffffffffffLL - 1), 0x7fffffffffffffffLL, (long long)(1ULL << 63))
HIP_CONVERT(__double2ull_rz, double, unsigned long long, 0, 0xffffffffffffffffULL, 1ULL << 63)
#undef HIP_CONVERT
// Rounded towards zero: the next number of smaller magnitude where rounding to nearest has gone beyond.
template <class T> HIP_DEVICE double hip_towards_zero(T x) {
  const double r = (double)x, end = sizeof(T) == 8 && (T)-1 > 0 ? 0x1p64 : 0x1p63;
  const bool beyond = r >= end || (r > 0 ? (T)r > x : (T)r < x);
  return beyond ? __longlong_as_double(__double_as_longlong(r) - 1) : r;
}
HIP_DEVICE double __ll2double_rz(long long x) { return hip_towards_zero(x); }
HIP_DEVICE double __ull2double_rz(unsigned long long x) { return hip_towards_zero(x); }
HIP_DEVICE float __double2float_rn(double x) { return (float)x; }
HIP_DEVICE float __double2float_rz(double x) {
  const float r = (float)x;
  return __builtin_fabs((double)r) > __builtin_fabs(x) ? __int_as_float(__float_as_int(r) - 1) : r;
}
HIP_DEVICE float __int2float_rz(int x) { return __double2float_rz((double)x); }
HIP_DEVICE int __float2int_rn(float x) { return (int)__builtin_rintf(x); }

// Mathematical functions: those of the device library, under C's names for both precisions.
#define HIP_MATH1(name, library)                                                                  \
  extern "C" __device__ float __ocml_##library##_f32(float);                                      \
  extern "C" __device__ double __ocml_##library##_f64(double);                                    \
  HIP_DEVICE float name##f(float x) { return __ocml_##library##_f32(x); }                         \
  HIP_DEVICE float name(float x) { return __ocml_##library##_f32(x); }                            \
  HIP_DEVICE double name(double x) { return __ocml_##library##_f64(x); }
#define HIP_MATH2(name, library)                                                                  \
  extern "C" __device__ float __ocml_##library##_f32(float, float);                               \
  extern "C" __device__ double __ocml_##library##_f64(double, double);                            \
  HIP_DEVICE float name##f(float x, float y) { return __ocml_##library##_f32(x, y); }             \
  HIP_DEVICE float name(float x, float y) { return __ocml_##library##_f32(x, y); }                \
  HIP_DEVICE double name(double x, double y) { return __ocml_##library##_f64(x, y); }
HIP_MATH1(acos, acos) HIP_MATH1(acosh, acosh) HIP_MATH1(asin, asin) HIP_MATH1(asinh, asinh) HIP_MATH1(atan, atan)
HIP_MATH1(atanh, atanh) HIP_MATH1(cbrt, cbrt) HIP_MATH1(ceil, ceil) HIP_MATH1(cos, cos) HIP_MATH1(cosh, cosh)
HIP_MATH1(cospi, cospi) HIP_MATH1(erf, erf) HIP_MATH1(erfc, erfc) HIP_MATH1(erfcinv, erfcinv) HIP_MATH1(erfcx, erfcx)
HIP_MATH1(erfinv, erfinv) HIP_MATH1(exp, exp) HIP_MATH1(exp10, exp10) HIP_MATH1(exp2, exp2) HIP_MATH1(expm1, expm1)
HIP_MATH1(fabs, fabs) HIP_MATH1(floor, floor) HIP_MATH1(j0, j0) HIP_MATH1(j1, j1) HIP_MATH1(lgamma, lgamma)
HIP_MATH1(log, log) HIP_MATH1(log10, log10) HIP_MATH1(log1p, log1p) HIP_MATH1(log2, log2) HIP_MATH1(logb, logb)
HIP_MATH1(nearbyint, nearbyint) HIP_MATH1(normcdf, ncdf) HIP_MATH1(normcdfinv, ncdfinv) HIP_MATH1(rcbrt, rcbrt)
HIP_MATH1(rint, rint) HIP_MATH1(round, round) HIP_MATH1(rsqrt, rsqrt) HIP_MATH1(sin, sin) HIP_MATH1(sinh, sinh)
HIP_MATH1(sinpi, sinpi) HIP_MATH1(tan, tan) HIP_MATH1(tanh, tanh) HIP_MATH1(tgamma, tgamma) HIP_MATH1(trunc, trunc)
HIP_MATH1(y0, y0) HIP_MATH1(y1, y1) HIP_MATH1(cyl_bessel_i0, i0) HIP_MATH1(cyl_bessel_i1, i1)
HIP_MATH2(atan2, atan2) HIP_MATH2(copysign, copysign) HIP_MATH2(fdim, fdim) HIP_MATH2(fmax, fmax) HIP_MATH2(fmin, fmin)
HIP_MATH2(fmod, fmod) HIP_MATH2(hypot, hypot) HIP_MATH2(nextafter, nextafter) HIP_MATH2(pow, pow)
HIP_MATH2(remainder, remainder)
#undef HIP_MATH1
#undef HIP_MATH2
HIP_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
HIP_DEVICE float sqrt(float x) { return __builtin_sqrtf(x); }
HIP_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
HIP_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HIP_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HIP_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
HIP_DEVICE float ldexpf(float x, int e) { return __builtin_amdgcn_ldexpf(x, e); }
HIP_DEVICE float ldexp(float x, int e) { return __builtin_amdgcn_ldexpf(x, e); }
HIP_DEVICE double ldexp(double x, int e) { return __builtin_amdgcn_ldexp(x, e); }
HIP_DEVICE float scalbnf(float x, int e) { return ldexpf(x, e); }
HIP_DEVICE double scalbn(double x, int e) { return ldexp(x, e); }
HIP_DEVICE int ilogbf(float x) { return (int)logbf(x); }
HIP_DEVICE int ilogb(float x) { return (int)logbf(x); }
HIP_DEVICE int ilogb(double x) { return (int)logb(x); }
HIP_DEVICE float frexpf(float x, int *e) {
  const bool special = !(__builtin_fabsf(x) < __builtin_inff()) || x == 0;
  *e = special ? 0 : __builtin_amdgcn_frexp_expf(x);
  return special ? x : __builtin_amdgcn_frexp_mantf(x);
}
HIP_DEVICE float frexp(float x, int *e) { return frexpf(x, e); }
HIP_DEVICE double frexp(double x, int *e) {
  const bool special = !(__builtin_fabs(x) < __builtin_inf()) || x == 0;
  *e = special ? 0 : __builtin_amdgcn_frexp_exp(x);
  return special ? x : __builtin_amdgcn_frexp_mant(x);
}
HIP_DEVICE float modff(float x, float *whole) { *whole = truncf(x); return copysignf(x - *whole, x); }
HIP_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
HIP_DEVICE double modf(double x, double *whole) { *whole = trunc(x); return copysign(x - *whole, x); }
HIP_DEVICE void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
HIP_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
HIP_DEVICE void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
HIP_DEVICE void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
HIP_DEVICE void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
template <class T> HIP_DEVICE bool isnan(T x) { return x != x; }
template <class T> HIP_DEVICE bool isinf(T x) { return __builtin_isinf(x); }
template <class T> HIP_DEVICE bool isfinite(T x) { return __builtin_isfinite(x); }
HIP_DEVICE bool signbit(float x) { return __builtin_signbitf(x); }
HIP_DEVICE bool signbit(double x) { return __builtin_signbit(x); }
HIP_DEVICE int abs(int x) { return x < 0 ? -x : x; }
HIP_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
HIP_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
HIP_DEVICE float abs(float x) { return fabsf(x); }
HIP_DEVICE double abs(double x) { return fabs(x); }
HIP_DEVICE long long llrint(double x) { return (long long)rint(x); }
HIP_DEVICE long long llrintf(float x) { return (long long)rintf(x); }
template <class T, class U> HIP_DEVICE auto min(T a, U b) -> decltype(a + b) { return a < b ? a : b; }
template <class T, class U> HIP_DEVICE auto max(T a, U b) -> decltype(a + b) { return a < b ? b : a; }
HIP_DEVICE void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
HIP_DEVICE void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
HIP_DEVICE bool __isGlobal(const void *) { return true; }
// Shared memory is reached by ordinary pointers.
HIP_DEVICE size_t __cvta_generic_to_shared(const void *at) { return (size_t)at; }

// Inline PTX, by its instructions.
template <class T> HIP_DEVICE void hip_opaque(T &) {}
HIP_DEVICE void hip_opaque() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "singlethread"); }
// Sources have them for CUDA's architectures alone.
HIP_DEVICE void hip_copy_to_shared(unsigned, const void *, size_t) = delete;
HIP_DEVICE void hip_wait_for_copies() = delete;
template <class... T> HIP_DEVICE void hip_multiply_matrices(T &&...) = delete;
HIP_DEVICE void hip_widen_half(float &r, unsigned short bits) { r = (float)__builtin_bit_cast(_Float16, bits); }
HIP_DEVICE void hip_round_to_half(unsigned short &r, float x) { r = __builtin_bit_cast(unsigned short, (_Float16)x); }
HIP_DEVICE void hip_round_to_half(unsigned short &r, double x) { r = __builtin_bit_cast(unsigned short, (_Float16)x); }
// Pairs of float16 numbers. A NaN has the bits 0x7fff.
HIP_DEVICE void hip_pair(unsigned &r, unsigned short low, unsigned short high) { r = (unsigned)low | (unsigned)high << 16; }
HIP_DEVICE void hip_low_half(unsigned short &r, unsigned x) { r = (unsigned short)x; }
HIP_DEVICE void hip_high_half(unsigned short &r, unsigned x) { r = (unsigned short)(x >> 16); }
HIP_DEVICE unsigned hip_half_bits(float x) { return x != x ? 0x7fffu : __builtin_bit_cast(unsigned short, (_Float16)x); }
HIP_DEVICE float hip_half_value(unsigned bits) { return (float)__builtin_bit_cast(_Float16, (unsigned short)bits); }
HIP_DEVICE void hip_round_to_pair(unsigned &r, float high, float low) { r = hip_half_bits(low) | hip_half_bits(high) << 16; }
#define HIP_PAIRS(expression)                                                             \
  const auto of = [](float x, float y) { return expression; };                             \
  hip_round_to_pair(r, of(hip_half_value(a >> 16), hip_half_value(b >> 16)), of(hip_half_value(a), hip_half_value(b)))
HIP_DEVICE void hip_add_pairs(unsigned &r, unsigned a, unsigned b) { HIP_PAIRS(x + y); }
HIP_DEVICE void hip_subtract_pairs(unsigned &r, unsigned a, unsigned b) { HIP_PAIRS(x - y); }
HIP_DEVICE void hip_multiply_pairs(unsigned &r, unsigned a, unsigned b) { HIP_PAIRS(x * y); }
HIP_DEVICE void hip_maximum_of_pairs(unsigned &r, unsigned a, unsigned b) { HIP_PAIRS(x != x || y != y ? x + y : fmaxf(x, y)); }
HIP_DEVICE void hip_minimum_of_pairs(unsigned &r, unsigned a, unsigned b) { HIP_PAIRS(x != x || y != y ? x + y : fminf(x, y)); }
#undef HIP_PAIRS
HIP_DEVICE void hip_round_to_bfloat16(unsigned short &r, float x) {
  const unsigned b = __float_as_uint(x);
  r = x != x ? 0x7fff : (unsigned short)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);
}
HIP_DEVICE void hip_dot4(int &r, int a, int b, int sum) {
  for (int i = 0; i < 4; ++i) sum += (int)(signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  r = sum;
}
HIP_DEVICE void hip_dot4(unsigned &r, unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 4; ++i) sum += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  r = sum;
}
template <class T> HIP_DEVICE void hip_load_relaxed(T &r, const T *at) {
  r = __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> HIP_DEVICE void hip_store_relaxed(T *at, T value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
HIP_DEVICE void hip_and(unsigned &r, unsigned a, unsigned b) { r &= a & b; }
HIP_DEVICE void hip_multiply_add(unsigned &r, unsigned a, unsigned b, unsigned c) { r = a * b + c; }
HIP_DEVICE void hip_maximum(float &r, float a, float b) { r = a != a || b != b ? __uint_as_float(0x7fffffffu) : fmaxf(a, b); }
HIP_DEVICE void hip_minimum(float &r, float a, float b) { r = a != a || b != b ? __uint_as_float(0x7fffffffu) : fminf(a, b); }
HIP_DEVICE void hip_prefetch(const void *) {}
HIP_DEVICE void hip_no_policy(unsigned long long &policy) { policy = 0; }
HIP_DEVICE void hip_store_with_policy(unsigned *at, unsigned word, unsigned long long) { *at = word; }
HIP_DEVICE void hip_power_of_two(float &r, float x) { r = __builtin_amdgcn_exp2f(x); }
HIP_DEVICE void hip_reciprocal(float &r, float x) { r = __builtin_amdgcn_rcpf(x); }
HIP_DEVICE void hip_reciprocal_root(float &r, float x) { r = __builtin_amdgcn_rsqf(x); }
HIP_DEVICE void hip_lanes_of_bit(unsigned &r, unsigned digit, unsigned bit, unsigned) {
  const bool mine = digit & bit;
  const unsigned set = hip_ballot(mine);
  r = mine ? set : ~set;
}
#line 1
