// Integers in an interval, whose words are rarely rejected: `low` plus the high half of a product, and in `sure` that
// its low half is not rejected.
DEVICE u64 upper_of(u32 w, u32 many, u64 low, u32 least, bool &sure) {
  const u64 product = (u64)w * many + (low << 32);
  sure &= (u32)product >= least;
  return product >> 32;
}
// The test by the high word of the low half alone, which is rarely equal to that of the rejection bound.
DEVICE u64 upper_of(u64 w, u64 many, u64 low, u64 least, bool &sure) {
  const u64 al = (u32)w, ah = w >> 32, bl = (u32)many, bh = many >> 32;
  const u64 one = ah * bl + (al * bl >> 32), other = al * bh + (u32)one;
  sure &= (u32)other > (u32)(least >> 32);
  return ah * bh + low + (one >> 32) + (other >> 32);
}
struct quick_integers {
  raw many, least;
  DEVICE explicit quick_integers(const params &p) {
    many = (raw)((u64)p.b.value - (u64)p.a.value) + 1;
    least = many == 0 ? 0 : ((raw)0 - many) % many;
  }
  DEVICE bool operator()(const params &p, u64, const random_words &block, several &to) const {
    raw w[PER];
    several y;
    words(p, 0, block, w);
    // The range is that of all words: no product represents their number.
    if (many == 0) {
#pragma unroll
      for (int j = 0; j < PER; ++j) y.v[j] = (element)(w[j] + (u64)p.a.value);
      to = y;
      return true;
    }
    bool sure = true;
#pragma unroll
    for (int j = 0; j < PER; ++j) y.v[j] = (element)upper_of(w[j], many, (u64)p.a.value, least, sure);
    to = y;
    return sure;
  }
};
