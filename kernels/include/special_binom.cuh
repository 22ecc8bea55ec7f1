// Binomial coefficients of real operands: gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)).
DEVICE f64 special_binom(f64 n, f64 k) {
  if (is_nan(n) || is_nan(k) || isinf(k)) return special_nan();
  const bool whole = n == floor(n);
  if (n < 0 && whole) return special_nan();
  if (isinf(n)) return isinf(k) ? special_nan() : k > 0 ? n : k == 0 ? 1 : 0;
  f64 j = k;
  if (k == floor(k)) {
    // The coefficients of an integer n are symmetric.
    if (whole && n > 0 && k > n / 2) j = n - k;
    if (j < 0) return 0;
    if (j <= 40) {
      // The product of (n - j + i) / i.
      twofold y = {1, 0};
      const twofold first = exact_sum(n, -j);
#pragma unroll 1
      for (f64 i = 1; i <= j && fabs(y.high) < 1e290; i += 1) y = y * (first + i) / twofold{i, 0};
      if (fabs(y.high) < 1e290) return y.high;
    }
  }
  // 1 / ((n + 1) B(n - k + 1, k + 1)).
  const f64 above = n - j + 1;
  if (above > 0 && j + 1 > 0) {
    const f64 y = beta_positive(above, j + 1);
    return y > 1e-290 ? 1 / (n + 1) / y : exp(-betaln_positive(above, j + 1) - log(n + 1));
  }
  return 1 / (n + 1) / special_beta(above, j + 1);
}
