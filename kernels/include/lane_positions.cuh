// Accumulator of the best value and its position. The best value of a batch is found first, in one instruction per
// element; only if it is better than the earlier best, which is rare, is its position searched. Required before it:
// neutral(), a value that none is worse than; skipped(), what a NaN counts as if it is ignored; best_of(a, b), where a
// is the earlier; and is_better(a, b), true if a replaces the earlier b.
struct lane {
  value best;
  uindex at;
};
DEVICE lane lane_start() { return {neutral(), ~(uindex)0}; }
DEVICE partial lane_result(const lane &a, u32) { return {a.best, a.at}; }

template <u32 N, u32 GROUP, class TAKEN>
DEVICE void take(lane &a, const value (&x)[N], u32 keep, TAKEN, uindex first, uindex step) {
  value y[N];
#pragma unroll
  for (u32 k = 0; k < N; ++k) y[k] = !MASKED || (keep >> k & 1) ? SKIP_NAN && is_nan(x[k]) ? skipped() : x[k] : neutral();
  value z[N];
#pragma unroll
  for (u32 k = 0; k < N; ++k) z[k] = y[k];
#pragma unroll
  for (u32 half = 1; half < N; half *= 2) {
#pragma unroll
    for (u32 k = 0; k < N; k += 2 * half) z[k] = best_of(z[k], z[k + half]);
  }
  if (!is_better(z[0], a.best)) return;
  u32 at = 0;
  // A NaN, which is equal to nothing, is searched by a test of its own: one comparison per element either way.
  if (is_nan(z[0])) {
#pragma unroll
    for (u32 k = N; k-- > 0;) {
      if (is_nan(y[k])) a.best = y[k], at = k;
    }
  } else {
#pragma unroll
    for (u32 k = N; k-- > 0;) {
      if (y[k] == z[0]) a.best = y[k], at = k;
    }
  }
#if !FIRST_OF_NONE
  // If only the position is requested, equal values are interchangeable.
  a.best = z[0];
#endif
  a.at = first + at / GROUP * step + at % GROUP;
}
