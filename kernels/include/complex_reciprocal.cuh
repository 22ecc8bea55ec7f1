// 1 / z: R. L. Smith's division ("Algorithm 116", 1962) after scaling near 1 by a power of two, so that neither the
// divisor overflows nor a subnormal one loses digits. Both parts of 1 / 0 are NaN.
DEVICE c128 complex_reciprocal(c128 z) {
  f64 above = fmax(fabs(z.re), fabs(z.im));
  int down = 0;
  if (above > 0 && isfinite(above)) {
    down = -ilogb(above);
    z = {ldexp(z.re, down), ldexp(z.im, down)};
  }
  c128 w;
  if (fabs(z.im) <= fabs(z.re)) {
    f64 ratio = z.im / z.re, below = z.re + z.im * ratio;
    w = {1.0 / below, -ratio / below};
  } else {
    f64 ratio = z.re / z.im, below = z.re * ratio + z.im;
    w = {ratio / below, -1.0 / below};
  }
  return {ldexp(w.re, down), ldexp(w.im, down)};
}
