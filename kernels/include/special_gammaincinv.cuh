// The inverses of the regularised incomplete gamma functions by Halley's iteration on the logarithm of the smaller of P
// and Q.
DEVICE f64 inverse_incomplete_gamma(f64 a, f64 p, f64 q) {
  bool lower = p <= q;
  // Wilson & Hilferty (1931) if it is positive, otherwise the first term of the series of P.
  f64 x = a, normal = lower ? -1.4142135623730951 * erfcinv(2 * p) : 1.4142135623730951 * erfcinv(2 * q);
  f64 cube = 1 - 1 / (9 * a) + normal / (3 * sqrt(a));
  // A small parameter would lose its digits when added to 1.
  f64 log_small = ((lower ? log(p) : log1p(-q)) + (a < 0.5 ? log_gamma_1p(a) : lgamma(a + 1))) / a;
  if (cube > 0.3 && a > 0.5) x = a * cube * cube * cube;
  else x = exp(log_small);
  // So small a result is equal to that first term.
  if (log_small < -38 + log(a + 1)) return exp(log_small);
  f64 low = 0, high = special_infinity();
#pragma unroll 1
  for (int k = 0; k < 60; ++k) {
    gamma_pair at = incomplete_gamma(a, x);
    f64 value = lower ? at.p : at.q, target = lower ? p : q;
    // P increases and Q decreases with x.
    if ((value < target) == lower) low = x;
    else high = x;
    f64 slope = gamma_front(a, x) * (a / x) / value, step, next;
    if (!lower) slope = -slope;
    step = log(value / target) / slope;
    f64 bend = 1 - 0.5 * step * ((a - 1) / x - 1 - slope);
    next = x - step / (bend > 0.5 ? bend : 1);
    // A bound may be the solution: when the last step has become 0, the next point is one of them.
    if (!(next >= low && next <= high)) next = isinf(high) ? 2 * x : 0.5 * (low + high);
    bool done = fabs(next - x) <= 4e-16 * x;
    x = next;
    if (done) break;
  }
  return x;
}
DEVICE f64 gammaincinv(f64 a, f64 p) {
  if (!(a >= 0 && p >= 0 && p <= 1)) return special_nan();
  if (p == 0) return 0;
  if (p == 1) return special_infinity();
  return a == 0 || isinf(a) ? special_nan() : inverse_incomplete_gamma(a, p, 1 - p);
}
DEVICE f64 gammainccinv(f64 a, f64 q) {
  if (!(a >= 0 && q >= 0 && q <= 1)) return special_nan();
  if (q == 0) return special_infinity();
  if (q == 1) return 0;
  // Q is a E1(x) for so small an order, and scaling both keeps its digits where it is subnormal.
  if (a < 0x1p-800 && q < 0x1p-790) a *= 0x1p300, q *= 0x1p300;
  return a == 0 || isinf(a) ? special_nan() : inverse_incomplete_gamma(a, 1 - q, q);
}
