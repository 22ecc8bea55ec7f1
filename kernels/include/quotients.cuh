// Quotients and square roots of N float32 numbers, rounded as by `/` and sqrt: an approximate reciprocal, one step of
// Newton's method, and a correction by the remainder (P. Markstein, "Computation of Elementary Functions on the IBM
// RISC System/6000 Processor", 1990). Remainders are exact unless a number is next to the ends of the range, where all
// N are computed again. The tests of N numbers share one branch, so that the numbers are computed side by side. The
// steps are those of the compiler's own functions for numbers in the middle of the range, which round correctly with
// the approximations of NVIDIA GPUs.
constexpr f32 QUOTIENT_LEAST = 0x1p-100f, QUOTIENT_MOST = 0x1p100f;

template <int N> DEVICE void quotients(f32 (&q)[N], const f32 (&a)[N], const f32 (&b)[N]) {
#ifndef __HIP__
  // A divisor whose reciprocal overflows or is subnormal has a quotient of 0, an infinity or NaN.
  f32 least = QUOTIENT_MOST, sum = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    f32 r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b[j]));
    r = __fmaf_rn(r, __fmaf_rn(-b[j], r, 1.0f), r);
    const f32 near = a[j] * r;
    q[j] = __fmaf_rn(__fmaf_rn(-b[j], near, a[j]), r, near);
    least = one_nan_minimum(least, one_nan_minimum(fabsf(a[j]), fabsf(q[j])));
    sum += fabsf(q[j]);
  }
  if (least >= QUOTIENT_LEAST && sum <= QUOTIENT_MOST) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) q[j] = a[j] / b[j];
}

template <int N> DEVICE void square_roots(f32 (&s)[N], const f32 (&a)[N]) {
#ifndef __HIP__
  // Positive numbers are in the order of their bits; negative ones and NaN come after infinity.
  const u32 least = f32_to_bits(QUOTIENT_LEAST), infinity = 0x7f800000u;
  u32 farthest = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    f32 r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a[j]));
    const f32 near = a[j] * r;
    s[j] = __fmaf_rn(__fmaf_rn(-near, near, a[j]), r * 0.5f, near);
    const u32 above = f32_to_bits(a[j]) - least;
    farthest = above > farthest ? above : farthest;
  }
  if (farthest < infinity - least) return;
#endif
#pragma unroll
  for (int j = 0; j < N; ++j) s[j] = sqrt(a[j]);
}
