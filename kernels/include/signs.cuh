// The sign of a complex number: the number by its modulus. Where the modulus is infinite NumPy takes the direction of the
// infinite part; of the imaginary one, where finite parts have a modulus that overflows.
template <class Z> DEVICE Z complex_sign(Z z) {
  typedef decltype(z.re) T;
  // float32 in double precision; doubles away from the lower end of their range, where the modulus would lose its digits.
  const bool tiny = sizeof(T) == 8 && fabs(z.re) < (T)1e-150 && fabs(z.im) < (T)1e-150;
  const f64 scale = tiny ? 0x1p600 : 1.0, re = z.re * scale, im = z.im * scale, modulus = hypot(re, im);
  const bool infinite = isinf((T)modulus);
  if (infinite && isinf(z.re) && isinf(z.im)) return {z.re - z.re, z.re - z.re};
  if (infinite && isinf(z.re)) return {z.re > 0 ? (T)1 : (T)-1, (T)0};
  if (infinite) return {(T)0, z.im > 0 ? (T)1 : (T)-1};
  if (modulus == 0) return {(T)0, (T)0};
  return {(T)(re / modulus), (T)(im / modulus)};
}
