// The beta function gamma(a) gamma(b) / gamma(a + b), its logarithm, and binomial coefficients.

// The logarithms of the quotients of two operands and their sum c, times the operands, for positive operands; far apart,
// the logarithm next to 0 is that of 1 minus a small number.
DEVICE twofold entropy_of_parts(f64 a, f64 b, twofold c) {
  const f64 s = fmin(a, b), l = fmax(a, b);
  const twofold near = s < 0.3 * l ? -twice_atanh(twofold{s, 0} / (c + l)) : log_of(twofold{l, 0} / c);
  return log_of(twofold{s, 0} / c) * s + near * l;
}
// For operands of 10 and more: log B without the factor sqrt(2 pi c / (a b)), by Stirling's formula.
DEVICE twofold beta_exponent(f64 a, f64 b, twofold c) {
  return entropy_of_parts(a, b, c) + (stirling_rest(a) + stirling_rest(b) - stirling_rest(c.high));
}
DEVICE f64 beta_root(f64 a, f64 b, twofold c) { return sqrt(6.283185307179586 / fmin(a, b) * (c.high / fmax(a, b))); }
// gamma(l) / gamma(l + s) and gamma(s) are factors for 0 < s < 10.
DEVICE f64 beta_of_small(f64 s, f64 l) { return gamma_1p(s) / s / gamma_ratio({l, 0}, exact_sum(l, s), s, 1, 1); }
static __device__ __noinline__ f64 beta_positive(f64 a, f64 b) {
  const f64 s = fmin(a, b), l = fmax(a, b);
  if (isinf(l)) return isinf(s) ? special_nan() : 0;
  if (s == 1) return 1 / l;
  if (s < 10) return beta_of_small(s, l);
  const twofold c = exact_sum(a, b);
  return exp_of(beta_exponent(a, b, c)) * beta_root(a, b, c);
}
static __device__ __noinline__ f64 betaln_positive(f64 a, f64 b) {
  const f64 s = fmin(a, b), l = fmax(a, b);
  if (isinf(l)) return isinf(s) ? special_nan() : -l;
  if (s == 1) return 0 - log(l);
  if (s < 10) {
    const f64 y = beta_of_small(s, l);
    // Beyond the range the smaller operand or the quotient of the gamma functions is a power.
    if (y > 1e-290 && y < 1e290) return log(y);
    return l > 1e25 ? lgamma(s) - s * log(l) : lgamma(s) - (lgamma(exact_sum(l, s).high) - lgamma(l));
  }
  const twofold c = exact_sum(a, b), t = beta_exponent(a, b, c);
  return t.high + (t.low + log(beta_root(a, b, c)));
}
// Between the poles of the gamma function the sign is its.
DEVICE f64 sign_of_gamma(f64 x) { return x > 0 || fmod(floor(x), 2.0) == 0 ? 1 : -1; }
// For operands not both positive. At a pole of gamma(a) SciPy has the limit for an integer b below 1 - a, or infinity.
static __device__ __noinline__ f64 beta_beyond(f64 a, f64 b, bool logarithm) {
  if (is_pole(b) && !is_pole(a)) {
    const f64 t = a;
    a = b;
    b = t;
  }
  if (is_pole(a)) {
    if (!(b == floor(b) && 1 - a - b > 0)) return special_infinity();
    // Here b is positive, or both are poles.
    if (!(b > 0)) return special_infinity();
    if (logarithm) return betaln_positive(1 - a - b, b);
    const f64 y = beta_positive(1 - a - b, b);
    return fmod(b, 2.0) == 0 ? y : -y;
  }
  if (fabs(a) > fabs(b)) {
    const f64 t = a;
    a = b;
    b = t;
  }
  if (is_nan(a) || is_nan(b) || isinf(a)) return special_nan();
  if (isinf(b)) return logarithm ? b : sign_of_gamma(a) * b;
  const f64 ratio = poch(b, a);
  if (fabs(a) < 150 && isinf(ratio)) return logarithm ? -special_infinity() : 0;
  const f64 y = tgamma(a) / ratio;
  if (isfinite(y) && fabs(y) > 1e-290) return logarithm ? log(fabs(y)) : y;
  const f64 c = a + b, log_of_size = lgamma(a) + lgamma(b) - lgamma(c);
  return logarithm ? log_of_size : exp(log_of_size) * sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(c);
}
DEVICE f64 special_beta(f64 a, f64 b) { return a > 0 && b > 0 ? beta_positive(a, b) : beta_beyond(a, b, false); }
DEVICE f64 special_betaln(f64 a, f64 b) { return a > 0 && b > 0 ? betaln_positive(a, b) : beta_beyond(a, b, true); }
