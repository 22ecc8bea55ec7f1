// Products of complex numbers. The empty product is no factor at all, represented by a NaN with a bit pattern that no
// element keeps: multiplication by 1 would make a part of an infinite number NaN at every step. An initial value of 1
// is passed explicitly.
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
