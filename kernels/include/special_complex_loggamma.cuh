// The principal branch of the logarithm of the gamma function of complex numbers.

// log gamma(2 + w) for w of both parts up to 1/2: DLMF 5.7.3.
static __device__ __noinline__ c128 loggamma_near_2(c128 w) {
  const f64 c[] = {
      2.2737369600659724e-14, -4.6640760264283744e-14, 9.573630387838556e-14, -1.9664756310966165e-13,
      4.04220052528944e-13, -8.315385841420285e-13, 1.711991790559618e-12, -3.527742476575915e-12,
      7.275974480239079e-12, -1.5021384080754142e-11, 3.1044247747322276e-11, -6.4229645638381e-11,
      1.330476437424449e-10, -2.7595228851242334e-10, 5.731367241678862e-10, -1.1921401405860912e-09,
      2.4836745438024785e-09, -5.183475041970047e-09, 1.0838659214896955e-08, -2.2711094608943164e-08,
      4.7698101693639804e-08, -1.0043224823968099e-07, 2.1207184805554665e-07, -4.492469198764566e-07,
      9.55141213040742e-07, -2.039215753801366e-06, 4.374866789907488e-06, -9.439488275268397e-06,
      2.050721277567069e-05, -4.492623673813314e-05, 9.945751278180853e-05, -0.00022315475845357939,
      0.0005096695247430425, -0.001192753911703261, 0.0028905103307415234, -0.007385551028673986,
      0.020580808427784546, -0.0673523010531981, 0.3224670334241132};
  c128 sum = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 39; ++k) {
    sum = sum * w;
    sum.re += c[k];
  }
  sum = sum * w;
  sum.re += 0.42278433509846713;
  return sum * w;
}
// Right of the imaginary axis: Stirling's formula, DLMF 5.11.1, after the recurrence.
static __device__ __noinline__ c128 loggamma_right(c128 z) {
  if (fabs(z.im) <= 0.5 && z.re >= 0.5 && z.re <= 2.5) {
    if (z.re >= 1.5) return loggamma_near_2({z.re - 2, z.im});
    const c128 w = {z.re - 1, z.im}, y = loggamma_near_2(w);
    const f64 t = w.re * (2 + w.re) + w.im * w.im;
    return {y.re - 0.5 * log1p(t), y.im - atan2(w.im, z.re)};
  }
  // The recurrence's factors: the modulus is that of their product, the angle the sum of theirs.
  c128 product = {1.0, 0.0};
  f64 angle = 0;
#pragma unroll 1
  for (; z.re < 7.0 && fabs(z.im) < 7.0; z.re += 1.0) {
    product = product * z;
    angle += atan2(z.im, z.re);
  }
  const c128 steps = {complex_log(product).re, angle};
  const f64 b[] = {
      -236364091.0 / 1506960, 77683.0 / 5796, -174611.0 / 125400, 43867.0 / 244188, -3617.0 / 122400, 1.0 / 156,
      -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
  const c128 inverse = complex_divide({1.0, 0.0}, z), square = inverse * inverse;
  c128 rest = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 12; ++k) {
    rest = rest * square;
    rest.re += b[k];
  }
  const c128 log = complex_log(z);
  c128 y = c128{z.re - 0.5, z.im} * c128{log.re - 1, log.im} + rest * inverse;
  y.re += 0.41893853320467274;
  return y - steps;
}
DEVICE c128 complex_loggamma(c128 z) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll), pi = 3.141592653589793;
  if (is_nan(z) || (z.im == 0 && z.re <= 0 && z.re == floor(z.re))) return {nan, nan};
  if (!is_finite(z)) return isinf(z.re) && z.re > 0 && z.im == 0 ? c128{z.re, z.im} : c128{nan, nan};
  if (z.re >= 0.5) {
    if (z.im == 0) return {lgamma(z.re), z.im};
    return loggamma_right(z);
  }
  // DLMF 5.5.3 above the axis, where sin(pi z) is e^(-i pi z) (i / 2) (1 - e^(2 i pi z)), and its conjugate below.
  const f64 im = fabs(z.im), r = z.re - rint(z.re), rise = expm1(-2 * pi * im), s = sinpi(r);
  const c128 right = loggamma_right({1 - z.re, -im}), factor = {2 * s * s * (1 + rise) - rise, -(1 + rise) * sinpi(2 * r)};
  const c128 log = complex_log(factor);
  // log(2 pi), and i pi (z - 1/2).
  const c128 y = {1.8378770664093453 - pi * im - log.re - right.re, pi * (z.re - 0.5) - log.im - right.im};
  return {y.re, signbit(z.im) ? -y.im : y.im};
}
