// Numbers of recurrences, which are real or complex: a product plus a number, a test for finite ones, and those of other lanes of a warp.
// Required before it: `number`.

DEVICE f64 product_plus(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
DEVICE bool all_finite(f64 a) { return isfinite(a); }
DEVICE f64 lane_at(f64 a, u32 lane) { return __shfl_sync(~0u, a, lane); }
DEVICE f64 lane_before(f64 a, u32 by) { return __shfl_up_sync(~0u, a, by); }
DEVICE f64 lane_across(f64 a, u32 mask) { return __shfl_xor_sync(~0u, a, mask); }
#if COMPLEX
DEVICE c128 product_plus(c128 a, c128 b, c128 c) {
  return {__fma_rn(a.re, b.re, __fma_rn(-a.im, b.im, c.re)), __fma_rn(a.re, b.im, __fma_rn(a.im, b.re, c.im))};
}
DEVICE bool all_finite(c128 a) { return isfinite(a.re) && isfinite(a.im); }
DEVICE c128 lane_at(c128 a, u32 lane) { return {lane_at(a.re, lane), lane_at(a.im, lane)}; }
DEVICE c128 lane_before(c128 a, u32 by) { return {lane_before(a.re, by), lane_before(a.im, by)}; }
DEVICE c128 lane_across(c128 a, u32 mask) { return {lane_across(a.re, mask), lane_across(a.im, mask)}; }
#endif
