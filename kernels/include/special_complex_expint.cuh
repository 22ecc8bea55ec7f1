// Exponential, sine and cosine integrals of complex numbers: the series DLMF 6.6.2 near 0 and near the branch cut, where
// its terms do not cancel, elsewhere the even part of the continued fraction DLMF 6.9.1 from its tail.
DEVICE bool below_axis(f64 im) { return __double_as_longlong(im) < 0; }

// The sum of z^k / (k k!).
static __device__ __noinline__ c128 exponential_series(c128 z) {
  c128 term = z, sum = z;
#pragma unroll 1
  for (f64 k = 2; k < 400; k += 1) {
    term = term * z;
    term = {term.re / k, term.im / k};
    sum = {sum.re + term.re / k, sum.im + term.im / k};
    if (fabs(term.re) + fabs(term.im) < 1e-18 * (fabs(sum.re) + fabs(sum.im))) break;
  }
  return sum;
}
// E1(z) exp(z) away from the cut.
static __device__ __noinline__ c128 exponential_fraction(c128 z) {
  const f64 size = hypot(z.re, z.im);
  c128 tail = {0.0, 0.0};
#pragma unroll 1
  for (f64 k = floor(14 + 200 / (size + z.re)); k > 0; k -= 1) tail = complex_divide({k * k, 0.0}, c128{z.re + 2 * k + 1, z.im} - tail);
  return complex_divide({1.0, 0.0}, c128{z.re + 1, z.im} - tail);
}
// Next to the cut and far from 0: the asymptotic expansion DLMF 6.12.1.
static __device__ __noinline__ c128 exponential_far(c128 z) {
  const c128 inverse = complex_divide({1.0, 0.0}, z);
  c128 term = {1.0, 0.0}, sum = term;
#pragma unroll 1
  for (f64 k = 1; k < 60; k += 1) {
    term = term * inverse;
    term = {-k * term.re, -k * term.im};
    sum = sum + term;
    if (fabs(term.re) + fabs(term.im) < 1e-17) break;
  }
  return sum * inverse;
}
DEVICE bool is_next_to_cut(c128 z) {
  const f64 size = hypot(z.re, z.im);
  return size <= 1 || size + z.re < 2;
}
static __device__ __noinline__ c128 complex_e1(c128 z) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), pi = 3.141592653589793;
  if (z.re == 0 && z.im == 0) return {infinity, 0.0};
  if (is_nan(z)) return {infinity - infinity, infinity - infinity};
  if (isinf(z.re) && z.re > 0) return {0.0, 0.0};
  if (!is_next_to_cut(z)) return complex_exp(-z) * exponential_fraction(z);
  const f64 size = hypot(z.re, z.im);
  if (size > 40) {
    const c128 y = complex_exp(-z) * exponential_far(z);
    return z.im == 0 ? c128{y.re, below_axis(z.im) ? pi : -pi} : y;
  }
  const c128 sum = exponential_series(-z), log = complex_log(z);
  return {-(log.re + 0.5772156649015329) - sum.re, -log.im - sum.im};
}
// Ei, by DLMF 6.2.6 with the branch of the half-plane.
static __device__ __noinline__ c128 complex_ei(c128 z) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), pi = 3.141592653589793;
  if (z.re == 0 && z.im == 0) return {-infinity, 0.0};
  if (z.im == 0 && z.re > 0 && isinf(z.re)) return {infinity, z.im};
  const c128 y = -complex_e1(-z);
  if (z.im == 0) return {y.re, z.re > 0 ? 0.0 : z.im};
  return {y.re, z.im > 0 ? y.im + pi : y.im - pi};
}
// The series DLMF 6.6.5 and 6.6.6 with powers of `square`, minus z^2 or z^2.
static __device__ __noinline__ pair<c128, c128> integral_series(c128 z, f64 sign) {
  c128 square = z * z, term = z, first = z, second = {0.0, 0.0}, even = {1.0, 0.0};
  square = {sign * square.re, sign * square.im};
#pragma unroll 1
  for (f64 k = 1; k < 40; k += 1) {
    even = even * square;
    even = {even.re / (2 * k * (2 * k - 1)), even.im / (2 * k * (2 * k - 1))};
    second = {second.re + even.re / (2 * k), second.im + even.im / (2 * k)};
    term = term * square;
    term = {term.re / (2 * k * (2 * k + 1)), term.im / (2 * k * (2 * k + 1))};
    first = {first.re + term.re / (2 * k + 1), first.im + term.im / (2 * k + 1)};
    if (fabs(even.re) + fabs(even.im) < 1e-18) break;
  }
  const c128 log = complex_log(z);
  return {first, {second.re + (log.re + 0.5772156649015329), second.im + log.im}};
}
// DLMF 6.5.5 and 6.5.6 right of the imaginary axis; the sine integral is odd, and the cosine integrals of z and -z differ
// by a half turn.
static __device__ __noinline__ pair<c128, c128> complex_sici(c128 z) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = infinity - infinity, pi = 3.141592653589793;
  if (is_nan(z)) return {{nan, nan}, {nan, nan}};
  if (z.im == 0 && isinf(z.re)) return z.re > 0 ? pair<c128, c128>{{0.5 * pi, 0.0}, {0.0, 0.0}} : pair<c128, c128>{{-0.5 * pi, 0.0}, {0.0, pi}};
  if (z.re == 0 && z.im == 0) return {{0.0, 0.0}, {-infinity, nan}};
  // On the cut, but next to 0, the imaginary part is that above it.
  if (z.im == 0 && fabs(z.re) >= 0.8) z.im = 0.0;
  if (hypot(z.re, z.im) <= 2) return integral_series(z, -1);
  const bool left = z.re < 0;
  const c128 w = left ? -z : z;
  // E1(i w) and E1(-i w).
  const c128 above = complex_e1({-w.im, w.re}), other = complex_e1({w.im, -w.re});
  c128 si = {0.5 * pi + 0.5 * (above.im - other.im), -0.5 * (above.re - other.re)};
  c128 ci = {-0.5 * (above.re + other.re), -0.5 * (above.im + other.im)};
  if (w.re == 0) {
    // On the imaginary axis one of the operands is on the cut.
    si.re = 0;
    ci.im = w.im > 0 ? 0.5 * pi : -0.5 * pi;
  }
  if (left) {
    si = -si;
    ci.im += z.im < 0 ? -pi : pi;
  }
  return {si, ci};
}
// Shi(z) = -i Si(i z), and Chi(z) = Ci(i z) - log(i z) + log z.
static __device__ __noinline__ pair<c128, c128> complex_shichi(c128 z) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = infinity - infinity, pi = 3.141592653589793;
  if (z.re == 0) z.re = 0.0;
  if (z.im == 0 && fabs(z.re) >= 0.8) z.im = 0.0;
  if (z.re == 0 && z.im == 0) return {{0.0, 0.0}, {-infinity, nan}};
  if (z.im == 0 && isinf(z.re)) return z.re > 0 ? pair<c128, c128>{{infinity, 0.0}, {infinity, 0.0}} : pair<c128, c128>{{-infinity, 0.0}, {infinity, pi}};
  if (!is_nan(z) && hypot(z.re, z.im) <= 2) return integral_series(z, 1);
  const pair<c128, c128> y = complex_sici({-z.im, z.re});
  const f64 turn = atan2(z.im, z.re) - atan2(z.re, -z.im);
  return {{y.first.im, -y.first.re}, {y.second.re, y.second.im + turn}};
}
