// `nan_to_num`: a finite number itself, `nan` for NaN, the parts of `infinities` for the infinities: in double
// precision, rounded to the dtype once.
template <class T> DEVICE f64 finite_or(T x, T nan, c128 infinities) {
  return x != x ? nan : isinf(x) ? (x > 0 ? infinities.re : infinities.im) : x;
}
template <class T> DEVICE complex<T> complex_finite_or(complex<T> z, T nan, c128 infinities) {
  return {(T)finite_or(z.re, nan, infinities), (T)finite_or(z.im, nan, infinities)};
}
