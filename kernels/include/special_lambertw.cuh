// Branches of Lambert's W function by Halley's iteration (R. M. Corless et al., "On the Lambert W function", 1996), from
// the series at the branch point, that at 0, or the asymptotic expansion.
DEVICE c128 lambertw_start(c128 z, f64 k) {
  // p^2 / 2 = e z + 1, with the rounding errors of the products.
  const f64 e = 2.718281828459045, rest = 1.4456468917292502e-16;
  const c128 near = {fma(e, z.re, 1.0) + rest * z.re, fma(e, z.im, rest * z.im)};
  const bool low = k == -1 && (z.im >= 0 && __double_as_longlong(z.im) >= 0), high = k == 1 && !(z.im >= 0 && __double_as_longlong(z.im) >= 0);
  const f64 distance = fabs(near.re) + fabs(near.im);
  if (k == 0 ? z.re < -0.1 && distance < 2.5 : distance < 0.3 && (low || high)) {
    c128 p = complex_sqrt({2 * near.re, 2 * near.im});
    if (k != 0) p = -p;
    // DLMF 4.13.6.
    c128 sum = {11.0 / 72 * p.re - 1.0 / 3, 11.0 / 72 * p.im};
    sum = sum * p;
    sum = c128{sum.re + 1, sum.im} * p;
    return {sum.re - 1, sum.im};
  }
  if (k == 0 && fabs(z.re) + fabs(z.im) < 0.7) {
    // z / (1 + z) agrees with the series at 0 up to the square.
    return complex_divide(z, {1 + z.re, z.im});
  }
  c128 first = complex_log(z);
  first.im += 6.283185307179586 * k;
  if (k == 0 && z.re > -0.1 && fabs(z.re) + fabs(z.im) < 3) {
    const c128 log = complex_log({1 + z.re, z.im});
    return {0.7 * log.re, 0.7 * log.im};
  }
  return first - complex_log(first);
}
static __device__ __noinline__ c128 complex_lambertw(c128 z, i64 branch, f64 tolerance) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), pi = 3.141592653589793, k = (f64)branch;
  if (is_nan(z)) return z;
  if (isinf(z.re) || isinf(z.im)) {
    if (isinf(z.re) && z.re > 0) return {z.re, z.im + 2 * pi * k};
    if (isinf(z.re)) return {-z.re, z.im + 2 * pi * k + pi};
    return {infinity - infinity, infinity - infinity};
  }
  if (z.re == 0 && z.im == 0) return branch == 0 ? z : c128{-infinity, 0.0};
  c128 w = lambertw_start(z, k);
  // The first term of the series is exact for such small numbers.
  if (branch == 0 && fabs(z.re) + fabs(z.im) < 1e-17) return z;
#pragma unroll 1
  for (int i = 0; i < 100; ++i) {
    // w - z e^-w, whose derivative is w + 1 at the solution.
    const c128 f = w - complex_divide(z, complex_exp(w)), slope = {1 + w.re, w.im};
    // Halley's step w - f / (w + 1 - (w + 2) f / (2 w + 2)).
    const c128 bend = complex_divide(c128{w.re + 2, w.im} * f, {2 * w.re + 2, 2 * w.im});
    const c128 step = complex_divide(f, slope - bend), next = w - step;
    if (is_nan(next)) break;
    w = next;
    if (absolute(step) <= fmax(tolerance, 1e-16) * absolute(w)) break;
  }
  return w;
}
