// XORWOW (G. Marsaglia, "Xorshift RNGs", 2003): 160 bits with a linear recurrence, plus a counter. Skipping to a block
// multiplies by powers of its matrix: the table has a column of 5 words for each bit of the state, of the matrices that
// skip 2^k blocks, then of those that skip 2^k times 2^66 blocks.
DEVICE void skip(u32 *s, const u32 *matrix) {
  u32 next[5] = {0, 0, 0, 0, 0};
#pragma unroll
  for (int word = 0; word < 5; ++word)
#pragma unroll 1
    for (int bit = 0; bit < 32; ++bit) {
      const u32 mask = 0u - (s[word] >> bit & 1u);
#pragma unroll
      for (int k = 0; k < 5; ++k) next[k] ^= mask & matrix[5 * (32 * word + bit) + k];
    }
#pragma unroll
  for (int k = 0; k < 5; ++k) s[k] = next[k];
}
DEVICE random_words block(const params &p, u64 number, u32 attempt) {
  u32 s[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) s[k] = p.state[k];
  const u32 *table = (const u32 *)p.table;
#pragma unroll 1
  for (int k = 0; number >> k != 0; ++k) {
    if (number >> k & 1) skip(s, table + 800 * k);
    if (k == 63) break;
  }
#pragma unroll 1
  for (int k = 0; k < 32 && attempt >> k != 0; ++k)
    if (attempt >> k & 1) skip(s, table + 800 * (64 + k));
  // The counter has 32 bits: 2^66 blocks are a multiple of its period.
  u32 d = p.state[5] + (u32)number * (4u * 362437u);
  random_words out;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const u32 t = s[0] ^ s[0] >> 2;
    s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
    s[4] = s[4] ^ s[4] << 4 ^ t ^ t << 1;
    d += 362437u;
    out.w[j] = d + s[4];
  }
  return out;
}
