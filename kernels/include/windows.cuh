// Window functions at point d of a + 1, with NumPy's arithmetic: pi times the distance from the middle, which is 1 at
// the ends.
DEVICE f64 angle(i64 d, f64 a) { return 3.141592653589793 * (2.0 * (f64)d - a) / a; }
DEVICE f64 kaiser(i64 d, f64 a, f64 beta) {
  const f64 half = a / 2.0, x = ((f64)d - half) / half;
  return cyl_bessel_i0(beta * sqrt(1.0 - x * x)) / cyl_bessel_i0(beta);
}
