// Fast path of a distribution from the words of a generator block: it holds the values common to all elements of a
// call, writes elements as they are defined, and reports if it is sure of them. A few need more words: `elements`
// recomputes them.
struct quick_distribution {
  DEVICE explicit quick_distribution(const params &) {}
  DEVICE bool operator()(const params &p, u64 t, const random_words &w, several &to) const {
    raw x[PER];
    several y;
    const bool sure = surely(p, block_of(p, t), w, x);
#pragma unroll
    for (int j = 0; j < PER; ++j) {
      draws more = further(p, t, j);
      y.v[j] = finish(p, first_of(p, t) + j, x[j], p.a.value, p.b.value, p.c.value, more);
    }
    to = y;
    return sure;
  }
};
