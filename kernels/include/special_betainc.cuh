// The regularised incomplete beta functions; DLMF 8.17.2. Both are returned, the smaller one without cancellation. The
// variable and its complement to 1 have twice the digits of a float64, since large parameters amplify their errors.
struct beta_pair { f64 p, q; };

// The natural logarithm of a positive number, also a subnormal one.
DEVICE twofold log_of_any(twofold x) {
  return x.high < 1e-290 ? log_of(twofold{x.high * 0x1p300, x.low * 0x1p300}) + -twofold{207.94415416798358, 8.41142139733945e-15} : log_of(x);
}
// x^a y^b / B(a, b).
static __device__ __noinline__ f64 beta_front(f64 a, f64 b, twofold x, twofold y) {
  const twofold c = exact_sum(a, b);
  if (a >= 10 && b >= 10) {
    const twofold of_x = x * c / twofold{a, 0}, of_y = y * c / twofold{b, 0};
    if (!(of_x.high > 1e-290 && of_y.high > 1e-290)) return 0;
    return exp_of(log_of(of_x) * a + log_of(of_y) * b + -(stirling_rest(a) + stirling_rest(b) - stirling_rest(c.high))) / beta_root(a, b, c);
  }
  const f64 s = fmin(a, b), l = fmax(a, b);
  const twofold t = log_of_any(x) * a + log_of_any(y) * b;
  // No factor overflows or underflows before the product does.
  const f64 half = exp_of({0.5 * t.high, 0.5 * t.low});
  return half * gamma_ratio({l, 0}, exact_sum(l, s), s, 1, 1) * (s / gamma_1p(s)) * half;
}
// log(gamma(b + a) / gamma(b)) / a for 0 < a < 1/2: the mean of the digamma function over that interval, by Gauss's rule
// of 8 points from b + 2 on.
DEVICE f64 mean_psi(f64 a, f64 b) {
  static constexpr f64 node[] = {0.9602898564975363, 0.7966664774136267, 0.525532409916329, 0.1834346424956498};
  static constexpr f64 weight[] = {0.10122853629037626, 0.22238103445337448, 0.31370664587788727, 0.362683783378362};
  const f64 middle = b + 2 + 0.5 * a;
  f64 sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) sum += weight[k & 3] * psi(middle + (k < 4 ? 0.5 : -0.5) * a * node[k & 3]);
  const f64 steps = a < 1e-300 * b ? 1 / b + 1 / (b + 1) : (log1p(a / b) + log1p(a / (b + 1))) / a;
  return 0.5 * sum - steps;
}
// log(a B(a, b)) / a for 0 < a < 1/2.
DEVICE f64 log_a_beta(f64 a, f64 b) { return (a < 1e-300 ? -0.5772156649015329 : log_gamma_1p(a) / a) - mean_psi(a, b); }
// Both functions for a < 1/2 and b x < 1: the series of DLMF 8.17.7 in powers of x, as 1 plus a small sum.
DEVICE beta_pair beta_of_small_a(f64 a, f64 b, twofold x, twofold y) {
  f64 term = 1, sum = 0;
#pragma unroll 1
  for (f64 n = 1; n < 200; n += 1) {
    term *= (n - b) / n * x.high;
    sum += term / (a + n);
    if (fabs(term) < 1e-18) break;
  }
  const f64 exponent = a * (log_of_any(x).high - log_a_beta(a, b));
  const f64 q = -expm1(exponent) - exp(exponent) * a * sum;
  if (q < 0.5) return {1 - q, q};
  const f64 p = beta_front(a, b, x, y) * exp_of(-(log_of_any(y) * b)) / a * (1 + a * sum);
  return {p, 1 - p};
}
// The continued fraction DLMF 8.17.22, of which this is the even part, from its tail; times a. Its denominators
// 1 - c x are (1 - c) + c y near the right end.
DEVICE f64 beta_fraction(f64 a, f64 b, f64 x, f64 y) {
  const f64 mean = 1 / (1 / a + 1 / b);
  f64 tail = 0;
  // An estimate from above of the number of terms at the mean of the distribution, where it is largest.
  const f64 count = floor(12 + 10 * cbrt(mean) + (b < 4 ? fmin(100 / (0.7 + b * b), 10 * a) : 0));
#pragma unroll 1
  for (f64 m = count; m > 0; m -= 1) {
    const f64 even = a + 2 * m;
    const f64 product = -(a + m - 1) / (even - 2) * ((a + b + m - 1) / (even - 1)) * x * (m / (even - 1) * ((b - m) / even) * x);
    const f64 rest = ((1 - b) * (a - 1) + 2 * m * (a + m)) / ((even - 1) * (even + 1)), c = 1 - rest;
    tail = product / ((x < 0.5 ? 1 - c * x : rest + c * y) - tail);
  }
  const f64 c = (a + b) / (a + 1);
  return 1 / ((x < 0.5 ? 1 - c * x : ((1 - b) + (a + b) * y) / (a + 1)) - tail);
}
// For two large parameters: the integral over the tail, of three panels of Gauss's rule of 16 points. `x` is not above
// the mean; the integrand is scaled by its value there, and the unit is the standard deviation.
DEVICE f64 beta_tail_integral(f64 a, f64 b, f64 x, f64 y) {
  static constexpr f64 node[] = {0.9894009349916499, 0.9445750230732326, 0.8656312023878318, 0.755404408355003,
                      0.6178762444026438, 0.45801677765722737, 0.2816035507792589, 0.09501250983763744};
  static constexpr f64 weight[] = {0.027152459411754096, 0.062253523938647894, 0.09515851168249279, 0.12462897125553388,
                        0.14959598881657674, 0.16915651939500254, 0.18260341504492358, 0.1894506104550685};
  const f64 unit = 1 / sqrt(a / x / x + b / y / y);
  const f64 slope = fmax(0.0, (a / x - b / y) * unit), length = (sqrt(slope * slope + 84) - slope) / 6;
  f64 sum = 0;
#pragma unroll 1
  for (int panel = 0; panel < 3; ++panel)
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
      const f64 s = (2 * panel + 1 + (k < 8 ? node[k & 7] : -node[k & 7])) * length, step = s * unit;
      if (step >= x) continue;
      sum += weight[k & 7] * exp((a - 1) * log1p(-step / x) + (b - 1) * log1p(step / y));
    }
  // The integral of x^(a-1) y^(b-1) in units of x^a y^b.
  return sum * length * unit / x / y;
}
static __device__ __noinline__ beta_pair beta_lower(f64 a, f64 b, twofold x, twofold y) {
  if (a < 0.5 && b * x.high < 0.9) return beta_of_small_a(a, b, x, y);
  const f64 front = beta_front(a, b, x, y);
  if (front == 0) return {0, 1};
  const f64 p = front * (a > 2e4 && b > 2e4 ? beta_tail_integral(a, b, x.high, y.high) : beta_fraction(a, b, x.high, y.high) / a);
  return {p, 1 - p};
}
// For positive finite parameters and 0 < x < 1.
static __device__ __noinline__ beta_pair incomplete_beta(f64 a, f64 b, twofold x, twofold y) {
  const bool swapped = x.high * (b + 1) > (a + 1) * y.high || (a < 0.5 && b * x.high >= 0.9 && b >= 0.5);
  const beta_pair r = swapped ? beta_lower(b, a, y, x) : beta_lower(a, b, x, y);
  return swapped ? beta_pair{r.q, r.p} : r;
}
// Values at the ends of the domain as SciPy has them.
static __device__ __noinline__ beta_pair betainc_pair(f64 a, f64 b, twofold x, twofold y) {
  if (!(a >= 0 && b >= 0 && x.high >= 0 && x.high <= 1)) return {special_nan(), special_nan()};
  if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return {special_nan(), special_nan()};
  // All of the distribution is at 0, or at 1.
  if (a == 0 || isinf(b)) return x.high > 0 ? beta_pair{1, 0} : beta_pair{0, 1};
  if (b == 0 || isinf(a)) return x.high < 1 ? beta_pair{0, 1} : beta_pair{1, 0};
  if (x.high == 0) return {0, 1};
  if (y.high == 0) return {1, 0};
  return incomplete_beta(a, b, x, y);
}
DEVICE beta_pair betainc_pair(f64 a, f64 b, f64 x) { return betainc_pair(a, b, {x, 0}, exact_sum(1, -x)); }
DEVICE f64 special_betainc(f64 a, f64 b, f64 x) { return betainc_pair(a, b, x).p; }
