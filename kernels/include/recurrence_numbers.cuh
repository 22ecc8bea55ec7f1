// Numbers of recurrences, which are real or complex: a product plus a number, and a number of another lane. Required before it: `number`.

DEVICE f64 product_plus(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
DEVICE f64 from_lane_before(f64 a, u32 lanes) { return __shfl_up_sync(~0u, a, lanes); }
#if COMPLEX
DEVICE c128 product_plus(c128 a, c128 b, c128 c) {
  return {__fma_rn(a.re, b.re, __fma_rn(-a.im, b.im, c.re)), __fma_rn(a.re, b.im, __fma_rn(a.im, b.re, c.im))};
}
DEVICE c128 from_lane_before(c128 a, u32 lanes) { return {from_lane_before(a.re, lanes), from_lane_before(a.im, lanes)}; }
#endif
