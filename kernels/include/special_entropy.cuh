// Entropies, loss functions and logits, with SciPy's values at and beyond the ends of the domains.
template <class T> DEVICE T infinity_of() { return (T)__int_as_float(0x7f800000); }
template <class T> DEVICE T entr(T x) {
  if (is_nan(x)) return x;
  return x > 0 ? -x * log(x) : x == 0 ? (T)0 : -infinity_of<T>();
}
// x log(x / y) for positive operands; near x == y the difference is exact and keeps the relative error small.
template <class T> DEVICE T x_log_ratio(T x, T y) {
  T ratio = x / y;
  if (ratio > (T)0.5 && ratio < (T)2) return x * log1p((x - y) / y);
  // A ratio outside the range of normal numbers is split.
  const T small = sizeof(T) == 4 ? (T)1.2e-38f : (T)2.3e-308;
  return x * (ratio > small && ratio < 1 / small ? log(ratio) : log(x) - log(y));
}
template <class T> DEVICE T rel_entr(T x, T y) {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x > 0 && y > 0) return x_log_ratio(x, y);
  return x == 0 && y >= 0 ? (T)0 : infinity_of<T>();
}
template <class T> DEVICE T kl_div(T x, T y) {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x > 0 && y > 0) {
    // For close operands their difference is exact, and the correction of the logarithm is small.
    if (y > (T)0.5 * x && y < 2 * x) return x * ((y - x) / x - log1p((y - x) / x));
    return x_log_ratio(x, y) - x + y;
  }
  return x == 0 && y >= 0 ? y : infinity_of<T>();
}
// The terms cancel, so that float32 is computed in float64 and rounded once.
DEVICE f32 rel_entr(f32 x, f32 y) { return (f32)rel_entr((f64)x, (f64)y); }
DEVICE f32 kl_div(f32 x, f32 y) { return (f32)kl_div((f64)x, (f64)y); }
template <class T> DEVICE T huber(T delta, T r) {
  if (delta < 0) return infinity_of<T>();
  return fabs(r) <= delta ? (T)0.5 * r * r : delta * (fabs(r) - (T)0.5 * delta);
}
// d^2 (sqrt(1 + (r / d)^2) - 1) = d r^2 / (d + hypot(d, r)), which does not cancel.
template <class T> DEVICE T pseudo_huber(T d, T r) {
  if (d < 0) return infinity_of<T>();
  if (d == 0 || r == 0) return 0;
  if (is_nan(r) || !is_finite(d)) return r - r + (d - d);
  r = fabs(r);
  if (r <= d * (T)9.313225746154785e-10) return (T)0.5 * r * r;
  if (!is_finite(r)) return r;
  // The sum of large operands is computed from their quarters, which small ones would lose.
  const T part = r > 1 || d > 1 ? (T)0.25 : (T)1;
  T quotient = r * part / (d * part + hypot(d * part, r * part));
  return d * quotient * r;
}
template <class T> DEVICE T logit(T p) {
  // Around 1/2 the difference is exact, and log(p / (1 - p)) is twice the inverse hyperbolic tangent of 2p - 1.
  if (p >= (T)0.25 && p <= (T)0.75) return 2 * atanh(2 * (p - (T)0.5));
  return log(p / (1 - p));
}
template <class T> DEVICE T expit(T x) {
  T e = exp(-fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
template <class T> DEVICE T log_expit(T x) {
  T low = -log1p(exp(-fabs(x)));
  return x < 0 ? x + low : low;
}
template <class T> DEVICE T xlogy(T x, T y) { return x == 0 && !is_nan(y) ? (T)0 : x * log(y); }
template <class T> DEVICE T xlog1py(T x, T y) { return x == 0 && !is_nan(y) ? (T)0 : x * log1p(y); }
