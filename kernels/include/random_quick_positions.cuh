// Positions of a permutation, for halves of at most 16 bits: all positions of a block pass the network together, until
// none must go on.
struct quick_positions {
  network all;
  DEVICE explicit quick_positions(const params &p) : all(p) {}
  DEVICE bool operator()(const params &, u64 t, const random_words &, several &to) const {
    if (!all.is_narrow()) return false;
    const u32 last = (u32)(all.many - 1);
    several y;
    u32 x[PER];
    bool walks[PER], any = true;
#pragma unroll
    for (int j = 0; j < PER; ++j) x[j] = (u32)t * PER + j, walks[j] = true;
#pragma unroll 1
    while (any) {
      any = false;
#pragma unroll
      for (int j = 0; j < PER; ++j) {
        const u32 next = all.passed<true>(x[j]);
        x[j] = walks[j] ? next : x[j];
        walks[j] = x[j] > last;
        any |= walks[j];
      }
    }
#pragma unroll
    for (int j = 0; j < PER; ++j) y.v[j] = (element)x[j];
    to = y;
    return true;
  }
};
