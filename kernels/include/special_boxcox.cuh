// The transformations of Box and Cox (1964) and their inverses. Where the power overflows and its quotient by lambda does
// not, the logarithm of lambda is part of the exponent.

// (exp(t) - 1) / lambda, where t is lambda times a logarithm.
DEVICE f64 transformed(f64 t, f64 lambda) {
  if (t < 709) return expm1(t) / lambda;
  return copysign(exp(t - log(fabs(lambda))), lambda);
}
DEVICE f64 special_boxcox(f64 x, f64 lambda) {
  const f64 log_x = log(x);
  return lambda == 0 || fabs(lambda * log_x) < 1e-290 ? log_x : transformed(lambda * log_x, lambda);
}
DEVICE f64 special_boxcox1p(f64 x, f64 lambda) {
  const f64 log_x = log1p(x);
  return lambda == 0 || fabs(lambda * log_x) < 1e-290 ? log_x : transformed(lambda * log_x, lambda);
}
// log(1 + lambda x) / lambda, which is x where the product is below half a unit of 1.
DEVICE f64 untransformed(f64 x, f64 lambda) {
  if (isinf(lambda * x) && isfinite(x) && isfinite(lambda) && x > 0 == lambda > 0) return (log(fabs(lambda)) + log(fabs(x))) / lambda;
  return lambda == 0 || fabs(lambda * x) < 1e-17 ? x : log1p(lambda * x) / lambda;
}
DEVICE f64 special_inv_boxcox(f64 x, f64 lambda) { return exp(untransformed(x, lambda)); }
DEVICE f64 special_inv_boxcox1p(f64 x, f64 lambda) { return expm1(untransformed(x, lambda)); }
