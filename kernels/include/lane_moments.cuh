// Accumulator of count, mean and sum of squared deviations, in one pass: a batch of N elements, a power of two, about
// its own mean, in registers; then merged by the formulas of T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae
// and a Pairwise Algorithm for Computing Sample Variances", 1979. One division per batch. `real` is the type of the
// parts of `value`.
struct lane {
  value mean;
  real squares;
#if MASKED || SKIP_NAN
  u32 count;
#endif
};
#if MASKED || SKIP_NAN
DEVICE lane lane_start() { return {value{}, 0, 0}; }
DEVICE partial lane_result(const lane &a, u32) { return {a.count, a.mean, a.squares}; }
#else
DEVICE lane lane_start() { return {value{}, 0}; }
DEVICE partial lane_result(const lane &a, u32 taken) { return {taken, a.mean, a.squares}; }
#endif

template <u32 N, u32 GROUP, class TAKEN>
DEVICE void take(lane &a, const value (&x)[N], u32 keep, TAKEN taken, uindex, uindex) {
  value y[N];
  real z[N];
  u32 count = N;
#if MASKED || SKIP_NAN
  count = 0;
#pragma unroll
  for (u32 k = 0; k < N; ++k) {
    if (SKIP_NAN && is_nan(x[k])) keep &= ~(1u << k);
    count += keep >> k & 1;
  }
  if (count == 0) return;
#endif
  const auto kept = [&](u32 k) { return !(MASKED || SKIP_NAN) || (keep >> k & 1); };
#pragma unroll
  for (u32 k = 0; k < N; ++k) y[k] = kept(k) ? x[k] : value{};
  halve<N / 2>(y, [](value a, value b) { return a + b; });
  // Multiplication by a power of two is exact; equal elements have no variance either way.
  const value mean = MASKED || SKIP_NAN ? parted(y[0], (real)count) : scaled(y[0], (real)1 / (real)N);
#pragma unroll
  for (u32 k = 0; k < N; ++k) z[k] = kept(k) ? squared(x[k] - mean) : (real)0;
  halve<N / 2>(z, [](real a, real b) { return a + b; });
#if MASKED || SKIP_NAN
  const u32 before = a.count;
  a.count += count;
  const real share = quotient((real)count, (real)(before + count));
#else
  const u32 before = taken;
  const real all = (real)(before + count), share = is_made_once(taken) ? (real)count / all : quotient((real)count, all);
#endif
  const value apart = mean - a.mean;
  a.mean = a.mean + scaled(apart, share);
  a.squares = a.squares + (z[0] + squared(apart, (real)before * share));
}
