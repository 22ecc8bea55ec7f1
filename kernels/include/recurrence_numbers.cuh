// Numbers of recurrences, which are real or complex: a product plus a number, and a test for finite ones. Required before it: `number`.

DEVICE f64 product_plus(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
DEVICE bool all_finite(f64 a) { return isfinite(a); }
#if COMPLEX
DEVICE c128 product_plus(c128 a, c128 b, c128 c) {
  return {__fma_rn(a.re, b.re, __fma_rn(-a.im, b.im, c.re)), __fma_rn(a.re, b.im, __fma_rn(a.im, b.re, c.im))};
}
DEVICE bool all_finite(c128 a) { return isfinite(a.re) && isfinite(a.im); }
#endif
