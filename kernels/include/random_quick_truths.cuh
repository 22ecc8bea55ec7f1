// Booleans: a word equal to the threshold's first word leaves the decision to the next word.
struct quick_truths {
  u32 own;
  DEVICE explicit quick_truths(const params &p) { own = threshold(p.a.value); }
  DEVICE bool operator()(const params &, u64, const random_words &w, several &to) const {
    bool sure = true;
#pragma unroll
    for (int j = 0; j < PER; ++j) sure &= w.w[j] != own;
    if (sizeof(element) == 1) {
      // Four bytes of 0 or 1 as a word.
      u32 all = 0;
#pragma unroll
      for (int j = 0; j < PER; ++j) all |= w.w[j] < own ? 1u << 8 * j : 0u;
      *(u32 *)&to = all;
      // The word's type differs from that of the elements: the barrier keeps element stores after it.
      asm volatile("" ::: "memory");
    } else {
      several y;
#pragma unroll
      for (int j = 0; j < PER; ++j) y.v[j] = (element)(w.w[j] < own);
      to = y;
    }
    return sure;
  }
};
