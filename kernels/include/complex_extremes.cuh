template <class T> DEVICE complex<T> larger_first(complex<T> a, complex<T> b) {
  return is_nan(a) || (!is_nan(b) && a >= b) ? a : b;
}
template <class T> DEVICE complex<T> smaller_first(complex<T> a, complex<T> b) {
  return is_nan(a) || (!is_nan(b) && a <= b) ? a : b;
}
