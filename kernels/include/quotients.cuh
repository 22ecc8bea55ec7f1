// Quotients and square roots of N float32 numbers, rounded as by `/` and sqrt: an approximate reciprocal, one step of
// Newton's method, and a correction by the remainder (P. Markstein, "Computation of Elementary Functions on the IBM
// RISC System/6000 Processor", 1990). The steps are those of the compiler's own functions for numbers in the middle of
// the range, which round correctly with the approximations of NVIDIA GPUs. A remainder is exact if the dividend is at
// least 2^-102; a result is NaN if a step overflows, and NaN or 0 if the reciprocal is not a normal number. So the least
// of the results and dividends, of which a NaN is one, tells whether all are right; otherwise all N are computed again.
// One branch for N numbers, so that they are computed side by side. Logarithms, too, are those of the compiler's own
// function, without its steps for subnormal numbers, infinities and numbers that have no logarithm.
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

#ifndef __HIP__
DEVICE f32 logarithm_of_normal(f32 a) {
  // a = m 2^e with m between 2/3 and 4/3; e is an exponent's bits.
  const u32 bits = f32_to_bits(a), e = (bits - 0x3f2aaaabu) & 0xff800000u;
  const f32 x = bits_to_f32(bits - e) - 1.0f;
  f32 q = -0x1.0aa04ep-3f;
  q = __fmaf_rn(q, x, 0x1.2073ecp-3f);
  q = __fmaf_rn(q, x, -0x1.f19b98p-4f);
  q = __fmaf_rn(q, x, 0x1.1e52aap-3f);
  q = __fmaf_rn(q, x, -0x1.55b172p-3f);
  q = __fmaf_rn(q, x, 0x1.99da16p-3f);
  q = __fmaf_rn(q, x, -0x1.fffe44p-3f);
  q = __fmaf_rn(q, x, 0x1.5554fp-2f);
  q = __fmaf_rn(q, x, -0.5f);
  return __fmaf_rn((f32)(i32)e, 0x1.62e43p-24f, __fmaf_rn(x * q, x, x));
}
#endif
template <int N> DEVICE void logarithms(f32 (&r)[N], const f32 (&a)[N]) {
#ifndef __HIP__
  const u32 least = 0x00800000u, infinity = 0x7f800000u;
  u32 farthest = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    r[j] = logarithm_of_normal(a[j]);
    const u32 above = f32_to_bits(a[j]) - least;
    farthest = above > farthest ? above : farthest;
  }
  if (farthest < infinity - least) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) r[j] = log(a[j]);
}
