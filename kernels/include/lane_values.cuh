// Accumulator of values that combine in a tree: first a batch, in the value's own type, then one step with the earlier
// accumulator. Required before it: neutral(), a value that changes nothing, and raised(value), the accumulator for a
// value; with COUNTED raised(value, count), where the number of values is counted.
struct lane {
  accumulator sum;
};
DEVICE lane lane_start() { return {identity()}; }
DEVICE partial lane_result(const lane &a, u32) { return a.sum; }

template <u32 N, u32 GROUP, class TAKEN>
DEVICE void take(lane &a, const value (&x)[N], u32 keep, TAKEN, uindex, uindex) {
  value y[N];
#if COUNTED
  u32 count = 0;
#endif
#pragma unroll
  for (u32 k = 0; k < N; ++k) {
    const bool kept = (!MASKED || (keep >> k & 1)) && !(SKIP_NAN && is_nan(x[k]));
    y[k] = kept ? x[k] : neutral();
#if COUNTED
    count += kept;
#endif
  }
  halve<N / 2>(y, [](value a, value b) { return combine_values(a, b); });
#if COUNTED
  a.sum = combine(a.sum, raised(y[0], count));
#else
  a.sum = combine(a.sum, raised(y[0]));
#endif
}
