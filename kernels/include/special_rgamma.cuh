// The reciprocal of the gamma function, its logarithm and its sign.
DEVICE f64 special_rgamma(f64 x) {
  if (is_nan(x) || fabs(x) < 1e-290) return x;
  if (x <= 0 && x == floor(x)) return 0;
  if (fabs(x) < 165) return 1 / tgamma(x);
  if (x > 0) return exp(-lgamma(x));
  // DLMF 5.5.3 in two factors, which overflow with the result only.
  const f64 half = exp(0.5 * lgamma(1 - x));
  return half * (sinpi(x) * 0.3183098861837907) * half;
}
DEVICE f64 special_loggamma(f64 x) { return x < 0 ? __longlong_as_double(0x7ff8000000000000ll) : lgamma(x); }
template <class T> DEVICE T special_gammasgn(T x) {
  if (is_nan(x) || (isinf(x) && x < 0)) return x - x;
  if (x == 0) return copysign((T)1, x);
  if (x > 0) return 1;
  const T down = floor(x);
  return down == x ? down / (T)0 * (T)0 : fmod(down, (T)2) == 0 ? (T)1 : (T)-1;
}
