// sin(pi z) / (pi z) with sin(x + iy) = sin x cosh y + i cos x sinh y. The rounding error of pi y is compensated: the
// hyperbolic functions would amplify it by their argument.
DEVICE c128 complex_sinc(c128 z) {
  const f64 pi = 3.14159265358979323846, rest_of_pi = 1.2246467991473531772e-16;
  // Next to 0 it is 1 - (pi z)^2 / 6, whereas subnormal numbers have few digits.
  if (fabs(z.re) < 1e-9 && fabs(z.im) < 1e-9) return {1.0, -3.2898681336964528729 * z.re * z.im};
  if (!is_finite(z)) {
    f64 nan = bits_to_f32(0x7fc00000u);
    return {nan, nan};
  }
  f64 s, c, y = pi * z.im, error = fma(pi, z.im, -y) + rest_of_pi * z.im;
  sincospi(z.re, &s, &c);
  if (fabs(y) < 700.0) {
    f64 sh = sinh(y), ch = cosh(y);
    c128 w = complex_divide({s * (ch + sh * error), c * (sh + ch * error)}, z);
    return {w.re / pi, w.im / pi};
  }
  // Half of the exponential is multiplied after the division, which may bring it back into the range; far beyond that,
  // three halves of a smaller one, which overflow as well and keep the signs.
  const bool far = fabs(y) > 1400.0;
  f64 half_way = exp(far ? 700.0 : 0.5 * fabs(y)), beyond = far ? half_way : 1.0;
  f64 corrected = half_way * (far ? 0.5 : 0.5 + 0.5 * copysign(error, y * error));
  c128 w = complex_divide({s * corrected, copysign(c, c * y) * corrected}, z);
  return {w.re / pi * half_way * beyond, w.im / pi * half_way * beyond};
}
