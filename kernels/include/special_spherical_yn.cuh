// The spherical Bessel function of the second kind of integer order by the upward recurrence DLMF 10.51.1, which is stable
// for it, with twice float64's digits; and its derivative, DLMF 10.51.2.

// Of the order n, and of the order before; NaN beyond 10^7 steps.
static __device__ __noinline__ pair<f64, f64> spherical_yn_pair(f64 n, f64 x) {
  f64 s, c;
  sincos(x, &s, &c);
  twofold before = {s / x, 0}, y = {-c / x, 0};
  if (n > 1e7 && n < x) return {__longlong_as_double(0x7ff8000000000000ll), 0};
#pragma unroll 1
  for (f64 k = 0; k < n && !isinf(y.high); k += 1) {
    const f64 factor = (2 * k + 1) / x;
    const twofold next = fabs(y.high) * factor < 1e290 ? twofold{2 * k + 1, 0} / twofold{x, 0} * y + -before
                                                       : twofold{factor * y.high - before.high, 0};
    before = y;
    y = next;
  }
  return {y.high, before.high};
}
// The sign of a negative operand is that of the order's parity.
DEVICE f64 special_spherical_yn(i64 order, f64 x, bool derivative) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = infinity - infinity, n = (f64)order;
  if (is_nan(x)) return x;
  if (order < 0) return nan;
  if (isinf(x)) return 0;
  if (x == 0) return !derivative ? -infinity : order == 0 ? infinity : nan;
  const f64 size = fabs(x);
  const pair<f64, f64> y = spherical_yn_pair(derivative && order == 0 ? 1 : n, size);
  f64 value = y.first;
  if (derivative) value = order == 0 ? -y.first : isinf(y.first) ? -y.first : y.second - (n + 1) / size * y.first;
  return x < 0 && ((order & 1) != 0) == derivative ? -value : value;
}
