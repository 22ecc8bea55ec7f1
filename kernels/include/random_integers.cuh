// An integer from `low` to `last`, both among them, each as probable as the other (D. Lemire, "Fast random integer
// generation in an interval", 2019): the upper half of a product, refused where the lower half is one of the few too many.
template <class T> DEVICE T between(u32 w, T low, T last, draws &more) {
  const u32 range = (u32)((u64)last - (u64)low), many = range + 1;
  if (many == 0) return (T)((u64)low + w);
  u64 product = (u64)w * many;
  if ((u32)product < many) {
    const u32 least = (0u - many) % many;
    while ((u32)product < least) product = (u64)more.word() * many;
  }
  return (T)((u64)low + (product >> 32));
}
template <class T> DEVICE T between(u64 w, T low, T last, draws &more) {
  const u64 range = (u64)last - (u64)low, many = range + 1;
  if (many == 0) return (T)((u64)low + w);
  u64 rest = w * many;
  if (rest < many) {
    const u64 least = (0ull - many) % many;
    while (rest < least) {
      w = more.two();
      rest = w * many;
    }
  }
  return (T)((u64)low + __umul64hi(w, many));
}
// True with probability p to 2^-64: the second word decides where the first is p's own.
DEVICE bool happens(u32 w, f64 p, draws &more) {
  const f64 scaled = p * 0x1p32, whole = floor(scaled);
  if ((f64)w != whole) return (f64)w < whole;
  return (f64)more.word() < (scaled - whole) * 0x1p32;
}
// A number of 64 bits for each place, no two alike: four rounds of a Feistel network, a bijection whatever its functions
// are (M. Luby, C. Rackoff, "How to construct pseudorandom permutations from pseudorandom functions", 1988). The function
// of a round is a word of the block that the other half is the number of.
DEVICE u64 distinct_key(const params &p, u64 place) {
  u32 left = (u32)(place >> 32), right = (u32)place;
#pragma unroll 1
  for (u32 round = 0; round < 4; ++round) {
    const u32 next = left ^ block(p, p.first + right, round).w[0];
    left = right;
    right = next;
  }
  return (u64)left << 32 | right;
}
