// The sign of a complex number: the number divided by its modulus. If the modulus is infinite NumPy returns the
// direction of the infinite part; that of the imaginary one, if finite parts have a modulus that overflows.
template <class Z> DEVICE Z complex_sign(Z z) {
  typedef decltype(z.re) T;
  if (isinf(z.re)) return {isinf(z.im) ? z.re - z.re : z.re > 0 ? (T)1 : (T)-1, isinf(z.im) ? z.re - z.re : (T)0};
  const Z upright = {(T)0, z.im > 0 ? (T)1 : (T)-1};
  if (isinf(z.im)) return upright;
  // float32 in double precision; doubles are scaled away from the ends of their range, where the modulus would lose its
  // digits or its last bits decide if it overflows.
  const T larger = fmax(fabs(z.re), fabs(z.im));
  const bool wide = sizeof(T) == 8, huge = wide && larger > (T)1e300, tiny = wide && larger < (T)1e-150;
  const f64 scale = huge ? 0x1p-600 : tiny ? 0x1p600 : 1.0, re = z.re * scale, im = z.im * scale;
  // Squares of float32 are exact in double precision.
  const f64 modulus = wide ? hypotenuse(re, im) : sqrt(re * re + im * im);
  if (huge ? modulus > 0x1.0000000000008p424 : !wide && isinf((T)modulus)) return upright;
  if (modulus == 0) return {(T)0, (T)0};
  return {(T)(re / modulus), (T)(im / modulus)};
}
