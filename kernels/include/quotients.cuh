// Quotients and square roots of N float32 numbers, rounded as by `/` and sqrt: an approximate reciprocal, one step of
// Newton's method, and a correction by the remainder (P. Markstein, "Computation of Elementary Functions on the IBM
// RISC System/6000 Processor", 1990). The steps are those of the compiler's own functions for numbers in the middle of
// the range, which round correctly with the approximations of NVIDIA GPUs. A remainder is exact if the dividend is at
// least 2^-102; a result is NaN if a step overflows, and NaN or 0 if the reciprocal is not a normal number. So the least
// of the results and dividends, of which a NaN is one, tells whether all are right; otherwise all N are computed again.
// One branch for N numbers, so that they are computed side by side.
constexpr f32 QUOTIENT_LEAST = 0x1p-100f, ROOT_LEAST = 0x1p-50f;

#ifndef __HIP__
DEVICE f32 quotient_reciprocal(f32 b) {
  f32 r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  return __fmaf_rn(r, __fmaf_rn(-b, r, 1.0f), r);
}
DEVICE f32 quotient_by_reciprocal(f32 a, f32 b, f32 r) {
  const f32 near = a * r;
  return __fmaf_rn(__fmaf_rn(-b, near, a), r, near);
}
#endif
template <int N> DEVICE void quotients(f32 (&q)[N], const f32 (&a)[N], const f32 (&b)[N]) {
#ifndef __HIP__
  f32 least = 1;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    q[j] = quotient_by_reciprocal(a[j], b[j], quotient_reciprocal(b[j]));
    least = one_nan_minimum(least, one_nan_minimum(fabsf(a[j]), fabsf(q[j])));
  }
  if (least >= QUOTIENT_LEAST) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) q[j] = a[j] / b[j];
}
// Quotients by one divisor, with which the least quotient is also a bound of the dividends.
template <int N> DEVICE void quotients(f32 (&q)[N], const f32 (&a)[N], f32 b) {
#ifndef __HIP__
  const f32 r = quotient_reciprocal(b), bound = fmaxf(QUOTIENT_LEAST * fabsf(r), QUOTIENT_LEAST);
  f32 least = bits_to_f32(0x7f800000u);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    q[j] = quotient_by_reciprocal(a[j], b, r);
    least = one_nan_minimum(least, fabsf(q[j]));
  }
  if (least >= bound) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) q[j] = a[j] / b;
}

template <int N> DEVICE void square_roots(f32 (&s)[N], const f32 (&a)[N]) {
#ifndef __HIP__
  f32 least = 1;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    f32 r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a[j]));
    const f32 near = a[j] * r;
    s[j] = __fmaf_rn(__fmaf_rn(-near, near, a[j]), r * 0.5f, near);
    least = one_nan_minimum(least, s[j]);
  }
  if (least >= ROOT_LEAST) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) s[j] = sqrt(a[j]);
}
