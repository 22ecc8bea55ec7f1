// The short way of a distribution through the words of a block: it holds what is the same for all elements of a call, writes elements as they
// are defined, and says whether it is sure of them. A few need more words: `elements` makes them anew.
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
