#if FLAT
// Counts by inversion: the cumulative probabilities, and a guide table from the leading bits of a number to a count.
struct inversion_table {
  f64 sums[INVERTED + 1], factors[INVERTED + 1];
  u32 first[256];
};
typedef inversion_table &table_of_call;
DEVICE table_of_call shared_table() {
  __shared__ inversion_table table;
  return table;
}
template <class Factor> DEVICE void invert(inversion_table &table, f64 none, f64 most, Factor factor) {
  for (u32 k = threadIdx.x + 1; k <= INVERTED; k += THREADS) table.factors[k] = factor((f64)k);
  __syncthreads();
  if (threadIdx.x == 0) {
    f64 q = none, sum = q;
    table.sums[0] = sum;
#pragma unroll 4
    for (u32 k = 1; k < INVERTED; ++k) {
      q *= table.factors[k];
      sum += q;
      table.sums[k] = sum;
    }
  }
  __syncthreads();
  // No number exceeds the last one.
  for (u32 k = threadIdx.x; k <= INVERTED; k += THREADS)
    if (k >= most || k == INVERTED) table.sums[k] = 2;
  __syncthreads();
  if (threadIdx.x < 256) {
    u32 k = 0;
    while (threadIdx.x * 0x1p-8 > table.sums[k]) ++k;
    table.first[threadIdx.x] = k;
  }
  __syncthreads();
}
DEVICE f64 inverted(const inversion_table &table, const random_words &w) {
  const f64 u = open_unit(joined(w.w[0], w.w[1]));
  u32 k = table.first[w.w[1] >> 24];
#pragma unroll 1
  while (u > table.sums[k]) ++k;
  return (f64)k;
}
#else
// A table for one element would take longer than it saves: small means use the distribution itself.
struct table_of_call {};
DEVICE table_of_call shared_table() { return {}; }
template <class Factor> DEVICE void invert(table_of_call, f64, f64, Factor) {}
DEVICE f64 inverted(table_of_call, const random_words &) { return 0; }
#endif
#if !FLAT
#define RECIPROCALS_8(k) \
  1.0f / (k), 1.0f / ((k) + 1), 1.0f / ((k) + 2), 1.0f / ((k) + 3), 1.0f / ((k) + 4), 1.0f / ((k) + 5), 1.0f / ((k) + 6), 1.0f / ((k) + 7)
__constant__ f32 ROUGH_RECIPROCALS[41] = {
  0, RECIPROCALS_8(1), RECIPROCALS_8(9), RECIPROCALS_8(17), RECIPROCALS_8(25), RECIPROCALS_8(33),
};
#undef RECIPROCALS_8
// A Poisson number of a mean below 10 by inversion, if float32 arithmetic decides it: the error of the sums is less
// than 2^-17, of which the power is 2^-20, the products 3 * 2^-24 for each of 10 terms on average, and the sums
// 40 * 2^-25.
DEVICE bool roughly_inverted(const random_words &w, f64 mean, f64 &count) {
  const f32 u = (f32)w.w[1] * 0x1p-32f, m = (f32)mean;
  f32 p = __expf(-m), sum = p;
  u32 k = 0;
#pragma unroll 1
  while (u > sum && k < 40) {
    p *= m * ROUGH_RECIPROCALS[++k];
    sum += p;
  }
  count = k;
  return u < sum - 0x1p-16f && (k == 0 || u > sum - p + 0x1p-16f);
}
#endif
struct quick_poisson {
  static constexpr bool PLAIN = false;
  bool is_short;
  table_of_call table;
  f64 mean;
  rough_poisson roughly;
#if FLAT
  poisson_rejection distribution;
  DEVICE quick_poisson(f64 mean, f64, f64) : table(shared_table()), mean(mean), roughly(mean), distribution(mean) {
    is_short = true;
    if (mean < 10) invert(table, exp(-mean), INVERTED, [=](f64 k) { return mean / k; });
  }
#else
  DEVICE quick_poisson(f64 mean, f64, f64) : mean(mean), roughly(mean) { is_short = mean < rough_poisson::BELOW; }
#endif
  DEVICE bool operator()(const params &p, u64 number, f64 &k) const {
    const random_words w = block(p, number, 0);
    if (mean < 10) {
#if FLAT
      k = inverted(table, w);
      return true;
#else
      return roughly_inverted(w, mean, k);
#endif
    }
#if FLAT
    if (mean >= rough_poisson::BELOW) return distribution.at_once(w, k);
#endif
    f32 whole;
    const int taken = roughly.attempt(w, whole);
    k = whole;
    return taken > 0;
  }
  DEVICE f64 drawn(const params &, u64, draws &d) const {
#if FLAT
    return mean < 10 ? poisson(d, mean) : poisson_of_large(d, mean, roughly);
#else
    return poisson(d, mean);
#endif
  }
};
struct quick_binomial {
  static constexpr bool PLAIN = false;
  bool is_short;
  table_of_call table;
  binomial_rejection distribution;
  DEVICE quick_binomial(f64 n, f64 chance, f64) : table(shared_table()), distribution(n, chance) {
    is_short = !distribution.is_none() && (FLAT || !distribution.is_few());
    const f64 odds = distribution.odds();
    if (is_short && distribution.is_few()) invert(table, distribution.none(), n, [=](f64 k) { return (n - (k - 1)) / k * odds; });
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &k) const {
    const random_words w = block(p, number, 0);
    const bool few = distribution.is_few(), sure = few || distribution.at_once(w, k);
    if (few) k = inverted(table, w);
    if (distribution.mirrored) k = distribution.n - k;
    return sure;
  }
  DEVICE f64 drawn(const params &p, u64, draws &d) const { return binomial(d, distribution); }
};
