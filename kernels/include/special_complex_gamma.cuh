// The gamma function of complex numbers by Stirling's formula (DLMF 5.11.1), after the recurrence (DLMF 5.5.1) if |z|
// is small; left of the imaginary axis by reflection (DLMF 5.5.3).

// log gamma(z) - log(2 pi) / 2 for z on or right of the imaginary axis, without factors that are left in `product`.
// This function and the next are not inlined, to keep the code short.
static __device__ __noinline__ c128 gamma_exponent(c128 z, c128 &product) {
#pragma unroll 1
  for (; z.re < 7.0 && fabs(z.im) < 7.0; z.re += 1.0) product = product * z;
  // B_2k / (2k (2k - 1)), the last of which is negligible for a large z.
  static constexpr f64 b[] = {
      -236364091.0 / 1506960, 77683.0 / 5796, -174611.0 / 125400, 43867.0 / 244188, -3617.0 / 122400, 1.0 / 156,
      -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
  c128 inverse = complex_divide({1.0, 0.0}, z), square = inverse * inverse, rest = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 12; ++k) {
    rest = rest * square;
    rest.re += b[k];
  }
  return c128{z.re - 0.5, z.im} * complex_log(z) - z + rest * inverse;
}
// e^t * up / down * scale, where no factor overflows before the product does. Beyond the range the direction selects
// the infinities.
static __device__ __noinline__ c128 balanced(c128 t, c128 up, c128 down, f64 scale) {
  if (t.re < -1500.0) return {0.0, 0.0};
  if (t.re > 1400.0) {
    c128 turn = complex_exp({0.0, t.im}) * complex_divide(up, down);
    return {turn.re * exp(800.0), turn.im == 0 ? turn.im : turn.im * exp(800.0)};
  }
  c128 half = complex_exp({0.5 * t.re, 0.5 * t.im}), product = half * complex_divide(up, down);
  return c128{half.re * scale, half.im * scale} * product;
}
// 1 / gamma(w) for |w| up to 2.1, where no term is much larger than the sum; DLMF 5.7.1.
static __device__ __noinline__ c128 gamma_reciprocal(c128 w) {
  static constexpr f64 c[] = {
      -7.3914511696151408235e-33, 1.277085175140866204e-31, -1.1245843492770880903e-30, 1.1806974749665284062e-30,
      1.2977819749479936688e-28, -2.2180956242071972044e-27, 1.8649829417172944307e-26, -2.3606190244992872873e-26,
      -1.7323564459105166391e-24, 2.7360300486079998448e-23, -2.0542335517666727893e-22, 1.3373517304936931149e-22,
      1.7144063219273374334e-20, -2.2987456844353702066e-19, 1.4123806553180317816e-18, 1.1866922547516003326e-18,
      -1.1812593016974587695e-16, 1.2267786282382607902e-15, -5.3481225394230179824e-15, -2.0583260535665067832e-14,
      5.100370287454475979e-13, -3.6968056186422057082e-12, 7.782263439905071254e-12, 1.0434267116911005105e-10,
      -1.1812745704870201446e-9, 5.0020076444692229301e-9, 6.1160951044814158179e-9, -2.0563384169776071035e-7,
      1.1330272319816958824e-6, -1.2504934821426706573e-6, -0.000020134854780788238656, 0.00012805028238811618615,
      -0.00021524167411495097282, -0.0011651675918590651121, 0.0072189432466630995424, -0.0096219715278769735621,
      -0.042197734555544336748, 0.1665386113822914895, -0.042002635034095235529, -0.65587807152025388108,
      0.57721566490153286061, 1.0};
  c128 sum = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 42; ++k) {
    sum = sum * w;
    sum.re += c[k];
  }
  return sum * w;
}
// Stirling's exponent has an absolute error, which near the origin exceeds the function's own condition: there the
// series is used for z minus the nearest integer, corrected by the recurrence.
static __device__ __noinline__ c128 gamma_near_0(c128 z) {
  const f64 n = rint(z.re);
  c128 up = {1.0, 0.0}, down = gamma_reciprocal({z.re - n, z.im});
#pragma unroll 1
  for (f64 k = 1; k <= n; k += 1) up = up * c128{z.re - k, z.im};
#pragma unroll 1
  for (f64 k = 0; k > n; k -= 1) down = down * c128{z.re - k, z.im};
  return complex_divide(up, down);
}
// The gamma function or its reciprocal.
static __device__ __noinline__ c128 power_of_gamma(c128 z, bool reciprocal) {
  const f64 pi = 3.141592653589793, nan = __longlong_as_double(0x7ff8000000000000ll);
  if (!is_finite(z)) {
    // SciPy's limit, which is that of its formula.
    if (!reciprocal && isinf(z.im) && z.re < 0.5 && isfinite(z.re)) return {0.0, 0.0};
    return {nan, nan};
  }
  if (z.im == 0 && z.re <= 0 && z.re == floor(z.re)) return reciprocal ? c128{z.re == 0 ? z.re : 0, z.im} : c128{nan, nan};
  if (z.re > -4.5 && z.re < 6.5 && fabs(z.im) <= 2.0 && fabs(z.re - rint(z.re)) + fabs(z.im) > 1e-100) {
    const c128 y = gamma_near_0(z);
    return reciprocal ? complex_divide({1.0, 0.0}, y) : y;
  }
  if (reciprocal && fabs(z.re) + fabs(z.im) <= 1e-100) return z;
  // Far away only the direction matters.
  if (!reciprocal && z.re < 0 && fabs(z.im) > 1000.0) return {0.0, 0.0};
  if (fabs(z.re) > 1e290 || fabs(z.im) > 1e290) {
    c128 log = complex_log(z);
    bool small = (z.re < 0 || z.re * 0x1p-60 * (log.re - 1.0) < z.im * 0x1p-60 * log.im) != reciprocal;
    return {small ? 0.0 : exp(800.0), small ? 0.0 : nan};
  }
  c128 product = {1.0, 0.0};
  if (z.re >= 0) {
    c128 t = gamma_exponent(z, product);
    return reciprocal ? balanced(-t, product, {2.5066282746310002, 0.0}, 1.0) : balanced(t, {2.5066282746310002, 0.0}, product, 1.0);
  }
  c128 t = -gamma_exponent({1.0 - z.re, -z.im}, product);
  // pi / sin(pi z), where the large part of a sine far from the axis is combined with the exponent.
  const f64 root = 1.2533141373155003;
  c128 up = {product.re * root, product.im * root};
  if (fabs(z.im) < 1.0) {
    // 2^200 times both parts of the sine, those of a tiny z with all their digits.
    f64 sine = fabs(z.re) < 1e-100 ? pi * (z.re * 0x1p200) : sinpi(z.re) * 0x1p200;
    f64 slope = fabs(z.im) < 1e-100 ? pi * (z.im * 0x1p200) : sinh(pi * z.im) * 0x1p200;
    const c128 down = {sine * cosh(pi * z.im), cospi(z.re) * slope};
    return reciprocal ? balanced(-t, down, up, 0x1p-200) : balanced(t, up, down, 0x1p200);
  }
  // 2 / (i e^(-i pi z) (1 - e^(2 i pi z))) above the axis, and below it the conjugate of that at the conjugate.
  f64 s = sinpi(z.re), c = cospi(z.re), q = exp(-2.0 * pi * fabs(z.im));
  c128 down = {1.0 - q * (c - s) * (c + s), -2.0 * q * s * c}, turn = {2.0 * s, -2.0 * c};
  if (z.im < 0) down.im = -down.im, turn.im = -turn.im;
  t.re -= pi * fabs(z.im);
  return reciprocal ? balanced(-t, down, up * turn, 1.0) : balanced(t, up * turn, down, 1.0);
}
DEVICE c128 complex_gamma(c128 z) { return power_of_gamma(z, false); }
DEVICE c128 complex_rgamma(c128 z) { return power_of_gamma(z, true); }
