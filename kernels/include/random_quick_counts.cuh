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
struct quick_poisson {
  static constexpr bool PLAIN = false;
  bool is_short;
  table_of_call table;
  poisson_rejection distribution;
  DEVICE quick_poisson(f64 mean, f64, f64) : table(shared_table()), distribution(mean) {
    is_short = FLAT || mean >= 10;
    if (mean < 10) invert(table, exp(-mean), INVERTED, [=](f64 k) { return mean / k; });
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &k) const {
    const random_words w = block(p, number, 0);
    if (distribution.mean < 10) {
      k = inverted(table, w);
      return true;
    }
    return distribution.at_once(w, k);
  }
  DEVICE f64 drawn(const params &, u64, draws &d) const { return distribution.mean < 10 ? poisson(d, distribution.mean) : distribution.drawn(d); }
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
