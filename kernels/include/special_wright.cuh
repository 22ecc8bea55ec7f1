// Wright's generalised Bessel function for operands of 0 and more: the series DLMF 10.46.1, none of whose terms is
// negative.

// x^k / (k! gamma(b + a k)); the product `power` is x^k / k!, if it is finite.
DEVICE f64 wright_term(f64 k, f64 log_x, f64 power, f64 w) {
  if (w == 0) return 0;
  if (w < 165 && power < 1e290 && power > 1e-290) return power / tgamma(w);
  return exp((k == 0 ? 0 : k * log_x) - lgamma(k + 1) - lgamma(w));
}
static __device__ __noinline__ f64 special_wright_bessel(f64 a, f64 b, f64 x) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll);
  if (is_nan(a) || is_nan(b) || is_nan(x) || a < 0 || b < 0 || x < 0) return nan;
  if (isinf(x)) return isinf(a) || isinf(b) ? nan : x;
  if (isinf(a) || isinf(b)) return nan;
  const f64 log_x = log(x);
  f64 sum = 0, power = 1, before = 0;
#pragma unroll 1
  for (f64 k = 0; k < 20000; k += 1) {
    const f64 term = wright_term(k, log_x, power, b + a * k);
    sum += term;
    // The terms increase up to the largest and then decrease; that of a pole is 0.
    if (isinf(sum) || x == 0 || (k > 1 && term <= before && term <= 1e-18 * sum && (sum > 0 || k > x))) break;
    before = term;
    power *= x / (k + 1);
  }
  return sum;
}
