// Distribution functions of the gamma, chi-squared and Poisson distributions by the incomplete gamma functions.
DEVICE f64 special_gdtr(f64 a, f64 b, f64 x) { return x < 0 ? special_nan() : gammainc(b, a * x); }
DEVICE f64 special_gdtrc(f64 a, f64 b, f64 x) { return x < 0 ? special_nan() : gammaincc(b, a * x); }
DEVICE f64 special_chdtr(f64 v, f64 x) { return gammainc(0.5 * v, 0.5 * x); }
DEVICE f64 special_chdtrc(f64 v, f64 x) { return gammaincc(0.5 * v, 0.5 * x); }
DEVICE f64 special_pdtr(f64 k, f64 m) {
  if (k < 0 || m < 0) return special_nan();
  return m == 0 ? 1 : gammaincc(floor(k) + 1, m);
}
DEVICE f64 special_pdtrc(f64 k, f64 m) {
  if (k < 0 || m < 0) return special_nan();
  return m == 0 ? 0 : gammainc(floor(k) + 1, m);
}
