// Products with a logarithm of a complex number; 0 times any logarithm but a NaN is 0.
DEVICE c128 complex_xlogy(c128 x, c128 y) {
  if (x.re == 0 && x.im == 0 && !is_nan(y)) return {0.0, 0.0};
  return x * complex_log(y);
}
DEVICE c128 complex_xlog1py(c128 x, c128 y) {
  if (x.re == 0 && x.im == 0 && !is_nan(y)) return {0.0, 0.0};
  return x * complex_log1p(y);
}
