// MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators", 1999): two recurrences of order 3, whose difference is the output. Skipping to a block multiplies by
// powers of their matrices: the table has those that skip 2^k blocks, then those that skip 2^k times 2^66 blocks.
constexpr u64 MODULI[2] = {4294967087ull, 4294944443ull};

DEVICE void skip(u32 *s, const u32 *matrix, u64 m) {
  u32 next[3];
#pragma unroll
  for (int row = 0; row < 3; ++row) {
    u64 sum = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) sum = (sum + (u64)matrix[3 * row + k] * s[k] % m) % m;
    next[row] = (u32)sum;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) s[k] = next[k];
}
DEVICE random_words block(const params &p, u64 number, u32 attempt) {
  u32 s[6];
#pragma unroll
  for (int k = 0; k < 6; ++k) s[k] = p.state[k];
  const u32 *table = (const u32 *)p.table;
#pragma unroll 1
  for (int k = 0; number >> k != 0; ++k) {
    if (number >> k & 1) skip(s, table + 18 * k, MODULI[0]), skip(s + 3, table + 18 * k + 9, MODULI[1]);
    if (k == 63) break;
  }
#pragma unroll 1
  for (int k = 0; k < 32 && attempt >> k != 0; ++k)
    if (attempt >> k & 1) {
      skip(s, table + 18 * (64 + k), MODULI[0]);
      skip(s + 3, table + 18 * (64 + k) + 9, MODULI[1]);
    }
  random_words out;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const u32 a = (u32)((1403580ull * s[1] + 810728ull * (MODULI[0] - s[0])) % MODULI[0]);
    const u32 b = (u32)((527612ull * s[5] + 1370589ull * (MODULI[1] - s[3])) % MODULI[1]);
    s[0] = s[1], s[1] = s[2], s[2] = a;
    s[3] = s[4], s[4] = s[5], s[5] = b;
    out.w[j] = a >= b ? a - b : (u32)(a + MODULI[0] - b);
  }
  return out;
}
