// Exponentials and logarithms to several bases for complex numbers, in f64.

DEVICE c128 complex_log2(c128 z) {
  c128 w = complex_log(z);
  return {w.re * 1.44269504088896340736, w.im * 1.44269504088896340736};
}
DEVICE c128 complex_log10(c128 z) {
  c128 w = complex_log(z);
  return {w.re * 0.43429448190325182765, w.im * 0.43429448190325182765};
}
// |1 + z|^2 - 1 is a sum of small terms for small z.
DEVICE c128 complex_log1p(c128 z) {
  f64 t = z.re * (2.0 + z.re) + z.im * z.im;
  if (t > -0.5 && t < 1e300) return {0.5 * log1p(t), atan2(z.im, 1.0 + z.re)};
  return complex_log({1.0 + z.re, z.im});
}
// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2). With infinities the products have NumPy's results.
DEVICE c128 complex_expm1(c128 z) {
  if (z.im == 0 && isfinite(z.re)) return {expm1(z.re), z.im};
  f64 s, c, half = sin(0.5 * z.im);
  sincos(z.im, &s, &c);
  if (z.re > 700.0 && isfinite(z.re)) return {scaled_exp(z.re, c), scaled_exp(z.re, s)};
  return {expm1(z.re) * c - 2.0 * half * half, exp(z.re) * s};
}
// 2^x rotated by y log 2. The rounding error of that angle is compensated: for a large angle it would dominate.
DEVICE c128 complex_exp2(c128 z) {
  const f64 log_2 = 0.69314718055994530942, rest_of_log_2 = 2.3190468138462995584e-17;
  f64 angle = z.im * log_2;
  if (z.im == 0) return {exp2(z.re), z.im};
  if (!is_finite(z)) return complex_exp({z.re, angle});
  // Split in two factors: 2^x alone may overflow, or lose digits, although the product does not.
  f64 half_way = exp2(0.5 * z.re);
  // The sine of a tiny angle is the angle itself, but has few digits.
  if (fabs(z.im) < 1e-290) {
    f64 quarter = exp2(0.25 * z.re);
    return {exp2(z.re), quarter * z.im * log_2 * quarter * quarter * quarter};
  }
  f64 error = fma(z.im, log_2, -angle) + z.im * rest_of_log_2;
  f64 s, c, small_s, small_c;
  sincos(angle, &s, &c);
  sincos(error, &small_s, &small_c);
  f64 turned_c = c * small_c - s * small_s, turned_s = s * small_c + c * small_s;
  return {half_way * turned_c * half_way, half_way * turned_s * half_way};
}
