// Distribution functions of discrete and continuous distributions by the incomplete beta function.

// The counts are truncated to integers, as SciPy does; the tail has k + 1 and n - k as parameters.
DEVICE beta_pair binomial_pair(f64 k, f64 n, f64 p) {
  k = floor(k);
  n = trunc(n);
  const f64 nan = special_nan();
  if (is_nan(k) || is_nan(n) || !(p >= 0 && p <= 1) || isinf(n) || n < k) return {nan, nan};
  if (k < 0) return {1, 0};
  if (k == n) return {0, 1};
  return betainc_pair(k + 1, n - k, p);
}
DEVICE f64 special_bdtr(f64 k, f64 n, f64 p) { return floor(k) < 0 ? special_nan() : binomial_pair(k, n, p).q; }
DEVICE f64 special_bdtrc(f64 k, f64 n, f64 p) { return binomial_pair(k, n, p).p; }
DEVICE f64 special_bdtri(f64 k, f64 n, f64 y) {
  k = floor(k);
  n = trunc(n);
  if (is_nan(k) || is_nan(n) || !(y >= 0 && y <= 1) || isinf(n) || k < 0 || n <= k) return special_nan();
  // The power 1 - y^(1 / n).
  if (k == 0) return -expm1(y > 0.8 ? log1p(y - 1) / n : log(y) / n);
  return betaincinv_point(k + 1, n - k, 1 - y, y).x;
}
DEVICE beta_pair negative_binomial_pair(f64 k, f64 n, f64 p) {
  if (!isfinite(k) || !(n > 0) || isinf(n) || !(p >= 0 && p <= 1) || k < 0) return {special_nan(), special_nan()};
  return betainc_pair(n, k + 1, p);
}
// SciPy truncates both counts.
DEVICE f64 special_nbdtr(f64 k, f64 n, f64 p) { return negative_binomial_pair(trunc(k), trunc(n), p).p; }
DEVICE f64 special_nbdtrc(f64 k, f64 n, f64 p) { return negative_binomial_pair(trunc(k), trunc(n), p).q; }
DEVICE f64 special_nbdtri(f64 k, f64 n, f64 y) {
  k = trunc(k);
  if (k >= 0 && isfinite(k) && !is_nan(n) && (y == 0 || y == 1)) return y;
  if (!isfinite(k) || !isfinite(n) || !(y >= 0 && y <= 1) || k < 0) return special_nan();
  return betaincinv_point(trunc(n), k + 1, y, 1 - y).x;
}
DEVICE f64 special_nbdtr(i64 k, i64 n, f64 p) { return special_nbdtr((f64)k, (f64)n, p); }
DEVICE f64 special_nbdtrc(i64 k, i64 n, f64 p) { return special_nbdtrc((f64)k, (f64)n, p); }
DEVICE f64 special_nbdtri(i64 k, i64 n, f64 p) { return special_nbdtri((f64)k, (f64)n, p); }
DEVICE f64 special_bdtr(f64 k, i64 n, f64 p) { return special_bdtr(k, (f64)n, p); }
DEVICE f64 special_bdtrc(f64 k, i64 n, f64 p) { return special_bdtrc(k, (f64)n, p); }
DEVICE f64 special_bdtri(f64 k, i64 n, f64 p) { return special_bdtri(k, (f64)n, p); }
// The variable of the beta distribution, n x / (d + n x), and its complement.
DEVICE beta_pair f_pair(f64 n, f64 d, f64 x) {
  if (!(n > 0 && d > 0 && x >= 0)) return {special_nan(), special_nan()};
  if (isinf(x)) return {1, 0};
  if (isinf(n) || isinf(d)) return {special_nan(), special_nan()};

  const twofold t = exact_product(n, x), sum = t + d;
  if (isinf(sum.high)) {
    const f64 w = 1 / (1 + d / n / x);
    return betainc_pair(0.5 * n, 0.5 * d, {w, 0}, exact_sum(1, -w));
  }
  return betainc_pair(0.5 * n, 0.5 * d, t / sum, twofold{d, 0} / sum);
}
DEVICE f64 special_fdtr(f64 n, f64 d, f64 x) { return f_pair(n, d, x).p; }
DEVICE f64 special_fdtrc(f64 n, f64 d, f64 x) { return f_pair(n, d, x).q; }
DEVICE f64 special_fdtri(f64 n, f64 d, f64 y) {
  if (!(n > 0 && d > 0 && y >= 0 && y <= 1) || isinf(n) || isinf(d)) return special_nan();
  const beta_point t = betaincinv_point(0.5 * n, 0.5 * d, y, 1 - y);
  return d * t.x / (n * t.y);
}
