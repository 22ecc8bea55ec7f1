// The best value and where it stands. Of a batch the best is found first, one instruction an element; only where it is
// better than what was there, which is rarely, its place is looked for. Before it stand neutral(), a value that none is
// worse than, skipped(), what a NaN counts as where it is skipped, best_of(a, b), where a is the earlier, and is_better(a, b): a is to take the place of the earlier b.
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
  // A NaN, which is equal to none, is looked for by itself: it is one comparison an element either way.
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
  // Where the place alone is requested, equal values are one.
  a.best = z[0];
#endif
  a.at = first + at / GROUP * step + at % GROUP;
}
