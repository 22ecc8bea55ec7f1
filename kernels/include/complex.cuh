// complex64 and complex128: two floats, real part first, aligned as one of them (a view may start anywhere).
template <class T> struct complex {
  T re, im;
};
typedef complex<f32> c64;
typedef complex<f64> c128;

DEVICE c128 widen(c64 z) { return {z.re, z.im}; }
DEVICE c64 narrow(c128 z) { return {(f32)z.re, (f32)z.im}; }

template <class T> DEVICE complex<T> operator+(complex<T> a, complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> DEVICE complex<T> operator-(complex<T> a, complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> DEVICE complex<T> operator-(complex<T> a) { return {-a.re, -a.im}; }
template <class T> DEVICE complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// R. L. Smith, "Algorithm 116: Complex division", 1962: no overflow unless the quotient overflows.
template <class T> DEVICE complex<T> operator/(complex<T> a, complex<T> b) {
  if (fabs(b.re) >= fabs(b.im)) {
    if (b.re == 0 && b.im == 0) return {a.re / fabs(b.re), a.im / fabs(b.re)};
    T ratio = b.im / b.re, scale = (T)1 / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  T ratio = b.re / b.im, scale = (T)1 / (b.re * ratio + b.im);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

template <class T> DEVICE bool operator==(complex<T> a, complex<T> b) { return a.re == b.re && a.im == b.im; }
template <class T> DEVICE bool operator!=(complex<T> a, complex<T> b) { return a.re != b.re || a.im != b.im; }
// Lexicographic order. A NaN in either imaginary part makes the real parts incomparable too.
template <class T> DEVICE bool operator<(complex<T> a, complex<T> b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}
template <class T> DEVICE bool operator<=(complex<T> a, complex<T> b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}
template <class T> DEVICE bool operator>(complex<T> a, complex<T> b) { return b < a; }
template <class T> DEVICE bool operator>=(complex<T> a, complex<T> b) { return b <= a; }
template <class T> DEVICE bool is_true(complex<T> z) { return z.re != 0 || z.im != 0; }
template <class T> DEVICE bool is_nan(complex<T> z) { return z.re != z.re || z.im != z.im; }
template <class T> DEVICE bool is_finite(complex<T> z) { return isfinite(z.re) && isfinite(z.im); }
// The quotient by n + 0i with NumPy's results: if one part is infinite the other is NaN, because 0 times infinity is.
template <class T> DEVICE complex<T> mean_of(complex<T> sum, u64 n) {
  const T re = sum.re + (T)0, im = sum.im + (T)0;
  return {(re + im * (T)0) / (T)n, (im - re * (T)0) / (T)n};
}
