// Numbers of recurrences, which are real or complex: a product plus a number. Required before it: `number`.

DEVICE f64 product_plus(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#if COMPLEX
DEVICE c128 product_plus(c128 a, c128 b, c128 c) {
  return {__fma_rn(a.re, b.re, __fma_rn(-a.im, b.im, c.re)), __fma_rn(a.re, b.im, __fma_rn(a.im, b.re, c.im))};
}
#endif
