// The regularised incomplete gamma functions; DLMF 8.2.4. Both are returned, the smaller one without cancellation.
struct gamma_pair { f64 p, q; };

// log(x / a) - (x - a) / a, by the series of the inverse hyperbolic tangent near 0.
DEVICE f64 log_less(f64 a, f64 x) {
  f64 m = (x - a) / a;
  if (!(fabs(m) < 0.7)) return log(x / a) - m;
  f64 r = m / (2 + m), square = r * r, power = r, sum = 0;
#pragma unroll 1
  for (int k = 3; k < 70 && fabs(power) > 1e-18 * fabs(r); k += 2) {
    power *= square;
    sum += power / k;
  }
  return 2 * sum - r * m;
}
// x^a exp(-x) / gamma(a + 1); from 10 on the powers are combined, so that their magnitude does not matter.
DEVICE f64 gamma_front(f64 a, f64 x) {
  if (a < 10) {
    if (x < 600) return pow(x, a) * exp(-x) / gamma_1p(a);
    f64 half = exp(-0.5 * x);
    return pow(x, a) * half / gamma_1p(a) * half;
  }
  const twofold ratio = twofold{x, 0} / twofold{a, 0};
  // Far from large parameters the result underflows.
  if (ratio.high < 1e-300 || a > 1e17 && fabs(x - a) > 0.5 * a) return 0;
  const twofold exponent = log_of(ratio) * a + -exact_sum(x, -a) + -stirling_rest(a);
  return exp_of(exponent) / sqrt(6.283185307179586 * a);
}
// DLMF 8.11.4, for x up to about a.
DEVICE f64 lower_series(f64 a, f64 x) {
  f64 term = 1, sum = 1;
#pragma unroll 1
  for (f64 n = 1; n < 2000 && term > 1e-17 * sum; n += 1) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * gamma_front(a, x);
}
// The continued fraction DLMF 8.9.2 for x beyond a, in its even part and from its tail, which damps the rounding
// errors. The truncation error of this number of terms is below float64's precision.
DEVICE f64 upper_fraction(f64 a, f64 x) {
  const f64 front = gamma_front(a, x) * a;
  // The terms of huge operands overflow; their product with `front` is 0.
  if (front == 0) return 0;
  const f64 b = x + 1 - a;
  f64 tail = 0;
#pragma unroll 1
  for (f64 n = floor(12 + 100 / x + fmin(4 * sqrt(a), 45.0)); n > 0; n -= 1) tail = n * (a - n) / (b + 2 * n + tail);
  return front / (b + tail);
}
// Temme's uniform expansion (1979), DLMF 8.12.3 to 8.12.8, for a from 100 and x near a. The coefficients are the Taylor
// series of c_k in powers of eta, from the recurrence DLMF 8.12.12.
DEVICE gamma_pair uniform_expansion(f64 a, f64 x) {
  static constexpr f64 c[] = {
      -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
      0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06,
      -1.85406221071516e-06, 8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
      1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10, -2.5514193994946248e-11,
      -5.830772132550426e-11, 2.4361948020667415e-11, -5.0276692801141755e-12, 1.1004392031956135e-13,
      3.371763262400985e-13, -1.392388722418162e-13, -0.001851851851851852, -0.003472222222222222,
      0.0026455026455026454, -0.0009902263374485596, 0.00020576131687242798, -4.018775720164609e-07,
      -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06, 4.647127802807434e-09,
      1.378633446915721e-07, -5.752545603517705e-08, 1.1951628599778148e-08, -1.7543241719747647e-11,
      -1.0091543710600413e-09, 4.162792991842583e-10, -8.56390702649298e-11, 6.067215101604758e-14,
      0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06,
      -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05, 3.423578734096138e-08,
      1.3721957309062934e-06, -6.298992138380055e-07, 1.4280614206064242e-07, -2.0477098421990866e-10,
      -1.409252991086752e-08, 6.228974084922022e-09, -1.3670488396617114e-09, 0.0006494341563786008,
      0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885, -7.561801671883977e-05,
      -2.396505113867297e-07, 1.1082654115347302e-05, -5.6749528269915965e-06, 1.4230900732435883e-06,
      -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08, -0.0008618882909167117,
      0.0007840392217200666, -0.0002990724803031902, -1.4638452578843418e-06, 6.641498215465122e-05,
      -3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10, -1.6954149536558305e-06,
      -0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392, -0.00019932570516188847,
      6.797780477937208e-05, 1.419062920643967e-07};
  static constexpr int first[] = {0, 22, 40, 55, 67, 76, 82};
  f64 m = (x - a) / a, eta = copysign(sqrt(-2 * log_less(a, x)), m), rest = 0;
#pragma unroll 1
  for (int k = 5; k >= 0; --k) {
    f64 s = 0;
#pragma unroll 1
    for (int n = first[k + 1] - 1; n >= first[k]; --n) s = s * eta + c[n];
    rest = rest / a + s;
  }
  // a eta^2 / 2 in twice the precision, since the exponential would amplify its rounding error; the complementary error
  // function is corrected by the rest of its operand.
  twofold exponent = exact_sum(x, -a) + -(log_of(twofold{x, 0} / twofold{a, 0}) * a);
  if (exponent.high < 0) exponent = {0, 0};
  const twofold root = root_of(exponent);
  rest *= exp_of(-exponent) / sqrt(6.283185307179586 * a);
  f64 size = 0.5 * erfc(root.high) - 0.5641895835477563 * root.low * exp(-exponent.high);
  f64 small = m < 0 ? size - rest : size + rest;
  return m < 0 ? gamma_pair{small, 1 - small} : gamma_pair{1 - small, small};
}
static __device__ __noinline__ gamma_pair incomplete_gamma(f64 a, f64 x) {
  if (!(a >= 0 && x >= 0) || a == 0 && x == 0 || isinf(a) && isinf(x)) return {special_nan(), special_nan()};
  if (a == 0 || isinf(x)) return {1, 0};
  if (x == 0 || isinf(a)) return {0, 1};
  // Far beyond a the upper function is 0, whatever its factors overflow to.
  if (x > 1e6 && x > 2 * a) return {1, 0};
  if (a > 100 && fabs(x - a) < 0.4 * a) return uniform_expansion(a, x);
  if (a < 0.5 && x < 0.9) {
    // P is near 1: DLMF 8.7.3 minus 1. For larger x its terms cancel.
    f64 log_front = a * log(x) - log_gamma_1p(a), term = 1, sum = 0;
#pragma unroll 1
    for (int n = 1; n < 40; ++n) {
      term *= -x / n;
      sum += term / (a + n);
    }
    f64 q = -expm1(log_front) - exp(log_front) * a * sum;
    return q < 0.5 ? gamma_pair{1 - q, q} : gamma_pair{lower_series(a, x), q};
  }
  if (x < a || x < 0.9) {
    f64 p = lower_series(a, x);
    return {p, 1 - p};
  }
  f64 q = upper_fraction(a, x);
  return {1 - q, q};
}
DEVICE f64 gammainc(f64 a, f64 x) { return incomplete_gamma(a, x).p; }
DEVICE f64 gammaincc(f64 a, f64 x) { return incomplete_gamma(a, x).q; }
