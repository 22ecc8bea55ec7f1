// The inverse of the regularised incomplete beta functions by Halley's iteration on the logarithm of the smaller of them.
struct beta_point { f64 x, y; };

// For a solution of at most 1/2.
static __device__ __noinline__ f64 beta_inverse_lower(f64 a, f64 b, f64 p, f64 q) {
  const bool lower = p <= q;
  // The first term of the series, by logarithms: it is the solution where that is tiny.
  const f64 log_p = lower ? log(p) : log1p(-q);
  const f64 first = a < 0.5 ? log_p / a + log_a_beta(a, b) : (log_p + (betaln_positive(a, b) + log(a))) / a;
  const f64 small = exp(first);
  if (small * fmax(fabs(b - 1) * a, 1e-10) < 1e-18 * (a + 1)) {
    // The exponential has the absolute error of its operand, which a step of Newton's iteration removes.
    if (!lower || small < 1e-305) return small;
    const f64 value = beta_front(a, b, {small, 0}, exact_sum(1, -small)) / a;
    return value > 0 && isfinite(value) ? small + small * (log(p / value) / a) : small;
  }
  f64 x = small, low = 0, high = 0.5;
  if (a >= 1 && b >= 1) {
    // Abramowitz & Stegun 26.5.22.
    const f64 normal = lower ? 1.4142135623730951 * erfcinv(2 * p) : -1.4142135623730951 * erfcinv(2 * q);
    const f64 of_a = 1 / (2 * a - 1), of_b = 1 / (2 * b - 1), h = 2 / (of_a + of_b), l = (normal * normal - 3) / 6;
    const f64 w = normal * sqrt(h + l > 0 ? h + l : h) / h - (of_b - of_a) * (l + 5.0 / 6 - 2 / (3 * h));
    const f64 guess = a / (a + b * exp(2 * w));
    // Far in the tail the first term is better.
    if (!(x < 0.1 / (b + 1) * (a + 1)) && guess > 0) x = guess;
  }
  if (!(x > 0 && x < 0.5)) x = x > 0 ? 0.4 : 1e-300;
#pragma unroll 1
  for (int k = 0; k < 80; ++k) {
    const twofold y = exact_sum(1, -x);
    const beta_pair at = incomplete_beta(a, b, {x, 0}, y);
    const f64 value = lower ? at.p : at.q, target = lower ? p : q;
    if ((value < target) == lower) low = x;
    else high = x;
    f64 slope = beta_front(a, b, {x, 0}, y) / x / y.high / value;
    if (!lower) slope = -slope;
    const f64 step = log(value / target) / slope;
    const f64 bend = 1 - 0.5 * step * ((a - 1) / x - (b - 1) / y.high - slope);
    f64 next = x - step / (bend > 0.5 ? bend : 1);
    // Outside the bounds, or where the function underflows, their mean: the geometric one if they are far apart.
    if (!(next >= low && next <= high)) next = low == 0 ? high * 0x1p-20 : high > 4 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
    const bool done = fabs(next - x) <= 4e-16 * x;
    x = next;
    if (done) break;
  }
  return x;
}
static __device__ __noinline__ beta_point beta_inverse(f64 a, f64 b, f64 p, f64 q) {
  const beta_pair half = incomplete_beta(a, b, {0.5, 0}, {0.5, 0});
  const bool above = p <= q ? p > half.p : q < half.q;
  const f64 x = above ? beta_inverse_lower(b, a, q, p) : beta_inverse_lower(a, b, p, q);
  return above ? beta_point{1 - x, x} : beta_point{x, 1 - x};
}
// The pair is that of the function and its complement, of which the smaller counts.
static __device__ __noinline__ beta_point betaincinv_point(f64 a, f64 b, f64 p, f64 q) {
  const f64 nan = special_nan();
  if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return {nan, nan};
  if (p == 0) return {0, 1};
  if (q == 0) return {1, 0};
  // SciPy has a limit for a parameter of 1 only.
  if (isinf(a) || isinf(b)) return b == 1 ? beta_point{1, 0} : a == 1 ? beta_point{0, 1} : beta_point{nan, nan};
  return beta_inverse(a, b, p, q);
}
DEVICE f64 special_betaincinv(f64 a, f64 b, f64 p) { return betaincinv_point(a, b, p, 1 - p).x; }
