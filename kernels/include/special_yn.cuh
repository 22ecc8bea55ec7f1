// The Bessel function of the second kind of integer order, upwards from the orders 0 and 1 (DLMF 10.6.1), which is stable.
DEVICE f64 bessel_yn(i64 n, f64 x) {
  if (is_nan(x) || isinf(x) || x < 0) return __longlong_as_double(0x7ff8000000000000ll);
  bool negative = n < 0 && (n & 1);
  if (n < 0) n = n < -0x7fffffffffffffffll ? 0x7fffffffffffffffll : -n;
  f64 before = bessel_y0(x), y = bessel_y1(x);
  if (n == 0) return before;
#pragma unroll 1
  for (i64 k = 1; k < n && !isinf(y); ++k) {
    f64 next = 2 * (f64)k / x * y - before;
    before = y;
    y = next;
  }
  // With x too small for 2k / x the recurrence is inf - inf.
  if (is_nan(y)) y = -__longlong_as_double(0x7ff0000000000000ll);
  return negative ? -y : y;
}
// An order between integers is cut off.
DEVICE f64 bessel_yn(f64 n, f64 x) { return is_nan(n) ? n : bessel_yn(__double2ll_rz(n), x); }
DEVICE f64 bessel_yn(f32 n, f32 x) { return bessel_yn((f64)n, (f64)x); }
