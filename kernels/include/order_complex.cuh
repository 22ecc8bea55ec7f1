template <class T> DEVICE bool goes_before(complex<T> a, complex<T> b) {
  const int of_a = (a.re != a.re) * 2 + (a.im != a.im), of_b = (b.re != b.re) * 2 + (b.im != b.im);
  if (of_a != of_b) return of_a < of_b;
  return a.re < b.re || (!(b.re < a.re) && a.im < b.im);
}
