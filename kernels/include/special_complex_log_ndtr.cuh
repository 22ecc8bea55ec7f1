// The logarithm of the distribution function of the standard normal distribution at complex numbers.

// exp(t^2) erfc(t) right of the imaginary axis, by the trapezoidal rule with the step 1/2 (C. Chiarella and A. Reichel, "On
// the evaluation of integrals related to the error function", 1968); the nodes are those that are not near a pole.
static __device__ __noinline__ c128 scaled_complement(c128 t) {
  const f64 h = 0.5, pi = 3.141592653589793;
  const f64 turns = fabs(t.im) / h, part = turns - floor(turns);
  const bool between = part < 0.25 || part > 0.75;
  const c128 square = t * t;
  c128 sum = {0.0, 0.0};
#pragma unroll 1
  for (int n = 0; n < 14; ++n) {
    const f64 s = (between ? n + 0.5 : n) * h, weight = (s == 0 ? 0.5 : 1) * exp(-s * s);
    sum = sum + complex_divide({weight, 0.0}, {square.re + s * s, square.im});
  }
  sum = sum * t;
  c128 y = {sum.re * 2 * h / pi, sum.im * 2 * h / pi};
  if (t.re < pi / h) {
    const c128 turn = complex_exp({2 * pi / h * t.re, 2 * pi / h * t.im});
    const c128 pole = between ? c128{1 + turn.re, turn.im} : c128{1 - turn.re, -turn.im};
    const c128 rest = complex_divide(complex_exp(square), pole);
    y = {y.re + 2 * rest.re, y.im + 2 * rest.im};
  }
  return y;
}
DEVICE c128 complex_log_ndtr(c128 z) {
  const f64 root = 0.7071067811865476, pi = 3.141592653589793;
  if (is_nan(z)) return z;
  if (z.im == 0) return {special_log_ndtr(z.re), 0.0};
  const c128 t = {fabs(z.re) * root, z.re < 0 ? -z.im * root : z.im * root}, square = z * z;
  const c128 scaled = scaled_complement(t);
  c128 log = complex_log({0.5 * scaled.re, 0.5 * scaled.im});
  // The logarithm of the tail on that side.
  log = {log.re - 0.5 * square.re, log.im - 0.5 * square.im};
  if (z.re >= 0) {
    // log(1 - e^log).
    if (log.re > 40) return {log.re, log.im - 2 * pi * rint((log.im + (log.im > 0 ? -pi : pi)) / (2 * pi)) + (log.im > 0 ? -pi : pi)};
    const c128 tail = complex_exp(log);
    return complex_log1p(-tail);
  }
  return {log.re, log.im - 2 * pi * rint(log.im / (2 * pi))};
}
