// Count, mean and sum of squared deviations, in one pass: of a batch about its own mean, in registers; then merged by
// the formulas of T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing
// Sample Variances", 1979. One division a batch. `real` is the type of the parts of `value`.
struct lane {
  value mean;
  real squares;
#if MASKED || SKIP_NAN
  u32 count;
#endif
};
#if MASKED || SKIP_NAN
DEVICE lane lane_start() { return {value{}, 0, 0}; }
DEVICE accumulator lane_result(const lane &a, u32) { return {a.count, a.mean, a.squares}; }
#else
DEVICE lane lane_start() { return {value{}, 0}; }
DEVICE accumulator lane_result(const lane &a, u32 taken) { return {taken, a.mean, a.squares}; }
#endif

template <u32 GROUP> DEVICE void take(lane &a, const value (&x)[BATCH], u32 keep, u32 taken, uindex, uindex) {
  value y[BATCH];
  real z[BATCH];
  u32 count = BATCH;
  // What is known to be whole at compile time needs no count.
  const bool whole = keep == ALL_KEPT && !SKIP_NAN && !MASKED;
  if (!whole) {
    count = 0;
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) {
      if (SKIP_NAN && is_nan(x[k])) keep &= ~(1u << k);
      count += keep >> k & 1;
    }
    if (count == 0) return;
  }
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k) y[k] = keep >> k & 1 ? x[k] : value{};
#pragma unroll
  for (u32 half = BATCH / 2; half > 0; half /= 2) {
#pragma unroll
    for (u32 k = 0; k < half; ++k) y[k] = y[k] + y[k + half];
  }
  const value mean = whole ? scaled(y[0], (real)1 / (real)BATCH) : parted(y[0], (real)count);
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k) z[k] = keep >> k & 1 ? squared(x[k] - mean) : (real)0;
#pragma unroll
  for (u32 half = BATCH / 2; half > 0; half /= 2) {
#pragma unroll
    for (u32 k = 0; k < half; ++k) z[k] = z[k] + z[k + half];
  }
#if MASKED || SKIP_NAN
  taken = a.count;
  a.count += count;
#endif
  const real share = (real)count / (real)(taken + count);
  const value apart = mean - a.mean;
  a.mean = a.mean + scaled(apart, share);
  a.squares = a.squares + (z[0] + squared(apart, (real)taken * share));
}
