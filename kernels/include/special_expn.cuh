// The generalised exponential integral E_n(x) of an integer order: for x of at most 1 the recurrence DLMF 8.19.12 from
// E1, which reduces errors, and otherwise the continued fraction DLMF 8.19.17 in its even part, from its tail.
DEVICE f64 special_expn(f64 n, f64 x) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll);
  if (is_nan(n) || is_nan(x)) return n + x;
  n = trunc(n);
  if (n < 0 || x < 0 || isinf(n)) return infinity - infinity;
  if (x == 0) return n < 2 ? infinity : 1 / (n - 1);
  if (isinf(x)) return 0;
  const f64 front = exp(-x);
  if (n == 0) return front / x;
  if (n == 1) return exponential_integral_e1(x);
  if (x <= 1 && n <= 20) {
    f64 y = exponential_integral_e1(x);
#pragma unroll 1
    for (f64 k = 1; k < n; k += 1) y = (front - x * y) / k;
    return y;
  }
  f64 tail = 0;
#pragma unroll 1
  for (f64 k = floor(12 + 120 / (x + n * 0.2)); k > 0; k -= 1) tail = k / (x + n + 2 * k - tail * (n + k));
  return front / (x + n - n * tail);
}
DEVICE f64 special_expn(i64 n, f64 x) { return special_expn((f64)n, x); }
