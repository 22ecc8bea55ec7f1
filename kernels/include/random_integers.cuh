// A uniform integer from `low` to `last`, both included (D. Lemire, "Fast random integer generation in an interval",
// 2019): the high half of a product, rejected if the low half is one of the few surplus values.
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
// The high half of a 64-bit product, and its low half: four products of 32 bits with their carries.
DEVICE u64 product(u64 a, u64 b, u64 &lower) {
  const u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  const u64 least = al * bl, one = ah * bl + (least >> 32), other = al * bh + (u32)one;
  lower = other << 32 | (u32)least;
  return ah * bh + (one >> 32) + (other >> 32);
}
template <class T> DEVICE T between(u64 w, T low, T last, draws &more) {
  const u64 range = (u64)last - (u64)low, many = range + 1;
  if (many == 0) return (T)((u64)low + w);
  u64 rest, upper = product(w, many, rest);
  if (rest < many) {
    const u64 least = (0ull - many) % many;
    while (rest < least) upper = product(more.two(), many, rest);
  }
  return (T)((u64)low + upper);
}
// True with probability p to 2^-48: a word decides if the number of 16 bits equals the leading bits of p.
DEVICE u32 threshold(f64 p) { return (u32)fmin(floor(p * 0x1p16), 65535.0); }
DEVICE bool happens(u32 x, f64 p, draws &more) {
  const u32 own = threshold(p);
  if (x != own) return x < own;
  return (f64)more.word() < (p * 0x1p16 - (f64)own) * 0x1p32;
}
// A distinct 64-bit number for each position: four rounds of a Feistel network, a bijection whatever its functions are
// (M. Luby, C. Rackoff, "How to construct pseudorandom permutations from pseudorandom functions", 1988). The function
// of a round is a word of the generator block numbered by the other half.
DEVICE u64 distinct_key(const params &p, u64 position) {
  u32 left = (u32)(position >> 32), right = (u32)position;
#pragma unroll 1
  for (u32 round = 0; round < 4; ++round) {
    const u32 next = left ^ block(p, p.first + right, round).w[0];
    left = right;
    right = next;
  }
  return (u64)left << 32 | right;
}
// The finaliser of MurmurHash3 (A. Appleby) from its second step on: a bijection of 32 bits, each of which depends on
// all.
DEVICE u32 mixed(u32 x) {
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}
// A permutation of the integers below `many`: eight rounds of a Feistel network over the bits of `many - 1`, two at
// least, in two halves, repeated until the result is below `many` again (cycle walking; J. Black, P. Rogaway, "Ciphers
// with arbitrary finite domains", 2002). The round keys are the words of two generator blocks, combined after the first
// step of the finaliser, which is linear: it is applied to a half and to a key separately.
struct network {
  u64 many;
  int low;
  u32 left_bits, right_bits, keys[8];
  DEVICE explicit network(const params &p) : many((u64)p.a.value) {
    const int bits = 64 - __clzll((long long)(many - 1 | 2));
    low = bits >> 1, left_bits = ~0u >> (32 - (bits - low)), right_bits = ~0u >> (32 - low);
#pragma unroll
    for (int k = 0; k < 8; k += 4) {
      const random_words w = block(p, p.first + k / 4, 0);
#pragma unroll
      for (int j = 0; j < 4; ++j) keys[k + j] = w.w[j] ^ w.w[j] >> 16;
    }
  }
  // For halves of at most 16 bits the first step is the identity.
  DEVICE bool is_narrow() const { return left_bits < 0x10000u; }
  template <bool NARROW_HALVES> DEVICE static u32 first_step(u32 half) { return NARROW_HALVES ? half : half ^ half >> 16; }
  template <bool NARROW_HALVES, class T> DEVICE T passed(T x) const {
    u32 left = (u32)(x >> low), right = (u32)x;
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      left ^= mixed(first_step<NARROW_HALVES>(right & right_bits) ^ keys[k]);
      right ^= mixed(first_step<NARROW_HALVES>(left & left_bits) ^ keys[k + 1]);
    }
    return (T)(left & left_bits) << low | (right & right_bits);
  }
};
// The positions after the permutation.
DEVICE void positions(const params &p, u64 number, const random_words &, u64 (&x)[PER]) {
  const network all(p);
#pragma unroll
  for (int j = 0; j < PER; ++j) {
    x[j] = (number - p.first) * PER + j;
    // The last thread has positions beyond the end.
    if (x[j] >= all.many) continue;
    do {
      x[j] = all.passed<false>(x[j]);
    } while (x[j] >= all.many);
  }
}
