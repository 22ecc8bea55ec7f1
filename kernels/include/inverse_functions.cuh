// Inverse trigonometric and hyperbolic functions of float64 with errors within a unit in the last place, where CUDA's
// are within two.
DEVICE f32 arcsin(f32 x) { return asin(x); }
DEVICE f32 arcsinh(f32 x) { return asinh(x); }
DEVICE f32 arccosh(f32 x) { return acosh(x); }
DEVICE f32 arctanh(f32 x) { return atanh(x); }

// asin(s) = s + s z p(z), where z is the square of s, up to 1/4; p interpolates at the Chebyshev nodes.
DEVICE f64 arcsin_rest(f64 z) {
  f64 p = 0.02961201126495512;
  p = p * z - 0.01924167174674304;
  p = p * z + 0.019554513336123378;
  p = p * z + 0.0030448799094556773;
  p = p * z + 0.009319560794767446;
  p = p * z + 0.009621842970100282;
  p = p * z + 0.011566459612121669;
  p = p * z + 0.01396378001220357;
  p = p * z + 0.017352816540325496;
  p = p * z + 0.02237215744350722;
  p = p * z + 0.03038194447553234;
  p = p * z + 0.044642857142551895;
  p = p * z + 0.07500000000000118;
  return p * z + 0.16666666666666666;
}
DEVICE f64 arcsin(f64 x) {
  const f64 size = fabs(x);
  if (size < 0.5) return x + x * (x * x * arcsin_rest(x * x));
  // pi / 2 - 2 asin(sqrt((1 - |x|) / 2)).
  const f64 z = 0.5 * (1 - size), s = sqrt(z);
  const f64 low = s == 0 ? 0 : fma(-s, s, z) / (2 * s);
  const f64 tail = low + s * (z * arcsin_rest(z));
  const twofold y = exact_sum(1.5707963267948966, -2 * s);
  return copysign(y.high + (y.low + (6.123233995736766e-17 - 2 * tail)), x);
}
DEVICE f64 arcsinh(f64 x) {
  const f64 size = fabs(x);
  if (!(size > 1e-8 && size < 1e300)) return size < 1 ? x : asinh(x);
  const twofold one = {1, 0}, a = {size, 0};
  const twofold root = size < 1e9 ? root_of(a * a + one) : a;
  const twofold y = size < 0.17 ? twice_atanh(a / root) : log_of(a + root);
  return copysign(size < 0.17 ? 0.5 * y.high : y.high, x);
}
DEVICE f64 arccosh(f64 x) {
  if (!(x > 1 && x < 1e300)) return acosh(x);
  const twofold a = {x, 0};
  // The difference of x and 1 is exact where the logarithm is small.
  if (x < 1.06) return twice_atanh(root_of(twofold{x - 1, 0} / (a + 1.0))).high;
  return log_of(a + (x < 1e9 ? root_of(a * a + -1.0) : a)).high;
}
DEVICE f64 arctanh(f64 x) {
  const f64 size = fabs(x);
  if (!(size > 1e-8 && size < 1)) return size < 1 ? x : atanh(x);
  const twofold y = size < 0.17 ? twice_atanh({size, 0}) : log_of(exact_sum(1, size) / exact_sum(1, -size));
  return copysign(0.5 * y.high, x);
}
