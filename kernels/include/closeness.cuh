// Test if two numbers are close. The tolerance has the dtype of the second, the distance that of the promoted operands:
// `rounded` and `stepped` round a step of either computation if it is done in higher precision.
DEVICE f32 size_of(f32 x) { return fabs(x); }
DEVICE f64 size_of(f64 x) { return fabs(x); }
template <class T> DEVICE T size_of(complex<T> z) { return (T)hypotenuse((f64)z.re, (f64)z.im); }

template <class T, class U> DEVICE T promoted(T, U b) { return (T)b; }
template <class T, class U> DEVICE complex<T> promoted(complex<T>, U b) { return {(T)b, 0}; }
template <class T, class U> DEVICE complex<T> promoted(complex<T>, complex<U> b) { return {(T)b.re, (T)b.im}; }

// The relative and the absolute tolerance are `tolerance.re` and `tolerance.im`.
template <class A, class B, class P, class Y>
DEVICE bool is_close(A a, B b, c128 tolerance, P stepped, Y rounded) {
  typedef decltype(size_of(b)) real;
  const real allowed = rounded(rounded((real)tolerance.re * size_of(b)) + (real)tolerance.im);
  const A other = promoted(a, b);
  return (size_of(stepped(a - other)) <= allowed && is_finite(b)) || a == other;
}
