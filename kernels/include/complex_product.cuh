// Products of complex numbers. Where nothing has been multiplied yet stands no factor at all, a NaN with a mark that no element
// keeps: times 1, an infinite number would get a part that is NaN at every step. The 1 that a product begins with is told.
template <class T> DEVICE complex<T> no_factor();
template <> DEVICE c64 no_factor<f32>() { return {bits_to_f32(0x7fc0f0f0u), 0}; }
template <> DEVICE c128 no_factor<f64>() { return {__longlong_as_double(0x7ff8f0f0f0f0f0f0ll), 0}; }
DEVICE bool is_no_factor(c64 z) { return __float_as_uint(z.re) == 0x7fc0f0f0u; }
DEVICE bool is_no_factor(c128 z) { return __double_as_longlong(z.re) == 0x7ff8f0f0f0f0f0f0ll; }
template <class T> DEVICE complex<T> factor_of(complex<T> z) {
  if (is_no_factor(z)) z.re = (T)bits_to_f32(0x7fc00000u);
  return z;
}
template <class T> DEVICE complex<T> product_of(complex<T> a, complex<T> b) {
  return is_no_factor(a) ? b : is_no_factor(b) ? a : a * b;
}
