// The digamma function of complex numbers: DLMF 5.5.4 left of the imaginary axis, 5.5.2 near 0, 5.11.2 from |z| = 10 on.
DEVICE c128 complex_psi(c128 z) {
  const f64 pi = 3.141592653589793;
  if (!is_finite(z)) {
    if (isinf(z.re) && z.re < 0 && isfinite(z.im)) return {special_nan(), special_nan()};
    // Asymptotically equal to the logarithm.
    return complex_log(z);
  }
  if (z.im == 0 && is_pole(z.re)) return {special_nan(), special_nan()};
  c128 y = {0.0, 0.0};
  if (z.re < 0) {
    // pi cot(pi z), which far from the axis is constant.
    if (fabs(z.im) > 8.0) {
      y.im = copysign(pi, z.im);
    } else {
      f64 s = sinpi(z.re), c = cospi(z.re), up = sinh(pi * z.im), along = cosh(pi * z.im);
      c128 cotangent = complex_divide({c * along, -s * up}, {s * along, c * up});
      y = {-pi * cotangent.re, -pi * cotangent.im};
    }
    z = {1.0 - z.re, -z.im};
  }
  if (fabs(z.re) > 1e20 || fabs(z.im) > 1e20) return y + complex_log(z);
#pragma unroll 1
  for (; z.re < 10.0 && fabs(z.im) < 10.0; z.re += 1.0) y = y - complex_divide({1.0, 0.0}, z);
  // B_2k / 2k.
  static constexpr f64 b[] = {1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12};
  c128 inverse = complex_divide({1.0, 0.0}, z), square = inverse * inverse, rest = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 7; ++k) {
    rest = rest * square;
    rest.re += b[k];
  }
  return y + (complex_log(z) - c128{0.5 * inverse.re, 0.5 * inverse.im} - rest * square);
}
