// Elements that adjacent windows share, and means. Required before it: `value`, join(value, value), MEAN, DOUBLES (elements are float64), REACH.

// Joins elements from one on to the first `count`: in groups, so that several loads are requested before the first is used.
template <class G> DEVICE void join_first(value &common, u32 from, u32 count, G get) {
  constexpr u32 GROUP = 4;
#pragma unroll
  for (u32 first = 0; first < REACH; first += GROUP) {
    if (first >= count) break;
    value v[GROUP];
#pragma unroll
    for (u32 e = 0; e < GROUP; ++e) v[e] = get(first + e);
#pragma unroll
    for (u32 e = 0; e < GROUP; ++e) {
      if (first + e < count && (first + e > 0 || from == 0)) common = join(common, v[e]);
    }
  }
}

#if MEAN
// Returns true for a sum whose quotient by the rounded inverse can be corrected: it is finite and, unless it is 0, so large that the remainder
// is exact. Sums of elements other than float64 are never as small.
DEVICE bool is_corrected(value sum) {
  const u32 high = (u32)((u64)__double_as_longlong(sum) >> 32) & 0x7fffffff;
#if DOUBLES
  return (high > 0x07b00000 && high < 0x7e700000) || sum == 0;
#else
  return high < 0x7ff00000;
#endif
}

// Divides sums by their number of elements, as `divide_all` of window_slide.cuh with fewer instructions and more registers. A quotient by the
// rounded inverse is corrected by its remainder, and is then that of a division; other sums are divided, one after another, as the code of a
// division is long. A sum of 0 keeps its sign.
DEVICE void divide_all(value (&sum)[REACH], u32 k) {
  const value inverse = 1 / (value)k;
  bool exact = true;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) exact &= is_corrected(sum[r]);
#pragma unroll 1
  for (u32 i = 0; i < (exact ? 0 : REACH); ++i) {
    const value last = sum[0] / (value)k;
#pragma unroll
    for (u32 r = 0; r + 1 < REACH; ++r) sum[r] = sum[r + 1];
    sum[REACH - 1] = last;
  }
  if (!exact) return;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    const value q = sum[r] * inverse, quotient = __fma_rn(__fma_rn(-q, (value)k, sum[r]), inverse, q);
    sum[r] = __longlong_as_double(__double_as_longlong(quotient) | (__double_as_longlong(sum[r]) & (i64)(1ull << 63)));
  }
}
#endif
