// Booleans: a number of 16 bits that equals the leading bits of the probability leaves the decision to another word.
// The lower and the upper 16 bits of a word are compared at once.
struct quick_truths {
  static constexpr u32 HIGH = 0x80008000u;
  u32 own, both;
  DEVICE explicit quick_truths(const params &p) { own = threshold(p.a.value), both = own << 16 | own; }
  // Bits 15 and 31 are set if the lower and the upper 16 bits are below the threshold. The difference of the lower 15 bits
  // has a guard bit in each part, which is 0 if it borrows.
  DEVICE u32 below(u32 w) const {
    const u32 guarded = (w | HIGH) - (both & ~HIGH);
    return (~w & both) | (~(w ^ both) & ~guarded);
  }
  DEVICE bool operator()(const params &, u64, const random_words &w, several &to) const {
    // Bit 15 or 31 is set if a part equals the threshold; if none does, both are 0.
    u32 equal = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const u32 other = w.w[j] ^ both;
      equal |= (other - 0x00010001u) & ~other;
    }
    if (sizeof(element) == 1) {
      // Eight bytes of 0 or 1 as a word: the high bits of the bytes 1 and 3 of two words.
      const u32 first = __byte_perm(below(w.w[0]), below(w.w[1]), 0x7531) >> 7 & 0x01010101u;
      const u32 second = __byte_perm(below(w.w[2]), below(w.w[3]), 0x7531) >> 7 & 0x01010101u;
      *(u64 *)&to = joined(first, second);
      // The word's type differs from that of the elements: the barrier keeps element stores after it.
      asm volatile("" ::: "memory");
    } else {
      several y;
#pragma unroll
      for (int j = 0; j < PER; ++j) y.v[j] = (element)((j & 1 ? w.w[j / 2] >> 16 : w.w[j / 2] & 0xffff) < own);
      to = y;
    }
    return (equal & HIGH) == 0;
  }
};
