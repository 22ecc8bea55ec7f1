// Inverses of the chi-squared and Poisson distribution functions.
DEVICE f64 special_chdtri(f64 v, f64 y) {
  if (!(y >= 0 && y <= 1)) return special_nan();
  return 2 * gammainccinv(0.5 * v, y);
}
DEVICE f64 special_pdtri(f64 k, f64 y) {
  k = trunc(k);
  if (!isfinite(k) || k < 0 || !(y >= 0 && y < 1)) return special_nan();
  return gammainccinv(k + 1, y);
}
DEVICE f64 special_pdtri(i64 k, f64 y) { return special_pdtri((f64)k, y); }
